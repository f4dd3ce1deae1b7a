"""Learning: generations of search, each with the models that the searches before it made."""

from nash_ismcts_spiel.learning.config import TRAINING_PRESETS, LearnerConfig, TrainingConfig
from nash_ismcts_spiel.learning.exact_loop import ExactLoop, ExactModels
from nash_ismcts_spiel.schedule import Schedule

__all__ = [
    "TRAINING_PRESETS",
    "ExactLoop",
    "ExactModels",
    "LearnerConfig",
    "Schedule",
    "TrainingConfig",
]
