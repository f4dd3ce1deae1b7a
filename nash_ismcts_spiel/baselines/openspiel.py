"""OpenSpiel's own C++ solvers as anytime methods: CFR, CFR+, and Monte Carlo CFR."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel

from nash_ismcts_spiel.games import GameGraph


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


def cfr(graph: GameGraph, seed: int) -> OpenSpielSolver:
    """Counterfactual regret minimisation; draws nothing, so the seed is not used."""
    solver = pyspiel.CFRSolver(graph.game.pyspiel_game)
    return OpenSpielSolver(graph, solver, "evaluate_and_update_policy")


def cfr_plus(graph: GameGraph, seed: int) -> OpenSpielSolver:
    """CFR+; draws nothing, so the seed is not used."""
    solver = pyspiel.CFRPlusSolver(graph.game.pyspiel_game)
    return OpenSpielSolver(graph, solver, "evaluate_and_update_policy")


def external_sampling(graph: GameGraph, seed: int) -> OpenSpielSolver:
    """External-sampling Monte Carlo CFR, with OpenSpiel's default kind of averaging."""
    solver = pyspiel.ExternalSamplingMCCFRSolver(graph.game.pyspiel_game, seed=seed)
    return OpenSpielSolver(graph, solver, "run_iteration")


def outcome_sampling(graph: GameGraph, seed: int) -> OpenSpielSolver:
    """Outcome-sampling Monte Carlo CFR, with OpenSpiel's default exploration of 0.6."""
    solver = pyspiel.OutcomeSamplingMCCFRSolver(graph.game.pyspiel_game, seed=seed)
    return OpenSpielSolver(graph, solver, "run_iteration")
