"""Exact models of a tabular policy in an enumerable game: H by Bayes' rule, V by evaluation.

Everything is computed for the profile in which all players follow the given policy
(`native/exact/exact_rows.h`). Beliefs of a player weigh each world by chance and by the *other*
players' probabilities; its own cancel. Where the others never go, beliefs are the limit of
trembles: each player plays a uniformly random action with probability tending to 0, so the worlds
that need the fewest trembles count, and only they.

Values are utilities in the game's units, for the player who owns the information set. A search
forgets the imagined world whenever its player acts again, and goes on from V of the information set
there. So that worlds which were looked into and worlds which were not can be averaged, the value of
a world is by default *forgetful* too: what the player's next information sets are worth, expected
over what happens before. Valuing worlds by their own expected utility is as right on average, but a
search that has seen one good world and not yet the bad ones would take the mean for the good one.
"""

from __future__ import annotations

import functools
from typing import Any

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.policies import policy_table
from nash_ismcts_spiel.models.whole import WholeEvaluator
from nash_ismcts_spiel.native import _core, exact


class ExactEvaluator(WholeEvaluator):
    """H, V and Vc of a policy, exactly.

    Attributes:
      graph: the enumerated graph that the rows belong to.
      policy: the probabilities, one per legal action of each information set. [A]
      forgetful: whether a world is worth what the player's next information sets are worth.
    """

    def __init__(self, game: Any, policy: Any, forgetful: bool = True) -> None:
        """Enumerates the game and takes the policy.

        Args:
          game: a pyspiel game, its name, or an enumerated GameGraph to share.
          policy: an OpenSpiel policy, {information state string: {action: probability}}, or an
            array with one probability per legal action of each information set of the graph.
          forgetful: False values worlds by their own expected utility.
        """
        if isinstance(game, GameGraph) and not game.enumerated:
            raise ValueError(f"exact models need an enumerated graph of {game.game.name}")
        self.graph = game if isinstance(game, GameGraph) else GameGraph.enumerate(game)
        self.policy = policy_table(self.graph, policy)
        self.forgetful = forgetful

    @functools.cached_property
    def native_rows(self) -> _core.Rows:
        """All rows."""
        return exact.exact_rows(self.graph, self.policy, self.forgetful)

    def value(self, player: int) -> float:
        """Expected utility of a player from the start of the game."""
        return float(exact.compiled(self.graph).expected_utilities(self.policy)[0, player])
