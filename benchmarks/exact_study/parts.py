"""The parts of the study: which tasks each consists of.

`quick` runs the same tasks with a fraction of the time, to see that everything works.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from benchmarks.exact_study.tasks import RPS, Task, play, solve, train
from nash_ismcts_spiel.baselines import DETERMINISTIC

KUHN = "kuhn_poker"
LEDUC = "leduc_poker"
GOOFSPIEL = (
    "turn_based_simultaneous_game(game="
    "goofspiel(imp_info=True,num_cards=4,points_order=descending))"
)


def liars_dice(dice: int, sides: int) -> str:
    """Liar's Dice by its size."""
    return f"liars_dice(numdice={dice},dice_sides={sides})"


class Target(NamedTuple):
    """How long a game is trained in the study, and what is asked of it.

    Attributes:
      title: how the report calls it.
      seconds: CPU seconds of training.
      bars: (exploitability, within so many CPU seconds).
    """

    title: str
    seconds: float
    bars: tuple[tuple[float, float], ...]


TARGETS: Mapping[str, Target] = {
    KUHN: Target("Kuhn poker", 10.0, ((0.001, 10.0),)),
    LEDUC: Target("Leduc poker", 180.0, ((0.04, 60.0), (0.020, 600.0))),
    liars_dice(1, 4): Target("Liar's Dice 1x4", 60.0, ((0.008, 60.0),)),
    liars_dice(1, 5): Target("Liar's Dice 1x5", 90.0, ((0.012, 300.0),)),
    liars_dice(1, 6): Target("Liar's Dice 1x6", 180.0, ((0.020, 900.0),)),
    liars_dice(2, 3): Target("Liar's Dice 2x3", 600.0, ((0.017, 1800.0),)),
    GOOFSPIEL: Target("Goofspiel 4", 30.0, ((0.01, 60.0),)),
}
SEEDS = (0, 1, 2)
PEERS = ("cfr", "cfr_plus", "external_sampling", "outcome_sampling")
PEER_SECONDS = 15.0

ABLATED = (LEDUC, liars_dice(1, 4))
ABLATION_SECONDS = 10.0
ABLATIONS: Mapping[str, Mapping[str, Any]] = {
    "default preset": {},
    "settings of the prototype": {"name": "prototype"},
    "unseen events left out": {"search": {"unvisited_events": "left_out"}},
    "opponents drawn from P (no spawned trees)": {"search": {"spawn_depth": 0}},
    "one level of spawned trees": {"search": {"spawn_depth": 1}},
    "trees by node": {"search": {"trees": "by_node"}},
    "opponent prior K = 0": {"opponent_prior_visits": {"start": 0.0}},
    "opponent prior K = 3": {"opponent_prior_visits": {"start": 3.0}},
    "opponent prior K = 50": {"opponent_prior_visits": {"start": 50.0}},
    "opponent prior K = 5 g^.25": {"opponent_prior_visits": {"start": 5.0, "power": 0.25}},
    "exploration 0": {"exploration": {"start": 0.0}},
    "exploration 0.25": {"exploration": {"start": 0.25}},
    "exploration 1": {"exploration": {"start": 1.0}},
    "backup luck_adjusted": {"search": {"sample_backup": "luck_adjusted"}},
    "backup residual": {"search": {"sample_backup": "residual"}},
    "no LCB filter": {"lcb_width": {"start": 1e6}},
    "LCB width 0": {"lcb_width": {"start": 0.0}},
    "radius 0": {"dispersion_radius": {"start": 0.0}},
    "radius 0.1, annealed": {"dispersion_radius": {"start": 0.1, "power": -0.5}},
    "radius 0.03, not annealed": {"dispersion_radius": {"start": 0.03}},
    "uniform averaging": {"averaging_power": 0.0},
    "quadratic averaging": {"averaging_power": 2.0},
    "30 visits": {"visits": {"start": 30.0}},
    "100 visits": {"visits": {"start": 100.0}},
    "300 visits": {"visits": {"start": 300.0}},
    "c_puct 0.3": {"search": {"c_puct": 0.3}},
    "c_puct 3": {"search": {"c_puct": 3.0}},
}

COLLAPSE: Mapping[str, str] = {
    RPS: "nearly_uniform",
    KUHN: "cfr 100",
    LEDUC: "cfr 100",
    liars_dice(1, 4): "cfr 20",
}
COLLAPSE_RADII = (0.0, 0.1, 0.2, 0.4, 0.8)
COLLAPSE_VISITS = (30, 100, 300, 1000, 3000)
COLLAPSE_REPEATS = 2


def curve_tasks(quick: bool) -> list[Task]:
    """Training and OpenSpiel's solvers on all games."""
    share = 0.005 if quick else 1.0
    longest_first = sorted(TARGETS.items(), key=lambda item: -item[1].seconds)
    tasks: list[Task] = [
        (
            train,
            {
                "game": game,
                "seconds": target.seconds * share,
                "seed": seed,
                "settings": {},
            },
        )
        for game, target in longest_first
        for seed in SEEDS
    ]
    for game, target in longest_first:
        seconds = min(PEER_SECONDS, target.seconds) * share
        for method in PEERS:
            for seed in SEEDS[:1] if method in DETERMINISTIC else SEEDS:
                arguments = {"game": game, "method": method, "seconds": seconds, "seed": seed}
                tasks.append((solve, arguments))
    return tasks


def ablation_tasks(quick: bool) -> list[Task]:
    """Training with one thing changed at a time."""
    seconds = ABLATION_SECONDS * (0.005 if quick else 1.0)
    return [
        (train, {"game": game, "seconds": seconds, "seed": seed, "settings": settings})
        for game in ABLATED
        for settings in ABLATIONS.values()
        for seed in SEEDS
    ]


def collapse_tasks(quick: bool) -> list[Task]:
    """Search round fixed policies, more and more of it."""
    return [
        (
            play,
            {
                "game": game,
                "policy": policy,
                "preset": "nash_ismcts_notes",
                "visits": visits // (30 if quick else 1),
                "radius": radius,
                "repeats": COLLAPSE_REPEATS,
                "seed": seed,
            },
        )
        for visits in reversed(COLLAPSE_VISITS)
        for game, policy in COLLAPSE.items()
        for radius in COLLAPSE_RADII
        for seed in SEEDS
    ]
