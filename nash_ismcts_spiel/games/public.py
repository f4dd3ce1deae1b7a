"""Public states: what everybody knows, derived from an enumerated graph.

OpenSpiel has no public states. Two worlds in which some player has seen the same cannot be told
apart by common knowledge, and neither can worlds linked by a chain of such pairs: each class of
linked worlds is one public state. Only worlds in which a player moves are linked and labelled.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games.graph import GameGraph
from nash_ismcts_spiel.games.tables import DECISION

NO_PUBLIC_STATE = -1


def public_states(graph: GameGraph) -> npt.NDArray[np.int64]:
    """The public state of each decision world, -1 for other worlds. [W]

    States are numbered from 0 in the order of their first worlds.

    Raises:
      ValueError: the graph is not enumerated, so that links may be missing.
    """
    if not graph.enumerated:
        raise ValueError(f"public states need an enumerated graph of {graph.game.name}")
    decisions = np.flatnonzero(np.array(graph.worlds.kind) == DECISION)
    views = graph.shown_views().reshape(len(graph.worlds), -1)[decisions]
    states = np.full(len(graph.worlds), NO_PUBLIC_STATE, dtype=np.int64)
    states[decisions] = _numbered_by_first_row(_linked_views(views)[views[:, 0]])
    return states


def _linked_views(views: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """A label per view, the same for views that occur in one row of `views` or in linked rows.

    Labels are views themselves. All start apart and sink to the smallest view that they are linked
    to: in each round through the rows, then through labels of labels, which shortens long chains.
    """
    label = np.arange(views.max(initial=-1) + 1)
    while True:
        lowest = label[views].min(axis=1, keepdims=True)
        if np.array_equal(label[views], np.broadcast_to(lowest, views.shape)):
            return label
        np.minimum.at(label, views, lowest)
        label = label[label]


def _numbered_by_first_row(labels: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Renames labels to 0, 1, 2, ... in the order in which they first occur."""
    _, first_row, names = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first_row), dtype=np.int64)
    rank[np.argsort(first_row)] = np.arange(len(first_row))
    numbered: npt.NDArray[np.int64] = rank[names]
    return numbered
