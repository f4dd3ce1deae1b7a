"""How large the networks are, against the number of hidden states and the number of actions.

All heads are counted: P, V and Vc over an information set, H and Vc over a SAMPLE node. Weights
that read the inputs are counted apart: their number is that of the game's own tensor, for H also
that of the pieces drawn so far. Outputs must grow like the logarithm of the number of hidden
states, or slower: pieces are drawn one by one, and an output is as wide as one piece. The same for
the number of actions, where these are split into sub-actions. The exponent beside each family is
that of the best power law in the logarithm: 1 is proportional to it, 0 is constant. Writes
`memory.json` and `memory.png`, and prints tables in Markdown.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.splitting import AnySizes
from benchmarks.stored import RESULTS, write_record
from exploitability.curve import OTHER_COLOURS, OUR_COLOURS
from nash_ismcts_spiel.games import support, tensors
from nash_ismcts_spiel.games.splitting import SplitActions, mixed_radix
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.nets import Sizes, make_networks

WIDTH = 64
BYTES = 4
GOOFSPIEL = "goofspiel(num_cards={n},imp_info=True,points_order=descending,players=2)"
BATTLESHIP = (
    "battleship(board_width=8,board_height=8,ship_sizes=[{sizes}],ship_values=[{values}],"
    "num_shots=20,allow_repeated_shots=False)"
)


def bits(number: int) -> float:
    """The logarithm to base 2."""
    return math.log2(number)


def _battleship(ships: int) -> str:
    sizes = ";".join(["3"] * ships)
    return BATTLESHIP.format(sizes=sizes, values=";".join(["1"] * ships))


@dataclasses.dataclass(frozen=True, slots=True)
class Family:
    """Games that differ in how much is hidden.

    Attributes:
      hidden: what is hidden from a player.
      steps: the sizes.
      name: the game of a size.
      states: number of hidden states of that game.
    """

    hidden: str
    steps: Sequence[int]
    name: Callable[[int], str]
    states: Callable[[int], int]


FAMILIES: Mapping[str, Family] = {
    "liars_dice": Family(
        "n dice of the opponent",
        (1, 2, 4, 8, 16),
        lambda n: f"liars_dice(numdice={n})",
        lambda n: 6**n,
    ),
    "goofspiel": Family(
        "n bids of the opponent",
        (4, 6, 8, 13, 20),
        lambda n: GOOFSPIEL.format(n=n),
        math.factorial,
    ),
    "dark_hex": Family(
        "stones on half of n x n cells",
        (3, 4, 5, 7, 9, 11),
        lambda n: f"dark_hex(board_size={n})",
        lambda n: math.comb(n * n, n * n // 2),
    ),
    "phantom_go": Family(
        "stones on half of n x n points",
        (3, 5, 7, 9, 13),
        lambda n: f"phantom_go(board_size={n})",
        lambda n: math.comb(n * n, n * n // 2),
    ),
    "battleship": Family(
        "n ships on 8 x 8 cells",
        (1, 2, 3, 4, 6),
        _battleship,
        lambda n: (2 * 8 * 6) ** n,
    ),
}
ACTION_GAMES = (
    "leduc_poker",
    "liars_dice(numdice=5)",
    "battleship",
    "dark_chess",
    "backgammon",
    "shogi",
    "dou_dizhu",
    "colored_trails",
)


def sizes_of(name: str, split: SplitActions = "never") -> Sizes:
    """What a game asks of networks."""
    return tensors.Tensors(support(name), split_actions=split)


def counts(sizes: Sizes) -> dict[str, int]:
    """Parameters: what reads the inputs of information sets and of pieces, and all that follows."""
    networks = dict(make_networks(sizes, NetworkConfig(width=WIDTH), seed=0).named_children())
    total = sum(p.numel() for net in networks.values() for p in net.parameters())
    pieces = (sizes.sample_inputs - sizes.set_inputs) * WIDTH
    inputs = sum(net.into.weight.numel() for net in networks.values())
    outputs = sum(sum(p.numel() for p in net.out[-1].parameters()) for net in networks.values())
    return {
        "inputs of sets": inputs - pieces,
        "inputs of pieces": pieces,
        "outputs": outputs,
        "after the inputs": total - inputs,
        "bytes": BYTES * total,
    }


def exponent(logarithms: Sequence[float], parameters: Sequence[int]) -> float:
    """Of the best power law of the outputs in the logarithm."""
    slope, _ = np.polyfit(np.log(logarithms), np.log(parameters), 1)
    return float(slope)


def by_hidden_states() -> dict[str, Any]:
    """All families."""
    found: dict[str, Any] = {}
    for family, games in FAMILIES.items():
        rows = []
        for step in games.steps:
            size = bits(games.states(step))
            sizes = sizes_of(games.name(step))
            rows.append({"n": step, "bits": size, **counts(sizes)})
        outputs = [row["outputs"] for row in rows]
        power = exponent([row["bits"] for row in rows], [int(count) for count in outputs])
        found[family] = {"hidden": games.hidden, "rows": rows, "exponent": power}
    return found


def by_actions() -> dict[str, Any]:
    """Games, and action spaces of any size; whole actions, and split ones."""
    tensors.MOST_PIECES = sys.maxsize  # to see what whole actions would take
    games, growth = {}, []
    for name in ACTION_GAMES:
        actions = support(name).pyspiel_game.num_distinct_actions()
        whole, parts = (counts(sizes_of(name, split=split)) for split in ("never", "always"))
        games[name] = {"actions": actions, "whole": whole, "split": parts}
    for digits in range(1, 9):
        widths = (10**digits, mixed_radix(10**digits).vocabulary)
        outputs = []
        for width in widths:
            # Outputs as `make_networks` has them, which would not fit for the largest ones.
            of_heads = width + (1 + width) + (width + width + 4 * (width + width))
            outputs.append((WIDTH + 1) * of_heads)
        growth.append({"actions": 10**digits, "whole": outputs[0], "split": outputs[1]})
    check = counts(AnySizes(10, 10, 100, 100))["outputs"]
    assert check == growth[1]["whole"], "outputs are counted as they are made"
    logarithms = [math.log2(row["actions"]) for row in growth]
    power = exponent(logarithms, [row["split"] for row in growth])
    return {"games": games, "growth": growth, "exponent": power}


def draw(results: dict[str, Any], path: Path) -> None:
    """Outputs against both logarithms."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    colours = itertools.cycle((*OUR_COLOURS, *OTHER_COLOURS))
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4))
    for family, found in results["hidden"].items():
        across = [row["bits"] for row in found["rows"]]
        left.plot(
            across,
            [row["outputs"] for row in found["rows"]],
            "o-",
            label=family,
            ms=4,
            color=next(colours),
        )
    left.set(xscale="log", yscale="log", xlabel="log2 of the number of hidden states")
    left.set(ylabel=f"parameters of all outputs, width {WIDTH}")
    left.legend(fontsize=8)
    growth = results["actions"]["growth"]
    actions = [row["actions"] for row in growth]
    games = results["actions"]["games"].values()
    for kind, color in zip(("whole", "split"), OUR_COLOURS, strict=False):
        label, drawn = f"{kind} actions", [row[kind] for row in growth]
        right.plot(actions, drawn, "o-", label=label, ms=4, color=color)
        drawn = [game[kind]["outputs"] for game in games]
        right.plot([game["actions"] for game in games], drawn, "x", ms=6, color=color)
    right.set(xscale="log", yscale="log", xlabel="number of actions (x: games)")
    right.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=90)


def report(results: dict[str, Any]) -> str:
    """Tables in Markdown."""
    lines = [
        "| game | hidden | n | hidden states | inputs of sets | inputs of pieces | outputs "
        "| outputs per bit | exponent |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for family, found in results["hidden"].items():
        for row in (found["rows"][0], found["rows"][len(found["rows"]) // 2], found["rows"][-1]):
            numbers = [row[key] for key in ("inputs of sets", "inputs of pieces", "outputs")]
            cells = [family, found["hidden"], row["n"], f"2^{row['bits']:.1f}"]
            cells += [f"{number:,}" for number in numbers]
            cells += [f"{row['outputs'] / row['bits']:,.0f}", f"{found['exponent']:.2f}"]
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    lines += ["", "| game | actions | outputs, whole | outputs, split |", "|---|---|---|---|"]
    for name, found in results["actions"]["games"].items():
        cells = [name, *(f"{n:,}" for n in (found["actions"], found["whole"]["outputs"]))]
        lines.append("| " + " | ".join([*cells, f"{found['split']['outputs']:,}"]) + " |")
    for row in results["actions"]["growth"]:
        cells = ["any", *(f"{row[key]:,}" for key in ("actions", "whole", "split"))]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Counts, draws and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS / "network_memory")
    parser.add_argument("--page", action="store_true", help="draw what is stored")
    given = parser.parse_args(arguments)
    if given.page:
        draw(json.loads((given.out / "memory.json").read_text()), given.out / "memory.png")
        return
    given.out.mkdir(parents=True, exist_ok=True)
    results = {"width": WIDTH, "hidden": by_hidden_states(), "actions": by_actions()}
    write_record(given.out / "memory.json", results)
    draw(results, given.out / "memory.png")
    print(report(results))


if __name__ == "__main__":
    main()
