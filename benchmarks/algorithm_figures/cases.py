"""The positions, models and searches that docs/algorithm.md shows.

Utilities are in the game's units, for the player who owns the tree. P is CFR's average policy, with
exact models (H by Bayes' rule, V by evaluation of P), except in Liar's Dice, where all models are
networks after a short training.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyspiel

from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.games import GameGraph, InformationKey
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.models import Evaluator, ExactEvaluator, Models
from nash_ismcts_spiel.models.protocol import graph_of
from nash_ismcts_spiel.models.tables import forest_models
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.engine import NativeEngine
from nash_ismcts_spiel.native.forest import ForestEngine
from nash_ismcts_spiel.page.inspection import ExactBeliefs, pieces_of
from nash_ismcts_spiel.runs import Budget, Run
from nash_ismcts_spiel.search import SearchResult
from nash_ismcts_spiel.search.dispersion import dispersed
from nash_ismcts_spiel.search.limits import Limits
from nash_ismcts_spiel.search.simulation import Simulator
from nash_ismcts_spiel.search.trees import Forest

LEDUC = "leduc_poker(suit_isomorphism=True)"
"""Leduc poker whose cards are told by rank alone, so that three cards may be hidden."""

BLUFF = (1, 0, 1)
"""Player 0 has a queen and called; player 1 has a jack and has to act."""

DICE = "liars_dice(numdice=2,dice_sides=3)"
DICE_GENERATIONS = 10
DICE_HISTORY = (0, 1, 0, 1, 4)
"""Player 0 rolled 1 and 2, player 1 rolled 1 and 2; player 0 has bid two twos."""


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """An information set, and the models to search it with.

    Attributes:
      evaluator: the models.
      graph: the game.
      root: the information set.
    """

    evaluator: Evaluator
    graph: GameGraph
    root: int

    @property
    def value_scale(self) -> float:
        """Utility units that count as 1."""
        return self.graph.value_scale

    def search(self, visits: int, radius: float, seed: int = 0) -> SearchResult:
        """What a search finds here."""
        config = SearchConfig(visits=visits, dispersion_radius=radius)
        engine = NativeEngine(Models(self.graph, self.evaluator), config)
        return engine.search(self.root, np.random.default_rng(seed))

    def soft_search(self, visits: int, seed: int = 1) -> SearchResult:
        """What the search with soft ties finds here; its intervals are as wide as alpha."""
        models = forest_models(self.graph, self.evaluator)
        return ForestEngine(models, SearchConfig(visits=visits), seed).search(self.root)


def cfr_policy(game: Any, iterations: int = 100) -> Any:
    """The average policy of CFR."""
    solver = pyspiel.CFRSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return solver.tabular_average_policy()


def exact_case(name: str, history: Sequence[int]) -> Case:
    """The player to move after a history, with exact models of CFR's policy."""
    game = pyspiel.load_game(name)
    evaluator = ExactEvaluator(game, cfr_policy(game))
    state = game.new_initial_state()
    for action in history:
        state.apply_action(action)
    root = evaluator.graph.observe(state, state.current_player())
    return Case(evaluator, evaluator.graph, root)


def grown_forest(case: Case, visits: int, radius: float, seed: int = 0) -> tuple[Forest, int]:
    """All trees after a search by the reference engine's parts, and the simulations in them."""
    config = SearchConfig(visits=visits, dispersion_radius=radius)
    models, forest = Models(case.graph, case.evaluator), Forest()
    rng = np.random.default_rng(seed)
    simulator = Simulator(
        models, forest, config, case.value_scale, rng, Limits(), _core.Pools()
    )  # fmt: skip
    tree = forest.tree(case.root, case.graph.information_sets.player[case.root])
    while sum(tree.root.choices.visits) < visits:
        simulator.simulate(tree)
    return forest, simulator.simulations


def reach_of_ties(case: Case, radius: float) -> float:
    """By how much the values of two actions may differ so that their intervals still overlap."""
    row = case.evaluator.sample_rows(case.graph, [~case.graph.hidden(case.root)])[0]
    ends = [dispersed(row.beliefs, values, values, radius) for values in row.child_values]
    return sum(high - low for low, high in ends) / 2


class Piece(NamedTuple):
    """One SAMPLE node of a chain.

    Attributes:
      drawn: the faces drawn before it.
      model: h of the network, by face. [faces]
      bayes: the same by Bayes' rule, if all follow P. [faces]
    """

    drawn: tuple[int, ...]
    model: Sequence[float]
    bayes: Sequence[float]


def dice_chain(generations: int = DICE_GENERATIONS, seed: int = 0) -> list[Piece]:
    """Beliefs of player 1 over the dice of player 0: of the first die, and of the second one after
    each face of the first.
    """
    with tempfile.TemporaryDirectory() as folder:
        run = Run.create(f"{folder}/run", DICE, seed, TrainingConfig(), models="learned")
        for _ in run.train(Budget(generations=generations)):
            pass
        evaluator = run.saved_models().evaluator()
    graph = graph_of(evaluator)
    assert graph is not None  # small enough for tables of all information sets
    state = pyspiel.load_game(DICE).new_initial_state()
    for event in DICE_HISTORY:
        state.apply_action(event)
    root = graph.observe(state, 1)
    exact, models = ExactBeliefs(graph, evaluator), Models(graph, evaluator)
    first = graph.hidden(root)
    faces = pieces_of(graph, ~first)
    chain = [_piece(graph, models, exact, graph.key(root), first, ())]
    for branch, face in enumerate(faces):
        target = graph.branch(~first, branch)
        chain.append(_piece(graph, models, exact, graph.key(root), target, (face,)))
    return chain


def _piece(
    graph: GameGraph,
    models: Models,
    exact: ExactBeliefs,
    key: InformationKey,
    target: int,
    drawn: tuple[int, ...],
) -> Piece:
    by_rule = exact.at(key, drawn)
    offered = pieces_of(graph, ~target)
    beliefs = models.sample(~target).beliefs
    return Piece(tuple(face + 1 for face in drawn), beliefs, [by_rule[face] for face in offered])
