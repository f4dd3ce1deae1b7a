"""Hidden pieces as others see them: what was hidden in a world, and how likely pieces are a priori.

A piece is a chance outcome or another player's move, in the order in which they happened;
`native/worlds/hidden.h` says which ones a SAMPLE node offers.
"""

from __future__ import annotations

from nash_ismcts_spiel.games.graph import GameGraph


def hidden_path(graph: GameGraph, world: int) -> list[tuple[int, int]]:
    """The SAMPLE nodes and branches that lead to `world` in the prefix tree of its mover.

    This is what was hidden from the mover in that world, so it is a thing to learn from after a
    game and never a thing to act on. In a large game the path ends early where a node does not
    offer the piece, because no proof of it was found in time.
    """
    return graph.path_to(world)


def prior_weights(graph: GameGraph, sample_node: int) -> list[float]:
    """How likely each branch is given all that its player has seen, if chance is as the game says
    and the other players move uniformly; normalised. Exact where the worlds of the information set
    could be listed, elsewhere by the chances of the piece alone; dead branches never come.
    """
    return graph.prior_weights(sample_node)
