"""What splitting actions saves: the memory of a search, and the size of networks.

A search of some visits is run at positions of a game, each time in a fresh process, with whole
actions and with split ones: with random rollouts, and with networks for P, V and Vc that know
nothing yet and beliefs by the prior (networks for H are left out, since with whole actions a single
row of theirs has a value for each pair of an action and a piece, and would take gigabytes).
Memory is what the process grows by, from before models and trees are made to the end of the search;
finding a first world comes before, and is not counted. Positions where no first world is found are
left out for all. Then the parameters of all networks, for games with more and more actions, and for
action spaces from a hundred to a million with everything else the same. The last line of the output
is a JSON object.
"""

from __future__ import annotations

import argparse
import ctypes
import dataclasses
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.games import GameGraph, support, tensors
from nash_ismcts_spiel.games.splitting import SplitActions, mixed_radix
from nash_ismcts_spiel.models import Evaluator, Models, RolloutEvaluator
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.models.networks.nets import Sizes, make_networks
from nash_ismcts_spiel.native.engine import NativeEngine

ModelsKind = Literal["rollouts", "networks"]
GAME = "dou_dizhu"
NETWORK_GAMES = ("leduc_poker", "liars_dice", "battleship", "dark_chess", GAME, "colored_trails")
MEGABYTE = 2**20

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(slots=True)
class AnySizes:
    """Networks for an action space of some size; what else they see is the same."""

    set_inputs: int
    sample_inputs: int
    actions: int
    pieces: int


class PolicyAndValue(NetworkEvaluator):
    """P, V and Vc by networks; beliefs are the prior, and Vc does not tell pieces apart."""

    def flat_sample_rows(
        self, graph: GameGraph, sample_nodes: Sequence[int]
    ) -> tuple[Floats, Floats]:
        """h of a batch, end to end, and Vc, for each own action one per branch."""
        beliefs = [graph.prior_weights(node) for node in sample_nodes]
        owners = [graph.samples.information_set[node] for node in sample_nodes]
        rows = self.information_set_rows(graph, owners)
        values = [np.repeat(r.child_values, len(h)) for r, h in zip(rows, beliefs, strict=True)]
        return np.concatenate(beliefs), np.concatenate(values)


def position(game: Any, number: int) -> Any:
    """A state soon after the deal of a random game in which a player has many actions to choose
    from, as the number says.
    """
    rng = np.random.default_rng(number)
    state, moves = game.new_initial_state(), 0
    while state.is_chance_node() or moves < 1 + number % 2:
        moves += not state.is_chance_node()
        legal = state.legal_actions()
        state.apply_action(legal[-1] if moves == 1 else int(rng.choice(legal)))
    return state


def positions(name: str, wanted: int) -> list[int]:
    """Positions where a first world is found from what the player has seen."""
    found: list[int] = []
    game = support(name)
    for number in range(50 * wanted):
        state = position(game.pyspiel_game, number)
        try:
            GameGraph(game).observe(state, state.current_player(), 10.0)
        except (ValueError, TimeoutError):
            continue
        found.append(number)
        if len(found) == wanted:
            break
    return found


def evaluator_of(kind: ModelsKind, name: str, split: SplitActions) -> Evaluator:
    """Rollouts, or networks with random weights."""
    if kind == "rollouts":
        return RolloutEvaluator()
    tensors.MOST_PIECES = sys.maxsize  # to see what they would take
    inputs = tensors.Tensors(support(name), slots=0, split_actions=split)
    small = AnySizes(inputs.set_inputs, 1, inputs.actions, 1)
    networks = make_networks(small, NetworkConfig(width=64), seed=0)
    return PolicyAndValue(inputs, networks, 1.0)


def measure(name: str, number: int, split: SplitActions, kind: ModelsKind, visits: int) -> None:
    """One search; prints what it took."""
    state = position(support(name).pyspiel_game, number)
    graph = GameGraph(name, split)
    information_set = graph.observe(state, state.current_player())
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    before, started = resident(), time.process_time()
    models = Models(graph, evaluator_of(kind, name, split))
    engine = NativeEngine(models, SearchConfig(visits=visits, split_actions=split))
    result = engine.search(information_set, np.random.default_rng(number))
    used = time.process_time() - started
    grown = resident() - before
    print(json.dumps({
        "legal": len(state.legal_actions()), "megabytes": grown / MEGABYTE, "seconds": used,
        "simulations": result.simulations, "worlds": len(graph.worlds),
        "edges": len(graph.worlds.edge_action), "nodes": engine.node_count,
    }))  # fmt: skip


def resident() -> int:
    """Bytes that the process holds now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def in_fresh_process(arguments: Sequence[object]) -> dict[str, float]:
    """Runs this module anew and reads its last line."""
    command = [sys.executable, "-m", "benchmarks.splitting", "--one", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def compare_searches(name: str, wanted: int, visits: int) -> dict[str, Any]:
    """Medians over positions, with whole actions and with split ones."""
    found: dict[str, Any] = {}
    numbers = positions(name, wanted)
    print(f"{name}, {visits} visits, positions {numbers}; medians")
    for kind in ("rollouts", "networks"):
        for split in ("never", "always"):
            runs = [in_fresh_process([name, number, split, kind, visits]) for number in numbers]
            row = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
            found[f"{kind} {split}"] = row
            print(f"  {kind:9} {split:7}", *(f"{key} {row[key]:,.4g}" for key in row), sep="  ")
        whole, parts = (found[f"{kind} {split}"]["megabytes"] for split in ("never", "always"))
        found[f"{kind} ratio"] = parts / whole
        print(f"  {kind}: split actions take {parts / whole:.3f} of the memory")
    return found


def parameters(sizes: Sizes) -> int:
    """Parameters of all networks of some sizes."""
    networks = make_networks(sizes, NetworkConfig(width=64), seed=0).children()
    return sum(parameter.numel() for net in networks for parameter in net.parameters())


def compare_networks() -> dict[str, Any]:
    """Parameters with whole and with split actions."""
    tensors.MOST_PIECES = sys.maxsize
    found: dict[str, Any] = {}
    for name in NETWORK_GAMES:
        game, counts = support(name), list[int]()
        for split in ("never", "always"):
            counts.append(parameters(tensors.Tensors(game, split_actions=split)))
        found[name] = {"actions": game.pyspiel_game.num_distinct_actions(), "parameters": counts}
        actions = found[name]["actions"]
        print(f"  {name:14} {actions:>7,} actions: {counts[0]:>12,} -> {counts[1]:,}")
    growth = []
    for digits in range(2, 7):
        sizes = []
        for width in (10**digits, mixed_radix(10**digits).vocabulary):
            sizes.append(parameters(AnySizes(500, 500 + 8 * width, width, width)))
        growth.append([10**digits, *sizes])
        print(f"  {10**digits:>9,} actions, all else alike: {sizes[0]:>13,} -> {sizes[1]:,}")
    return {"games": found, "growth": growth}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default=GAME)
    parser.add_argument("--positions", type=int, default=4)
    parser.add_argument("--visits", type=int, default=64)
    parser.add_argument("--one", nargs=5, metavar=("GAME", "NUMBER", "SPLIT", "MODELS", "VISITS"))
    given = parser.parse_args(arguments)
    if given.one:
        name, number, split, kind, visits = given.one
        measure(name, int(number), split, kind, int(visits))
        return
    searches = compare_searches(given.game, given.positions, given.visits)
    print("parameters of networks of width 64, whole actions -> split ones")
    print(json.dumps({"searches": searches, "networks": compare_networks()}))


if __name__ == "__main__":
    main()
