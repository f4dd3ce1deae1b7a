"""What threads share: models of one evaluator, rows, and searches that their caller drops."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pyspiel
import pytest
from test_native_search import random_evaluator

from nash_ismcts_spiel import SearchConfig, make_bot
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.engine import new_search
from nash_ismcts_spiel.native.exact import exact_rows

SIDE_BY_SIDE = """
import threading
import pyspiel
from nash_ismcts_spiel import make_bot
from nash_ismcts_spiel.models import RolloutEvaluator

game = pyspiel.load_game("leduc_poker")
state = game.new_initial_state()
for action in (0, 3):
    state.apply_action(action)
evaluator = RolloutEvaluator(game, rollouts=64)
bot = make_bot("NAME", game, 0, evaluator=evaluator, seed=1, visits=300)
found = {}

def play(name):
    found[name] = [bot.clone().get_policy(state) for _ in range(4)]

play("alone")
threads = [threading.Thread(target=play, args=(name,)) for name in ("one", "other")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert found["one"] == found["other"] == found["alone"], found
"""


@pytest.mark.parametrize("name", ["nash_ismcts", "nash_ismcts_notes"])
def test_clones_search_in_threads_of_their_own(name: str) -> None:
    """In a process of its own: shared memory may end it."""
    script = SIDE_BY_SIDE.replace("NAME", name)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


def test_no_clock_decides_simulations_side_by_side() -> None:
    """In a long game a turn ends inside simulations, wherever the clock has come by then."""
    game = pyspiel.load_game("gin_rummy")
    rng = np.random.default_rng(0)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(int(rng.choice(state.legal_actions())))
    settings: dict[str, Any] = {"visits": 64, "parallel_simulations": 64, "seed": 2}
    found = []
    for _ in range(3):
        bot = make_bot("nash_ismcts_notes", game, state.current_player(), **settings)
        result = bot.search(state)
        found.append((result.visits, result.policy, result.simulations))
    assert found[0] == found[1] == found[2]


class UnderWay:
    """A long search in a thread: `searches` is the list that it was called with."""

    def __init__(self) -> None:
        evaluator = random_evaluator("leduc_poker")
        self.graph = evaluator.graph
        self.rows = exact_rows(self.graph, evaluator.policy)
        self.searches = [new_search(self.graph, SearchConfig())]
        self.searches[0].begin(self.graph, 0, 2_000_000, np.random.default_rng(0))
        arguments: Any = (self.graph, self.rows, None, self.searches, 300_000)
        self.thread = threading.Thread(target=_core.advance, args=arguments)
        self.thread.start()
        search = self.searches[0]
        while self.thread.is_alive():
            try:
                search.found_at(self.rows, 0)
            except RuntimeError:
                return
            except ValueError:
                pass  # it has not started yet

    def put_set(self) -> None:
        """Writes the row of the first information set."""
        count = self.graph.information_sets.action_count[0]
        policy = np.full(count, 1.0 / count)
        ids = np.zeros(1, dtype=np.int32)
        self.rows.put_sets(self.graph, ids, policy, np.zeros(1), np.zeros(count))


def test_rows_are_not_changed_while_a_search_reads_them() -> None:
    under_way = UnderWay()
    refused = False
    while under_way.thread.is_alive() and not refused:
        try:
            under_way.put_set()
        except RuntimeError as error:
            refused = "another thread" in str(error)
    under_way.thread.join()
    assert refused
    under_way.put_set()


def test_a_search_under_way_is_kept_alive() -> None:
    under_way = UnderWay()
    watched = weakref.ref(under_way.searches[0])
    under_way.searches.clear()
    gc.collect()
    assert under_way.thread.is_alive()
    assert watched() is not None
    under_way.thread.join()


@pytest.mark.parametrize(("information_set", "earlier"), [(0, -1), (-1, 0)])
def test_no_trees_are_kept_for_numbers_that_are_none(information_set: int, earlier: int) -> None:
    evaluator = random_evaluator("kuhn_poker")
    search = new_search(evaluator.graph, SearchConfig())
    with pytest.raises(ValueError, match="negative"):
        search.keep(information_set, earlier)
