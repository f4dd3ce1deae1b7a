"""`nash-ismcts train`: trains a policy by search, and shows how its exploitability falls.

Where there are not two players with a constant sum, NashConv is shown instead.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import shlex
import sys
from pathlib import Path

from nash_ismcts_spiel.cli import rebel
from nash_ismcts_spiel.cli.bars import Work
from nash_ismcts_spiel.cli.changes import add_set, changed
from nash_ismcts_spiel.cli.common import (
    Commands,
    add_json,
    load,
    print_json,
    quantity_of,
)
from nash_ismcts_spiel.cli.parser import examples
from nash_ismcts_spiel.cli.progress import (
    columns,
    found,
    measured_in_words,
    train_with_progress,
)
from nash_ismcts_spiel.cli.signals import interrupting, saying
from nash_ismcts_spiel.files import file_name, naming
from nash_ismcts_spiel.games.titles import short_title
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.config import TRAINING_PRESETS, ModelKind
from nash_ismcts_spiel.learning.loops import is_large
from nash_ismcts_spiel.runs import Budget, Run
from nash_ismcts_spiel.runs.directory import RunDirectory
from nash_ismcts_spiel.runs.metrics import read_metrics

DEFAULT_SECONDS = 60.0

_NOTHING_FINISHED = (
    "{0.game}, seed {0.seed}: no generation was finished in {0.wall_seconds:.0f} s, so the "
    "networks are as they were; give more --seconds (with --resume), or make the generations of a "
    "new run smaller, for example --set learner.search_megabytes=200 "
    "--set learner.rows_megabytes=50"
)


def add(commands: Commands) -> None:
    """Adds the command."""
    train = commands.add_parser(
        "train",
        help="train a policy by search",
        description="Trains a policy by search: with exact models on a game that can be "
        "enumerated, with learned ones on any game. Exact models of larger games whose histories "
        "merge are swept over as views. Writes config.json, metrics.jsonl, "
        "checkpoint.safetensors and curve.png to --out.",
        epilog=examples(
            "train --game leduc_poker --seconds 60 --out out/leduc",
            "train --game dark_hex --models learned --seconds 600",
            "train --game phantom_ttt --seconds 30 --out out/phantom_ttt",
            "train --game kuhn_poker --set visits=50 --set search.c_puct=2",
            "train --resume --out out/leduc --seconds 120",
        ),
    )
    train.add_argument(
        "--algorithm",
        choices=["nash_ismcts", rebel.REBEL],
        help="nash_ismcts (default), or rebel, for two-player zero-sum games, whose settings are "
        "those of RebelConfig",
    )
    train.add_argument(
        "--game", help="the game, with parameters in parentheses (default: that of the resumed run)"
    )
    train.add_argument(
        "--models",
        choices=["exact", "learned"],
        help="P, V and H computed exactly (default), or by networks that learn from self-play",
    )
    _add_budget(train)
    _add_workers(train)
    _add_settings(train)
    train.set_defaults(run=_train)


def _add_budget(train: argparse.ArgumentParser) -> None:
    train.add_argument(
        "--generations", type=int, metavar="N", help="stop after N generations (default: no limit)"
    )
    train.add_argument(
        "--seconds",
        type=float,
        metavar="S",
        help="stop after S seconds of wall time spent on generations, the whole run over (default "
        f"{DEFAULT_SECONDS:g}, or no limit with --generations); with learned models, a generation "
        "that is not over by then is dropped",
    )


def _add_workers(train: argparse.ArgumentParser) -> None:
    train.add_argument(
        "--workers",
        type=int,
        default=1,
        metavar="N",
        help="threads, or processes for learned models (default 1); a new run is "
        "divided into as many shards",
    )
    train.add_argument(
        "--ray",
        action="store_true",
        help="--workers are Ray actors (the extra `ray`), here or on Ray's cluster",
    )


def _add_settings(train: argparse.ArgumentParser) -> None:
    train.add_argument("--seed", type=int, help="of all randomness (default 0)")
    train.add_argument("--out", type=Path, metavar="DIR", help="default: out/GAME-SEED")
    train.add_argument("--resume", action="store_true", help="go on with the run in --out")
    train.add_argument(
        "--preset",
        choices=list(TRAINING_PRESETS),
        help="named settings (default: default, or large if the game is)",
    )
    add_set(
        train,
        "TrainingConfig, e.g. --set visits=50 (a constant schedule), "
        "--set visits.power=0.5, --set search.c_puct=2 (default: as in --preset)",
    )
    train.add_argument(
        "--checkpoint-seconds",
        type=float,
        default=10.0,
        metavar="S",
        help="how often to save, by wall time (default 10; 0 is after every generation)",
    )
    add_json(train, " with the last metrics")
    train.add_argument(
        "--tensorboard",
        action="store_true",
        help="write the metrics for TensorBoard too (the extra `tensorboard`)",
    )


@interrupting()
def _train(arguments: argparse.Namespace) -> None:
    if arguments.workers < 1:
        raise ValueError(f"--workers must be at least 1, not {arguments.workers}")
    for option in ("generations", "seconds", "checkpoint_seconds"):
        value = getattr(arguments, option)
        if value is not None and not value >= 0:  # NaN is not
            raise ValueError(f"--{option.replace('_', '-')} must not be negative, not {value}")
    with Work("preparing the game"):
        run = _run_of(arguments)
    seconds = arguments.seconds
    if seconds is None and arguments.generations is None:
        seconds = DEFAULT_SECONDS
    budget = Budget(arguments.generations, seconds)
    size, shown = "", rebel.measured
    if isinstance(run, Run):
        size = f"{len(run.graph.information_sets)} information sets, " if run.enumerated else ""
        shown = measured_in_words
    _say(f"{run.game}: {size}{run.learned_on}; writing {run.directory}")
    try:
        train_with_progress(run, budget, arguments.checkpoint_seconds, arguments.tensorboard, shown)
    except KeyboardInterrupt as interrupt:
        done, place = run.saved_generation, shlex.quote(str(run.directory))
        how = f"nash-ismcts train --resume --out {place}"
        raise saying(interrupt, f"saved after generation {done}; go on with: {how}") from None
    _draw_curve(run)
    if arguments.json:
        _print_json(run)
    else:
        _report(run)


def _run_of(arguments: argparse.Namespace) -> RunDirectory:
    is_rebel = rebel.is_meant(arguments)
    if is_rebel:
        rebel.refuse_others(arguments)
    return _resumed(arguments, is_rebel) if arguments.resume else _new(arguments, is_rebel)


def _new(arguments: argparse.Namespace, is_rebel: bool) -> RunDirectory:
    if arguments.game is None:
        raise ValueError("--game is needed for a new run")
    supported = load(arguments.game)
    game, seed = supported.name, arguments.seed or 0
    of_rebel = f"{rebel.REBEL}-" if is_rebel else ""
    directory = arguments.out or Path("out") / f"{file_name(short_title(game))}-{of_rebel}{seed}"
    if is_rebel:
        return rebel.create(directory, game, seed, arguments.set)
    models: ModelKind = arguments.models or "exact"
    usual = "large" if models == "learned" and is_large(supported) else "default"
    config = TrainingConfig.preset(arguments.preset or usual, shards=arguments.workers)
    config = changed(config, arguments.set)
    try:
        return Run.create(directory, game, seed, config, arguments.workers, models, arguments.ray)
    except ValueError as error:
        if models == "exact" and is_large(supported):
            raise ValueError(f"{error}; train it with --models learned") from error
        raise


def _resumed(arguments: argparse.Namespace, is_rebel: bool) -> RunDirectory:
    if arguments.out is None:
        raise ValueError("--resume needs --out, the directory of the run")
    if arguments.set or arguments.preset:
        raise ValueError("a resumed run keeps its settings: leave --set and --preset out")
    run: RunDirectory
    if is_rebel:
        run = rebel.resume(arguments.out)
    else:
        run = Run.resume(arguments.out, arguments.workers, arguments.ray)
    game = run.game if arguments.game is None else load(arguments.game).name
    seed = run.seed if arguments.seed is None else arguments.seed
    if (game, seed, arguments.models or run.kind) != (run.game, run.seed, run.kind):
        raise ValueError(
            f"{arguments.out} is a run of {run.game} with seed {run.seed} and {run.kind} models"
        )
    return run


def _print_json(run: RunDirectory) -> None:
    metrics = read_metrics(run.directory)
    print_json(
        {
            "game": run.game,
            "seed": run.seed,
            "models": run.kind,
            "directory": str(run.directory),
            "cut_short": run.cut_short,
            "metrics": json.loads(metrics[-1].line()) if metrics else None,
        }
    )


def _report(run: RunDirectory) -> None:
    metrics = read_metrics(run.directory)
    if run.cut_short:
        _say(f"time was up inside generation {run.loop.generation + 1}, which is dropped")
    if not metrics and run.cut_short:
        print(_NOTHING_FINISHED.format(run))
        return
    if not metrics:
        _say("nothing was left to do")
        return
    last = metrics[-1]
    said, done = found(run, last), "simulations"
    if not isinstance(run, Run):
        said, done = rebel.found(last), "solver iterations"
    print(
        f"{run.game}, seed {run.seed}: {said} after {last.generation} generations, "
        f"{last.simulations:,} {done}, {last.cpu_seconds:.1f} s of CPU time"
    )


def _draw_curve(run: RunDirectory) -> None:
    if importlib.util.find_spec("matplotlib") is None:
        _say("matplotlib is not installed (the extra `plot`), so there is no curve.png")
        return
    from exploitability.curve import Curve, draw_curves

    metrics = read_metrics(run.directory)
    if not metrics:
        return
    times = [m.cpu_seconds for m in metrics]
    label, scale = quantity_of(load(run.game))
    drawn = columns(metrics) if isinstance(run, Run) else rebel.columns(metrics)
    if metrics[-1].exploitability_average is None:
        label, scale = "loss", 1
    curves = [
        Curve(name, times, [math.nan if value is None else scale * value for value in column])
        for name, column in drawn.items()
    ]
    path = run.directory / "curve.png"
    with naming(path):
        last = curves[0].y[-1]
        title = f"{short_title(run.game)}: {label} {last:.4f} after {times[-1]:.0f} CPU s"
        draw_curves(path, curves, title=title, x_label="CPU seconds", y_label=label)


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
