"""How a training comes on, while it runs: a curve in a notebook, plain lines elsewhere.

Exploitability is NashConv / number of players, over wall seconds spent on generations.
"""

from __future__ import annotations

import base64
import html
import importlib.util
import io
import sys
import time
from collections.abc import Sequence
from typing import Any

from nash_ismcts_spiel.runs.metrics import Metrics


def in_notebook() -> bool:
    """Whether a notebook shows what is displayed; IPython is asked only if it is there already."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and getattr(shell, "kernel", None) is not None


def in_words(metrics: Metrics) -> str:
    """A measured generation in one line."""
    text = f"generation {metrics.generation:,}, {metrics.wall_seconds:.1f} s: "
    if metrics.exploitability_average is not None:
        return f"{text}exploitability {metrics.exploitability_average:.5f}"
    found = {name: value for name, value in metrics.figures.items() if name.startswith("loss_")}
    return text + ", ".join(f"{name.replace('_', ' ')} {v:.4f}" for name, v in found.items())


class Live:
    """Shows measured generations as they come."""

    def __init__(self, title: str, measured: Sequence[Metrics] = (), every: float = 1.0) -> None:
        """Starts with what was measured before; shows something new at most once in `every` s."""
        self._title = title
        self._measured = list(measured)
        self._every = every
        self._shown = -every
        self._pending = False
        self._handle: Any = None

    def add(self, metrics: Metrics) -> None:
        """Another generation was measured."""
        self._measured.append(metrics)
        self._pending = True
        if time.monotonic() - self._shown >= self._every:
            self._show()

    def close(self) -> None:
        """Shows what was measured last."""
        if self._pending:
            self._show()

    def _show(self) -> None:
        self._shown, self._pending = time.monotonic(), False
        if not in_notebook():
            print(in_words(self._measured[-1]), file=sys.stderr, flush=True)
            return
        from IPython import display

        shown = display.HTML(curve_html(self._title, self._measured))
        if self._handle is None:
            self._handle = display.display(shown, display_id=True)
        else:
            self._handle.update(shown)


def curve_html(title: str, measured: Sequence[Metrics]) -> str:
    """The last line in words, and the curve above it where there is one and matplotlib."""
    below = f"<p>{html.escape(f'{title}: {in_words(measured[-1])}' if measured else title)}</p>"
    points = [
        (metrics.wall_seconds, metrics.exploitability_average)
        for metrics in measured
        if metrics.exploitability_average is not None and metrics.wall_seconds > 0.0
    ]
    if len(points) < 2 or importlib.util.find_spec("matplotlib") is None:
        return below
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 3.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.loglog(*zip(*points, strict=True), color="#0072B2", linewidth=2.0)
    axes.set(xlabel="wall seconds", ylabel="exploitability")
    axes.grid(visible=True, alpha=0.3)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=90)
    drawn = base64.b64encode(content.getvalue()).decode()
    return (
        f'<img alt="exploitability over wall seconds" src="data:image/png;base64,{drawn}">{below}'
    )
