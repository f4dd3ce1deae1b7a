"""Progress on standard error: one line, at most 80 columns wide, from two seconds on.

A thread shows it, so that it comes on time whatever is computed. On a terminal the line is renewed
twice a second; a file keeps all of them, and gets one every ten seconds.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Self

from tqdm import tqdm

WIDTH = 79
"""Columns of a line; the last one stays free, or some terminals begin a new line."""

_DELAY = 1.5
_TERMINAL_SECONDS = 0.5
_FILE_SECONDS = 10.0


def fitting(parts: Sequence[str], width: int = WIDTH) -> str:
    """As many of the parts as fit into a line, the first ones before others."""
    line = ""
    for part in parts:
        longer = f"{line}, {part}" if line else part
        if part and len(longer) <= width:
            line = longer
    return line or parts[0][: width - 1] + "…"


class Work:
    """Work that may take long, as a context: tells what it is and how far it has come.

    Attributes:
      what: in words; it may change meanwhile.
    """

    def __init__(
        self,
        what: str,
        total: float | None = None,
        unit: str = "",
        *,
        threaded: bool = True,
        at_once: bool = False,
        leave: bool = False,
        words: Callable[[float], Sequence[str]] | None = None,
    ) -> None:
        """Takes how many units there are, if that is known.

        Without a thread the line is renewed by `update` alone: for work that hides standard error.
        The line comes after a while, or at once, and is taken away in the end, or left behind.
        `words` are what is shown after so many seconds, instead of the count and the time.
        """
        self.what = what
        self._total = total
        self._unit = unit
        self._words = words or self._counted
        self._done = 0.0
        self._at_once = at_once
        self._leave = leave
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True) if threaded else None
        self._line: Any = None

    def update(self, count: float = 1) -> None:
        """So many more units are done."""
        self._done += count
        if self._thread is None and time.monotonic() >= self._due:
            self.show()

    def at(self, done: float, total: float) -> None:
        """So many units of so many are done."""
        self._done, self._total = done, total

    def write(self, text: str) -> None:
        """Adds a line that stays, above this one."""
        tqdm.write(text, file=sys.stderr)

    def show(self) -> None:
        """Renews the line."""
        if self._line is None:
            self._line = tqdm(
                bar_format="{desc}", file=sys.stderr, leave=self._leave, delay=1e-9, miniters=1
            )
        now = time.monotonic()
        self._line.set_description_str(fitting(self._words(now - self._started)))
        self._due = now + (_TERMINAL_SECONDS if sys.stderr.isatty() else _FILE_SECONDS)

    def _counted(self, seconds: float) -> list[str]:
        parts = [self.what, f"{seconds:.0f} s"]
        if self._total is not None:
            parts.insert(1, f"{self._done:,.0f}/{self._total:,.0f} {self._unit}".rstrip())
            if 0 < self._done < self._total:
                left = seconds * (self._total - self._done) / self._done
                parts.append(f"about {left:.0f} s left")
        return parts

    def _run(self) -> None:
        while not self._over.wait(max(self._due - time.monotonic(), 0.0)):
            self.show()

    def __enter__(self) -> Self:
        """Begins."""
        self._started = time.monotonic()
        self._due = self._started + _DELAY
        if self._at_once:
            self.show()
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Takes the line away, or leaves it with the last state."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        if self._line is not None:
            if self._leave:
                self.show()
            self._line.close()
