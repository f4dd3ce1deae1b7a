"""Models with the prior for beliefs: what they say, and that both engines search alike."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyspiel
import pytest
from test_drawn_worlds import early_middle_late
from test_native_search import POSITIONS, compare_grown

from nash_ismcts_spiel import SearchConfig, make_bot
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.tensors import Tensors
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.searches import BoundedSearches
from nash_ismcts_spiel.models import InformationSetRow, Models, PriorBeliefs, SampleRow
from nash_ismcts_spiel.models.networks.config import WIDE_INPUTS, NetworkConfig
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.models.networks.nets import make_networks
from nash_ismcts_spiel.models.networks.saved import SavedModels
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.engine import search_together


class Hashed:
    """P, V and Vc by a hash of what the player knows; refuses to say anything of hidden pieces."""

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        """One row per information set."""
        rows = []
        for number in information_sets:
            rng = np.random.default_rng(zlib.crc32(repr(graph.key(number)).encode()))
            count = graph.information_sets.action_count[number]
            policy, values = rng.dirichlet(np.ones(count)), rng.normal(size=count)
            rows.append(InformationSetRow(policy.tolist(), rng.normal(), values.tolist()))
        return rows

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        """Nobody is to ask."""
        raise AssertionError("beliefs were asked for")


@pytest.mark.parametrize("name", list(POSITIONS))
@pytest.mark.parametrize("backup", ["expected", "luck_adjusted", "residual"])
@pytest.mark.parametrize("spawning", ["always", "when_behind"])
def test_engines_agree(name: str, backup: Any, spawning: Any) -> None:
    config = SearchConfig(visits=30, sample_backup=backup, spawning=spawning, spawn_depth=2)
    compare_grown(name, POSITIONS[name], config, 1, PriorBeliefs(Hashed()))


def test_rows_are_those_of_the_models_and_the_prior() -> None:
    graph = GameGraph("phantom_ttt")
    where = graph.observe(graph.state(graph.follow([4, 0, 8])), 1)
    evaluator = PriorBeliefs(Hashed())
    assert evaluator.information_set_rows(graph, [where]) == Hashed().information_set_rows(
        graph, [where]
    )
    node = ~graph.hidden(where)
    (row,) = evaluator.sample_rows(graph, [node])
    assert row.beliefs == graph.prior_weights(node)
    (own,) = Hashed().information_set_rows(graph, [where])
    assert row.child_values == [[value] * len(row.beliefs) for value in own.child_values]
    assert Models(graph, evaluator).sample(node) == row
    assert not Models(graph, Hashed()).compiled_beliefs


def test_a_source_of_beliefs_has_no_other_rows() -> None:
    graph = GameGraph("kuhn_poker")
    where = graph.observe(graph.state(graph.follow([0, 1])), 0)
    with pytest.raises(ValueError, match="beliefs only"):
        _core.prior_beliefs().set_row(graph, where)


def test_wide_rows_of_h_are_not_asked_for() -> None:
    for beliefs, inputs, asks in [
        ("auto", WIDE_INPUTS, True),
        ("auto", WIDE_INPUTS + 1, False),
        ("network", WIDE_INPUTS + 1, True),
        ("prior", 1, False),
    ]:
        config = NetworkConfig.from_dict({"beliefs": beliefs})
        assert config.asks_for_beliefs(inputs) is asks
    # By the games that say so in the docs, and those that must learn as before.
    for game, wide in [("hearts", True), ("battleship", True), ("dark_hex(board_size=5)", False)]:
        assert (Tensors(support(game)).sample_inputs > WIDE_INPUTS) is wide


def test_settings_that_go_by_the_size_of_rows() -> None:
    large = TrainingConfig.preset("large")
    narrow, wide = (large.for_inputs(inputs) for inputs in (WIDE_INPUTS, WIDE_INPUTS + 1))
    assert narrow.networks.beliefs == "network" and wide.networks.beliefs == "prior"
    assert narrow.lcb_width == large.lcb_width
    assert wide.search_config(10_000).lcb_width == 0.3 > narrow.search_config(10_000).lcb_width
    said = TrainingConfig.preset("large", lcb_width={"start": 0.5, "highest": 0.2})
    assert said.for_inputs(WIDE_INPUTS + 1).search_config(1).lcb_width == 0.3


def networks_of(game: str) -> NetworkEvaluator:
    supported = support(game)
    tensors = Tensors(supported)
    networks = make_networks(tensors, NetworkConfig(width=8, depth=1), seed=0)
    return NetworkEvaluator(tensors, networks, supported.value_scale())


def test_saved_models_search_by_the_prior_and_play_by_p() -> None:
    evaluator = networks_of("hearts")
    config = NetworkConfig(width=8, depth=1)
    saved = SavedModels("hearts", False, config, evaluator.tensors, evaluator.networks, {})
    searched = saved.evaluator()
    assert isinstance(searched, PriorBeliefs)
    state = early_middle_late(pyspiel.load_game("hearts"), seed=3)[1]
    bot = make_bot("nash_ismcts", "hearts", state.current_player(), evaluator=searched, visits=4)
    policy = dict(bot.get_policy(state))
    assert set(policy) <= set(state.legal_actions())
    assert set(saved.policy().action_probabilities(state)) == set(state.legal_actions())


def test_searches_count_the_hidden_states_they_draw() -> None:
    evaluator, game = networks_of("phantom_ttt"), support("phantom_ttt")
    counted = []
    for prior in (False, True):
        graph = GameGraph(game)
        where = graph.observe(graph.state(graph.follow([4, 0, 8])), 1)
        searches = BoundedSearches(
            graph, evaluator, SearchConfig(visits=8), np.random.default_rng(0), 1e9,
            lambda _: None, prior,
        )  # fmt: skip
        before = evaluator.numbers_read + evaluator.numbers_given
        searches.search([where])
        asked = 4.0 * (evaluator.numbers_read + evaluator.numbers_given - before)
        drawn = 4.0 * evaluator.tensors.sample_inputs * searches.simulations if prior else 0.0
        assert searches.fitting() == pytest.approx(1e9 / (asked + drawn))
        counted.append(asked)
    assert counted[1] < counted[0]


@pytest.mark.parametrize(("visits", "rule"), [(4, "quantal_step"), (16, "visits")])
def test_targets_are_steps_where_there_are_more_actions_than_visits(visits: int, rule: Any) -> None:
    evaluator, found = networks_of("phantom_ttt"), []
    config = SearchConfig(visits=visits)
    for alone in (False, True):
        graph = GameGraph("phantom_ttt")
        where = graph.observe(graph.state(graph.follow([4, 0, 8])), 1)
        assert 4 < graph.information_sets.action_count[where] < 16
        rng = np.random.default_rng(0)
        if alone:
            models = Models(graph, PriorBeliefs(evaluator))
            step = {"root_rule": rule, "quantal_share": 0.1, "temperature": 0.005}
            config = dataclasses.replace(config, **step)
            found.append(search_together(models, config, [where], rng.spawn(1))[0].policy)
        else:
            searches = BoundedSearches(graph, evaluator, config, rng, 1e9, lambda _: None, True)
            searches.search([where])
            found.append(tuple(searches.found[where]))
    assert found[0] == pytest.approx(found[1])
    assert min(found[0]) > 0.0 or rule == "visits"
