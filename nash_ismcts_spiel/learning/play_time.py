"""What search at play time is worth round a given policy: exploitability of the bot.

The bot searches afresh at each information set, with exact models of the policy or with learned
ones. Nobody sees its seed, so opponents meet the mean policy of all its searches. With two players
and a constant sum a single search is more exploitable; elsewhere NashConv of a mean can be larger.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.native import _core, exact
from nash_ismcts_spiel.native.engine import search_each


class PlayResult(NamedTuple):
    """Exploitability (NashConv / number of players) of a bot that searches.

    Attributes:
      mean_policy: of the mean policy of all searches.
      single_search: mean over the searches, each as a policy of its own.
    """

    mean_policy: float
    single_search: float


def play_exploitability(
    graph: GameGraph,
    rows: _core.Rows,
    config: SearchConfig,
    repeats: int,
    seed: int = 0,
    on_search: Callable[[], object] = lambda: None,
) -> PlayResult:
    """Measures `repeats` searches of every information set, with the models in `rows`.

    `on_search` is called after each repeat.
    """
    found = []
    for repeat in range(repeats):
        found.append(search_each(graph, rows, config, np.random.default_rng([seed, repeat])))
        on_search()
    singles = [exact.exploitability(graph, one) for one in found]
    mean = exact.exploitability(graph, np.mean(found, axis=0))
    return PlayResult(mean, float(np.mean(singles)))
