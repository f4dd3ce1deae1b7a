"""What networks see of an enumerated graph: one row of numbers per information set and SAMPLE node.

An information set is described by OpenSpiel's information state tensor of its player, a SAMPLE node
by that tensor and the pieces drawn so far. A piece is known by its number as an action or chance
outcome, so sizes depend on the vocabulary of pieces and never on how many hidden states there are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import CHANCE, GameGraph
from nash_ismcts_spiel.native.models import resolve

Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Features:
    """Inputs and masks of all rows of a graph, made once.

    Attributes:
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
          ValueError: the game has no information state tensors.
        """
        game = graph.game.pyspiel_game
        if not game.get_type().provides_information_state_tensor:
            raise ValueError(f"{graph.game.name} has no information state tensor to learn from")
        resolve(graph)
        actions = game.num_distinct_actions()
        self.pieces = max(actions, game.max_chance_outcomes())
        sets = graph.information_sets
        self.sets = np.array(
            [
                graph.state(world).information_state_tensor(player)
                for world, player in zip(sets.first_world, sets.player, strict=True)
            ],
            dtype=np.float32,
        )
        counts = np.asarray(sets.action_count)
        self.action_rows: Ints = np.repeat(np.arange(len(sets)), counts)
        self.action_columns: Ints = np.asarray(sets.action)
        self.legal: Bools = np.zeros((len(sets), actions), dtype=np.bool_)
        self.legal[self.action_rows, self.action_columns] = True
        self._describe_samples(graph)

    def _describe_samples(self, graph: GameGraph) -> None:
        samples, worlds = graph.samples, graph.worlds
        branches = np.asarray(samples.branch_count)
        nodes = len(samples)
        self.branch_rows: Ints = np.repeat(np.arange(nodes), branches)
        world = np.asarray(samples.world)[self.branch_rows]
        edge = np.asarray(worlds.first_edge)[world] + np.asarray(samples.edge)
        self.branch_columns: Ints = np.asarray(worlds.edge_action)[edge]
        self.open: Bools = np.zeros((nodes, self.pieces), dtype=np.bool_)
        self.open[self.branch_rows, self.branch_columns] = True
        so_far = [
            _events_of_others(graph, world, graph.information_sets.player[information_set])
            for world, information_set in zip(samples.world, samples.information_set, strict=True)
        ]
        slots = max(map(len, so_far), default=0)
        pieces = np.zeros((nodes, slots, self.pieces), dtype=np.float32)
        for node, events in enumerate(so_far):
            pieces[node, np.arange(len(events)), events] = 1.0
        own = self.sets[np.asarray(samples.information_set, dtype=np.int64)]
        self.samples = np.concatenate([own, pieces.reshape(nodes, -1)], axis=1)


def _events_of_others(graph: GameGraph, world: int, player: int) -> list[int]:
    """Chance outcomes and other players' moves on the way to a world."""
    events: list[int] = []
    while world > 0:
        parent = graph.worlds.parent[world]
        if graph.worlds.kind[parent] == CHANCE or graph.worlds.player[parent] != player:
            first, count = graph.worlds.first_edge[parent], graph.worlds.edge_count[parent]
            edge = graph.worlds.edge_child[first : first + count].index(world)
            events.append(graph.worlds.edge_action[first + edge])
        world = parent
    return events[::-1]
