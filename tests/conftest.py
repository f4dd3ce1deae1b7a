"""Fixtures: enumerated graphs, which are slow enough to share and never change what they mean."""

from __future__ import annotations

import functools
import signal
import sys
from collections.abc import Callable

import pytest

from nash_ismcts_spiel.games import GameGraph

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As under `nohup`. Tests of interruption would wait for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps progress away, which a slow machine would show where a test looks at standard error."""
    if "nash_ismcts_spiel.cli.bars" in sys.modules:
        monkeypatch.setattr(sys.modules["nash_ismcts_spiel.cli.bars"], "_DELAY", 1e6)


@pytest.fixture(scope="session")
def enumerated() -> Callable[[str], GameGraph]:
    """Gives the enumerated graph of a game by name, the same one each time."""
    return functools.cache(GameGraph.enumerate)
