"""Quiet OpenSpiel: its C++ prints an error before it raises an exception that says the same."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def silent_stderr() -> Iterator[None]:
    """Keeps what OpenSpiel's C++ prints about an error to itself; the exception says it too."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with open(os.devnull, "w") as sink:
            os.dup2(sink.fileno(), 2)
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
