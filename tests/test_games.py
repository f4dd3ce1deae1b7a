"""The game graph: sizes, information sets, hidden pieces, and which games are refused."""

from __future__ import annotations

import gc
import itertools
import pickle
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest

from nash_ismcts_spiel.files import file_name
from nash_ismcts_spiel.games import (
    CHANCE,
    DECISION,
    TERMINAL,
    GameGraph,
    InformationKey,
    support,
)
from nash_ismcts_spiel.games.names import short_title
from nash_ismcts_spiel.games.tables import DEAD, MISSING

Enumerated = Callable[[str], GameGraph]
Fork = tuple[tuple[int, ...], tuple[int, ...]]
"""A partial world and the values of its next hidden piece."""

SHERIFF = (
    "sheriff(item_penalty=1.0,item_value=5.0,sheriff_penalty=1.0,"
    "max_bribe=1,max_items=1,num_rounds=1)"
)


def forks_of(graph: GameGraph, information_set: int) -> dict[Fork, list[float]]:
    """All SAMPLE nodes of an information set by what they stand for, with their prior weights."""
    found: dict[Fork, list[float]] = {}
    pending = [graph.hidden(information_set)]
    while pending:
        target = pending.pop()
        if target >= 0:
            continue
        node, samples = ~target, graph.samples
        assert samples.information_set[node] == information_set
        world, first = samples.world[node], samples.first_branch[node]
        branches = range(samples.branch_count[node])
        actions = tuple(
            graph.worlds.edge_action[graph.worlds.first_edge[world] + samples.edge[first + k]]
            for k in branches
        )
        found[tuple(graph.history(world)), actions] = graph.prior_weights(node)
        pending.extend(graph.branch(node, k) for k in branches)
    return found


def expected_forks(game: Any, histories: Sequence[Sequence[int]]) -> dict[Fork, list[float]]:
    """The forks of the prefix tree of all histories of an information set, and how likely each
    piece is if chance is as the game says and all players move uniformly.
    """
    following: dict[tuple[int, ...], dict[int, float]] = {}
    for history in histories:
        probability, state = 1.0, game.new_initial_state()
        for action in history:
            chances = dict(state.chance_outcomes()) if state.is_chance_node() else {}
            probability *= chances.get(action, 1.0 / len(state.legal_actions()))
            state.apply_action(action)
        for length, action in enumerate(history):
            pieces = following.setdefault(tuple(history[:length]), {})
            pieces[action] = pieces.get(action, 0.0) + probability
    found: dict[Fork, list[float]] = {}
    for prefix, pieces in following.items():
        if len(pieces) > 1:
            actions, total = tuple(sorted(pieces)), sum(pieces.values())
            found[prefix, actions] = [pieces[action] / total for action in actions]
    return found


def assert_same_forks(found: dict[Fork, list[float]], wanted: dict[Fork, list[float]]) -> None:
    """The same partial worlds, the same pieces, and nearly the same weights."""
    assert found.keys() == wanted.keys()
    for fork, weights in found.items():
        assert weights == pytest.approx(wanted[fork])


def histories_of(graph: GameGraph, information_set: int) -> list[list[int]]:
    """The worlds of an information set, as sorted histories."""
    return sorted(graph.history(world) for world in helpers.all_worlds(graph, information_set))


def draws(graph: GameGraph, information_set: int, rng: np.random.Generator) -> Iterator[list[int]]:
    """The partial worlds of one random draw of the hidden pieces, the complete one last.

    Where a piece turns out to be dead, another one is drawn in its place.
    """
    drawn: list[int] = []
    target = graph.hidden(information_set)
    while target < 0:
        first, count = (
            graph.samples.first_branch[~target],
            graph.samples.branch_count[~target],
        )
        alive = [k for k in range(count) if graph.samples.target[first + k] != DEAD]
        below = graph.branch(~target, int(rng.choice(alive)))
        if below != DEAD:
            drawn.append(~target)
            target = below
    yield from (graph.history(graph.samples.world[node]) for node in drawn)
    yield graph.history(target)


# Worlds and information sets; the latter as OpenSpiel itself counts them in these games.
@pytest.mark.parametrize(
    ("name", "worlds", "information_sets"),
    [
        (helpers.KUHN, 58, 12),
        (helpers.LEDUC, 9457, 936),
        (helpers.LIARS_4, 8181, 1024),
        (helpers.GOOFSPIEL_4, 1077, 162),
        (helpers.DARK_HEX_2, 441, 134),
        (helpers.KUHN_3, 617, 48),
    ],
)
def test_sizes(enumerated: Enumerated, name: str, worlds: int, information_sets: int) -> None:
    graph = enumerated(name)
    assert graph.enumerated
    assert len(graph.worlds) == worlds
    assert len(graph.information_sets) == information_sets
    by_string: set[tuple[int, str]] = set()
    histories = 0
    pending = [helpers.load(name).new_initial_state()]
    while pending:
        state = pending.pop()
        histories += 1
        if not state.is_terminal():
            if not state.is_chance_node():
                by_string.add((state.current_player(), state.information_state_string()))
            pending.extend(state.child(action) for action in state.legal_actions())
    assert histories == worlds
    assert len(by_string) == information_sets


@pytest.mark.parametrize(("name", "scale"), [(helpers.KUHN, 1.4832), (helpers.LEDUC, 7.043)])
def test_value_scale_is_the_rms_of_terminal_returns(
    enumerated: Enumerated, name: str, scale: float
) -> None:
    assert enumerated(name).value_scale == pytest.approx(scale, abs=5e-4)


def test_value_scale_does_not_go_by_what_is_added_to_all_returns() -> None:
    # The same game, with points and with points beyond the mean of both players.
    name = "goofspiel(imp_info=True,num_cards=3,points_order=descending,returns_type={})"
    points, beyond = (
        GameGraph.enumerate(f"turn_based_simultaneous_game(game={name.format(returns)})")
        for returns in ("total_points", "point_difference")
    )
    utilities = np.asarray(points.worlds.utilities)
    assert utilities.mean() > 1.0
    assert points.value_scale == pytest.approx(utilities.std())
    assert beyond.value_scale == pytest.approx(np.sqrt(np.square(beyond.worlds.utilities).mean()))
    hearts = support("hearts")  # returns of 26 less a player's points: 19.5 on average
    assert 5.0 < hearts.value_scale() < 9.0


def mean_square(state: Any) -> float:
    """The expected mean square of the players' returns under uniformly random play."""
    if state.is_terminal():
        return float(np.mean(np.square(state.returns())))
    legal = state.legal_actions()
    chances = (
        state.chance_outcomes() if state.is_chance_node() else [(a, 1 / len(legal)) for a in legal]
    )
    return sum(probability * mean_square(state.child(a)) for a, probability in chances)


def test_value_scale_of_a_grown_graph_is_that_of_random_play() -> None:
    exact = np.sqrt(mean_square(pyspiel.load_game(helpers.LEDUC).new_initial_state()))
    assert GameGraph(helpers.LEDUC).value_scale == pytest.approx(exact, rel=0.15)
    assert support(helpers.LEDUC).value_scale() == support(helpers.LEDUC).value_scale()


def test_rows_say_what_pyspiel_says(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.LEDUC)
    worlds = graph.worlds
    for world in range(0, len(worlds), 7):
        state = helpers.state_after(graph.game.pyspiel_game, graph.history(world))
        first, count = worlds.first_edge[world], worlds.edge_count[world]
        actions = list(worlds.edge_action[first : first + count])
        probabilities = list(worlds.edge_probability[first : first + count])
        assert worlds.depth[world] == len(state.history())
        assert graph.state(world).history() == state.history()
        if state.is_terminal():
            assert worlds.kind[world] == TERMINAL
            row = worlds.utility_row[world] * 2
            assert list(worlds.utilities[row : row + 2]) == state.returns()
        elif state.is_chance_node():
            assert worlds.kind[world] == CHANCE
            assert list(zip(actions, probabilities, strict=True)) == state.chance_outcomes()
        else:
            assert worlds.kind[world] == DECISION
            assert worlds.player[world] == state.current_player()
            assert actions == state.legal_actions()
            assert graph.legal_actions(worlds.information_set[world]) == actions
        for edge, action in enumerate(actions):
            assert graph.history(graph.child(world, edge)) == [*state.history(), action]


@pytest.mark.parametrize(
    "name",
    [
        helpers.KUHN,
        helpers.LIARS_3,
        helpers.GOOFSPIEL_3,
        helpers.DARK_HEX_2,
        helpers.BATTLESHIP,
        "leduc_poker(suit_isomorphism=True)",  # cards are not equally likely
    ],
)
def test_information_sets_are_the_worlds_with_one_view(enumerated: Enumerated, name: str) -> None:
    graph = enumerated(name)
    game = helpers.load(name)
    groups = helpers.worlds_by_view(game)
    assert len(groups) == len(graph.information_sets)
    for (player, _), histories in groups.items():
        information_set = graph.observe(helpers.state_after(game, histories[0]), player)
        assert histories_of(graph, information_set) == sorted(histories)
        assert_same_forks(forks_of(graph, information_set), expected_forks(game, histories))


@pytest.mark.parametrize(
    "name",
    [
        helpers.KUHN,
        helpers.LEDUC,
        helpers.LIARS_4,
        helpers.GOOFSPIEL_4,
        helpers.DARK_HEX_2,
        helpers.BATTLESHIP,
    ],
)
def test_a_grown_graph_agrees_with_the_enumerated_one(enumerated: Enumerated, name: str) -> None:
    whole, grown = enumerated(name), GameGraph(name)
    rng = np.random.default_rng(11)
    for _ in range(6):
        for state in helpers.decisions(helpers.load(name), rng):
            player = state.current_player()
            here, there = grown.observe(state, player), whole.observe(state, player)
            assert grown.key(here) == whole.key(there)
            assert grown.legal_actions(here) == whole.legal_actions(there)
            assert histories_of(grown, here) == histories_of(whole, there)
            assert forks_of(grown, here) == forks_of(whole, there)
            for action in range(len(grown.legal_actions(here))):
                mine, its = grown.own_next(here, action), whole.own_next(there, action)
                assert (mine == MISSING) == (its == MISSING)
    assert not grown.enumerated
    assert len(grown.worlds) <= len(whole.worlds)


@pytest.mark.parametrize("name", [helpers.KUHN, helpers.LIARS_3, helpers.DARK_HEX_2])
def test_a_grown_graph_of_a_small_game_offers_all_pieces(enumerated: Enumerated, name: str) -> None:
    """At every information set, found from its key alone; in the order of the enumerated graph."""
    whole, grown = enumerated(name), GameGraph(name)
    for there in reversed(range(len(whole.information_sets))):
        here = grown.find(whole.key(there))
        assert list(forks_of(grown, here).items()) == list(forks_of(whole, there).items())
        mine = [grown.history(world) for world in helpers.all_worlds(grown, here)]
        assert mine == [whole.history(world) for world in helpers.all_worlds(whole, there)]
        assert sorted(mine) == sorted(whole.history(world) for world in whole.worlds_of(there))
        for action in range(len(grown.legal_actions(here))):
            surely = grown.own_next(here, action)
            assert (surely == MISSING) == (whole.own_next(there, action) == MISSING)
            if surely != MISSING:
                assert grown.key(surely) == whole.key(whole.own_next(there, action))
    assert len(grown.buried) == 0


def test_states_that_were_let_go_are_made_again() -> None:
    """A graph keeps the states of recent worlds only; rows of old ones are right all the same."""
    game = helpers.load("liars_dice")
    graph, rng = GameGraph(game), np.random.default_rng(2)
    for world in itertools.count():
        for edge in range(1 if 30 < world < 600 else 0, graph.worlds.edge_count[world]):
            graph.child(world, edge)
        if len(graph.worlds) > 40_000:
            break
    for world in rng.choice(600, size=60, replace=False).tolist():
        for edge in range(graph.worlds.edge_count[world]):
            after = graph.child(world, edge)
            state = helpers.state_after(game, graph.history(after))
            assert graph.state(after).history() == state.history()
            assert list(graph.edge_actions(after)) == state.legal_actions()
            if not state.is_terminal() and not state.is_chance_node():
                player, number = state.current_player(), graph.worlds.information_set[after]
                assert graph.worlds.player[after] == player
                assert graph.key(number) == graph.key_at(state, player)


def test_worlds_of_one_phantom_information_set_differ_in_length() -> None:
    game = helpers.load(helpers.PHANTOM_TTT)
    graph = GameGraph(game)
    # The second move of player 0: the other one has moved, perhaps after trying cell 4 in vain.
    information_set = graph.observe(helpers.state_after(game, [4, 0]), 0)
    expected = [[4, cell] for cell in range(9) if cell != 4]
    expected += [[4, 4, cell] for cell in range(9) if cell != 4]
    assert histories_of(graph, information_set) == sorted(expected)
    assert_same_forks(forks_of(graph, information_set), expected_forks(game, expected))


def test_first_information_sets_of_the_players_differ_though_their_strings_do_not() -> None:
    game = helpers.load(helpers.PHANTOM_TTT)
    start, second = game.new_initial_state(), helpers.state_after(game, [4])
    assert start.information_state_string(0) == second.information_state_string(1)
    graph = GameGraph(game)
    first, other = graph.observe(start, 0), graph.observe(second, 1)
    assert first != other
    assert graph.key(first) != graph.key(other)
    assert len(list(helpers.all_worlds(graph, first))) == 1
    assert len(list(helpers.all_worlds(graph, other))) == 9


@pytest.mark.parametrize("split_actions", ["never", "auto"])
def test_a_player_knows_its_legal_actions_where_observations_leave_them_open(
    split_actions: Any,
) -> None:
    # Player 0 passes or bids in dou_dizhu: player 1 is shown the same, and may bid 1 or not.
    game = pyspiel.load_game("dou_dizhu")
    dealt = [0, *range(51, 102)]
    passed, bid = (helpers.state_after(game, [*dealt, action]) for action in (0, 1))
    assert passed.observation_string(1) == bid.observation_string(1)
    assert passed.legal_actions() != bid.legal_actions()
    graph = GameGraph(game, split_actions)
    keys = [graph.key_at(state, 1) for state in (passed, bid)]
    assert keys[0] != keys[1]
    # What is seen of a turn is one look: both logs are equally long.
    assert len({len(key.log) for key in keys}) == 1
    sets = [graph.observe(state, 1) for state in (passed, bid)]
    assert sets[0] != sets[1]
    if split_actions == "never":
        assert [graph.legal_actions(number) for number in sets] == [[0, 1, 2, 3], [0, 2, 3]]


def test_dark_hex_keys_remember_what_its_strings_forget(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.DARK_HEX_2)
    for information_set in range(len(graph.information_sets)):
        player = graph.information_sets.player[information_set]
        logs = {
            helpers.own_view(graph.state(world), player)
            for world in helpers.all_worlds(graph, information_set)
        }
        assert len(logs) == 1


@pytest.mark.parametrize(
    ("name", "games"),
    [
        (helpers.PHANTOM_TTT, 3),
        ("phantom_ttt(gameversion=abrupt)", 3),
        ("phantom_ttt(obstype=reveal-numturns)", 3),
        ("dark_hex(board_size=3)", 3),
        ("dark_hex(gameversion=adh)", 3),
        ("dark_hex(board_size=2,obstype=reveal-numturns)", 3),
        ("dark_hex(num_rows=2,num_cols=4)", 3),
        (helpers.LEDUC, 10),
        (helpers.LIARS_4, 10),
        (helpers.BATTLESHIP, 10),
        ("universal_poker", 3),
        ("gin_rummy(hand_size=3,num_ranks=4,num_suits=3)", 1),
    ],
)
def test_every_world_drawn_is_consistent(name: str, games: int) -> None:
    game = helpers.load(name)
    graph = GameGraph(game)
    rng = np.random.default_rng(3)
    drawn: set[tuple[int, ...]] = set()
    for _ in range(games):
        for state in helpers.decisions(game, rng):
            player = state.current_player()
            information_set = graph.observe(state, player)
            for _ in range(3):
                *partial, complete = draws(graph, information_set, rng)
                world = helpers.state_after(game, complete)
                assert world.current_player() == player
                assert world.legal_actions() == state.legal_actions()
                assert helpers.own_view(world, player) == helpers.own_view(state, player)
                assert all(complete[: len(prefix)] == prefix for prefix in partial)
                drawn.add(tuple(complete))
    assert len(drawn) > games


@pytest.mark.parametrize("name", [helpers.LEDUC, helpers.PHANTOM_TTT, helpers.TIC_TAC_TOE])
def test_observe_leaves_the_state_alone(name: str) -> None:
    game = helpers.load(name)
    graph = GameGraph(game)
    for state in helpers.decisions(game, np.random.default_rng(1)):
        before = state.serialize(), state.history(), str(state)
        information_set = graph.observe(state, state.current_player())
        list(helpers.all_worlds(graph, information_set))
        assert (state.serialize(), state.history(), str(state)) == before


def test_states_handed_out_are_the_callers() -> None:
    graph = GameGraph(helpers.KUHN)
    mine = graph.state(0)
    mine.apply_action(2)
    assert graph.state(0).history() == []


@pytest.mark.parametrize(
    ("name", "max_length"),
    [
        (helpers.KUHN, 99),
        (helpers.LIARS_3, 99),
        (helpers.GOOFSPIEL_3, 99),
        (helpers.PHANTOM_TTT, 3),
    ],
)
def test_worlds_of_one_set_are_observed_alike(name: str, max_length: int) -> None:
    game = helpers.load(name)
    pairs = helpers.world_pairs(game, 30, 0, max_length)
    graph = GameGraph(game)
    for first, second in pairs:
        player = first.current_player()
        assert graph.observe(first, player) == graph.observe(second, player)
        assert graph.key_at(first, player) == graph.key_at(second, player)
    assert len(pairs) >= 4


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("tarok", "tarok.*chance outcomes are sampled"),
        ("negotiation", "negotiation.*chance outcomes are sampled"),
        ("python_iterated_prisoners_dilemma", "python_iterated_prisoners_dilemma.*neither"),
        ("mfg_crowd_modelling", "mfg_crowd_modelling.*mean-field"),
        ("crossword", "crossword.*no numbered actions"),
        ("no_such_game", "'no_such_game'"),
        ("kuhn_poker(players=77)", "kuhn_poker"),
    ],
)
def test_refusals_name_the_game_and_the_reason(name: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        support(name)
    with pytest.raises(ValueError, match=reason):
        GameGraph(name)


@pytest.mark.parametrize("name", ["matrix_rps", "oshi_zumo", "goofspiel", "coop_box_pushing"])
def test_simultaneous_games_are_played_in_turns(name: str) -> None:
    original = pyspiel.load_game(name)
    game = support(original)
    kind = game.pyspiel_game.get_type()
    assert kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
    assert not game.perfect_information
    assert game.plays(original.new_initial_state())
    assert game.plays(game.initial_state())
    assert not game.plays(pyspiel.load_game(helpers.KUHN).new_initial_state())
    assert support(game) is game


def test_converted_matrix_game_hides_the_first_move(enumerated: Enumerated) -> None:
    graph = enumerated("matrix_rps")
    assert len(graph.information_sets) == 2
    assert [len(list(helpers.all_worlds(graph, i))) for i in range(2)] == [1, 3]


@pytest.mark.parametrize(
    ("name", "utility_sum"),
    [(helpers.KUHN, 0.0), ("matrix_rps", 0.0), ("matrix_pd", None), ("bargaining", None)],
)
def test_utility_sum(name: str, utility_sum: float | None) -> None:
    assert support(name).utility_sum == utility_sum


def test_perfect_information_has_no_sample_nodes() -> None:
    graph = GameGraph.enumerate("connect_four(rows=2,columns=3)")
    assert graph.game.perfect_information
    for information_set in range(len(graph.information_sets)):
        worlds = list(helpers.all_worlds(graph, information_set))
        assert worlds == [graph.information_sets.first_world[information_set]]
        key = graph.key(information_set)
        assert [action for action, _ in key.log] == graph.history(worlds[0])
    assert len(graph.samples) == 0


# In coop_to_1p it also happens that the same player surely moves next, but sees what was hidden.
@pytest.mark.parametrize("name", [SHERIFF, "coop_to_1p", helpers.DARK_HEX_2])
def test_own_next_is_the_own_move_that_surely_follows(name: str) -> None:
    graph = GameGraph.enumerate(name)
    sets, worlds = graph.information_sets, graph.worlds
    following = 0
    for information_set in range(len(sets)):
        for action in range(sets.action_count[information_set]):
            reached = {
                worlds.information_set[graph.child(world, action)]
                if worlds.player[graph.child(world, action)] == sets.player[information_set]
                else MISSING
                for world in helpers.all_worlds(graph, information_set)
            }
            expected = reached.pop() if len(reached) == 1 else MISSING
            assert graph.own_next(information_set, action) == expected
            following += expected != MISSING
    assert following > 0


def test_own_next_depends_on_the_hidden_state_in_phantom_games() -> None:
    game = helpers.load(helpers.PHANTOM_TTT)
    graph = GameGraph(game)
    # Player 1 tries a cell: if it is taken it moves again, else player 0 does.
    information_set = graph.observe(helpers.state_after(game, [4]), 1)
    assert {graph.own_next(information_set, action) for action in range(9)} == {MISSING}


def might_not_have_seen(state: Any, player: int) -> bool:
    """Whether another last action of `player` would leave the one to move where it is."""
    mover, history = state.current_player(), state.history()
    acted = [k for k, event in enumerate(state.full_history()) if event.player == player]
    if not acted:
        return False
    game, view = state.get_game(), helpers.own_view(state, mover)
    for other in helpers.state_after(game, history[: acted[-1]]).legal_actions():
        changed, legal = (
            helpers.state_after(game, history[: acted[-1]]),
            other != history[acted[-1]],
        )
        for action in [other, *history[acted[-1] + 1 :]]:
            legal = legal and not changed.is_terminal() and action in changed.legal_actions()
            if legal:
                changed.apply_action(action)
        if legal and not changed.is_terminal() and changed.current_player() == mover:
            if helpers.own_view(changed, mover) == view:
                return True
    return False


@pytest.mark.parametrize(
    ("name", "some"),
    [
        (helpers.KUHN, False),
        ("matrix_rps", True),
        (helpers.GOOFSPIEL_3, True),
        (helpers.DARK_HEX_2, True),
        (helpers.BATTLESHIP, True),
    ],
)
def test_moves_that_the_next_player_has_not_seen(
    enumerated: Enumerated, name: str, some: bool
) -> None:
    graph = enumerated(name)
    found = 0
    for world in range(len(graph.worlds)):
        if graph.worlds.kind[world] == DECISION:
            player = 1 - graph.worlds.player[world]
            expected = might_not_have_seen(graph.state(world), player)
            assert graph.unseen(world, player) == expected
            found += expected
    assert (found > 0) == some


def test_enumeration_stops_at_the_limit() -> None:
    with pytest.raises(ValueError, match="leduc_poker.* more than 1000 worlds"):
        GameGraph.enumerate(helpers.LEDUC, limit=1000)
    assert len(GameGraph.enumerate(helpers.KUHN, limit=58).worlds) == 58
    with pytest.raises(ValueError, match="more than 57 worlds"):
        GameGraph.enumerate(helpers.KUHN, limit=57)


def test_a_key_that_no_world_explains_is_refused() -> None:
    graph = GameGraph(helpers.KUHN)
    key = graph.key(graph.observe(helpers.state_after(graph.game.pyspiel_game, [0, 1]), 0))
    wrong = InformationKey(key.player, (*key.log[:-1], (-1, "9")))
    with pytest.raises(ValueError, match="no world of kuhn_poker.*player 0 has seen"):
        graph.find(wrong)
    assert graph.find(key) == graph.observe(helpers.state_after(graph.game.pyspiel_game, [0, 2]), 0)


def test_find_inverts_key_where_nothing_is_hidden() -> None:
    graph = GameGraph(helpers.TIC_TAC_TOE)
    state = helpers.state_after(graph.game.pyspiel_game, [4, 0])
    information_set = graph.observe(state, 0)
    assert graph.find(graph.key(information_set)) == information_set


@pytest.mark.parametrize(
    ("name", "worlds"),
    [
        ("python_kuhn_poker", 58),
        ("python_tic_tac_toe", None),
        ("python_liars_poker(hand_length=2,num_digits=2)", None),
    ],
)
def test_games_written_in_python_load(name: str, worlds: int | None) -> None:
    if worlds is not None:
        assert len(GameGraph.enumerate(name).worlds) == worlds
        return
    graph = GameGraph(name)
    state = next(helpers.decisions(graph.game.pyspiel_game, np.random.default_rng(0)))
    information_set = graph.observe(state, state.current_player())
    assert graph.legal_actions(information_set) == state.legal_actions()


def test_keys_are_values() -> None:
    key = InformationKey(1, ((-1, "a"), (3, "b")))
    assert key == InformationKey(1, ((-1, "a"), (3, "b")))
    assert key != InformationKey(0, ((-1, "a"), (3, "b")))
    assert pickle.loads(pickle.dumps(key)) == key


@pytest.mark.parametrize(
    ("name", "is_long"),
    [
        ("leduc_poker", False),
        ("kuhn_poker(players=3)", False),
        ("leduc_poker(players=3)", True),  # 14 moves: a thousand simulations in each
        ("phantom_ttt", True),
        ("solitaire", False),  # nobody else to simulate
    ],
)
def test_games_are_long_by_what_simulating_all_players_takes(name: str, is_long: bool) -> None:
    assert support(name).is_long == is_long


def test_one_graph_serves_a_long_match() -> None:
    """Every position of many games is found again, and with it worlds that explain it.

    Which worlds are found may depend on what the graph has found out before: the game is large.
    """
    game = pyspiel.load_game("dark_hex")
    graph, rng = GameGraph(game), np.random.default_rng(4)
    for count in range(60):
        state = game.new_initial_state()
        while not state.is_terminal():
            player = state.current_player()
            information_set = graph.observe(state, player)
            key = graph.key_at(state, player)
            assert graph.key(information_set) == key
            how_many = 200 if count % 20 == 0 else 1
            for world in itertools.islice(helpers.all_worlds(graph, information_set), how_many):
                assert graph.worlds.information_set[world] == information_set
                replayed = helpers.state_after(game, graph.history(world))
                assert graph.key_at(replayed, player) == key
            state.apply_action(int(rng.choice(state.legal_actions())))


def test_a_dropped_graph_is_freed_at_once() -> None:
    graph = GameGraph("phantom_ttt")
    state = helpers.state_after(graph.game.pyspiel_game, [0, 4, 1])
    list(helpers.all_worlds(graph, graph.observe(state, 1)))
    watched = weakref.ref(graph)
    gc.disable()
    try:
        del graph
        assert watched() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("game", "title"),
    [
        ("kuhn_poker()", "kuhn_poker"),
        ("kuhn_poker(players=3)", "kuhn_poker(players=3)"),
        ("liars_dice(dice_sides=4,numdice=1)", "liars_dice(dice_sides=4)"),
        ("turn_based_simultaneous_game(game=matrix_rps())", "matrix_rps"),
        (
            "turn_based_simultaneous_game(game=goofspiel(egocentric=False,imp_info=True,"
            "num_cards=4,num_turns=-1,players=2,points_order=descending,returns_type=win_loss))",
            "goofspiel(imp_info=True,num_cards=4,points_order=descending)",
        ),
        ("misere(game=kuhn_poker(players=3))", "misere(game=kuhn_poker(players=3))"),
        ("no_such_game(a=1)", "no_such_game(a=1)"),
    ],
)
def test_short_titles_leave_out_what_is_usual(game, title):
    assert short_title(game) == title
    assert len(file_name(title)) <= 33


def test_long_names_stay_different():
    names = ["goofspiel(imp_info=True,num_cards=4,points_order=descending)",
             "goofspiel(imp_info=True,num_turns=4,points_order=descending)"]  # fmt: skip
    assert len({file_name(name) for name in names}) == 2
    assert file_name("kuhn_poker(players=3)") == "kuhn_poker-players-3"
