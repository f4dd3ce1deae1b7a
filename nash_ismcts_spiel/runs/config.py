"""How a run was made: `config.json`, written once and checked when it is read."""

from __future__ import annotations

import json
import typing
from pathlib import Path
from typing import Any

from nash_ismcts_spiel.learning.config import ModelKind, TrainingConfig

CONFIG = "config.json"


def stored_settings(directory: Path) -> dict[str, Any]:
    """What the config of a run says, whoever made it; only its form is checked.

    Raises:
      ValueError: there is no run in the directory, or its config is damaged.
    """
    path = directory / CONFIG
    if not path.exists():
        raise ValueError(f"{directory} has no run: {CONFIG} is missing")
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is not the config of a run: {error}") from error
    if not isinstance(settings, dict):
        raise ValueError(f"{path} is not the config of a run: it has no names")
    return settings


def read_config(directory: Path) -> dict[str, Any]:
    """The settings that a run was made with, checked.

    Raises:
      ValueError: there is no run in the directory, or its config is damaged.
    """
    settings = stored_settings(directory)
    try:
        missing = {"game", "models", "seed", "training"} - settings.keys()
        if missing:
            raise ValueError(f"{', '.join(sorted(missing))} missing")
        if settings["models"] not in typing.get_args(ModelKind):
            raise ValueError(f"models {settings['models']!r} are not known here")
        if not isinstance(settings["game"], str) or not isinstance(settings["seed"], int):
            raise ValueError("game must be a name and seed a number")
        TrainingConfig.from_dict(settings["training"])
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{directory / CONFIG} is not the config of a run: {error}") from error
    return settings
