"""Codes of actions: an action as a sequence of sub-actions, so that no choice is as large as the
action space (P-splitting).

`native/worlds/split_game.h` says how a game is played by its codes. Here they are made: by what the
parts of an action mean, in games for which `games/meanings.py` knows that, or else from the digits
of the action's number. Sub-actions of different places have different numbers, so a vocabulary of a
few dozen sub-actions stands for tens of thousands of actions; it grows like the logarithm of
their number.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games.adapter import SupportedGame
from nash_ismcts_spiel.games.meanings import code_by_meaning
from nash_ismcts_spiel.native import _core

SplitActions = Literal["auto", "never", "always"]
"""Whether actions are split: where a game has very many, in no game, or in every game."""

Ints = npt.NDArray[np.int32]

MOST_WHOLE = 4096
"""Actions or chance outcomes up to which "auto" leaves them whole."""

MOST_OUTCOMES = 256
"""Chance outcomes up to which "always" leaves them whole; they are drawn, not chosen."""

LARGEST_RADIX = 32
"""Values of one digit of an action's number."""


@dataclasses.dataclass(frozen=True, eq=False)
class Codes:
    """The code of each action or chance outcome, known by its number.

    Attributes:
      lengths: number of sub-actions of each code. [events]
      digits: the codes end to end. [sum of lengths]
    """

    lengths: Ints
    digits: Ints

    @classmethod
    def of(cls, codes: Sequence[Sequence[int]]) -> Codes:
        """Codes from one sequence per event."""
        lengths = np.array([len(code) for code in codes], dtype=np.int32)
        return cls(lengths, np.array([d for code in codes for d in code], dtype=np.int32))

    @property
    def vocabulary(self) -> int:
        """One more than the largest sub-action."""
        return int(self.digits.max()) + 1

    @functools.cached_property
    def ends(self) -> npt.NDArray[np.int64]:
        """Where each code ends in `digits`. [events]"""
        ends: npt.NDArray[np.int64] = np.cumsum(self.lengths, dtype=np.int64)
        return ends

    def code(self, event: int) -> list[int]:
        """The sub-actions of an event."""
        end = int(self.ends[event])
        digits: list[int] = self.digits[end - int(self.lengths[event]) : end].tolist()
        return digits


@dataclasses.dataclass(frozen=True, eq=False)
class Splitting:
    """How the actions of a game are split.

    Attributes:
      actions: the code of each action.
      outcomes: the code of each chance outcome, None if chance is not split.
    """

    actions: Codes
    outcomes: Codes | None

    @functools.cached_property
    def fingerprint(self) -> str:
        """A short text that differs where codes differ; models are saved with it."""
        digest = hashlib.sha256()
        for codes in (self.actions, self.outcomes):
            if codes is not None:
                digest.update(codes.lengths.tobytes() + b"|" + codes.digits.tobytes() + b"|")
        return digest.hexdigest()[:16]

    def native(self, game: _core.Game) -> _core.SplitGame:
        """A compiled game, played by these codes."""
        nothing = np.zeros(0, dtype=np.int32)
        outcomes = self.outcomes or Codes(nothing, nothing)
        return _core.SplitGame(
            game,
            self.actions.lengths,
            self.actions.digits,
            outcomes.lengths,
            outcomes.digits,
        )


def fingerprint(splitting: Splitting | None) -> str:
    """The fingerprint of a splitting, empty if actions are whole."""
    return "" if splitting is None else splitting.fingerprint


def splitting_of(game: SupportedGame, choice: SplitActions) -> Splitting | None:
    """How a game's actions are split by a setting; None if they are not.

    Raises:
      ValueError: the setting is unknown.
    """
    if choice not in get_args(SplitActions):
        known = ", ".join(map(repr, get_args(SplitActions)))
        raise ValueError(f"split_actions must be one of {known}, not {choice!r}")
    always = choice == "always"
    actions = int(game.pyspiel_game.num_distinct_actions())
    outcomes = int(game.pyspiel_game.max_chance_outcomes())
    many_actions = always or actions > MOST_WHOLE
    many_outcomes = outcomes > (MOST_OUTCOMES if always else MOST_WHOLE)
    if choice == "never" or not (many_actions or many_outcomes):
        return None
    key = (game.name, actions if many_actions else 0, outcomes if many_outcomes else 0)
    if key not in _KNOWN:
        _KNOWN[key] = Splitting(
            action_codes(game.pyspiel_game, actions) if many_actions else whole_codes(actions),
            mixed_radix(outcomes) if many_outcomes else None,
        )
    return _KNOWN[key]


_KNOWN: dict[tuple[str, int, int], Splitting] = {}
"""Splittings by game, and the numbers of actions and outcomes that are split."""


def action_codes(pyspiel_game: Any, count: int) -> Codes:
    """Codes by meaning where that is known, else by number."""
    code = code_by_meaning(pyspiel_game)
    return mixed_radix(count) if code is None else Codes.of([code(a) for a in range(count)])


def whole_codes(count: int) -> Codes:
    """Codes that split nothing."""
    return Codes(np.ones(count, dtype=np.int32), np.arange(count, dtype=np.int32))


def mixed_radix(count: int) -> Codes:
    """Numbers below `count` by their digits, the largest first: as few places as digits of
    LARGEST_RADIX values need, but two at least where that splits anything, and the smallest radix
    that is enough for these.
    """
    places = 2 if count > 2 else 1
    while LARGEST_RADIX**places < count:
        places += 1
    radix = next(r for r in range(1, LARGEST_RADIX + 1) if r**places >= count)
    events = np.arange(count, dtype=np.int64)
    powers = radix ** np.arange(places - 1, -1, -1, dtype=np.int64)
    digits = events[:, None] // powers % radix + radix * np.arange(places)
    return Codes(np.full(count, places, dtype=np.int32), digits.astype(np.int32).reshape(-1))
