"""What a player knows and what has been drawn of the rest, as rows of numbers for networks.

An information set is described by OpenSpiel's information state tensor of the player to move, or,
where a game has none, by what that player observed at its last decisions and did there. A SAMPLE
node is described by its information set and the pieces drawn so far. A piece is known by its
number as an action or chance outcome, so sizes depend on the vocabulary of pieces and never on how
many hidden states there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games.adapter import SupportedGame
from nash_ismcts_spiel.games.tables import CHANCE

if TYPE_CHECKING:
    from nash_ismcts_spiel.games.graph import GameGraph

Singles = npt.NDArray[np.float32]

MOST_PIECES = 4096
"""Largest vocabulary of actions and chance outcomes that networks are made for."""

_REMEMBERED = 4
"""Own decisions that an observation history looks back to, the present one included."""

_MOST_SLOTS = 32
"""Pieces that are told apart by when they were drawn; all later ones share the last slot."""


class Tensors:
    """Rows of numbers for one game, on any graph of it.

    Attributes:
      set_inputs: numbers that describe an information set.
      sample_inputs: numbers that describe a SAMPLE node.
      actions: size of the vocabulary of actions.
      pieces: size of the vocabulary of pieces.
    """

    def __init__(self, game: SupportedGame, slots: int | None = None) -> None:
        """Fixes the sizes.

        Args:
          game: whose tensors are read.
          slots: most pieces of one hidden state; by the length of the game if None.

        Raises:
          ValueError: the game describes neither information states nor observations in numbers,
            or has too many actions or chance outcomes.
        """
        pyspiel_game = game.pyspiel_game
        kind = pyspiel_game.get_type()
        self._players = game.num_players
        self._history = not kind.provides_information_state_tensor
        self.actions = int(pyspiel_game.num_distinct_actions())
        self.pieces = max(self.actions, int(pyspiel_game.max_chance_outcomes()))
        if self.pieces > MOST_PIECES:
            raise ValueError(
                f"{game.name} has {self.pieces} actions or chance outcomes; networks have one "
                f"output for each, and no more than {MOST_PIECES}"
            )
        if not self._history:
            own = int(np.prod(pyspiel_game.information_state_tensor_shape()))
        elif kind.provides_observation_tensor:
            self._observed = int(np.prod(pyspiel_game.observation_tensor_shape()))
            own = _REMEMBERED * (self._observed + self.actions)
        else:
            raise ValueError(
                f"{game.name} has neither an information state tensor nor an observation tensor "
                "to learn from"
            )
        if slots is None:
            events = pyspiel_game.max_game_length() + pyspiel_game.max_chance_nodes_in_history()
            slots = min(events, _MOST_SLOTS)
        self._slots = slots
        self.set_inputs = own + self._players
        self.sample_inputs = self.set_inputs + slots * self.pieces

    def information_set(self, graph: GameGraph, information_set: int) -> Singles:
        """The player to move, as one of all players, and what it knows. [set_inputs]"""
        player = graph.information_sets.player[information_set]
        world = graph.information_sets.first_world[information_set]
        row = np.zeros(self.set_inputs, dtype=np.float32)
        row[player] = 1.0
        if self._history:
            row[self._players :] = self._observations(graph, world, player)
        else:
            row[self._players :] = graph.state(world).information_state_tensor(player)
        return row

    def drawn_pieces(self, graph: GameGraph, sample_node: int) -> Singles:
        """The pieces drawn so far at a SAMPLE node, by slot. [slots * pieces]"""
        owner = graph.information_sets.player[graph.samples.information_set[sample_node]]
        slots = np.zeros((self._slots, self.pieces), dtype=np.float32)
        drawn = events_of_others(graph, graph.samples.world[sample_node], owner)
        for slot, piece in enumerate(drawn):
            slots[min(slot, self._slots - 1), piece] += 1.0
        return slots.reshape(-1)

    def _observations(self, graph: GameGraph, world: int, player: int) -> Singles:
        """What the player observed at its last decisions and did there, latest first."""
        looks: list[tuple[Any, int]] = []
        state = graph.game.initial_state()
        for action in graph.history(world):
            if state.current_player() == player:
                looks.append((state.observation_tensor(player), action))
            state.apply_action(action)
        rows = np.zeros((_REMEMBERED, self._observed + self.actions), dtype=np.float32)
        rows[0, : self._observed] = state.observation_tensor(player)
        for row, (observed, action) in zip(rows[1:], reversed(looks), strict=False):
            row[: self._observed] = observed
            row[self._observed + action] = 1.0
        return rows.reshape(-1)


def events_of_others(graph: GameGraph, world: int, player: int) -> list[int]:
    """Chance outcomes and other players' moves on the way to a world, oldest first."""
    worlds, events = graph.worlds, list[int]()
    history = graph.history(world)
    while world > 0:
        world = worlds.parent[world]
        action = history.pop()
        if worlds.kind[world] == CHANCE or worlds.player[world] != player:
            events.append(action)
    return events[::-1]


def open_pieces(graph: GameGraph, sample_node: int) -> list[int]:
    """The numbers of the pieces that may come next at a SAMPLE node, branch by branch."""
    samples, worlds = graph.samples, graph.worlds
    first = samples.first_branch[sample_node]
    start = worlds.first_edge[samples.world[sample_node]]
    edges = samples.edge[first : first + samples.branch_count[sample_node]]
    return [worlds.edge_action[start + edge] for edge in edges]
