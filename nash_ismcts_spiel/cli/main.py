"""Puts the commands together and reports what goes wrong."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import pyspiel

import nash_ismcts_spiel
from nash_ismcts_spiel.cli import (
    compare,
    evaluate,
    exploit,
    exploitability,
    export,
    games,
    inspect,
    match,
    play,
    search,
    train,
)
from nash_ismcts_spiel.cli.common import Parser, one_line

_ERROR = 2
_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command line (the process's own if None); returns the exit code."""
    try:
        arguments = _parser().parse_args(argv)
        arguments.run(arguments)
        sys.stdout.flush()
    except (ValueError, TypeError, OSError, pyspiel.SpielError) as error:
        if isinstance(error, BrokenPipeError):  # the reader, such as `head`, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(f"nash-ismcts: error: {one_line(error)}", file=sys.stderr)
        return _ERROR
    except ModuleNotFoundError as error:
        if error.name != "torch":  # an extra, whose absence is no fault of the package
            raise
        print(f"nash-ismcts: error: {one_line(error)}", file=sys.stderr)
        return _ERROR
    except KeyboardInterrupt as interrupt:
        print(f"\nnash-ismcts: {str(interrupt) or 'interrupted'}", file=sys.stderr)
        return _INTERRUPTED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="nash-ismcts", description="Nash-ISMCTS for OpenSpiel.")
    version = f"nash-ismcts {nash_ismcts_spiel.__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    measuring = (evaluate, exploitability, exploit)
    for command in (games, search, train, *measuring, export, match, compare, inspect, play):
        command.add(commands)
    return parser
