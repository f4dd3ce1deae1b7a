"""Games that are not enumerated: training on graphs that grow, then matches against others.

Trains each game for so many seconds of wall time with the preset `large` and room for more searches
(or goes on with a run that is there), and lets the result play a uniformly random player and
OpenSpiel's IS-MCTS at its best (`peers.py`). Two players of ours: P itself, the policy network
without search, and the bot that searches with the learned models (`nash_ismcts_notes`). All
searches have the same wall time per move. Seats are swapped; results are what our player wins more
than the other one, per game and seat, in the game's units, with 95% confidence intervals. The last
line of the output is a JSON object.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyspiel
import torch
from tqdm import tqdm

from benchmarks.peers import budgets, ismcts_maker, tune_peer
from benchmarks.stored import write_record
from nash_ismcts_spiel.files import file_name
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.harness import PolicyBot
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.match import BotFactory, round_robin
from nash_ismcts_spiel.registry import make_bot
from nash_ismcts_spiel.runs import Budget, Run, load_evaluator, load_policy
from nash_ismcts_spiel.runs.metrics import read_metrics

GAMES = ("dark_hex(board_size=5)", "hearts", "battleship")
BOT = "nash_ismcts_notes"
SEARCH = f"{BOT} with learned models"
POLICY = "P without search"
UNIFORM = "uniform"
ISMCTS = "IS-MCTS of OpenSpiel"
LARGER: Mapping[str, Any] = {"learner": {"search_megabytes": 200.0}}
"""More searches a generation than the preset has, whose rows are evaluated together."""
BOARD: Mapping[str, Any] = {
    "visits": {"start": 4.0},
    "search": {"spawn_depth": 0},
    "networks": {"inputs": "board", "width": 16, "depth": 2},
    "learner": {
        "search_megabytes": 60.0,
        "most_sets": 40_000,
        "rows_megabytes": 100.0,
        "hidden_share": 0.0005,
        "steps": 100,
    },
}
"""Networks over a board, and many more policy games: most of what a search of a few visits knows of
a hundred actions is Vc, which these games teach."""
SETTINGS: Mapping[str, Mapping[str, Any]] = {"battleship": BOARD}
"""Changes of the preset `large`, `LARGER` elsewhere."""
PLAY: Mapping[str, Mapping[str, Any]] = {
    "battleship": {"spawn_depth": 0, "parallel_simulations": 4},
}
"""Settings of the bot that searches; simulated players look one search ahead elsewhere."""


def trained(game: str, directory: Path, seconds: float, seed: int) -> Run:
    """The run in the directory, trained up to so many seconds."""
    if (directory / "config.json").exists():
        run = Run.resume(directory)
    else:
        config = TrainingConfig.preset("large", **SETTINGS.get(game, LARGER))
        run = Run.create(directory, game, seed, config, models="learned")
    with tqdm(unit="gen", desc=f"{game}, training", file=sys.stderr) as bar:
        for _ in run.train(Budget(seconds=seconds), checkpoint_seconds=60.0):
            bar.update()
    return run


def players(game: str, directory: Path, seconds_per_move: float) -> dict[str, BotFactory]:
    """All players by name."""
    evaluator, policy = load_evaluator(directory), load_policy(directory)
    settings = PLAY.get(game, {"spawn_depth": 1})
    setting = tune_peer(game, 1e3 * seconds_per_move)
    simulations = budgets(game, setting.max_world_samples, 1e3 * seconds_per_move)["peer"]
    timed: dict[str, Any] = {"seconds": seconds_per_move, **settings}
    return {
        SEARCH: lambda seat, seed: make_bot(
            BOT, game, seat, seed=seed, evaluator=evaluator, **timed
        ),
        POLICY: lambda seat, seed: PolicyBot(policy, seat, seed),
        UNIFORM: lambda seat, seed: pyspiel.make_uniform_random_bot(seat, seed),
        ISMCTS: ismcts_maker(game, setting)(simulations),
    }


def matches(game: str, directory: Path, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Both players of ours against a uniform one, the bot also against IS-MCTS."""
    makers = players(game, directory, options.seconds_per_move)
    for ours, other in ((SEARCH, UNIFORM), (SEARCH, ISMCTS), (POLICY, UNIFORM)):
        title = f"{game}: {ours} against {other}"
        with tqdm(total=options.games, desc=title, unit="game", file=sys.stderr) as bar:
            (pairing,) = round_robin(
                support(game),
                {name: makers[name] for name in (ours, other)},
                options.games // 2,
                options.seed,
                bar.update,
            )
        won = f"{pairing.difference:+.3f} ± {pairing.difference_half_width:.3f}"
        print(f"{title}, {2 * pairing.hands} games: {won}", flush=True)
        yield {
            "players": pairing.players,
            "games": 2 * pairing.hands,
            "difference": pairing.difference,
            "half_width": pairing.difference_half_width,
            "seconds_per_move": options.seconds_per_move,
        }


def store(path: Path | None, game: str, found: dict[str, Any], seed: int) -> None:
    """Adds what was found of a game to a file, if there is one; others may add to it meanwhile."""
    if path is None:
        return
    stored = json.loads(path.read_text()) if path.exists() else {"seed": seed, "games": {}}
    stored["games"][game] = found
    write_record(path, stored)


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, plays and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=1200.0, help="of training, wall (1200)")
    parser.add_argument("--names", nargs="+", default=list(GAMES), help="games")
    parser.add_argument("--games", type=int, default=1000, help="per pairing (1000)")
    parser.add_argument("--seconds-per-move", type=float, default=0.05, help="(0.05)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", type=Path, default=Path("out/large"), help="where runs live")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="results, added to a file")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    games: dict[str, Any] = {}
    for game in options.names:
        directory = options.runs / file_name(game)
        run = trained(game, directory, options.seconds, options.seed)
        games[game] = {
            "command": (
                f"python -m benchmarks.large_games --names '{game}' --seconds {options.seconds:g} "
                f"--games {options.games} --seconds-per-move {options.seconds_per_move:g}"
            ),
            "metrics": [json.loads(line.line()) for line in read_metrics(directory)],
            "pairings": [],
            "training": run.config.to_dict(),
        }
        for pairing in matches(game, directory, options):
            games[game]["pairings"].append(pairing)
            store(options.out, game, games[game], options.seed)
    print(json.dumps({"seed": options.seed, "games": games}))


if __name__ == "__main__":
    main()
