"""P of networks as an OpenSpiel policy, in games of any size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from open_spiel.python import policy as openspiel_policy

from nash_ismcts_spiel.games import GameGraph, SupportedGame
from nash_ismcts_spiel.games.policies import whole_probabilities
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator

_MOST_WORLDS = 1_000_000
"""A graph that has grown beyond this is replaced by a new one."""


class NetworkPolicy(openspiel_policy.Policy):  # type: ignore[misc]  # open_spiel has no types
    """Asks the policy network about what the player to move has seen, and about nothing else.

    Attributes:
      evaluator: the networks.
    """

    def __init__(self, game: SupportedGame, evaluator: NetworkEvaluator) -> None:
        """Takes networks of the game."""
        super().__init__(game.pyspiel_game, list(range(game.num_players)))
        self._game = game
        self.evaluator = evaluator
        self._graph = GameGraph(game, evaluator.split_actions)

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """{action: probability} of the player to move (of `player_id` at a simultaneous node)."""
        player = state.current_player() if player_id is None else player_id
        if len(self._graph.worlds) > _MOST_WORLDS:
            self._graph = GameGraph(self._game, self.evaluator.split_actions)
        number = self._graph.observe(state, player, offered=1)
        return whole_probabilities(self._graph, number, self._policies)

    def _policies(self, numbers: list[int]) -> list[Sequence[float]]:
        rows = self.evaluator.information_set_rows(self._graph, numbers)
        return [row.policy for row in rows]
