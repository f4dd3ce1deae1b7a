"""Self-play on a graph that grows, many games side by side: for games too large to enumerate.

A shard plays its games on a graph of its own that ends with it. So what it gives depends on the
networks, the settings and its generator alone, and memory is bounded by one shard's games.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.evaluation import Models
from nash_ismcts_spiel.games import CHANCE, TERMINAL, GameGraph, SupportedGame
from nash_ismcts_spiel.games.hidden import hidden_path
from nash_ismcts_spiel.games.tensors import legal_entries, open_entries
from nash_ismcts_spiel.native.engine import search_together
from nash_ismcts_spiel.native.models import NativeModels
from nash_ismcts_spiel.training.config import NetworkConfig
from nash_ismcts_spiel.training.network_evaluator import NetworkEvaluator
from nash_ismcts_spiel.training.rows import HiddenRows, PolicyRows, ValueRows, result_weights

Floats = npt.NDArray[np.float64]


class _Decision(NamedTuple):
    """A decision of the explorer: where, which action (an index), and whether it was explored."""

    world: int
    action: int
    explored: bool


class _Result(NamedTuple):
    """The end of a game seen from a decision: see ValueRows; the result is in value scales."""

    world: int
    information_set: int
    action: int
    result: float
    value_weight: float
    child_weight: float


@dataclasses.dataclass(slots=True)
class _Game:
    """A game under way.

    Attributes:
      explorer: the player who explores and gives rows.
      world: where it stands.
      decisions: of the explorer, oldest first.
    """

    explorer: int
    world: int = 0
    decisions: list[_Decision] = dataclasses.field(default_factory=list)


class GrownPlay:
    """Games of one shard.

    Attributes:
      graph: all that the games and their searches came by.
      simulations: done in all trees of all searches.
      searches: information sets searched.
    """

    def __init__(
        self,
        game: SupportedGame,
        evaluator: NetworkEvaluator,
        config: NetworkConfig,
        rng: np.random.Generator,
    ) -> None:
        """Starts with an empty graph.

        Args:
          game: what is played.
          evaluator: the models.
          config: how explorers explore, and how much frequent rows count.
          rng: of all randomness; it is consumed.
        """
        self.graph = GameGraph(game, evaluator.split_actions, evaluator.hidden_order)
        self.simulations = 0
        self.searches = 0
        self._models = NativeModels(Models(self.graph, evaluator))
        self._evaluator = evaluator
        self._tensors = evaluator.tensors
        self._explore = config.explore
        self._frequency_power = config.frequency_power
        self._rng = rng
        self._policies: dict[int, Floats] = {}
        self._found: dict[int, Floats] = {}

    def search_games(self, games: int, config: SearchConfig, width: int) -> PolicyRows:
        """Plays games in which explorers search, up to `width` searches side by side.

        An information set is searched once, however many games come by; the row counts for all of
        them, to the power of `frequency_power`.
        """
        visits: dict[int, int] = {}
        under_way = self._start(games)
        while under_way:
            deciding = self._until_decision(under_way, others_follow_p=False)
            sets = [self._set(game) for game in deciding]
            self._search([s for s in dict.fromkeys(sets) if s not in self._found], config, width)
            for game, number in zip(deciding, sets, strict=True):
                visits[number] = visits.get(number, 0) + 1
                self._decide(game, self._found[number])
            under_way = deciding
        return self._policy_rows(visits)

    def policy_games(self, games: int, hidden_share: float) -> tuple[ValueRows, HiddenRows]:
        """Plays games straight from P; a share of the explorers' decisions gives rows for H."""
        all_games = self._start(games)
        under_way = list(all_games)
        while under_way:
            under_way = self._until_decision(under_way, others_follow_p=True)
            self._evaluate([self._set(game) for game in under_way])
            for game in under_way:
                self._decide(game, self._policies[self._set(game)])
        return self._result_rows(all_games, hidden_share)

    def _start(self, games: int) -> list[_Game]:
        players = self.graph.game.num_players
        return [_Game(explorer=number % players) for number in range(games)]

    def _until_decision(self, games: Sequence[_Game], others_follow_p: bool) -> list[_Game]:
        """Lets chance and the others move until explorers are to; drops games that are over.

        The others follow P or else play uniformly.
        """
        deciding: list[_Game] = []
        moving = list(games)
        while moving:
            waiting = [game for game in moving if self._other_to_move(game)]
            if others_follow_p:
                self._evaluate([self._set(game) for game in waiting])
            still: list[_Game] = []
            for game in moving:
                kind = self.graph.worlds.kind[game.world]
                if kind == TERMINAL:
                    continue
                if kind != CHANCE and self.graph.worlds.player[game.world] == game.explorer:
                    deciding.append(game)
                    continue
                self._move_other(game, kind, others_follow_p)
                still.append(game)
            moving = still
        return deciding

    def _other_to_move(self, game: _Game) -> bool:
        worlds = self.graph.worlds
        kind = worlds.kind[game.world]
        return kind not in (TERMINAL, CHANCE) and worlds.player[game.world] != game.explorer

    def _move_other(self, game: _Game, kind: int, by_policy: bool) -> None:
        worlds = self.graph.worlds
        first, count = worlds.first_edge[game.world], worlds.edge_count[game.world]
        if kind == CHANCE:
            weights = np.array(worlds.edge_probability[first : first + count])
        elif by_policy:
            weights = self._policies[self._set(game)]
        else:
            weights = np.array(self.graph.uniform_policy(self._set(game)))
        game.world = self.graph.child(game.world, self._draw(weights))

    def _decide(self, game: _Game, policy: Floats) -> None:
        """The explorer moves: by its policy or, with probability `explore`, uniformly."""
        explored = bool(self._rng.random() < self._explore)
        uniform = np.array(self.graph.uniform_policy(self._set(game))) if explored else policy
        action = self._draw(uniform)
        game.decisions.append(_Decision(game.world, action, explored))
        game.world = self.graph.child(game.world, action)

    def _draw(self, weights: Floats) -> int:
        ends = np.cumsum(weights)
        drawn = int(np.searchsorted(ends, self._rng.random() * ends[-1], side="right"))
        return min(drawn, len(weights) - 1)

    def _set(self, game: _Game) -> int:
        return self.graph.worlds.information_set[game.world]

    def _search(self, sets: list[int], config: SearchConfig, width: int) -> None:
        if not sets:
            return
        results = search_together(self._models, config, sets, self._rng.spawn(len(sets)), width)
        for number, result in zip(sets, results, strict=True):
            self._found[number] = np.array(result.policy)
            self.simulations += result.simulations
        self.searches += len(sets)

    def _evaluate(self, sets: Sequence[int]) -> None:
        """P at information sets where it is not known yet."""
        missing = [number for number in dict.fromkeys(sets) if number not in self._policies]
        if not missing:
            return
        policy, _, _ = self._evaluator.flat_information_set_rows(self.graph, missing)
        counts = legal_entries(self.graph, missing).counts
        for number, row in zip(missing, np.split(policy, np.cumsum(counts)[:-1]), strict=True):
            self._policies[number] = row

    def _policy_rows(self, visits: dict[int, int]) -> PolicyRows:
        sets = list(visits)
        legal = legal_entries(self.graph, sets)
        mask = legal.mask(self._tensors.actions)
        targets = np.zeros(mask.shape, dtype=np.float32)
        targets[legal.rows, legal.columns] = np.concatenate([self._found[s] for s in sets])
        frequency = np.array([visits[s] for s in sets], dtype=np.float64) ** self._frequency_power
        return PolicyRows(self._tensors.sets(self.graph, sets), mask, frequency, targets)

    def _result_rows(
        self, games: Sequence[_Game], hidden_share: float
    ) -> tuple[ValueRows, HiddenRows]:
        found = [row for game in games for row in self._results(game)]
        sets = [row.information_set for row in found]
        value = ValueRows(
            self._tensors.sets(self.graph, sets),
            legal_entries(self.graph, sets).mask(self._tensors.actions),
            np.ones(len(found)),
            np.array([row.result for row in found], dtype=np.float32),
            np.array([row.action for row in found], dtype=np.int64),
            np.array([row.value_weight for row in found], dtype=np.float32),
            np.array([row.child_weight for row in found], dtype=np.float32),
        )
        if hidden_share < 1.0:
            found = [row for row in found if self._rng.random() < hidden_share]
        return value, self._hidden_rows(found)

    def _results(self, game: _Game) -> Iterator[_Result]:
        """What the end of a game says about each decision of the explorer."""
        worlds = self.graph.worlds
        position = worlds.utility_row[game.world] * self.graph.game.num_players + game.explorer
        result = worlds.utilities[position] / self._evaluator.value_scale
        explored = [decision.explored for decision in game.decisions]
        weights = zip(*result_weights(explored, self._explore), strict=True)
        for decision, (value_weight, child_weight) in zip(game.decisions, weights, strict=True):
            number = worlds.information_set[decision.world]
            action = self.graph.legal_actions(number)[decision.action]
            yield _Result(decision.world, number, action, result, value_weight, child_weight)

    def _hidden_rows(self, found: Sequence[_Result]) -> HiddenRows:
        """A row per piece that was hidden at these decisions."""
        paths = [hidden_path(self.graph, row.world) for row in found]
        nodes = [node for path in paths for node, _ in path]
        branches = np.array([branch for path in paths for _, branch in path], dtype=np.int64)
        owners = [row for row, path in zip(found, paths, strict=True) for _ in path]
        open_pieces = open_entries(self.graph, nodes)
        first = np.cumsum(open_pieces.counts) - open_pieces.counts
        return HiddenRows(
            self._tensors.samples(self.graph, nodes),
            open_pieces.mask(self._tensors.pieces),
            np.ones(len(nodes)),
            open_pieces.columns[first + branches],
            np.array([row.action for row in owners], dtype=np.int64),
            np.array([row.result for row in owners], dtype=np.float32),
            np.array([row.child_weight for row in owners], dtype=np.float32),
        )
