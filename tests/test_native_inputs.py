"""What the exact tools do with input that is wrong, or with interruptions: exceptions, no crash."""

from __future__ import annotations

import copy
import gc
import os
import signal
import threading
import weakref
from array import array
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from stalling_game import StallingGame

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.native import _core, exact

KUHN = GameGraph.enumerate("kuhn_poker")
UNIFORM = np.full(len(KUHN.information_sets.action), 0.5)


def fake_graph(graph: GameGraph = KUHN) -> Any:
    """A copy of a graph's tables that a test may spoil."""
    return SimpleNamespace(
        game=SimpleNamespace(num_players=graph.game.num_players),
        worlds=copy.deepcopy(graph.worlds),
        information_sets=copy.deepcopy(graph.information_sets),
        samples=copy.deepcopy(graph.samples),
    )


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
    with pytest.raises(TypeError, match="expected a GameGraph"):
        _core.CompiledGraph(3)


@pytest.mark.parametrize(
    ("table", "column", "value", "error", "message"),
    [
        ("worlds", "kind", array("q", KUHN.worlds.kind), TypeError, "kind must be .* int32"),
        ("worlds", "kind", list(KUHN.worlds.kind), TypeError, "kind must be .* int32, not .*list"),
        ("worlds", "utilities", array("f", KUHN.worlds.utilities), TypeError, "float64"),
        ("worlds", "edge_action", array("i", [0]), TypeError, "edge_action must be .* int64"),
        ("worlds", "view", KUHN.worlds.view[:-1], ValueError, "view has 115 rows, not 116"),
        ("worlds", "parent", KUHN.worlds.parent[1:], ValueError, "parent has 57 rows, not 58"),
        ("worlds", "utilities", KUHN.worlds.utilities[1:], ValueError, "utilities has 59 rows"),
        ("information_sets", "action", array("q"), ValueError, "own_next has 24 rows, not 0"),
        ("samples", "target", array("i", [0]), ValueError, "target has 1 rows, not 0"),
    ],
)
def test_a_column_of_the_wrong_type_or_size_is_refused(
    table: str, column: str, value: Any, error: type[Exception], message: str
) -> None:
    fake = fake_graph()
    setattr(getattr(fake, table), column, value)
    with pytest.raises(error, match=message):
        _core.CompiledGraph(fake)


CHECKED_COLUMNS = {
    "worlds": [
        "kind", "player", "information_set", "first_edge", "edge_count", "utility_row",
        "edge_child", "edge_action", "edge_probability", "utilities",
    ],
    "information_sets": ["player", "first_action", "action_count", "action"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("table", "column"),
    [(table, column) for table, names in CHECKED_COLUMNS.items() for column in names],
)
def test_numbers_out_of_range_are_refused(table: str, column: str) -> None:
    refused = 0
    for row in range(len(getattr(getattr(KUHN, table), column))):
        for value in (-(2**31), -7, 10**6, 2**31 - 1, float("nan")):
            fake = fake_graph()
            cells = getattr(getattr(fake, table), column)
            if cells.typecode != "d" and value != value:
                continue
            cells[row] = value if cells.typecode == "d" else int(value)
            try:
                compiled = _core.CompiledGraph(fake)
            except ValueError:
                refused += 1
            else:  # a number that matters to nobody, as the player of a chance world
                assert np.isfinite(compiled.expected_utilities(UNIFORM)).all()
    assert refused > 0


def test_a_player_who_forgets_is_refused() -> None:
    fake = fake_graph(GameGraph.enumerate(StallingGame()))
    fake.worlds.information_set = array(
        "i", [4 if number == 5 else number for number in fake.worlds.information_set]
    )
    with pytest.raises(ValueError, match="imperfect recall"):
        _core.CompiledGraph(fake)


def test_arrays_cannot_grow_while_they_are_read() -> None:
    class Growing(SimpleNamespace):
        """Whoever asks for the last table first makes the first one grow and shrink again."""

        @property
        def samples(self) -> Any:
            self.worlds.kind.append(0)
            self.worlds.kind.pop()
            return KUHN.samples

    fake = fake_graph()
    growing = Growing(game=fake.game, worlds=fake.worlds, information_sets=fake.information_sets)
    assert growing.samples is KUHN.samples
    with pytest.raises(BufferError):
        _core.CompiledGraph(growing)
    assert growing.samples is KUHN.samples  # the arrays are free again


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
            refused = "already running" in str(error)
    runner.join()
    assert refused
    assert solver.iterations == 3_000_000
