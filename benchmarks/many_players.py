"""Training in games for more than two players, or whose utilities do not sum to a constant.

NashConv against CPU seconds of training with exact models, beside CFR and CFR+ on the same compiled
graph. NashConv is the sum over players of what each gains by a best response, in the game's utility
units; it is not divided by the number of players here. Times are CPU seconds of one core; measuring
and enumerating do not count. Records go to OUT/many_players/GAME.json, a plot per game beside them,
the page to OUT/many_players.md; games that are stored are not run again unless named by --games.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.exact_study.parts import SEEDS
from benchmarks.exact_study.report import at, spread_of, table
from benchmarks.exact_study.tasks import Record, graph_of, run_all
from benchmarks.stored import RESULTS, game_file, write_record
from exploitability import measure
from exploitability.curve import Curve, draw_curves
from nash_ismcts_spiel.baselines import trace
from nash_ismcts_spiel.baselines.methods import AnytimeMethod, NashIsmctsExact, Point
from nash_ismcts_spiel.files import versions
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.policies import TablePolicy, uniform_table
from nash_ismcts_spiel.native import exact

COMMAND = "python -m benchmarks.many_players"
Floats = npt.NDArray[np.float64]

OURS = "nash_ismcts"
LABELS = {OURS: "Nash-ISMCTS (P)", "cfr": "CFR", "cfr_plus": "CFR+"}
PEERS: tuple[exact.Variant, ...] = ("cfr", "cfr_plus")
PEER_SECONDS = 10.0


class Target(NamedTuple):
    """How long a game is trained.

    Attributes:
      title: how the page calls it.
      seconds: CPU seconds of training.
    """

    title: str
    seconds: float


TARGETS: Mapping[str, Target] = {
    "kuhn_poker(players=3)": Target("Kuhn poker, three players", 60.0),
    "leduc_poker(players=3,suit_isomorphism=True)": Target("Leduc poker, three players", 60.0),
    "sheriff(num_rounds=2)": Target("Sheriff, two rounds", 20.0),
    "sheriff": Target("Sheriff, four rounds", 20.0),
    "bargaining(max_turns=3,max_num_instances=10)": Target("Bargaining, three turns", 20.0),
}


class CompiledCfr:
    """CFR on the compiled graph as an anytime method; a step is one iteration in a hundred.

    An iteration of a small game takes a microsecond, less than reading the clock.
    """

    def __init__(self, graph: GameGraph, variant: exact.Variant) -> None:
        """Starts at the uniform policy."""
        self.solver = exact.CfrSolver(graph, variant)

    def step(self) -> None:
        """Runs as many iterations as a hundredth of those so far, one at least."""
        self.solver.run(1 + self.solver.iterations // 100)

    def policy(self) -> Floats:
        """The average policy. [A]"""
        return self.solver.average_policy()


def run_method(game: str, method: str, seconds: float, seed: int) -> Record:
    """NashConv over CPU time of one training or of one solver."""
    graph = graph_of(game)
    ours = NashIsmctsExact(graph, seed) if method == OURS else None
    peer = None if ours else CompiledCfr(graph, "cfr" if method == "cfr" else "cfr_plus")
    running: AnytimeMethod | None = ours or peer
    assert running is not None
    points: list[list[float]] = []

    def record(point: Point) -> None:
        found = exact.nash_conv(graph, running.policy())
        steps = peer.solver.iterations if peer else point.steps
        points.append([point.cpu_seconds, steps, found.nash_conv, *found.per_player_gain])

    trace(running, graph, seconds, on_point=record)
    policy = running.policy()
    checked = measure(graph.game.pyspiel_game, TablePolicy(graph, policy))
    gains = [f"gain_{player}" for player in range(graph.game.num_players)]
    return {
        "game": game,
        "method": method,
        "seed": seed,
        "columns": ["cpu_seconds", "steps", "nash_conv", *gains],
        "points": points,
        "simulations": ours.loop.simulations if ours else None,
        "values": checked.on_policy_values,
        "openspiel": checked.nash_conv,
        "policy": policy.tolist(),
    }


def interchanged(graph: GameGraph, policies: Sequence[Floats]) -> list[float]:
    """NashConv where players follow policies of different runs, for every such mixture of runs.

    In a two-player zero-sum game parts of equilibria make up an equilibrium again.
    """
    sets = graph.information_sets
    player_of_action = np.repeat(np.asarray(sets.player), np.asarray(sets.action_count))
    found = []
    for runs in itertools.product(range(len(policies)), repeat=graph.game.num_players):
        if len(set(runs)) > 1:
            mixed = np.choose(np.asarray(runs)[player_of_action], policies)
            found.append(exact.nash_conv(graph, mixed).nash_conv)
    return found


def run_game(game: str, share: float, jobs: int) -> Record:
    """Everything about one game."""
    target = TARGETS[game]
    tasks = [(OURS, target.seconds, seed) for seed in SEEDS]
    tasks += [(peer, PEER_SECONDS, 0) for peer in PEERS]
    records = run_all(
        [
            (run_method, {"game": game, "method": m, "seconds": s * share, "seed": seed})
            for m, s, seed in tasks
        ],
        jobs,
        target.title,
    )
    graph = graph_of(game)
    policies = [np.array(record.pop("policy")) for record in records]
    return {
        "command": COMMAND,
        "versions": versions(),
        "game": game,
        "worlds": len(graph.worlds),
        "information_sets": len(graph.information_sets),
        "uniform": exact.nash_conv(graph, uniform_table(graph)).nash_conv,
        "records": records,
        "seeds_interchanged": interchanged(graph, policies[: len(SEEDS)]),
        "cfr_plus_interchanged": interchanged(graph, [policies[0], policies[-1]]),
    }


def of_method(stored: Record, method: str) -> list[Record]:
    """The runs of one method."""
    return [record for record in stored["records"] if record["method"] == method]


def curve_row(stored: Record) -> list[str]:
    """NashConv at the end and at the time of the peers."""
    ours = of_method(stored, OURS)
    last = [record["points"][-1] for record in ours]
    common = min(record["points"][-1][0] for record in stored["records"])
    return [
        TARGETS[stored["game"]].title,
        f"{stored['worlds']:,}",
        f"{stored['information_sets']:,}",
        f"{stored['uniform']:.3f}",
        spread_of([point[2] for point in last]),
        f"{min(point[0] for point in last):.0f}",
        f"{statistics.median(point[1] for point in last):,.0f}",
        f"{statistics.median(at(record, common) for record in ours):.4f}",
        *(f"{at(of_method(stored, peer)[0], common):.2g}" for peer in PEERS),
        f"{common:.0f}",
    ]


def player_rows(stored: Record) -> list[list[str]]:
    """What each player gets and could gain, per run."""
    rows = []
    for record in stored["records"]:
        ours = record["method"] == OURS
        rows.append([
            TARGETS[stored["game"]].title,
            LABELS[record["method"]] + (f", seed {record['seed']}" if ours else ""),
            ", ".join(f"{value:.4f}" for value in record["values"]),
            ", ".join(f"{gain:.2g}" for gain in record["points"][-1][3:]),
            f"{record['points'][-1][2]:.2g}",
        ])  # fmt: skip
    return rows


def interchange_row(stored: Record) -> list[str]:
    """NashConv of the runs as they are, and with players taken from different runs."""
    own = [record["points"][-1][2] for record in of_method(stored, OURS)]
    return [
        TARGETS[stored["game"]].title,
        spread_of(own),
        *(
            f"{statistics.median(mixed):.4f}, {max(mixed):.4f}"
            for mixed in (stored["seeds_interchanged"], stored["cfr_plus_interchanged"])
        ),
    ]


def draw(stored: Record, folder: Path) -> str:
    """The plot of one game, as a link."""
    title = TARGETS[stored["game"]].title
    curves = [
        Curve(
            LABELS[record["method"]],
            [point[0] for point in record["points"]],
            # A logarithmic axis has no zero; this is where rounding begins.
            [max(point[2], 1e-12) for point in record["points"]],
        )
        for record in stored["records"]
    ]
    path = folder / f"{game_file(stored['game'])}.png"
    anchors = {"uniform": stored["uniform"]}
    ends = [record["points"][-1][2] for record in of_method(stored, OURS)]
    found = f"{title}: {LABELS[OURS]} ends at {statistics.median(ends):.4f}"
    draw_curves(
        path, curves, found, "CPU seconds", anchors, y_label="NashConv", ours=[LABELS[OURS]]
    )
    return f"![{title}]({folder.name}/{path.name})"


def page(found: Sequence[Record], folder: Path, findings: str) -> str:
    """The report."""
    differs = max(
        abs(record["openspiel"] - record["points"][-1][2])
        for stored in found
        for record in stored["records"]
    )
    packages = ", ".join(f"{name} {version}" for name, version in found[0]["versions"].items())
    games = "; ".join(f"{TARGETS[stored['game']].title} is `{stored['game']}`" for stored in found)
    sections = [
        "# More than two players, and general sums",
        f"Made by `{COMMAND}`. NashConv is the sum over players of what each gains by a best "
        "response to the others, in the game's utility units, not divided by the number of "
        "players. Exact models, the default preset, seeds 0, 1 and 2; CFR and CFR+ are ours, on "
        "the same compiled graph, and draw nothing. Times are CPU seconds of one core. "
        f"OpenSpiel's best responses differ by {differs:.0e} at most. {games}. {packages}.",
        findings,
        "## NashConv",
        table(
            ["game", "histories", "information sets", "uniform policy",
             "Nash-ISMCTS at the end: median (all seeds)", "CPU s", "generations",
             "Nash-ISMCTS earlier", "CFR", "CFR+", "all three at CPU s"],
            [curve_row(stored) for stored in found],
        ),
        " ".join(draw(stored, folder) for stored in found),
        "## Players",
        "What each player gets if all follow the policy, and gains by a best response, from the "
        "first player to the last, at the end of each run.",
        table(
            ["game", "run", "values", "gains", "NashConv"],
            [row for stored in found for row in player_rows(stored)],
        ),
        "## Parts of different runs",
        "NashConv where some players follow one run and some another: over all mixtures of the "
        "three seeds of Nash-ISMCTS, and over those of its seed 0 and CFR+.",
        table(
            ["game", "each seed by itself", "mixed seeds: median, worst",
             "mixed with CFR+: median, worst"],
            [interchange_row(stored) for stored in found],
        ),
    ]  # fmt: skip
    return "\n\n".join(section for section in sections if section) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs what is missing and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="*", choices=list(TARGETS), default=[], help="run again")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time (default 1)")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR")
    parser.add_argument("--quick", action="store_true", help="a fraction of the time, to try it")
    options = parser.parse_args(arguments)
    folder: Path = options.out / "many_players"
    folder.mkdir(parents=True, exist_ok=True)
    found: list[dict[str, Any]] = []
    for game in TARGETS:
        path = folder / f"{game_file(game)}.json"
        if game in options.games or not path.exists():
            stored = run_game(game, 0.02 if options.quick else 1.0, options.jobs)
            write_record(path, stored)
        found.append(json.loads(path.read_text(encoding="utf-8")))
    notes = folder / "findings.md"
    findings = notes.read_text(encoding="utf-8").strip() if notes.exists() else ""
    text = page(found, folder, findings)
    (options.out / "many_players.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
