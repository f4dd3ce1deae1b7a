"""Models of P over the views of a merged game, as the search over views reads them.

P is a table over views, made once of an evaluator's answers at the histories that represent them;
random games and the uniform evaluator give the uniform policy. V of each node, beliefs and the
regret of P are exact under P: one sweep forwards and one back in compiled code. Values are
utilities in the game's units, of the player who moves.

Where P treats all turns and reflections of a board alike, views are searched turned to standard
ones (`native/forest/view_symmetries.h`), and what is found is turned back.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph, InformationKey
from nash_ismcts_spiel.games.merged import MergedGame
from nash_ismcts_spiel.games.symmetries import square_symmetries
from nash_ismcts_spiel.models.protocol import (
    FlatEvaluator,
    split_actions_of,
)
from nash_ismcts_spiel.models.rollout import RolloutEvaluator
from nash_ismcts_spiel.models.store import Models
from nash_ismcts_spiel.models.uniform import UniformEvaluator
from nash_ismcts_spiel.native import _core

Floats = npt.NDArray[np.float64]

_BATCH = 1024
"""Views whose rows are asked for together."""
_LEAST_REGRET = 1e-6
_AS_GOOD_AS_EQUAL = 1e-5
"""Difference of probabilities, by rounding in networks."""


@dataclasses.dataclass(frozen=True, slots=True)
class ViewModels:
    """Models of P over views.

    Attributes:
      merged: the game.
      arena: its nodes, as compiled code walks them.
      native: P and what follows from it at each node.
      policy: P, the same for actions that a symmetry makes alike. [A]
      child_values: Vc. [A]
      standard_view: what each view is turned to. [V]
      standard_action: what each action is there. [A]
      first_action: where each view's actions begin. [V + 1]
      value_scale: utility units that count as 1.
    """

    merged: MergedGame
    arena: _core.ViewArena
    native: _core.ViewModels
    policy: Floats
    child_values: Floats
    standard_view: npt.NDArray[np.int32]
    standard_action: npt.NDArray[np.int32]
    first_action: npt.NDArray[np.int64]
    value_scale: float

    @property
    def regret(self) -> float:
        """g, what the best actions gain on P by Vc, in value scales."""
        return max(self.native.regret / self.value_scale, _LEAST_REGRET)

    def player(self, view: int) -> int:
        """The player to move."""
        return self.merged.views[view].player

    def log(self, view: int) -> list[int]:
        """The decision points of the likeliest way to a view, as looks, oldest first."""
        return self.native.log(self.arena, int(self.standard_view[view]))

    def found(self, forest: Any, view: int) -> tuple[list[float], list[float], list[int]]:
        """What a forest says of each action of a view: policy, advantages and simulations."""
        standard = int(self.standard_view[view])
        actions = self.standard_action[self.first_action[view] : self.first_action[view + 1]]
        places = (actions - self.first_action[standard]).tolist()
        policy, advantages, visits = forest.found(standard)
        return (
            [float(policy[place]) for place in places],
            [float(advantages[place]) for place in places],
            [int(visits[place]) for place in places],
        )

    def key(self, view: int) -> InformationKey:
        """The name of a view: all that its player goes by."""
        return InformationKey(self.player(view), ((-1, self.merged.views[view].key),))

    def actions(self, view: int) -> tuple[int, ...]:
        """The legal actions."""
        return self.merged.views[view].legal_actions

    def policy_at(self, view: int) -> list[float]:
        """P at a view."""
        return list(map(float, self.policy[self.first_action[view] : self.first_action[view + 1]]))

    def child_values_at(self, view: int) -> list[float]:
        """Vc at a view."""
        found = self.child_values[self.first_action[view] : self.first_action[view + 1]]
        return list(map(float, found))

    def in_scale(self, value_scale: float | None) -> ViewModels:
        """The same by another value scale; None keeps it."""
        return self if value_scale is None else dataclasses.replace(self, value_scale=value_scale)

    def settings(self, seed: int) -> _core.ForestSettings:
        """What compiled code has to know besides."""
        return _core.ForestSettings(
            self.value_scale, self.regret, 1.0, 1.0, 0.0, "exact", seed % 2**64
        )

    def forest(self, seed: int) -> _core.ViewForest:
        """A new forest, compiled."""
        return _core.ViewForest(self.arena, self.native, self.settings(seed))


def takes_views(evaluator: Any) -> bool:
    """Whether an evaluator's P can be asked once at each view: networks, and where P is uniform."""
    return isinstance(evaluator, (FlatEvaluator, RolloutEvaluator, UniformEvaluator))


def view_models(merged: MergedGame, evaluator: Any) -> ViewModels:
    """The models of an evaluator over views, kept for the next who asks, such as a clone: networks
    that play do not change.
    """
    if not isinstance(evaluator, FlatEvaluator):
        return _untrained(merged)
    return _kept(merged, evaluator) if isinstance(evaluator, Hashable) else _made(merged, evaluator)


def _made(merged: MergedGame, evaluator: Any) -> ViewModels:
    return models_of(merged, policy_over_views(merged, evaluator))


@functools.lru_cache(maxsize=4)
def _kept(merged: MergedGame, evaluator: Any) -> ViewModels:
    return _made(merged, evaluator)


@functools.lru_cache(maxsize=4)
def _untrained(merged: MergedGame) -> ViewModels:
    counts = np.diff(merged.native.first_action)
    return models_of(merged, np.repeat(1.0 / counts, counts))


def models_of(merged: MergedGame, policy: Floats) -> ViewModels:
    """The models of a policy over views, given as one probability per action of each."""
    arena = _arena_of(merged, True)
    turned = _turned(arena, policy)
    if turned is None:
        arena, turned = _arena_of(merged, False), policy
    native, action = _core.ViewModels(arena, turned), arena.standard_action
    return ViewModels(
        merged, arena, native, turned, native.child_values[action], arena.standard_view, action,
        merged.native.first_action, merged.game.value_scale(),
    )  # fmt: skip


@functools.lru_cache(maxsize=4)
def _arena_of(merged: MergedGame, turned: bool) -> _core.ViewArena:
    cells = square_symmetries(int(merged.game.pyspiel_game.num_distinct_actions()))
    return _core.ViewArena(merged.native, cells if turned else [])


def _turned(arena: _core.ViewArena, policy: Floats) -> Floats | None:
    """A policy that is the same at all images of a view; None if that is another policy.

    A view may be its own image: what a policy prefers among actions that are alike there is
    evened out.
    """
    alike = arena.alike[arena.standard_action]
    total, count = np.bincount(alike, policy), np.bincount(alike)
    found: Floats = (total / np.maximum(count, 1))[alike]
    standard = arena.alike[arena.standard_action == np.arange(len(policy))]
    alone = (np.bincount(standard, minlength=len(policy)) == 1)[alike]
    same = np.abs(found - policy)[alone] <= _AS_GOOD_AS_EQUAL
    return found if bool(same.all()) else None


def policy_over_views(merged: MergedGame, evaluator: Any) -> Floats:
    """P of an evaluator at the histories that represent views. [A]"""
    found = []
    split = split_actions_of(evaluator) or "never"
    for first in range(0, len(merged.views), _BATCH):
        graph = GameGraph(merged.game, split)
        worlds = [graph.follow(view.history) for view in merged.views[first : first + _BATCH]]
        sets = [int(graph.worlds.information_set[world]) for world in worlds]
        found.append(Models(graph, evaluator).flat_information_sets(sets)[0])
    return np.concatenate(found)
