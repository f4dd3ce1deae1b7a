"""The reference engine: searches in Python, tree by tree, as the other modules define them."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator, Sequence

import numpy as np

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.models.store import Models
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.search.act_node import ActNode, Choices
from nash_ismcts_spiel.search.interval import Interval
from nash_ismcts_spiel.search.limits import LimitReachedError, Limits, StoppedBy
from nash_ismcts_spiel.search.result import SearchResult
from nash_ismcts_spiel.search.root_policy import (
    kept_actions,
    quantal_step,
    root_policy,
    visit_shares,
)
from nash_ismcts_spiel.search.simulation import Simulator
from nash_ismcts_spiel.search.trees import Forest

_RECURSION_LIMIT = 50_000


class ReferenceEngine:
    """Searches one information set after another and keeps its trees in between."""

    def __init__(self, models: Models, config: SearchConfig) -> None:
        """Starts without trees."""
        self._models = models
        self._config = config.with_radius(models.compiled is None)
        self._value_scale = config.value_scale or models.graph.value_scale
        self._forest = Forest()
        self._pools = _core.Pools()
        self._earlier_root: int | None = None

    @property
    def tree_count(self) -> int:
        """Number of trees kept."""
        return len(self._forest)

    def forget(self) -> None:
        """Drops all trees."""
        self._forest = Forest()
        self._pools.clear()
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
        deadline = None if seconds is None else time.perf_counter() + seconds
        if self._earlier_root is not None and self._earlier_root != information_set:
            self._forest.keep(information_set, self._earlier_root)
            self._pools.keep(self._forest.pooled_sets())
        self._earlier_root = information_set
        player = self._models.graph.information_sets.player[information_set]
        tree = self._forest.tree(information_set, player)
        limits = Limits(deadline, max_worlds)
        simulator = Simulator(
            self._models, self._forest, self._config, self._value_scale, rng, limits, self._pools
        )
        visits = self._config.budget if visits is None else visits
        self._models.graph.expect_draws(information_set, visits)
        stopped_by: StoppedBy = "visits"
        try:
            with _deep_recursion():
                while sum(tree.root.choices.visits) < visits:
                    simulator.simulate(tree)
        except LimitReachedError as limit:
            stopped_by = limit.stopped_by
        except BaseException:
            self.forget()
            raise
        return self._result(tree.root, simulator.simulations, stopped_by)

    def found_at(self, information_set: int) -> SearchResult | None:
        """What the last search found at an information set of its root's tree; None if it never
        came there.
        """
        if self._earlier_root is None:
            return None
        player = self._models.graph.information_sets.player[self._earlier_root]
        tree = self._forest.tree(self._earlier_root, player)
        node = tree.act_nodes.get(information_set)
        return None if node is None or node.row is None else self._result(node, 0, "visits")

    def _result(self, root: ActNode, simulations: int, stopped_by: StoppedBy) -> SearchResult:
        if root.row is None:
            root.expand(self._models.information_set(root.information_set), self._config)
        assert root.row is not None
        graph, choices, values = self._models.graph, root.choices, root.child_values()
        mixed = max(choices.mixed_count, 1)
        return SearchResult(
            key=graph.key(root.information_set),
            actions=tuple(graph.legal_actions(root.information_set)),
            prior=tuple(root.row.policy),
            visits=tuple(choices.visits),
            pure_visits=tuple(choices.pure_visits),
            mean_mixing=tuple(total / mixed for total in choices.mixing_sum),
            pure_count=choices.pure_count,
            mixed_count=choices.mixed_count,
            q=tuple(values),
            value=root.q,
            policy_before_filter=tuple(visit_shares(choices.visits)),
            stopped_by=stopped_by,
            policy=tuple(self._policy(choices, root.row.policy, values)),
            simulations=simulations,
        )

    def _policy(
        self, choices: Choices, prior: Sequence[float], values: Sequence[Interval]
    ) -> list[float]:
        """The root's policy by the rule of the config; P if nothing was visited."""
        if sum(choices.visits) == 0:
            return list(prior)
        scale, width = self._value_scale, self._config.lcb_width * self._value_scale
        if self._config.root_rule == "quantal_step":
            temperature = self._config.temperature * scale
            return quantal_step(prior, values, temperature, self._config.quantal_share)
        kept = kept_actions(choices.visits, values, width)
        if self._config.root_rule == "visits":
            return root_policy(choices.visits, kept)
        expected = [choices.weight(action) for action in range(len(choices.visits))]
        return root_policy(expected, kept)


@contextlib.contextmanager
def _deep_recursion() -> Iterator[None]:
    """Allows simulations of long games, which recurse once per simulated player and own move."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
