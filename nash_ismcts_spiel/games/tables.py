"""The flat arrays of a game graph: one table for worlds, one for information sets, one for SAMPLE
nodes. Rows are only ever appended; numbers are row indices. `array.array` grows in place, gives
Python integers and lends its memory to compiled code without a copy.

Utilities are in the game's units, one column per player. Letters in shapes: W worlds, E edges,
T terminal worlds, I information sets, A actions of all information sets, S SAMPLE nodes,
B branches of all SAMPLE nodes, and n players.
"""

from __future__ import annotations

import dataclasses
from array import array

TERMINAL, CHANCE, DECISION = 0, 1, 2

MISSING = -1
"""No such row, or not made yet."""

UNRESOLVED = -(2**31)
"""A target that nobody has asked for yet."""


def _ints() -> array[int]:
    return array("i")


def _actions() -> array[int]:
    return array("q")


def _floats() -> array[float]:
    return array("d")


@dataclasses.dataclass(slots=True)
class Worlds:
    """Full histories of the game.

    Attributes:
      kind: TERMINAL, CHANCE or DECISION. [W]
      player: who moves; -1 unless DECISION. [W]
      information_set: of the player who moves; -1 unless DECISION. [W]
      parent: the world one move earlier; -1 at the start. [W]
      depth: number of moves made. [W]
      first_edge: where the world's edges begin. [W]
      edge_count: number of moves or chance outcomes. [W]
      utility_row: row of `utilities`; -1 unless TERMINAL. [W]
      view: what each player has seen, a number of the view table. [W * n]
      unseen: for each player, 1 if the mover has not seen that player's last action (it would be
        in the same information set after another one), else 0; UNRESOLVED until asked for. [W * n]
      edge_child: world after the edge; MISSING until somebody steps there. [E]
      edge_action: pyspiel's number of the move or outcome. [E]
      edge_probability: of a chance outcome; 0 for moves. [E]
      utilities: what each player gets. [T * n]
    """

    kind: array[int] = dataclasses.field(default_factory=_ints)
    player: array[int] = dataclasses.field(default_factory=_ints)
    information_set: array[int] = dataclasses.field(default_factory=_ints)
    parent: array[int] = dataclasses.field(default_factory=_ints)
    depth: array[int] = dataclasses.field(default_factory=_ints)
    first_edge: array[int] = dataclasses.field(default_factory=_ints)
    edge_count: array[int] = dataclasses.field(default_factory=_ints)
    utility_row: array[int] = dataclasses.field(default_factory=_ints)
    view: array[int] = dataclasses.field(default_factory=_ints)
    unseen: array[int] = dataclasses.field(default_factory=_ints)
    edge_child: array[int] = dataclasses.field(default_factory=_ints)
    edge_action: array[int] = dataclasses.field(default_factory=_actions)
    edge_probability: array[float] = dataclasses.field(default_factory=_floats)
    utilities: array[float] = dataclasses.field(default_factory=_floats)

    def __len__(self) -> int:
        """Number of worlds."""
        return len(self.kind)


@dataclasses.dataclass(slots=True)
class InformationSets:
    """What a player knows when it is to move.

    Attributes:
      player: whose information set it is. [I]
      view: what that player has seen. [I]
      first_world: the world in which the set was first met. [I]
      first_action: where its actions begin. [I]
      action_count: number of legal actions, in pyspiel's order. [I]
      hidden: what is drawn first (see SampleNodes.target); UNRESOLVED until asked for. [I]
      action: pyspiel's number of a legal action. [A]
      own_next: information set that follows the action whatever is hidden, MISSING if that
        depends on the hidden state or another player moves, UNRESOLVED until asked for. [A]
    """

    player: array[int] = dataclasses.field(default_factory=_ints)
    view: array[int] = dataclasses.field(default_factory=_ints)
    first_world: array[int] = dataclasses.field(default_factory=_ints)
    first_action: array[int] = dataclasses.field(default_factory=_ints)
    action_count: array[int] = dataclasses.field(default_factory=_ints)
    hidden: array[int] = dataclasses.field(default_factory=_ints)
    action: array[int] = dataclasses.field(default_factory=_actions)
    own_next: array[int] = dataclasses.field(default_factory=_ints)

    def __len__(self) -> int:
        """Number of information sets."""
        return len(self.player)


@dataclasses.dataclass(slots=True)
class SampleNodes:
    """Forks in the hidden history: the prefix tree of the worlds of an information set.

    A node stands at a partial world; each branch is one value of the next hidden piece (a chance
    outcome or another player's move) with which the world can still be completed.

    Attributes:
      information_set: whose hidden state is drawn. [S]
      world: the partial world in which the next piece is hidden. [S]
      first_branch: where the node's branches begin. [S]
      branch_count: number of consistent values of the piece, at least 2. [S]
      edge: the piece, as an edge of the partial world. [B]
      target: what is below the branch: a complete world w as w, a further SAMPLE node s as ~s,
        UNRESOLVED until asked for. [B]
    """

    information_set: array[int] = dataclasses.field(default_factory=_ints)
    world: array[int] = dataclasses.field(default_factory=_ints)
    first_branch: array[int] = dataclasses.field(default_factory=_ints)
    branch_count: array[int] = dataclasses.field(default_factory=_ints)
    edge: array[int] = dataclasses.field(default_factory=_ints)
    target: array[int] = dataclasses.field(default_factory=_ints)

    def __len__(self) -> int:
        """Number of SAMPLE nodes."""
        return len(self.world)
