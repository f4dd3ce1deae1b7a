"""Actions in parts: codes, the game that is played by them, and whole actions again."""

from __future__ import annotations

import itertools
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest

from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.games import CHANCE, DECISION, TERMINAL, GameGraph, support
from nash_ismcts_spiel.games.policies import TablePolicy, policy_table
from nash_ismcts_spiel.games.splitting import (
    LARGEST_RADIX,
    MOST_WHOLE,
    Codes,
    mixed_radix,
    splitting_of,
    whole_codes,
)
from nash_ismcts_spiel.models import (
    ExactEvaluator,
    Models,
    RolloutEvaluator,
    UniformEvaluator,
)
from nash_ismcts_spiel.native import _core, exact
from nash_ismcts_spiel.native.engine import NativeEngine
from nash_ismcts_spiel.search.whole_actions import over_whole_actions

LIARS_DICE = "liars_dice(numdice=1,dice_sides=4)"
SMALL = ["leduc_poker", LIARS_DICE, "goofspiel(imp_info=True,num_cards=3,points_order=descending)"]
GAMES = [
    "backgammon",
    "bargaining",
    "battleship",
    "blotto",
    "colored_trails",
    "connect_four",
    "cribbage",
    "dark_chess",
    "dark_hex(num_rows=2,num_cols=3)",
    "dou_dizhu",
    "gin_rummy",
    "goofspiel(imp_info=True,num_cards=4)",
    "hearts",
    "kriegspiel",
    "kuhn_poker(players=3)",
    "leduc_poker",
    "liars_dice(numdice=2,dice_sides=3)",
    "phantom_go(board_size=4)",
    "phantom_ttt",
    "rbc",
    "sheriff(max_items=2,max_bribe=2,num_rounds=2)",
    "skat",
    "yacht",
]


def split(name: str) -> GameGraph:
    return GameGraph(name, "always")


def check_choice(graph: GameGraph, world: int, state: Any) -> None:
    """At a decision: whole legal actions and no others, all alike, and no needless choice."""
    sets, number = graph.information_sets, graph.worlds.information_set[world]
    begun = graph.whole_history(world)[1]
    codes = graph.splitting.actions if graph.splitting is not None else whole_codes(0)
    legal = [a for a in state.legal_actions() if codes.code(a)[: len(begun)] == begun]
    choices = dict(graph.whole_actions(number))
    assert sorted(choices) == sorted(legal)
    assert sets.action_count[number] >= min(2, len(legal))
    expected = {part: 0.0 for part in graph.legal_actions(number)}
    for chain in choices.values():
        expected[chain[0]] += 1.0 / len(legal)
    assert graph.uniform_policy(number) == pytest.approx(list(expected.values()))


@pytest.mark.parametrize("name", GAMES)
def test_random_play_in_parts_is_random_play(name: str) -> None:
    graph, rng = split(name), np.random.default_rng(1)
    worlds, world, state = graph.worlds, 0, graph.game.initial_state()
    chance, whole_moves = 1.0, 0
    while worlds.kind[world] != TERMINAL and len(state.history()) < 60:
        first, count = worlds.first_edge[world], worlds.edge_count[world]
        weights = np.ones(count)
        if worlds.kind[world] == CHANCE:
            weights = np.array(worlds.edge_probability[first : first + count])
            assert weights.sum() == pytest.approx(1.0)
        else:
            assert worlds.player[world] == state.current_player()
            check_choice(graph, world, state)
        edge = int(rng.choice(count, p=weights / weights.sum()))
        chance *= weights[edge]
        world = graph.child(world, edge)
        history, _ = graph.whole_history(world)
        if len(history) == len(state.history()):
            continue
        assert history[:-1] == state.history()
        if state.is_chance_node():
            assert chance == pytest.approx(dict(state.chance_outcomes())[history[-1]])
        assert history[-1] in state.legal_actions()
        state.apply_action(history[-1])
        chance, whole_moves = 1.0, whole_moves + 1
    assert whole_moves > 0
    assert graph.split_history(state.history()) == graph.history(world)
    if state.is_terminal():
        row = worlds.utility_row[world] * graph.game.num_players
        assert worlds.utilities[row : row + graph.game.num_players] == state.returns()


def test_games_in_parts_are_the_same_over_python_states() -> None:
    for name in SMALL:
        fast = GameGraph.enumerate(name, split_actions="always")
        with helpers.python_states_only():
            slow = GameGraph.enumerate(name, split_actions="always")
        assert list(fast.worlds.view) == list(slow.worlds.view)
        assert list(fast.worlds.edge_action) == list(slow.worlds.edge_action)


def test_others_see_nothing_of_an_action_that_is_under_way() -> None:
    # In phantom_go players look after every event, elsewhere at their own decisions only.
    for name in (*SMALL, "phantom_ttt", "phantom_go(board_size=3)"):
        graph, rng, within = split(name), np.random.default_rng(0), 0
        players = graph.game.num_players
        for _ in range(20):
            world = 0
            while graph.worlds.kind[world] != TERMINAL:
                before, player = world, graph.worlds.player[world]
                world = graph.child(world, int(rng.integers(graph.worlds.edge_count[world])))
                if graph.worlds.kind[world] != DECISION:
                    continue
                if not graph.information_sets.within_action[graph.worlds.information_set[world]]:
                    continue
                within += 1
                assert graph.worlds.player[world] == player
                for other in range(players):
                    views = [graph.worlds.view[w * players + other] for w in (before, world)]
                    assert (views[0] == views[1]) == (other != player)
        assert within > 10


@pytest.mark.parametrize("name", [*SMALL, "phantom_ttt"])
def test_a_begun_action_goes_on_whatever_is_hidden(name: str) -> None:
    graph = split(name)
    if name != "phantom_ttt":
        graph = GameGraph.enumerate(name, split_actions="always")
        graph.resolve()
    state, sets = graph.game.initial_state(), graph.information_sets
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    numbers = range(len(sets)) if graph.enumerated else [graph.observe(state, 0)]
    begun = 0
    for number in numbers:
        for index, part in enumerate(graph.legal_actions(number)):
            chains = [chain for _, chain in graph.whole_actions(number) if chain[0] == part]
            following = graph.own_next(number, index)
            if len(chains) > 1:
                assert sets.within_action[following]
                assert sets.player[following] == sets.player[number]
                begun += 1
    assert begun > 0


@pytest.mark.parametrize("name", SMALL)
def test_values_and_exploitability_do_not_depend_on_splitting(name: str) -> None:
    whole, parts = GameGraph.enumerate(name), GameGraph.enumerate(name, split_actions="always")
    assert len(parts.worlds.utilities) == len(whole.worlds.utilities)
    assert parts.value_scale == pytest.approx(whole.value_scale)
    solver = exact.CfrSolver(whole)
    solver.run(30)
    for table in (solver.average_policy(), solver.current_policy()):
        policy = TablePolicy(whole, table)
        converted = policy_table(parts, policy)
        mine, theirs = exact.nash_conv(parts, converted), exact.nash_conv(whole, table)
        assert mine.exploitability == pytest.approx(theirs.exploitability, abs=1e-9)
        again = TablePolicy(parts, converted).rows
        assert again.keys() == policy.rows.keys()
        for key, row in policy.rows.items():
            assert again[key] == pytest.approx(row, abs=1e-9)


def test_uniform_models_are_uniform_over_whole_actions() -> None:
    graph = GameGraph.enumerate(LIARS_DICE, split_actions="always")
    table = np.concatenate([graph.uniform_policy(n) for n in range(len(graph.information_sets))])
    rows = TablePolicy(graph, table).rows
    assert all(p == pytest.approx(1.0 / len(row)) for row in rows.values() for p in row.values())
    evaluator = UniformEvaluator()
    found = evaluator.information_set_rows(graph, range(len(graph.information_sets)))
    assert np.concatenate([row.policy for row in found]) == pytest.approx(table)
    # Rollouts play whole actions, so they estimate what uniform play is worth.
    worth = ExactEvaluator(graph, table).information_set_rows(graph, [0])[0]
    (rolled,) = RolloutEvaluator(rollouts=4000, games=20).information_set_rows(graph, [0])
    assert rolled.value == pytest.approx(worth.value, abs=0.03)
    assert rolled.child_values == pytest.approx(worth.child_values, abs=0.06)


def test_other_players_whole_actions_are_alike_a_priori() -> None:
    graph = split("phantom_ttt")
    state = graph.game.initial_state()
    state.apply_action(4)
    number = graph.observe(state, 1)
    weights: dict[int, float] = {}
    pending = [(graph.hidden(number), 1.0)]
    while pending:
        target, weight = pending.pop()
        if target >= 0:
            weights[graph.whole_history(target)[0][0]] = weight
            continue
        prior = graph.prior_weights(~target)
        pending += [(graph.branch(~target, k), weight * p) for k, p in enumerate(prior)]
    assert weights == pytest.approx({cell: 1.0 / 9.0 for cell in range(9)})


def test_codes_by_meaning() -> None:
    def codes(name: str) -> Codes:
        splitting = splitting_of(support(name), "always")
        assert splitting is not None
        return splitting.actions

    dice = codes("liars_dice(numdice=1,dice_sides=4)")  # quantities 0 and 1, a call, four faces
    assert [dice.code(a) for a in (0, 3, 4, 8)] == [[0, 3], [0, 6], [1, 3], [2]]
    assert codes("phantom_ttt").code(5) == [1, 5]
    assert codes("phantom_go(board_size=4)").code(16) == [8]
    ships = codes("battleship(board_width=3,board_height=2,ship_sizes=[2],ship_values=[1])")
    assert [ships.code(a) for a in (4, 10, 16)] == [[k, 4, 6] for k in range(3)]
    chess, board = codes("kriegspiel"), pyspiel.load_game("kriegspiel").new_initial_state()
    squares = {board.action_to_string(0, a)[:2]: chess.code(a)[0] for a in board.legal_actions()}
    assert len(set(squares.values())) == len(squares) == 10
    cards = codes("dou_dizhu")
    names = {
        "334455": [0, 0, 1, 1, 2, 2, 30],
        "3334": [0, 0, 0, 1, 30],
        "444555666-7K(BWJ)": [1, 1, 1, 2, 2, 2, 3, 3, 3, 19, 25, 28, 30],
        "(BWJ)(CJ)": [13, 14, 30],
    }
    state = pyspiel.load_game("dou_dizhu").new_initial_state()
    while state.is_chance_node() or len(state.legal_actions()) == 4:
        state.apply_action(state.legal_actions()[-1])
    known = {state.action_to_string(0, a): a for a in range(4, len(cards.lengths))}
    assert {name: cards.code(known[name]) for name in names} == names
    assert [cards.code(a) for a in range(4)] == [[31], [32], [33], [34]]


def test_vocabularies_grow_like_the_logarithm() -> None:
    for digits in range(1, 7):
        codes = mixed_radix(10**digits)
        places = int(codes.lengths.max())
        assert codes.vocabulary <= LARGEST_RADIX * places and places <= max(2, digits)
        assert len({tuple(codes.code(a)) for a in range(10)}) == 10
    for name, actions in (("dou_dizhu", 26_057), ("colored_trails", 93_123)):
        splitting = splitting_of(support(name), "auto")
        assert splitting is not None
        assert len(splitting.actions.lengths) == actions and splitting.actions.vocabulary < 100


def test_auto_splits_what_is_large() -> None:
    for name in ("kuhn_poker", "bargaining", "phantom_ttt", "bridge", "cribbage"):
        game = support(name).pyspiel_game
        assert max(game.num_distinct_actions(), game.max_chance_outcomes()) <= MOST_WHOLE
        assert splitting_of(support(name), "auto") is None
    yacht = splitting_of(support("yacht"), "auto")
    assert yacht is not None and yacht.outcomes is not None
    assert yacht.actions.lengths.max() == 1
    assert yacht.outcomes.vocabulary <= 3 * LARGEST_RADIX
    with pytest.raises(ValueError, match="split_actions must be one of 'auto', 'never', 'always'"):
        GameGraph("kuhn_poker", "sometimes")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="split_actions"):
        SearchConfig(split_actions="sometimes")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("lengths", "digits", "wrong"),
    [
        ([1, 0], [3], "code of event 1 is empty"),
        ([1, 1], [0], "have 1 digits, not 2"),
        ([1, 2], [0, 3, 1], "event 1 are negative or decrease"),
        ([1, 1], [-1, 0], "event 0 are negative"),
        ([1, 2], [4, 4, 5], "code of event 1 begins with that of event 0"),
        ([2, 2], [4, 5, 4, 5], "begins with that of event"),
        ([], [], "but has none"),
    ],
)
def test_codes_that_cannot_be_told_apart_are_refused(
    lengths: list[int], digits: list[int], wrong: str
) -> None:
    nothing = np.zeros(0, dtype=np.int32)
    ints = [np.array(each, dtype=np.int32) for each in (lengths, digits)]
    with pytest.raises(ValueError, match=wrong):
        _core.SplitGame(support("kuhn_poker").native, *ints, nothing, nothing)


def test_what_cannot_happen_is_refused() -> None:
    graph, nothing = split("leduc_poker"), np.zeros(0, dtype=np.int32)
    for history in ([0, 0], [0, 1, 0], [0, 1, 99], [0, 1, -1]):
        with pytest.raises(ValueError, match="cannot happen"):
            graph.split_history(history)
    with pytest.raises(ValueError, match="event 3 cannot happen"):
        graph.follow([0, 1, 3])
    few = _core.SplitGame(
        support("leduc_poker").native, np.ones(1, np.int32), np.zeros(1, np.int32), nothing, nothing
    )
    with pytest.raises(ValueError, match="event 1 has no code"):
        few.split([0, 1, 1])


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_bot_speaks_of_whole_actions(engine: Any) -> None:
    for name, history in (
        (LIARS_DICE, [0, 3]),
        ("phantom_ttt", [4, 0, 8]),
        ("tic_tac_toe", [4]),
        ("goofspiel(imp_info=True,num_cards=4,points_order=descending)", []),
    ):
        game = pyspiel.load_game(name)
        state = game.new_initial_state()
        for action in history:
            state.apply_action(action)
        player = max(0, state.current_player())
        config = SearchConfig(visits=60, split_actions="always", engine=engine)
        bot = NashIsmctsBot(game, player, config=config, seed=3)
        result = bot.search(state)
        legal = tuple(state.legal_actions(player))
        assert result.actions == legal
        assert sum(result.policy) == pytest.approx(1.0)
        assert sum(result.policy_before_filter) == pytest.approx(1.0)
        assert result.prior == pytest.approx([1.0 / len(legal)] * len(legal))
        assert 0 < sum(result.visits) <= 60
        assert bot.step(state) in legal
        assert dict(bot.get_policy(state)).keys() == set(legal)


@pytest.mark.parametrize("settings", [{}, {"search": "notes", "dispersion_radius": 0.4}])
def test_the_policy_is_the_product_along_the_chain(settings: dict[str, Any]) -> None:
    graph = GameGraph.enumerate(LIARS_DICE, split_actions="always")
    table = np.concatenate([graph.uniform_policy(n) for n in range(len(graph.information_sets))])
    config = SearchConfig(visits=300, split_actions="always", **settings)
    bot = NashIsmctsBot(LIARS_DICE, 0, ExactEvaluator(graph, table), config)
    state = graph.game.initial_state()
    state.apply_action(0)
    state.apply_action(1)
    result = bot.search(state)
    number, engine = graph.observe(state, 0), bot._engine
    first = engine.found_at(number)
    assert first is not None
    expected = {}
    for action, chain in graph.whole_actions(number):
        index = first.actions.index(chain[0])
        expected[action] = first.policy[index]
        if len(chain) == 2:
            second = engine.found_at(graph.own_next(number, index))
            assert second is not None
            expected[action] *= second.policy[second.actions.index(chain[1])]
    assert dict(zip(result.actions, result.policy, strict=True)) == expected
    assert sum(p > 0.0 for p in result.policy) >= 2


@pytest.mark.parametrize(("name", "iterations"), [("leduc_poker", 100), (LIARS_DICE, 20)])
def test_searching_once_for_a_whole_action_is_no_worse_than_its_models(
    name: str, iterations: int
) -> None:
    """Exploitability of what a bot plays round CFR's average policy, all chains by one search."""
    whole, parts = GameGraph.enumerate(name), GameGraph.enumerate(name, split_actions="always")
    solver = exact.CfrSolver(whole)
    solver.run(iterations)
    average = TablePolicy(whole, solver.average_policy())
    evaluator = ExactEvaluator(parts, policy_table(parts, average))
    config = SearchConfig(visits=300, dispersion_radius=0.4, opponent_prior_visits=10.0)
    models, sets, rng = Models(parts, evaluator), parts.information_sets, np.random.default_rng(0)
    rows = {}
    for number in range(len(sets)):
        if sets.within_action[number]:
            continue
        engine = NativeEngine(models, config)
        result = engine.search(number, rng)
        result = over_whole_actions(result, number, models, engine)
        state = parts.state(sets.first_world[number])
        row = zip(result.actions, result.policy, strict=True)
        rows[state.information_state_string(sets.player[number])] = dict(row)
    found = exact.exploitability(whole, policy_table(whole, rows))
    # .0957 and .0846 by CFR alone; searches with whole actions have .103 to .113 and .066 to .076.
    assert found < 1.3 * exact.exploitability(whole, solver.average_policy())


def test_trees_are_kept_from_action_to_action() -> None:
    config = SearchConfig(visits=200, split_actions="always", search="notes")
    game = pyspiel.load_game("leduc_poker")
    state = game.new_initial_state()
    for action in (0, 3):
        state.apply_action(action)
    bot = NashIsmctsBot(game, 0, config=config, seed=1)
    bot.search(state)
    for action in (1, 2):  # a call, and a raise in return
        state.apply_action(action)
    number = bot._graph.observe(state, 0)
    found = bot._engine.found_at(number)
    assert found is not None and sum(found.visits) > 5
    kept = bot._engine.search(number, np.random.default_rng(0), visits=1)
    assert kept.simulations == 0 and sum(kept.visits) >= sum(found.visits)


def test_models_of_whole_actions_are_not_searched_in_parts() -> None:
    evaluator = ExactEvaluator(LIARS_DICE, TablePolicy(*uniform_of(LIARS_DICE)))
    with pytest.raises(ValueError, match="is 'always', but .* made with 'never'"):
        NashIsmctsBot(LIARS_DICE, 0, evaluator, SearchConfig(split_actions="always"))
    parts = GameGraph.enumerate(LIARS_DICE, split_actions="always")
    evaluator = ExactEvaluator(parts, TablePolicy(*uniform_of(LIARS_DICE)))
    with pytest.raises(ValueError, match="is 'never', but .* made with 'always'"):
        NashIsmctsBot(LIARS_DICE, 0, evaluator, SearchConfig(split_actions="never"))


def uniform_of(name: str) -> tuple[GameGraph, Any]:
    graph = GameGraph.enumerate(name)
    counts = graph.information_sets.action_count
    return graph, np.concatenate([np.full(n, 1.0 / n) for n in counts])


def test_splitting_has_a_fingerprint() -> None:
    prints = [
        splitting.fingerprint
        for name in ("leduc_poker", "phantom_ttt", "dark_hex", "bargaining")
        if (splitting := splitting_of(support(name), "always")) is not None
    ]
    assert len(prints) == 4
    same = [a == b for a, b in itertools.combinations(prints, 2)]
    assert sum(same) == 1  # two boards of three by three
