"""`nash-ismcts evaluate`: how exploitable a run's average policy is, and search round it.

The bot is measured as what an opponent meets who does not know its seed: the mean policy of many
searches. `single` is the mean exploitability of each of those searches taken as a policy. Of a
table over views P alone is measured.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from exploitability import Measurement, measure
from nash_ismcts_spiel.cli.bars import Work
from nash_ismcts_spiel.cli.common import (
    Commands,
    add_json,
    gains_in_words,
    load,
    print_json,
    quantity_of,
)
from nash_ismcts_spiel.cli.parser import examples
from nash_ismcts_spiel.config import PRESETS, SearchConfig
from nash_ismcts_spiel.games import SupportedGame
from nash_ismcts_spiel.games.policies import TablePolicy
from nash_ismcts_spiel.learning.play_time import PlayResult, play_exploitability
from nash_ismcts_spiel.native.models import exact_rows
from nash_ismcts_spiel.runs import Run

Number = TypeVar("Number", int, float)


def add(commands: Commands) -> None:
    """Adds the command."""
    evaluate = commands.add_parser(
        "evaluate",
        help="measure the policy of a run, and search round it",
        description="Exploitability (NashConv / players) of the average policy P of a run, by "
        "OpenSpiel's best response, and of the bot that searches with the run's models. Where "
        "there are not two players with a constant sum, the table shows NashConv itself. Of a "
        "training over views P alone is measured.",
        epilog=examples(
            "evaluate --run out/leduc",
            "evaluate --run out/leduc --visits 100,1000 --dispersion 0,0.2,0.4 --json",
        ),
    )
    evaluate.add_argument(
        "--run", dest="directory", type=Path, required=True, metavar="DIR", help="of a training"
    )
    evaluate.add_argument(
        "--bot", choices=list(PRESETS), default="nash_ismcts_play", help="which search"
    )
    evaluate.add_argument(
        "--models",
        choices=["exact", "learned"],
        help="what the bot searches with: exact models of P, or learned ones (default: the run's)",
    )
    evaluate.add_argument(
        "--visits", default="30,100,300,1000", metavar="N,...", help="visits of each search"
    )
    evaluate.add_argument(
        "--dispersion", metavar="R,...", help="dispersion radii (default: the bot's own)"
    )
    evaluate.add_argument(
        "--repeats", type=int, default=10, metavar="K", help="searches per setting (default 10)"
    )
    evaluate.add_argument("--seed", type=int, default=0, help="of the searches (default 0)")
    add_json(evaluate)
    evaluate.set_defaults(run=_evaluate)


def _evaluate(arguments: argparse.Namespace) -> None:
    if arguments.repeats < 1 or arguments.seed < 0:
        raise ValueError("--repeats must be at least 1 and --seed not negative")
    visits = _numbers("--visits", arguments.visits, int)
    if not visits:
        raise ValueError("--visits needs at least one number")
    radii = _numbers("--dispersion", arguments.dispersion or "", float)
    own = SearchConfig.preset(arguments.bot).with_radius(has_policy=True)
    configs = [
        SearchConfig.preset(arguments.bot, visits=v, dispersion_radius=r)
        for r in radii or [own.radius]
        for v in visits
    ]
    with Work("measuring the policy of the run"):
        run = Run.resume(arguments.directory)
        policy = run.policy()
        models = arguments.models or run.kind
        if models == "learned" != run.kind:
            raise ValueError(f"{arguments.directory} has exact models only")
        if run.merged is not None:
            _print_views(arguments, run, measure(run.game, policy, engine="merged"))
            return
        average = measure(run.graph.game.pyspiel_game, TablePolicy(run.graph, policy))
        rows = exact_rows(run.graph, policy) if models == "exact" else run.rows()
    seed, repeats = arguments.seed, arguments.repeats
    with Work("searching", len(configs) * repeats, "times") as work:
        results = [
            play_exploitability(run.graph, rows, config, repeats, seed, work.update)
            for config in configs
        ]
    if arguments.json:
        print_json({**_as_json(arguments, run, average, configs, results), "models": models})
    else:
        _print_table(arguments, run, average, configs, results, models)


def _print_views(arguments: argparse.Namespace, run: Run, average: Measurement) -> None:
    if arguments.json:
        print_json({**_of_policy(run, average), "models": run.kind})
    else:
        print(_in_words(run, average, load(run.game)))


def _of_policy(run: Run, average: Measurement) -> dict[str, Any]:
    return {
        "game": run.game,
        "generation": run.loop.generation,
        "exploitability_average": average.exploitability,
        "nash_conv_average": average.nash_conv,
        "per_player_gain": average.per_player_gain,
        "on_policy_values": average.on_policy_values,
    }


def _in_words(run: Run, average: Measurement, game: SupportedGame) -> str:
    name, scale = quantity_of(game)
    gains = "" if scale == 1 else f"; {gains_in_words(average.per_player_gain)}"
    return (
        f"{run.game} after {run.loop.generation} generations\n"
        f"{name} of the average policy P: {scale * average.exploitability:.5f}{gains}"
    )


def _as_json(
    arguments: argparse.Namespace,
    run: Run,
    average: Measurement,
    configs: list[SearchConfig],
    results: list[PlayResult],
) -> dict[str, Any]:
    return {
        **_of_policy(run, average),
        "repeats": arguments.repeats,
        "seed": arguments.seed,
        "search": [
            {
                "visits": config.visits,
                "dispersion_radius": config.dispersion_radius,
                "exploitability_mean_policy": result.mean_policy,
                "exploitability_single_search": result.single_search,
            }
            for config, result in zip(configs, results, strict=True)
        ],
        "config": configs[0].to_dict(),
    }


def _print_table(
    arguments: argparse.Namespace,
    run: Run,
    average: Measurement,
    configs: list[SearchConfig],
    results: list[PlayResult],
    models: str,
) -> None:
    name, scale = quantity_of(run.graph.game)
    print(
        f"{_in_words(run, average, run.graph.game)}\n"
        f"{name} of {arguments.bot} with {models} models of P, {arguments.repeats} searches per "
        f"setting, seed {arguments.seed}:\n\n  radius   visits   mean policy   single search"
    )
    for config, result in zip(configs, results, strict=True):
        print(
            f"{config.dispersion_radius:>8g} {config.visits:>8} "
            f"{scale * result.mean_policy:>13.5f} {scale * result.single_search:>15.5f}"
        )


def _numbers(option: str, text: str, kind: Callable[[str], Number]) -> list[Number]:
    try:
        return [kind(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise ValueError(f"{option} must be numbers and commas, not {text!r}") from None
