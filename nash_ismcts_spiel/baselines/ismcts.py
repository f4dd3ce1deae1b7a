"""OpenSpiel's two IS-MCTS bots (Cowling et al. 2012: one tree, UCT, random rollouts) as peers.

The Python one gets this package's resampler and so plays every game with hidden information; the
C++ one plays where the game has a resampler of its own. Both report the visit shares that they draw
their moves from. The Python one is reproducible from its seed; the C++ one is not, since it breaks
ties in the order of hash tables. A search ends after `simulations`, or when `seconds_per_move` of
wall time have passed, whichever comes first.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

from nash_ismcts_spiel.games import SupportedGame, support
from nash_ismcts_spiel.games.resample import MAX_WORLDS, Resampler, has_own_resampler

ActionProbabilities = list[tuple[int, float]]

SIMULATIONS = 1000
"""Where neither simulations nor seconds are given."""

_UNLIMITED = 2_000_000_000
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
          simulations: per move; SIMULATIONS if neither this nor the time is limited.
          seconds_per_move: wall time per move.
          uct_c: weight of UCT's exploration term in utility units; by default the largest utility.
          rollouts: random games per new node.
          max_worlds: bound of the resampler's memory.
        """
        supported = _checked(game, player_id, simulations, seconds_per_move)
        random = np.random.RandomState(seed)
        super().__init__(
            supported.pyspiel_game,
            mcts.RandomRolloutEvaluator(rollouts, random),
            _exploration(supported, uct_c),
            _limit(simulations, seconds_per_move),
            random_state=random,
            final_policy_type=ismcts.ISMCTSFinalPolicyType.NORMALIZED_VISITED_COUNT,
            use_observation_string=not supported.has_information_states,
        )
        self._seconds = seconds_per_move
        self.set_resampler(Resampler(supported, seed, max_worlds))

    def run_search(self, state: Any) -> ActionProbabilities:
        """Visit shares of all legal actions after a search that is limited by count and time."""
        legal = state.legal_actions()
        if len(legal) == 1:
            return [(legal[0], 1.0)]
        started = time.perf_counter()
        self.reset()
        self._root_node = self.create_new_node(state)
        for done in range(self._max_simulations):
            late = self._seconds is not None and time.perf_counter() - started >= self._seconds
            if late and done >= _LEAST:
                break
            self.run_simulation(self.sample_root_state(state))
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
        supported = _checked(game, player_id, simulations, seconds_per_move)
        if not has_own_resampler(supported):
            raise ValueError(
                f"{supported.name} has no resample_from_infostate, which OpenSpiel's C++ IS-MCTS "
                "needs; ismcts_openspiel plays it"
            )
        self._rng = np.random.default_rng(seed)
        self._bot = pyspiel.ISMCTSBot(
            seed,
            pyspiel.RandomRolloutEvaluator(rollouts, seed),
            _exploration(supported, uct_c),
            _limit(simulations, seconds_per_move),
            use_observation_string=not supported.has_information_states,
            max_wall_clock_time=-1.0 if seconds_per_move is None else seconds_per_move,
        )

    def get_policy(self, state: Any) -> ActionProbabilities:
        """Visit shares of all legal actions."""
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


def _checked(
    game: Any, player_id: int, simulations: int | None, seconds: float | None
) -> SupportedGame:
    supported = support(game)
    if supported.perfect_information:
        raise ValueError(f"{supported.name} hides nothing, and IS-MCTS wants hidden information")
    if not 0 <= player_id < supported.num_players:
        seats = f"0 to {supported.num_players - 1}"
        raise ValueError(f"player_id must be from {seats} in {supported.name}, not {player_id!r}")
    if simulations is not None and simulations < _LEAST:
        raise ValueError(f"simulations must be at least {_LEAST}, not {simulations}")
    if seconds is not None and not seconds > 0.0:
        raise ValueError(f"seconds_per_move must be positive, not {seconds}")
    return supported


def _limit(simulations: int | None, seconds: float | None) -> int:
    if simulations is not None:
        return simulations
    return SIMULATIONS if seconds is None else _UNLIMITED


def _exploration(game: SupportedGame, uct_c: float | None) -> float:
    if uct_c is not None and not uct_c >= 0.0:
        raise ValueError(f"uct_c must not be negative, not {uct_c}")
    return float(game.pyspiel_game.max_utility()) if uct_c is None else uct_c
