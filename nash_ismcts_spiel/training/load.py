"""What a training leaves behind, for those who play: a policy, or models for a bot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from open_spiel.python import policy as openspiel_policy

from nash_ismcts_spiel.evaluation import Evaluator, ExactEvaluator
from nash_ismcts_spiel.games.policies import TablePolicy
from nash_ismcts_spiel.training.run import Run

if TYPE_CHECKING:
    from nash_ismcts_spiel.training.saved import SavedModels


def load_policy(path: str | Path) -> openspiel_policy.Policy:
    """The average policy of a run (its directory) or of saved models (their file)."""
    path = Path(path)
    if not path.is_dir():
        return _saved(path).policy()
    run = Run.resume(path)
    return TablePolicy(run.graph, run.policy()) if run.enumerated else run.saved_models().policy()


def load_evaluator(path: str | Path) -> Evaluator:
    """The models of a run (its directory) or saved ones (their file), for a bot.

    Those of a run with exact models are exact for its average policy.
    """
    path = Path(path)
    if not path.is_dir():
        return _saved(path).evaluator()
    run = Run.resume(path)
    if run.kind == "exact":
        return ExactEvaluator(run.graph, run.policy())
    return run.saved_models().evaluator()


def _saved(path: Path) -> SavedModels:
    from nash_ismcts_spiel.training import saved  # torch, for learned models only

    return saved.load(path)
