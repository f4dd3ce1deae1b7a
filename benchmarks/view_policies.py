"""Policies at every view of a merged game: P of models, and of searches with networks.

Many searches are under way at once, so that networks evaluate their rows together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from benchmarks.timing import report
from exploitability import measure
from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.board_symmetries import standard_views
from nash_ismcts_spiel.games.merged import MergedGame
from nash_ismcts_spiel.models import Models
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.native.engine import search_together
from nash_ismcts_spiel.native.models import NativeModels

TOGETHER = 256
"""Searches whose trees are in memory at once."""

BATCHES = 4
"""Batches of searches that share a graph and the rows of the models."""

Floats = npt.NDArray[np.float64]


def policy_over_views(merged: MergedGame, evaluator: NetworkEvaluator) -> list[Floats]:
    """P at each view."""
    policies = []
    for views in _parts(len(merged.views), TOGETHER * BATCHES):
        graph, sets = _graph_of(merged, evaluator, views)
        flat = evaluator.flat_information_set_rows(graph, sets)[0]
        counts = [len(merged.views[view].legal_actions) for view in views]
        policies += np.split(flat, np.cumsum(counts)[:-1])
    return policies


def turned(merged: MergedGame, policies: Mapping[int, Floats]) -> list[Floats]:
    """Policies at all views from those at standard ones (`games.board_symmetries`)."""
    found = []
    for view, standard in zip(merged.views, standard_views(merged), strict=True):
        there = list(merged.views[standard.view].legal_actions)
        order = [there.index(standard.cells[action]) for action in view.legal_actions]
        found.append(policies[standard.view][order])
    return found


def searched_views(
    merged: MergedGame,
    evaluator: NetworkEvaluator,
    config: SearchConfig,
    seed: int,
    asked: Sequence[int] | None = None,
) -> list[Floats]:
    """The policy of a search at each view, or at those that are asked about."""
    policies: list[Floats] = []
    numbers = range(len(merged.views)) if asked is None else asked
    for part in _parts(len(numbers), TOGETHER * BATCHES):
        views = [numbers[index] for index in part]
        graph, sets = _graph_of(merged, evaluator, views)
        models = NativeModels(Models(graph, evaluator))
        rngs = [np.random.default_rng([seed, config.visits, view]) for view in views]
        found = search_together(models, config, sets, rngs, TOGETHER)
        policies += [np.array(result.policy) for result in found]
        report(f"searched {len(policies)} of {len(numbers)} views")
    return policies


def searched_standard_views(
    merged: MergedGame, evaluator: NetworkEvaluator, config: SearchConfig, seed: int
) -> list[Floats]:
    """The same at all views, of which those are searched that stand for others: `ViewBot` with its
    boards turned.
    """
    views = sorted({standard.view for standard in standard_views(merged)})
    found = searched_views(merged, evaluator, config, seed, views)
    return turned(merged, dict(zip(views, found, strict=True)))


def _parts(count: int, size: int) -> list[range]:
    return [range(first, min(first + size, count)) for first in range(0, count, size)]


def _graph_of(
    merged: MergedGame, evaluator: NetworkEvaluator, views: Sequence[int]
) -> tuple[GameGraph, list[int]]:
    """A new graph, and in it the information sets at the histories that represent views."""
    graph = GameGraph(merged.game, evaluator.split_actions, evaluator.hidden_order)
    worlds = [graph.follow(merged.views[view].history) for view in views]
    return graph, [int(graph.worlds.information_set[world]) for world in worlds]


def exploitability_of(merged: MergedGame, policies: list[Floats]) -> float:
    """Of a policy given at each view."""
    return measure(
        merged.game.pyspiel_game, np.concatenate(policies), engine="merged"
    ).exploitability
