"""Rows for networks from games that were played on a graph that grows; `rows.py` says which."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.hidden import hidden_path
from nash_ismcts_spiel.games.tensors import Tensors, legal_entries, open_entries
from nash_ismcts_spiel.training.config import NetworkConfig
from nash_ismcts_spiel.training.rows import HiddenRows, PolicyRows, ValueRows, result_weights
from nash_ismcts_spiel.training.watch import Watch

Floats = npt.NDArray[np.float64]
NUMBER_BYTES = 4


class Decision(NamedTuple):
    """A decision of the explorer: where, which action (an index), and whether it was explored."""

    world: int
    action: int
    explored: bool


@dataclasses.dataclass(slots=True)
class GrownGame:
    """A game that is played.

    Attributes:
      explorer: the player who explores and gives rows.
      world: where it stands.
      decisions: of the explorer, oldest first.
    """

    explorer: int
    world: int = 0
    decisions: list[Decision] = dataclasses.field(default_factory=list)


class Result(NamedTuple):
    """The end of a game seen from a decision: see ValueRows; the result is in value scales."""

    world: int
    information_set: int
    action: int
    result: float
    value_weight: float
    child_weight: float


class RowMaker:
    """Makes rows from what was played on one graph."""

    def __init__(
        self, graph: GameGraph, tensors: Tensors, value_scale: float, config: NetworkConfig
    ) -> None:
        """Takes what networks see, and how explorers explored."""
        self._graph = graph
        self._tensors = tensors
        self._value_scale = value_scale
        self._config = config

    @property
    def value_bytes(self) -> int:
        """What a row for V takes."""
        return NUMBER_BYTES * self._tensors.set_inputs + self._tensors.actions

    @property
    def hidden_bytes(self) -> int:
        """What a row for H takes."""
        return NUMBER_BYTES * self._tensors.sample_inputs + self._tensors.pieces

    def policy(self, visits: Mapping[int, int], found: Mapping[int, Floats]) -> PolicyRows:
        """What searches found, counted by visits to the power of `frequency_power`."""
        sets = list(visits)
        legal = legal_entries(self._graph, sets)
        mask = legal.mask(self._tensors.actions)
        targets = np.zeros(mask.shape, dtype=np.float32)
        targets[legal.rows, legal.columns] = np.concatenate([found[s] for s in sets])
        frequency = np.array([visits[s] for s in sets], dtype=np.float64)
        frequency **= self._config.frequency_power
        return PolicyRows(self._tensors.sets(self._graph, sets), mask, frequency, targets)

    def results(self, game: GrownGame) -> Iterator[Result]:
        """What the end of a game says about each decision of the explorer."""
        worlds = self._graph.worlds
        position = worlds.utility_row[game.world] * self._graph.game.num_players + game.explorer
        result = worlds.utilities[position] / self._value_scale
        explored = [decision.explored for decision in game.decisions]
        weights = zip(*result_weights(explored, self._config.explore), strict=True)
        for decision, (value_weight, child_weight) in zip(game.decisions, weights, strict=True):
            number = worlds.information_set[decision.world]
            action = self._graph.legal_actions(number)[decision.action]
            yield Result(decision.world, number, action, result, value_weight, child_weight)

    def value(self, results: Sequence[Result]) -> ValueRows:
        """A row per decision."""
        sets = [row.information_set for row in results]
        return ValueRows(
            self._tensors.sets(self._graph, sets),
            legal_entries(self._graph, sets).mask(self._tensors.actions),
            np.ones(len(results)),
            np.array([row.result for row in results], dtype=np.float32),
            np.array([row.action for row in results], dtype=np.int64),
            np.array([row.value_weight for row in results], dtype=np.float32),
            np.array([row.child_weight for row in results], dtype=np.float32),
        )

    def hidden(
        self, results: Sequence[Result], most_bytes: float, rng: np.random.Generator, watch: Watch
    ) -> HiddenRows:
        """A row per piece that was hidden at these decisions, in a random sample of them if their
        rows take more than so many bytes.
        """
        paths: dict[int, list[tuple[int, int]]] = {}
        room = most_bytes / self.hidden_bytes
        for index in rng.permutation(len(results)).tolist():
            if room <= 0.0:
                break
            watch.check()
            paths[index] = hidden_path(self._graph, results[index].world)
            room -= len(paths[index])
        steps = [(results[index], *step) for index in sorted(paths) for step in paths[index]]
        nodes = [node for _, node, _ in steps]
        branches = np.array([branch for _, _, branch in steps], dtype=np.int64)
        open_pieces = open_entries(self._graph, nodes)
        first = np.cumsum(open_pieces.counts) - open_pieces.counts
        return HiddenRows(
            self._tensors.samples(self._graph, nodes),
            open_pieces.mask(self._tensors.pieces),
            np.ones(len(nodes)),
            open_pieces.columns[first + branches],
            np.array([row.action for row, _, _ in steps], dtype=np.int64),
            np.array([row.result for row, _, _ in steps], dtype=np.float32),
            np.array([row.child_weight for row, _, _ in steps], dtype=np.float32),
        )
