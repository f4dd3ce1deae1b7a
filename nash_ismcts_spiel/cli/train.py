"""`nash-ismcts train`: trains a policy by search, and shows how its exploitability falls."""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

from tqdm import tqdm

from nash_ismcts_spiel.cli import rebel
from nash_ismcts_spiel.cli.common import Commands, load
from nash_ismcts_spiel.training import Budget, Run, TrainingConfig
from nash_ismcts_spiel.training.config import TRAINING_PRESETS
from nash_ismcts_spiel.training.metrics import Metrics, read_metrics
from nash_ismcts_spiel.training.models import ModelKind

DEFAULT_SECONDS = 60.0


def add(commands: Commands) -> None:
    """Adds the command."""
    train = commands.add_parser(
        "train",
        help="train a policy by search",
        description="Trains a policy by search on a game that can be enumerated. Writes "
        "config.json, metrics.jsonl, checkpoint.npz and curve.png to --out.",
    )
    train.add_argument(
        "--algorithm",
        choices=["nash_ismcts", rebel.REBEL],
        help="nash_ismcts (default), or rebel, for two-player zero-sum games, whose settings are "
        "those of RebelConfig",
    )
    train.add_argument("--game", help="the game, with parameters in parentheses")
    train.add_argument(
        "--models",
        choices=["exact", "learned"],
        help="P, V and H computed exactly (default), or by networks that learn from self-play",
    )
    train.add_argument("--generations", type=int, metavar="N", help="stop after N generations")
    train.add_argument(
        "--seconds",
        type=float,
        metavar="S",
        help=f"stop after S seconds of training (default {DEFAULT_SECONDS:g})",
    )
    train.add_argument("--seed", type=int, help="of all randomness (default 0)")
    train.add_argument(
        "--workers",
        type=int,
        default=1,
        metavar="N",
        help="threads (default 1); a new run is divided into as many shards",
    )
    train.add_argument("--out", type=Path, metavar="DIR", help="default: out/GAME-SEED")
    train.add_argument("--resume", action="store_true", help="go on with the run in --out")
    train.add_argument(
        "--preset", choices=list(TRAINING_PRESETS), help="named settings (default: default)"
    )
    train.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=JSON",
        help='change a field of TrainingConfig, e.g. --set \'visits={"start": 50}\'',
    )
    train.add_argument(
        "--checkpoint-seconds",
        type=float,
        default=10.0,
        metavar="S",
        help="how often to save (default 10; 0 is after every generation)",
    )
    train.set_defaults(run=_train)


def _train(arguments: argparse.Namespace) -> None:
    if arguments.workers < 1:
        raise ValueError(f"--workers must be at least 1, not {arguments.workers}")
    for option in ("generations", "seconds", "checkpoint_seconds"):
        value = getattr(arguments, option)
        if value is not None and not value >= 0:  # NaN is not
            raise ValueError(f"--{option.replace('_', '-')} must not be negative, not {value}")
    if rebel.is_meant(arguments):
        rebel.train(arguments, DEFAULT_SECONDS, dict(_setting(text) for text in arguments.set))
        return
    run = _resumed(arguments) if arguments.resume else _new(arguments)
    seconds = arguments.seconds
    if seconds is None and arguments.generations is None:
        seconds = DEFAULT_SECONDS
    budget = Budget(arguments.generations, seconds)
    _say(f"{run.game}: {len(run.graph.information_sets)} information sets; writing {run.directory}")
    try:
        _train_with_progress(run, budget, arguments.checkpoint_seconds)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"saved after generation {run.saved_generation}; go on with: nash-ismcts train "
            f"--resume --out {shlex.quote(str(run.directory))}"
        ) from None
    _draw_curve(run.directory, run.game)
    _report(run)


def _new(arguments: argparse.Namespace) -> Run:
    if arguments.game is None:
        raise ValueError("--game is needed for a new run")
    game = load(arguments.game).name
    seed = arguments.seed or 0
    changes = dict(_setting(text) for text in arguments.set)
    if arguments.workers > 1:
        changes.setdefault("shards", arguments.workers)
    config = TrainingConfig.preset(arguments.preset or "default", **changes)
    directory = arguments.out or Path("out") / f"{_file_name(game)}-{seed}"
    models: ModelKind = arguments.models or "exact"
    return Run.create(directory, game, seed, config, arguments.workers, models)


def _resumed(arguments: argparse.Namespace) -> Run:
    if arguments.out is None:
        raise ValueError("--resume needs --out, the directory of the run")
    if arguments.set or arguments.preset:
        raise ValueError("a resumed run keeps its settings: leave --set and --preset out")
    run = Run.resume(arguments.out, arguments.workers)
    game = run.game if arguments.game is None else load(arguments.game).name
    seed = run.seed if arguments.seed is None else arguments.seed
    if (game, seed, arguments.models or run.kind) != (run.game, run.seed, run.kind):
        raise ValueError(
            f"{arguments.out} is a run of {run.game} with seed {run.seed} and {run.kind} models"
        )
    return run


def _setting(text: str) -> tuple[str, Any]:
    """NAME=JSON; a bare word is a string."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--set needs NAME=JSON, not {text!r}")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def _train_with_progress(run: Run, budget: Budget, checkpoint_seconds: float) -> None:
    with tqdm(
        total=budget.generations,
        initial=run.loop.generation,
        unit="gen",
        desc=run.game.partition("(")[0],
        file=sys.stderr,
        mininterval=0.5,
    ) as bar:
        for metrics in run.train(budget, checkpoint_seconds):
            bar.update()
            if metrics is not None:
                bar.set_postfix_str(_postfix(metrics, run), refresh=False)


def _postfix(metrics: Metrics, run: Run) -> str:
    rate = run.loop.simulations / max(run.wall_seconds, 1e-9)
    return (
        f"exploitability {metrics.exploitability_average:.4f} "
        f"(search {metrics.exploitability_search:.3f}), {rate / 1e6:.2f} M simulations/s"
    )


def _report(run: Run) -> None:
    metrics = read_metrics(run.directory)
    if not metrics:
        _say("nothing was left to do")
        return
    last = metrics[-1]
    print(
        f"{run.game}, seed {run.seed}: exploitability of the average policy "
        f"{last.exploitability_average:.5f} after {last.generation} generations, "
        f"{last.visits:,} simulations, {last.cpu_seconds:.1f} s of CPU time"
    )


def _draw_curve(directory: Path, game: str) -> None:
    if importlib.util.find_spec("matplotlib") is None:
        _say("matplotlib is not installed (the extra `plot`), so there is no curve.png")
        return
    from exploitability.curve import Curve, draw_curves

    metrics = read_metrics(directory)
    if not metrics:
        return
    times = [m.cpu_seconds for m in metrics]
    curves = [
        Curve("average policy P", times, [m.exploitability_average for m in metrics]),
        Curve("one generation's search", times, [m.exploitability_search for m in metrics]),
    ]
    draw_curves(directory / "curve.png", curves, title=game, x_label="CPU seconds")


def _file_name(game: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.]+", "-", game).strip("-")


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
