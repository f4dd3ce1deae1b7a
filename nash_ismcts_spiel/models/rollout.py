"""Values by random play: the classic leaf evaluation of Monte-Carlo tree search.

For `RolloutEvaluator` P is uniform. Some worlds of an information set are drawn (hidden pieces by
their prior), and in each of them games are played to their end at random, each after another own
action: after all of them, or after `games` drawn at random where there are more. The mean utility
of the player who owns the information set is Vc, V is the mean of Vc over the actions that were
played, and Vc of those that were not. All of it is compiled and one pool of worlds serves a whole
row (`native/search/row_source.h`). A row depends on the seed and on what the player has seen alone.

`RolloutPolicyEvaluator` makes a policy and beliefs of the same values: P(a) is proportional to
exp(Vc(a) / temperature), and a hidden move of another player is as likely as that player's P makes
it. So a search that has learned nothing does not take others to move at random, which is what leads
it astray where their unseen moves are all that is hidden (phantom and dark board games). It takes
many games per action, since P must tell small differences apart; rows are made once.
"""

from __future__ import annotations

from typing import Any

from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.symmetries import cell_symmetries
from nash_ismcts_spiel.models.sources import SourceEvaluator
from nash_ismcts_spiel.native import _core


class RolloutEvaluator(SourceEvaluator):
    """Random rollouts: `rollouts` worlds, in each up to `games` games."""

    def __init__(
        self, game: Any = None, *, rollouts: int = 1, games: int = 2, seed: int = 0
    ) -> None:
        """Takes any game; one that is given here is refused at once if it is unsupported."""
        if rollouts < 1:
            raise ValueError(f"rollouts must be at least 1, not {rollouts}")
        if games < 1:
            raise ValueError(f"games must be at least 1, not {games}")
        if game is not None:
            support(game)
        self._source = _core.rollout_rows(rollouts, games, seed % 2**64)

    def row_source(self, graph: GameGraph) -> _core.RowSource:
        """The compiled models."""
        del graph
        return self._source


class RolloutPolicyEvaluator(SourceEvaluator):
    """P and beliefs from random rollouts: `rollouts` worlds, in each a game after every action.

    Rows are made once per information set and kept, whichever graph asks for them.
    """

    def __init__(
        self,
        game: Any = None,
        *,
        rollouts: int = 256,
        temperature: float = 0.1,
        by_observation: bool = False,
        turned: bool = False,
        seed: int = 0,
    ) -> None:
        """Takes any game; one that is given here is refused at once if it is unsupported.

        Args:
          game: a pyspiel game or its name, to be checked.
          rollouts: worlds per information set.
          temperature: of P, in value scales.
          by_observation: one information set stands for all in which its player sees the same, as
            with `trees="by_observation"`, which is much less to play out.
          turned: one stands for all its images by turns and reflections, in games on square boards
            that these leave the same (`games/symmetries.py`), which is less again.
          seed: of the random games.
        """
        if rollouts < 1:
            raise ValueError(f"rollouts must be at least 1, not {rollouts}")
        if not temperature > 0.0:
            raise ValueError(f"temperature must be positive, not {temperature}")
        if game is not None:
            support(game)
        self._rollouts = rollouts
        self._temperature = temperature
        self._by_observation = by_observation
        self._turned = turned
        self._seed = seed % 2**64
        self._sources: dict[str, _core.RowSource] = {}

    def row_source(self, graph: GameGraph) -> _core.RowSource:
        """The compiled models of the graph's game."""
        name = graph.game.name
        if name not in self._sources:
            self._sources[name] = _core.rollout_policy_rows(
                self._rollouts,
                self._temperature * graph.game.value_scale(),
                self._by_observation,
                cell_symmetries(graph.game) if self._turned else [],
                self._seed,
            )
        return self._sources[name]
