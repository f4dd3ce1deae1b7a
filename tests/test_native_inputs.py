"""What compiled code does with input that is wrong, with games that talk nonsense, with threads and
with interruptions: exceptions, no crash.
"""

from __future__ import annotations

import gc
import math
import os
import signal
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from stalling_game import StallingGame, StallingState

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.native import _core, exact

KUHN = GameGraph.enumerate("kuhn_poker")
UNIFORM = np.full(len(KUHN.information_sets.action), 0.5)


def with_entry(entry: float) -> np.ndarray[Any, Any]:
    """A Kuhn policy with one wrong entry."""
    policy = UNIFORM.copy()
    policy[5] = entry
    return policy


@pytest.mark.parametrize(
    ("policy", "error", "message"),
    [
        (UNIFORM.astype(np.float32), TypeError, "numpy array of float64"),
        (UNIFORM.tolist(), TypeError, "numpy array of float64"),
        (None, TypeError, "numpy array of float64"),
        (UNIFORM[:-1], ValueError, r"shape \(24,\), not \(23,\)"),
        (UNIFORM.reshape(12, 2), ValueError, r"not \(12, 2\)"),
        (with_entry(np.nan), ValueError, "negative or NaN"),
        (with_entry(-0.5), ValueError, "information set 2 has a negative"),
        (with_entry(np.inf), ValueError, "add up to inf"),
        (with_entry(0.6), ValueError, "information set 2 add up to 1.1"),
        (np.zeros(24), ValueError, "add up to 0"),
    ],
)
def test_a_bad_policy_is_refused(policy: Any, error: type[Exception], message: str) -> None:
    for tool in (exact.expected_utilities, exact.beliefs, exact.nash_conv, exact.exploitability):
        with pytest.raises(error, match=message):
            tool(KUHN, policy)
    with pytest.raises(error, match=message):
        exact.reach(KUHN, policy, 0)
    with pytest.raises(error, match=message):
        exact.best_response(KUHN, policy, 1)


def test_a_strided_policy_is_read_right() -> None:
    policy = np.concatenate([np.full(1, 0.25), np.full(1, 0.75)] * 12)
    strided = np.repeat(policy, 3)[::3]
    assert not strided.flags.c_contiguous
    assert exact.nash_conv(KUHN, strided) == exact.nash_conv(KUHN, policy)


@pytest.mark.parametrize("player", [-1, 2, 2**40])
def test_a_player_who_does_not_exist_is_refused(player: int) -> None:
    with pytest.raises(ValueError, match="player must be between 0 and 1"):
        exact.best_response(KUHN, UNIFORM, player)
    with pytest.raises(ValueError, match="player must be between 0 and 1"):
        exact.reach(KUHN, UNIFORM, player)


def test_a_graph_that_is_not_enumerated_is_refused() -> None:
    grown = GameGraph("kuhn_poker")
    with pytest.raises(ValueError, match="enumerated graph of kuhn_poker"):
        exact.nash_conv(grown, UNIFORM)
    with pytest.raises(ValueError, match="not enumerated"):
        _core.CompiledGraph(grown)


def test_something_else_than_a_graph_is_refused() -> None:
    with pytest.raises(TypeError, match="expected a GameGraph"):
        exact.nash_conv("kuhn_poker", UNIFORM)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="incompatible"):
        _core.CompiledGraph(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        _core.CompiledGraph(None)  # type: ignore[arg-type]


class NonsenseGame(StallingGame):
    """The stalling game, but for one thing that it says."""

    def __init__(self, nonsense: str) -> None:
        super().__init__()
        self.nonsense = nonsense

    def new_initial_state(self) -> NonsenseState:
        return NonsenseState(self)


class NonsenseState(StallingState):
    def __init__(self, game: NonsenseGame) -> None:
        super().__init__(game)
        self._nonsense = game.nonsense

    def chance_outcomes(self) -> list[tuple[int, float]]:
        outcomes = super().chance_outcomes()
        if self._nonsense == "no outcomes":
            return []
        if self._nonsense in ("0.5", "-0.5", "nan") and len(outcomes) == 2:
            return [(0, float(self._nonsense)), (1, 1.0)]
        return outcomes

    def _legal_actions(self, player: int) -> list[int]:
        return [] if self._nonsense == "no actions" else super()._legal_actions(player)

    def returns(self) -> list[float]:
        wrong = {"infinite": [math.inf, 0.0], "one utility": [1.0]}
        return wrong.get(self._nonsense) or super().returns()

    def current_player(self) -> int:
        player = super().current_player()
        return 5 if player == 1 and self._nonsense == "player 5" else player

    def information_state_string(self, player: int | None = None) -> str:
        if self._nonsense == "exception":
            raise KeyError("lost the cards")
        return super().information_state_string(player)


@pytest.mark.parametrize(
    ("nonsense", "message"),
    [
        ("0.5", "chance probabilities that do not add up to 1"),
        ("-0.5", "outcome of negative or NaN probability"),
        ("nan", "outcome of negative or NaN probability"),
    ],
)
def test_games_that_talk_nonsense_are_refused_by_exact_tools(nonsense: str, message: str) -> None:
    graph = GameGraph.enumerate(NonsenseGame(nonsense))
    with pytest.raises(ValueError, match=message):
        exact.compiled(graph)


@pytest.mark.parametrize(
    ("nonsense", "message"),
    [
        ("no actions", r"legal_actions\(\) of the game has none where a player is to move"),
        ("no outcomes", r"chance_outcomes\(\) of the game has none where chance is to move"),
        ("one utility", r"returns\(\) of the game must have one utility for each of 2 players"),
        ("infinite", r"returns\(\) of the game must be finite and below 1e100"),
        ("player 5", r"current_player\(\) .* must be a player from 0 to 1 or chance, not 5"),
    ],
)
def test_games_that_cannot_be_walked_are_refused(nonsense: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GameGraph.enumerate(NonsenseGame(nonsense))


def test_exceptions_of_a_game_reach_the_caller() -> None:
    with pytest.raises(KeyError, match="lost the cards"):
        GameGraph.enumerate(NonsenseGame("exception"))


def test_columns_can_be_read_and_nothing_else() -> None:
    kind = KUHN.worlds.kind
    assert (kind[0], kind[-1], kind[:2]) == (1, 0, [1, 1])
    assert list(kind) == np.asarray(kind).tolist()
    assert np.asarray(kind).dtype == np.int32
    assert np.asarray(KUHN.worlds.edge_action).dtype == np.int64
    assert np.asarray(KUHN.worlds.utilities).dtype == np.float64
    np.asarray(kind)[0] = 7  # a copy
    assert kind[0] == 1
    for wrong in (58, -59, 2**40):
        with pytest.raises(IndexError):
            kind[wrong]
    with pytest.raises(TypeError):
        kind[0] = 2  # type: ignore[index]
    with pytest.raises(TypeError):
        memoryview(kind)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        _core.IntColumn()


def test_columns_outlive_their_graph_and_show_its_growth() -> None:
    graph = GameGraph("kuhn_poker")
    worlds, kind = graph.worlds, graph.worlds.kind
    assert len(worlds) == len(kind) == 1
    graph.child(graph.child(0, 2), 0)
    assert len(worlds) == len(kind) == 3
    del graph, worlds
    gc.collect()
    assert list(kind) == [1, 1, 2]


@pytest.mark.parametrize("number", [-1, 10**6, 2**40])
def test_numbers_that_are_no_rows_are_refused(number: int) -> None:
    graph = GameGraph("kuhn_poker")
    graph.observe(graph.state(graph.follow([0, 1])), 0)
    graph.hidden(0)
    for ask in (
        lambda: graph.child(number, 0),
        lambda: graph.child(0, number),
        lambda: graph.history(number),
        lambda: graph.hidden(number),
        lambda: graph.branch(number, 0),
        lambda: graph.branch(0, number),
        lambda: graph.own_next(number, 0),
        lambda: graph.own_next(0, number),
        lambda: graph.unseen(number, 0),
        lambda: graph.unseen(0, number),
        lambda: graph.path_to(number),
        lambda: graph.prior_weights(number),
        lambda: graph.view_along([0, 1], number, False),
        lambda: graph.find_view(number, 0),
        lambda: graph.find_view(0, number),
        lambda: graph.set_of_view(number),
        lambda: graph.log(number),
        lambda: graph.of_log(number, []),
        lambda: KUHN.worlds_of(number),
    ):
        with pytest.raises(IndexError, match="is not one of"):
            ask()


def test_questions_that_make_no_sense_are_refused() -> None:
    graph = GameGraph("kuhn_poker")
    with pytest.raises(ValueError, match="kuhn_poker.*event 7 cannot happen after 1 events"):
        graph.follow([0, 7])
    with pytest.raises(ValueError, match="kuhn_poker.*event 0 that cannot happen"):
        graph.view_along([0, 0], 0, False)
    with pytest.raises(ValueError, match="where nobody moves"):
        graph.path_to(0)
    graph.follow([0, 1])
    with pytest.raises(ValueError, match="in an enumerated graph only"):
        graph.worlds_of(0)
    with pytest.raises(ValueError, match="only an enumerated graph"):
        graph.resolve()
    with pytest.raises(ValueError, match="not enumerated"):
        graph.shown_views()
    with pytest.raises(ValueError, match="seconds must not be negative"):
        graph.find_view(0, 0, -1.0)
    with pytest.raises(ValueError, match="perfect information"):
        GameGraph("tic_tac_toe").of_log(0, [])


def test_a_graph_that_another_thread_makes_grow_is_refused() -> None:
    graph = GameGraph("liars_dice")
    grower = threading.Thread(target=graph.enumerate_worlds, args=(10**6,))
    grower.start()
    questions = (lambda: len(graph.worlds), lambda: graph.worlds.kind[0], lambda: graph.hidden(0))
    refused = set()
    while grower.is_alive():
        for ask in questions:
            try:
                ask()
            except RuntimeError as error:
                refused.add(str(error))
            except IndexError:
                pass  # it has not begun
    grower.join()
    assert refused == {"this graph is being grown by another thread"}
    assert len(graph.worlds) == 294_883


def test_a_compiled_graph_lives_as_long_as_its_graph() -> None:
    graph = GameGraph.enumerate("kuhn_poker")
    assert exact.compiled(graph) is exact.compiled(graph)
    solver = exact.CfrSolver(graph)
    compiled = exact.compiled(graph)
    alive = weakref.ref(graph)
    del graph, compiled
    gc.collect()
    assert alive() is None
    solver.run(10)  # keeps what it needs
    assert solver.average_policy().sum() == pytest.approx(12)


def test_bad_solver_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="not 'cfr_minus'"):
        exact.CfrSolver(KUHN, "cfr_minus")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="must not be negative"):
        exact.CfrSolver(KUHN).run(-1)
    with pytest.raises(TypeError):
        exact.CfrSolver(KUHN).run(1.5)  # type: ignore[arg-type]


def test_ctrl_c_stops_a_long_run() -> None:
    solver = exact.CfrSolver(KUHN)
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    enough_for_many_seconds = 50_000_000
    with pytest.raises(KeyboardInterrupt):
        solver.run(enough_for_many_seconds)
    timer.join()
    stopped_at = solver.iterations
    assert 0 < stopped_at < enough_for_many_seconds
    solver.run(5)
    assert solver.iterations == stopped_at + 5


def test_a_running_solver_refuses_a_second_thread() -> None:
    solver = exact.CfrSolver(KUHN)
    runner = threading.Thread(target=solver.run, args=(3_000_000,))
    runner.start()
    refused = False
    while runner.is_alive() and not refused:
        try:
            solver.average_policy()
        except RuntimeError as error:
            refused = "another thread" in str(error)
    runner.join()
    assert refused
    assert solver.iterations == 3_000_000
