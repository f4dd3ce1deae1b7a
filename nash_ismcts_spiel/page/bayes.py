"""Exact Bayes beside a model of hidden pieces, where a game can be enumerated.

The beliefs are those of a player who knows that all others follow P, the policy of the models that
are looked at; a piece is found by the moves and outcomes that it stands for, so that graphs with
different numbers can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nash_ismcts_spiel.games import GameGraph, InformationKey
from nash_ismcts_spiel.games.tables import DEAD
from nash_ismcts_spiel.models import Evaluator, Models
from nash_ismcts_spiel.models.protocol import graph_of
from nash_ismcts_spiel.native.exact import exact_rows

MOST_HISTORIES = 100_000
"""Size up to which a game is enumerated for this; larger ones would keep a person waiting."""

_MISJUDGED = 4
"""How many times too large a random estimate of the size may be."""


class ExactBeliefs:
    """Bayes' rule for all players who follow P."""

    def __init__(self, graph: GameGraph, evaluator: Evaluator) -> None:
        """Asks P of the evaluator's models everywhere in an enumerated graph."""
        sets = len(graph.information_sets)
        policies = Models(graph, evaluator).policies(range(sets))
        self._graph = graph
        self._beliefs = exact_rows(graph, np.concatenate(policies), forgetful=False).beliefs

    def at(self, key: InformationKey, drawn: Sequence[int]) -> dict[int, float]:
        """Beliefs over the next hidden piece of a player, by the number of its move or outcome.

        Args:
          key: what the player has seen.
          drawn: the pieces before it, by their numbers.
        """
        target = self._graph.hidden(self._graph.find(key))
        for piece in drawn:
            if target >= 0:
                return {}
            pieces = self._pieces(~target)
            if piece not in pieces:
                return {}
            target = self._graph.branch(~target, pieces.index(piece))
        if target >= 0 or target == DEAD:
            return {}
        pieces, first = self._pieces(~target), self._graph.samples.first_branch[~target]
        return dict(zip(pieces, self._beliefs[first : first + len(pieces)].tolist(), strict=True))

    def _pieces(self, sample: int) -> list[int]:
        return pieces_of(self._graph, sample)


def pieces_of(graph: GameGraph, sample: int) -> list[int]:
    """The numbers of the moves or outcomes that a SAMPLE node offers, by branch."""
    samples = graph.samples
    first, count = samples.first_branch[sample], samples.branch_count[sample]
    actions = graph.edge_actions(samples.world[sample])
    return [actions[edge] for edge in samples.edge[first : first + count]]


def exact_beliefs(graph: GameGraph, evaluator: Evaluator) -> ExactBeliefs | None:
    """Exact Bayes for the game of `graph`, None if the game is too large or hides nothing."""
    game = graph.game
    if game.perfect_information or game.estimated_worlds() > _MISJUDGED * MOST_HISTORIES:
        return None
    own = graph_of(evaluator)
    if own is not None:
        return ExactBeliefs(own, evaluator) if own.enumerated else None
    try:
        whole = GameGraph.enumerate(game, MOST_HISTORIES, graph.split_actions)
    except ValueError:
        return None
    return ExactBeliefs(whole, evaluator)
