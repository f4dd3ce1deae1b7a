"""The parser of all commands, and the options that several of them have: help with defaults and
examples, mistakes in one line that names what was probably meant, words completed for shells.

Options are written in full, so that a new one never changes what an old command line means. Two
names of time are kept apart: `--seconds` is wall time in every command, `--cpu-seconds` is
processor time. `eval "$(register-python-argcomplete nash-ismcts)"` switches completion on in bash
and zsh, where argcomplete (the extra `completion`) is installed.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, TypeVar

from nash_ismcts_spiel.cli.common import registered
from nash_ismcts_spiel.config import PRESETS
from nash_ismcts_spiel.files import parse_json
from nash_ismcts_spiel.schedule import Schedule
from nash_ismcts_spiel.settings import Settings, did_you_mean

_EXAMPLES = "examples:\n"
_TIMES = {
    "--seconds": ("--cpu-seconds", "--seconds is wall time, and this command counts CPU time"),
    "--cpu-seconds": ("--seconds", "--cpu-seconds is CPU time, and this command counts wall time"),
}
"""The other name of a time, and what to say to a user who took the wrong one."""


def describe(
    command: argparse.ArgumentParser,
    run: Callable[[argparse.Namespace], None] | None,
    description: str,
    *examples: str,
) -> None:
    """Says what runs a command, what it does, and how: lines without the name of the program."""
    command.set_defaults(run=run)
    command.description = description
    command.epilog = _EXAMPLES + "\n".join(f"  nash-ismcts {line}" for line in examples)


def add_game(command: argparse.ArgumentParser) -> None:
    """Adds which game it is."""
    command.add_argument("--game", required=True, help="the game, with parameters in parentheses")


def add_import(command: argparse.ArgumentParser) -> None:
    """Adds the option by which games of one's own become known."""
    command.add_argument(
        "--import",
        action="append",
        default=[],
        dest="modules",
        metavar="MODULE",
        help="import a Python module first, such as one that registers a game of your own; it may "
        "lie in the present folder; can be given several times",
    )


def add_preset(command: argparse.ArgumentParser) -> None:
    """Adds which search of this package it is."""
    command.add_argument("--bot", choices=list(PRESETS), default="nash_ismcts", help="which search")


def add_models(command: argparse.ArgumentParser) -> None:
    """Adds the models of searches, under an older name too."""
    command.add_argument(
        "--models",
        "--checkpoint",
        metavar="MODELS",
        help="of this package's searches: `pretrained`, the directory of a training, or a file of "
        "networks (default: random rollouts)",
    )


def add_search(command: argparse.ArgumentParser, more: str = "") -> None:
    """Adds the models and the length of searches; `more` are other things that have one."""
    what = f"simulations of each search{more} (default: the bot's)"
    command.add_argument("--visits", type=int, metavar="V", help=what)
    add_models(command)


def add_move_seconds(command: argparse.ArgumentParser) -> None:
    """Adds the time of searches."""
    what = "wall time of each search (default: no limit but its visits)"
    command.add_argument("--seconds-per-move", type=float, metavar="S", help=what)


def add_history(container: Any, default: str) -> None:
    """Adds the position that is looked at."""
    what = f"moves and chance outcomes, as OpenSpiel numbers them, before it (default: {default})"
    container.add_argument("--history", metavar="0,1,1", help=what)


def add_seed(command: argparse.ArgumentParser, what: str) -> None:
    """Adds what randomness begins with."""
    command.add_argument("--seed", type=int, default=0, help=f"of {what} (default 0)")


def add_json(command: argparse.ArgumentParser, what: str = "") -> None:
    """Adds the option by which standard output is one JSON document."""
    text = f"print one JSON document{what}, and nothing else, on standard output"
    command.add_argument("--json", action="store_true", help=text)


def check_numbers(arguments: argparse.Namespace, *positive: str) -> None:
    """Refuses a negative seed, and what is neither left out nor positive, by the option's name."""
    if arguments.seed is not None and arguments.seed < 0:
        raise ValueError(f"--seed must not be negative, not {arguments.seed}")
    for name in positive:
        value = getattr(arguments, name)
        if value is not None and not (value > 0 and math.isfinite(value)):
            raise ValueError(f"--{name.replace('_', '-')} must be positive, not {value}")


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


def complete(parser: argparse.ArgumentParser) -> None:
    """Answers a shell that asks for words, which ends the process; else returns at once."""
    try:
        import argcomplete
    except ModuleNotFoundError:
        return
    from nash_ismcts_spiel.baselines import METHODS

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


Config = TypeVar("Config", bound=Settings)


def add_set(command: argparse.ArgumentParser, what: str) -> None:
    """Adds the option; `what` says whose fields, with an example."""
    command.add_argument(
        "--set", action="append", default=[], metavar="NAME=JSON", help=f"change a field of {what}"
    )


def changed(config: Config, texts: Sequence[str]) -> Config:
    """A config with fields changed, each by a text NAME=JSON; a later text has the last word.

    A dot leads into a config inside the config and leaves its other fields as they are, and so does
    a JSON object for it; a schedule is one value.

    Raises:
      ValueError: a text is not of that form, or a name is no field.
    """
    settings: dict[str, Any] = config.to_dict()
    for text in texts:
        path, value = _parsed(text)
        *outer, name = path.split(".")
        inside = settings
        for number, part in enumerate(outer):
            inside = inside.setdefault(part, {})
            if not isinstance(inside, dict):
                before = ".".join(outer[: number + 1])
                raise ValueError(f"--set {path}: {before} has no fields of its own")
        if isinstance(value, dict) and isinstance(getattr(config, path, None), Settings):
            whole = isinstance(getattr(config, path), Schedule)
            value = value if whole else {**inside[name], **value}
        inside[name] = value
    return type(config).from_dict(settings)


def plain(texts: Sequence[str]) -> dict[str, Any]:
    """The settings that texts NAME=JSON give, for a config without others inside it."""
    return dict(_parsed(text) for text in texts)


def _parsed(text: str) -> tuple[str, Any]:
    """NAME=JSON; a bare word is a string."""
    name, equals, value = text.partition("=")
    if not equals or not all(name.split(".")):
        raise ValueError(f"--set needs NAME=JSON, not {text!r}")
    try:
        return name, parse_json(value)
    except json.JSONDecodeError:
        return name, value
    except ValueError as error:
        raise ValueError(f"--set {name}: {error}") from None
