"""What facts are read from: one player's log, look by look, oldest first.

Where a game has information states, a player looks at each of its own decisions. Where it has
observations only, a player looks after every event, and a look is in the log if it showed something
new. The look with which a player decides also tells its legal actions (`native/worlds/views.h`).
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

_LEGAL_ACTIONS = "\nlegal actions:"


class Look(NamedTuple):
    """One look of a player.

    Attributes:
      action: the player's own action since the look before, None if it did not act.
      shown: what it was shown.
      legal: its legal actions, if it is its turn.
    """

    action: int | None
    shown: str
    legal: tuple[int, ...] = ()


Facts = Callable[[Any, int, Sequence[Look], np.random.Generator], Iterator[Sequence[int] | None]]
"""`facts(game, player, log, rng)` yields histories of a pyspiel game, whole actions and chance
outcomes, that are likely to show `player` that log and end where it is to move next: most often
the `histories` of a `Deal`. Wrong ones may be among them, since each is checked. Facts that take
long yield None now and then, where whoever asked may stop them.
"""


def read_log(entries: Sequence[tuple[int, str]]) -> list[Look]:
    """The looks of a log as a graph keeps it (own action or -1, text)."""
    looks = []
    for action, text in entries:
        shown, found, numbers = text.rpartition(_LEGAL_ACTIONS)
        legal = _numbers(numbers) if found else ()
        looks.append(Look(None if action < 0 else action, shown if found else text, legal))
    return looks


@functools.lru_cache(maxsize=256)
def _numbers(text: str) -> tuple[int, ...]:
    """Numbers with spaces between them. In many games they are the same again and again."""
    return tuple(int(number) for number in text.split())


def proposals(
    facts: Facts, game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int] | None]:
    """What facts propose, up to where they cannot read a log: texts may be those of another version
    of OpenSpiel, and then the general search has to do.
    """
    try:
        yield from facts(game, player, log, rng)
    except (ValueError, LookupError) as error:
        what = f"the facts of {game.get_type().short_name} cannot read the log of player {player}"
        warnings.warn(f"{what}: {error!r}", RuntimeWarning, stacklevel=2)


def own_actions(log: Sequence[Look]) -> list[int]:
    """What the player itself did, in order."""
    return [look.action for look in log if look.action is not None]
