"""What a training leaves behind, for those who play: a policy, or models for a bot."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyspiel
from open_spiel.python import policy as openspiel_policy

from nash_ismcts_spiel.files import CheckpointError, DamagedFileError
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.games.policies import TablePolicy, ViewTablePolicy
from nash_ismcts_spiel.models import Evaluator, ExactEvaluator
from nash_ismcts_spiel.models.views import ViewEvaluator
from nash_ismcts_spiel.runs.run import Run

if TYPE_CHECKING:
    from nash_ismcts_spiel.models.networks.saved import SavedModels


def load_policy(path: str | Path) -> openspiel_policy.Policy:
    """The average policy of a run (its directory) or of saved models (their file), for all of
    OpenSpiel's tools.
    """
    path = Path(path)
    if not path.is_dir():
        with _naming(path):
            return _saved(path).policy()
    run = Run.resume(path)
    if run.merged is not None:
        return ViewTablePolicy(run.merged, run.policy())
    if run.enumerated:
        return TablePolicy(run.graph, run.policy())
    return run.saved_models().policy()


def load_evaluator(path: str | Path, game: str | None = None) -> Evaluator:
    """The models of a run (its directory) or saved ones (their file), for a bot.

    Those of a run with exact models are exact for its average policy.

    Raises:
      ValueError: they are not models of `game`, where that is given as its whole name.
      DamagedFileError: they cannot be used; the file is named.
    """
    path = Path(path)
    found: Run | SavedModels = Run.resume(path) if path.is_dir() else _saved(path)
    if game is not None and not support(found.game).is_same_as(support(game)):
        raise ValueError(f"{path} has models of {found.game}, not of {game}")
    if not isinstance(found, Run):
        with _naming(path):
            return _spelled(found, game).evaluator()
    if found.merged is not None:
        return ViewEvaluator(found.merged, found.policy())
    if found.kind == "exact":
        return ExactEvaluator(found.graph, found.policy())
    return _spelled(found.saved_models(), game).evaluator()


def _spelled(models: SavedModels, game: str | None) -> SavedModels:
    """The same models for their game as somebody else writes it."""
    return models if game is None else dataclasses.replace(models, game=game)


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Says which file holds models that cannot be used."""
    try:
        yield
    except DamagedFileError:
        raise
    except (ValueError, pyspiel.SpielError) as error:
        raise CheckpointError(f"{path} cannot be used: {error}") from error


def _saved(path: Path) -> SavedModels:
    from nash_ismcts_spiel.models.networks import saved  # torch, for learned models only

    return saved.load(path)
