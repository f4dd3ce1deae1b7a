"""Models that a search reads, and the evaluators that need no network."""

from nash_ismcts_spiel.evaluation.blend import BlendEvaluator
from nash_ismcts_spiel.evaluation.exact import ExactEvaluator
from nash_ismcts_spiel.evaluation.models import Models
from nash_ismcts_spiel.evaluation.protocol import (
    Evaluator,
    EvaluatorError,
    FlatEvaluator,
    InformationSetRow,
    SampleRow,
)
from nash_ismcts_spiel.evaluation.rollout import RolloutEvaluator
from nash_ismcts_spiel.evaluation.uniform import UniformEvaluator

__all__ = [
    "BlendEvaluator",
    "Evaluator",
    "EvaluatorError",
    "ExactEvaluator",
    "FlatEvaluator",
    "InformationSetRow",
    "Models",
    "RolloutEvaluator",
    "SampleRow",
    "UniformEvaluator",
]
