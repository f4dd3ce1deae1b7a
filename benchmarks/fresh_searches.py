"""A search in fresh trees at each information set of an enumerated graph, as bots of the literal
search do.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.engine import ForestSearch


def search_each(
    graph: GameGraph, rows: _core.Rows, config: SearchConfig, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """What a bot does at each information set of an enumerated graph: a search in fresh trees; the
    root policies beside the actions of the sets. [A]
    """
    policy = np.zeros(len(graph.information_sets.action))
    for number in range(len(graph.information_sets)):
        only = np.array([number], dtype=np.int32)
        policy += ForestSearch(graph, config, rng).run(rows, only)
    return policy
