"""What networks see of an enumerated graph: one row of numbers per information set and SAMPLE node.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.tensors import Tensors, legal_entries, most_drawn, open_entries

Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Features:
    """Inputs and masks of all rows of a graph, made once.

    Attributes:
      tensors: sizes, and how rows are made.
      sets: the tensor of each information set. [I, inputs]
      legal: which actions are legal there. [I, actions]
      action_rows, action_columns: where each entry of a policy table stands in `legal`. [A]
      samples: the tensor of each SAMPLE node: its set's, then pieces so far by slot. [S, inputs]
      open: which pieces may come next there. [S, pieces]
      branch_rows, branch_columns: where each entry of a belief table stands in `open`. [B]
    """

    def __init__(self, graph: GameGraph) -> None:
        """Resolves the graph and describes it.

        Raises:
          ValueError: the game has no tensors.
        """
        graph.resolve()
        self.tensors = Tensors(
            graph.game, most_drawn(graph), graph.split_actions, graph.hidden_order
        )
        sets = np.arange(len(graph.information_sets), dtype=np.int32)
        nodes = np.arange(len(graph.samples), dtype=np.int32)
        legal, branches = legal_entries(graph, sets), open_entries(graph, nodes)
        self.sets: Singles = self.tensors.sets(graph, sets)
        self.legal: Bools = legal.mask(self.tensors.actions)
        self.action_rows: Ints = legal.rows
        self.action_columns: Ints = legal.columns
        self.samples: Singles = self.tensors.samples(graph, nodes)
        self.open: Bools = branches.mask(self.tensors.pieces)
        self.branch_rows: Ints = branches.rows
        self.branch_columns: Ints = branches.columns
