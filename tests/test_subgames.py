"""Public states, beliefs and subgames of ReBeL against exact tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import helpers
import numpy as np
import numpy.typing as npt
import pytest
from subgame_helpers import (
    DARK_HEX,
    GAMES,
    GOOFSPIEL,
    KUHN,
    LEDUC,
    LIARS_DICE,
    METHODS,
    NIM,
    FixedLeaves,
    Floats,
    random_policy,
    root_solution,
    tree_of,
    whole_policy,
)

from benchmarks.oracle_leaves import OracleLeaves
from nash_ismcts_spiel.baselines.rebel.subgames import (
    WHOLE_GAME,
    Method,
    PublicTree,
    Subgames,
    no_leaves,
    own_reach_of_worlds,
)
from nash_ismcts_spiel.games import DECISION, GameGraph
from nash_ismcts_spiel.games.public import public_states
from nash_ismcts_spiel.native import _core, exact

# Public states, slots and beliefs.


@pytest.mark.parametrize(
    ("name", "states", "futures"),
    [
        (KUHN, 4, 4),
        (LEDUC, 186, 114),
        (LIARS_DICE, 256, 16),  # what is to come depends on the last bid and on who is to move
        pytest.param("liars_dice(numdice=1,dice_sides=6)", 4096, 24, marks=pytest.mark.slow),
    ],
)
def test_public_states_and_their_futures(name: str, states: int, futures: int) -> None:
    tree = tree_of(name)
    assert (len(tree), tree.num_futures) == (states, futures)
    assert tree.roots.tolist() == [0]
    assert tree.root_chance == pytest.approx([1.0])


def test_the_future_of_liars_dice_is_the_last_bid_and_the_mover() -> None:
    tree = tree_of(LIARS_DICE)
    worlds = tree.graph.worlds
    seen: dict[tuple[int, int], set[int]] = {}
    for world in np.flatnonzero(tree.states >= 0):
        bids = tree.graph.history(int(world))[2:]
        key = (bids[-1] if bids else -1, worlds.player[world])
        seen.setdefault(key, set()).add(int(tree.future[tree.states[world]]))
    assert all(len(futures) == 1 for futures in seen.values())
    assert len({future for futures in seen.values() for future in futures}) == len(seen)


def test_a_slot_keeps_meaning_the_same_card() -> None:
    tree = tree_of(LEDUC)
    cards: dict[tuple[int, int], set[int]] = {}
    for world in np.flatnonzero(tree.states >= 0):
        for player, card in enumerate(tree.graph.history(int(world))[:2]):
            cards.setdefault((player, int(tree.slots[world, player])), set()).add(card)
    assert len(cards) == 12
    assert all(len(meant) == 1 for meant in cards.values())


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("sparse", [False, True])
def test_beliefs_follow_bayes_rule(name: str, sparse: bool) -> None:
    tree = tree_of(name)
    graph = tree.graph
    policy = random_policy(graph, 7, sparse)
    beliefs = tree.beliefs(policy)
    np.testing.assert_allclose(beliefs.sum(axis=2), 1.0, atol=1e-12)
    # By exact.py: chance and player 1's moves, times player 0's, is the probability of a world.
    reach = exact.reach(graph, policy, 0)
    probability = np.where(reach.trembles == 0, reach.weight, 0.0)
    probability *= own_reach_of_worlds(graph, policy)[:, 0]
    given_set = exact.beliefs(graph, policy)
    sets = np.asarray(graph.worlds.information_set)
    checked = 0
    for state in range(len(tree)):
        worlds, found = tree.world_probabilities(state, beliefs[state])
        total = probability[worlds].sum()
        if total == 0.0:
            continue
        np.testing.assert_allclose(found, probability[worlds] / total, atol=1e-12)
        for information_set in np.unique(sets[worlds]):
            inside = sets[worlds] == information_set
            if found[inside].sum() > 1e-9:
                mine = found[inside] / found[inside].sum()
                np.testing.assert_allclose(mine, given_set[worlds[inside]], atol=1e-12)
                checked += 1
    assert checked > len(tree) / 8


@pytest.mark.parametrize("name", [KUHN, LEDUC])
def test_slots_are_what_players_hold_whoever_is_to_move(name: str) -> None:
    """In these games an information state string holds all that a player ever saw."""
    tree = tree_of(name)
    for state in range(len(tree)):
        worlds = np.flatnonzero(tree.states == state).tolist()
        for player in range(2):
            strings = [tree.graph.state(w).information_state_string(player) for w in worlds]
            pairs = set(zip(strings, tree.slots[worlds, player].tolist(), strict=True))
            assert len(pairs) == len(set(strings)) == len({slot for _, slot in pairs}) > 1


def test_somebody_who_never_comes_is_believed_to_come_by_chance_alone() -> None:
    tree = tree_of(KUHN)
    never_bets = whole_policy(tree, np.tile([1.0, 0.0], 12))
    beliefs = tree.beliefs(never_bets)
    np.testing.assert_allclose(beliefs[2], tree.mass[2])  # after a bet of player 0
    np.testing.assert_allclose(tree.mass[2], 1 / 3)


def test_own_reach_of_worlds_agrees_with_that_of_information_sets() -> None:
    graph = tree_of(LEDUC).graph
    policy = random_policy(graph, 3)
    per_world = own_reach_of_worlds(graph, policy)
    per_set = exact.own_reach(graph, policy)
    worlds = np.flatnonzero(np.asarray(graph.worlds.kind) == DECISION)
    players = np.asarray(graph.worlds.player)[worlds]
    sets = np.asarray(graph.worlds.information_set)[worlds]
    np.testing.assert_allclose(per_world[worlds, players], per_set[sets], atol=1e-14)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kuhn_poker(players=3)", "kuhn_poker.players=3. has 3 players and is zero-sum"),
        ("first_sealed_auction(max_value=3)", "has 2 players and is not zero-sum"),
    ],
)
def test_other_games_are_refused(name: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        PublicTree(GameGraph.enumerate(name))


# Subgames.


@pytest.mark.parametrize("name", [KUHN, LEDUC, LIARS_DICE, GOOFSPIEL, DARK_HEX, NIM])
@pytest.mark.parametrize("method", ["cfr", "cfr_plus", "linear_cfr"])
def test_a_subgame_that_is_the_whole_game_is_solved_like_it(name: str, method: Any) -> None:
    tree = tree_of(name)
    solver = exact.CfrSolver(tree.graph, method)
    weight, sums = 0.0, np.zeros(2)
    for iteration in range(1, 41):
        before = solver.current_policy()
        solver.run(1)
        # Player 1 answers the policy to which player 0 has just moved on.
        player_of_set = np.asarray(tree.graph.information_sets.player)
        counts = np.asarray(tree.graph.information_sets.action_count)
        zero = np.repeat(player_of_set, counts) == 0
        met = [before, np.where(zero, solver.current_policy(), before)]
        share = iteration if method != "cfr" else 1
        weight += share
        sums += [
            share * exact.expected_utilities(tree.graph, met[player])[0, player]
            for player in (0, 1)
        ]
    solution = root_solution(tree, WHOLE_GAME, 40, method)
    found = whole_policy(tree, solution.batch.average_policy(0))
    np.testing.assert_allclose(found, solver.average_policy(), atol=1e-9)
    values = (solution.batch.root_values()[0] * tree.mass[0]).sum(axis=1)
    np.testing.assert_allclose(values, sums / weight, atol=1e-9)


@pytest.mark.parametrize("name", [KUHN, LEDUC, LIARS_DICE])
def test_an_oracle_is_not_asked_where_the_subgame_covers_the_game(name: str) -> None:
    tree = tree_of(name)
    depth = 1 + int(tree.native.depth.max())
    oracle = OracleLeaves(tree, 1)  # would be far off
    solution = root_solution(tree, depth, 200, "cfr", leaf_values=oracle)
    policy = whole_policy(tree, solution.batch.average_policy(0), depth)
    theirs = helpers.cfr_table(tree.graph, 200)  # by OpenSpiel
    found, expected = (exact.expected_utilities(tree.graph, table)[0] for table in (policy, theirs))
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_the_values_of_a_whole_game_converge_to_its_value() -> None:
    tree = tree_of(KUHN)
    solution = root_solution(tree, WHOLE_GAME, 20_000, "cfr_plus")
    values = (solution.batch.root_values()[0] * tree.mass[0]).sum(axis=1)
    assert values == pytest.approx([-1 / 18, 1 / 18], abs=1e-4)
    policy = whole_policy(tree, solution.batch.average_policy(0))
    value = exact.expected_utilities(tree.graph, policy)[0, 0]
    assert value == pytest.approx(-1 / 18, abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_all_methods_converge(method: Method) -> None:
    tree = tree_of("liars_dice(numdice=1,dice_sides=3)")
    found = []
    for iterations in (50, 800):
        solution = root_solution(tree, WHOLE_GAME, iterations, method)
        policy = whole_policy(tree, solution.batch.average_policy(0))
        found.append(exact.exploitability(tree.graph, policy))
    assert found[1] < 0.02
    assert found[1] < found[0] / 2.5


def test_without_a_depth_subgames_end_with_the_round_or_after_two() -> None:
    for name, depth, stop in ((LEDUC, 4, True), (LEDUC, 2, False), (LIARS_DICE, 2, True)):
        tree = tree_of(name)
        chosen, named = Subgames(tree, 0, stop), Subgames(tree, depth, stop)
        for state in range(0, len(tree), 7):
            np.testing.assert_array_equal(chosen.at(state).actions, named.at(state).actions)
            assert chosen.at(state).num_leaves == named.at(state).num_leaves


@pytest.mark.parametrize(
    ("name", "depth", "expected"),
    [(KUHN, 0, 2), (KUHN, 1, 3), (KUHN, WHOLE_GAME, 1), (LEDUC, 0, 2), (LIARS_DICE, 0, 5)],
)
def test_subgames_in_a_row(name: str, depth: int, expected: int) -> None:
    subgames = Subgames(tree_of(name), depth, stop_at_chance=True)
    states, rounds = subgames.tree.roots.tolist(), 0
    while states:  # what search does
        rounds += 1
        beliefs = subgames.tree.mass[states]
        states = subgames.solve(states, beliefs, 0, "cfr", no_leaves).batch.leaf_states.tolist()
    assert subgames.in_a_row == rounds == expected


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("depth", "stop"), [(1, False), (2, False), (3, True)])
def test_leaf_values_arrive_where_they_belong(name: str, depth: int, stop: bool) -> None:
    tree = tree_of(name)
    below = random_policy(tree.graph, 1)
    subgames = Subgames(tree, depth, stop)
    wanted = [(0, iteration) for iteration in range(1, 5)]
    leaves = FixedLeaves(tree, below)
    solution = subgames.solve([0], tree.mass[:1], 3, "cfr", leaves, wanted)
    # The same regrets with the rest of the game at hand.
    actions = subgames.at(0).actions
    policy = below.copy()
    regrets = np.zeros(len(policy))
    sets = tree.graph.information_sets
    inside = set(actions.tolist())
    totals = np.zeros(2)
    for iteration in range(1, 4):
        policy[actions] = solution.snapshots[0, iteration].policy
        following = policy.copy()
        following[actions] = solution.snapshots[0, iteration + 1].policy
        for player in (0, 1):
            values = action_values(tree.graph, policy, player)
            totals[player] += exact.expected_utilities(tree.graph, policy)[0, player] / 3
            for owner, first, count in zip(
                sets.player, sets.first_action, sets.action_count, strict=True
            ):
                if owner != player or first not in inside:
                    continue
                here = slice(first, first + count)
                regrets[here] += values[here] - policy[here] @ values[here]
                positive = np.maximum(regrets[here], 0.0)
                policy[here] = following[here]
                if positive.sum() > 1e-6:  # else rounding errors decide
                    expected = positive / positive.sum()
                    np.testing.assert_allclose(following[here], expected, atol=1e-9)
    mine = (solution.batch.root_values()[0] * tree.mass[0]).sum(axis=1)
    np.testing.assert_allclose(mine, totals, atol=1e-9)
    expected = tree.beliefs(policy)[solution.batch.leaf_states]
    np.testing.assert_allclose(solution.snapshots[0, 4].leaf_beliefs, expected, atol=1e-12)


def action_values(graph: GameGraph, policy: Floats, player: int) -> Floats:
    """Counterfactual value of each action of a player, summed over worlds. [A]"""
    utilities = exact.expected_utilities(graph, policy)
    reach = exact.reach(graph, policy, player)
    weight = np.where(reach.trembles == 0, reach.weight, 0.0)
    values = np.zeros(len(policy))
    worlds, sets = graph.worlds, graph.information_sets
    for world in range(len(worlds)):
        if worlds.kind[world] == DECISION and worlds.player[world] == player:
            first, count = worlds.first_edge[world], worlds.edge_count[world]
            action = sets.first_action[worlds.information_set[world]]
            children = np.array(worlds.edge_child[first : first + count])
            values[action : action + count] += weight[world] * utilities[children, player]
    return values


def test_an_oracle_at_the_leaves_finds_the_value_of_the_game() -> None:
    tree = tree_of(KUHN)
    oracle = OracleLeaves(tree, 300)
    errors = []
    for iterations in (50, 800):
        solution = root_solution(tree, 2, iterations, "cfr_plus", leaf_values=oracle)
        assert solution.leaf_states == [[3]]
        values = (solution.batch.root_values()[0] * tree.mass[0]).sum(axis=1)
        errors.append(np.abs(values - [-1 / 18, 1 / 18]).max())
    assert errors[1] < 0.005
    assert errors[1] < errors[0] / 2.5


def test_an_oracle_says_what_solving_the_rest_says() -> None:
    tree = tree_of(LEDUC)
    beliefs = tree.beliefs(random_policy(tree.graph, 5))
    states = np.array([20, 100], dtype=np.int32)
    found = OracleLeaves(tree, 200)(1, states, beliefs[states])
    whole = Subgames(tree, WHOLE_GAME, stop_at_chance=False)
    for row, state in enumerate(states):
        solution = whole.solve([state], beliefs[[state]], 200, "cfr_plus", no_leaves)
        np.testing.assert_array_equal(found[row], solution.batch.root_values()[0, 1])
        # Either side's values, weighted by beliefs, are the same value of the belief state.
        both = (solution.batch.root_values()[0] * beliefs[state]).sum(axis=1)
        assert both.sum() == pytest.approx(0.0, abs=0.05)


# Compiled code refuses what does not fit.


def native(name: str = KUHN) -> tuple[PublicTree, _core.Subgame]:
    """A tree, and a subgame of it with leaves."""
    tree = tree_of(name)
    return tree, _core.Subgame(tree.native, 0, 2, False)


REFUSALS: list[tuple[Callable[[PublicTree, _core.Subgame], object], type[Exception], str]] = [
    (lambda t, s: _core.Subgame(t.native, 4, 2, False), IndexError, "public state 4 is not"),
    (lambda t, s: _core.Subgame(t.native, -1, 2, False), IndexError, "public state -1"),
    (lambda t, s: _core.Subgame(t.native, 0, 0, False), ValueError, "depth must be at least 1"),
    (lambda t, s: _core.Subgame(None, 0, 1, False), TypeError, "incompatible"),  # type: ignore[arg-type]
    (lambda t, s: _core.SubgameBatch([], t.mass[:0], "cfr"), ValueError, "at least one"),
    (lambda t, s: _core.SubgameBatch([s], t.mass[:2], "cfr"), ValueError, r"shape \(1, 2, 3\)"),
    (lambda t, s: _core.SubgameBatch([s], t.mass[:1], "x"), ValueError, "method must be"),
    (lambda t, s: _core.SubgameBatch([s], -t.mass[:1], "cfr"), ValueError, "cannot have -0.3"),
    (lambda t, s: _core.SubgameBatch([s], 2 * t.mass[:1], "cfr"), ValueError, "add up to 2"),
    (lambda t, s: _core.SubgameBatch([s], np.nan * t.mass[:1], "cfr"), ValueError, "cannot have"),
    (lambda t, s: _core.SubgameBatch([s, None], t.mass[:2], "cfr"), TypeError, "not be None"),  # type: ignore[list-item]
]


@pytest.mark.parametrize(("call", "kind", "words"), REFUSALS)
def test_wrong_subgames_are_refused(
    call: Callable[[PublicTree, _core.Subgame], object], kind: type[Exception], words: str
) -> None:
    tree, subgame = native()
    with pytest.raises(kind, match=words):
        call(tree, subgame)


def test_wrong_updates_are_refused() -> None:
    tree, subgame = native()
    batch = _core.SubgameBatch([subgame], tree.mass[:1], "cfr")
    values = np.zeros((1, 3))
    with pytest.raises(ValueError, match="player 0's turn, not 1's"):
        batch.update(1, values)
    with pytest.raises(ValueError, match=r"shape \(1, 3\)"):
        batch.update(0, values[:, :2])
    with pytest.raises(ValueError, match="finite"):
        batch.update(0, np.full((1, 3), np.inf))
    with pytest.raises(ValueError, match="have leaves"):
        batch.run(1)
    with pytest.raises(ValueError, match="negative"):
        batch.run(-1)
    for ask in (batch.current_policy, batch.average_policy):
        for index in (-1, 1):
            with pytest.raises(IndexError):
                ask(index)
    batch.update(0, values)  # none of the refusals has changed anything
    batch.update(1, values)


def test_public_states_that_contradict_the_graph_are_refused() -> None:
    tree = tree_of(KUHN)
    graph, states, slots = exact.compiled(tree.graph), tree.states, tree.slots.reshape(-1)

    def changed(row: npt.NDArray[np.int32], value: int) -> npt.NDArray[np.int32]:
        copy = row.copy()
        copy[np.flatnonzero(row >= 0)[0]] = value
        return copy

    for wrong_states, wrong_slots in (
        (changed(states, -1), slots),
        (changed(states, 10**6), slots),
        (changed(states, 1), slots),
        (states, changed(slots, -1)),
        (states, changed(slots, 10**6)),
        (states[:-1], slots),
        (states, slots[:-1]),
        (np.where(states >= 0, 0, -1).astype(np.int32), slots),
    ):
        with pytest.raises(ValueError):
            _core.PublicGame(graph, wrong_states, wrong_slots)
    with pytest.raises(ValueError, match="two players"):
        other = GameGraph.enumerate("kuhn_poker(players=3)")
        _core.PublicGame(exact.compiled(other), states, slots)
    other = GameGraph.enumerate("first_sealed_auction(max_value=3)")
    with pytest.raises(ValueError, match="do not add up to 0"):
        count = len(other.worlds)
        states = public_states(other).astype(np.int32)
        _core.PublicGame(exact.compiled(other), states, np.zeros(2 * count, dtype=np.int32))
