"""Rows for the native engine: what searches wait for is fetched here, in batches.

Exact models of an enumerated graph are computed whole, beforehand; compiled models (rollouts) make
rows where a search needs them; all others are asked for a batch at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.models import Models
from nash_ismcts_spiel.models.protocol import native_rows_of
from nash_ismcts_spiel.native import _core

Ids = npt.NDArray[np.int32]

_BATCH = 4096
"""Rows that are fetched at once where many are missing."""


class NativeModels:
    """The models of one evaluator on one graph, as compiled code reads them.

    Attributes:
      graph: the graph that is searched.
      rows: the rows that are there.
      source: makes rows without Python, all or those of SAMPLE nodes; None if all come from the
        evaluator.
      compiled: whether compiled code makes all rows.
    """

    def __init__(self, models: Models) -> None:
        """Takes over rows that are there already, of an evaluator that shows them as `native_rows`.
        Others come when a search waits for them.
        """
        self.graph = models.graph
        self._models = models
        self.compiled = models.compiled is not None
        self.source: _core.RowSource | None = None
        ready = native_rows_of(models.evaluator)
        if ready is not None:
            self.rows = models.checked_native(ready)
        else:
            self.rows = _core.Rows()
            if models.compiled is not None:
                self.source = models.compiled.row_source(models.graph)
            elif models.compiled_beliefs:
                self.source = _core.prior_beliefs()
            if models.world_values is not None:
                self.rows.put_world_values(models.graph, models.world_values)

    def provide(self, sets: Ids, samples: Ids) -> None:
        """Fetches rows that are waited for: of the kind that more searches wait for, since the
        others wait on until theirs is the larger batch.

        Args:
          sets: information sets, each once.
          samples: SAMPLE nodes, each once.
        """
        if len(sets) >= len(samples):
            self._provide_sets(sets)
        else:
            self._provide_samples(samples)

    def provide_missing(self, sets: Ids, samples: Ids) -> None:
        """Fetches the rows among these that are not there, a batch at a time."""
        for ids in _batches(_missing(self.rows.has_information_set, sets)):
            self._provide_sets(ids)
        for ids in _batches(_missing(self.rows.has_sample, samples)):
            self._provide_samples(ids)

    def unsearched(self, information_set: int) -> dict[str, Any]:
        """What a search that had no time at all found: P."""
        policy = list(self._models.policy(information_set))
        zeros = [0] * len(policy)
        return {
            "prior": policy, "policy": policy, "visits": zeros, "pure_visits": zeros,
            "mixing_sum": [0.0] * len(policy), "pure_count": 0, "mixed_count": 0,
            "lows": [0.0] * len(policy), "highs": [0.0] * len(policy), "value": (0.0, 0.0),
        }  # fmt: skip

    def _provide_sets(self, ids: Ids) -> None:
        rows = self._models.flat_information_sets(ids.tolist())
        self.rows.put_sets(self.graph, ids, *rows)

    def _provide_samples(self, ids: Ids) -> None:
        rows = self._models.flat_samples(ids.tolist())
        self.rows.put_samples(self.graph, ids, *rows)


def _missing(has: npt.NDArray[np.uint8], ids: Ids) -> Ids:
    """The ids whose row is not there; rows beyond the end of a column are not."""
    known = np.zeros(int(ids.max(initial=-1)) + 1, dtype=np.bool_)
    known[: len(has)] = has[: len(known)]
    return ids[~known[ids]]


def _batches(ids: Ids) -> list[Ids]:
    return [ids[first : first + _BATCH] for first in range(0, len(ids), _BATCH)]
