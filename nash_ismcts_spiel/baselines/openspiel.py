"""OpenSpiel's own methods: CFR, CFR+ and Monte Carlo CFR in C++, linear and discounted CFR in
Python, and C++ IS-MCTS (Cowling et al. 2012: one tree, UCT, random rollouts), as a bot in any game
and at every information set of an enumerated one.

IS-MCTS gets worlds from this package's resampler, as our own searches do, and so plays every game
with hidden information: the resamplers of some games keep hidden cards (gin_rummy, euchre,
oh_hell), and most games have none. One seed gives different answers in different processes, since
OpenSpiel's bot breaks ties in the order of a hash table. A search ends after `simulations`, or when
`seconds_per_move` of wall time have passed, resampling included.
"""

from __future__ import annotations

import functools
import importlib
import time
import warnings
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pyspiel

from nash_ismcts_spiel.baselines.episodic import Budget, check_mover, seat
from nash_ismcts_spiel.games import GameGraph, NoWorldFoundError, SupportedGame
from nash_ismcts_spiel.games.resample import MAX_WORLDS, Resampler
from nash_ismcts_spiel.harness import DrawingBot
from nash_ismcts_spiel.native.openspiel import spiel_module

_FIRST_SIMULATIONS = 16


class OpenSpielSolver:
    """A solver of pyspiel; its policy is the average over its iterations."""

    def __init__(self, graph: GameGraph, solver: Any, iterate: str) -> None:
        """Wraps a solver of the graph's game, whose method `iterate` is one step."""
        self._graph = graph
        self._solver = solver
        self.step = getattr(solver, iterate)  # no call of ours inside the time that is measured
        self._states = [graph.state(world) for world in graph.information_sets.first_world]

    def policy(self) -> npt.NDArray[np.float64]:
        """The average policy, uniform where the solver has never been. [A]"""
        average = self._solver.average_policy()
        rows: list[float] = []
        for information_set, state in enumerate(self._states):
            found = average.action_probabilities(state)
            total = sum(found.values())
            rows += [found[a] / total for a in self._graph.legal_actions(information_set)]
        return np.array(rows)


Maker = Callable[[GameGraph, int], OpenSpielSolver]
"""(graph, seed) -> a method."""


def _method(make: Callable[[Any, int], Any], iterate: str) -> Maker:
    """A method by what makes its solver, of a game and a seed."""
    return lambda graph, seed: OpenSpielSolver(graph, make(graph.game.pyspiel_game, seed), iterate)


def _in_python(name: str) -> Callable[[Any, int], Any]:
    """A solver of OpenSpiel's module of discounted CFR (Brown and Sandholm 2019)."""
    module = "open_spiel.python.algorithms.discounted_cfr"
    return lambda game, seed: getattr(importlib.import_module(module), name)(game)


_UPDATE, _RUN = "evaluate_and_update_policy", "run_iteration"

SOLVERS: dict[str, Maker] = {
    "cfr": _method(lambda game, seed: pyspiel.CFRSolver(game), _UPDATE),
    "cfr_plus": _method(lambda game, seed: pyspiel.CFRPlusSolver(game), _UPDATE),
    "external_sampling": _method(
        lambda game, seed: pyspiel.ExternalSamplingMCCFRSolver(game, seed=seed), _RUN
    ),
    "outcome_sampling": _method(
        lambda game, seed: pyspiel.OutcomeSamplingMCCFRSolver(game, seed=seed), _RUN
    ),
    "linear_cfr": _method(_in_python("LCFRSolver"), _UPDATE),
    "discounted_cfr": _method(_in_python("DCFRSolver"), _UPDATE),
}
"""OpenSpiel's solvers with their defaults: Monte Carlo CFR's kind of averaging, an exploration of
0.6, discounts of 3/2, 0 and 2. All but Monte Carlo CFR draw nothing, so the seed is not used."""


class IsmctsEverywhere:
    """IS-MCTS at one information set after another, round by round with twice the simulations.

    Its policy is the latest answer at each: visit shares, with the value scale as UCT's constant.
    """

    def __init__(self, graph: GameGraph, seed: int) -> None:
        """Starts with the uniform policy.

        Raises:
          ValueError: the game hides nothing.
        """
        self._graph = graph
        self._seed = seed
        counts = np.asarray(graph.information_sets.action_count)
        self._policy = np.repeat(1.0 / counts, counts)
        self._simulations = _FIRST_SIMULATIONS
        self._next = 0
        self._bot = self._new_bot()

    def step(self) -> None:
        """Searches one information set."""
        sets = self._graph.information_sets
        state = self._graph.state(sets.first_world[self._next])
        first, count = sets.first_action[self._next], sets.action_count[self._next]
        self._policy[first : first + count] = [share for _, share in self._bot.get_policy(state)]
        self._next += 1
        if self._next == len(sets):
            self._next = 0
            self._simulations *= 2
            self._bot = self._new_bot()

    def policy(self) -> npt.NDArray[np.float64]:
        """Visit shares. [A]"""
        return self._policy.copy()

    def _new_bot(self) -> IsmctsBot:
        seed = self._seed * 1000 + self._simulations
        return IsmctsBot(self._graph.game, 0, seed=seed, simulations=self._simulations)


ActionProbabilities = list[tuple[int, float]]
FinalPolicy = Literal["visit_shares", "most_visits"]

ALL_NEW = -1
"""Worlds of a search where every simulation draws one of its own."""

_LEAST = 2
"""The first simulation only makes the root; an answer needs one more."""
_SEEDS = 2**31


class IsmctsBot(DrawingBot):
    """OpenSpiel's C++ IS-MCTS, for any game that hides something."""

    def __init__(
        self,
        game: Any,
        player_id: int,
        *,
        seed: int = 0,
        simulations: int | None = None,
        seconds_per_move: float | None = None,
        uct_c: float | None = None,
        final_policy: FinalPolicy = "visit_shares",
        max_world_samples: int = ALL_NEW,
        rollouts: int = 1,
        max_worlds: int = MAX_WORLDS,
    ) -> None:
        """Takes a seat.

        Args:
          game: a pyspiel game or its name; a simultaneous one is played in its turn-based form.
          player_id: the seat.
          seed: of all randomness.
          simulations: per move; a thousand if neither this nor the time is limited.
          seconds_per_move: wall time per move, instead of a number of simulations.
          uct_c: weight of UCT's exploration term in utility units; by default the value scale.
          final_policy: moves are drawn from visit shares, or the most visited one is played.
          max_world_samples: worlds of a search, from which simulations draw; ALL_NEW for no limit.
          rollouts: random games per new node.
          max_worlds: bound of the resampler's memory.

        Raises:
          ValueError: nothing is hidden in the game, or the part for OpenSpiel's C++ is not there.
        """
        super().__init__(seed)
        self._game = _hidden_information(seat(game, player_id))
        self._simulations = Budget(simulations, seconds_per_move, least=_LEAST).most
        self._seconds = seconds_per_move
        if max_world_samples != ALL_NEW and max_world_samples < 1:
            raise ValueError(f"max_world_samples must be positive or -1, not {max_world_samples}")
        if final_policy not in get_args(FinalPolicy):
            words = " or ".join(get_args(FinalPolicy))
            raise ValueError(f"final_policy must be {words}, not {final_policy!r}")
        self._resampler = Resampler(self._game, seed, max_worlds, seconds_per_move)
        self._peer = _peer(
            self._game.name,
            _exploration(self._game, uct_c),
            max_world_samples,
            final_policy == "most_visits",
            rollouts,
        )

    def get_policy(self, state: Any) -> ActionProbabilities:
        """The final policy over all legal actions of the player to move."""
        check_mover(self._game, state)
        legal = state.legal_actions()
        if len(legal) == 1:
            return [(legal[0], 1.0)]
        started, mover = time.perf_counter(), state.current_player()
        worlds = functools.partial(self._resampler.histories, state, mover)
        seed = int(self._rng.integers(_SEEDS))
        try:
            self._resampler.observe(state, mover)
            left = 0.0
            if self._seconds is not None:
                left = max(self._seconds - (time.perf_counter() - started), 1e-9)
            found = self._peer.policy(state.history(), worlds, seed, self._simulations, left)
        except (NoWorldFoundError, TimeoutError) as error:  # as our own bot does
            warnings.warn(f"a move is drawn at random: {error}", RuntimeWarning, stacklevel=2)
            return [(action, 1.0 / len(legal)) for action in legal]
        shares = dict(found)
        return [(action, shares[action]) for action in legal]


@functools.lru_cache(maxsize=16)
def _peer(game: str, uct_c: float, max_world_samples: int, most_visits: bool, rollouts: int) -> Any:
    """The compiled search, which keeps nothing from one move to the next."""
    module = spiel_module()
    if module is None:
        raise ValueError("OpenSpiel's IS-MCTS needs the part of this package for OpenSpiel's C++")
    return module.IsmctsPeer(game, uct_c, max_world_samples, most_visits, rollouts)


def _hidden_information(game: SupportedGame) -> SupportedGame:
    if game.perfect_information:
        raise ValueError(f"{game.name} hides nothing, and IS-MCTS wants hidden information")
    return game


def _exploration(game: SupportedGame, uct_c: float | None) -> float:
    if uct_c is not None and not uct_c >= 0.0:
        raise ValueError(f"uct_c must not be negative, not {uct_c}")
    return game.value_scale() if uct_c is None else uct_c
