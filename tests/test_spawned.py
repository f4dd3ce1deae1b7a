"""What is seen in spawned trees: the same as in the reference engine's forest."""

from __future__ import annotations

import numpy as np
import pytest

from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.models import Models, RolloutEvaluator
from nash_ismcts_spiel.native.engine import NativeEngine
from nash_ismcts_spiel.search import ReferenceEngine


@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker"])
def test_each_spawned_tree_is_that_of_the_reference_engine(game: str) -> None:
    graph = GameGraph.enumerate(game)
    models = Models(graph, RolloutEvaluator(seed=0))
    config = SearchConfig(visits=40)
    native, reference = NativeEngine(models, config), ReferenceEngine(models, config)
    root = native.search(0, np.random.default_rng(1))
    assert reference.search(0, np.random.default_rng(1)).visits == root.visits
    trees = reference._forest._trees
    looked = 0
    for tree_set, tree in trees.items():
        for number, node in tree.act_nodes.items():
            found = native.found_in(tree_set, number)
            if node.row is None:
                assert found is None
                continue
            assert found is not None
            assert found.visits == tuple(node.choices.visits)
            assert found.pure_visits == tuple(node.choices.pure_visits)
            assert found.value == node.q
            looked += 1
    assert looked > len(trees) > 5
    again = native.found_at(0)  # looking changes nothing
    assert again is not None
    assert (again.visits, again.q, again.policy) == (root.visits, root.q, root.policy)


def test_trees_that_are_found_by_nobody_are_refused() -> None:
    models = Models(GameGraph("kuhn_poker"), RolloutEvaluator(seed=0))
    with pytest.raises(ValueError, match="by_information_set, not by_node"):
        NativeEngine(models, SearchConfig(trees="by_node")).found_in(0, 0)


def test_before_a_search_there_is_nothing_to_see() -> None:
    graph = GameGraph.enumerate("kuhn_poker")
    assert NativeEngine(Models(graph, RolloutEvaluator()), SearchConfig()).found_in(0, 0) is None
