"""OpenSpiel's two IS-MCTS bots (Cowling et al. 2012: one tree, UCT, random rollouts) as peers.

The Python one gets this package's resampler and so plays every game with hidden information; the
C++ one plays where the game has a resampler of its own. Both report the visit shares that they draw
their moves from. The Python one is reproducible from its seed; the C++ one gave different answers
from one seed. A search ends after `simulations`, or when `seconds_per_move` of wall time have
passed, whichever comes first.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

from nash_ismcts_spiel.baselines.episodic import Budget, check_mover, seat
from nash_ismcts_spiel.games import NoWorldFoundError, SupportedGame
from nash_ismcts_spiel.games.resample import MAX_WORLDS, Resampler, has_own_resampler

ActionProbabilities = list[tuple[int, float]]

_LEAST = 2
"""The first simulation only makes the root; an answer needs one more."""


class IsmctsBot(ismcts.ISMCTSBot):  # type: ignore[misc]  # open_spiel has no types
    """OpenSpiel's Python IS-MCTS, for any game that hides something."""

    def __init__(
        self,
        game: Any,
        player_id: int,
        *,
        seed: int = 0,
        simulations: int | None = None,
        seconds_per_move: float | None = None,
        uct_c: float | None = None,
        rollouts: int = 1,
        max_worlds: int = MAX_WORLDS,
    ) -> None:
        """Takes a seat.

        Args:
          game: a pyspiel game or its name; a simultaneous one is played in its turn-based form.
          player_id: the seat.
          seed: of all randomness.
          simulations: per move; a thousand if neither this nor the time is limited.
          seconds_per_move: wall time per move.
          uct_c: weight of UCT's exploration term in utility units; by default the largest utility.
          rollouts: random games per new node.
          max_worlds: bound of the resampler's memory.
        """
        supported = _hidden_information(seat(game, player_id))
        self._budget = Budget(simulations, seconds_per_move, least=_LEAST)
        random = np.random.RandomState(seed)
        super().__init__(
            supported.pyspiel_game,
            mcts.RandomRolloutEvaluator(rollouts, random),
            _exploration(supported, uct_c),
            self._budget.most,
            random_state=random,
            final_policy_type=ismcts.ISMCTSFinalPolicyType.NORMALIZED_VISITED_COUNT,
            use_observation_string=not supported.has_information_states,
        )
        self._supported = supported
        self.set_resampler(Resampler(supported, seed, max_worlds, seconds_per_move))

    def get_state_key(self, state: Any) -> tuple[Any, ...]:
        """What a node is known by: observations may leave open what is legal (dou_dizhu), on which
        OpenSpiel's own key fails.
        """
        key: tuple[Any, ...] = super().get_state_key(state)
        if self._supported.has_information_states:
            return key
        return (*key, *state.legal_actions())

    def get_policy(self, state: Any) -> ActionProbabilities:
        """Visit shares of all legal actions of the player to move."""
        return self.run_search(state)

    def run_search(self, state: Any) -> ActionProbabilities:
        """Visit shares of all legal actions after a search that is limited by count and time."""
        check_mover(self._supported, state)
        legal = state.legal_actions()
        if len(legal) == 1:
            return [(legal[0], 1.0)]
        self.reset()
        self._root_node = self.create_new_node(state)
        try:
            for _ in self._budget.ticks():
                self.run_simulation(self.sample_root_state(state))
        except (NoWorldFoundError, TimeoutError) as error:  # as our own bot does
            warnings.warn(f"a move is drawn at random: {error}", RuntimeWarning, stacklevel=2)
            return [(action, 1.0 / len(legal)) for action in legal]
        shares = dict(self.get_final_policy(state, self._root_node))
        return [(action, float(shares[action])) for action in legal]

    def step_with_policy(self, state: Any) -> tuple[ActionProbabilities, int]:
        """The visit shares and an action drawn from them."""
        policy = self.get_policy(state)
        actions, shares = zip(*policy, strict=True)
        return policy, int(self._random_state.choice(actions, p=shares))

    def step(self, state: Any) -> int:
        """An action drawn from the visit shares."""
        return self.step_with_policy(state)[1]

    def provides_policy(self) -> bool:
        """Yes."""
        return True

    def restart(self) -> None:
        """Nothing to do: every move is searched afresh."""

    def restart_at(self, state: Any) -> None:
        """Nothing to do, as `restart`."""


class CppIsmctsBot(pyspiel.Bot):  # type: ignore[misc]  # pyspiel has no types
    """OpenSpiel's C++ IS-MCTS, in the games that have a resampler of their own."""

    def __init__(
        self,
        game: Any,
        player_id: int,
        *,
        seed: int = 0,
        simulations: int | None = None,
        seconds_per_move: float | None = None,
        uct_c: float | None = None,
        rollouts: int = 1,
    ) -> None:
        """Takes a seat; the arguments are those of `IsmctsBot`.

        Raises:
          ValueError: the game has no resampler.
        """
        pyspiel.Bot.__init__(self)
        supported = _hidden_information(seat(game, player_id))
        budget = Budget(simulations, seconds_per_move, least=_LEAST)
        if not has_own_resampler(supported):
            raise ValueError(
                f"{supported.name} has no resample_from_infostate, which OpenSpiel's C++ IS-MCTS "
                "needs; ismcts_openspiel plays it"
            )
        self._supported = supported
        self._rng = np.random.default_rng(seed)
        self._bot = pyspiel.ISMCTSBot(
            seed,
            pyspiel.RandomRolloutEvaluator(rollouts, seed),
            _exploration(supported, uct_c),
            budget.most,
            use_observation_string=not supported.has_information_states,
            max_wall_clock_time=-1.0 if seconds_per_move is None else seconds_per_move,
        )

    def get_policy(self, state: Any) -> ActionProbabilities:
        """Visit shares of all legal actions."""
        check_mover(self._supported, state)
        shares = dict(self._bot.get_policy(state))
        return [(action, shares.get(action, 0.0)) for action in state.legal_actions()]

    def step_with_policy(self, state: Any) -> tuple[ActionProbabilities, int]:
        """The visit shares and an action drawn from them."""
        policy = self.get_policy(state)
        actions, shares = zip(*policy, strict=True)
        return policy, int(self._rng.choice(actions, p=np.array(shares) / sum(shares)))

    def step(self, state: Any) -> int:
        """An action drawn from the visit shares."""
        return self.step_with_policy(state)[1]

    def provides_policy(self) -> bool:
        """Yes."""
        return True

    def restart(self) -> None:
        """Nothing to do: every move is searched afresh."""

    def restart_at(self, state: Any) -> None:
        """Nothing to do, as `restart`."""


def _hidden_information(game: SupportedGame) -> SupportedGame:
    if game.perfect_information:
        raise ValueError(f"{game.name} hides nothing, and IS-MCTS wants hidden information")
    return game


def _exploration(game: SupportedGame, uct_c: float | None) -> float:
    if uct_c is not None and not uct_c >= 0.0:
        raise ValueError(f"uct_c must not be negative, not {uct_c}")
    return float(game.pyspiel_game.max_utility()) if uct_c is None else uct_c
