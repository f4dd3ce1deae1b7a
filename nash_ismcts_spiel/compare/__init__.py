"""Comparisons: the same CPU time for every method, the same measurement, one report."""

from nash_ismcts_spiel.compare.report import write_report
from nash_ismcts_spiel.compare.study import Study, StudyConfig

__all__ = ["Study", "StudyConfig", "write_report"]
