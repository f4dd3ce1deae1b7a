"""`nash-ismcts train`: trains a policy by search, and shows how its exploitability falls.

Where there are not two players with a constant sum, NashConv is shown instead.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import math
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nash_ismcts_spiel.baselines.rebel.config import UNSAFE, RebelConfig
from nash_ismcts_spiel.cli.bars import Work
from nash_ismcts_spiel.cli.common import load, print_json, quantity_of
from nash_ismcts_spiel.cli.parser import add_json, add_set, changed, describe
from nash_ismcts_spiel.cli.players import REBEL
from nash_ismcts_spiel.cli.signals import interrupting, saying
from nash_ismcts_spiel.files import file_name, naming
from nash_ismcts_spiel.games.names import short_title
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.config import TRAINING_PRESETS, ModelKind
from nash_ismcts_spiel.learning.loops import is_large
from nash_ismcts_spiel.learning.watch import Progress
from nash_ismcts_spiel.runs import Budget, Run
from nash_ismcts_spiel.runs.board import board
from nash_ismcts_spiel.runs.config import stored_settings
from nash_ismcts_spiel.runs.directory import RunDirectory
from nash_ismcts_spiel.runs.metrics import Metrics, read_metrics

DEFAULT_SECONDS = 60.0

_NOTHING_FINISHED = (
    "{0.game}, seed {0.seed}: no generation was finished in {0.wall_seconds:.0f} s, so the "
    "networks are as they were; give more --seconds (with --resume), or make the generations of a "
    "new run smaller, for example --set learner.search_megabytes=200 "
    "--set learner.rows_megabytes=50"
)


def add_train(command: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    describe(
        command,
        _train,
        "Trains a policy by search: with exact models on a game that can be enumerated, with "
        "learned ones on any game. Exact models of larger games whose histories merge are swept "
        "over as views. Writes config.json, metrics.jsonl, checkpoint.safetensors and curve.png to "
        "--out.",
        "train --game leduc_poker --seconds 60 --out out/leduc",
        "train --game dark_hex --models learned --seconds 600",
        "train --game phantom_ttt --seconds 30 --out out/phantom_ttt",
        "train --game kuhn_poker --set visits=50 --set search.c_puct=2",
        "train --resume --out out/leduc --seconds 120",
    )
    command.add_argument(
        "--algorithm",
        choices=["nash_ismcts", REBEL],
        help="nash_ismcts (default), or rebel, for two-player zero-sum games, whose settings are "
        "those of RebelConfig",
    )
    game = "the game, with parameters in parentheses (default: that of the resumed run)"
    command.add_argument("--game", help=game)
    models = "P, V and H computed exactly (default), or by networks that learn from self-play"
    command.add_argument("--models", choices=["exact", "learned"], help=models)
    _add_budget(command)
    command.add_argument("--seed", type=int, help="of all randomness (default 0)")
    command.add_argument("--out", type=Path, metavar="DIR", help="default: out/GAME-SEED")
    command.add_argument("--resume", action="store_true", help="go on with the run in --out")
    preset = "named settings (default: default, or large if the game is)"
    command.add_argument("--preset", choices=list(TRAINING_PRESETS), help=preset)
    add_set(
        command,
        "TrainingConfig, e.g. --set visits=50 (a constant schedule), --set visits.power=0.5, "
        "--set search.c_puct=2 (default: as in --preset)",
    )
    add_json(command, " with the last metrics")
    board = "write the metrics for TensorBoard too (the extra `tensorboard`)"
    command.add_argument("--tensorboard", action="store_true", help=board)


def _add_budget(command: argparse.ArgumentParser) -> None:
    """Adds how long is trained, by how many, and how often that is saved."""
    generations = "stop after N generations (default: no limit)"
    command.add_argument("--generations", type=int, metavar="N", help=generations)
    command.add_argument(
        "--seconds",
        type=float,
        metavar="S",
        help="stop after S seconds of wall time spent on generations, the whole run over (default "
        f"{DEFAULT_SECONDS:g}, or no limit with --generations); with learned models, a generation "
        "that is not over by then is dropped",
    )
    workers = "threads, or processes for learned models (default 1); a new run is divided into as "
    workers += "many shards"
    command.add_argument("--workers", type=int, default=1, metavar="N", help=workers)
    ray = "--workers are Ray actors (the extra `ray`), here or on Ray's cluster"
    command.add_argument("--ray", action="store_true", help=ray)
    save = "how often to save, by wall time (default 10; 0 is after every generation)"
    often: Any = {"type": float, "default": 10.0, "metavar": "S"}
    command.add_argument("--checkpoint-seconds", help=save, **often)


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
    sets = len(run.graph.information_sets) if isinstance(run, Run) and run.enumerated else None
    size = "" if sets is None else f"{sets} information sets, "
    _say(f"{run.game}: {size}{run.learned_on}; writing {run.directory}")
    try:
        train_with_progress(run, budget, arguments.checkpoint_seconds, arguments.tensorboard)
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
    is_rebel = _is_rebel(arguments)
    if is_rebel:
        _refuse_others(arguments)
    return _resumed(arguments, is_rebel) if arguments.resume else _new(arguments, is_rebel)


def _is_rebel(arguments: argparse.Namespace) -> bool:
    """Whether a command line is about ReBeL: it says so, or resumes a run of it."""
    if arguments.algorithm is not None:
        return bool(arguments.algorithm == REBEL)
    if not arguments.resume or arguments.out is None:
        return False
    try:
        return bool(stored_settings(arguments.out).get("models") == REBEL)
    except ValueError:  # a missing or damaged config is reported where it is read
        return False


def _refuse_others(arguments: argparse.Namespace) -> None:
    """Refuses options that mean nothing to ReBeL."""
    for name in ("models", "preset", "ray", "tensorboard"):
        if getattr(arguments, name):
            raise ValueError(f"--{name} is not for --algorithm rebel")
    if arguments.workers != 1:
        raise ValueError("--workers is not for --algorithm rebel")


def _new(arguments: argparse.Namespace, is_rebel: bool) -> RunDirectory:
    if arguments.game is None:
        raise ValueError("--game is needed for a new run")
    supported = load(arguments.game)
    game, seed = supported.name, arguments.seed or 0
    of_rebel = f"{REBEL}-" if is_rebel else ""
    directory = arguments.out or Path("out") / f"{file_name(short_title(game))}-{of_rebel}{seed}"
    if is_rebel:
        from nash_ismcts_spiel.baselines.rebel.run import RebelRun  # torch, for who asks for it

        return RebelRun.create(directory, game, seed, changed(RebelConfig(), arguments.set))
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
        from nash_ismcts_spiel.baselines.rebel.run import RebelRun  # torch

        run = RebelRun.resume(arguments.out)
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
    print(found_in_words(run, metrics[-1]))


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
    if metrics[-1].exploitability_average is None:
        label, scale = "loss", 1
    curves = [
        Curve(name, times, [math.nan if value is None else scale * value for value in column])
        for name, column in columns(metrics).items()
    ]
    path = run.directory / "curve.png"
    with naming(path):
        last = curves[0].y[-1]
        title = f"{short_title(run.game)}: {label} {last:.4f} after {times[-1]:.0f} CPU s"
        draw_curves(path, curves, title=title, x_label="CPU seconds", y_label=label)


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def train_with_progress(
    run: RunDirectory, budget: Budget, checkpoint_seconds: float, tensorboard: bool
) -> None:
    """Trains until the budget is spent, and shows it on standard error."""
    name = run.game.partition("(")[0]
    of_all = "" if budget.generations is None else f"/{budget.generations:,}"
    measured: Sequence[str] = [""]
    begun, progress, reported = time.monotonic(), Progress(), False

    def words(seconds: float) -> list[str]:
        minutes, left = divmod(int(seconds), 60)
        head = f"{name}: generation {run.loop.generation:,}{of_all}"
        far = [] if progress == Progress() else progress.parts(time.monotonic() - begun)
        return [head, f"{minutes}:{left:02d}", measured[0], *far, *measured[1:]]

    def show(come: Progress) -> None:
        """Takes how far the generation has come; the first report is shown at once."""
        nonlocal progress, reported
        progress = come
        if not reported:
            reported = True
            line.show()

    with contextlib.ExitStack() as stack:
        write = stack.enter_context(board(run.directory)) if tensorboard else None
        line = stack.enter_context(Work(name, at_once=True, leave=True, words=words))
        for metrics in run.train(budget, checkpoint_seconds, show):
            begun, progress = time.monotonic(), Progress()
            if metrics is not None:
                measured = measured_in_words(metrics, run)
                if write is not None:
                    write(metrics)


def losses(metrics: Metrics) -> list[tuple[str, float]]:
    """The losses among the figures, by the name of their network."""
    found = [(name.removeprefix("loss_"), value) for name, value in metrics.figures.items()]
    return [(name, value) for name, value in found if f"loss_{name}" in metrics.figures]


def measured_in_words(metrics: Metrics, run: RunDirectory) -> list[str]:
    """What the line shows of a generation, in order."""
    if UNSAFE in metrics.figures:
        safe = f"exploitability {metrics.exploitability_average:.4f}"
        return [safe, f"unsafe {metrics.figures[UNSAFE]:.3f}"]
    rate = run.loop.simulations / max(run.wall_seconds, 1e-9)
    if metrics.exploitability_average is None:
        each = " ".join(f"{name} {value:.3f}" for name, value in losses(metrics))
        return [f"losses: {each}", f"{rate:,.0f} simulations/s"]
    name, scale = quantity_of(load(run.game))
    found = [f"{name} {scale * metrics.exploitability_average:.4f}"]
    if metrics.exploitability_search is not None:
        found.append(f"of search {scale * metrics.exploitability_search:.3f}")
    return [*found, f"{rate / 1e6:.2f} M simulations/s"]


def found_in_words(run: RunDirectory, last: Metrics) -> str:
    """What was found in the end."""
    if last.exploitability_average is None:
        said = "losses " + ", ".join(f"{name} {value:.4f}" for name, value in losses(last))
    elif UNSAFE in last.figures:
        said = f"exploitability of ReBeL as it plays {last.exploitability_average:.5f} "
        said += f"(unsafe {last.figures[UNSAFE]:.5f})"
    else:
        name, scale = quantity_of(load(run.game))
        said = f"{name} of the average policy {scale * last.exploitability_average:.5f}"
        gains = [f"{value:.5f}" for key, value in last.figures.items() if key.startswith("gain_")]
        if gains:
            said += f" (by a best response players gain {', '.join(gains)})"
    done = "solver iterations" if UNSAFE in last.figures else "simulations"
    return (
        f"{run.game}, seed {run.seed}: {said} after {last.generation} generations, "
        f"{last.simulations:,} {done}, {last.cpu_seconds:.1f} s of CPU time"
    )


def columns(metrics: list[Metrics]) -> Mapping[str, list[float | None]]:
    """What the curve shows: exploitability, or losses where that cannot be had."""
    last, averages = metrics[-1], [m.exploitability_average for m in metrics]
    if UNSAFE in last.figures:
        return {"ReBeL, as it plays": averages, "unsafe": [m.figures[UNSAFE] for m in metrics]}
    if last.exploitability_average is None:
        return {name: [m.figures[f"loss_{name}"] for m in metrics] for name, _ in losses(last)}
    found = {"average policy P": averages}
    if last.exploitability_search is not None:
        found["one generation's search"] = [m.exploitability_search for m in metrics]
    return found
