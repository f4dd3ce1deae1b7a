"""The exact tools against OpenSpiel's, by value, and against numbers known from elsewhere."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel
import pytest
from open_spiel.python.algorithms import discounted_cfr
from stalling_game import StallingGame

from nash_ismcts_spiel.games import DECISION, GameGraph
from nash_ismcts_spiel.games.policies import policy_table
from nash_ismcts_spiel.native import exact

Floats = npt.NDArray[np.float64]

TOLERANCE = 1e-9
WHOLE_GAME = -1
STALLING = "stalling_game"
LEDUC = "leduc_poker"
LIARS_DICE_1X4 = "liars_dice(numdice=1,dice_sides=4)"
SMALL_GAMES = [
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "liars_dice(numdice=1,dice_sides=3)",
    "goofspiel(imp_info=True,num_cards=4,points_order=descending)",
    "dark_hex(board_size=2,obstype=reveal-numturns)",
    STALLING,
    "first_sealed_auction(max_value=3,players=3)",
    "nim(pile_sizes=1;2;2)",
]
GAMES = [*SMALL_GAMES, LEDUC, LIARS_DICE_1X4]


@functools.cache
def graph_of(name: str) -> GameGraph:
    """The enumerated graph of a game, made once for all tests."""
    return GameGraph.enumerate(StallingGame() if name == STALLING else name)


def random_policy(graph: GameGraph, seed: int, spread: float = 0.5) -> Floats:
    """Random probabilities; a third of the information sets play one action only."""
    rng = np.random.default_rng(seed)
    rows = []
    for count in graph.information_sets.action_count:
        row = rng.dirichlet(np.full(count, spread))
        rows.append(row if rng.random() > 1 / 3 else np.eye(count)[rng.integers(count)])
    return np.concatenate(rows)


def openspiel_rows(graph: GameGraph, policy: Floats) -> dict[str, list[tuple[int, float]]]:
    """The policy in OpenSpiel's form."""
    rows: dict[str, list[tuple[int, float]]] = {}
    sets = graph.information_sets
    for information_set in range(len(sets)):
        state = graph.state(sets.first_world[information_set])
        key = state.information_state_string(sets.player[information_set])
        assert key not in rows, "OpenSpiel would mix up two information sets"
        first = sets.first_action[information_set]
        rows[key] = [
            (action, float(policy[first + k]))
            for k, action in enumerate(graph.legal_actions(information_set))
        ]
    return rows


def edges_to(graph: GameGraph, world: int) -> Iterator[tuple[int, int]]:
    """(earlier world, index of the edge taken there) on the way to a world, latest first."""
    while world != 0:
        parent = graph.worlds.parent[world]
        first, count = graph.worlds.first_edge[parent], graph.worlds.edge_count[parent]
        yield parent, graph.worlds.edge_child[first : first + count].index(world)
        world = parent


@pytest.mark.parametrize("name", GAMES)
def test_nash_conv_and_best_responses_match_openspiel(name: str) -> None:
    graph = graph_of(name)
    game = graph.game.pyspiel_game
    root = game.new_initial_state()
    for seed in range(1 if name == LEDUC else 2):
        policy = random_policy(graph, seed)
        rows = openspiel_rows(graph, policy)
        ours = exact.nash_conv(graph, policy)
        assert ours.nash_conv == pytest.approx(pyspiel.nash_conv(game, rows), abs=TOLERANCE)
        assert ours.nash_conv > 1e-3
        assert ours.nash_conv == pytest.approx(sum(ours.per_player_gain), abs=TOLERANCE)
        assert exact.exploitability(graph, policy) == ours.nash_conv / graph.game.num_players
        on_policy = pyspiel.expected_returns(
            root, pyspiel.TabularPolicy(rows), WHOLE_GAME, use_infostate_get_policy=True
        )
        assert ours.on_policy_values == pytest.approx(on_policy, abs=TOLERANCE)
        for player in range(graph.game.num_players):
            peer = pyspiel.TabularBestResponse(game, player, rows).value_from_state(root)
            assert ours.best_response_values[player] == pytest.approx(peer, abs=TOLERANCE)


@pytest.mark.parametrize("name", GAMES)
def test_best_response_actions_earn_the_value(name: str) -> None:
    graph = graph_of(name)
    sets = graph.information_sets
    policy = random_policy(graph, seed=3)
    for player in range(graph.game.num_players):
        value, actions = exact.best_response(graph, policy, player)
        responding = policy.copy()
        for information_set in range(len(sets)):
            first, count = sets.first_action[information_set], sets.action_count[information_set]
            if sets.player[information_set] == player:
                responding[first : first + count] = np.eye(count)[actions[information_set]]
            else:
                assert actions[information_set] == -1
        earned = exact.expected_utilities(graph, responding)[0, player]
        assert earned == pytest.approx(value, abs=TOLERANCE)
        assert value >= exact.expected_utilities(graph, policy)[0, player] - TOLERANCE


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_expected_utilities_match_openspiel_at_every_world(name: str) -> None:
    graph = graph_of(name)
    policy = random_policy(graph, seed=4)
    table = pyspiel.TabularPolicy(openspiel_rows(graph, policy))
    ours = exact.expected_utilities(graph, policy)
    assert ours.shape == (len(graph.worlds), graph.game.num_players)
    for world in range(0, len(graph.worlds), 7):
        state = graph.state(world)
        peer = (
            state.returns()
            if state.is_terminal()
            else pyspiel.expected_returns(state, table, WHOLE_GAME, use_infostate_get_policy=True)
        )
        assert ours[world] == pytest.approx(peer, abs=TOLERANCE)


@pytest.mark.parametrize("name", ["kuhn_poker(players=3)", "liars_dice(numdice=1,dice_sides=3)"])
def test_reach_is_the_product_of_chance_and_the_others(name: str) -> None:
    graph = graph_of(name)
    worlds, sets = graph.worlds, graph.information_sets
    policy = random_policy(graph, seed=5)
    trembles_seen = 0
    for player in range(graph.game.num_players):
        weight, trembles = exact.reach(graph, policy, player)
        for world in range(len(worlds)):
            product, forbidden = 1.0, 0
            for earlier, edge in edges_to(graph, world):
                probability = worlds.edge_probability[worlds.first_edge[earlier] + edge]
                if worlds.kind[earlier] == DECISION:
                    first = sets.first_action[worlds.information_set[earlier]]
                    probability = policy[first + edge]
                    if worlds.player[earlier] == player:
                        probability = 1.0
                    elif probability == 0.0:
                        forbidden += 1
                        probability = 1.0 / worlds.edge_count[earlier]
                product *= probability
            assert weight[world] == pytest.approx(product, abs=1e-15)
            assert trembles[world] == forbidden
            trembles_seen += forbidden
    assert trembles_seen > 0


@pytest.mark.parametrize("name", GAMES)
def test_beliefs_add_up_to_one(name: str) -> None:
    graph = graph_of(name)
    information_set = np.array(graph.worlds.information_set)
    ours = exact.beliefs(graph, random_policy(graph, seed=6))
    moves = information_set >= 0
    totals = np.bincount(information_set[moves], weights=ours[moves])
    assert totals == pytest.approx(np.ones(len(graph.information_sets)), abs=TOLERANCE)
    assert not ours[~moves].any()


@pytest.mark.parametrize(
    ("bets", "belief_in_highest"),
    # Player 1 holds the middle card and sees a bet. Bayes' rule, or the limit of trembles.
    [
        ((0.5, 0.5, 0.5), 1 / 2),
        ((0.25, 0.0, 1.0), 4 / 5),
        ((0.0, 1.0, 1.0), 1.0),
        ((0, 0, 0), 1 / 2),
    ],
)
def test_kuhn_beliefs_after_a_bet(bets: tuple[float, ...], belief_in_highest: float) -> None:
    graph = graph_of("kuhn_poker")
    policy = np.full(len(graph.information_sets.action), 0.5)
    for card, bet in enumerate(bets):
        first = graph.information_sets.first_action[information_set_named(graph, f"{card}")]
        policy[first : first + 2] = 1 - bet, bet
    beliefs = exact.beliefs(graph, policy)
    members = [
        world
        for world, found in enumerate(graph.worlds.information_set)
        if found == information_set_named(graph, "1b")
    ]
    by_card = {graph.history(world)[0]: beliefs[world] for world in members}
    assert by_card == pytest.approx({0: 1 - belief_in_highest, 2: belief_in_highest})


def information_set_named(graph: GameGraph, name: str) -> int:
    """The information set with an OpenSpiel information state string."""
    sets = graph.information_sets
    for information_set in range(len(sets)):
        state = graph.state(sets.first_world[information_set])
        if state.information_state_string() == name:
            return information_set
    raise KeyError(name)


@pytest.mark.parametrize("variant", ["cfr", "cfr_plus"])
@pytest.mark.parametrize("name", GAMES)
def test_cfr_policies_match_openspiel(name: str, variant: exact.Variant) -> None:
    graph = graph_of(name)
    peer_type = pyspiel.CFRSolver if variant == "cfr" else pyspiel.CFRPlusSolver
    peer = peer_type(graph.game.pyspiel_game)
    ours = exact.CfrSolver(graph, variant)
    for iterations in (1, 2, 27):
        ours.run(iterations)
        for _ in range(iterations):
            peer.evaluate_and_update_policy()
        for mine, theirs in (
            (ours.average_policy(), peer.average_policy()),
            (ours.current_policy(), peer.current_policy()),
        ):
            assert np.abs(mine - policy_table(graph, theirs)).max() < TOLERANCE
    assert ours.iterations == 30


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_linear_cfr_policies_match_openspiel(name: str) -> None:
    graph = graph_of(name)
    peer: Any = discounted_cfr.LCFRSolver(graph.game.pyspiel_game)
    ours = exact.CfrSolver(graph, "linear_cfr")
    ours.run(8)
    for _ in range(8):
        peer.evaluate_and_update_policy()
    assert np.abs(ours.average_policy() - policy_table(graph, peer.average_policy())).max() < 1e-9


@pytest.mark.parametrize("variant", ["cfr", "cfr_plus", "linear_cfr"])
def test_solvers_find_the_value_of_kuhn_poker(variant: exact.Variant) -> None:
    graph = graph_of("kuhn_poker")
    solver = exact.CfrSolver(graph, variant)
    solver.run(20_000)
    found = exact.nash_conv(graph, solver.average_policy())
    assert found.nash_conv < 2e-3
    assert found.on_policy_values[0] == pytest.approx(-1 / 18, abs=1e-3)  # Kuhn 1950


@pytest.mark.parametrize(
    ("name", "nash_conv"),
    # The first two stand in OpenSpiel's exploitability_test.py, the third is pyspiel.nash_conv's.
    [("kuhn_poker", 11 / 12), (LEDUC, 4.747222222222222), (LIARS_DICE_1X4, 1.3101190476190476)],
)
def test_uniform_policy_has_the_known_nash_conv(name: str, nash_conv: float) -> None:
    graph = graph_of(name)
    uniform = np.concatenate([np.full(k, 1 / k) for k in graph.information_sets.action_count])
    assert exact.nash_conv(graph, uniform).nash_conv == pytest.approx(nash_conv, abs=TOLERANCE)


def test_one_information_set_holds_worlds_of_different_depth() -> None:
    graph = graph_of(STALLING)
    depths: dict[int, set[int]] = {}
    for world, information_set in enumerate(graph.worlds.information_set):
        depths.setdefault(information_set, set()).add(graph.worlds.depth[world])
    assert {2, 4} in depths.values() and {3, 5} in depths.values()
