"""What the benchmarks share: rates, medians over rounds in turn, progress on stderr."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

Action = Callable[[], object]


def rate(action: Action, seconds: float) -> float:
    """Calls per second: at least one call, and as many as begin within `seconds`."""
    calls = 0
    started = time.perf_counter()
    while True:
        action()
        calls += 1
        elapsed = time.perf_counter() - started
        if elapsed >= seconds:
            return calls / elapsed


def rates_in_turn(actions: dict[str, Action], rounds: int, seconds: float) -> dict[str, float]:
    """Median calls per second of several actions, each measured once a round."""
    found: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            found[name].append(rate(action, seconds))
    return {name: statistics.median(rates) for name, rates in found.items()}


def report(message: str) -> None:
    """Progress goes to stderr, so that stdout holds results only."""
    print(message, file=sys.stderr, flush=True)
