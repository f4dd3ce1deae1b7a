"""The native engine with a view into every tree of its forest, also those of simulated players.

A search answers from its root's tree. Who wants to see what another player would think there looks
into the tree that was spawned for it, which is found by its root information set.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.models import Models
from nash_ismcts_spiel.native.engine import NativeEngine
from nash_ismcts_spiel.native.models import NativeModels
from nash_ismcts_spiel.search.result import SearchResult


class SpawnedTrees(NativeEngine):
    """Searches as `NativeEngine`; afterwards each tree can be looked into."""

    def __init__(
        self, models: Models, config: SearchConfig, rows: NativeModels | None = None
    ) -> None:
        """Starts without trees.

        Args:
          models: the models.
          config: how to search.
          rows: the same models with rows that an earlier search has fetched.

        Raises:
          ValueError: trees are not found by their root information set.
        """
        if config.trees != "by_information_set":
            raise ValueError(f"spawned trees are found by_information_set, not {config.trees}")
        super().__init__(models, config)
        self._models = rows or self._models
        self._unused = np.random.default_rng(0)  # no simulation is run to look

    def found_in(self, tree: int, information_set: int) -> SearchResult | None:
        """What the last search found at an information set of the tree rooted at `tree`; None if it
        never came there.
        """
        if self._earlier_root is None:
            return None
        graph = self._models.graph
        self._search.begin(graph, tree, 0, self._unused)
        try:
            found = self.found_at(information_set)
        finally:
            self._search.begin(graph, self._earlier_root, 0, self._unused)
        return None if found is None else dataclasses.replace(found, stopped_by="visits")
