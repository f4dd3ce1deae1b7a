"""What threads share: models of one evaluator, rows, and searches that their caller drops."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from test_native_search import random_evaluator

from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.engine import new_search
from nash_ismcts_spiel.native.models import exact_rows

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
bot = make_bot("nash_ismcts_notes", game, 0, evaluator=evaluator, seed=1, visits=300)
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


def test_clones_search_in_threads_of_their_own() -> None:
    """In a process of its own: shared memory may end it."""
    done = subprocess.run(
        [sys.executable, "-c", SIDE_BY_SIDE], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
