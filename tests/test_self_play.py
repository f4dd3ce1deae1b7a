"""Self-play: games against exact values, which rows are unbiased, and what searches give."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import helpers
import numpy as np
import numpy.typing as npt
import pytest
import torch

from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.entries import open_entries
from nash_ismcts_spiel.games.policies import policy_table
from nash_ismcts_spiel.games.tensors import Tensors
from nash_ismcts_spiel.learning.config import LearnerConfig
from nash_ismcts_spiel.learning.rows import HiddenRows
from nash_ismcts_spiel.learning.searches import Bounds
from nash_ismcts_spiel.learning.self_play import SelfPlay
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.models.networks.nets import make_networks
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.exact import exact_rows

Enumerated = Callable[[str], GameGraph]
Floats = npt.NDArray[np.float64]
PHANTOM_TTT = "phantom_ttt"


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def evaluator_of(game: str) -> NetworkEvaluator:
    """Networks with random weights."""
    supported = support(game)
    tensors = Tensors(supported)
    networks = make_networks(tensors, NetworkConfig(width=16, depth=1), seed=0)
    return NetworkEvaluator(tensors, networks, supported.value_scale())


class Counts(NamedTuple):
    """What came of games, an equal share for each explorer.

    Attributes:
      visits: games at each information set of its explorer. [I]
      branches: games by what was hidden in them, by how much they count. [B]
    """

    visits: npt.NDArray[np.int64]
    branches: Floats


def played(
    graph: GameGraph, policy: Floats, games: int, explore: float, others_explore: float
) -> Counts:
    """Games on an enumerated graph in which all follow one policy, more or less."""
    graph.resolve()
    rows, sums = exact_rows(graph, policy), _core.TargetSums()
    visits = np.zeros(len(graph.information_sets), dtype=np.int64)
    for player in range(graph.game.num_players):
        explorer = _core.Games(player, explore, others_explore)
        explorer.start(games // graph.game.num_players)
        assert len(explorer.advance(graph, rows, rows, player + 1)) == 0
        explorer.add_hidden(graph, rows, explorer.decisions(graph), sums)
        visits += explorer.visits(graph)
    return Counts(visits, sums.branch_weights)


# Games, and which of them count for what.


@pytest.mark.parametrize("name", [helpers.KUHN, helpers.LEDUC])
def test_what_was_hidden_from_explorers_follows_bayes_rule(
    enumerated: Enumerated, name: str
) -> None:
    graph = enumerated(name)
    policy = 0.8 * helpers.random_table(graph, seed=2) + 0.2 * helpers.uniform_table(graph)
    beliefs = exact_rows(graph, policy).beliefs
    counts = played(graph, policy, 200_000, explore=0.5, others_explore=0.0).branches
    node = np.repeat(np.arange(len(graph.samples)), np.asarray(graph.samples.branch_count))
    total = np.bincount(node, counts)[node]
    often = total >= 500
    assert often.sum() > 10
    error = np.abs(counts[often] / total[often] - beliefs[often])
    sigma = np.sqrt(beliefs[often] * (1 - beliefs[often]) / total[often])
    assert np.all(error < 5 * sigma + 1e-12)


def test_games_of_exploring_others_count_as_if_they_followed_p(enumerated: Enumerated) -> None:
    # Player 1 bets after a pass with 0.1 (a 0) and 0.001 (a 2), so that 1pb is rarely met when it
    # follows P; if it explores, what player 0 learns there is still 100 to 1.
    graph = enumerated(helpers.KUHN)
    graph.resolve()
    rows = {string: {0: 0.5, 1: 0.5} for string in helpers.strings(graph)}
    rows.update({"0p": {0: 0.9, 1: 0.1}, "2p": {0: 0.999, 1: 0.001}})
    policy = policy_table(graph, rows)
    found = played(graph, policy, 400_000, explore=0.5, others_explore=0.5)
    information_set = helpers.strings(graph).index("1pb")
    node = np.repeat(np.arange(len(graph.samples)), np.asarray(graph.samples.branch_count))
    here = np.asarray(graph.samples.information_set)[node] == information_set
    counts = found.branches[here]
    assert found.visits[information_set] == pytest.approx(400_000 / 2 / 3 / 2 * 0.275, rel=0.05)
    assert counts.sum() == pytest.approx(400_000 / 2 / 3 / 2 * 0.0505, rel=0.05)
    assert counts.max() / counts.sum() == pytest.approx(100 / 101, abs=0.001)


def test_explorers_meet_every_reply(enumerated: Enumerated) -> None:
    # Player 0 passes a 1 and player 1 bets: 1/3 for the card, pass with 0.25 / 2 + 0.75 * 0.4, and
    # a bet with 1/2, since the other one plays uniformly whatever the search policy is.
    graph = enumerated(helpers.KUHN)
    graph.resolve()
    strings = helpers.strings(graph)
    rows = {string: {0: 0.4, 1: 0.6} for string in strings}
    rows.update({string: {0: 1.0, 1: 0.0} for string in ("0p", "1p", "2p")})
    found = policy_table(graph, rows)
    games = 200_000
    visits = played(graph, found, games, explore=0.25, others_explore=1.0).visits
    expected = (games / 2) * (1 / 3) * (0.125 + 0.75 * 0.4) * 0.5
    assert visits[strings.index("1pb")] == pytest.approx(expected, rel=0.05)


# Rows: which are unbiased.


@pytest.mark.parametrize("whole", [False, True], ids=["grown", "enumerated"])
@pytest.mark.parametrize("name", [helpers.KUHN, helpers.LEDUC])
def test_rows_of_policy_games_agree_with_exact_models(
    enumerated: Enumerated, name: str, whole: bool
) -> None:
    # A random policy whose V is exact: bootstrapped targets are then exact too, up to chance. The
    # others explore as well; counted as if they followed P, beliefs are those of P.
    graph = enumerated(name)
    table = 0.7 * helpers.random_table(graph, seed=4) + 0.3 * helpers.uniform_table(graph)
    evaluator: Any = helpers.ExactNetworks(evaluator_of(name), graph, table)
    exploring = LearnerConfig(explore=0.5)
    rng = np.random.default_rng(1)
    play = SelfPlay(graph.game, evaluator, exploring, rng, whole=graph if whole else None)
    value, hidden = play.policy_games(4_000_000, hidden_share=0.1)
    assert play.is_small()
    assert (play.graph is graph) is whole
    exact, tensors, scale = exact_rows(graph, table), Tensors(graph.game), evaluator.value_scale
    sets = graph.information_sets
    places = {row.tobytes(): k for k, row in enumerate(value.inputs)}
    every = tensors.sets(graph, range(len(sets)))
    assert len(value) == len(sets) == len(places)
    errors = []
    for number, row in enumerate(every):
        place = places[row.tobytes()]
        if value.frequency[place] < 10_000:
            continue
        found = value.targets[place] * scale
        first, actions = sets.first_action[number], graph.legal_actions(number)
        wanted = exact.child_values[first : first + len(actions)]
        errors += [found[0] - exact.value[number], *(found[1:][actions] - wanted)]
    assert len(errors) >= 36  # all of Kuhn poker, and much of Leduc
    assert np.abs(errors).max() < 0.2 * scale
    assert np.sqrt(np.mean(np.square(errors))) < 0.02 * scale
    mixed = exact_rows(graph, 0.5 * table + 0.5 * helpers.uniform_table(graph))
    assert belief_error(graph, hidden, exact.beliefs) < 0.02
    assert belief_error(graph, hidden, mixed.beliefs) > 0.04


def belief_error(graph: GameGraph, hidden: HiddenRows, beliefs: Any) -> float:
    """Mean distance (L1) of targets for H from beliefs, weighted by how often they were met."""
    places = {row.tobytes(): k for k, row in enumerate(hidden.inputs)}
    rows = Tensors(graph.game).samples(graph, range(len(graph.samples)))
    total = 0.0
    for node, row in enumerate(rows):
        k = places[row.tobytes()]
        first, pieces = graph.samples.first_branch[node], open_entries(graph, [node]).columns
        found = hidden.targets[k][pieces] - beliefs[first : first + len(pieces)]
        total += hidden.frequency[k] * np.abs(found).sum()
    return float(total / hidden.frequency.sum())


def test_models_count_for_some_games_beside_those_that_were_played(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    graph.resolve()
    evaluator, rows, sums = evaluator_of(helpers.KUHN), _core.Rows(), _core.TargetSums()
    sets, nodes = (np.arange(12, dtype=np.int32) for _ in range(2))
    rows.put_sets(graph, sets, *evaluator.flat_information_set_rows(graph, sets.tolist()))
    rows.put_samples(graph, nodes, *evaluator.flat_sample_rows(graph, nodes.tolist()))
    games = _core.Games(0, 0.5, 0.0)
    games.start(1000)
    assert len(games.advance(graph, rows, rows, 5)) == 0
    games.add_values(graph, rows, sums)
    games.add_hidden(graph, rows, games.decisions(graph), sums)
    policy, beliefs, child_values = rows.policy, rows.beliefs, rows.child_values
    values = rows.value
    sums.blend_into(graph, 10.0, rows)
    totals = np.repeat(sums.branch_weights.reshape(12, 2).sum(axis=1), 2)
    met = totals > 0.0
    assert met.sum() == 12  # one player's
    assert rows.beliefs == pytest.approx((10 * beliefs + sums.branch_weights) / (10 + totals))
    blended = (10 * child_values + sums.action_values) / (10 + sums.action_weights)
    assert rows.child_values == pytest.approx(blended)
    means = (policy * blended).reshape(12, 2).sum(axis=1)
    wanted = np.where(sums.visits > 0, (10 * values + sums.visits * means), 10 * values)
    assert rows.value == pytest.approx(wanted / (10 + sums.visits))
    assert sums.visits[sums.visits > 0].sum() == games.visits(graph).sum() >= 1000
    with pytest.raises(ValueError, match="there is no V of information set"):
        games.add_values(graph, _core.Rows(), sums)
    with pytest.raises(ValueError, match="these games are of another graph"):
        games.add_values(GameGraph(helpers.KUHN), rows, sums)


def with_values(graph: GameGraph, policy: Floats, value: float) -> _core.Rows:
    """A policy with one and the same V everywhere."""
    sets = np.arange(len(graph.information_sets), dtype=np.int32)
    rows = _core.Rows()
    rows.put_sets(graph, sets, policy, np.full(len(sets), value), np.zeros(len(policy)))
    return rows


def summed(graph: GameGraph, rows: _core.Rows, explore: float, trace: float) -> _core.TargetSums:
    """What games tell about Vc of the first player if all explore."""
    games, sums = _core.Games(0, explore, explore, trace), _core.TargetSums()
    games.start(200_000)
    assert len(games.advance(graph, rows, rows, 5)) == 0
    games.add_values(graph, rows, sums)
    return sums


def test_with_full_traces_results_count_and_not_v(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.LEDUC)
    policy = helpers.random_table(graph, seed=4)
    found = {
        (value, trace): summed(graph, with_values(graph, policy, value), 0.0, trace).action_values
        for value in (0.0, 3.0)
        for trace in (0.0, 0.5, 1.0)
    }
    assert found[0.0, 1.0] == pytest.approx(found[3.0, 1.0], abs=1e-6)
    apart = [np.abs(found[3.0, trace] - found[0.0, trace]).sum() for trace in (0.0, 0.5, 1.0)]
    assert apart[0] > 1.5 * apart[1] > 0.0
    with pytest.raises(ValueError, match="trace must be from 0 to 1"):
        _core.Games(0, 0.5, 0.5, 1.5)


def test_moves_that_p_would_not_make_cut_traces_off(enumerated: Enumerated) -> None:
    # Of a pure P: what exploring players do instead must not enter, so exact values stay as they
    # are. Were traces not cut, values would be those of half uniform play.
    graph = enumerated(helpers.LEDUC)
    graph.resolve()
    counts = np.asarray(graph.information_sets.action_count)
    node = np.repeat(np.arange(len(counts)), counts)
    drawn = helpers.random_table(graph, seed=4)
    policy = (drawn == np.maximum.reduceat(drawn, np.cumsum(counts) - counts)[node]).astype(float)
    exact = exact_rows(graph, policy)
    sums = summed(graph, exact, 0.5, 1.0)
    often = sums.action_weights > 1_000
    assert often.sum() > 50
    found = sums.action_values[often] / sums.action_weights[often]
    assert np.abs(found - exact.child_values[often]).max() < 0.1 * graph.value_scale


# Searches.


@pytest.mark.parametrize("whole", [False, True], ids=["grown", "enumerated"])
def test_a_small_game_is_searched_in_one_forest_and_in_part_if_it_must_be(
    enumerated: Enumerated, whole: bool
) -> None:
    evaluator = evaluator_of(helpers.LEDUC)
    counts = []
    for most in (math.inf, 200):
        bounds = Bounds(searches=most)
        play = SelfPlay(
            support(helpers.LEDUC),
            evaluator,
            LearnerConfig(),
            np.random.default_rng(3),
            bounds,
            whole=enumerated(helpers.LEDUC) if whole else None,
        )
        play.policy_games(1_000_000, hidden_share=1.0)
        assert play.is_small()
        play.learn_at_once()
        rows = play.search_games(1_000_000, SearchConfig(visits=4))
        assert rows.targets.sum(axis=1) == pytest.approx(1.0)
        assert len(rows) == len(np.unique(rows.inputs, axis=0))
        counts.append(len(rows))
    assert counts[0] > 900  # of 936 information sets
    assert 140 < counts[1] < 260


def test_looking_ahead_makes_worlds_and_sample_nodes() -> None:
    graph = GameGraph(PHANTOM_TTT)
    start = np.array([graph.worlds.information_set[0]], dtype=np.int32)
    sets = []
    for moves, most in ((0, 100), (1, 5), (1, 100), (2, 100)):
        _core.look_ahead(graph, start, moves, most)
        sets.append(len(graph.information_sets))
    # Nine first moves look alike to the second player; of its own nine, one may be occupied.
    assert sets[:3] == [1, 2, 2] and sets[3] > 10
    assert len(graph.samples) >= 2  # the second player's, and those of the first after its answer
    with pytest.raises(IndexError, match="information set 99"):
        _core.look_ahead(graph, np.array([99], dtype=np.int32), 1, 1)


@pytest.mark.parametrize("game", [PHANTOM_TTT, helpers.LEDUC])
def test_rows_of_search_games_are_search_policies(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluator = evaluator_of(game)
    config = SearchConfig(visits=6, spawn_depth=1)
    found = []
    for width in (64, 1):
        monkeypatch.setattr("nash_ismcts_spiel.learning.searches._SIDE_BY_SIDE", width)
        play = SelfPlay(support(game), evaluator, LearnerConfig(), np.random.default_rng(3))
        found.append(play.search_games(10, config))
    rows, others = found
    assert rows.targets.sum(axis=1) == pytest.approx(1.0)
    assert not rows.targets[~rows.mask].any()
    if game == PHANTOM_TTT:  # half of ten games explore for the first player, from afresh
        assert rows.frequency.max() == 5
    assert len(rows) == len(np.unique(rows.inputs, axis=0))
    # Searches side by side give what they give one at a time, up to rounding in batches; in a large
    # game they share what they find out about hidden pieces, and it depends on their order.
    if game == helpers.LEDUC:
        assert rows.targets == pytest.approx(others.targets, abs=1e-6)


def test_tables_of_the_whole_game_do_not_use_up_the_room_for_policy_games(
    enumerated: Enumerated,
) -> None:
    # With tables P is known everywhere from the start; that must not count as evaluated in games.
    graph = enumerated(helpers.KUHN)
    play = SelfPlay(
        graph.game, evaluator_of(helpers.KUHN), LearnerConfig(), np.random.default_rng(0),
        Bounds(sets=len(graph.information_sets) - 1), whole=graph,
    )  # fmt: skip
    play.policy_games(5000, 1.0)
    assert play.games == 5000


def test_a_large_game_stays_large_if_p_hardly_mixes() -> None:
    """Games then come to few information sets, again and again; searches meet very many."""
    evaluator = evaluator_of(PHANTOM_TTT)
    with torch.no_grad():
        for name, parameter in evaluator.networks.policy.named_parameters():
            parameter *= 1e4 if name.startswith("out.2") else 1.0
    config = LearnerConfig(explore=0.0)
    play = SelfPlay(support(PHANTOM_TTT), evaluator, config, np.random.default_rng(0))
    play.policy_games(3_200, hidden_share=0.01)
    assert len(play.graph.information_sets) < 3_200 / 16
    assert not play.is_small()
