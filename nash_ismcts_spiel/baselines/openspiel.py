"""OpenSpiel's own methods as anytime methods: CFR, CFR+ and Monte Carlo CFR in C++, linear and
discounted CFR in Python, and IS-MCTS at every information set.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel

from nash_ismcts_spiel.baselines.ismcts import IsmctsBot
from nash_ismcts_spiel.games import GameGraph

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
