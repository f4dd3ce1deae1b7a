"""Curves of exploitability: medians and ranges by hand, refusals, and that plots are written."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exploitability.curve import (
    OUR_COLOURS,
    Curve,
    draw_curves,
    spaced,
    spread,
    spread_at_points,
)

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None


def curve(x: Sequence[float], y: Sequence[float], label: str = "a") -> Curve:
    """A curve."""
    return Curve(label, x, y)


def test_median_and_range_at_common_points() -> None:
    times = [1.0, 10.0, 100.0]
    curves = [curve(times, y) for y in ([5.0, 3.0, 1.0], [4.0, 2.0, 1.5], [9.0, 2.5, 0.5])]
    found = spread(curves, points=3)
    assert found.x == pytest.approx(times)
    assert found.median.tolist() == [5.0, 2.5, 1.0]
    assert found.lowest.tolist() == [4.0, 2.0, 0.5]
    assert found.highest.tolist() == [9.0, 3.0, 1.5]


def test_the_median_of_two_curves_is_their_mean() -> None:
    found = spread([curve([1.0, 2.0], [4.0, 2.0]), curve([1.0, 2.0], [2.0, 1.0])], points=2)
    assert found.median.tolist() == [3.0, 1.5]


def test_between_measurements_the_earlier_one_holds() -> None:
    found = spread([curve([1.0, 4.0, 16.0], [3.0, 2.0, 1.0])], points=5)
    assert found.x == pytest.approx([1.0, 2.0, 4.0, 8.0, 16.0])
    assert found.median.tolist() == [3.0, 3.0, 2.0, 2.0, 1.0]


def test_of_several_measurements_at_one_time_the_last_holds() -> None:
    found = spread([curve([1.0, 1.0, 2.0, 2.0], [9.0, 5.0, 3.0, 2.0])], points=2)
    assert found.median.tolist() == [5.0, 2.0]


def test_only_where_all_curves_are_defined() -> None:
    found = spread(
        [curve([1.0, 2.0, 50.0], [9.0, 8.0, 1.0]), curve([2.0, 8.0, 20.0], [7.0, 6.0, 5.0])],
        points=10,
    )
    assert (found.x[0], found.x[-1]) == pytest.approx((2.0, 20.0))
    assert (found.lowest[0], found.highest[0]) == (7.0, 8.0)
    assert (found.lowest[-1], found.highest[-1]) == (5.0, 8.0)
    assert np.all(np.diff(found.x) > 0.0)


def test_curves_that_never_overlap_meet_in_one_point() -> None:
    found = spread([curve([1.0, 2.0], [4.0, 3.0]), curve([5.0, 6.0], [2.0, 1.0])])
    assert found.x.tolist() == [5.0]
    assert (found.lowest.tolist(), found.highest.tolist()) == ([2.0], [3.0])


def test_a_single_measurement_is_a_point() -> None:
    found = spread([curve([3.0], [0.5])])
    assert (found.x.tolist(), found.median.tolist()) == ([3.0], [0.5])


def test_a_curve_may_begin_at_zero() -> None:
    found = spread([curve([0.0, 0.0, 1.0], [3.0, 2.0, 1.0])], points=4)
    assert 0.0 < found.x[0] < 1e-3
    assert math.isclose(found.x[-1], 1.0)
    assert found.median.tolist() == [2.0, 2.0, 2.0, 1.0]


@pytest.mark.parametrize(
    "curves",
    [[], [curve([], [])], [curve([1.0], [1.0, 2.0])], [curve([1.0], [1.0]), curve([], [])]],
)
def test_curves_refused(curves: list[Curve]) -> None:
    with pytest.raises(ValueError, match="as many y as x and at least one"):
        spread(curves)


@pytest.mark.skipif(not HAS_MATPLOTLIB, reason="matplotlib is not installed")
def test_a_plot_is_saved_with_what_was_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import matplotlib.figure

    figures: list[Any] = []
    save: Any = matplotlib.figure.Figure.savefig

    def keep(figure: Any, *arguments: Any, **settings: Any) -> None:
        figures.append(figure)
        save(figure, *arguments, **settings)

    monkeypatch.setattr(matplotlib.figure.Figure, "savefig", keep)
    path = tmp_path / "new" / "curve.png"
    curves = [
        curve([0.1, 1.0], [2.0, 1.0], "ours"),
        curve([0.1, 1.0], [1.0, 0.5], "ours"),
        curve([0.2], [0.7], "theirs"),
    ]
    draw_curves(path, curves, title="kuhn", x_label="seconds", anchors={"published": 0.3})
    assert path.read_bytes().startswith(b"\x89PNG")
    (axes,) = figures[0].axes
    labels = {text.get_text(): text for text in axes.texts}
    assert labels["ours"].get_color() == OUR_COLOURS[0] != labels["theirs"].get_color()
    assert labels["ours"].get_fontweight() == "bold" != labels["theirs"].get_fontweight()
    assert (axes.get_title(loc="left"), axes.get_xlabel()) == ("kuhn", "seconds")
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    median, point, anchor = axes.get_lines()
    assert (median.get_ydata()[0], median.get_ydata()[-1]) == (1.5, 0.75)
    assert point.get_ydata().tolist() == [0.7]
    assert set(anchor.get_ydata()) == {0.3}
    assert median.get_linewidth() > point.get_linewidth()
    assert list(labels) == ["published", "ours", "theirs"]


def test_many_curves_can_be_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib.figure

    figures: list[Any] = []
    monkeypatch.setattr(matplotlib.figure.Figure, "savefig", lambda f, *_, **__: figures.append(f))
    curves = [curve([0.1, 1.0], [2.0, 1.0], str(number)) for number in range(25)]
    draw_curves(tmp_path / "many.png", curves, title="many", x_label="seconds", by_points=True)
    lines = figures[0].axes[0].get_lines()
    looks = {(line.get_color(), line.get_linestyle(), line.get_marker()) for line in lines}
    assert len(looks) == len(curves)
    places = sorted(text.xyann[1] for text in figures[0].axes[0].texts)
    assert len(places) == len(curves)
    assert np.diff(places).min() > 0.04  # in heights of the plot: labels do not cover each other


def test_labels_keep_their_order_and_distance() -> None:
    assert spaced([0.5, 0.1, 0.52], 0.1) == pytest.approx([0.5, 0.1, 0.6])
    assert spaced([1.0, 1.0, 0.2], 0.1) == pytest.approx([0.9, 1.0, 0.2])
    assert spaced([], 0.1) == []


def test_curves_at_common_points() -> None:
    curves = [curve([1.0, 10.0], [4.0, 2.0]), curve([1.0, 10.0], [3.0, 5.0])]
    found = spread_at_points(curves)
    assert found.x.tolist() == [1.0, 10.0]
    assert found.median.tolist() == [3.5, 3.5]
    assert (found.lowest.tolist(), found.highest.tolist()) == ([3.0, 2.0], [4.0, 5.0])
    with pytest.raises(ValueError, match="not measured at the same points"):
        spread_at_points([*curves, curve([1.0], [1.0])])
