"""Completion of words in shells, by argcomplete (the extra `completion`); nothing without it.

`eval "$(register-python-argcomplete nash-ismcts)"` switches it on in bash and zsh.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from nash_ismcts_spiel.baselines import METHODS
from nash_ismcts_spiel.cli.common import registered


def complete(parser: argparse.ArgumentParser) -> None:
    """Answers a shell that asks for words, which ends the process; else returns at once."""
    try:
        import argcomplete
    except ModuleNotFoundError:
        return
    _add_words(parser, {"game": registered(), "games": registered(), "methods": METHODS})
    argcomplete.autocomplete(parser)


def _add_words(parser: argparse.ArgumentParser, words: dict[str, Iterable[str]]) -> None:
    """Tells argcomplete what options take that argparse has no list of."""
    from argcomplete.completers import ChoicesCompleter

    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _add_words(command, words)
        elif action.dest in words and action.option_strings and action.nargs != 0:
            listed = dict.fromkeys(sorted(words[action.dest]), "")
            action.completer = ChoicesCompleter(listed)  # type: ignore[attr-defined]
