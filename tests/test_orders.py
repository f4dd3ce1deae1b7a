"""Orders of hidden pieces: hands of cards that are drawn as sets, and the order of play again."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pyspiel
import pytest
import torch
from helpers import FixedEvaluator

from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.games import CHANCE, TERMINAL, GameGraph, support
from nash_ismcts_spiel.games.entries import open_entries
from nash_ismcts_spiel.games.orders import dealing_of, order_fingerprint
from nash_ismcts_spiel.games.policies import TablePolicy, policy_table
from nash_ismcts_spiel.games.states import python_states_only
from nash_ismcts_spiel.games.tensors import Tensors
from nash_ismcts_spiel.models import (
    ExactEvaluator,
    Models,
    RolloutEvaluator,
    UniformEvaluator,
)
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.models.networks.nets import make_networks
from nash_ismcts_spiel.native import _core, exact
from nash_ismcts_spiel.native.engine import NativeEngine
from nash_ismcts_spiel.search.engine import ReferenceEngine

POKER = (
    "universal_poker(betting=limit,numPlayers=2,numRounds=2,blind=1 1,raiseSize=2 2,"
    "firstPlayer=1 1,maxRaises=1 1,numSuits=1,numRanks=5,numHoleCards=2,numBoardCards=0 0)"
)
"""Two cards of five each, no board: 30 ways to hold them, dealt in 120 ways."""
COINS = "coin_game(rows=2,columns=3,num_extra_coin_colors=0,num_coins_per_color=2,episode_length=2)"
BRIDGE = "bridge(use_double_dummy_result=False)"
DEALS = {
    # the hand of each card in the order of play, events before the deal, and who knows the hands
    POKER: ([0, 0, 1, 1], 0, [[0], [1]]),
    "spades": ([0, 1, 2, 3] * 13, 0, [[0], [1], [2], [3]]),
    BRIDGE: ([0, 1, 2, 3] * 13, 0, [[0], [1], [2], [3]]),
    # The first event says to whom cards are passed.
    "hearts": ([0, 1, 2, 3] * 13, 1, [[0], [1], [2], [3]]),
    # It says who deals, and so who gets which hand. The last card lies open.
    "euchre": ([0, 1, 2, 3] * 5 + [4], 1, [[], [], [], [], [0, 1, 2, 3]]),
    "gin_rummy": ([0] * 10 + [1] * 10 + [2], 0, [[0], [1], [0, 1]]),
    # By threes, two cards for nobody, by fours, by threes.
    "skat": (
        [0] * 3 + [1] * 3 + [2] * 3 + [3] * 2 + [0] * 4 + [1] * 4 + [2] * 4 + [0] * 3 + [1] * 3
        + [2] * 3,
        0,
        [[0], [1], [2], []],
    ),
    "cribbage": ([0] * 6 + [1] * 6, 0, [[0], [1]]),
    "python_block_dominoes": ([0] * 7 + [1] * 7, 0, [[0], [1]]),
}  # fmt: skip


def sets(name: str, split_actions: Any = "never") -> GameGraph:
    return GameGraph(name, split_actions, "sets")


def position(name: str, seed: int, moves: int) -> Any:
    """A state of a random game."""
    rng, state = np.random.default_rng(seed), support(name).initial_state()
    while state.is_chance_node() or moves > 0:
        moves -= not state.is_chance_node()
        state.apply_action(int(rng.choice(state.legal_actions())))
    return state


@pytest.mark.parametrize("name", DEALS)
def test_deals_are_found(name: str) -> None:
    dealing = dealing_of(support(name), "sets")
    assert dealing is not None
    found = dealing.deal
    assert (found.hands, found.first, found.known_by) == DEALS[name]
    again = _core.CheckedDeal(support(name).native, found.first, found.hands)
    assert (again.deck, again.known_by) == (found.deck, found.known_by)


def test_games_without_hands_are_refused() -> None:
    # One card each; none; in dou_dizhu one card of a hand lies open, as the first event says; in
    # oh_hell the number of cards is drawn.
    for name in ("kuhn_poker", "leduc_poker", "phantom_ttt", "dou_dizhu", "oh_hell", "tic_tac_toe"):
        assert _core.find_deal(support(name).native) is None
        with pytest.raises(ValueError, match="hidden_order is 'sets', but the game does not begin"):
            GameGraph(name, hidden_order="sets")
    with pytest.raises(ValueError, match="hidden_order must be one of 'play', 'sets'"):
        GameGraph(POKER, hidden_order="random")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="hidden_order"):
        SearchConfig(hidden_order="random")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "first", "hands", "wrong"),
    [
        (POKER, 0, [0, 1, 0, 1], "hands of the deal are no sets"),
        (POKER, 0, [0, 0, 0, 0], "hands of the deal are no sets"),
        (POKER, 0, [0, 0, 1], "does not begin with a deal of 3 different cards after 0 other"),
        (POKER, 1, [0, 0, 1, 1], "after 1 other events"),
        (POKER, 0, [1, 1, 0, 0], "numbered from 0, by their first places"),
        (POKER, 0, [], "deal of 0 different cards"),
        ("spades", 0, [0] * 26 + [1] * 26, "hands of the deal are no sets"),
        ("dou_dizhu", 1, [0, 1, 2] * 17, "hands of the deal are no sets"),
    ],
)
def test_wrong_orders_are_refused(name: str, first: int, hands: list[int], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        _core.CheckedDeal(support(name).native, first, hands)


def test_all_hands_are_equally_likely() -> None:
    graph = GameGraph.enumerate(POKER, hidden_order="sets")
    worlds = graph.worlds
    chance = {0: 1.0}
    hands = {}
    for world in range(len(worlds)):
        if worlds.depth[world] < 4:
            for edge in range(worlds.edge_count[world]):
                probability = worlds.edge_probability[worlds.first_edge[world] + edge]
                chance[graph.child(world, edge)] = chance[world] * probability
        elif worlds.depth[world] == 4:
            hands[tuple(graph.history(world))] = chance[world]
    # 5! / (2! 2! 1!) of them.
    expected = {
        (*one, *other)
        for one in itertools.combinations(range(5), 2)
        for other in itertools.combinations(sorted(set(range(5)) - set(one)), 2)
    }
    assert hands.keys() == expected and len(expected) == 30
    assert list(hands.values()) == pytest.approx([1.0 / 30.0] * 30, abs=1e-15)


@pytest.mark.parametrize("name", [*DEALS, COINS])
@pytest.mark.parametrize("split_actions", ["never", "always"])
def test_random_play_by_hands_is_random_play(name: str, split_actions: Any) -> None:
    graph, rng = sets(name, split_actions), np.random.default_rng(1)
    dealing = graph.dealing
    assert dealing is not None
    deal, worlds, world, chance = dealing.deal, graph.worlds, 0, 0.0
    while worlds.kind[world] != TERMINAL and worlds.depth[world] < 80:
        first, count = worlds.first_edge[world], worlds.edge_count[world]
        weights = np.ones(count) / count
        if worlds.kind[world] == CHANCE:
            weights = np.array(worlds.edge_probability[first : first + count])
            assert weights.sum() == pytest.approx(1.0, abs=1e-12)
        edge = int(rng.choice(count, p=weights / weights.sum()))
        place = worlds.depth[world] - deal.first
        chance += math.log(weights[edge]) if 0 <= place < len(deal.hands) else 0.0
        world = graph.child(world, edge)
    history, begun = graph.whole_history(world)
    state = graph.game.initial_state()
    for event in history:
        assert event in state.legal_actions()
        state.apply_action(event)
    assert graph.split_history(history) == graph.history(world)[: len(graph.split_history(history))]
    if state.is_terminal():
        row = worlds.utility_row[world] * graph.game.num_players
        assert worlds.utilities[row : row + graph.game.num_players] == state.returns()
        assert not begun
    sizes = [deal.hands.count(hand) for hand in range(max(deal.hands) + 1)]
    ways = math.lgamma(len(deal.deck) + 1) - math.lgamma(len(deal.deck) - sum(sizes) + 1)
    assert chance == pytest.approx(sum(math.lgamma(size + 1) for size in sizes) - ways)
    with pytest.raises(ValueError, match="ends within the deal"):
        graph.split_history(history[: deal.first + 1])


@pytest.mark.parametrize("name", [POKER, COINS])
def test_values_and_exploitability_do_not_depend_on_the_order(name: str) -> None:
    play, by_hand = GameGraph.enumerate(name), GameGraph.enumerate(name, hidden_order="sets")
    play.resolve()
    by_hand.resolve()
    assert 3.8 * len(by_hand.worlds) < len(play.worlds)
    assert 3.9 * len(by_hand.samples) < len(play.samples)
    assert by_hand.value_scale == pytest.approx(play.value_scale)
    if name == POKER:  # with observations, players see their cards come
        keys = [{g.key(n) for n in range(len(g.information_sets))} for g in (play, by_hand)]
        assert keys[0] == keys[1]
    solver = exact.CfrSolver(by_hand)
    solver.run(30)
    for table in (solver.average_policy(), solver.current_policy()):
        mine = exact.nash_conv(by_hand, table)
        if name == POKER:
            policy: Any = TablePolicy(by_hand, table)
            theirs = exact.nash_conv(play, policy_table(play, policy))
            both = GameGraph.enumerate(name, split_actions="always", hidden_order="sets")
            split = exact.nash_conv(both, policy_table(both, policy))
            assert split.exploitability == pytest.approx(mine.exploitability, abs=1e-9)
        else:
            theirs = exact.nash_conv(play, lifted(play, by_hand, table))
        assert mine.nash_conv > 0.0
        assert mine.exploitability == pytest.approx(theirs.exploitability, abs=1e-9)
        assert mine.on_policy_values == pytest.approx(theirs.on_policy_values, abs=1e-9)


def lifted(play: GameGraph, by_hand: GameGraph, table: Any) -> Any:
    """A policy for players that also see in which order cards come."""
    rows, numbers = [], by_hand.information_sets
    for number in range(len(play.information_sets)):
        world = play.information_sets.first_world[number]
        there = by_hand.follow(by_hand.split_history(play.history(world)))
        found = by_hand.worlds.information_set[there]
        assert by_hand.legal_actions(found) == play.legal_actions(number)
        first = numbers.first_action[found]
        rows.append(table[first : first + numbers.action_count[found]])
    return np.concatenate(rows)


def test_graphs_are_the_same_over_python_states() -> None:
    fast = GameGraph.enumerate(POKER, hidden_order="sets")
    with python_states_only():
        slow = GameGraph.enumerate(POKER, hidden_order="sets")
    assert list(fast.worlds.view) == list(slow.worlds.view)
    assert list(fast.worlds.edge_action) == list(slow.worlds.edge_action)
    assert list(fast.worlds.edge_probability) == list(slow.worlds.edge_probability)


@pytest.mark.parametrize("backup", ["expected", "luck_adjusted", "residual"])
def test_engines_agree_on_enumerated_graphs(backup: Any) -> None:
    graph = GameGraph.enumerate(POKER, hidden_order="sets")
    rng = np.random.default_rng(0)
    rows = [rng.dirichlet(np.full(n, 0.3)) for n in graph.information_sets.action_count]
    evaluator = ExactEvaluator(graph, np.concatenate(rows))
    config = SearchConfig(visits=60, sample_backup=backup, hidden_order="sets")
    for seed, where in enumerate(rng.integers(len(graph.information_sets), size=4).tolist()):
        results = [
            engine(Models(graph, evaluator), config).search(where, np.random.default_rng(seed))
            for engine in (NativeEngine, ReferenceEngine)
        ]
        assert results[0].visits == results[1].visits
        assert results[0].q == results[1].q
        assert results[0].policy == pytest.approx(results[1].policy, abs=1e-12)


@pytest.mark.parametrize("name", ["spades", "skat", "euchre"])
@pytest.mark.parametrize("evaluator", [RolloutEvaluator(), UniformEvaluator(), FixedEvaluator()])
def test_engines_agree_on_grown_graphs(name: str, evaluator: Any) -> None:
    """From pools of worlds, and piece by piece."""
    state = position(name, 2, 9)
    results = []
    for engine in (NativeEngine, ReferenceEngine):
        graph = sets(name)
        where = graph.observe(state, state.current_player())
        searching = engine(Models(graph, evaluator), SearchConfig(visits=20, hidden_order="sets"))
        result = searching.search(where, np.random.default_rng(1))
        results.append((result.visits, result.q, len(graph.worlds), list(graph.buried)))
    assert results[0] == results[1]


def hidden_hands(graph: GameGraph, world: int) -> list[list[int]]:
    dealing, history = graph.dealing, graph.history(world)
    assert dealing is not None
    deal = dealing.deal
    sizes = [deal.hands.count(hand) for hand in range(max(deal.hands) + 1)]
    ends = list(itertools.accumulate(sizes, initial=deal.first))
    return [history[begin:end] for begin, end in itertools.pairwise(ends)]


@pytest.mark.parametrize("name", ["spades", "skat", "hearts", "gin_rummy"])
@pytest.mark.parametrize("moves", [0, 14])
def test_worlds_of_large_games_are_drawn_by_hands(name: str, moves: int) -> None:
    graph, state = sets(name), position(name, 5, moves)
    player = state.current_player()
    number = graph.observe(state, player)
    true = graph.follow(graph.split_history(state.history()))
    walk = _core.Walk(7)
    drawn = [_core.draw_world(graph, number, seed) for seed in range(12)]
    walked = [walk.next(graph, number) for _ in range(100)]
    for worlds, least in ((drawn, 7), (walked, 30)):
        assert len(set(worlds)) >= least
        for world in worlds:
            assert graph.worlds.information_set[world] == number
            hands = hidden_hands(graph, world)
            assert all(hand == sorted(hand) for hand in hands)
            assert hands[player] == hidden_hands(graph, true)[player]
    own = set(hidden_hands(graph, true)[player])
    nodes = [n for n in range(len(graph.samples)) if graph.samples.information_set[n] == number]
    entries = open_entries(graph, nodes)
    dealt = [1 <= graph.worlds.depth[graph.samples.world[n]] < 20 for n in nodes]
    assert any(dealt)
    for row, piece in zip(entries.rows, entries.columns, strict=True):
        assert not (dealt[int(row)] and int(piece) in own)


@pytest.mark.parametrize("name", ["spades", "skat"])
def test_nothing_but_what_a_player_has_seen_matters(name: str) -> None:
    state = position(name, 4, 6)
    player, graph = state.current_player(), sets(name)
    number = graph.observe(state, player)
    config = SearchConfig(visits=30, hidden_order="sets")
    expected = NashIsmctsBot(name, player, config=config, seed=1).search(state)
    others = {_core.draw_world(graph, number, seed) for seed in range(3)}
    assert len(others) > 1
    for world in others:
        found = NashIsmctsBot(name, player, config=config, seed=1).search(graph.state(world))
        assert (found.visits, found.q) == (expected.visits, expected.q)


def test_a_walk_meets_all_hands_alike() -> None:
    """Late in a game of spades, where few deals are left."""
    graph, state = sets("spades"), position("spades", 1, 48)
    number = graph.observe(state, state.current_player())
    walk, counts = _core.Walk(5), dict[int, int]()
    for _ in range(3600):
        world = walk.next(graph, number)
        counts[world] = counts.get(world, 0) + 1
    assert len(counts) == 90  # 6! / (2! 2! 2!): two cards for each of the three others
    assert all(18 < count < 75 for count in counts.values())  # of 40 on average


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_bot_plays_whole_games(engine: Any) -> None:
    game = pyspiel.load_game(POKER)
    config = SearchConfig(visits=20, engine=engine, hidden_order="sets", split_actions="always")
    bots = [NashIsmctsBot(game, player, config=config, seed=player) for player in range(2)]
    state, rng = game.new_initial_state(), np.random.default_rng(3)
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(int(rng.choice(state.legal_actions())))
        else:
            state.apply_action(bots[state.current_player()].step(state))
    assert sum(state.returns()) == 0.0


def test_models_of_another_order_are_refused() -> None:
    graph = GameGraph.enumerate(POKER, hidden_order="sets")
    table = np.concatenate([graph.uniform_policy(n) for n in range(len(graph.information_sets))])
    evaluator = ExactEvaluator(graph, table)
    with pytest.raises(ValueError, match="is 'play', but .* were made with 'sets'"):
        NashIsmctsBot(POKER, 0, evaluator)
    NashIsmctsBot(POKER, 0, evaluator, SearchConfig(hidden_order="sets"))
    with pytest.raises(ValueError, match="made for hidden_order='sets', .* has .*'play'"):
        Tensors(graph.game, hidden_order="sets").sets(GameGraph.enumerate(POKER), [0])


def test_orders_have_fingerprints() -> None:
    prints = [
        order_fingerprint(dealing_of(support(name), "sets"))
        for name in ("spades", BRIDGE, "hearts", "skat", POKER)
    ]
    assert prints[0] == prints[1] and len(set(prints)) == 4
    assert order_fingerprint(dealing_of(support("spades"), "play")) == ""


def test_a_hand_takes_one_slot() -> None:
    """Cards of a hand that were drawn stand together, others where they came."""
    graph = GameGraph.enumerate(POKER, hidden_order="sets")
    graph.resolve()
    tensors = Tensors(graph.game, slots=2, hidden_order="sets")
    hearts = [Tensors(support("hearts"), hidden_order=order) for order in ("play", "sets")]
    assert [each.sample_inputs - each.set_inputs for each in hearts] == [32 * 52, 33 * 52]
    nodes = list(range(len(graph.samples)))
    rows = tensors.samples(graph, nodes)[:, tensors.set_inputs :].reshape(len(nodes), 3, -1)
    for node, row in zip(nodes, rows, strict=True):
        expected = np.zeros_like(row)
        for place, card in enumerate(graph.history(graph.samples.world[node])[:4]):
            expected[place // 2, card] += 1.0
        pieces = open_entries(graph, [node]).columns
        expected[2, pieces] = np.log(graph.prior_weights(node))
        assert row == pytest.approx(expected, abs=1e-6)


def test_beliefs_begin_from_the_prior() -> None:
    """A network that has learned nothing yet knows how hands are drawn."""
    graph = GameGraph.enumerate(POKER, hidden_order="sets")
    graph.resolve()
    tensors = Tensors(graph.game, hidden_order="sets")
    networks = make_networks(tensors, NetworkConfig(width=8, depth=1), 0)
    for parameter in networks.hidden.out[-1].parameters():
        torch.nn.init.zeros_(parameter)
    rows = NetworkEvaluator(tensors, networks, 1.0).sample_rows(graph, range(len(graph.samples)))
    differ = 0
    for node, row in enumerate(rows):
        prior = graph.prior_weights(node)
        assert row.beliefs == pytest.approx(prior, abs=1e-6)
        differ += max(prior) > min(prior) + 0.01
    assert differ > 0


@pytest.mark.parametrize("player", [0, 1])
def test_the_prior_knows_the_own_hand(player: int) -> None:
    """At the first decision the opponent's hand is any of the other cards, all alike."""
    graph, state = sets(POKER), support(POKER).initial_state()
    for card in ((3, 1, 0, 2), (2, 0, 1, 3, 1))[player]:
        state.apply_action(card)
    likely = {}
    pending = [(graph.hidden(graph.observe(state, player)), 1.0)]
    while pending:
        target, weight = pending.pop()
        if target >= 0:
            likely[tuple(hidden_hands(graph, target)[1 - player])] = weight
            continue
        prior = graph.prior_weights(~target)
        pending += [(graph.branch(~target, k), weight * p) for k, p in enumerate(prior)]
    assert likely == pytest.approx({hand: 1 / 3 for hand in ((0, 2), (0, 4), (2, 4))})
