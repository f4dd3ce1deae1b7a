"""Runs: a training in a directory of its own, with its config, metrics and checkpoint."""

from nash_ismcts_spiel.runs.directory import Budget
from nash_ismcts_spiel.runs.load import load_evaluator, load_policy
from nash_ismcts_spiel.runs.run import Run
from nash_ismcts_spiel.runs.tables import RunTable, metrics_frame, sweep

__all__ = [
    "Budget",
    "Run",
    "RunTable",
    "load_evaluator",
    "load_policy",
    "metrics_frame",
    "sweep",
]
