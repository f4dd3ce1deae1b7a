"""A best response to others that do not learn, learned from games against them.

In every round the player follows what seems best so far, mixed with uniform play. What it met is
counted in a tree (`response_tree.py`), whose values are backed up from the ends of the games, and
where few games came by, our value network counts as well. V and Vc of the network learn the tree's
values of all rounds, so that what many games showed in one place tells about others that look
alike. The response takes the action with the highest value. Utilities are the player's, in the
game's units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch

from nash_ismcts_spiel.games import SupportedGame
from nash_ismcts_spiel.games.tensors import MOST_PIECES
from nash_ismcts_spiel.games.together import (
    Choice,
    Look,
    Player,
    Result,
    Row,
    row_of,
    tensor_size,
)
from nash_ismcts_spiel.learning.config import MEGABYTE
from nash_ismcts_spiel.learning.response_network import ResponseNetwork
from nash_ismcts_spiel.learning.response_tree import UNKNOWN, ResponseTree, left_after

Floats = npt.NDArray[np.float64]
Play = Callable[[Player, int, np.random.Generator], Sequence[Result]]
"""Plays so many games with a player, by a generator."""

_REPEATS = 100
"""Games per information set from which on the tree alone knows enough."""

_UNIFORM_GAMES = 64
"""Games in which the player plays uniformly, before it follows anything."""

_REFRESHED = 4
"""Rounds after which the network values all information sets of the tree again."""


_EXPLORE = 0.25
"""Share of uniform play in games that are learned from."""

_PRIOR_GAMES = 10.0
"""Games that the network counts for beside those that came by."""

_MOST_SETS = 1_000_000
_TREE_MEGABYTES = 400.0
"""Information sets that the tree keeps, and most megabytes of what networks see of them."""


class ResponseTraining:
    """Learns a response for one seat.

    Attributes:
      tree: what was met.
      network: V and Vc of what was not; None if the game gives it nothing to see.
      rounds, games: how many were learned from.
    """

    def __init__(self, game: SupportedGame, seat: int, seed: int) -> None:
        """Knows nothing yet; `seed` is that of all its randomness."""
        torch.set_num_threads(1)  # the network is small: more threads only wait for each other
        actions = int(game.pyspiel_game.num_distinct_actions())
        inputs = tensor_size(game) if actions <= MOST_PIECES else 0
        room = _TREE_MEGABYTES * MEGABYTE / max(4 * inputs, 1)
        self.tree = ResponseTree(inputs, max(1, min(_MOST_SETS, int(room))))
        self.network: ResponseNetwork | None = None
        if inputs > 0:
            self.network = ResponseNetwork(inputs, actions, game.value_scale(), seed)
        self.rounds = 0
        self.games = 0
        self._rng = np.random.default_rng([seed, seat])

    def learn(self, play: Play, games: int) -> None:
        """Plays a round of so many games and learns from it."""
        explore = 1.0 if self.games < _UNIFORM_GAMES else _EXPLORE
        self.tree.count_ends(play(_Explorer(self, explore, self._rng), games, self._rng))
        self.rounds += 1
        self.games += games
        self._back_up()
        if self.network is None or self.tree.visits.all.sum() > _REPEATS * len(self.tree):
            return
        self.network.fit(self.tree, self.rounds, self._rng)
        if self.rounds % _REFRESHED == 1:
            self.network.write_priors(self.tree, 0)
            self._back_up()

    def player(self) -> Player:
        """The response as it is now: it goes on with what is learned, but does not learn itself."""
        return _Responder(self)

    def values(self, looks: Sequence[Look], sets: Sequence[int]) -> list[Floats | None]:
        """What the legal actions at each look seem worth; None if nobody knows."""
        first, value = self.tree.first.all, self.tree.value.all
        found: list[Floats | None] = []
        for look, number in zip(looks, sets, strict=True):
            begin = int(first[number]) if number != UNKNOWN else 0
            known = value[begin : begin + len(look.legal_actions)]
            found.append(known if number != UNKNOWN else None)
        outside = [k for k, number in enumerate(sets) if number == UNKNOWN]
        if outside and self.network is not None and self.network.fitted:
            numbers = np.asarray([looks[k].numbers() for k in outside], dtype=np.float32)
            rows = self.network.action_values(numbers)
            for k, row in zip(outside, rows, strict=True):
                found[k] = row[looks[k].legal_actions]
        return found

    def meet(self, looks: Sequence[Look]) -> list[int]:
        """Counts games at their information sets, which are made if there is room."""
        before = len(self.tree)
        sets = self.tree.grow(looks)
        if len(self.tree) > before and self.network is not None and self.network.fitted:
            self.network.write_priors(self.tree, before)
        self.tree.count_visits(sets, looks)
        return sets

    def _back_up(self) -> None:
        fitted = self.network is not None and self.network.fitted
        self.tree.back_up(_PRIOR_GAMES if fitted else 0.0)


class _Explorer:
    """Plays games that are learned from."""

    def __init__(
        self, training: ResponseTraining, explore: float, rng: np.random.Generator
    ) -> None:
        self._training = training
        self._explore = explore
        self._rng = rng

    def decide(self, looks: Sequence[Look]) -> list[Choice]:
        sets = self._training.meet(looks)
        values = self._training.values(looks, sets)
        return [self._choice(*each) for each in zip(looks, sets, values, strict=True)]

    def _choice(self, look: Look, number: int, values: Floats | None) -> Choice:
        actions, best = len(look.legal_actions), _best(values)
        explore = self._explore if best is not None else 1.0
        if look.games == 1:  # the most frequent case, in which no row is needed
            if best is None or self._rng.random() < explore:
                best = int(self._rng.random() * actions)
            return _one(self._training.tree, look, number, best)
        shares = np.full(actions, explore / actions)
        if best is not None:
            shares[best] += 1.0 - explore
        row = row_of(look.legal_actions, shares.tolist())
        return Choice(row, _places(self._training.tree, look, number))


class _Responder:
    """Plays what seems best, at random where nobody knows."""

    def __init__(self, training: ResponseTraining) -> None:
        self._training = training

    def decide(self, looks: Sequence[Look]) -> list[Choice]:
        tree = self._training.tree
        sets = [tree.find(look) for look in looks]
        choices = []
        for look, number, values in zip(
            looks, sets, self._training.values(looks, sets), strict=True
        ):
            best, actions = _best(values), len(look.legal_actions)
            if best is not None:
                choices.append(_one(tree, look, number, best))
                continue
            row = row_of(look.legal_actions, [1.0 / actions] * actions)
            choices.append(Choice(row, _places(tree, look, number)))
        return choices


def _best(values: Floats | None) -> int | None:
    if values is None or not np.isfinite(values).any():
        return None
    return int(values.argmax())


def _one(tree: ResponseTree, look: Look, number: int, index: int) -> Choice:
    """A certain choice."""
    place = left_after(look.place) if number == UNKNOWN else int(tree.first.all[number]) + index
    return Choice(Row((look.legal_actions[index],), _CERTAIN, [1.0]), (place,))


def _places(tree: ResponseTree, look: Look, number: int) -> Sequence[int]:
    actions = len(look.legal_actions)
    if number == UNKNOWN:
        return [left_after(look.place)] * actions
    begin = int(tree.first.all[number])
    return range(begin, begin + actions)


_CERTAIN = np.ones(1)
