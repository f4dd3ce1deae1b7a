"""Learned models after so many CPU seconds of training, to search with.

One training per game and seed, of the default preset; what it has learned is saved each time that
another of the asked CPU seconds is spent. They are those of one core; measuring and saving are not
counted. A file that is there is not made again.

    python -m benchmarks.trained_models --games leduc --seeds 0 1 2 --seconds 5 20 60
    python -m benchmarks.trained_models --games liars_1x4 --seeds 0 1 2 --seconds 5 20

Files are OUT/GAME-SECONDS-SEED.safetensors, and serve as `checkpoint` of any bot.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.search_pays import GAMES
from benchmarks.timing import report
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.models.networks.saved import save
from nash_ismcts_spiel.runs import Run

OUT = Path("out") / "trained"


def models_file(out: Path, game: str, seconds: float, seed: int) -> Path:
    """Where models are kept."""
    return out / f"{game}-{seconds:g}-{seed}.safetensors"


def train(
    game: str, seed: int, seconds: Sequence[float], out: Path, config: TrainingConfig
) -> None:
    """One training, saved on the way."""
    files = {mark: models_file(out, game, mark, seed) for mark in sorted(seconds)}
    if all(path.exists() for path in files.values()):
        return
    run = Run(out / f"{game}-{seed}", GAMES[game], seed, config, models="learned")
    spent = 0.0
    for mark, path in files.items():
        while spent < mark:
            started = time.process_time()
            run.loop.step()
            spent += time.process_time() - started
        save(path, run.saved_models())
        report(f"{path}: {spent:.1f} CPU s, generation {run.loop.generation}")
    run.loop.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains what is asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", choices=list(GAMES), default=list(GAMES))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--seconds", nargs="+", type=float, default=[5, 20, 60])
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    for game in options.games:
        for seed in options.seeds:
            train(game, seed, options.seconds, options.out, TrainingConfig.preset())


if __name__ == "__main__":
    main()
