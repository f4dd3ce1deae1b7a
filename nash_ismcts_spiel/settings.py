"""What all configs share: frozen dataclasses of plain values, to and from JSON; unknown keys are
errors, and so are values of the wrong type. An unknown name is answered with the nearest.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import math
import numbers
import typing
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self

_LARGEST = 1 << 63
"""Whole numbers from here on are none in C++."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Base of the configs; subclasses are frozen dataclasses with keyword fields."""

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Self:
        """A config from plain settings.

        Raises:
          ValueError: a key is not a field; the message names it and the nearest field, or what
            replaced it.
        """
        names, gone = [field.name for field in dataclasses.fields(cls)], cls.gone()
        for key, value in settings.items():
            if key in gone and value != gone[key][0]:
                raise ValueError(f"{key} is gone: {gone[key][1]}")
        settings = {key: value for key, value in settings.items() if key not in gone}
        for key in settings:
            if key not in names:
                raise ValueError(f"unknown {cls.__name__} key {key!r}; {did_you_mean(key, names)}")
        kind: Any = cls
        types = _field_types(kind)
        return cls(**{key: _nested(types[key], value) for key, value in settings.items()})

    @classmethod
    def gone(cls) -> Mapping[str, tuple[Any, str]]:
        """Settings that there were once: the value that changes nothing, which older files may
        have, and what replaced the others.
        """
        return {}

    @classmethod
    def from_plain(cls, value: Any) -> Any:
        """A config from its settings; what is no settings stays, and is refused by its type."""
        return cls.from_dict(value) if isinstance(value, Mapping) else value

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values, ready for JSON; numpy's numbers become Python's."""
        plain: dict[str, Any] = _plain(dataclasses.asdict(self))
        return plain

    def check_types(self) -> None:
        """Refuses a field whose value has not its declared type."""
        kind: Any = type(self)
        defaults = _defaults(kind)
        for name, hint in _field_types(kind).items():
            value = getattr(self, name)
            if value is not defaults[name]:  # bots are made by the thousand
                _check_type(name, value, hint)


def check_seed(name: str, value: Any) -> None:
    """Refuses what is no seed: a whole number from 0."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or value < 0:
        raise _error(whole, f"{name} must be a whole number from 0, not {value!r}")


def check_positive(name: str, value: Any) -> None:
    """Refuses what is neither None nor a number above 0."""
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if value is not None and not (number and value > 0):
        raise _error(number, f"{name} must be positive, not {value!r}")


def _error(right_type: bool, said: str) -> ValueError | TypeError:
    return ValueError(said) if right_type else TypeError(said)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What to say of a name that is not known: the nearest that is, else all of them."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"


@functools.cache
def _field_types(cls: Any) -> dict[str, Any]:
    return typing.get_type_hints(cls)


@functools.cache
def _defaults(cls: Any) -> dict[str, Any]:
    return {field.name: field.default for field in dataclasses.fields(cls)}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return value
    return int(value) if isinstance(value, numbers.Integral) else float(value)


def _nested(hint: Any, value: Any) -> Any:
    """A config inside a config may be given as its plain settings."""
    if isinstance(hint, type) and issubclass(hint, Settings):
        return hint.from_plain(value)
    return value


def _check_type(name: str, value: Any, hint: Any) -> None:
    """A field's value has its declared type; numpy's numbers do, and NaN never does."""
    if typing.get_origin(hint) is Literal:
        if value not in typing.get_args(hint):
            choices = ", ".join(map(repr, typing.get_args(hint)))
            raise ValueError(f"{name} must be one of {choices}, not {value!r}")
        return
    allowed = typing.get_args(hint) or (hint,)
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if isinstance(value, bool):
        fits = bool in allowed
    elif number:
        fits = float in allowed or (int in allowed and isinstance(value, numbers.Integral))
    else:
        fits = isinstance(value, allowed)
    if not fits:
        raise TypeError(f"{name} must be {getattr(hint, '__name__', hint)}, not {value!r}")
    if isinstance(value, numbers.Integral) and not -_LARGEST < int(value) < _LARGEST:
        raise ValueError(f"{name} must be below 2**63 in size")
    if number and not math.isfinite(value):
        raise ValueError(f"{name} must be finite, not {value!r}")
