"""What a player knows and what has been drawn of the rest, as rows of numbers for networks.

An information set is described by OpenSpiel's information state tensor of the player to move, or,
where a game has none, by what that player observed at its last decisions and did there; or else by
the present observation alone, if networks are to forget the order in which things were seen; or by
that tensor put on a board (`games/boards.py`), if they are to forget the order of moves. A
SAMPLE node is described by its information set and the pieces drawn so far. A piece is known by its
number as an action or chance outcome, so sizes depend on the vocabulary of pieces and never on how
many hidden states there are; where actions are split, on the vocabulary of sub-actions, and those
of an action that is under way are part of what its player knows. The rows themselves are made in
C++ (`native/worlds/tensors.h`), a batch at a time, and are not kept.

Rows may be turned to standard ones, where a game has symmetries (`games/symmetries.py`): then
actions and pieces stand in other places of the vocabulary, which `Turns` knows for each row.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games.adapter import SupportedGame
from nash_ismcts_spiel.games.boards import board_of
from nash_ismcts_spiel.games.entries import Turns
from nash_ismcts_spiel.games.graph import GameGraph
from nash_ismcts_spiel.games.splitting import SplitActions, fingerprint, splitting_of
from nash_ismcts_spiel.games.symmetries import Symmetries, find_symmetries
from nash_ismcts_spiel.native import _core

Singles = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Numbers = Sequence[int] | npt.NDArray[np.int32]
"""Numbers of rows of a graph."""

TensorInputs = Literal["information_state", "observation", "board"]
"""What describes an information set: all that its player has seen, its present observation, or all
that it has seen put on a board."""

MOST_PIECES = 4096
"""Largest vocabulary of actions and chance outcomes that networks are made for."""

_MOST_SLOTS = 32
"""Pieces that are told apart by when they were drawn; all later ones share the last slot, and those
of a hand that is drawn as a set have one slot together."""


class Tensors:
    """Rows of numbers for one game, on any graph of it.

    Attributes:
      split_actions: whether actions are split on the graphs.
      inputs: what describes an information set.
      set_inputs: numbers that describe an information set.
      sample_inputs: numbers that describe a SAMPLE node.
      actions: size of the vocabulary of actions.
      pieces: size of the vocabulary of pieces.
      planes, rows, columns: of the board at the end of an information set's row; 0 without one.
    """

    def __init__(
        self,
        game: SupportedGame,
        slots: int | None = None,
        split_actions: SplitActions = "never",
        inputs: TensorInputs = "information_state",
        turned: bool = False,
    ) -> None:
        """Fixes the sizes.

        Args:
          game: whose tensors are read.
          slots: most pieces of one hidden state; by the length of the game if None.
          split_actions: whether actions are split on the graphs.
          inputs: what describes an information set.
          turned: whether rows are turned to standard ones, if the game has symmetries.

        Raises:
          ValueError: the game describes neither information states nor observations in numbers
            (or not its observations, if these are the inputs), or has too many actions or chance
            outcomes; or no board of it is known, if that is the input, or its actions are split.
        """
        splitting = splitting_of(game, split_actions)
        if slots is None:
            pyspiel_game = game.pyspiel_game
            events = pyspiel_game.max_game_length() + pyspiel_game.max_chance_nodes_in_history()
            slots = min(events, _MOST_SLOTS)
        self.split_actions: SplitActions = split_actions
        self.inputs: TensorInputs = inputs
        self._codes = fingerprint(splitting)
        board = board_of(game.pyspiel_game) if inputs == "board" else None
        if board is not None and splitting is not None:
            raise ValueError(f"{game.name}: actions on a board are whole, and they are split here")
        self.planes, self.rows, self.columns = (
            (0, 0, 0) if board is None else (board.planes, board.rows, board.columns)
        )
        self._native = _core.Tensors(
            game.native if splitting is None else splitting.native(game.native),
            slots,
            inputs == "observation",
            None if board is None else board.native(),
        )
        self.set_inputs = self._native.set_inputs
        self.sample_inputs = self._native.sample_inputs
        self.actions = self._native.actions
        self.pieces = self._native.pieces
        if self.pieces > MOST_PIECES:
            raise ValueError(
                f"{game.name} has {self.pieces} actions or chance outcomes; networks have one "
                f"output for each, and no more than {MOST_PIECES}; split_actions='auto' splits them"
            )
        self._game, self._turned = game, turned and splitting is None

    @functools.cached_property
    def symmetries(self) -> Symmetries | None:
        """By which rows are turned; None if they are not."""
        if not self._turned:
            return None
        return find_symmetries(
            self._game,
            lambda: GameGraph(self._game, self.split_actions),
            self.sets,
        )

    @property
    def turning(self) -> str:
        """The fingerprint of how rows are turned, empty if they are not."""
        return "" if self.symmetries is None else self.symmetries.fingerprint

    def turned_sets(self, graph: GameGraph, information_sets: Numbers) -> tuple[Singles, Turns]:
        """Rows of information sets for networks, and how they were turned. [rows, set_inputs]"""
        rows = self.sets(graph, information_sets)
        if self.symmetries is None:
            return rows, Turns(None)
        symmetry = self.symmetries.standard(rows)
        turned = np.take_along_axis(rows, self.symmetries.numbers[symmetry], axis=1)
        return turned, Turns(self.symmetries.cells[symmetry])

    def turned_samples(self, graph: GameGraph, sample_nodes: Numbers) -> tuple[Singles, Turns]:
        """Rows of SAMPLE nodes for networks, and how they were turned: as their information sets.
        [rows, sample_inputs]
        """
        rows = self.samples(graph, sample_nodes)
        if self.symmetries is None:
            return rows, Turns(None)
        symmetry = self.symmetries.standard(rows[:, : self.set_inputs])
        turned = np.take_along_axis(rows, self._sample_numbers[symmetry], axis=1)
        return turned, Turns(self.symmetries.cells[symmetry])

    @functools.cached_property
    def _sample_numbers(self) -> Ints:
        """Which number of a SAMPLE node's row comes to stand in each place. [symmetries, numbers]

        Without chance, pieces are the actions of others.
        """
        assert self.symmetries is not None
        origins = np.argsort(self.symmetries.cells, axis=1)
        firsts = np.arange(self.set_inputs, self.sample_inputs, self.pieces)
        slots = (firsts[None, :, None] + origins[:, None, :]).reshape(len(origins), -1)
        return np.concatenate([self.symmetries.numbers, slots], axis=1)

    def sets(self, graph: GameGraph, information_sets: Numbers) -> Singles:
        """The player to move, as one of all players, and what it knows. [rows, set_inputs]"""
        self._check(graph)
        return self._native.sets(graph, information_sets)

    def samples(self, graph: GameGraph, sample_nodes: Numbers) -> Singles:
        """A row as above, then the pieces drawn so far, by slot. [rows, sample_inputs]"""
        self._check(graph)
        return self._native.samples(graph, sample_nodes)

    def _check(self, graph: GameGraph) -> None:
        if fingerprint(graph.splitting) != self._codes:
            raise ValueError(
                f"{graph.game.name}: the networks are made for split_actions="
                f"{self.split_actions!r}, the graph has split_actions={graph.split_actions!r}"
            )


def most_drawn(graph: GameGraph) -> int:
    """Most slots that are filled by pieces before a SAMPLE node of a graph."""
    return _core.most_drawn(graph)
