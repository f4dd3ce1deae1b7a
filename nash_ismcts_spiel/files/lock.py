"""One writer per directory: a lock of the operating system, which ends with its process.

The file stays when the lock is let go of; whether it is there says nothing. Readers need no lock.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import filelock

LOCK = "writer.lock"


class BusyError(ValueError):
    """Another process, or another part of this one, is writing there."""


@contextlib.contextmanager
def writing(directory: Path) -> Iterator[None]:
    """Keeps all others from writing in a directory that is there.

    Raises:
      BusyError: somebody else does.
    """
    # Each holder has a lock of its own, also within a process and from whatever thread it ends.
    lock = filelock.FileLock(directory / LOCK, timeout=0, thread_local=False)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise BusyError(
            f"{directory} is in use: another process writes there; wait until it has ended, "
            "or choose another --out"
        ) from None
    try:
        yield
    finally:
        lock.release()
