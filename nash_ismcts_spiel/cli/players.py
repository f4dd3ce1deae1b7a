"""Who is measured or plays, by the words of a command line: a policy, or what makes bots."""

from __future__ import annotations

import argparse
import functools
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyspiel
from open_spiel.python import policy as openspiel_policy

from nash_ismcts_spiel.cli.common import with_present_folder
from nash_ismcts_spiel.config import PRESETS
from nash_ismcts_spiel.games import SupportedGame
from nash_ismcts_spiel.harness import PolicyBot
from nash_ismcts_spiel.registry import checkpoint_evaluator, make_bot, registered_bots
from nash_ismcts_spiel.runs import load_policy
from nash_ismcts_spiel.runs.config import read_config, stored_settings
from nash_ismcts_spiel.settings import did_you_mean

UNIFORM, PRETRAINED, REBEL, RUN = "uniform", "pretrained", "rebel", "run:"
BOTS = [name for name in registered_bots() if name != REBEL]  # which needs a training

PLAYERS = f"{UNIFORM}, {PRETRAINED} (P of the models that come with the package), {RUN}DIR (P of a "
PLAYERS += f"training), a bot of your own as MODULE:MAKER, or {', '.join(BOTS)}"
"""Who can be named, in words."""

Maker = Callable[[int, int], Any]
"""(seat, seed) -> a bot."""


class Players:
    """Finds players of one game by name.

    Attributes:
      visits, seconds: of each search; None for the bot's own.
      models: of this package's searches, as they were named; None for random rollouts.
    """

    def __init__(self, game: SupportedGame, arguments: argparse.Namespace) -> None:
        """Takes the settings of searches from the arguments of a command."""
        self._game = game
        self.visits: int | None = arguments.visits
        self.seconds: float | None = getattr(arguments, "seconds_per_move", None)
        self.models: str | None = arguments.models

    @functools.cached_property
    def evaluator(self) -> Any:
        """The models, None for random rollouts.

        Raises:
          ValueError: there are no such models, or they are of another game.
        """
        return None if self.models is None else checkpoint_evaluator(self.models, self._game)

    def named(self, name: str) -> Any:
        """A policy, or what makes bots.

        Args:
          name: `uniform`, `pretrained`, `run:DIR`, a bot of this package, or MODULE:MAKER.
        """
        if name in BOTS:
            return self.searching(name, self.visits)
        if name == UNIFORM:
            return openspiel_policy.UniformRandomPolicy(self._game.pyspiel_game)
        if name == PRETRAINED:
            return pretrained_policy(self._game)
        if name.startswith(RUN):
            return policy_of_run(Path(name.removeprefix(RUN)), self._game)
        if ":" in name:
            return _own_maker(name, self._game)
        if name == REBEL:
            raise ValueError(f"{REBEL} needs a training: {RUN}DIR")
        choices = [UNIFORM, PRETRAINED, f"{RUN}DIR", *BOTS, "MODULE:MAKER"]
        raise ValueError(f"unknown player {name!r}; {did_you_mean(name, choices)}")

    def alone(self, name: str) -> Any:
        """The same where nobody else is named: settings that mean nothing to it are refused."""
        if name not in BOTS and (self.visits is not None or self.models is not None):
            raise ValueError(f"--visits and --models are for bots by name, not for {name}")
        if name not in PRESETS and self.models is not None:
            raise ValueError(f"--models is for {', '.join(PRESETS)}, not for {name}")
        return self.named(name)

    def seated(self, name: str) -> Maker:
        """What makes bots: of a policy too, and of a training of ReBeL, which searches."""
        if name == UNIFORM:
            return lambda seat, seed: pyspiel.make_uniform_random_bot(seat, seed)
        directory = Path(name.removeprefix(RUN))
        if name.startswith(RUN) and stored_settings(directory).get("models") == REBEL:
            from nash_ismcts_spiel.baselines.rebel.play import RebelBot, load_search

            search = load_search(directory, self._game, self.visits)
            return lambda seat, seed: RebelBot(search, seat, seed)
        found = self.named(name)
        if hasattr(found, "action_probabilities"):
            return lambda seat, seed: PolicyBot(found, seat, seed)
        made: Maker = found
        return made

    def searching(self, name: str, visits: int | None) -> Maker:
        """What makes a bot of this package that searches so long."""
        settings: dict[str, Any] = {"visits": visits, "seconds": self.seconds}
        if name in PRESETS:
            settings["models"] = self.evaluator
        given = {key: value for key, value in settings.items() if value is not None}
        return lambda seat, seed: make_bot(name, self._game.pyspiel_game, seat, seed=seed, **given)

    def starting_policy(self) -> tuple[str, Any]:
        """P of the models that a search has, uniform if it has none: in words, and the policy."""
        if self.models is None:
            return "uniform play", self.named(UNIFORM)
        if self.models == PRETRAINED:
            return "P of the pretrained models", self.named(PRETRAINED)
        return f"P of {self.models}", load_policy(self.models)


def pretrained_policy(game: SupportedGame) -> Any:
    """P of the models of a game that come with the package."""
    from nash_ismcts_spiel.models.networks.saved import pretrained_path  # which needs torch

    return load_policy(pretrained_path(game))


def policy_of_run(directory: Path, game: SupportedGame) -> Any:
    """The policy of a training.

    Raises:
      ValueError: it is a training of another game.
    """
    trained = str(read_config(directory)["game"])
    if trained != game.name:
        raise ValueError(f"{directory} is a training of {trained}, not of {game.name}")
    return load_policy(directory)


def _own_maker(place: str, game: SupportedGame) -> Maker:
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
