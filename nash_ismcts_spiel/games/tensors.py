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
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games.adapter import SupportedGame
from nash_ismcts_spiel.games.boards import board_of
from nash_ismcts_spiel.games.graph import GameGraph
from nash_ismcts_spiel.games.orders import HiddenOrder, dealing_of, order_fingerprint
from nash_ismcts_spiel.games.splitting import SplitActions, fingerprint, splitting_of
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


class Entries(NamedTuple):
    """Where the entries of a batch's rows, end to end, stand in a matrix of the vocabulary.

    Attributes:
      rows: the row in the batch of each entry. [entries]
      columns: its action or piece. [entries]
      counts: entries of each row. [rows]
    """

    rows: Ints
    columns: Ints
    counts: Ints

    def mask(self, width: int) -> Bools:
        """True where a row has an entry. [rows, width]"""
        found = np.zeros((len(self.counts), width), dtype=np.bool_)
        found[self.rows, self.columns] = True
        return found

    def softmax(self, logits: Floats) -> Floats:
        """Each row's distribution over its own entries, end to end."""
        picked = logits[self.rows, self.columns]
        starts = np.cumsum(self.counts) - self.counts
        weights = np.exp(picked - np.maximum.reduceat(picked, starts)[self.rows])
        totals = np.add.reduceat(weights, starts)
        return np.asarray(weights / totals[self.rows], dtype=np.float64)


class Pairs(NamedTuple):
    """All pairs of an own action and a piece that may come next, of a batch of SAMPLE nodes.

    Attributes:
      rows: the row in the batch of each pair; a row's pairs come action by action. [pairs]
      actions: its action. [pairs]
      pieces: its piece. [pairs]
    """

    rows: Ints
    actions: Ints
    pieces: Ints


class Tensors:
    """Rows of numbers for one game, on any graph of it.

    Attributes:
      split_actions: whether actions are split on the graphs.
      hidden_order: in which order hidden pieces are drawn there.
      inputs: what describes an information set.
      set_inputs: numbers that describe an information set.
      sample_inputs: numbers that describe a SAMPLE node.
      prior_inputs: how many of these, the last ones, are logarithms of the prior of the next piece.
      actions: size of the vocabulary of actions.
      pieces: size of the vocabulary of pieces.
      planes, rows, columns: of the board at the end of an information set's row; 0 without one.
    """

    def __init__(
        self,
        game: SupportedGame,
        slots: int | None = None,
        split_actions: SplitActions = "never",
        hidden_order: HiddenOrder = "play",
        inputs: TensorInputs = "information_state",
    ) -> None:
        """Fixes the sizes.

        Args:
          game: whose tensors are read.
          slots: most pieces of one hidden state; by the length of the game if None.
          split_actions: whether actions are split on the graphs.
          hidden_order: in which order hidden pieces are drawn there.
          inputs: what describes an information set.

        Raises:
          ValueError: the game describes neither information states nor observations in numbers
            (or not its observations, if these are the inputs), or has too many actions or chance
            outcomes; or no board of it is known, if that is the input, or its actions are split.
        """
        splitting, dealing = splitting_of(game, split_actions), dealing_of(game, hidden_order)
        dealt = None if dealing is None else dealing.native(game)
        if slots is None:
            pyspiel_game = game.pyspiel_game
            events = pyspiel_game.max_game_length() + pyspiel_game.max_chance_nodes_in_history()
            slots = min(events if dealt is None else dealt.slots_of(events), _MOST_SLOTS)
        self.split_actions: SplitActions = split_actions
        self.hidden_order: HiddenOrder = hidden_order
        self.inputs: TensorInputs = inputs
        self._codes, self._order = fingerprint(splitting), order_fingerprint(dealing)
        played = dealt or game.native
        board = board_of(game.pyspiel_game) if inputs == "board" else None
        if board is not None and splitting is not None:
            raise ValueError(f"{game.name}: actions on a board are whole, and they are split here")
        self.planes, self.rows, self.columns = (
            (0, 0, 0) if board is None else (board.planes, board.rows, board.columns)
        )
        self._native = _core.Tensors(
            played if splitting is None else splitting.native(played),
            slots,
            inputs == "observation",
            None if board is None else board.native(),
        )
        self.set_inputs = self._native.set_inputs
        self.sample_inputs = self._native.sample_inputs
        self.prior_inputs = self._native.prior_inputs
        self.actions = self._native.actions
        self.pieces = self._native.pieces
        if self.pieces > MOST_PIECES:
            raise ValueError(
                f"{game.name} has {self.pieces} actions or chance outcomes; networks have one "
                f"output for each, and no more than {MOST_PIECES}; split_actions='auto' splits them"
            )

    def sets(self, graph: GameGraph, information_sets: Numbers) -> Singles:
        """The player to move, as one of all players, and what it knows. [rows, set_inputs]"""
        self._check(graph)
        return self._native.sets(graph, information_sets)

    def samples(self, graph: GameGraph, sample_nodes: Numbers) -> Singles:
        """A row as above, then the pieces drawn so far, by slot; where hands are drawn as sets,
        then the prior of the next piece. [rows, sample_inputs]
        """
        self._check(graph)
        return self._native.samples(graph, sample_nodes)

    def _check(self, graph: GameGraph) -> None:
        if fingerprint(graph.splitting) != self._codes:
            raise ValueError(
                f"{graph.game.name}: the networks are made for split_actions="
                f"{self.split_actions!r}, the graph has split_actions={graph.split_actions!r}"
            )
        if order_fingerprint(graph.dealing) != self._order:
            raise ValueError(
                f"{graph.game.name}: the networks are made for hidden_order="
                f"{self.hidden_order!r}, the graph has hidden_order={graph.hidden_order!r}"
            )


def legal_entries(graph: GameGraph, information_sets: Numbers) -> Entries:
    """The legal actions of information sets."""
    return Entries(*_core.legal_entries(graph, information_sets))


def open_entries(graph: GameGraph, sample_nodes: Numbers) -> Entries:
    """The pieces that may come next at SAMPLE nodes, branch by branch."""
    return Entries(*_core.open_entries(graph, sample_nodes))


def pair_entries(graph: GameGraph, sample_nodes: Numbers) -> Pairs:
    """Where Vc tells pieces apart: each own action with each piece that may come next."""
    return Pairs(*_core.pair_entries(graph, sample_nodes))


def most_drawn(graph: GameGraph) -> int:
    """Most slots that are filled by pieces before a SAMPLE node of a graph."""
    return _core.most_drawn(graph)
