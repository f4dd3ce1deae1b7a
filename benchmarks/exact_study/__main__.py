"""Runs the study of training and search with exact models, and writes its report.

Records go to OUT/exact/*.json, plots beside them, the report to OUT/exact.md. A part whose records
are there is not run again unless it is named by --parts; with --games, only the curves of these
games are. Everything on one core per task.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.exact_study import parts, report
from benchmarks.exact_study.tasks import Record, Task, run_all
from benchmarks.stored import RESULTS, presets_section, stored_settings, write_record
from nash_ismcts_spiel.learning import TrainingConfig

PARTS = ("curves", "ablations", "collapse")
COMMAND = "python -m benchmarks.exact_study"


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs what is missing and writes the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=[], help="run these again")
    parser.add_argument(
        "--games", nargs="*", choices=list(parts.TARGETS), default=[], help="only these games"
    )
    parser.add_argument("--jobs", type=int, default=2, help="tasks at a time (default 2)")
    parser.add_argument("--out", type=Path, default=RESULTS, help="default docs/results")
    parser.add_argument("--quick", action="store_true", help="a fraction of the time, to try it")
    options = parser.parse_args(arguments)
    folder = options.out / "exact"
    folder.mkdir(parents=True, exist_ok=True)
    records: dict[str, list[Record]] = {}
    measured = False
    for part in PARTS:
        path = folder / f"{part}.json"
        if part in options.parts or not path.exists():
            measured = True
            tasks = _tasks(part, options.quick)
            kept: list[Record] = []
            if part == "curves" and options.games:
                tasks = [task for task in tasks if task[1]["game"] in options.games]
                stored = json.loads(path.read_text())["records"] if path.exists() else []
                kept = [record for record in stored if record["game"] not in options.games]
            found = kept + run_all(tasks, options.jobs, part)
            write_record(path, {"command": COMMAND, "records": found})
        records[part] = json.loads(path.read_text())["records"]
    settings = stored_settings(folder / "settings.json", measured, _settings())
    text = _report(records, folder, settings)
    (options.out / "exact.md").write_text(text, encoding="utf-8")


def _settings() -> dict[str, Any]:
    """What is measured now is measured with these."""
    return {
        "versions": f"Python {platform.python_version()}, OpenSpiel "
        f"{metadata.version('open_spiel')}, numpy {metadata.version('numpy')}",
        "presets": {
            "The default preset": TrainingConfig.preset().to_dict(),
        },
    }


def _tasks(part: str, quick: bool) -> list[Task]:
    if part == "curves":
        return parts.curve_tasks(quick)
    if part == "ablations":
        return parts.ablation_tasks(quick)
    return parts.collapse_tasks(quick)


def _report(records: dict[str, list[Record]], folder: Path, settings: dict[str, Any]) -> str:
    findings = folder / "findings.md"
    sections = [
        "# Nash-ISMCTS with exact models",
        f"Made by `{COMMAND}`. Exploitability is NashConv / 2 in the game's utility units, times "
        "are CPU seconds of one core, seeds are 0, 1 and 2. Search, H and V are exact for the "
        "current average policy P, so nothing here depends on function approximation.",
        f"{settings['versions']}.",
        findings.read_text(encoding="utf-8").strip() if findings.exists() else "",
        "## Training",
        "The default preset on every game. The second table gives all methods the same time, "
        "OpenSpiel's C++ solvers in the same run: their average policies, medians over seeds where "
        "they draw.",
        report.curves_section(records["curves"], folder),
        "## Policy collapse",
        report.collapse_section(records["collapse"], folder),
        "## Ablations",
        "One thing is changed at a time; exploitability of P, median and all seeds.",
        report.ablation_section(records["ablations"]),
        "## Settings",
        presets_section(settings),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


if __name__ == "__main__":
    main()
