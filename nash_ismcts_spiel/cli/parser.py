"""The parser of all commands: help with defaults and examples, mistakes in one line that names
what was probably meant.

Options are written in full, so that a new one never changes what an old command line means. Two
names of time are kept apart: `--seconds` is wall time in every command, `--cpu-seconds` is
processor time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from nash_ismcts_spiel.settings import did_you_mean

_EXAMPLES = "examples:\n"
_TIMES = {
    "--seconds": ("--cpu-seconds", "--seconds is wall time, and this command counts CPU time"),
    "--cpu-seconds": ("--seconds", "--cpu-seconds is CPU time, and this command counts wall time"),
}
"""The other name of a time, and what to say to a user who took the wrong one."""


def examples(*commands: str) -> str:
    """An epilog of command lines, each without the name of the program."""
    return _EXAMPLES + "\n".join(f"  nash-ismcts {command}" for command in commands)


class _Help(argparse.HelpFormatter):
    """Wraps descriptions, leaves examples as they are, and adds defaults that are not said."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith(_EXAMPLES):
            return text
        return super()._fill_text(text, width, indent)

    def _get_help_string(self, action: argparse.Action) -> str:
        text = action.help or ""
        plain = action.default is None or action.default is False or action.default == []
        if plain or action.default == argparse.SUPPRESS or "default" in text:
            return text
        return f"{text} (default %(default)s)".strip()


class Parser(argparse.ArgumentParser):
    """Reports a wrong command line as any other error: in one line, with the nearest right one."""

    def __init__(self, **settings: Any) -> None:
        """As argparse, but without abbreviations."""
        super().__init__(**{"formatter_class": _Help, "allow_abbrev": False, **settings})

    def error(self, message: str) -> NoReturn:
        """Raises what `main` prints."""
        raise ValueError(f"{message} (see {self.prog} --help)")

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """As argparse; an unknown option is told before all that is missing because of it."""
        given = sys.argv[1:] if args is None else list(args)
        for word in given:
            if word == "--" or (self._subparsers is not None and not word.startswith("-")):
                break  # the words after a command are the command's
            if word.startswith("--") and " " not in word:
                self._refuse_unknown(word.partition("=")[0])
        return super().parse_known_args(given, namespace)

    def _refuse_unknown(self, option: str) -> None:
        known = self._option_string_actions
        if option in known:
            return
        instead, reason = _TIMES.get(option, ("", ""))
        if instead in known:
            self.error(f"unknown option {option}: {reason}: {instead}")
        words = [name for name in known if name.startswith("--")]
        self.error(f"unknown option {option}; {did_you_mean(option, words)}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            hint = did_you_mean(str(value), map(str, action.choices))
            what = "command" if isinstance(action, argparse._SubParsersAction) else "choice"
            raise argparse.ArgumentError(action, f"invalid {what} {value!r}; {hint}")
