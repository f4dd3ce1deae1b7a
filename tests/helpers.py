"""What several tests share: game names, walks over pyspiel states, and small evaluators.

Everything about games here is written on pyspiel alone, a second time, so that tests compare the
package with something that it does not use itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.policies import policy_table
from nash_ismcts_spiel.games.states import STATES_VARIABLE
from nash_ismcts_spiel.games.tables import DEAD
from nash_ismcts_spiel.models import Evaluator, InformationSetRow, Models, SampleRow
from nash_ismcts_spiel.native.exact import exact_rows
from nash_ismcts_spiel.search import ReferenceEngine, SearchResult

KUHN = "kuhn_poker"
KUHN_3 = "kuhn_poker(players=3)"
LEDUC = "leduc_poker"
LIARS_2 = "liars_dice(numdice=1,dice_sides=2)"
LIARS_3 = "liars_dice(numdice=1,dice_sides=3)"
LIARS_4 = "liars_dice(numdice=1,dice_sides=4)"
GOOFSPIEL_3 = "goofspiel(imp_info=True,num_cards=3,points_order=descending)"
GOOFSPIEL_4 = "goofspiel(imp_info=True,num_cards=4,points_order=descending)"
DARK_HEX_2 = "dark_hex(board_size=2)"
BATTLESHIP = "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1],num_shots=2)"
PHANTOM_TTT = "phantom_ttt"
TIC_TAC_TOE = "tic_tac_toe"
PIG = "pig(players=2,winscore=8,horizon=20)"
BANQI = "banqi"
"""Its chance outcomes (which piece is turned up) are not equally likely."""


Floats = npt.NDArray[np.float64]
View = tuple[tuple[int | None, str], ...]
Table = dict[str, list[tuple[int, float]]]


def load(name: str) -> Any:
    """The pyspiel game in turn-based form."""
    game = pyspiel.load_game(name)
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        return pyspiel.convert_to_turn_based(game)
    return game


@contextlib.contextmanager
def python_states_only() -> Iterator[None]:
    """Python states for every game, in this process and in those that it starts meanwhile."""
    kept = os.environ.get(STATES_VARIABLE)
    os.environ[STATES_VARIABLE] = "python"
    try:
        yield
    finally:
        if kept is None:
            del os.environ[STATES_VARIABLE]
        else:
            os.environ[STATES_VARIABLE] = kept


def all_worlds(graph: GameGraph, information_set: int) -> Iterator[int]:
    """All worlds of an information set, in the order of its prefix tree."""
    pending = [graph.hidden(information_set)]
    while pending:
        target = pending.pop()
        if target >= 0:
            yield target
        elif target != DEAD:
            branches = range(graph.samples.branch_count[~target])
            pending.extend(graph.branch(~target, k) for k in reversed(branches))


def state_after(game: Any, history: Sequence[int]) -> Any:
    """A new state after some moves."""
    state = game.new_initial_state()
    for action in history:
        state.apply_action(action)
    return state


def own_view(state: Any, player: int) -> View:
    """What `player` has seen and done: its information states at its own decisions, each with what
    it did there. Where a game only has observations, it looks after every event, and what it sees
    counts if it changed.
    """
    game = state.get_game()
    if game.get_type().provides_information_state_string:
        return _view_of_decisions(state, player)
    replay = game.new_initial_state()
    entries: list[tuple[int | None, str]] = [(None, replay.observation_string(player))]
    for event in state.full_history():
        replay.apply_action(event.action)
        if not replay.is_terminal():
            own = event.action if event.player == player else None
            entries.append((own, replay.observation_string(player)))
    return tuple(
        entry
        for before, entry in zip([None, *entries], entries, strict=False)
        if before is None or entry[0] is not None or entry[1] != before[1]
    )


def _view_of_decisions(state: Any, player: int) -> View:
    replay, acted = state.get_game().new_initial_state(), None
    entries: list[tuple[int | None, str]] = []
    for action in [*state.history(), None]:
        if replay.current_player() == player:
            entries.append((acted, replay.information_state_string(player)))
            acted = action
        if action is not None:
            replay.apply_action(action)
    return tuple(entries)


def decisions(game: Any, rng: np.random.Generator) -> Iterator[Any]:
    """The states of one random game at which a player is to move."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
            action = rng.choice(outcomes, p=probabilities)
        else:
            yield state.clone()
            action = rng.choice(state.legal_actions())
        state.apply_action(int(action))


def shown(game: Any, state: Any, player: int) -> str:
    if game.get_type().provides_information_state_string:
        return str(state.information_state_string(player))
    return str(state.observation_string(player))


def own_side(game: Any, history: list[int], player: int) -> tuple[Any, ...] | None:
    """All that a player is shown and does along a history; None if the history cannot happen.

    Information states are looked at on the player's own turns; where a game has none, observations
    after every event, repetitions left out, since they would count events that showed nothing. For
    the same reason a look at the player's turn is one with a look before that showed the same.
    """
    state, entries = game.new_initial_state(), []
    decisions_only = game.get_type().provides_information_state_string
    for action in [*history, None]:
        mover = state.current_player()
        if not decisions_only or mover == player:
            look = (shown(game, state, player), mover == player)
            if entries and entries[-1] in (look, (look[0], False)):
                entries.pop()
            entries.append(look)
        if action is None:
            return (*entries, tuple(state.legal_actions()))
        if action not in state.legal_actions():
            return None
        if mover == player:
            entries.append(action)
        state.apply_action(action)
    return None


def worlds_by_view(game: Any, max_length: int = 1000) -> dict[tuple[int, View], list[list[int]]]:
    """Histories of at most `max_length` events, grouped by what the player to move has seen."""
    found: dict[tuple[int, View], list[list[int]]] = {}
    pending = [game.new_initial_state()]
    while pending:
        state = pending.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            player = state.current_player()
            found.setdefault((player, own_view(state, player)), []).append(state.history())
        if len(state.history()) < max_length:
            pending.extend(state.child(action) for action in state.legal_actions())
    return found


def world_pairs(game: Any, count: int, seed: int, max_length: int = 1000) -> list[tuple[Any, Any]]:
    """Pairs of states that the player to move cannot tell apart, each from another set."""
    rng = np.random.default_rng(seed)
    groups = [worlds for worlds in worlds_by_view(game, max_length).values() if len(worlds) > 1]
    pairs: list[tuple[Any, Any]] = []
    for index in rng.permutation(len(groups))[:count]:
        first, second = rng.choice(len(groups[index]), size=2, replace=False)
        pairs.append(
            (
                state_after(game, groups[index][first]),
                state_after(game, groups[index][second]),
            )
        )
    return pairs


def strings(graph: GameGraph) -> list[str]:
    """OpenSpiel's information state string of each information set."""
    sets = graph.information_sets
    return [
        graph.state(sets.first_world[i]).information_state_string(sets.player[i])
        for i in range(len(sets))
    ]


def as_rows(graph: GameGraph, table: Floats) -> Table:
    """A flat policy as {information state string: [(action, probability)]}."""
    first = graph.information_sets.first_action
    return {
        string: [(a, float(table[first[i] + k])) for k, a in enumerate(graph.legal_actions(i))]
        for i, string in enumerate(strings(graph))
    }


def exploitability(graph: GameGraph, table: Floats) -> float:
    """NashConv / players of a flat policy, by pyspiel."""
    nash_conv = pyspiel.nash_conv(graph.game.pyspiel_game, as_rows(graph, table))
    return float(nash_conv) / graph.game.num_players


def by_information_set(graph: GameGraph, rule: Callable[[int], Sequence[float]]) -> Floats:
    """A flat policy from a rule that is given the number of actions."""
    rows = [rule(count) for count in graph.information_sets.action_count]
    return np.concatenate([np.asarray(row, dtype=np.float64) for row in rows])


def uniform_table(graph: GameGraph) -> Floats:
    """The uniform policy."""
    return by_information_set(graph, lambda count: [1.0 / count] * count)


def random_table(graph: GameGraph, seed: int) -> Floats:
    """A policy with every action possible."""
    rng = np.random.default_rng(seed)
    return by_information_set(graph, lambda count: rng.dirichlet([1.0] * count))


def pure_table(graph: GameGraph, seed: int) -> Floats:
    """A policy of one random action per information set."""
    rng = np.random.default_rng(seed)
    return by_information_set(graph, lambda count: np.eye(count)[rng.integers(count)])


def cfr_solver(game: Any, iterations: int) -> Any:
    """OpenSpiel's CFR after some iterations; its average policy lives only as long as it does."""
    solver = pyspiel.CFRSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return solver


def cfr_table(graph: GameGraph, iterations: int) -> Floats:
    """CFR's average policy."""
    solver = cfr_solver(graph.game.pyspiel_game, iterations)
    return policy_table(graph, solver.average_policy())


def search(
    graph: GameGraph,
    evaluator: Evaluator,
    information_set: int,
    seed: int | Sequence[int] = 0,
    **settings: Any,
) -> SearchResult:
    """A fresh search of one information set."""
    engine = ReferenceEngine(Models(graph, evaluator), SearchConfig(**settings))
    return engine.search(information_set, np.random.default_rng(seed))


def searched_table(graph: GameGraph, evaluator: Evaluator, seed: int, **settings: Any) -> Floats:
    """The policy of a fresh search at every information set."""
    return np.concatenate(
        [
            search(graph, evaluator, i, [seed, i], **settings).policy
            for i in range(len(graph.information_sets))
        ]
    )


def random_models(
    player: int, history: Sequence[int], actions: int, seed: int
) -> InformationSetRow:
    """P, V and Vc of a perfect-information position: random, but always the same for it."""
    text = repr((player, list(history), seed)).encode()
    digest = hashlib.blake2b(text, digest_size=8).digest()
    rng = np.random.default_rng(int.from_bytes(digest, "little"))
    return InformationSetRow(
        rng.dirichlet([0.7] * actions).tolist(),
        float(rng.uniform(-1.0, 1.0)),
        rng.uniform(-1.0, 1.0, actions).tolist(),
    )


class RandomTableEvaluator:
    """`random_models` as an evaluator, for perfect-information games."""

    def __init__(self, seed: int) -> None:
        """Takes the seed of the table."""
        self._seed = seed

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        """One row per information set."""
        sets = graph.information_sets
        return [
            random_models(
                sets.player[i],
                graph.history(sets.first_world[i]),
                sets.action_count[i],
                self._seed,
            )
            for i in information_sets
        ]

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        """Not there: nothing is hidden."""
        raise AssertionError(f"asked for SAMPLE nodes {sample_nodes} of {graph.game.name}")


class FixedEvaluator:
    """Hands out given rows, right or wrong; by default knows nothing.

    Attributes:
      row: for every information set, if not None.
      sample: for every SAMPLE node, if not None.
    """

    def __init__(
        self, row: InformationSetRow | None = None, sample: SampleRow | None = None
    ) -> None:
        """Takes the rows."""
        self.row = row
        self.sample = sample

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        """One row per information set."""
        counts = [graph.information_sets.action_count[i] for i in information_sets]
        return [self.row or InformationSetRow([1.0 / n] * n, 0.0, [0.0] * n) for n in counts]

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        """One row per SAMPLE node."""
        return [self.sample or self._prior(graph, node) for node in sample_nodes]

    def _prior(self, graph: GameGraph, node: int) -> SampleRow:
        beliefs = graph.prior_weights(node)
        information_set = graph.samples.information_set[node]
        actions = graph.information_sets.action_count[information_set]
        return SampleRow(beliefs, [[0.0] * len(beliefs)] * actions)


class ExactNetworks:
    """A network evaluator with another policy, its exact values and, on `graph`, its beliefs."""

    def __init__(self, inner: Any, graph: GameGraph, table: Floats) -> None:
        graph.resolve()
        rows, sets, samples = exact_rows(graph, table), graph.information_sets, graph.samples
        spans = [slice(f, f + c) for f, c in zip(sets.first_action, sets.action_count, strict=True)]
        self._inner = inner
        self._graph = graph
        self._rows = {
            graph.key(number): (table[span], rows.value[number], rows.child_values[span])
            for number, span in enumerate(spans)
        }
        self._beliefs = np.split(rows.beliefs, np.cumsum(samples.branch_count)[:-1])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def flat_information_set_rows(self, graph: GameGraph, sets: Sequence[int]) -> Any:
        """P, V and Vc of information sets of any graph of the game."""
        policy, value, child_values = zip(*(self._rows[graph.key(s)] for s in sets), strict=True)
        return np.concatenate(policy), np.array(value), np.concatenate(child_values)

    def beliefs(self, graph: GameGraph, sample_nodes: Sequence[int]) -> Floats:
        """Beliefs at SAMPLE nodes."""
        assert graph is self._graph
        return np.concatenate([self._beliefs[node] for node in sample_nodes])
