"""Random command lines of `nash-ismcts`, made from the options that its parsers know.

A line ends with code 0 or help, with code 2 and one line that says why, or it is interrupted after
a moment. Anything else, a traceback above all, is a finding.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn
from unittest import mock

import numpy as np
import parsers

from nash_ismcts_spiel import cli
from nash_ismcts_spiel.cli.main import make_parser

MOMENT = 1.0
"""Seconds after which a command is interrupted, which may be endless by its settings."""

NUMBERS = ["0", "1", "2", "3", "-1", "0.5", "nan", "inf", "-inf", "1e-9", "1e400", "x", "", "²"]
NUMBERS += ["0x1", "1_0", " 1", "9" * 40, "1,2", "[1]", "-0.0", "1e308", "5e-324", "2147483648"]
GAMES = ["kuhn_poker", "leduc_poker", "kuhn_poker(players=3)", "tic_tac_toe", "goofspiel"]
GAMES += ["liars_dice(numdice=1,dice_sides=2)", "matching_pennies_3p", "python_kuhn_poker"]
GAMES += ["nfg_game", "efg_game", "blotto", "mfg_crowd_modelling", "no_game", "", "kuhn_poker("]
GAMES += ["kuhn_poker(players=99)", "kuhn_poker(x=1)", "turn_based_simultaneous_game", "²", "\n"]
GAMES += ["misere(game=kuhn_poker())", "repeated_game", "normal_form_extensive_game", "negotiation"]
TEXTS = ["", "x", "nan", "0", "0,1", "0,1,1", "-1", "a=b", "nash_ismcts", "ismcts_openspiel", "oos"]
TEXTS += ["uniform", "pretrained", "rebel", "mt_ismcts", "random", "json", "os", "os:path", "²"]
TEXTS += ["visits=5", "visits=x", "search.c_puct=nan", "seed=a", "visits=9e999", "networks={}"]
WORKERS = ["0", "-1", "x", "1", "", "1.5"]
LEAST = {
    "match": ["--hands", "1"],
    "train": ["--seconds", "0.2"],
    "compare": ["--cpu-seconds", "0.2", "--seeds", "1"],
    "exploit": ["--seconds", "0.2"],
}
"""What most lines of a command get, or hardly one would end by itself."""


class Lines:
    """Draws command lines."""

    def __init__(self, folder: Path) -> None:
        """What commands write goes to a folder."""
        found = make_parser()._subparsers
        assert found is not None
        self._commands: dict[str, Any] = dict(found._group_actions[0].choices or {})
        self._folder = folder

    def draw(self, rng: np.random.Generator) -> list[str]:
        """One line: a command, some options with values, and now and then a stray word."""
        name = str(rng.choice(list(self._commands)))
        parser, words = self._commands[name], [name]
        options = [each for each in parser._actions if "--ray" not in each.option_strings]
        for option in options:
            if option.required or rng.random() < 0.25:
                words += self._given(option, rng)
        if rng.random() < 0.7 and any("--game" in each.option_strings for each in options):
            words += ["--game", _any(GAMES[:4], rng)]
        if rng.random() < 0.9:
            words += [w for w in LEAST.get(name, [])]
        if rng.random() < 0.05:
            words.insert(int(rng.integers(len(words) + 1)), _any(TEXTS + NUMBERS, rng))
        return [word.replace("\0", "") for word in words]

    def _given(self, option: argparse.Action, rng: np.random.Generator) -> list[str]:
        flag = [option.option_strings[-1]] if option.option_strings else []
        if option.nargs == 0:
            return flag
        count = int(rng.integers(1, 3)) if option.nargs in ("+", "*") else 1
        return flag + [self._value(option, rng) for _ in range(count)]

    def _value(self, option: argparse.Action, rng: np.random.Generator) -> str:
        if option.dest == "workers":
            return _any(WORKERS, rng)
        if option.dest == "game":
            return _any(GAMES, rng)
        if option.choices is not None and rng.random() < 0.8:
            return _any(list(map(str, option.choices)), rng)
        if option.type in (int, float):
            return _any(NUMBERS, rng)
        if option.type is Path or option.dest in ("run", "models", "out"):
            return self._path(rng)
        return _any(TEXTS + NUMBERS + GAMES, rng)

    def _path(self, rng: np.random.Generator) -> str:
        new = [str(self._folder / f"new-{rng.integers(1000)}") for _ in range(3)]
        known = [str(parsers.RUN), str(parsers.MODELS), str(parsers.COMPARISON), "pretrained"]
        return _any([*new, *known, str(self._folder), os.devnull, "/dev/null/x", ""], rng)


def _any(words: list[str], rng: np.random.Generator) -> str:
    return words[int(rng.integers(len(words)))]


@contextlib.contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """As if Ctrl-C was pressed then."""

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def run(words: list[str]) -> int:
    """Runs a command line in this process; the exit code.

    Raises:
      parsers.Finding: it ends as it should not.
    """
    out, err = io.StringIO(), io.StringIO()
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(out))
        stack.enter_context(contextlib.redirect_stderr(err))
        stack.enter_context(mock.patch("sys.stdin", io.StringIO("0\n1\nx\n")))
        stack.enter_context(mock.patch("webbrowser.open", return_value=True))
        try:
            with interrupted_after(MOMENT):
                code = cli.main(words)
        except KeyboardInterrupt:  # just before or after the command's own look-out for it
            return 130
        except SystemExit as end:  # --help and --version
            return int(end.code or 0)
        except Exception as error:
            raise parsers.Finding(f"{words}: {type(error).__name__}: {error}") from error
    said = [line for line in err.getvalue().splitlines() if line.startswith("nash-ismcts: error")]
    if code not in (0, 2, 130) or len(said) != (code == 2):
        raise parsers.Finding(f"{words} ended with {code} and said {err.getvalue()!r}")
    return code
