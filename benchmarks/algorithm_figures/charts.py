"""Charts of docs/algorithm.md: each takes what was measured and saves one PNG.

Drawn narrow and with large letters, to be read at the width of a phone. Colours are those of Okabe
and Ito; utilities are in the game's units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from benchmarks.algorithm_figures.cases import Piece
from exploitability.curve import OTHER_COLOURS, OUR_COLOURS, Curve, spread_at_points
from nash_ismcts_spiel.search import SearchResult
from nash_ismcts_spiel.search.dispersion import dispersed

BLUE, VERMILION, GREEN = OUR_COLOURS
ORANGE, SKY, PURPLE, BLACK, _ = OTHER_COLOURS
WIDTH = 5.2
_DPI = 150
_STYLE: dict[Any, Any] = {
    "font.size": 11,
    "axes.titlesize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def new_figure(height: float, layout: Literal["constrained"] | None = "constrained") -> Figure:
    """An empty figure of the common width, in inches."""
    matplotlib.rcParams.update(_STYLE)
    return Figure(figsize=(WIDTH, height), layout=layout)


def save(figure: Figure, path: Path) -> None:
    """Saves a figure with as few colours as it needs, which makes it small."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=_DPI)
    with Image.open(path) as drawn:
        drawn.convert("RGB").quantize(64).save(path, optimize=True)


def collapse(
    path: Path, of_policy: float, runs: Mapping[float, Sequence[Mapping[int, float]]]
) -> None:
    """Exploitability against visits, by radius: the median over seeds, and their range.

    Args:
      path: where to.
      of_policy: exploitability of P itself.
      runs: by radius, for each seed the exploitability by visits.
    """
    figure = new_figure(3.9)
    axes = figure.subplots()
    colours = (VERMILION, ORANGE, BLUE, GREEN)
    for colour, marker, (radius, seeds) in zip(colours, "osD^", runs.items(), strict=True):
        curves = [Curve("", list(seed), list(seed.values())) for seed in seeds]
        found = spread_at_points(curves)
        axes.plot(found.x, found.median, color=colour, marker=marker, label=f"radius {radius:g}")
        axes.fill_between(found.x, found.lowest, found.highest, color=colour, alpha=0.15, lw=0)
    axes.axhline(of_policy, color="grey", linestyle="--", label="P, no search")
    axes.set(xscale="log", yscale="log", xlabel="visits of each search")
    axes.set(ylabel="exploitability (NashConv / 2)", ylim=(0.005, 1.6))
    axes.set_title("Kuhn poker: more search, more exploitable at radius 0", loc="left")
    _legend(figure, axes, 3)
    save(figure, path)


def chain(path: Path, pieces: Sequence[Piece]) -> None:
    """Beliefs at each SAMPLE node of a chain, the model's beside exact ones."""
    figure = new_figure(4.6)
    rows: Any = [[".", "first", "first", "first", "first", "."], ["1", "1", "2", "2", "3", "3"]]
    panels = figure.subplot_mosaic(rows, sharey=True)
    for axes, piece in zip(panels.values(), pieces, strict=True):
        places = np.arange(len(piece.model))
        axes.bar(places - 0.2, piece.model, 0.38, color=BLUE, label="h, the network's")
        axes.bar(places + 0.2, piece.bayes, 0.38, color=ORANGE, label="Bayes' rule")
        distance = sum(abs(a - b) for a, b in zip(piece.model, piece.bayes, strict=True))
        axes.set_xticks(places, [str(place + 1) for place in places])
        given = f"second, after a {piece.drawn[0]}" if piece.drawn else "first die"
        axes.set_title(f"{given}\nL1 distance {distance:.2f}", fontsize=10)
    for name in ("first", "1"):
        panels[name].set_ylabel("probability")
        panels[name].tick_params(labelleft=True)
    _legend(figure, panels["first"], 2)
    save(figure, path)


def ball(
    path: Path, beliefs: Sequence[float], values: Mapping[str, Sequence[float]], marked: float
) -> None:
    """The interval of each action as a function of the radius.

    Args:
      path: where to.
      beliefs: h over hidden cards.
      values: by action, the value of each card.
      marked: a radius to mark.
    """
    figure = new_figure(3.7)
    axes = figure.subplots()
    radii = np.linspace(0.0, 2.0, 401)
    for colour, (action, cards) in zip((BLUE, VERMILION), values.items(), strict=True):
        ends = np.array([dispersed(beliefs, cards, cards, radius) for radius in radii])
        axes.fill_between(radii, ends[:, 0], ends[:, 1], color=colour, alpha=0.25, lw=0)
        axes.plot(radii, ends, color=colour, lw=1.5)
        axes.text(1.98, ends[-1, 1] + 0.06, f"{action}: best card", color=colour, ha="right")
        axes.text(1.98, ends[-1, 0] - 0.06, "worst card", color=colour, ha="right", va="top")
    axes.axvline(marked, color="grey", linestyle="--", lw=1)
    axes.text(marked + 0.03, 0.62, f"radius {marked:g}", color="grey")
    axes.set(xlabel="radius of the ball (L1)", ylabel="expected value", ylim=(-2.1, 1.1))
    axes.set_title("Intervals of call and raise with a jack", loc="left")
    save(figure, path)


def soft_ties(path: Path, share: float, reach: float, temperatures: Mapping[int, float]) -> None:
    """How often the second of two actions is played, by how much better it is.

    Args:
      path: where to.
      share: what P gives it.
      reach: difference of values, in chips, up to which intervals overlap.
      temperatures: of soft ties, in chips, by visits.
    """
    figure = new_figure(3.9)
    axes = figure.subplots()
    better = np.linspace(-3.0, 3.0, 601)
    hard = np.where(better > reach, 1.0, np.where(better < -reach, 0.0, share))
    axes.plot(better, hard, color=BLACK, label="intervals, radius 0.2")
    colours = (SKY, BLUE, VERMILION)
    for colour, (visits, temperature) in zip(colours, temperatures.items(), strict=True):
        odds = share / (1.0 - share) * np.exp(better / temperature)
        label = f"alpha {temperature:.2f} ({visits:,} visits)"
        axes.plot(better, odds / (1.0 + odds), color=colour, label=label)
    axes.axhline(share, color="grey", linestyle="--", lw=1)
    axes.set(xlabel="Q(raise) - Q(call), in chips", ylabel="probability of the raise")
    axes.set_title("Ties of intervals, and soft ties", loc="left")
    _legend(figure, axes, 2)
    save(figure, path)


def intervals(
    path: Path, found: Mapping[float, Mapping[int, SearchResult]], actions: Sequence[str]
) -> None:
    """Q intervals of the actions of one node, by radius and visits, with the root's policy.

    Args:
      path: where to.
      found: searches of one information set, by radius and visits.
      actions: names of its actions.
    """
    figure = new_figure(4.4)
    panels = figure.subplots(len(found), 1, sharex=True)
    colours = (BLUE, VERMILION, GREEN)
    for axes, (radius, searches) in zip(panels, found.items(), strict=True):
        ticks: list[str] = []
        for row, (visits, result) in enumerate(searches.items()):
            policy = " / ".join(f"{share:.2f}" for share in result.policy)
            mixed = result.mixed_count / sum(result.visits)
            ticks.append(f"{visits:,} visits\n{mixed:.1%} mixed")
            for number, value in enumerate(result.q):
                height = row + 0.18 * (2 * number - 1)
                _bar(axes, value.low, value.high, height, colours[number])
            axes.text(0.62, row, policy, ha="right", va="center")
        axes.set_yticks(range(len(ticks)), ticks)
        axes.set(ylim=(len(ticks) - 0.5, -0.6), xlim=(-0.95, 0.65))
        axes.grid(axis="x", alpha=0.3)
        axes.set_title(f"radius {radius:g}", loc="left")
        axes.set_title("policy", loc="right", fontsize=10)
    panels[-1].set_xlabel("Q after the action, in chips")
    handles = [
        axes.plot([], [], color=colour, lw=7, label=name)[0]
        for colour, name in zip(colours, actions, strict=False)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    save(figure, path)


def _legend(figure: Figure, axes: Any, columns: int) -> None:
    """The labels of some axes, below all of them."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)


def _bar(axes: Any, low: float, high: float, height: float, colour: str) -> None:
    """An interval; a point where it has no width."""
    if high - low > 1e-9:
        axes.plot([low, high], [height, height], color=colour, lw=7, solid_capstyle="butt")
    else:
        axes.plot([low], [height], color=colour, marker="D", markersize=7)


def learning(path: Path, runs: Mapping[str, Sequence[Curve]]) -> None:
    """Exploitability of P against CPU seconds: medians over seeds, and their range.

    Runs of one label have as many points, measured at nearly the same times.
    """
    figure = new_figure(3.8)
    axes = figure.subplots()
    looks = ((BLUE, "-", 2.6), (VERMILION, "-", 2.6), (BLACK, "--", 1.2), (PURPLE, ":", 1.6))
    for (colour, dash, width), (label, curves) in zip(looks, runs.items(), strict=True):
        seconds = np.median([curve.x for curve in curves], axis=0)
        found = np.array([curve.y for curve in curves])
        middle, low, high = np.median(found, axis=0), found.min(axis=0), found.max(axis=0)
        axes.plot(seconds, middle, dash, color=colour, lw=width, label=label)
        axes.fill_between(seconds, low, high, color=colour, alpha=0.15, lw=0)
    axes.set(xscale="log", yscale="log", xlabel="CPU seconds")
    axes.set_ylabel("exploitability (NashConv / 2)")
    axes.grid(alpha=0.3)
    axes.set_title("Leduc poker: what P is worth while it is learned", loc="left")
    _legend(figure, axes, 2)
    save(figure, path)
