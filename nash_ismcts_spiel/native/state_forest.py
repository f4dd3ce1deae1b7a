"""The forest on live states as an engine of a bot: from an information set to a policy.

Nothing is kept between two searches, so what is found is a function of what the player knows, of
the settings and of the seed, on a graph that has not been asked before. `search/state_forest.py` is
the algorithm.
"""

from __future__ import annotations

import functools
from typing import Any, Protocol

from nash_ismcts_spiel.config import MOST_VISITS, SearchConfig
from nash_ismcts_spiel.games import GameGraph, NoWorldFoundError, support
from nash_ismcts_spiel.models import Models
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.search.interval import Interval
from nash_ismcts_spiel.search.limits import StoppedBy
from nash_ismcts_spiel.search.result import SearchResult
from nash_ismcts_spiel.search.root_policy import visit_shares
from nash_ismcts_spiel.search.splitmix import SplitMix
from nash_ismcts_spiel.search.state_forest import ReferenceStateForest


class _Forest(Protocol):
    """What both engines offer."""

    def run(self, visits: int, seconds: float | None = None) -> int:
        """Simulates; returns how often."""
        ...

    def found(self, actions: list[int] = ...) -> tuple[list[int], list[float]] | None:
        """Visits and values after own actions from the root on."""
        ...


class StateForestEngine:
    """Searches one information set after another, each in a forest and a graph of its own."""

    def __init__(self, models: Models, config: SearchConfig, seed: int) -> None:
        """Takes models of any game in which something is hidden, for where the forest never was."""
        self._models = models
        self._graph = models.graph
        self._scale = config.value_scale or _scale(models.graph)
        self._native = config.engine == "native"
        self._visits = config.budget
        self._seed = seed
        self._near: tuple[int, list[int]] | None = None
        self._last: _Forest | None = None

    def forget(self) -> None:
        """Drops the last search and the world that was found for it."""
        self._last = self._near = None

    def renewed(self) -> tuple[GameGraph, Models]:
        """A new graph with its models, for the next search: no earlier question shall have a say in
        its worlds.
        """
        graph = self._graph
        self._graph = GameGraph(graph.game, graph.split_actions)
        self._models = Models(self._graph, self._models.evaluator)
        return self._graph, self._models

    def observe(self, state: Any, player: int, seconds: float | None = None) -> int:
        """The information set of a player, as `GameGraph.observe` finds it.

        Where the log alone does not lead to a world, and where a clock has a say in the result
        anyway, it is looked for near the last one that was found for this player.
        """
        near = None if self._near is None or self._near[0] != player else self._near[1]
        if near is not None and seconds is not None:
            self._graph.follow(near)
        try:
            found = self._graph.observe(state, player, seconds)
        except NoWorldFoundError:
            if near is None or seconds is not None:
                raise
            self._graph.follow(near)
            found = self._graph.observe(state, player, seconds)
        world = self._graph.information_sets.first_world[found]
        self._near = player, self._graph.history(world)
        return found

    def search(
        self, information_set: int, *, seconds: float | None = None, seed: int | None = None
    ) -> SearchResult:
        """Simulates from the worlds of an information set.

        Args:
          information_set: of the engine's graph, where the player is to move.
          seconds: wall time instead of the config's visits.
          seed: another one than the engine's.
        """
        sets = self._graph.information_sets
        view = self._graph.view_hash(sets.view[information_set])
        stream = SplitMix.stream((self._seed if seed is None else seed) % 2**64, view).next()
        kind = _core.StateForest if self._native else ReferenceStateForest
        self._last = forest = kind(self._graph, information_set, self._scale, stream)
        visits = self._visits if seconds is None else MOST_VISITS
        run = 0
        if sets.action_count[information_set] > 1:
            run = forest.run(visits, seconds)
        stopped: StoppedBy = "visits" if seconds is None else "seconds"
        return self._result(information_set, forest.found([]), run, stopped)

    def found_at(self, information_set: int) -> SearchResult | None:
        """What the last search found further on in its player's first action; None if it never
        came there.
        """
        worlds, sets = self._graph.worlds, self._graph.information_sets
        world, parts = sets.first_world[information_set], list[int]()
        while sets.within_action[worlds.information_set[world]]:
            parts.insert(0, worlds.last_action[world])
            world = worlds.parent[world]
        found = None if self._last is None else self._last.found(parts)
        return None if found is None else self._result(information_set, found, 0, "visits")

    def _result(
        self,
        information_set: int,
        found: tuple[list[int], list[float]] | None,
        run: int,
        stopped: StoppedBy,
    ) -> SearchResult:
        count = self._graph.information_sets.action_count[information_set]
        visits, values = found or ([0] * count, [0.0] * count)
        most = max(visits)
        policy = [float(n == most) / visits.count(most) for n in visits]
        value = sum(p * v for p, v in zip(policy, values, strict=True))
        return SearchResult(
            key=self._graph.key(information_set),
            actions=tuple(self._graph.legal_actions(information_set)),
            prior=tuple(self._graph.uniform_policy(information_set)),
            visits=tuple(visits),
            pure_visits=(0,) * count,
            mean_mixing=(0.0,) * count,
            pure_count=0,
            mixed_count=0,
            q=tuple(Interval(value, value) for value in values),
            value=Interval(value, value),
            policy_before_filter=tuple(visit_shares(visits)),
            policy=tuple(policy),
            simulations=run,
            stopped_by=stopped,
        )


def _scale(graph: GameGraph) -> float:
    """The game's value scale, found once for a game of OpenSpiel's own."""
    game = graph.game
    return game.value_scale() if game.native.needs_gil else _scale_of(game.name)


@functools.lru_cache(maxsize=64)
def _scale_of(game: str) -> float:
    return support(game).value_scale()
