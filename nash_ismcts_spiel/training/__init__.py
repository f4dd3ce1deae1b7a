"""Training: generations of search, each with the models that the searches before it made."""

from nash_ismcts_spiel.training.config import TRAINING_PRESETS, TrainingConfig
from nash_ismcts_spiel.training.generation import GenerationLoop
from nash_ismcts_spiel.training.load import load_evaluator, load_policy
from nash_ismcts_spiel.training.models import ExactModels, ModelSource
from nash_ismcts_spiel.training.run import Run
from nash_ismcts_spiel.training.run_files import Budget
from nash_ismcts_spiel.training.schedule import Schedule

__all__ = [
    "TRAINING_PRESETS",
    "Budget",
    "ExactModels",
    "GenerationLoop",
    "ModelSource",
    "Run",
    "Schedule",
    "TrainingConfig",
    "load_evaluator",
    "load_policy",
]
