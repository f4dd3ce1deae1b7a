"""The buffer of policy targets for games that are not enumerated: rows of all generations.

A row counts its visits times a weight of its generation (linear by default), so P learns the
average policy. A full buffer either keeps a uniform sample of all rows ever added (a reservoir:
nothing is forgotten, only thinned out) or the latest ones (a window). In enumerated games the
buffer is summed up per information set instead and never full; see `average.py`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.training.config import BufferKind
from nash_ismcts_spiel.training.rows import PolicyRows

_COLUMNS = tuple(field.name for field in dataclasses.fields(PolicyRows))


class PolicyBuffer:
    """Policy rows up to a capacity.

    Attributes:
      added: rows ever added.
    """

    def __init__(self, kind: BufferKind, capacity: int) -> None:
        """Starts empty."""
        self.added = 0
        self._kind = kind
        self._capacity = capacity
        self._rows: PolicyRows | None = None

    def __len__(self) -> int:
        """Rows held."""
        return 0 if self._rows is None else len(self._rows)

    def rows(self) -> PolicyRows:
        """All rows held.

        Raises:
          ValueError: there are none.
        """
        if self._rows is None:
            raise ValueError("the buffer is empty")
        return self._rows

    def add(self, rows: PolicyRows, weight: float, rng: np.random.Generator) -> None:
        """Adds rows whose frequency counts `weight` times; `rng` thins out a full reservoir."""
        rows = dataclasses.replace(rows, frequency=rows.frequency * weight)
        room = max(0, self._capacity - len(self))
        self._append(_pick(rows, slice(room)))
        rest = _pick(rows, slice(room, None))
        before = self.added + min(room, len(rows))
        self.added += len(rows)
        if len(rest) == 0:
            return
        numbers = before + np.arange(len(rest))
        if self._kind == "window":
            places = numbers % self._capacity
        else:  # row number n is kept with probability capacity / (n + 1), in a random place
            places = np.floor(rng.random(len(rest)) * (numbers + 1)).astype(np.int64)
        self._replace(rest, places)

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """All that a checkpoint must keep."""
        kept: dict[str, npt.NDArray[np.generic]] = {"buffer_added": np.array(self.added)}
        if self._rows is not None:
            kept |= {f"buffer_{name}": getattr(self._rows, name) for name in _COLUMNS}
        return kept

    def restore(self, arrays: Mapping[str, npt.NDArray[np.generic]]) -> None:
        """Goes back to where `arrays` were taken."""
        self.added = int(arrays["buffer_added"])
        columns = {name: arrays.get(f"buffer_{name}") for name in _COLUMNS}
        self._rows = None
        if columns["inputs"] is not None:
            self._rows = PolicyRows(**columns)  # type: ignore[arg-type]  # as they were stored

    def _append(self, rows: PolicyRows) -> None:
        if len(rows) > 0:
            self._rows = rows if self._rows is None else PolicyRows.together([self._rows, rows])

    def _replace(self, rows: PolicyRows, places: npt.NDArray[np.int64]) -> None:
        """Puts rows in places; those beyond the capacity are dropped, later ones win."""
        assert self._rows is not None
        kept = places < self._capacity
        # New arrays, so that whoever keeps the old ones for a checkpoint keeps them whole.
        columns = {}
        for name in _COLUMNS:
            columns[name] = getattr(self._rows, name).copy()
            columns[name][places[kept]] = getattr(rows, name)[kept]
        self._rows = PolicyRows(**columns)


def _pick(rows: PolicyRows, which: slice) -> PolicyRows:
    return PolicyRows(*(getattr(rows, name)[which] for name in _COLUMNS))
