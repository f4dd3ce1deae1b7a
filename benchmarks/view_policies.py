"""Policies at every view of a merged game: P of networks, and of searches with them.

Many searches are under way at once, so that networks evaluate their rows together.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from benchmarks.timing import report
from exploitability import measure
from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.games import GameGraph
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


def searched_views(
    merged: MergedGame, evaluator: NetworkEvaluator, config: SearchConfig, seed: int
) -> list[Floats]:
    """The policy of a search at each view."""
    policies: list[Floats] = []
    for views in _parts(len(merged.views), TOGETHER * BATCHES):
        graph, sets = _graph_of(merged, evaluator, views)
        models = NativeModels(Models(graph, evaluator))
        rngs = [np.random.default_rng([seed, config.visits, view]) for view in views]
        found = search_together(models, config, sets, rngs, TOGETHER)
        policies += [np.array(result.policy) for result in found]
        report(f"searched {len(policies)} of {len(merged.views)} views")
    return policies


def _parts(count: int, size: int) -> list[range]:
    return [range(first, min(first + size, count)) for first in range(0, count, size)]


def _graph_of(
    merged: MergedGame, evaluator: NetworkEvaluator, views: range
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
