"""Models that a search reads, and the evaluators that need no network."""

from nash_ismcts_spiel.models.blend import BlendEvaluator
from nash_ismcts_spiel.models.exact import ExactEvaluator
from nash_ismcts_spiel.models.prior_beliefs import PriorBeliefs
from nash_ismcts_spiel.models.protocol import (
    Evaluator,
    EvaluatorError,
    FlatEvaluator,
    InformationSetRow,
    RowsOfArrays,
    SampleRow,
)
from nash_ismcts_spiel.models.rollout import RolloutEvaluator
from nash_ismcts_spiel.models.store import Models
from nash_ismcts_spiel.models.uniform import UniformEvaluator

__all__ = [
    "BlendEvaluator",
    "Evaluator",
    "EvaluatorError",
    "ExactEvaluator",
    "FlatEvaluator",
    "InformationSetRow",
    "Models",
    "PriorBeliefs",
    "RolloutEvaluator",
    "RowsOfArrays",
    "SampleRow",
    "UniformEvaluator",
]
