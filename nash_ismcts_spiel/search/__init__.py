"""The search, in Python, to be read beside the algorithm's note."""

from nash_ismcts_spiel.search.engine import ReferenceEngine
from nash_ismcts_spiel.search.interval import Interval
from nash_ismcts_spiel.search.result import SearchResult

__all__ = ["Interval", "ReferenceEngine", "SearchResult"]
