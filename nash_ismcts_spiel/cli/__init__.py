"""The command `nash-ismcts`. Results go to stdout, progress and errors to stderr, errors in one
line with exit code 2; an interrupted command ends with 130.
"""

from nash_ismcts_spiel.cli.main import main

__all__ = ["main"]
