"""What is measured: bots and policies by the words of a command line."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from open_spiel.python import policy as openspiel_policy

from nash_ismcts_spiel.cli.common import with_present_folder
from nash_ismcts_spiel.cli.rebel import REBEL
from nash_ismcts_spiel.config import PRESETS
from nash_ismcts_spiel.games import SupportedGame
from nash_ismcts_spiel.registry import checkpoint_evaluator, make_bot, registered_bots
from nash_ismcts_spiel.runs import load_policy
from nash_ismcts_spiel.runs.config import read_config
from nash_ismcts_spiel.settings import did_you_mean

UNIFORM, PRETRAINED, RUN = "uniform", "pretrained", "run:"
BOTS = [name for name in registered_bots() if name != REBEL]  # which needs a training

PLAYERS = f"{UNIFORM}, {PRETRAINED} (P of the models that come with the package), {RUN}DIR (P of a "
PLAYERS += f"training), a bot of your own as MODULE:MAKER, or {', '.join(BOTS)}"
"""Who can be named, in words."""

Maker = Callable[[int, int], Any]
"""(seat, seed) -> a bot."""


def add_game(command: argparse.ArgumentParser) -> None:
    """Adds which game it is."""
    command.add_argument("--game", required=True, help="the game, with parameters in parentheses")


def add_search(command: argparse.ArgumentParser, more: str = "") -> None:
    """Adds the models and the length of searches; `more` are other things that have one."""
    what = f"simulations of each search{more} (default: the bot's)"
    command.add_argument("--visits", type=int, metavar="V", help=what)
    command.add_argument(
        "--checkpoint",
        metavar="DIR",
        help="models for this package's searches: a training, a file of networks, or `pretrained` "
        "(default: random rollouts)",
    )


def add_search_settings(command: argparse.ArgumentParser) -> None:
    """Adds the settings of bots that search and are measured."""
    add_search(command)
    command.add_argument("--repeats", type=int, default=1, help="searches whose mean is measured")


def named(name: str, game: SupportedGame, arguments: argparse.Namespace) -> Any:
    """A policy, or what makes bots, which alone has settings.

    Args:
      name: `uniform`, `pretrained`, `run:DIR`, a bot of this package, or MODULE:MAKER.
      game: what is played.
      arguments: the settings of searches.
    """
    if name in BOTS:
        return bot_maker(name, game, arguments)
    if arguments.visits is not None or arguments.checkpoint is not None:
        raise ValueError(f"--visits and --checkpoint are for bots by name, not for {name}")
    return without_settings(name, game)


def without_settings(name: str, game: SupportedGame) -> Any:
    """A policy, or what makes bots of somebody's own."""
    if name == UNIFORM:
        return openspiel_policy.UniformRandomPolicy(game.pyspiel_game)
    if name == PRETRAINED:
        return pretrained_policy(game)
    if name.startswith(RUN):
        directory = Path(name.removeprefix(RUN))
        refuse_other_game(directory, game)
        return load_policy(directory)
    if ":" in name:
        return own_maker(name, game)
    choices = [UNIFORM, PRETRAINED, f"{RUN}DIR", *BOTS, "MODULE:MAKER"]
    raise ValueError(f"unknown player {name!r}; {did_you_mean(name, choices)}")


def pretrained_policy(game: SupportedGame) -> Any:
    """P of the models of a game that come with the package."""
    from nash_ismcts_spiel.models.networks.saved import pretrained_path  # which needs torch

    return load_policy(pretrained_path(game))


def refuse_other_game(directory: Path, game: SupportedGame) -> None:
    """Raises a ValueError if a run is a training of another game."""
    trained = str(read_config(directory)["game"])
    if trained != game.name:
        raise ValueError(f"{directory} is a training of {trained}, not of {game.name}")


def bot_maker(
    name: str, game: SupportedGame, arguments: argparse.Namespace, seconds: float | None = None
) -> Maker:
    """What makes a bot of this package."""
    evaluator = None
    if arguments.checkpoint is not None:
        if name not in PRESETS:
            raise ValueError(f"--checkpoint is for {', '.join(PRESETS)}, not for {name}")
        evaluator = checkpoint_evaluator(arguments.checkpoint, game)
    return searching(name, game, arguments.visits, seconds, evaluator)


def searching(
    name: str, game: SupportedGame, visits: int | None, seconds: float | None, evaluator: Any
) -> Maker:
    """What makes a bot of this package with settings, each None for the bot's own; models are for
    the searches of this package.
    """
    ours = name in PRESETS
    settings = {
        "visits" if ours else "simulations": visits,
        "seconds" if ours else "seconds_per_move": seconds,
        "evaluator": evaluator if ours else None,
    }
    given = {key: value for key, value in settings.items() if value is not None}
    return lambda seat, seed: make_bot(name, game.pyspiel_game, seat, seed=seed, **given)


def own_maker(place: str, game: SupportedGame) -> Maker:
    """What makes a bot of somebody's own, by MODULE:MAKER."""
    module, _, name = place.partition(":")
    with_present_folder()
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{place} cannot be imported: {error}") from error
    if not callable(found):
        raise ValueError(f"{place} cannot be called to make a bot")
    made: Callable[..., Any] = found
    return lambda seat, seed: made(game.pyspiel_game, seat, seed=seed)
