"""Signals that ask a command to end: SIGTERM, as clusters send it, and SIGHUP of a lost terminal.

They are told to the command as Ctrl-C is, by KeyboardInterrupt, so that it saves what it has.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

_SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Ended(KeyboardInterrupt):
    """A signal has asked for the end.

    Attributes:
      signal: its number.
    """

    def __init__(self, number: int, said: str = "") -> None:
        """Takes the signal, and what the user is told."""
        super().__init__(said)
        self.signal = number


def exit_code(interrupt: KeyboardInterrupt) -> int:
    """What shells call a command that a signal has ended."""
    return 128 + (interrupt.signal if isinstance(interrupt, Ended) else signal.SIGINT)


def saying(interrupt: KeyboardInterrupt, said: str) -> KeyboardInterrupt:
    """The same interrupt, with what the user is told."""
    return (
        Ended(interrupt.signal, said) if isinstance(interrupt, Ended) else KeyboardInterrupt(said)
    )


@contextlib.contextmanager
def interrupting() -> Iterator[None]:
    """Within it these signals interrupt, unless they are ignored, as under nohup.

    Only the first one counts: some senders tell a process twice, and the second signal would end
    the saving that the first one began. In other threads than the main one nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {each: signal.getsignal(each) for each in _SIGNALS}
    ours = [each for each, handler in before.items() if handler is signal.SIG_DFL]

    def interrupt(number: int, _: FrameType | None) -> NoReturn:
        for each in ours:
            signal.signal(each, signal.SIG_IGN)
        _leave_terminal()
        raise Ended(number)

    for each in ours:
        signal.signal(each, interrupt)
    try:
        yield
    finally:
        for each in ours:
            signal.signal(each, before[each])


def _leave_terminal() -> None:
    """Sends what is still said nowhere, if the terminal is gone: saving must not fail for it."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # no file of the system's
            descriptor = stream.fileno()
            try:
                os.write(descriptor, b"")
            except OSError:
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, descriptor)
                os.close(nowhere)
