"""Trees by observation: one information set stands for all in which its player sees the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_native_search import GOOFSPIEL, compare, compare_grown, random_evaluator

from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.merged import merged_game
from nash_ismcts_spiel.models import Models, RolloutEvaluator
from nash_ismcts_spiel.native.engine import NativeEngine
from nash_ismcts_spiel.search.engine import ReferenceEngine


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", GOOFSPIEL, "kuhn_poker(players=3)"])
@pytest.mark.parametrize("preset", ["nash_ismcts_notes", "mt_ismcts"])
def test_engines_agree(name: str, preset: str) -> None:
    evaluator = random_evaluator(name)
    config = SearchConfig.preset(preset, visits=60, trees="by_observation")
    sets = len(evaluator.graph.information_sets)
    for seed, where in enumerate(np.random.default_rng(2).integers(sets, size=4).tolist()):
        compare(evaluator.graph, evaluator, config, where, seed)


@pytest.mark.parametrize(("name", "history"), [("phantom_ttt", [4, 0, 8]), ("dark_hex", [1, 2])])
def test_engines_agree_on_grown_graphs(name: str, history: list[int]) -> None:
    config = SearchConfig(visits=40, trees="by_observation")
    compare_grown(name, history, config, 3, RolloutEvaluator())


def test_the_order_of_own_moves_is_forgotten() -> None:
    """Two stones of one player come in two orders, and look the same in both."""
    graph = GameGraph("phantom_ttt")
    sets = [
        int(graph.worlds.information_set[graph.follow(history)])
        for history in ([0, 8, 4, 7], [4, 8, 0, 7], [0, 7, 4, 8], [0, 8, 3, 7])
    ]
    assert sets[0] != sets[1]
    stands = [graph.same_observation(information_set) for information_set in sets]
    assert stands[:3] == [sets[0]] * 3
    assert stands[3] == sets[3]


def test_no_set_stands_for_one_that_follows_it() -> None:
    """Where an observation comes again later in a game, trees would lead back to themselves."""
    graph = GameGraph.enumerate("leduc_poker")
    for information_set in range(len(graph.information_sets)):
        stands = graph.same_observation(information_set)
        lengths = [len(graph.key(each).log) for each in (information_set, stands)]
        assert lengths[0] == lengths[1]
        assert graph.legal_actions(stands) == graph.legal_actions(information_set)
        assert graph.same_observation(stands) == stands


def test_fewer_trees_are_grown() -> None:
    merged = merged_game("phantom_ttt")
    nodes = {}
    trees: Any
    for trees in ("by_information_set", "by_observation"):
        graph = GameGraph(merged.walked)
        information_set = int(graph.worlds.information_set[graph.follow([0, 8, 4, 7, 2])])
        config = SearchConfig.preset("mt_ismcts", visits=2000, trees=trees)
        engine = NativeEngine(Models(graph, RolloutEvaluator()), config)
        engine.search(information_set, np.random.default_rng(0))
        nodes[trees] = engine.tree_count
    assert nodes["by_observation"] < 0.8 * nodes["by_information_set"]


@pytest.mark.parametrize("engine", [NativeEngine, ReferenceEngine])
def test_games_without_observations_are_refused(engine: Any) -> None:
    models = Models(GameGraph("liars_dice"), RolloutEvaluator())
    with pytest.raises(ValueError, match="no observations"):
        engine(models, SearchConfig(trees="by_observation"))
