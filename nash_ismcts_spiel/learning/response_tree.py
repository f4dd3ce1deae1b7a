"""What a player has met in games against others that do not learn, and what its actions are worth.

Against fixed opponents a player faces chance alone. Its information sets are a tree: each is come
to by one own choice. The tree counts what followed each choice, the next information sets and the
ends of games, which is all that the player needs to know of the hidden state and of how the others
act by it. Values follow from the counts backwards: a choice is worth the mean of what followed, an
information set the best of its choices. Where few games came by, a *prior* (a network's Vc) counts
for some games as well. All values are the player's utilities in the game's units.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games.together import START, Look, Result
from nash_ismcts_spiel.learning.row_maker import ranges

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)

UNKNOWN = -1
"""The number of an information set that is not in the tree."""

_OUTSIDE = -3
_NEVER = -np.inf


def left_after(place: int) -> int:
    """The place of a player that leaves the tree, or has left it, by a choice."""
    return place if place < START else _OUTSIDE - place


class Column(Generic[Number]):
    """An array that grows at its end."""

    def __init__(self, kind: type[Number], width: tuple[int, ...] = ()) -> None:
        """Starts without entries."""
        self._held: npt.NDArray[Number] = np.zeros((1024, *width), dtype=kind)
        self._length = 0

    def add(self, entries: npt.ArrayLike, count: int) -> None:
        """Adds so many entries, or the same one so many times."""
        while self._length + count > len(self._held):
            self._held = np.concatenate([self._held, np.zeros_like(self._held)])
        self._held[self._length : self._length + count] = entries
        self._length += count

    @property
    def all(self) -> npt.NDArray[Number]:
        """The entries; what is written there stays."""
        return self._held[: self._length]


class ResponseTree:
    """Information sets of one player, by number, and their choices, end to end.

    Attributes:
      first: the first choice of each information set. [sets]
      width: how many choices it has. [sets]
      visits: games that came there. [sets]
      numbers: what networks see of it. [sets, inputs]
      action: the number of each choice in the game. [choices]
      games: games that took it, as of the last backup. [choices]
      total: the sum of what followed in these, as of the last backup. [choices]
      prior: what a model says that it is worth. [choices]
      value: what it is worth by both, as of the last backup; minus infinity if nobody knows.
        [choices]
    """

    def __init__(self, inputs: int, most_sets: int) -> None:
        """An empty tree.

        Args:
          inputs: numbers that describe an information set.
          most_sets: how many are kept; below a full tree only ends of games are counted.
        """
        self.first, self.width = Column(np.int64), Column(np.int64)
        self.visits = Column(np.int64)
        self.numbers = Column(np.float32, (inputs,))
        self.action, self.games = Column(np.int64), Column(np.float64)
        self.total, self.prior = Column(np.float64), Column(np.float64)
        self.value = Column(np.float64)
        self._parent, self._depth = Column(np.int64), Column(np.int64)
        self._owner = Column(np.int64)
        self._ended, self._ended_total = Column(np.float64), Column(np.float64)
        self._known: dict[int, int] = {}
        self._most_sets = most_sets

    def __len__(self) -> int:
        """Number of information sets."""
        return len(self.first.all)

    def find(self, look: Look) -> int:
        """The information set of a look, UNKNOWN if it is not in the tree."""
        if look.place < START:
            return UNKNOWN
        return self._known.get(hash((look.place, look.shown)), UNKNOWN)

    def grow(self, looks: Sequence[Look]) -> list[int]:
        """The information set of each look, made if there is room; UNKNOWN if there is none."""
        found, new = list[int](), list[Look]()
        for look in looks:
            number = self.find(look)
            room = len(self) + len(new) < self._most_sets
            if number == UNKNOWN and look.place >= START and room:
                number = self._known[hash((look.place, look.shown))] = len(self) + len(new)
                new.append(look)
            found.append(number)
        if new:
            self._add(new)
        return found

    def count_visits(self, sets: Sequence[int], looks: Sequence[Look]) -> None:
        """Games have come to information sets."""
        visits = self.visits.all
        for number, look in zip(sets, looks, strict=True):
            if number != UNKNOWN:
                visits[number] += look.games

    def count_ends(self, results: Sequence[Result]) -> None:
        """Games have ended, some of them after they had left the tree."""
        ended, total = self._ended.all, self._ended_total.all
        for after, games, utility in results:
            place = after if after >= START else _OUTSIDE - after
            if place != START:
                ended[place] += games
                total[place] += games * utility

    def back_up(self, prior_games: float) -> None:
        """Values all choices from the ends of the games to their beginning.

        Args:
          prior_games: how many games the prior counts for; if 0, choices that nobody took have
            no value.
        """
        visits, parent, choices = self.visits.all, self._parent.all, len(self.action.all)
        inner = parent >= 0
        self.games.all[:] = self._ended.all
        self.games.all[:] += np.bincount(parent[inner], visits[inner], choices)
        self.total.all[:] = self._ended_total.all
        games, total = self.games.all, self.total.all
        value, prior = self.value.all, self.prior.all
        for sets in self._deepest_first():
            widths = self.width.all[sets]
            taken = ranges(self.first.all[sets], widths)
            weight = games[taken] + prior_games
            known = weight > 0.0
            sums = total[taken] + prior_games * prior[taken]
            value[taken] = np.where(known, sums / np.where(known, weight, 1.0), _NEVER)
            best = np.maximum.reduceat(value[taken], np.cumsum(widths) - widths)
            after = parent[sets] >= 0
            # A set that games came to has a choice that was taken, unless they still go on.
            gained = np.where(np.isfinite(best), visits[sets] * best, 0.0)
            np.add.at(total, parent[sets][after], gained[after])

    def best_values(self, sets: Ints) -> Floats:
        """What information sets are worth."""
        widths = self.width.all[sets]
        taken = ranges(self.first.all[sets], widths)
        found = np.maximum.reduceat(self.value.all[taken], np.cumsum(widths) - widths)
        return np.asarray(found, dtype=np.float64)

    def _deepest_first(self) -> Iterator[Ints]:
        depth = self._depth.all
        order = np.argsort(depth, kind="stable")
        counts = np.bincount(depth)
        ends = np.cumsum(counts)
        for end, count in zip(ends[::-1], counts[::-1], strict=True):
            yield order[end - count : end]

    def _add(self, looks: Sequence[Look]) -> None:
        """New information sets; the prior of their choices is 0 until somebody writes it."""
        count, base = len(looks), len(self)
        widths = np.array([len(look.legal_actions) for look in looks])
        parents = np.array([look.place for look in looks])
        depths = np.zeros(count, dtype=np.int64)
        inner = parents != START
        depths[inner] = 1 + self._depth.all[self._owner.all[parents[inner]]]
        choices = int(widths.sum())
        self.first.add(len(self.action.all) + np.cumsum(widths) - widths, count)
        self.width.add(widths, count)
        self._parent.add(parents, count)
        self._depth.add(depths, count)
        self.visits.add(0, count)
        inputs = self.numbers.all.shape[1]
        rows = [look.numbers() for look in looks] if inputs else np.zeros((count, 0))
        self.numbers.add(np.asarray(rows, dtype=np.float32), count)
        self.action.add(np.concatenate([look.legal_actions for look in looks]), choices)
        self._owner.add(base + np.repeat(np.arange(count), widths), choices)
        self.value.add(_NEVER, choices)
        for column in (self.games, self.total, self.prior, self._ended, self._ended_total):
            column.add(0.0, choices)
