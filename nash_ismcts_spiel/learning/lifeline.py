"""Processes that end when whoever started them does, however that ends.

The kernel closes the pipes of a process that is killed, so a process that waits for the end of one
whose other side its parent alone holds learns of it, where no signal and no clean-up would.
"""

from __future__ import annotations

import contextlib
import os
import threading
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext


class Lifeline:
    """A pipe from a parent to its processes.

    Attributes:
      end: what the processes are given for `hold`.
    """

    def __init__(self, context: SpawnContext) -> None:
        """Takes the context by which the processes are started."""
        self.end, self._ours = context.Pipe(duplex=False)

    def cut(self) -> None:
        """Ends the processes, whatever they are doing."""
        self._ours.close()
        self.end.close()


def hold(end: Connection) -> None:
    """Lets this process end as soon as its parent has ended or cuts the line."""
    threading.Thread(target=_wait, args=(end,), name="lifeline", daemon=True).start()


def _wait(end: Connection) -> None:
    with contextlib.suppress(EOFError, OSError):
        end.recv_bytes()  # nobody ever writes
    os._exit(1)
