"""The search with soft ties as an engine of a bot: from an information set to a policy.

A search walks the decision points of its player's log, from the first one on, and thinks at each in
one forest; what an earlier search has thought of the same log is kept. So what is found is a
function of the log, the models, the settings and the seed: a bot that is asked out of the blue
answers as one that has played along. `search/forest.py` is the algorithm.

Where histories merge (`models/view_models.py`), a view takes the place of the information set, and
the likeliest way to it that of the log; `search/view_forest.py` is the algorithm there.
"""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.models.forest_models import ForestModels
from nash_ismcts_spiel.models.view_models import ViewModels
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.search.forest import ReferenceForest
from nash_ismcts_spiel.search.interval import Interval
from nash_ismcts_spiel.search.limits import StoppedBy
from nash_ismcts_spiel.search.result import SearchResult
from nash_ismcts_spiel.search.view_forest import ReferenceViewForest

Floats = npt.NDArray[np.float64]
AnyForest = _core.SoftForest | _core.ViewForest | ReferenceForest | ReferenceViewForest
AnyModels = ForestModels | ViewModels


@dataclasses.dataclass(slots=True)
class _Walk:
    """What a player has thought so far: one forest, and the decision points behind it."""

    forest: AnyForest
    points: list[int] = dataclasses.field(default_factory=list)


class ForestEngine:
    """Searches one information set after another and keeps what was thought in between."""

    def __init__(
        self, models: AnyModels | Callable[[], AnyModels], config: SearchConfig, seed: int
    ) -> None:
        """Starts with nothing thought about.

        Args:
          models: P with what follows from it, or what makes them, which is asked when they are
            first needed, and again after it has failed.
          config: how to search.
          seed: of all searches that have none of their own.
        """
        self._source = models
        self._value_scale = config.value_scale
        self._is_native = config.engine == "native"
        self._visits = config.budget
        self._seed = seed
        self._walks: dict[int, _Walk] = {}
        self._last: _Walk | None = None

    @functools.cached_property
    def _models(self) -> AnyModels:
        found = self._source() if callable(self._source) else self._source
        return found.in_scale(self._value_scale)

    def prepare(self) -> None:
        """Makes the models now, so that no search has to wait for them."""
        self._models  # noqa: B018

    def forget(self) -> None:
        """Drops all that was thought."""
        self._walks.clear()
        self._last = None

    def search(
        self, information_set: int, *, seconds: float | None = None, seed: int | None = None
    ) -> SearchResult:
        """Thinks at the decision points of a log that are new, the last of which is the own one.

        Args:
          information_set: where the player is to move; a view where the models are over views.
          seconds: wall time instead of the config's visits, shared by the new decision points.
          seed: another one, with which all is thought anew and then dropped.
        """
        player = self._models.player(information_set)
        points = self._models.log(information_set)
        walk = self._walks.get(player)
        if seed is not None:
            walk = _Walk(self._new_forest(seed))
        elif walk is None or walk.points != points[: len(walk.points)]:
            walk = self._walks[player] = _Walk(self._new_forest(self._seed))
        self._last = walk
        ends = None if seconds is None else time.perf_counter() + seconds
        before, own = walk.forest.simulations, 0
        new = points[len(walk.points) :]
        for index, point in enumerate(new):
            left = None if ends is None else (ends - time.perf_counter()) / (len(new) - index)
            own = self._think(walk, point, player, left)
        run = walk.forest.simulations - before
        stopped: StoppedBy = "visits" if seconds is None else "seconds"
        return self._result(walk.forest, information_set, run, run - own, stopped)

    def everywhere(self, report: Callable[[int], object] | None = None) -> Floats | None:
        """What searches from the start find at each information set, as `search_everywhere`, or at
        each view, as `search_views`; None where that is nobody's answer (actions are split) or the
        reference engine searches.
        """
        models = self._models
        if not self._is_native:
            return None
        if isinstance(models, ViewModels):
            return search_views(models, self._visits, self._seed, report=report)
        if models.graph.splitting is not None:
            return None
        return search_everywhere(models, self._visits, self._seed, report)

    def found_at(self, information_set: int) -> SearchResult | None:
        """What the last search found at an information set; None if it never came there."""
        if self._last is None:
            return None
        found = self._result(self._last.forest, information_set, 0, 0, "visits")
        return found if any(found.visits) else None

    def _new_forest(self, seed: int) -> AnyForest:
        if self._is_native:
            return self._models.forest(seed)
        if isinstance(self._models, ViewModels):
            return ReferenceViewForest(self._models, seed)
        return ReferenceForest(self._models, seed)

    def _think(self, walk: _Walk, point: int, player: int, seconds: float | None) -> int:
        """A decision point counts as thought about only once that is over."""
        most = self._visits if seconds is None else None
        try:
            done = walk.forest.think(point, player, most, seconds)
        except BaseException:
            self.forget()
            raise
        walk.points.append(point)
        return done

    def _result(
        self, forest: AnyForest, information_set: int, run: int, pondered: int, stopped: StoppedBy
    ) -> SearchResult:
        models = self._models
        policy, advantages, visits = models.found(forest, information_set)
        prior = models.policy_at(information_set)
        child_values = models.child_values_at(information_set)
        base = sum(p * value for p, value in zip(prior, child_values, strict=True))
        half = 0.5 * forest.temperature
        values = [base + advantage for advantage in advantages]
        mean = sum(p * value for p, value in zip(policy, values, strict=True))
        count = len(prior)
        return SearchResult(
            key=models.key(information_set),
            actions=models.actions(information_set),
            prior=tuple(prior),
            visits=tuple(visits),
            pure_visits=(0,) * count,
            mean_mixing=(0.0,) * count,
            pure_count=0,
            mixed_count=0,
            q=tuple(Interval(value - half, value + half) for value in values),
            value=Interval(mean - half, mean + half),
            policy_before_filter=tuple(policy),
            policy=tuple(policy),
            simulations=run,
            pondered=pondered,
            stopped_by=stopped,
        )


def search_everywhere(
    models: ForestModels,
    visits: int,
    seed: int,
    report: Callable[[int], object] | None = None,
) -> Floats:
    """What a bot with this seed plays at each information set of its game, beside its actions. [A]

    Searches of logs that begin alike share what is thought up to where they part. `report` is told
    how many information sets are done.
    """
    return _core.forest_everywhere(
        models.arena, models.native(), models.settings(seed), visits, report=report
    )


def search_views(
    models: ViewModels,
    visits: int,
    seed: int,
    views: Sequence[int] | None = None,
    report: Callable[[int], object] | None = None,
) -> Floats:
    """What a bot with this seed plays at each view, beside its actions; P at views not asked. [A]

    Of views that are images of each other one is searched. `report` is told how many views are
    done.
    """
    every = len(models.merged.views)
    asked = np.arange(every) if views is None else np.asarray(views, np.int64)
    wrong = asked[(asked < 0) | (asked >= every)]
    if len(wrong):
        raise IndexError(f"view {wrong[0]} is not one of the {every}")
    standard = np.unique(models.standard_view[asked])

    def tell(done: int) -> None:
        if report is not None:
            report(done * len(asked) // len(standard))

    found = _core.forest_at_views(
        models.arena, models.native, models.settings(seed), visits, standard.tolist(), tell
    )
    turned: Floats = found[models.standard_action]
    actions = np.repeat(np.isin(np.arange(every), asked), np.diff(models.first_action))
    return np.where(actions, turned, models.policy)
