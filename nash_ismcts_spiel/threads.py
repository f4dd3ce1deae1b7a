"""One thread at a time: who comes second is refused, and not made to wait.

A bot that another thread is using has trees and rows half made. Waiting would hide the mistake, and
could wait for ever where a bot is asked by what it is waiting for.
"""

from __future__ import annotations

import threading
from types import TracebackType


class OneThread:
    """Entered by one thread at a time, as a context."""

    def __init__(self, what: str) -> None:
        """Names what is kept for one thread, for the message of the refusal."""
        self._what = what
        self._taken = threading.Lock()

    def __enter__(self) -> None:
        """Enters.

        Raises:
          RuntimeError: somebody else is inside.
        """
        if not self._taken.acquire(blocking=False):
            raise RuntimeError(
                f"this {self._what} is being used by another thread; give each thread one of its "
                "own, by clone()"
            )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leaves."""
        self._taken.release()
