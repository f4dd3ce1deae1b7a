"""The buffer of policy targets: rows of all generations.

A row counts the games that came by times a weight of its generation (linear by default), so P
learns the average policy. Rows with the same inputs are one row with their mean target: a network
cannot tell them apart, so that changes nothing but the room they take. A full buffer keeps a
uniform sample of all rows ever added (a reservoir: nothing is forgotten, only thinned out).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.learning.rows import PolicyRows

Ints = npt.NDArray[np.int64]
_COLUMNS = tuple(field.name for field in dataclasses.fields(PolicyRows))


class PolicyBuffer:
    """Policy rows up to a capacity.

    Attributes:
      added: rows with inputs that were new to the buffer, ever added.
    """

    def __init__(self, capacity: int) -> None:
        """Starts empty."""
        self.added = 0
        self._capacity = capacity
        self._rows: PolicyRows | None = None
        self._places: dict[bytes, int] = {}

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
        rows, keys = _merged(dataclasses.replace(rows, frequency=rows.frequency * weight))
        places = np.array([self._places.get(key, -1) for key in keys], dtype=np.int64)
        self._merge(_pick(rows, places >= 0), places[places >= 0])
        new = np.flatnonzero(places < 0)
        room = max(0, self._capacity - len(self))
        self._append(_pick(rows, new[:room]), [keys[k] for k in new[:room]])
        before = self.added + min(room, len(new))
        self.added += len(new)
        rest = new[room:]
        if len(rest) == 0:
            return
        numbers = before + np.arange(len(rest))
        # Row number n is kept with probability capacity / (n + 1), in a random place.
        into = np.floor(rng.random(len(rest)) * (numbers + 1)).astype(np.int64)
        self._replace(_pick(rows, rest), [keys[k] for k in rest], into)

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """All that a checkpoint must keep."""
        kept: dict[str, npt.NDArray[np.generic]] = {"buffer_added": np.array(self.added)}
        if self._rows is not None:
            kept |= {f"buffer_{name}": getattr(self._rows, name) for name in _COLUMNS}
        return kept

    def restore(
        self, arrays: Mapping[str, npt.NDArray[np.generic]], inputs: int, actions: int
    ) -> None:
        """Goes back to where `arrays` were taken, of rows with so many inputs and actions.

        Raises:
          ValueError: they are not such rows.
        """
        added = arrays["buffer_added"]
        found = {name: arrays.get(f"buffer_{name}") for name in _COLUMNS}
        columns = {name: column for name, column in found.items() if column is not None}
        whole = not columns or len(columns) == len(_COLUMNS)
        if added.shape != () or added.dtype.kind != "i" or not whole:
            raise ValueError("the buffer of policy targets is not whole")
        rows = PolicyRows(**columns) if columns else None  # type: ignore[arg-type]  # as stored
        if rows is not None:
            rows.check(inputs, actions, min(int(added), self._capacity))
        self.added = int(added)
        self._rows = rows
        self._places = {} if rows is None else _places(rows)

    # Columns are never changed in place, so that whoever keeps the old ones for a checkpoint keeps
    # them whole.

    def _merge(self, rows: PolicyRows, places: Ints) -> None:
        """Adds rows to those with the same inputs."""
        if len(rows) == 0:
            return
        assert self._rows is not None
        frequency, targets = self._rows.frequency.copy(), self._rows.targets.copy()
        total = frequency[places] + rows.frequency
        share = (rows.frequency / np.where(total > 0.0, total, 1.0))[:, None]
        targets[places] = (1.0 - share) * targets[places] + share * rows.targets
        frequency[places] = total
        self._rows = dataclasses.replace(self._rows, frequency=frequency, targets=targets)

    def _append(self, rows: PolicyRows, keys: list[bytes]) -> None:
        if len(rows) > 0:
            self._places |= {key: len(self) + k for k, key in enumerate(keys)}
            self._rows = rows if self._rows is None else PolicyRows.together([self._rows, rows])

    def _replace(self, rows: PolicyRows, keys: list[bytes], places: Ints) -> None:
        """Puts rows in places; those beyond the capacity are dropped, later ones win."""
        assert self._rows is not None
        latest = {int(place): k for k, place in enumerate(places) if place < self._capacity}
        into, chosen = np.array(list(latest), dtype=np.int64), list(latest.values())
        columns = {}
        for name in _COLUMNS:
            columns[name] = getattr(self._rows, name).copy()
            columns[name][into] = getattr(rows, name)[chosen]
        for place, k in latest.items():
            del self._places[self._rows.inputs[place].tobytes()]
            self._places[keys[k]] = place
        self._rows = PolicyRows(**columns)


def _places(rows: PolicyRows) -> dict[bytes, int]:
    return {row.tobytes(): k for k, row in enumerate(rows.inputs)}


def _merged(rows: PolicyRows) -> tuple[PolicyRows, list[bytes]]:
    """The rows with those that have the same inputs merged, and what each is known by."""
    keys = [row.tobytes() for row in rows.inputs]
    places: dict[bytes, int] = {}
    into = np.array([places.setdefault(key, len(places)) for key in keys], dtype=np.int64)
    if len(places) == len(keys):
        return rows, keys
    first = np.unique(into, return_index=True)[1]
    frequency = np.bincount(into, rows.frequency, len(places)).astype(np.float64)
    sums = np.zeros((len(places), rows.targets.shape[1]))
    np.add.at(sums, into, rows.targets * rows.frequency[:, None])
    targets = sums / np.where(frequency > 0.0, frequency, 1.0)[:, None]
    kept = _pick(rows, first)
    merged = dataclasses.replace(kept, frequency=frequency, targets=targets.astype(np.float32))
    return merged, list(places)


def _pick(rows: PolicyRows, which: npt.NDArray[np.generic]) -> PolicyRows:
    return PolicyRows(*(getattr(rows, name)[which] for name in _COLUMNS))
