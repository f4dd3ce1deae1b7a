"""Self-play of one shard on a graph that grows with it: in games of any size.

A shard plays its games on a graph of its own that ends with it. So what it gives depends on the
networks, the settings and its generator alone, and memory is bounded by one shard's games. Games in
the same world move together (`native/play/games.h`), so they may be many.

Policy games come first. In a small game many of them come to the same information sets, and what
they show there says more than networks do: beliefs, V and Vc of this generation's searches are then
those of the networks, counted for `prior_games` games, and of the games together, and worlds that
the games came to are valued by them. Then come search games. How much of all that is done is
bounded by what is counted (`Bounds`). If all searches fit, explorers follow their searches. If not,
they follow P to the end, and then a random sample of their decisions is searched, as many as fit:
decisions of many games rather than all decisions of a few.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.evaluation import Models
from nash_ismcts_spiel.games import GameGraph, SupportedGame
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.models import NativeModels
from nash_ismcts_spiel.training.bounds import Bounds
from nash_ismcts_spiel.training.config import NetworkConfig
from nash_ismcts_spiel.training.grown_rows import RowMaker
from nash_ismcts_spiel.training.grown_search import (
    FIRST_SEARCHES,
    BoundedSearches,
    Searches,
    SharedSearches,
)
from nash_ismcts_spiel.training.network_evaluator import NetworkEvaluator
from nash_ismcts_spiel.training.rows import HiddenRows, PolicyRows, ValueRows
from nash_ismcts_spiel.training.watch import Progress, Watch

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int32]

_FIRST_GAMES = 32
"""Games that tell how many decisions a game has."""

_FIRST_DECISIONS = 4
"""Decisions that tell how much is hidden at one."""

_REPEATS = 16
"""Games per information set that they come to, from which on a game counts as small."""


class GrownPlay:
    """Games of one shard.

    Attributes:
      graph: all that the games and their searches came by.
      games: finished, with search and without.
      searches: of information sets; None before search games.
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
          config: how players explore.
          rng: of all randomness; it is consumed.
          bounds: of the amount that is played; none if None.
          watch: is told how far the games have come, and may end them.
          planned: games that are to be played, for the watch.
        """
        self.graph = GameGraph(game, evaluator.split_actions, evaluator.hidden_order)
        self.games = 0
        self.searches: Searches | None = None
        self._evaluator = evaluator
        self._models = NativeModels(Models(self.graph, evaluator))
        self._config = config
        self._rng = rng
        self._bounds = bounds or Bounds()
        self._watch = watch or Watch()
        self._rows = RowMaker(self.graph, evaluator.tensors, evaluator.value_scale)
        self._policy_games: list[_core.Games] = []
        self._sums = _core.TargetSums()
        self._games_planned = planned
        self._searches_planned = 0

    def policy_games(self, games: int, hidden_share: float) -> tuple[ValueRows, HiddenRows]:
        """Plays games straight from P; a share of the explorers' decisions gives rows for H, in a
        small game all of them.
        """
        explore, others = self._config.explore, self._config.others_explore
        self._policy_games = [_core.Games(p, explore, others) for p in self._players()]
        rows = self._models.rows
        self._play(self._policy_games, games, rows, self._provide_sets, self._policies_fit)
        for played in self._policy_games:
            played.add_values(self.graph, rows, self._sums)
        value = self._rows.value(self._sums, rows.policy)
        room = self._bounds.rows / self._rows.hidden_bytes
        if self.is_small():  # worlds that many games came to cannot be left out
            hidden_share, room = 1.0, math.inf
        for played in self._policy_games:
            self._add_hidden(played, hidden_share, room / len(self._policy_games))
        return value, self._rows.hidden(self._sums)

    def is_small(self) -> bool:
        """Whether policy games have come to the same information sets again and again."""
        met = int(np.count_nonzero(self._sums.visits))
        return self.games >= _REPEATS * max(met, 1)

    def learn_at_once(self, prior_games: float) -> None:
        """Lets this shard's searches know what its policy games have shown; models count for so
        many games.
        """
        nodes = np.flatnonzero(self._sums.piece_first >= 0).astype(np.int32)
        if len(nodes) > 0:
            self._models.provide(nodes[:0], nodes)
        self._sums.blend_into(self.graph, prior_games, self._models.rows)
        for played in self._policy_games:
            played.put_world_values(self.graph, self._models.rows)

    def search_games(self, games: int, config: SearchConfig, width: int) -> PolicyRows:
        """Plays games in which explorers search, those of large games up to `width` side by side.

        An information set is searched once, however many games come by.
        """
        if self._policy_games and self.is_small():
            shared = SharedSearches(self._models, config, self._rng, self._look)
            self.searches = shared
            met = int(np.count_nonzero(self._sums.visits))
            return self._searched_along(games, shared, min(1.0, self._bounds.searches / met))
        bounded = BoundedSearches(
            self.graph, self._evaluator, config, self._rng, width, self._bounds.search, self._look
        )
        self.searches = bounded
        if self._all_fit(games, bounded):
            return self._searched_along(games, bounded)
        return self._sampled(games, bounded)

    def _searched_along(self, games: int, searches: Searches, share: float = 1.0) -> PolicyRows:
        """Search games whose explorers follow their searches, each with probability `share`."""
        explorers = [_core.Games(p, self._config.explore, 1.0) for p in self._players()]
        policies = _core.Rows()

        def search(wanted: Numbers) -> None:
            searches.search(wanted[self._rng.random(len(wanted)) < share].tolist())
            left = [n for n in wanted.tolist() if n not in searches.found]
            self._provide_missing(np.array(left, dtype=np.int32))  # their games follow P
            flat = np.concatenate(self._followed(wanted.tolist(), searches))
            policies.put_sets(self.graph, wanted, flat, np.zeros(len(wanted)), flat)

        self._play(explorers, games, policies, search, lambda _: math.inf)
        return self._policy_rows(explorers, searches)

    def _sampled(self, games: int, searches: BoundedSearches) -> PolicyRows:
        """Search games whose explorers follow P, and then searches of some of their decisions."""
        explorers = [_core.Games(p, self._config.explore, 1.0) for p in self._players()]
        wanted = 2.0 * searches.fitting()

        def room(met: int) -> float:
            return wanted - met

        self._play(explorers, games, self._models.rows, self._provide_sets, room)
        visits = self._visits(explorers)
        self._searches_planned = min(int(searches.fitting()), len(visits))
        searches.search(self._rng.permutation(list(visits)).tolist())
        return self._policy_rows(explorers, searches)

    def _all_fit(self, games: int, searches: BoundedSearches) -> bool:
        """Whether search games can have all the searches they want, by a first estimate."""
        met = np.flatnonzero(self._sums.visits)
        if self._bounds.search == math.inf or len(met) == 0:
            return True
        first = self._rng.choice(met, min(FIRST_SEARCHES, len(met)), replace=False)
        searches.search(first.tolist())
        # An information set that many games come to is searched once.
        self._searches_planned = math.ceil(len(met) / max(self.games, 1) * games)
        return self._searches_planned <= searches.fitting()

    def _play(
        self,
        explorers: Sequence[_core.Games],
        games: int,
        own: _core.Rows,
        provide: Callable[[Numbers], None],
        room: Callable[[int], float],
    ) -> None:
        """Plays so many games, an equal share for each explorer, or as many as there is room for.

        Args:
          explorers: the games of each exploring player.
          games: how many are to be played in all.
          own: policies that are followed.
          provide: makes policies that are missing there.
          room: for how many further information sets there is room, if so many were met.
        """
        players, started, met = len(explorers), 0, 0
        together = min(games, _FIRST_GAMES)
        while together > 0:
            for player, explorer in enumerate(explorers):
                before, after = ((n + player) // players for n in (started, started + together))
                explorer.start(after - before)
                while True:
                    self._look()
                    wanted = explorer.advance(self.graph, own, self._models.rows, self._seed())
                    if len(wanted) == 0:
                        break
                    provide(wanted)
            started += together
            self.games += together
            before, met = met, len(self._visits(explorers))
            each = max((met - before) / together, 1e-9)
            together = int(min(games - started, 2 * started, max(room(met), 0.0) / each))

    def _policies_fit(self, met: int) -> float:
        """For how many further information sets of explorers policy games have room."""
        known = int(np.count_nonzero(self._models.rows.has_policy))
        by_rows = self._bounds.rows / self._rows.value_bytes - met
        return min(by_rows, (self._bounds.sets - known) * met / max(known, 1))

    def _add_hidden(self, played: _core.Games, share: float, room: float) -> None:
        """Finds out what was hidden at some decisions, as many as there is room for."""
        groups = self._rng.permutation(played.decisions(self.graph)).astype(np.int32)
        if share < 1.0:
            groups = groups[: math.ceil(share * len(groups))]
        done, pieces = 0, 0
        together = min(len(groups), _FIRST_DECISIONS)
        while together > 0:
            self._look()
            part = groups[done : done + together]
            pieces += played.add_hidden(self.graph, self._models.rows, part, self._sums)
            done += together
            fitting = max(room - pieces, 0.0) * done / max(pieces, 1)
            together = int(min(len(groups) - done, done, fitting))

    def _policy_rows(self, explorers: Sequence[_core.Games], searches: Searches) -> PolicyRows:
        visits = self._visits(explorers)
        found = searches.found
        return self._rows.policy({n: visits.get(n, 1) for n in found}, found)

    def _visits(self, explorers: Sequence[_core.Games]) -> dict[int, int]:
        """How many games came to each information set of its explorer."""
        total = np.sum([explorer.visits(self.graph) for explorer in explorers], axis=0)
        return {int(n): int(total[n]) for n in np.flatnonzero(total)}

    def _followed(self, numbers: Sequence[int], searches: Searches) -> list[Floats]:
        """What explorers follow: their searches, or P where there were none."""
        sets, policy = self.graph.information_sets, self._models.rows.policy
        first, count = sets.first_action, sets.action_count
        return [
            searches.found[n] if n in searches.found else policy[first[n] : first[n] + count[n]]
            for n in numbers
        ]

    def _provide_sets(self, wanted: Numbers) -> None:
        """P, V and Vc by the networks."""
        self._models.provide(wanted, wanted[:0])

    def _provide_missing(self, wanted: Numbers) -> None:
        """The same where there is no row: what games have shown is not to be overwritten."""
        known = np.zeros(len(self.graph.information_sets), dtype=np.bool_)
        has = self._models.rows.has_policy
        known[: len(has)] = has
        if not known[wanted].all():
            self._provide_sets(wanted[~known[wanted]])

    def _players(self) -> range:
        return range(self.graph.game.num_players)

    def _seed(self) -> int:
        return int(self._rng.integers(2**63))

    def _look(self, searches: Sequence[_core.Search] = ()) -> None:
        """Ends everything if time is up; tells how far it is if somebody waits for it."""
        self._watch.check()
        if not self._watch.is_due():
            return
        done = self.searches
        found, simulations = (0, 0) if done is None else (len(done.found), done.simulations)
        if not isinstance(done, SharedSearches):
            simulations += sum(search.simulations for search in searches)
        planned = self._searches_planned
        self._watch.tell(Progress(self.games, self._games_planned, found, planned, simulations))
