"""Models of P over a whole enumerated game, as the search with soft ties reads them.

P and Vc stand beside the actions of information sets, V and beliefs H beside worlds, for every
player. H of a world is its probability given all that a player knows at a decision point, whoever
moves there, if all play P. Values are utilities in the game's units, of the player named or, for
Vc, of the player who moves.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph, InformationKey
from nash_ismcts_spiel.native import _core

Floats = npt.NDArray[np.float64]
FirstValues = Literal["exact", "learned", "rollouts"]


@dataclasses.dataclass(frozen=True, slots=True)
class ForestModels:
    """Models of P over an enumerated graph, and how far a search may trust them.

    Attributes:
      graph: the game.
      arena: its views.
      policy: P. [A]
      child_values: Vc. [A]
      values: V of each world for each player; zeros with `rollouts`. [W, n]
      beliefs: H of each world given each player's view. [W, n]
      first_values: where the first values of worlds come from.
      value_scale: utility units that count as 1.
      regret: g of the leash, in value scales; it grows with the regret that these models see.
      own_share, others_share: how much of P's own advantages counts, for the player that searches
        and for others.
      blend: how far Vc gives way to values under P that the forest backs up itself.
    """

    graph: GameGraph
    arena: _core.TableArena
    policy: Floats
    child_values: Floats
    values: Floats
    beliefs: Floats
    first_values: FirstValues
    value_scale: float
    regret: float
    own_share: float = 1.0
    others_share: float = 1.0
    blend: float = 0.0

    def player(self, information_set: int) -> int:
        """The player to move."""
        return self.graph.information_sets.player[information_set]

    def log(self, information_set: int) -> list[int]:
        """The decision points of a log, as views, oldest first."""
        return self.arena.log(information_set)

    def key(self, information_set: int) -> InformationKey:
        """The name of an information set."""
        return self.graph.key(information_set)

    def actions(self, information_set: int) -> tuple[int, ...]:
        """The legal actions."""
        return tuple(self.graph.legal_actions(information_set))

    def policy_at(self, information_set: int) -> list[float]:
        """P at an information set."""
        return self._at(self.policy, information_set)

    def child_values_at(self, information_set: int) -> list[float]:
        """Vc at an information set."""
        return self._at(self.child_values, information_set)

    def found(
        self, forest: Any, information_set: int
    ) -> tuple[list[float], list[float], list[int]]:
        """What a forest says of each action: policy, advantages and simulations."""
        policy, advantages, visits = forest.found(information_set)
        return list(map(float, policy)), list(map(float, advantages)), list(map(int, visits))

    def values_of(self, world: int) -> list[float]:
        """V of a world, for each player."""
        return [float(value) for value in self.values[world]]

    def in_scale(self, value_scale: float | None) -> ForestModels:
        """The same by another value scale; None keeps it."""
        if value_scale is None:
            return self
        regret = self.regret * self.value_scale / value_scale
        return dataclasses.replace(self, value_scale=value_scale, regret=regret)

    def native(self) -> _core.TableModels:
        """The same for compiled code."""
        return _core.TableModels(
            self.arena, self.policy, self.child_values, self.values.ravel(), self.beliefs.ravel()
        )

    def forest(self, seed: int) -> _core.SoftForest:
        """A new forest, compiled."""
        return _core.SoftForest(self.arena, self.native(), self.settings(seed))

    def settings(self, seed: int) -> _core.ForestSettings:
        """What compiled code has to know besides."""
        return _core.ForestSettings(
            self.value_scale, self.regret, self.own_share, self.others_share, self.blend,
            self.first_values, seed % 2**64,
        )  # fmt: skip

    def _at(self, column: Floats, information_set: int) -> list[float]:
        first = self.graph.information_sets.first_action[information_set]
        count = self.graph.information_sets.action_count[information_set]
        return [float(value) for value in column[first : first + count]]
