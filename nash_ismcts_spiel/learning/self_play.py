"""Self-play of one shard, in games of any size.

A shard plays its games on a graph that grows with it and ends with it, or on the whole graph of an
enumerated game. So what it gives depends on the networks, the settings and its generator alone, and
memory is bounded by one shard's games. Games in the same world move together
(`native/play/games.h`), so they may be many.

Policy games come first. In a small game many of them come to the same information sets, and what
they show there says more than networks do: beliefs, V and Vc of this generation's searches are then
those of the networks, counted for ten games, and of the games together, and worlds that
the games came to are valued by them. Then come search games: explorers follow P, the others play
uniformly, and information sets that explorers came to are searched, all of them or a sample of as
many as fit. How much of all that is done is bounded by what is counted (`Bounds`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import GameGraph, SupportedGame
from nash_ismcts_spiel.learning.config import LearnerConfig
from nash_ismcts_spiel.learning.draws import inclusion_probabilities, systematic_sample
from nash_ismcts_spiel.learning.row_maker import RowMaker
from nash_ismcts_spiel.learning.rows import HiddenRows, PolicyRows, ValueRows
from nash_ismcts_spiel.learning.searches import (
    FIRST_SEARCHES,
    BoundedSearches,
    Bounds,
    SharedSearches,
)
from nash_ismcts_spiel.learning.watch import Progress, Watch
from nash_ismcts_spiel.models import Models
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.models.networks.tables import TableEvaluator
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.models import NativeModels

_FIRST_GAMES = 32
"""Games that tell how many decisions a game has."""

_GROWTH = 16
"""How many times as many games as before are begun at once: all of them walk the graph together."""

_FIRST_DECISIONS = 4
"""Decisions that tell how much is hidden at one."""

_REPEATS = 16
"""Games per information set that they come to, from which on a game counts as small."""

_PRIOR_GAMES = 10.0
"""Games that the networks count for beside what the policy games of a generation have shown."""

_LONG_TRACE = 0.9
"""Lambda of V-trace where searches draw by the prior, how far what came of a policy game later
counts beside V in targets for V and Vc: such games are long and few, and V would learn late what is
far from their end. Elsewhere it is 0, one own decision ahead."""

_MOST_HISTORIES = 1e8
"""A game with more counts as large, however often a P that hardly mixes comes to the same sets."""


class SelfPlay:
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
        config: LearnerConfig,
        rng: np.random.Generator,
        bounds: Bounds | None = None,
        watch: Watch | None = None,
        planned: int = 0,
        whole: GameGraph | None = None,
        prior_beliefs: bool = False,
    ) -> None:
        """Starts with an empty graph, or with the whole game.

        Args:
          game: what is played.
          evaluator: the models.
          config: how players explore.
          rng: of all randomness; it is consumed.
          bounds: of the amount that is played; none if None.
          watch: is told how far the games have come, and may end them.
          planned: games that are to be played, for the watch.
          whole: the enumerated graph of the game, at which networks are evaluated all at once.
          prior_beliefs: whether searches of a large game draw by the prior and not by H.
        """
        self.graph = whole or GameGraph(game, evaluator.split_actions)
        self.games = 0
        self.searches: SharedSearches | BoundedSearches | None = None
        self._evaluator = evaluator
        read = evaluator if whole is None else TableEvaluator(whole, evaluator)
        self._models = NativeModels(Models(self.graph, read))
        self._may_be_small = game.estimated_worlds() <= _MOST_HISTORIES
        self._config = config
        self._prior_beliefs = prior_beliefs
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
        explore = self._config.explore
        trace = _LONG_TRACE if self._prior_beliefs else 0.0
        self._policy_games = [_core.Games(p, explore, explore, trace) for p in self._players()]
        rows = self._models.rows
        self._play(self._policy_games, games, self._policies_fit)
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
        """Whether the game is enumerated, or has few histories and policy games have come to the
        same information sets again and again.
        """
        met = int(np.count_nonzero(self._sums.visits))
        repeated = self._may_be_small and self.games >= _REPEATS * max(met, 1)
        return self.graph.enumerated or repeated

    def learn_at_once(self) -> None:
        """Lets this shard's searches know what its policy games have shown."""
        nodes = np.flatnonzero(self._sums.piece_first >= 0).astype(np.int32)
        self._models.provide_missing(nodes[:0], nodes)
        self._sums.blend_into(self.graph, _PRIOR_GAMES, self._models.rows)
        for played in self._policy_games:
            played.put_world_values(self.graph, self._models.rows)

    def search_games(self, games: int, config: SearchConfig) -> PolicyRows:
        """Plays games whose explorers follow P, and searches information sets that they came to.

        An information set is searched once, however many games come by. If there is no room for
        all, they are drawn in proportion to the games that came by.
        """
        searches = self.searches = self._new_searches(config)
        explorers = [_core.Games(p, self._config.explore, 1.0) for p in self._players()]
        most = searches.fitting()
        # Sets to choose from are dear in a large game: twice as many as are searched will do.
        room = math.inf if self.is_small() else 2.0 * most
        self._play(explorers, games, lambda met: room - met)
        weights = self._drawn(self._visits(explorers), most)
        self._searches_planned = len(weights)
        searches.search(weights)
        found = searches.found
        return self._rows.policy({n: weights.get(n, 1.0) for n in found}, found)

    def _new_searches(self, config: SearchConfig) -> SharedSearches | BoundedSearches:
        """Searches in one forest in a small game, else side by side, of which a few are done."""
        if self.is_small():
            most = self._bounds.searches
            return SharedSearches(self._models, config, self._rng, most, self._look)
        bounded = BoundedSearches(
            self.graph, self._evaluator, config, self._rng, self._bounds.search, self._look,
            self._prior_beliefs,
        )  # fmt: skip
        met = np.flatnonzero(self._sums.visits)
        if self._bounds.search < math.inf and len(met) > 0:
            first = self._rng.choice(met, min(FIRST_SEARCHES, len(met)), replace=False)
            bounded.search(first.tolist())  # which tell how many there is room for
        return bounded

    def _drawn(self, visits: Mapping[int, int], most: float) -> dict[int, float]:
        """Information sets to search, in random order, and how many games each counts for."""
        numbers = np.fromiter(visits, dtype=np.int64)
        games = np.fromiter(visits.values(), dtype=np.float64)
        chances = np.ones(len(numbers))
        if len(numbers) > most:
            chances = inclusion_probabilities(games, max(int(most), 1))
        drawn = self._rng.permutation(systematic_sample(chances, self._rng))
        return {int(numbers[k]): float(games[k] / chances[k]) for k in drawn}

    def _play(
        self,
        explorers: Sequence[_core.Games],
        games: int,
        room: Callable[[int], float],
    ) -> None:
        """Plays so many games, an equal share for each explorer, or as many as there is room for.

        Args:
          explorers: the games of each exploring player, all of which follow P.
          games: how many are to be played in all.
          room: for how many further information sets there is room, if so many were met.
        """
        rows = self._models.rows
        players, started, met = len(explorers), 0, 0
        together = min(games, _FIRST_GAMES)
        while together > 0:
            for player, explorer in enumerate(explorers):
                before, after = ((n + player) // players for n in (started, started + together))
                explorer.start(after - before)
                while True:
                    self._look()
                    wanted = explorer.advance(self.graph, rows, rows, self._seed())
                    if len(wanted) == 0:
                        break
                    self._models.provide(wanted, wanted[:0])
            started += together
            self.games += together
            before, met = met, len(self._visits(explorers))
            each = max((met - before) / together, 1e-9)
            together = int(min(games - started, _GROWTH * started, max(room(met), 0.0) / each))

    def _policies_fit(self, met: int) -> float:
        """For how many further information sets of explorers policy games have room."""
        by_rows = self._bounds.rows / self._rows.value_bytes - met
        if self.graph.enumerated:
            return by_rows  # P is evaluated everywhere
        known = int(np.count_nonzero(self._models.rows.has_policy))
        return min(by_rows, (self._bounds.sets - known) * met / max(known, 1))

    def _add_hidden(self, played: _core.Games, share: float, room: float) -> None:
        """Finds out what was hidden at some decisions, as many as there is room for."""
        groups = self._rng.permutation(played.decisions(self.graph)).astype(np.int32)
        if share < 1.0:
            groups = groups[: math.ceil(share * len(groups))]
        done, pieces = 0, 0
        # Each call goes through all games, so without a bound there is one call.
        together = min(len(groups), _FIRST_DECISIONS if room < math.inf else len(groups))
        while together > 0:
            self._look()
            part = groups[done : done + together]
            pieces += played.add_hidden(self.graph, self._models.rows, part, self._sums)
            done += together
            fitting = max(room - pieces, 0.0) * done / max(pieces, 1)
            together = int(min(len(groups) - done, done, fitting))

    def _visits(self, explorers: Sequence[_core.Games]) -> dict[int, int]:
        """How many games came to each information set of its explorer."""
        total = np.sum([explorer.visits(self.graph) for explorer in explorers], axis=0)
        return {int(n): int(total[n]) for n in np.flatnonzero(total)}

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
