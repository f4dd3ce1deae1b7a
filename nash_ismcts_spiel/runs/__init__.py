"""Runs: a training in a directory of its own, with its config, metrics and checkpoint."""

from nash_ismcts_spiel.runs.directory import Budget
from nash_ismcts_spiel.runs.load import load_evaluator, load_policy
from nash_ismcts_spiel.runs.run import Run

__all__ = ["Budget", "Run", "load_evaluator", "load_policy"]
