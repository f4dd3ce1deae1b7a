"""Marks in the tables of a game graph; the tables themselves are `native/worlds/tables.h`.

Numbers are rows of a table. Rows are only ever appended, so they stay valid for the life of a
graph. Utilities are in the game's units, one per player. Letters in shapes: W worlds, E edges,
T terminal worlds, I information sets, A actions of all information sets, S SAMPLE nodes,
B branches of all SAMPLE nodes, and n players.
"""

TERMINAL, CHANCE, DECISION = 0, 1, 2
"""Kinds of worlds."""

ROOT = 0
"""The world at the start of the game."""

MISSING = -1
"""No such row, or not made yet."""

UNRESOLVED = -(2**31)
"""A target that nobody has asked for yet."""

DEAD = UNRESOLVED + 1
"""A branch of a SAMPLE node below which there is no world."""
