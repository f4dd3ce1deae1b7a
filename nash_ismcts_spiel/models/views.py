"""Exact models of a policy over the views of a merged game: P, V and Vc by view alone.

V and Vc are expected over what may lie behind a view if all play P. Hidden pieces are drawn by
their prior. Values are utilities in the game's units, for the player who is to move.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.merged import MergedGame
from nash_ismcts_spiel.games.splitting import SplitActions
from nash_ismcts_spiel.models.prior_beliefs import PriorBeliefs
from nash_ismcts_spiel.models.protocol import InformationSetRow, SampleRow
from nash_ismcts_spiel.native import _core

Floats = npt.NDArray[np.float64]


class ViewEvaluator:
    """P, V and Vc of a table over views.

    Attributes:
      merged: the game.
      policy: P at every view, in the order of `merged.views`. [A]
      child_values: Vc. [A]
      split_actions: actions are whole.
    """

    split_actions: SplitActions = "never"

    def __init__(self, merged: MergedGame, policy: Floats) -> None:
        """Evaluates a policy by one sweep of the game."""
        self.merged = merged
        self.policy = policy
        self.child_values: Floats = _core.MergedSweeps(merged.native).action_values(policy)

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        """One row per information set, that of its view."""
        return [self._row(graph, information_set) for information_set in information_sets]

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        """One row per SAMPLE node."""
        return PriorBeliefs(self).sample_rows(graph, sample_nodes)

    def _row(self, graph: GameGraph, information_set: int) -> InformationSetRow:
        world = graph.information_sets.first_world[information_set]
        here = self.merged.actions_of(self.merged.view_at(graph.state(world)))
        policy, values = self.policy[here], self.child_values[here]
        return InformationSetRow(policy.tolist(), float(policy @ values), values.tolist())
