"""`--set`: fields of a config by name, also those of configs inside it, such as search.c_puct=2."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any, TypeVar

from nash_ismcts_spiel.files import parse_json
from nash_ismcts_spiel.schedule import Schedule
from nash_ismcts_spiel.settings import Settings

Config = TypeVar("Config", bound=Settings)


def add_set(command: argparse.ArgumentParser, what: str) -> None:
    """Adds the option; `what` says whose fields, with an example."""
    command.add_argument(
        "--set", action="append", default=[], metavar="NAME=JSON", help=f"change a field of {what}"
    )


def changed(config: Config, texts: Sequence[str]) -> Config:
    """A config with fields changed, each by a text NAME=JSON; a later text has the last word.

    A dot leads into a config inside the config and leaves its other fields as they are, and so does
    a JSON object for it; a schedule is one value.

    Raises:
      ValueError: a text is not of that form, or a name is no field.
    """
    settings: dict[str, Any] = config.to_dict()
    for text in texts:
        path, value = _parsed(text)
        *outer, name = path.split(".")
        inside = settings
        for number, part in enumerate(outer):
            inside = inside.setdefault(part, {})
            if not isinstance(inside, dict):
                before = ".".join(outer[: number + 1])
                raise ValueError(f"--set {path}: {before} has no fields of its own")
        if isinstance(value, dict) and isinstance(getattr(config, path, None), Settings):
            whole = isinstance(getattr(config, path), Schedule)
            value = value if whole else {**inside[name], **value}
        inside[name] = value
    return type(config).from_dict(settings)


def plain(texts: Sequence[str]) -> dict[str, Any]:
    """The settings that texts NAME=JSON give, for a config without others inside it."""
    return dict(_parsed(text) for text in texts)


def _parsed(text: str) -> tuple[str, Any]:
    """NAME=JSON; a bare word is a string."""
    name, equals, value = text.partition("=")
    if not equals or not all(name.split(".")):
        raise ValueError(f"--set needs NAME=JSON, not {text!r}")
    try:
        return name, parse_json(value)
    except json.JSONDecodeError:
        return name, value
    except ValueError as error:
        raise ValueError(f"--set {name}: {error}") from None
