"""Evaluators against computations of their own kind, written here on pyspiel states."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest
from helpers import FixedEvaluator, Floats
from open_spiel.python import policy as openspiel_policy

from nash_ismcts_spiel.games import CHANCE, GameGraph
from nash_ismcts_spiel.games.policies import policy_table
from nash_ismcts_spiel.models import (
    BlendEvaluator,
    EvaluatorError,
    ExactEvaluator,
    FlatEvaluator,
    InformationSetRow,
    Models,
    RolloutEvaluator,
    SampleRow,
    UniformEvaluator,
)

Enumerated = Callable[[str], GameGraph]
History = tuple[int, ...]
FOUR_GAMES = [helpers.KUHN, helpers.LEDUC, helpers.GOOFSPIEL_4, helpers.KUHN_3]


@dataclasses.dataclass
class BruteForce:
    """A policy evaluated by recursion over pyspiel states.

    Attributes:
      policy: {information state string: [(action, probability)]}.
      values: expected utilities of all players after a history.
      others: probability that chance and all players but one lead to a history, per player.
    """

    policy: helpers.Table
    values: dict[History, Floats] = dataclasses.field(default_factory=dict)
    others: dict[History, Floats] = dataclasses.field(default_factory=dict)

    def walk(self, state: Any, others: Floats) -> Floats:
        """Visits all histories from `state` on; returns its expected utilities."""
        history = tuple(state.history())
        self.others[history] = others
        if state.is_terminal():
            self.values[history] = np.array(state.returns())
            return self.values[history]
        mover = state.current_player()
        events = (
            state.chance_outcomes()
            if state.is_chance_node()
            else self.policy[state.information_state_string()]
        )
        self.values[history] = np.zeros(len(others))
        for action, probability in events:
            reach = others * probability
            if not state.is_chance_node():
                reach[mover] = others[mover]
            self.values[history] += probability * self.walk(state.child(action), reach)
        return self.values[history]


def brute_force(graph: GameGraph, table: Floats) -> BruteForce:
    """Evaluates a flat policy."""
    found = BruteForce(helpers.as_rows(graph, table))
    found.walk(graph.game.pyspiel_game.new_initial_state(), np.ones(graph.game.num_players))
    return found


def expected_values(
    found: BruteForce, player: int, worlds: Sequence[History], actions: Sequence[int]
) -> list[float]:
    """The mean utility of `player` after each action, worlds weighed by how others reach them."""
    weights = np.array([found.others[world][player] for world in worlds])
    return [
        float(weights @ [found.values[*world, a][player] for world in worlds] / weights.sum())
        for a in actions
    ]


def check_against_brute_force(
    graph: GameGraph, evaluator: ExactEvaluator, found: BruteForce, tolerance: float
) -> int:
    """Compares all rows; returns the number of SAMPLE nodes met."""
    players = graph.information_sets.player
    nodes = 0
    for i in range(len(graph.information_sets)):
        (row,) = evaluator.information_set_rows(graph, [i])
        actions = graph.legal_actions(i)
        worlds = [tuple(graph.history(world)) for world in helpers.all_worlds(graph, i)]
        expected = expected_values(found, players[i], worlds, actions)
        assert row.child_values == pytest.approx(expected, abs=tolerance)
        assert row.value == pytest.approx(float(np.dot(row.policy, expected)), abs=tolerance)
        pending = [graph.hidden(i)]
        while pending:
            node = ~pending.pop()
            if node < 0:
                continue
            nodes += 1
            branches = range(graph.samples.branch_count[node])
            pending.extend(graph.branch(node, k) for k in branches)
            below = [worlds_below(graph, node, k, worlds) for k in branches]
            mass = [sum(found.others[w][players[i]] for w in group) for group in below]
            (sample,) = evaluator.sample_rows(graph, [node])
            assert sample.beliefs == pytest.approx([m / sum(mass) for m in mass], abs=tolerance)
            assert sum(sample.beliefs) == pytest.approx(1.0)
            for k, group in enumerate(below):
                expected = expected_values(found, players[i], group, actions)
                values = [row_of_action[k] for row_of_action in sample.child_values]
                assert values == pytest.approx(expected, abs=tolerance)
    return nodes


def worlds_below(
    graph: GameGraph, node: int, branch: int, worlds: Sequence[History]
) -> list[History]:
    """The worlds that go through a branch of a SAMPLE node."""
    world = graph.samples.world[node]
    edge = graph.samples.edge[graph.samples.first_branch[node] + branch]
    action = graph.worlds.edge_action[graph.worlds.first_edge[world] + edge]
    prefix = (*graph.history(world), action)
    return [other for other in worlds if other[: len(prefix)] == prefix]


@pytest.mark.parametrize("name", FOUR_GAMES)
def test_exact_rows_of_a_mixed_policy(enumerated: Enumerated, name: str) -> None:
    graph = enumerated(name)
    table = helpers.random_table(graph, seed=4)
    evaluator = ExactEvaluator(graph, table, forgetful=False)
    found = brute_force(graph, table)
    assert check_against_brute_force(graph, evaluator, found, tolerance=1e-9) > 5
    policy = pyspiel.TabularPolicy(helpers.as_rows(graph, table))
    root = graph.game.pyspiel_game.new_initial_state()
    values = pyspiel.expected_returns(root, policy, -1, use_infostate_get_policy=True)
    players = range(graph.game.num_players)
    assert [evaluator.value(p) for p in players] == pytest.approx(values, abs=1e-9)


@pytest.mark.parametrize("name", FOUR_GAMES)
def test_where_a_policy_never_goes_beliefs_are_limits_of_trembles(
    enumerated: Enumerated, name: str
) -> None:
    graph = enumerated(name)
    pure = helpers.pure_table(graph, seed=9)
    t = 1e-7
    trembling = (1.0 - t) * pure + t * helpers.uniform_table(graph)
    found = brute_force(graph, trembling)
    unreached = sum(
        all(
            found.others[tuple(graph.history(w))][player] < 1e-6
            for w in helpers.all_worlds(graph, i)
        )
        for i, player in enumerate(graph.information_sets.player)
    )
    assert unreached > 0
    exact = ExactEvaluator(graph, pure, forgetful=False)
    check_against_brute_force(graph, exact, found, tolerance=1e-4)


@pytest.mark.parametrize("name", FOUR_GAMES)
@pytest.mark.parametrize("pure", [False, True])
def test_forgetful_values_of_worlds(enumerated: Enumerated, name: str, pure: bool) -> None:
    graph = enumerated(name)
    table = (helpers.pure_table if pure else helpers.random_table)(graph, seed=6)
    evaluator = ExactEvaluator(graph, table)
    plain = ExactEvaluator(graph, table, forgetful=False)
    everywhere = range(len(graph.information_sets))
    rows = evaluator.information_set_rows(graph, everywhere)
    # Forgetting changes what single worlds are worth, not what information sets are worth.
    for row, other in zip(rows, plain.information_set_rows(graph, everywhere), strict=True):
        assert row.value == pytest.approx(other.value, abs=1e-9)
        assert row.child_values == pytest.approx(other.child_values, abs=1e-9)
    assert np.abs(evaluator.world_values - plain.world_values).max() > 0.1
    for world in range(len(graph.worlds)):
        for player in range(graph.game.num_players):
            found = evaluator.world_values[world, player]
            expected = forgetful_value(graph, table, rows, evaluator.world_values, world, player)
            assert found == pytest.approx(expected, abs=1e-9)


def forgetful_value(
    graph: GameGraph,
    table: Floats,
    rows: Sequence[InformationSetRow],
    values: Floats,
    world: int,
    player: int,
) -> float:
    """What a world is worth, from what its children are worth."""
    state = graph.state(world)
    if state.is_terminal():
        return float(state.returns()[player])
    information_set = graph.worlds.information_set[world]
    if state.current_player() == player:
        return rows[information_set].value
    if state.is_chance_node():
        weights = [probability for _, probability in state.chance_outcomes()]
    else:
        first = graph.information_sets.first_action[information_set]
        weights = list(table[first : first + len(state.legal_actions())])
    children = [graph.child(world, edge) for edge in range(len(weights))]
    return float(np.dot(weights, values[children, player]))


def test_kuhn_beliefs_by_hand(enumerated: Enumerated) -> None:
    # Player 0 bets the 0 with 1/4 and the 2 with 3/4: player 1, who holds the 1, believes 1 : 3.
    graph = enumerated(helpers.KUHN)
    rows = {s: {0: 0.5, 1: 0.5} for s in helpers.strings(graph)}
    rows["0"], rows["2"] = {0: 0.75, 1: 0.25}, {0: 0.25, 1: 0.75}
    evaluator = ExactEvaluator(graph, rows)
    information_set = helpers.strings(graph).index("1b")
    (sample,) = evaluator.sample_rows(graph, [~graph.hidden(information_set)])
    assert sample.beliefs == pytest.approx([0.25, 0.75])
    # Folding costs 1; calling wins 2 against the 0 and loses 2 against the 2.
    (row,) = evaluator.information_set_rows(graph, [information_set])
    assert row.child_values == pytest.approx([-1.0, 0.25 * 2 - 0.75 * 2])
    assert sample.child_values == [[-1.0, -1.0], [2.0, -2.0]]
    assert row.value == pytest.approx(-1.0)


def test_all_forms_of_a_policy_are_taken(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    game = graph.game.pyspiel_game
    solver = helpers.cfr_solver(game, 20)
    cfr = solver.average_policy()
    table = policy_table(graph, cfr)
    rows = helpers.as_rows(graph, table)
    tabular = openspiel_policy.TabularPolicy(game)
    for string, row in rows.items():
        for action, probability in row:
            tabular.policy_for_key(string)[action] = probability
    forms = [
        cfr,
        tabular,
        rows,
        {string: dict(row) for string, row in rows.items()},
        pyspiel.TabularPolicy(rows),
        table,
    ]
    expected = brute_force(graph, table)
    for form in forms:
        evaluator = ExactEvaluator(graph, form, forgetful=False)
        assert evaluator.policy == pytest.approx(table)
        check_against_brute_force(graph, evaluator, expected, tolerance=1e-9)
    # The table has the rows of the policy at the right places.
    for i, string in enumerate(helpers.strings(graph)):
        state = graph.state(graph.information_sets.first_world[i])
        assert dict(rows[string]) == pytest.approx(cfr.action_probabilities(state))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (None, "no row for the information state '1pb'"),
        ({0: 0.7, 1: 0.7}, r"not a distribution"),
        ({0: 0.5}, "not a distribution"),
        ({0: 1.5, 1: -0.5}, "not a distribution"),
        ({0: math.nan, 1: 0.5}, "not a distribution"),
        ({0: 0.5, 7: 0.5}, "not a distribution"),
    ],
)
def test_wrong_rows_of_a_policy_are_refused(
    enumerated: Enumerated, row: dict[int, float] | None, message: str
) -> None:
    graph = enumerated(helpers.KUHN)
    rows: dict[str, Any] = dict(helpers.as_rows(graph, helpers.uniform_table(graph)))
    rows["1pb"] = row
    if row is None:
        del rows["1pb"]
    with pytest.raises(ValueError, match=message):
        ExactEvaluator(graph, rows)


@pytest.mark.parametrize(
    "table",
    [np.full(24, 0.7), np.full(23, 0.5), np.full(25, 0.5), np.full(24, np.nan), -np.ones(24)],
)
def test_wrong_policy_arrays_are_refused(enumerated: Enumerated, table: Floats) -> None:
    with pytest.raises(ValueError, match=helpers.KUHN):
        ExactEvaluator(enumerated(helpers.KUHN), table)


def test_exact_models_need_and_keep_their_own_graph(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    with pytest.raises(ValueError, match="enumerated graph of kuhn_poker"):
        ExactEvaluator(GameGraph(helpers.KUHN), helpers.uniform_table(graph))
    with pytest.raises(ValueError, match="enumerated graph of kuhn_poker"):
        policy_table(GameGraph(helpers.KUHN), {})
    evaluator = ExactEvaluator(graph, helpers.uniform_table(graph))
    assert evaluator.graph is graph
    other = GameGraph.enumerate(helpers.KUHN)
    with pytest.raises(ValueError, match="own graph"):
        evaluator.information_set_rows(other, [0])
    with pytest.raises(ValueError, match="own graph"):
        evaluator.sample_rows(other, [0])


def test_rollouts_do_not_depend_on_the_order_of_questions() -> None:
    forward, backward = GameGraph(helpers.LEDUC), GameGraph(helpers.LEDUC)
    rng = np.random.default_rng(2)
    states = [s for _ in range(4) for s in helpers.decisions(helpers.load(helpers.LEDUC), rng)]
    evaluator = RolloutEvaluator(seed=3)

    def rows(graph: GameGraph, asked: Sequence[Any]) -> list[Any]:
        sets = [graph.observe(state, state.current_player()) for state in asked]
        heads = [~graph.hidden(i) for i in sets]
        one_by_one = [evaluator.information_set_rows(graph, [i])[0] for i in sets]
        assert evaluator.information_set_rows(graph, sets) == one_by_one
        return list(zip(one_by_one, evaluator.sample_rows(graph, heads), strict=True))

    assert rows(forward, states) == rows(backward, states[::-1])[::-1]
    other_seed = RolloutEvaluator(seed=4)
    sets = range(len(states))
    assert other_seed.information_set_rows(forward, sets) != evaluator.information_set_rows(
        forward, sets
    )


def test_rollouts_are_the_same_on_any_graph(enumerated: Enumerated) -> None:
    grown, whole = GameGraph(helpers.KUHN), enumerated(helpers.KUHN)
    evaluator = RolloutEvaluator(rollouts=3, seed=1)
    for state in helpers.decisions(helpers.load(helpers.KUHN), np.random.default_rng(0)):
        player = state.current_player()
        here, there = grown.observe(state, player), whole.observe(state, player)
        assert evaluator.information_set_rows(grown, [here]) == evaluator.information_set_rows(
            whole, [there]
        )


def test_many_rollouts_come_near_the_uniform_policy(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    # Before anybody has moved, uniform beliefs are right for uniform players.
    exact = ExactEvaluator(graph, helpers.uniform_table(graph))
    rollouts = RolloutEvaluator(rollouts=3000)
    sets = [i for i, string in enumerate(helpers.strings(graph)) if len(string) <= 2]
    assert len(sets) == 9
    for i in sets:
        (row,), (expected,) = (e.information_set_rows(graph, [i]) for e in (rollouts, exact))
        # Single returns are at most 2: five standard errors are less than 0.19.
        assert row.child_values == pytest.approx(expected.child_values, abs=0.19)
        assert row.value == pytest.approx(np.mean(row.child_values))
        assert row.policy == [0.5, 0.5]
        (sample,) = rollouts.sample_rows(graph, [~graph.hidden(i)])
        assert sample.beliefs == pytest.approx([0.5, 0.5])
        assert [set(values) for values in sample.child_values] == [{v} for v in row.child_values]


def test_rollouts_are_counted() -> None:
    with pytest.raises(ValueError, match="rollouts must be at least 1, not 0"):
        RolloutEvaluator(rollouts=0)
    with pytest.raises(ValueError, match="tarok"):
        RolloutEvaluator("tarok")


@pytest.mark.parametrize("name", [helpers.LEDUC, helpers.GOOFSPIEL_4])
def test_uniform_models(enumerated: Enumerated, name: str) -> None:
    graph = enumerated(name)
    evaluator = UniformEvaluator(graph.game)
    i = len(graph.information_sets) - 1
    count = graph.information_sets.action_count[i]
    (row,) = evaluator.information_set_rows(graph, [i])
    assert row == InformationSetRow([1.0 / count] * count, 0.0, [0.0] * count)
    node = ~graph.hidden(i)
    world = graph.samples.world[node]
    (sample,) = evaluator.sample_rows(graph, [node])
    branches = range(graph.samples.branch_count[node])
    first_edge = graph.worlds.first_edge[world]
    edges = [graph.samples.edge[graph.samples.first_branch[node] + k] for k in branches]
    chance = graph.worlds.kind[world] == CHANCE
    weights = [graph.worlds.edge_probability[first_edge + e] if chance else 1.0 for e in edges]
    assert sample.beliefs == pytest.approx([w / sum(weights) for w in weights])
    assert sample.child_values == [[0.0] * len(edges)] * count
    with pytest.raises(ValueError, match="negotiation"):
        UniformEvaluator("negotiation")


def test_uniform_value_is_an_even_share_of_a_constant_sum() -> None:
    graph = GameGraph("goofspiel(imp_info=True,num_cards=3,returns_type=total_points)")
    state = next(helpers.decisions(graph.game.pyspiel_game, np.random.default_rng(0)))
    (row,) = UniformEvaluator().information_set_rows(graph, [graph.observe(state, 0)])
    assert row.value == (graph.game.utility_sum or 0.0) / 2


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_blend_is_a_mixture_of_values(enumerated: Enumerated, weight: float) -> None:
    graph = enumerated(helpers.LEDUC)
    exact = ExactEvaluator(graph, helpers.random_table(graph, 1))
    rollouts = RolloutEvaluator(seed=7)
    blend = BlendEvaluator(exact, rollouts, weight)
    assert blend.graph is graph
    sets = [0, 100, 500]
    for row, v, z in zip(
        blend.information_set_rows(graph, sets),
        exact.information_set_rows(graph, sets),
        rollouts.information_set_rows(graph, sets),
        strict=True,
    ):
        assert row.policy == v.policy
        assert row.value == pytest.approx((1 - weight) * v.value + weight * z.value)
        expected = (1 - weight) * np.array(v.child_values) + weight * np.array(z.child_values)
        assert row.child_values == pytest.approx(expected)
    nodes = [~graph.hidden(i) for i in sets]
    for sample, v, z in zip(
        blend.sample_rows(graph, nodes),
        exact.sample_rows(graph, nodes),
        rollouts.sample_rows(graph, nodes),
        strict=True,
    ):
        assert sample.beliefs == v.beliefs
        expected = (1 - weight) * np.array(v.child_values) + weight * np.array(z.child_values)
        assert np.array(sample.child_values) == pytest.approx(expected)


@pytest.mark.parametrize("weight", [-0.1, 1.1, math.nan])
def test_blend_weights_are_shares(weight: float) -> None:
    with pytest.raises(ValueError, match="weight must be between 0 and 1"):
        BlendEvaluator(UniformEvaluator(), weight=weight)


HALF = [0.5, 0.5]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (InformationSetRow([math.nan, 0.5], 0.0, [0.0, 0.0]), r"policy \[nan, 0.5\]"),
        (InformationSetRow([math.inf, 0.5], 0.0, [0.0, 0.0]), r"policy \[inf, 0.5\]"),
        (InformationSetRow([0.7, 0.7], 0.0, [0.0, 0.0]), r"policy \[0.7, 0.7\] \(sum 1.4\)"),
        (InformationSetRow([1.5, -0.5], 0.0, [0.0, 0.0]), r"policy \[1.5, -0.5\]"),
        (InformationSetRow([1.0], 0.0, [0.0, 0.0]), "1 entries of policy instead of 2"),
        (InformationSetRow([0.5, 0.25, 0.25], 0.0, [0.0] * 2), "3 entries of policy"),
        (InformationSetRow(HALF, math.nan, [0.0, 0.0]), r"value \[nan\]"),
        (InformationSetRow(HALF, -math.inf, [0.0, 0.0]), r"value \[-inf\]"),
        (InformationSetRow(HALF, 0.0, [0.0, math.nan]), r"child_values \[0.0, nan\]"),
        (InformationSetRow(HALF, 0.0, [0.0]), "1 entries of child_values instead of 2"),
    ],
)
def test_wrong_information_set_rows_are_named(row: InformationSetRow, message: str) -> None:
    graph = GameGraph(helpers.KUHN)
    i = graph.observe(helpers.state_after(graph.game.pyspiel_game, [0, 1]), 0)
    evaluator = FixedEvaluator(row)
    models = Models(graph, evaluator)
    with pytest.raises(EvaluatorError, match=f"FixedEvaluator returned {message}.*player=0"):
        models.information_set(i)
    # Nothing wrong was kept.
    evaluator.row = None
    assert list(models.information_set(i).policy) == HALF


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        (SampleRow([math.nan, 0.5], [[0.0, 0.0]] * 2), r"beliefs \[nan, 0.5\]"),
        (SampleRow([0.2, 0.2], [[0.0, 0.0]] * 2), r"beliefs \[0.2, 0.2\] \(sum 0.4\)"),
        (SampleRow([-1.0, 2.0], [[0.0, 0.0]] * 2), r"beliefs \[-1.0, 2.0\]"),
        (SampleRow([1.0], [[0.0, 0.0]] * 2), "1 entries of beliefs instead of 2"),
        (SampleRow(HALF, [[0.0, 0.0]] * 3), "3 rows of child_values instead of 2"),
        (SampleRow(HALF, [[0.0, 0.0], [0.0]]), "1 entries of child_values instead of 2"),
        (SampleRow(HALF, [[0.0, 0.0], [0.0, math.inf]]), r"child_values \[0.0, inf\]"),
    ],
)
def test_wrong_sample_rows_are_named(sample: SampleRow, message: str) -> None:
    graph = GameGraph(helpers.KUHN)
    i = graph.observe(helpers.state_after(graph.game.pyspiel_game, [0, 1]), 0)
    node = ~graph.hidden(i)
    evaluator = FixedEvaluator(sample=sample)
    models = Models(graph, evaluator)
    with pytest.raises(EvaluatorError, match=f"FixedEvaluator returned {message}.*SAMPLE node"):
        models.sample(node)
    evaluator.sample = None
    assert list(models.sample(node).beliefs) == HALF


def test_rows_are_asked_for_once() -> None:
    graph = GameGraph(helpers.KUHN)
    i = graph.observe(helpers.state_after(graph.game.pyspiel_game, [0, 1]), 0)
    models = Models(graph, FixedEvaluator())
    assert models.information_set(i) is models.information_set(i)
    assert models.sample(~graph.hidden(i)) is models.sample(~graph.hidden(i))


def test_one_row_per_question() -> None:
    class Forgetful(FixedEvaluator):
        def information_set_rows(
            self, graph: GameGraph, information_sets: Sequence[int]
        ) -> list[InformationSetRow]:
            return super().information_set_rows(graph, information_sets)[1:]

    graph = GameGraph(helpers.KUHN)
    i = graph.observe(helpers.state_after(graph.game.pyspiel_game, [0, 1]), 0)
    with pytest.raises(EvaluatorError, match="Forgetful returned 0 rows instead of 1"):
        Models(graph, Forgetful()).information_set(i)


class FlatFixed(FixedEvaluator):
    """A FixedEvaluator with flat answers, of which one may be spoiled."""

    spoil: Callable[[list[np.ndarray]], object] = tuple
    asked = 0

    def flat_information_set_rows(self, graph: GameGraph, information_sets: Sequence[int]) -> Any:
        self.asked += 1
        rows = self.information_set_rows(graph, information_sets)
        policy = np.concatenate([row.policy for row in rows])
        values = np.array([row.value for row in rows])
        return self.spoil([policy, values, np.concatenate([row.child_values for row in rows])])

    def flat_sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> Any:
        self.asked += 1
        rows = self.sample_rows(graph, sample_nodes)
        beliefs = np.concatenate([row.beliefs for row in rows])
        return self.spoil([beliefs, np.concatenate([np.ravel(row.child_values) for row in rows])])


def flat_case() -> tuple[GameGraph, list[int], list[int]]:
    """Two information sets of Kuhn poker (players 0 and 1) and their SAMPLE nodes."""
    graph = GameGraph(helpers.KUHN)
    game = graph.game.pyspiel_game
    sets = [
        graph.observe(helpers.state_after(game, [0, 1]), 0),
        graph.observe(helpers.state_after(game, [0, 1, 0]), 1),
    ]
    return graph, sets, [~graph.hidden(i) for i in sets]


def put(array: int, entry: int, number: float) -> Callable[[list[np.ndarray]], object]:
    """Spoils one entry of one array."""

    def spoil(arrays: list[np.ndarray]) -> object:
        arrays[array][entry] = number
        return tuple(arrays)

    return spoil


def test_flat_answers_are_those_of_rows() -> None:
    graph, sets, nodes = flat_case()
    rng = np.random.default_rng(0)
    policy = rng.dirichlet(np.ones(2))
    row = InformationSetRow(policy, 0.25, rng.normal(size=2))
    sample = SampleRow(rng.dirichlet(np.ones(2)), rng.normal(size=(2, 2)))
    flat = FlatFixed(row, sample)
    assert isinstance(flat, FlatEvaluator)
    assert not isinstance(FixedEvaluator(), FlatEvaluator)
    ours, rows = Models(graph, flat), Models(graph, FixedEvaluator(row, sample))
    for one, other in zip(
        (*ours.flat_information_sets(sets), *ours.flat_samples(nodes)),
        (*rows.flat_information_sets(sets), *rows.flat_samples(nodes)),
        strict=True,
    ):
        assert one.dtype == np.float64
        np.testing.assert_array_equal(one, other)
    assert flat.asked == 2
    # The reference engine reads the same, row by row.
    assert ours.information_set(sets[0]).policy == policy.tolist()
    assert ours.sample(nodes[0]).beliefs == sample.beliefs.tolist()
    assert ours.sample(nodes[0]).child_values == sample.child_values.tolist()
    assert flat.asked == 4


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (put(0, 2, math.nan), r"policy \[nan, 0.5\] instead of finite.*player=1"),
        (put(0, 1, math.inf), r"policy \[0.5, inf\] instead of finite.*player=0"),
        (put(0, 3, 0.9), r"policy \[0.5, 0.9\] \(sum 1.4\).*player=1"),
        (put(0, 3, -0.5), r"policy \[0.5, -0.5\].*player=1"),
        (put(1, 1, math.nan), r"value \[nan\].*player=1"),
        (put(2, 2, -math.inf), r"child_values \[-inf, 0.0\].*player=1"),
        (lambda a: (a[0][1:], *a[1:]), r"policy of shape \(3,\) instead of \(4,\).*first of 2"),
        (lambda a: (a[0], a[1][:, None], a[2]), r"value of shape \(2, 1\).*player=0"),
        (lambda a: (*a[:2], np.zeros(5)), r"child_values of shape \(5,\).*player=0"),
        (lambda a: (a[0], ["?", "!"], a[2]), "value of list instead of numbers.*player=0"),
        (lambda a: a[:2], "2 arrays instead of 3 arrays.*player=0"),
        (lambda a: None, "NoneType instead of 3 arrays.*player=0"),
    ],
)
def test_wrong_flat_information_sets_are_named(spoil: Any, message: str) -> None:
    graph, sets, _ = flat_case()
    evaluator = FlatFixed()
    evaluator.spoil = spoil
    with pytest.raises(EvaluatorError, match=f"FlatFixed returned {message}"):
        Models(graph, evaluator).flat_information_sets(sets)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (put(0, 2, math.nan), r"beliefs \[nan, 0.5\].*SAMPLE node of .*player=1"),
        (put(0, 0, 0.25), r"beliefs \[0.25, 0.5\] \(sum 0.75\).*SAMPLE node of .*player=0"),
        (put(1, 7, math.nan), r"child_values \[0.0, nan\].*SAMPLE node of .*player=1"),
        (lambda a: (a[0][1:], a[1]), r"beliefs of shape \(3,\) instead of \(4,\).*player=0"),
        (lambda a: (a[0], a[1].reshape(2, 4)), r"child_values of shape \(2, 4\).*player=0"),
        (lambda a: (*a, a[0]), "3 arrays instead of 2 arrays.*player=0"),
    ],
)
def test_wrong_flat_samples_are_named(spoil: Any, message: str) -> None:
    graph, _, nodes = flat_case()
    evaluator = FlatFixed()
    evaluator.spoil = spoil
    with pytest.raises(EvaluatorError, match=f"FlatFixed returned {message}"):
        Models(graph, evaluator).flat_samples(nodes)
