"""The page docs/tuning.md from the records of `benchmarks.tuning`: tables, verdicts, figures.

A figure in a table is the median over seeds, with the lowest and the highest in brackets. It is
bold where all seeds are below all seeds of the default, in italics where all are above. The words
are those of `tuning.md.j2`.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from exploitability.curve import OTHER_COLOURS, OUR_COLOURS, Curve, draw_curves

Record = dict[str, Any]
Changes = Mapping[str, Any]
COLOURS = (*OUR_COLOURS, OTHER_COLOURS[0])
DRAWN = ("dispersion_radius", "root_rule", "lcb_width", "c_puct")
"""Knobs with a panel of their own."""


class Records:
    """What was measured, by what was asked."""

    def __init__(self, folder: Path, knobs: Mapping[str, Any], trainings: Mapping[str, Any]):
        """Reads all records of a folder."""
        names = ("search", "setting", "seconds", "reuse", "training")
        found = {n: json.loads((folder / f"{n}.json").read_text("utf-8")) for n in names}
        self.setting, self.seconds, self.reuse = found["setting"], found["seconds"], found["reuse"]
        self.knobs, self.trainings = knobs, trainings
        self._search = {_key(r["situation"], r["changes"], r["visits"]): r for r in found["search"]}
        self._training: dict[str, list[Record]] = {}
        for record in found["training"]:
            self._training.setdefault(json.dumps(record["settings"]), []).append(record)

    def columns(self, knob: str) -> list[tuple[str, int]]:
        """Situations and visits at which a knob was turned."""
        asked = self.knobs[knob]
        changes = next(iter(asked.values.values()))
        places = [(situation, visits) for situation in asked.situations for visits in asked.visits]
        return [place for place in places if self.seeds(place, changes)]

    def seeds(self, place: tuple[str, int], changes: Changes) -> list[float]:
        """Exploitability, seed by seed; nothing if it was not measured."""
        record = self._search.get(_key(place[0], changes, place[1]))
        return [] if record is None else list(record["exploitability"])

    def runs(self, settings: Changes) -> list[Record]:
        """Trainings with these settings."""
        return self._training.get(json.dumps(settings), [])

    def trained(self, settings: Changes) -> list[float]:
        """Exploitability of P at the end, by OpenSpiel's tool, seed by seed."""
        return [record["openspiel"] for record in self.runs(settings)]


def default_of(values: Iterable[Changes]) -> Changes:
    """The default among the values of a knob: it changes nothing but the preset."""
    return next((changes for changes in values if not changes.keys() - {"preset"}), {})


def table(records: Records, knob: str) -> str:
    """Values of a knob by situations and visits."""
    values, columns = records.knobs[knob].values, records.columns(knob)
    usual = default_of(values.values())
    rows = []
    for label, changes in values.items():
        cells = [
            _cell(records.seeds(place, changes), records.seeds(place, usual)) for place in columns
        ]
        rows.append([f"{label} (default)" if changes == usual else label, *cells])
    return _markdown([f"`{knob}`", *(f"{s}, {visits:,}" for s, visits in columns)], rows)


def by_visits(records: Records) -> str:
    """Presets by visits, a block of rows for each situation."""
    columns = records.columns("visits")
    budgets = list(dict.fromkeys(visits for _, visits in columns))
    rows = []
    for situation in dict.fromkeys(situation for situation, _ in columns):
        for label, changes in records.knobs["visits"].values.items():
            cells = [_cell(records.seeds((situation, visits), changes), []) for visits in budgets]
            rows.append([situation, f"`{label}`", *cells])
    return _markdown(["", "preset", *(f"{visits:,} visits" for visits in budgets)], rows)


def verdict(records: Records, knob: str) -> str:
    """Where a value differs from the default beyond the spread of seeds, in words."""
    values, columns = records.knobs[knob].values, records.columns(knob)
    usual = default_of(values.values())
    said, alike = [], []
    for label, changes in values.items():
        if changes == usual:
            continue
        found: dict[str, dict[str, list[str]]] = {"better": {}, "worse": {}, "": {}}
        for situation, visits in columns:
            place = situation, visits
            how = compared(records.seeds(place, changes), records.seeds(place, usual))
            found[how].setdefault(situation, []).append(f"{visits:,}")
        told = [f"{how} in {_places(found[how])}" for how in ("better", "worse") if found[how]]
        if told:
            said.append(f"- `{label}` is {'; '.join(told)}.")
        else:
            alike.append(f"`{label}`")
    if alike:
        said.append(f"- No difference beyond the spread of seeds: {', '.join(alike)}.")
    return "Beside the default (visits in brackets):\n\n" + "\n".join(said)


def trainings_table(records: Records) -> str:
    """Exploitability of P after training, by knob and value."""
    usual, rows = records.trained({}), []
    for knob, values in records.trainings.items():
        for label, changes in values.items():
            runs = records.runs(changes)
            if runs:
                default = "" if changes else " (default)"
                generations = statistics.median(run["points"][-1][1] for run in runs)
                cell = _cell(records.trained(changes), usual)
                rows.append([f"`{knob}`", label + default, cell, f"{generations:,.0f}"])
    return _markdown(["setting", "value", "exploitability of P", "generations"], rows)


def seconds_table(records: Records) -> str:
    """Exploitability by wall time per move."""
    rows = [
        [r["situation"], f"{1000 * r['seconds']:g} ms", f"{r['median_visits']:,.0f}",
         _cell(r["exploitability"], [])]
        for r in records.seconds
    ]  # fmt: skip
    return _markdown(["", "time per move", "visits, median", "exploitability"], rows)


def compared(found: Sequence[float], usual: Sequence[float]) -> str:
    """Better or worse if no two seeds say otherwise, else nothing."""
    if not found or not usual:
        return ""
    return "better" if max(found) < min(usual) else "worse" if min(found) > max(usual) else ""


def draw(records: Records, images: Path) -> None:
    """The figures."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(9.0, 6.5), layout="constrained")
    for axis, knob in zip(axes.flat, DRAWN, strict=True):
        _panel(axis, records, knob)
    axes[0, 0].legend(frameon=False, fontsize=9)
    figure.supylabel("exploitability of the search policy / that of P")
    title = "The radius decides, then the root's rule. Solid: most visits; dotted: fewest"
    figure.suptitle(title, fontsize=11)
    figure.savefig(images / "tuning_search.png", dpi=100)
    plt.close(figure)
    curves = [
        Curve("default" if not changes else f"{knob} {label}",
              [p[0] for p in run["points"]], [p[2] for p in run["points"]])
        for knob, values in records.trainings.items()
        for label, changes in values.items()
        if changes or knob == "visits"
        for run in records.runs(changes)
    ]  # fmt: skip
    path = images / "tuning_training.png"
    draw_curves(path, curves, "Leduc poker, exact training", "CPU seconds", ours=["default"])


def smaller(path: Path) -> None:
    """Makes a plot a PNG with a palette, which is a third of its size."""
    from PIL import Image

    with Image.open(path) as image:
        reduced = image.convert("RGB").quantize(64)
    reduced.save(path, optimize=True)


def write(results: Path, knobs: Mapping[str, Any], trainings: Mapping[str, Any]) -> Path:
    """Writes page and figures beside the folder of results; returns the page's path."""
    records = Records(results / "tuning", knobs, trainings)
    images = results.parent / "images"
    images.mkdir(parents=True, exist_ok=True)
    draw(records, images)
    for path in images.glob("tuning_*.png"):
        smaller(path)
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    environment = jinja2.Environment(loader=loader, undefined=jinja2.StrictUndefined)
    text = environment.get_template("tuning.md.j2").render(
        table=lambda knob: f"{table(records, knob)}\n\n{verdict(records, knob)}",
        by_visits=by_visits(records),
        trainings=trainings_table(records),
        seconds=seconds_table(records),
        reuse=records.reuse,
        setting=records.setting,
        train_seconds=records.runs({})[0]["seconds"],
        train_seeds=len(records.runs({})),
    )
    page = results.parent / "tuning.md"
    page.write_text(text + "\n", encoding="utf-8")
    return page


def _panel(axis: Any, records: Records, knob: str) -> None:
    """Values of a knob, one beside the other; medians, and the range of seeds at most visits."""
    from matplotlib.ticker import FixedLocator, NullLocator

    columns, values = records.columns(knob), records.knobs[knob].values
    budgets = [visits for _, visits in columns]
    situations = [s for s in dict.fromkeys(s for s, _ in columns) if "rollouts" not in s]
    x = range(len(values))
    for colour, situation in zip(COLOURS, situations, strict=False):
        of_policy = records.setting["policies"][situation]
        for visits in {min(budgets), max(budgets)}:
            seeds = [records.seeds((situation, visits), changes) for changes in values.values()]
            y = [[value / of_policy for value in each] for each in seeds]
            most = visits == max(budgets)
            if most:
                low, high = [min(v) for v in y], [max(v) for v in y]
                axis.fill_between(x, low, high, color=colour, alpha=0.15)
            axis.plot(
                x, [statistics.median(v) for v in y], "-" if most else ":", marker="o",
                markersize=4, color=colour, label=situation if most else None,
            )  # fmt: skip
    axis.axhline(1.0, color="gray", linestyle="--", linewidth=1)
    axis.set(xlabel=knob, yscale="log")
    axis.yaxis.set_major_locator(FixedLocator([0.7, 1, 1.5, 2, 3, 5, 10, 20, 50]))
    axis.yaxis.set_major_formatter("{x:g}")
    axis.yaxis.set_minor_locator(NullLocator())
    axis.set_xticks(list(x), list(values))
    axis.grid(alpha=0.3)


def _places(found: Mapping[str, Sequence[str]]) -> str:
    return " and ".join(f"{title} ({', '.join(visits)})" for title, visits in found.items())


def _cell(found: Sequence[float], usual: Sequence[float]) -> str:
    if not found:
        return "-"
    text = f"{statistics.median(found):.4f} ({min(found):.4f} to {max(found):.4f})"
    mark = {"better": "**", "worse": "*"}.get(compared(found, usual), "")
    return f"{mark}{text}{mark}"


def _markdown(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _key(situation: str, changes: Changes, visits: int) -> tuple[str, str, int]:
    return situation, json.dumps(changes), visits
