"""The native engine: the search of `search/` in C++, one at a time or many side by side.

Both engines give the same visit counts from the same generator. Many searches side by side each
run until they wait for rows that are not there; all missing rows are evaluated in one batch, and
the searches go on. They share the graph and the models' rows, never a tree.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.models import Models
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.models import NativeModels
from nash_ismcts_spiel.search.interval import Interval
from nash_ismcts_spiel.search.result import SearchResult
from nash_ismcts_spiel.search.root_policy import visit_shares

Ids = npt.NDArray[np.int32]

_BUDGET = 50_000
"""Simulations between two looks at whether the user has pressed Ctrl-C."""


class NativeEngine:
    """Searches one information set after another and keeps its trees in between."""

    def __init__(self, models: Models | NativeModels, config: SearchConfig) -> None:
        """Starts without trees, and with the rows that NativeModels have fetched already."""
        self._models = models if isinstance(models, NativeModels) else NativeModels(models)
        self._config = config.with_radius(not self._models.compiled)
        self._search = new_search(self._models.graph, self._config)
        self._earlier_root: int | None = None

    @property
    def tree_count(self) -> int:
        """Number of trees kept."""
        return self._search.num_trees

    @property
    def node_count(self) -> int:
        """Number of nodes in all trees."""
        return self._search.num_nodes

    def forget(self) -> None:
        """Drops all trees."""
        self._search.forget()
        self._earlier_root = None

    def search(
        self,
        information_set: int,
        rng: np.random.Generator,
        visits: int | None = None,
        *,
        seconds: float | None = None,
        max_worlds: int | None = None,
    ) -> SearchResult:
        """Searches until the root has been visited `visits` times, kept visits included.

        The config says how often if `visits` is None. A search that runs into the limit of
        `seconds` or of `max_worlds` ends with what it has found. One that fails (an evaluator's
        error, an interrupt) leaves no trees behind.
        """
        if self._earlier_root is not None and self._earlier_root != information_set:
            self._search.keep(information_set, self._earlier_root)
        self._earlier_root = information_set
        graph, before = self._models.graph, self._search.simulations
        visits = self._config.budget if visits is None else visits
        graph.expect_draws(information_set, visits)
        try:
            self._search.begin(graph, information_set, visits, rng, seconds, max_worlds)
            with _locked([rng]):
                _run(self._models, [self._search])
        except BaseException:
            self.forget()
            raise
        done = self._search.simulations - before
        return _result(self._models, self._search, information_set, done)

    def found_at(self, information_set: int) -> SearchResult | None:
        """What the last search found at an information set of its root's tree; None if it never
        came there.
        """
        if self._search.found_at(self._models.rows, information_set) is None:
            return None
        return _result(self._models, self._search, information_set, 0)

    def found_in(self, tree: int, information_set: int) -> SearchResult | None:
        """What the last search found at an information set of the tree that was spawned at `tree`,
        another player's; None if it never came there.

        Raises:
          ValueError: trees are not found by their root information set.
        """
        if self._config.trees != "by_information_set":
            raise ValueError(f"trees are found by_information_set, not {self._config.trees}")
        if self._earlier_root is None:
            return None
        graph, unused = self._models.graph, np.random.default_rng(0)
        self._search.begin(graph, tree, 0, unused)
        try:
            found = self.found_at(information_set)
        finally:
            self._search.begin(graph, self._earlier_root, 0, unused)
        return None if found is None else dataclasses.replace(found, stopped_by="visits")


def search_together(
    models: Models | NativeModels,
    config: SearchConfig,
    information_sets: Sequence[int],
    rngs: Sequence[np.random.Generator],
    width: int = 64,
    between: Callable[[Sequence[_core.Search]], None] | None = None,
) -> list[SearchResult]:
    """Fresh searches side by side, one per information set and generator.

    Each gives what it would give alone with these models and its generator, where a game is small
    enough to know exactly which hidden pieces are alive; in larger games searches share what they
    find out about pieces, and with it the numbers they draw. At most `width` are under way at once;
    the next begins when one is over. NativeModels keep the rows that they have fetched for whoever
    searches with them next. `between` is called after each batch of rows with all searches; what it
    raises ends them.
    """
    if width < 1:
        raise ValueError(f"width must be at least 1, not {width}")
    if len(set(map(id, rngs))) != len(information_sets):
        raise ValueError(f"{len(information_sets)} searches need as many different generators")
    native = models if isinstance(models, NativeModels) else NativeModels(models)
    settings = _settings(native.graph, config.with_radius(not native.compiled))
    searches = [_core.Search(settings, config.parallel_simulations) for _ in information_sets]
    for search, information_set, rng in zip(searches, information_sets, rngs, strict=True):
        native.graph.expect_draws(information_set, config.budget)
        search.begin(native.graph, information_set, config.budget, rng)
    with _locked(rngs):
        _run(native, searches, width, between)
    return [
        _result(native, search, information_set, search.simulations)
        for search, information_set in zip(searches, information_sets, strict=True)
    ]


def search_everywhere(
    graph: GameGraph,
    rows: _core.Rows,
    config: SearchConfig,
    rng: np.random.Generator,
    information_sets: npt.NDArray[np.int32] | None = None,
) -> tuple[npt.NDArray[np.float64], int]:
    """Searches all information sets of an enumerated graph (or those given) in one forest, each
    until its own tree has `visits` visits; the number of simulations in all trees is the second
    result.
    """
    if information_sets is None:
        information_sets = np.arange(len(graph.information_sets), dtype=np.int32)
    forest = ForestSearch(graph, config, rng)
    return forest.run(rows, information_sets), forest.search.simulations


class ForestSearch:
    """Searches information sets one after another in one forest, whose trees keep their visits.

    Attributes:
      search: the forest, with the settings of the search.
      over: whether all information sets have been searched.
    """

    def __init__(self, graph: GameGraph, config: SearchConfig, rng: np.random.Generator) -> None:
        """Starts without trees; the graph may grow."""
        self.search = new_search(graph, config)
        self._graph = graph
        self._visits = config.budget
        self._rng = rng
        self.begin(np.zeros(0, dtype=np.int32))

    def begin(self, information_sets: Ids) -> None:
        """Takes information sets to search, once those before are over."""
        self._sets = information_sets
        self.over = len(information_sets) == 0
        self.search.begin(self._graph, information_sets, self._visits, self._rng)

    def advance(self, rows: _core.Rows) -> tuple[Ids, Ids]:
        """Searches for a while, or until rows are missing; returns the information sets and SAMPLE
        nodes whose rows it waits for.
        """
        with _locked([self._rng]):
            over, sets, samples = _core.advance(self._graph, rows, None, [self.search], _BUDGET)
        self.over = over[0]
        return sets, samples

    def found(self) -> dict[int, npt.NDArray[np.float64]]:
        """The root policy of each information set."""
        counts = self._graph.information_sets.action_count.take(self._sets)
        policies = np.split(self.search.policies, np.cumsum(counts)[:-1])
        return dict(zip(self._sets.tolist(), policies, strict=False))

    def run(self, rows: _core.Rows, information_sets: Ids) -> npt.NDArray[np.float64]:
        """Searches information sets with rows that are all there.

        Returns:
          The root policies beside the actions of the sets, 0 where a set was not searched. [A]

        Raises:
          ValueError: a row is missing.
        """
        self.begin(information_sets)
        while not self.over:
            sets, samples = self.advance(rows)
            if len(sets) + len(samples) > 0:
                raise ValueError("a row of the models is missing")
        table = self._graph.information_sets
        counts = table.action_count.take(information_sets)
        places = table.first_action.take(information_sets) + counts - np.cumsum(counts)
        policy = np.zeros(len(table.action))
        policy[np.repeat(places, counts) + np.arange(counts.sum())] = self.search.policies
        return policy


def new_search(graph: GameGraph, config: SearchConfig) -> _core.Search:
    """A compiled search with the settings of `config`, for models with a P of their own."""
    return _core.Search(_settings(graph, config.with_radius(True)), config.parallel_simulations)


def _settings(graph: GameGraph, config: SearchConfig) -> _core.Config:
    """The settings of a search, by name, with what depends on the game filled in."""
    game = graph.game
    of_game = {
        "spawning": config.spawning_in(game.is_long),
        "value_scale": config.value_scale or graph.value_scale,
        "one_tree": game.one_tree,
        "utility_sum": game.utility_sum or 0.0,
    }
    return _core.Config(
        {
            name: of_game[name] if name in of_game else getattr(config, name)
            for name in _core.Config.names()
        }
    )


def _run(
    models: NativeModels,
    searches: Sequence[_core.Search],
    width: int = 1,
    between: Callable[[Sequence[_core.Search]], None] | None = None,
) -> None:
    under_way, following = list(searches[:width]), list(searches[: width - 1 : -1])
    while under_way:
        over, sets, samples = _core.advance(
            models.graph, models.rows, models.source, under_way, _BUDGET
        )
        if len(sets) + len(samples) > 0:
            models.provide(sets, samples)
        if between is not None:
            between(searches)
        if any(over):
            under_way = [search for search, done in zip(under_way, over, strict=True) if not done]
        while following and len(under_way) < width:
            under_way.append(following.pop())


def _result(
    models: NativeModels, search: _core.Search, information_set: int, simulations: int
) -> SearchResult:
    found = search.found_at(models.rows, information_set) or models.unsearched(information_set)
    visits, mixed = found["visits"], max(found["mixed_count"], 1)
    return SearchResult(
        key=models.graph.key(information_set),
        actions=tuple(models.graph.legal_actions(information_set)),
        prior=tuple(found["prior"]),
        visits=tuple(visits),
        pure_visits=tuple(found["pure_visits"]),
        mean_mixing=tuple(total / mixed for total in found["mixing_sum"]),
        pure_count=found["pure_count"],
        mixed_count=found["mixed_count"],
        q=tuple(map(Interval, found["lows"], found["highs"])),
        value=Interval(*found["value"]),
        policy_before_filter=tuple(visit_shares(visits)),
        policy=tuple(found["policy"]),
        simulations=simulations,
        stopped_by=search.stopped_by,
    )


@contextlib.contextmanager
def _locked(rngs: Sequence[np.random.Generator]) -> Iterator[None]:
    """Keeps other threads from drawing from the generators meanwhile, as numpy itself does."""
    with contextlib.ExitStack() as stack:
        for rng in rngs:
            stack.enter_context(rng.bit_generator.lock)
        yield
