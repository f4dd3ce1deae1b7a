# PYTHON_ARGCOMPLETE_OK
"""Puts the commands together, each from its own module, which is imported by who asks for it alone;
reports what goes wrong.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Mapping, Sequence

import pyspiel

import nash_ismcts_spiel
from nash_ismcts_spiel.cli.common import import_modules, one_line
from nash_ismcts_spiel.cli.parser import Parser, add_import, complete, describe
from nash_ismcts_spiel.cli.signals import exit_code

_ERROR = 2

COMMANDS: Mapping[str, tuple[str, str]] = {
    "games": ("games", "list OpenSpiel's games, how far we go in each, and why some are refused"),
    "search": ("search", "search one position and show what was found"),
    "train": ("train", "train a policy by search"),
    "exploitability": ("measure", "measure a bot or a policy by a best response"),
    "exploit": ("measure", "learn to beat a bot or a policy, and say what that wins"),
    "export": ("export", "write the average policy of a run as JSON, or its networks"),
    "match": ("match", "let bots play each other"),
    "compare": ("compare", "compare methods: exploitability over CPU time"),
    "inspect": ("page", "show one search on a local page: intervals, beliefs, spawned trees"),
    "play": ("page", "play against the bot, in the terminal or on a local page"),
}
"""The module of each command, whose function `add_COMMAND` adds its options, and what it is for."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command line (the process's own if None); returns the exit code."""
    words = sys.argv[1:] if argv is None else list(argv)
    try:
        if "_ARGCOMPLETE" in os.environ:
            complete(make_parser())
        parser = make_parser(next((word for word in words if not word.startswith("-")), ""))
        arguments = parser.parse_args(words)
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


def make_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of all commands, or with the options of one of them alone."""
    parser = Parser(prog="nash-ismcts")
    describe(
        parser,
        None,
        "Nash-ISMCTS for OpenSpiel. Results go to standard output, progress and errors to standard "
        "error. Times are wall time if they are called --seconds, and processor time if they are "
        "called --cpu-seconds.",
        "games --filter poker",
        "search --game kuhn_poker --history 0,1,1",
        "train --game leduc_poker --seconds 60 --out out/leduc",
        "exploitability --run out/leduc",
    )
    version = f"nash-ismcts {nash_ismcts_spiel.__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, (place, purpose) in COMMANDS.items():
        command = commands.add_parser(name, help=purpose)
        if only in (None, name):
            module = importlib.import_module(f"nash_ismcts_spiel.cli.{place}")
            getattr(module, f"add_{name}")(command)
            add_import(command)
    return parser
