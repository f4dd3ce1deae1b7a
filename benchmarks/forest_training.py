"""Does P learn faster from targets of the forest than from those of the literal search?

Two learners at equal CPU seconds. `networks` are those of `models="learned"`, with their buffer and
fit; `table` is P without networks, `models="exact"` (in phantom_ttt sweeps over views, the same for
all seeds). Source `training` is the training that there is. With `forest` a generation evaluates P
at all information sets, H and V follow exactly, and one shared walk of the search with soft ties
gives pi everywhere; networks count it as often as search games would come by. P learns the mean of
all pi, as in training (`mean`), or the last pi (`last`). Networks of V and H are not learned then.

    python -m benchmarks.forest_training
    python -m benchmarks.forest_training --games leduc_poker --learners networks --seeds 50 \
        --marks 5 12 --sources forest --visits 30 100 300 --regrets 2 100 --forms mean last

A record has the exploitability of P, NashConv / 2 in the game's units, after so many CPU seconds of
one core; making the game and measuring are not counted. What is recorded is not run again.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from benchmarks.stored import RESULTS
from benchmarks.timing import report
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.merged import merged_game
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.buffer import PolicyBuffer
from nash_ismcts_spiel.learning.learner import Learner
from nash_ismcts_spiel.learning.row_maker import RowMaker
from nash_ismcts_spiel.models import ExactEvaluator
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.models.tables import forest_models
from nash_ismcts_spiel.models.view_models import models_of
from nash_ismcts_spiel.native import _core, exact
from nash_ismcts_spiel.native.forest import search_everywhere
from nash_ismcts_spiel.runs import Run

Floats = npt.NDArray[np.float64]
RECORDS = RESULTS / "forest_training" / "records.jsonl"
LIARS = "liars_dice(numdice=1,dice_sides=6)"
MARKS = {"leduc_poker": [20.0, 60.0], LIARS: [20.0, 60.0], "phantom_ttt": [60.0, 180.0]}
KINDS: dict[str, Any] = {"networks": "learned", "table": "exact"}
BATCH = 8192


class Space:
    """A game, and where P is searched and measured: all information sets, or all views."""

    def __init__(self, name: str) -> None:
        """Enumerates the game, or walks to the histories that represent its views."""
        self._merged = merged_game(name) if name == "phantom_ttt" else None
        if self._merged is None:
            self.graph = GameGraph.enumerate(name)
            self.sets = np.arange(len(self.graph.information_sets), dtype=np.int32)
        else:
            self.graph = GameGraph(self._merged.game)
            worlds = [self.graph.follow(view.history) for view in self._merged.views]
            self.sets = np.asarray(self.graph.worlds.information_set)[worlds].astype(np.int32)
            self._arena = _core.ViewArena(self._merged.native, [])
        self._player = np.asarray(self.graph.information_sets.player)[self.sets]
        self._counts = np.asarray(self.graph.information_sets.action_count)[self.sets]
        self.first = np.cumsum(self._counts) - self._counts
        self.uniform: Floats = self.per_action(1.0 / self._counts)

    def per_action(self, column: Any) -> Any:
        """A column of information sets beside their actions."""
        return np.repeat(column, self._counts)

    def policy(self, networks: NetworkEvaluator) -> Floats:
        """P of networks. [A]"""
        parts = np.array_split(self.sets, -(-len(self.sets) // BATCH))
        rows = [networks.flat_information_set_rows(self.graph, part.tolist()) for part in parts]
        return np.concatenate([row[0] for row in rows])

    def search(self, policy: Floats, regret: float, visits: int, seed: int) -> Floats:
        """What the forest plays around P, which counts as having so many times its regret. [A]"""
        if self._merged is not None:
            views = models_of(self._merged, policy)
            settings = _core.ForestSettings(
                views.value_scale, regret * views.regret, 1.0, 1.0, 0.0, "exact", seed
            )
            asked = np.unique(views.standard_view).tolist()
            found = _core.forest_at_views(views.arena, views.native, settings, visits, asked)
            return np.asarray(found[views.standard_action])
        models = forest_models(self.graph, ExactEvaluator(self.graph, policy))
        models = dataclasses.replace(models, regret=regret * models.regret)
        return search_everywhere(models, visits, seed)

    def own_reach(self, policy: Floats, explore: float) -> Floats:
        """How likely a player plays towards its sets; 1 at views, which forget it. [I]"""
        if self._merged is not None:
            return np.ones(len(self.sets))
        return exact.own_reach(self.graph, policy + explore * (self.uniform - policy))

    def games(self, policy: Floats, explore: float) -> Floats:
        """How likely a search game comes by: its explorer follows P, the others do not. [I]"""
        found = np.zeros(len(self.sets))
        for player in range(2):
            mine = self._player == player
            share = self.per_action(np.where(mine, explore, 1.0))
            played = policy + share * (self.uniform - policy)
            if self._merged is not None:
                at, reach = self._arena.view, _core.ViewModels(self._arena, played).reach
            else:
                at = np.asarray(self.graph.worlds.information_set)
                reach = exact.reach(self.graph, played, player).weight
            met = np.bincount(at[at >= 0], reach[at >= 0], len(mine))
            found += np.where(mine, met * self.own_reach(policy, explore), 0.0) / 2.0
        return found

    def exploitability(self, policy: Floats) -> float:
        """NashConv / 2."""
        if self._merged is not None:
            return exact.merged_nash_conv(self._merged, policy)[0].exploitability
        return exact.exploitability(self.graph, policy)


class Training:
    """The training that there is."""

    def __init__(self, space: Space, about: dict[str, Any]) -> None:
        """Starts a run in memory."""
        kind, config = KINDS[about["learner"]], config_of(about)
        self._run = Run("out", about["game"], about["seed"], config, models=kind)
        self._space, self.step = space, self._run.loop.step

    def policy(self) -> Floats:
        """P. [A]"""
        models: Any = self._run.loop.models
        learned = isinstance(models, Learner)
        return self._space.policy(models.evaluator()) if learned else self._run.policy()


class ForestTraining:
    """P learned from what the forest finds."""

    def __init__(self, space: Space, about: dict[str, Any]) -> None:
        """Starts with random weights, or with uniform play."""
        self._space, self._about, self._generation = space, about, 0
        self._config, game = config_of(about), support(about["game"])
        self._sums, self._table = np.zeros_like(space.uniform), space.uniform
        self._learner: Learner | None = None
        if about["learner"] == "networks":
            self._learner = Learner(game, self._config, about["seed"])
            self._scale = game.value_scale()
            self._rows = RowMaker(space.graph, self._learner.tensors, self._scale)

    def step(self) -> None:
        """One generation."""
        self._generation += 1
        policy, learner, about = self._table, self._learner, self._about
        if learner is not None:
            networks = NetworkEvaluator(learner.tensors, learner.networks, self._scale)
            policy = self._space.policy(networks)
        seed = self._generation + (about["seed"] << 32)
        found = self._space.search(policy, about["regret"], about["visits"], seed)
        if learner is None:
            self._average(found)
        else:
            self._fit(learner, policy, found)

    def policy(self) -> Floats:
        """P, of networks by their mean weights. [A]"""
        learner = self._learner
        return self._table if learner is None else self._space.policy(learner.evaluator())

    def _average(self, found: Floats) -> None:
        """A generation of a table: the mean by own reach, as of exact models."""
        weight = float(self._generation) ** self._config.averaging_power
        explore = self._config.exploration.at(self._generation)
        reach = self._space.per_action(self._space.own_reach(found, explore))
        self._sums = (self._about["form"] == "mean") * self._sums + weight * reach * found
        totals = np.add.reduceat(self._sums, self._space.first)
        self._table = self._sums / self._space.per_action(totals)

    def _fit(self, learner: Learner, policy: Floats, found: Floats) -> None:
        """A generation of networks, without rows for V and H."""
        settings, space = self._config.learner, self._space
        games = settings.search_games * space.games(policy, settings.explore)
        sets, targets = space.sets.tolist(), np.split(found, space.first[1:])
        visits, pis = (dict(zip(sets, column, strict=True)) for column in (games, targets))
        rows, nothing = self._rows.policy(visits, pis), _core.TargetSums()
        if self._about["form"] == "last":
            learner.buffer = PolicyBuffer(settings.buffer, len(rows))
        value, hidden = self._rows.value(nothing, found), self._rows.hidden(nothing)
        rng = np.random.default_rng([self._about["seed"], self._generation])
        learner.learn(self._generation, rows, value, hidden, rng)


def config_of(about: dict[str, Any]) -> TrainingConfig:
    """The preset that a game is learned with."""
    phantom = about["game"] == "phantom_ttt" and about["learner"] == "networks"
    return TrainingConfig.preset("phantom" if phantom else "default")


def run(space: Space, about: dict[str, Any], marks: Sequence[float], out: Path) -> None:
    """One training, measured at its marks."""
    training = (Training if about["source"] == "training" else ForestTraining)(space, about)
    spent, generations = 0.0, 0
    for mark in marks:
        while spent < mark:
            started = time.process_time()
            training.step()
            spent += time.process_time() - started
            generations += 1
        found = {"mark": mark, "seconds": round(spent, 1), "generations": generations}
        found["exploitability"] = space.exploitability(training.policy())
        line = json.dumps({**about, **found})
        report(line)
        with out.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def wanted(given: argparse.Namespace, game: str) -> list[dict[str, Any]]:
    """What is asked of a game, in turn, so that a slow hour of the machine hits all alike."""
    found: list[dict[str, Any]] = []
    for learner, seed in itertools.product(given.learners, given.seeds):
        about = {"game": game, "learner": learner, "seed": seed}
        if "training" in given.sources:
            found.append({**about, "source": "training"})
        if "forest" in given.sources:
            forms = itertools.product(given.visits, given.regrets, given.forms)
            named = (dict(zip(("visits", "regret", "form"), form, strict=True)) for form in forms)
            found += [{**about, "source": "forest", **form} for form in named]
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs what is asked and not recorded."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", choices=list(MARKS), default=list(MARKS))
    parser.add_argument("--learners", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--sources", nargs="+", default=["training", "forest"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--marks", nargs="+", type=float, help="CPU seconds")
    parser.add_argument("--visits", nargs="+", type=int, default=[300])
    parser.add_argument("--regrets", nargs="+", type=float, default=[100.0], help="times g of P")
    parser.add_argument("--forms", nargs="+", choices=["mean", "last"], default=["mean"])
    parser.add_argument("--out", type=Path, default=RECORDS)
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    lines = given.out.read_text(encoding="utf-8").splitlines() if given.out.exists() else []
    known = [json.loads(line) for line in lines]
    for game in given.games:
        space = Space(game)
        for about in wanted(given, game):
            asked = ({**about, "mark": mark} for mark in given.marks or MARKS[game])
            new = [a for a in asked if not any(a.items() <= record.items() for record in known)]
            if new:
                run(space, about, [a["mark"] for a in new], given.out)


if __name__ == "__main__":
    main()
