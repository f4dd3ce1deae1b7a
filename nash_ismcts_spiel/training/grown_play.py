"""Self-play on a graph that grows, many games side by side: for games too large to enumerate.

A shard plays its games on a graph of its own that ends with it. So what it gives depends on the
networks, the settings and its generator alone, and memory is bounded by one shard's games.

How much is played may be bounded by what is counted (`Bounds`). A few policy games go first, and a
few searches at decisions of theirs: they tell what a game takes. If all search games fit, explorers
follow their searches. If not, they follow P to the end, and then a random sample of their decisions
is searched, as many as fit: decisions of many games rather than all decisions of a few, and all of
them side by side.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import CHANCE, TERMINAL, GameGraph, SupportedGame
from nash_ismcts_spiel.games.tensors import legal_entries
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.training.config import NetworkConfig
from nash_ismcts_spiel.training.grown_rows import Decision, GrownGame, RowMaker
from nash_ismcts_spiel.training.grown_search import FIRST_SEARCHES, BoundedSearches
from nash_ismcts_spiel.training.network_evaluator import NetworkEvaluator
from nash_ismcts_spiel.training.rows import HiddenRows, PolicyRows, ValueRows
from nash_ismcts_spiel.training.watch import Progress, Watch

Floats = npt.NDArray[np.float64]

_FIRST_GAMES = 32
"""Policy games that tell how long games are."""

_GAMES_TOGETHER = 256
"""Policy games side by side, after the first ones."""


@dataclasses.dataclass(frozen=True, slots=True)
class Bounds:
    """How much is played at most, in bytes.

    Attributes:
      search: what searches take, see `BoundedSearches`.
      rows: rows for V, and as many for H.
    """

    search: float = math.inf
    rows: float = math.inf


class GrownPlay:
    """Games of one shard.

    Attributes:
      graph: all that the games and their searches came by.
      games: finished, with search and without.
      searches: of information sets.
    """

    def __init__(
        self,
        game: SupportedGame,
        evaluator: NetworkEvaluator,
        config: NetworkConfig,
        rng: np.random.Generator,
        bounds: Bounds | None = None,
        watch: Watch | None = None,
        planned: int = 0,
    ) -> None:
        """Starts with an empty graph.

        Args:
          game: what is played.
          evaluator: the models.
          config: how explorers explore, and how much frequent rows count.
          rng: of all randomness; it is consumed.
          bounds: of the amount that is played; none if None.
          watch: is told how far the games have come, and may end them.
          planned: games that are to be played, for the watch.
        """
        self.graph = GameGraph(game, evaluator.split_actions, evaluator.hidden_order)
        self.games = 0
        self._evaluator = evaluator
        self._bounds = bounds or Bounds()
        self._watch = watch or Watch()
        self._rng = rng
        self._explore = config.explore
        self._rows = RowMaker(self.graph, evaluator.tensors, evaluator.value_scale, config)
        self.searches = BoundedSearches(
            self.graph, evaluator, rng, self._bounds.search, self._look
        )
        self._policies: dict[int, Floats] = {}
        self._policy_played: list[GrownGame] = []
        self._games_planned = planned
        self._searches_planned = 0

    def scout(self, games: int) -> None:
        """Plays the first of so many policy games, which tell how long games are."""
        self._play_by_policy(min(games, _FIRST_GAMES))

    def search_games(self, games: int, config: SearchConfig, width: int) -> PolicyRows:
        """Plays games in which explorers search, up to `width` searches side by side.

        An information set is searched once, however many games come by; the row counts for all of
        them, to the power of `frequency_power`.
        """
        if self._policy_played and not self._all_fit(games, config, width):
            return self._sampled_searches(games, config, width)
        found = self.searches.found
        visits: dict[int, int] = {}
        under_way = self._start(games)
        while under_way:
            deciding = self._until_decision(under_way, others_follow_p=False)
            sets = [self._set(game) for game in deciding]
            self.searches.search(sets, config, width)
            self._evaluate([number for number in sets if number not in found])
            for game, number in zip(deciding, sets, strict=True):
                if number in found:
                    visits[number] = visits.get(number, 0) + 1
                self._decide(game, (found if number in found else self._policies)[number])
            under_way = deciding
        return self._rows.policy(visits, found)

    def policy_games(self, games: int, hidden_share: float) -> tuple[ValueRows, HiddenRows]:
        """Plays games straight from P, those that went first included; a share of the explorers'
        decisions gives rows for H.
        """
        if self._bounds.rows == math.inf:
            self._play_by_policy(games)
        else:
            self._play_fitting(games)
        results = [row for game in self._policy_played for row in self._rows.results(game)]
        value = self._rows.value(results)
        if hidden_share < 1.0:
            results = [row for row in results if self._rng.random() < hidden_share]
        return value, self._rows.hidden(results, self._bounds.rows, self._rng, self._watch)

    def _play_fitting(self, games: int) -> None:
        """Policy games until so many have been played, or their rows for V have no more room."""
        self.scout(games)
        together = 1
        while together > 0:
            played, decisions = len(self._policy_played), self._decisions()
            room = self._bounds.rows / self._rows.value_bytes - decisions
            fitting = max(room / max(decisions / played, 1.0), 0.0)
            together = int(min(games - played, _GAMES_TOGETHER, fitting))
            self._play_by_policy(played + together)

    def _play_by_policy(self, games: int) -> None:
        """Policy games until so many have been played."""
        new = self._start(games)[len(self._policy_played) :]
        under_way = list(new)
        while under_way:
            under_way = self._until_decision(under_way, others_follow_p=True)
            self._evaluate([self._set(game) for game in under_way])
            for game in under_way:
                self._decide(game, self._policies[self._set(game)])
        self._policy_played += new

    def _decisions(self) -> int:
        """Decisions of the explorers in policy games."""
        return sum(len(game.decisions) for game in self._policy_played)

    def _all_fit(self, games: int, config: SearchConfig, width: int) -> bool:
        """Whether search games can have all the searches they want, by a first estimate."""
        if self._bounds.search == math.inf:
            return True
        decisions = [
            self.graph.worlds.information_set[decision.world]
            for game in self._policy_played
            for decision in game.decisions
        ]
        if not decisions:
            return True
        first = self._rng.choice(decisions, min(FIRST_SEARCHES, len(decisions)), replace=False)
        self.searches.search(first.tolist(), config, width)
        # An information set that many games come to is searched once.
        different = len(set(decisions)) / len(self._policy_played)
        self._searches_planned = math.ceil(different * games)
        return self._searches_planned <= self.searches.fitting()

    def _sampled_searches(self, games: int, config: SearchConfig, width: int) -> PolicyRows:
        """Search games whose explorers follow P, and then searches of some of their decisions."""
        visits: dict[int, int] = {}
        under_way = self._start(games)
        while under_way:
            under_way = self._until_decision(under_way, others_follow_p=False)
            sets = [self._set(game) for game in under_way]
            self._evaluate(sets)
            for game, number in zip(under_way, sets, strict=True):
                visits[number] = visits.get(number, 0) + 1
                self._decide(game, self._policies[number])
        self._searches_planned = min(int(self.searches.fitting()), len(visits))
        self.searches.search(self._rng.permutation(list(visits)).tolist(), config, width)
        found = self.searches.found
        return self._rows.policy({number: visits.get(number, 1) for number in found}, found)

    def _start(self, games: int) -> list[GrownGame]:
        players = self.graph.game.num_players
        return [GrownGame(explorer=number % players) for number in range(games)]

    def _until_decision(self, games: Sequence[GrownGame], others_follow_p: bool) -> list[GrownGame]:
        """Lets chance and the others move until explorers are to; drops games that are over.

        The others follow P or else play uniformly.
        """
        deciding: list[GrownGame] = []
        moving = list(games)
        while moving:
            self._look()
            waiting = [game for game in moving if self._other_to_move(game)]
            if others_follow_p:
                self._evaluate([self._set(game) for game in waiting])
            still: list[GrownGame] = []
            for game in moving:
                kind = self.graph.worlds.kind[game.world]
                if kind == TERMINAL:
                    self.games += 1
                    continue
                if kind != CHANCE and self.graph.worlds.player[game.world] == game.explorer:
                    deciding.append(game)
                    continue
                self._move_other(game, kind, others_follow_p)
                still.append(game)
            moving = still
        return deciding

    def _other_to_move(self, game: GrownGame) -> bool:
        worlds = self.graph.worlds
        kind = worlds.kind[game.world]
        return kind not in (TERMINAL, CHANCE) and worlds.player[game.world] != game.explorer

    def _move_other(self, game: GrownGame, kind: int, by_policy: bool) -> None:
        worlds = self.graph.worlds
        first, count = worlds.first_edge[game.world], worlds.edge_count[game.world]
        if kind == CHANCE:
            weights = np.array(worlds.edge_probability[first : first + count])
        elif by_policy:
            weights = self._policies[self._set(game)]
        else:
            weights = np.array(self.graph.uniform_policy(self._set(game)))
        game.world = self.graph.child(game.world, self._draw(weights))

    def _decide(self, game: GrownGame, policy: Floats) -> None:
        """The explorer moves: by its policy or, with probability `explore`, uniformly."""
        explored = bool(self._rng.random() < self._explore)
        uniform = np.array(self.graph.uniform_policy(self._set(game))) if explored else policy
        action = self._draw(uniform)
        game.decisions.append(Decision(game.world, action, explored))
        game.world = self.graph.child(game.world, action)

    def _draw(self, weights: Floats) -> int:
        ends = np.cumsum(weights)
        drawn = int(np.searchsorted(ends, self._rng.random() * ends[-1], side="right"))
        return min(drawn, len(weights) - 1)

    def _set(self, game: GrownGame) -> int:
        return self.graph.worlds.information_set[game.world]

    def _look(self, searches: Sequence[_core.Search] = ()) -> None:
        """Ends everything if time is up; tells how far it is if somebody waits for it."""
        self._watch.check()
        if self._watch.is_due():
            under_way = sum(search.simulations for search in searches)
            self._watch.tell(
                Progress(
                    self.games,
                    self._games_planned,
                    len(self.searches),
                    self._searches_planned,
                    self.searches.simulations + under_way,
                )
            )

    def _evaluate(self, sets: Sequence[int]) -> None:
        """P at information sets where it is not known yet."""
        missing = [number for number in dict.fromkeys(sets) if number not in self._policies]
        if not missing:
            return
        policy, _, _ = self._evaluator.flat_information_set_rows(self.graph, missing)
        counts = legal_entries(self.graph, missing).counts
        for number, row in zip(missing, np.split(policy, np.cumsum(counts)[:-1]), strict=True):
            self._policies[number] = row
