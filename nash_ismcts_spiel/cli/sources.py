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

CHECKPOINT_HELP = (
    "models for this package's searches: a training, a file of networks, or `pretrained` (default: "
    "random rollouts)"
)

Maker = Callable[[int, int], Any]
"""(seat, seed) -> a bot."""


def add_search_settings(command: argparse.ArgumentParser) -> None:
    """Adds the settings of bots that search."""
    command.add_argument(
        "--visits", type=int, metavar="V", help="simulations of each search (default: the bot's)"
    )
    command.add_argument("--checkpoint", metavar="DIR", help=CHECKPOINT_HELP)
    command.add_argument("--repeats", type=int, default=1, help="searches whose mean is measured")


def named(name: str, game: SupportedGame, arguments: argparse.Namespace) -> Any:
    """A policy or what makes bots.

    Args:
      name: `uniform`, `pretrained`, `run:DIR`, a bot of this package, or MODULE:MAKER.
      game: what is played.
      arguments: the settings of searches.
    """
    policies = (UNIFORM, PRETRAINED)
    if name in policies or name.startswith(RUN):
        if arguments.visits is not None or arguments.checkpoint is not None:
            raise ValueError(f"--visits and --checkpoint are for searches, not for {name}")
    if name == UNIFORM:
        return openspiel_policy.UniformRandomPolicy(game.pyspiel_game)
    if name == PRETRAINED:
        return pretrained_policy(game)
    if name.startswith(RUN):
        directory = Path(name.removeprefix(RUN))
        refuse_other_game(directory, game)
        return load_policy(directory)
    if name in BOTS:
        return bot_maker(name, game, arguments)
    if ":" in name:
        return imported_maker(name, game, arguments)
    choices = [*policies, f"{RUN}DIR", *BOTS, "MODULE:MAKER"]
    raise ValueError(f"unknown opponent {name!r}; {did_you_mean(name, choices)}")


def pretrained_policy(game: SupportedGame) -> Any:
    """P of the models of a game that come with the package."""
    from nash_ismcts_spiel.models.networks.saved import pretrained_path  # which needs torch

    return load_policy(pretrained_path(game))


def refuse_other_game(directory: Path, game: SupportedGame) -> None:
    """Raises a ValueError if a run is a training of another game."""
    trained = str(read_config(directory)["game"])
    if trained != game.name:
        raise ValueError(f"{directory} is a training of {trained}, not of {game.name}")


def bot_maker(name: str, game: SupportedGame, arguments: argparse.Namespace) -> Maker:
    """What makes a bot of this package."""
    ours = name in PRESETS
    settings: dict[str, Any] = {"visits" if ours else "simulations": arguments.visits}
    if arguments.checkpoint is not None:
        if not ours:
            raise ValueError(f"--checkpoint is for {', '.join(PRESETS)}, not for {name}")
        settings["evaluator"] = checkpoint_evaluator(arguments.checkpoint, game)
    given = {key: value for key, value in settings.items() if value is not None}
    return lambda seat, seed: make_bot(name, game.pyspiel_game, seat, seed=seed, **given)


def imported_maker(place: str, game: SupportedGame, arguments: argparse.Namespace) -> Maker:
    """What makes a bot of somebody's own, which has no settings from the command line."""
    if arguments.visits is not None or arguments.checkpoint is not None:
        raise ValueError(f"--visits and --checkpoint are for bots by name, not for {place}")
    return own_maker(place, game)


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
