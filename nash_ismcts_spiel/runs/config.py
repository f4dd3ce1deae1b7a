"""How a run was made: `config.json`, written once and checked when it is read.

It has the run's identity and a digest of all that it says; the checkpoint has both too, so that
files of different runs, or a config that was changed, are not taken for one run.
"""

from __future__ import annotations

import contextlib
import json
import typing
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyspiel

from nash_ismcts_spiel.files import CheckpointError, DamagedFileError, digest_of, read_object
from nash_ismcts_spiel.learning.config import ModelKind, TrainingConfig
from nash_ismcts_spiel.settings import Settings

CONFIG = "config.json"
CHECKPOINT = "checkpoint.safetensors"
RUN = "run"
"""The run's identity in a config, a checkpoint and a line of metrics."""
DIGEST = "digest"
"""A config's digest of all else that it says."""


def new_run_id() -> str:
    """The identity of a new run; no result depends on it."""
    return uuid.uuid4().hex[:16]


def config_text(settings: Mapping[str, Any]) -> tuple[str, str]:
    """The content of a config with these settings, and its digest.

    Raises:
      TypeError: a setting is not a plain value.
    """
    digest = _digest(settings)
    return json.dumps({**settings, DIGEST: digest}, indent=2) + "\n", digest


def stored_settings(directory: str | Path) -> dict[str, Any]:
    """What the config of a run says, whoever made it; its form and its digest are checked.

    Raises:
      ValueError: there is no run in the directory.
      DamagedFileError: its config is damaged.
    """
    path = Path(directory) / CONFIG
    if not path.exists():
        raise ValueError(f"{directory} has no run: {CONFIG} is missing")
    settings = read_object(path, "the config of a run")
    if settings.get(DIGEST) != _digest(settings):
        raise DamagedFileError(f"{path} is not the config of a run as it was written")
    return settings


def run_of(directory: Path) -> str:
    """The identity of the run in a directory; empty if there is no run."""
    if not (directory / CONFIG).exists():
        return ""
    return str(stored_settings(directory).get(RUN, ""))


def refuse_mixed(directory: Path, settings: Mapping[str, Any], numbers: Mapping[str, Any]) -> None:
    """Raises CheckpointError unless a checkpoint with these numbers belongs to this config."""
    path = directory / CHECKPOINT
    if numbers.get(RUN) != settings.get(RUN):
        raise CheckpointError(f"{path} is of another run than {directory / CONFIG}")
    if numbers.get(CONFIG) != settings.get(DIGEST):
        raise CheckpointError(f"{path} was made with other settings than {directory / CONFIG} has")


@contextlib.contextmanager
def naming_config(directory: Path) -> Iterator[None]:
    """Says which config asks for a run that cannot be had here."""
    try:
        yield
    except (ValueError, TypeError, pyspiel.SpielError) as error:
        path = Path(directory) / CONFIG
        raise DamagedFileError(f"the run of {path} cannot be resumed: {error}") from error


def _digest(settings: Mapping[str, Any]) -> str:
    said = {name: value for name, value in settings.items() if name != DIGEST}
    return digest_of(json.dumps(said, sort_keys=True))


def read_config(
    directory: str | Path,
    kinds: Sequence[str] = typing.get_args(ModelKind),
    training: type[Settings] = TrainingConfig,
) -> dict[str, Any]:
    """The settings that a run of one of these kinds was made with, checked.

    Raises:
      ValueError: there is no run in the directory.
      DamagedFileError: its config is damaged.
    """
    settings = stored_settings(directory)
    try:
        missing = {"game", "models", "seed", "training"} - settings.keys()
        if missing:
            raise ValueError(f"{', '.join(sorted(missing))} missing")
        if settings["models"] not in kinds:
            known = " or ".join(kinds)
            raise ValueError(f"its models are {settings['models']!r}, not {known}")
        if not isinstance(settings["game"], str) or type(settings["seed"]) is not int:
            raise ValueError("game must be a name and seed a number")
        training.from_dict(settings["training"])
    except (TypeError, ValueError, AttributeError) as error:
        path = Path(directory) / CONFIG
        raise DamagedFileError(f"{path} is not the config of a run: {error}") from error
    return settings
