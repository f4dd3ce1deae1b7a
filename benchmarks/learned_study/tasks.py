"""What the study runs: independent tasks with plain arguments and results, for a process pool.

Exploitability is NashConv / number of players. Times are CPU seconds of one core.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

from benchmarks.exact_study.parts import KUHN, LEDUC, SEEDS, liars_dice
from benchmarks.exact_study.tasks import Record, Task, openspiel_exploitability
from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.play_time import play_exploitability
from nash_ismcts_spiel.native import _core, exact
from nash_ismcts_spiel.native.models import exact_rows
from nash_ismcts_spiel.runs import Run
from nash_ismcts_spiel.runs.metrics import is_measured


class Target(NamedTuple):
    """How long a game is trained in the study, and what is asked of it.

    Attributes:
      title: how the report calls it.
      seconds: CPU seconds of training.
      asked: exploitability, and within so many CPU seconds.
      goal: exploitability that would be good.
    """

    title: str
    seconds: float
    asked: tuple[float, float]
    goal: float


LIARS_DICE = liars_dice(1, 4)
TARGETS: Mapping[str, Target] = {
    KUHN: Target("Kuhn poker", 60.0, (0.008, 180.0), 0.003),
    LEDUC: Target("Leduc poker", 300.0, (0.05, 900.0), 0.028),
    LIARS_DICE: Target("Liar's Dice 1x4", 180.0, (0.025, 900.0), 0.015),
}

PLAY_VISITS = (30, 100, 300, 1000, 3000)
PLAY_BOTS: Mapping[str, Mapping[str, Any]] = {
    "play preset": {"name": "nash_ismcts_play"},
    "radius 0": {"name": "a_ismcts"},
}
PLAY_REPEATS: Mapping[str, Sequence[int]] = {
    KUHN: (400, 400, 200, 100, 50),
    LEDUC: (40, 30, 20, 10, 6),
    LIARS_DICE: (40, 30, 20, 10, 6),
}
"""Searches per information set, for each number of visits."""


def train(game: str, seconds: float, seed: int, play: bool = False) -> Record:
    """Exploitability of the P network over CPU time in one training, and of search round it."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder), game, seed, TrainingConfig.preset(), models="learned")
        points: list[list[float]] = []
        figures: dict[str, float] = {}
        while run.cpu_seconds < seconds:
            run.advance()
            over = run.cpu_seconds >= seconds
            if over or is_measured(run.loop.generation):
                figures = run.loop.figures()
                points.append([
                    run.cpu_seconds,
                    run.loop.generation,
                    figures["exploitability_average"],
                    run.loop.simulations,
                    figures["hidden_divergence"],
                ])  # fmt: skip
    return {
        "game": game,
        "method": "nash_ismcts",
        "seed": seed,
        "columns": [
            "cpu_seconds", "generations", "exploitability", "simulations", "hidden_divergence",
        ],
        "points": points,
        "figures": figures,
        "openspiel": openspiel_exploitability(run.graph, run.policy()),
        "play": _play(run, seed) if play else [],
    }  # fmt: skip


def _play(run: Run, seed: int) -> list[Record]:
    """Search round the trained P, with its learned models and with exact ones."""
    game = next(name for name in TARGETS if run.game == support(name).name)
    models: dict[str, _core.Rows] = {
        "learned": run.rows(),
        "exact": exact_rows(run.graph, run.policy()),
    }
    found = []
    for bot, settings in PLAY_BOTS.items():
        for source in models if bot == "play preset" else ["learned"]:
            for visits, repeats in zip(PLAY_VISITS, PLAY_REPEATS[game], strict=True):
                config = SearchConfig.preset(**settings, visits=visits)
                rows = models[source]
                result = play_exploitability(run.graph, rows, config, repeats, seed)
                found.append({
                    "bot": bot,
                    "models": source,
                    "visits": visits,
                    "repeats": repeats,
                    "mean_policy": result.mean_policy,
                    "single_search": result.single_search,
                    "exploitability_of_policy": exact.exploitability(run.graph, run.policy()),
                })  # fmt: skip
    return found


def curve_tasks(quick: bool) -> list[Task]:
    """Training of all games, longest first."""
    share = 0.02 if quick else 1.0
    longest_first = sorted(TARGETS.items(), key=lambda item: -item[1].seconds)
    return [
        (
            train,
            {
                "game": game,
                "seconds": target.seconds * share,
                "seed": seed,
                "play": not quick,
            },
        )
        for game, target in longest_first
        for seed in SEEDS
    ]
