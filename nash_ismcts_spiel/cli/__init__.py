"""The command `nash-ismcts`. Results go to stdout, progress and errors to stderr, errors in one
line with exit code 2; a command that a signal interrupts ends with 128 plus its number, 130 for
Ctrl-C.
"""

from nash_ismcts_spiel.cli.main import main

__all__ = ["main"]
