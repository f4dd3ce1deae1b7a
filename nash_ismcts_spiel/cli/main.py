# PYTHON_ARGCOMPLETE_OK
"""Puts the commands together, completes words for shells, and reports what goes wrong."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import pyspiel

import nash_ismcts_spiel
from nash_ismcts_spiel.cli import (
    compare,
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
from nash_ismcts_spiel.cli.common import add_import, import_modules, one_line
from nash_ismcts_spiel.cli.completion import complete
from nash_ismcts_spiel.cli.parser import Parser, examples
from nash_ismcts_spiel.cli.signals import exit_code

_ERROR = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command line (the process's own if None); returns the exit code."""
    try:
        parser = make_parser()
        complete(parser)
        arguments = parser.parse_args(argv)
        if arguments.run is None:
            parser.print_help()
            return 0
        import_modules(arguments.modules)
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
        return exit_code(interrupt)
    return 0


def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = Parser(
        prog="nash-ismcts",
        description="Nash-ISMCTS for OpenSpiel. Results go to standard output, progress and errors "
        "to standard error. Times are wall time if they are called --seconds, and processor time "
        "if they are called --cpu-seconds.",
        epilog=examples(
            "games --filter poker",
            "search --game kuhn_poker --history 0,1,1",
            "train --game leduc_poker --seconds 60 --out out/leduc",
            "exploitability --run out/leduc",
        ),
    )
    version = f"nash-ismcts {nash_ismcts_spiel.__version__}"
    parser.add_argument("--version", action="version", version=version)
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in (
        games, search, train, exploitability, exploit, export, match, compare, inspect, play,
    ):  # fmt: skip
        command.add(commands)
    for command_parser in commands.choices.values():
        add_import(command_parser)
    return parser
