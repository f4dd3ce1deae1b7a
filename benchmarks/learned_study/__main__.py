"""Runs the study of training and search with learned models, and writes its report.

Records go to OUT/learned/*.json, plots beside them, the report to OUT/learned.md. A part whose
records are there is not run again unless it is named by --parts. Everything on one core per task.
Two parts are made by commands of their own, `benchmarks.learned_against_peers` and
`benchmarks.large_games`, with --out in the same folder; the report takes up what is there.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.exact_study.tasks import Record, run_all
from benchmarks.learned_study import report, tasks
from benchmarks.stored import RESULTS, presets_section, stored_settings, write_record
from nash_ismcts_spiel.learning import TrainingConfig

PARTS = {"curves": tasks.curve_tasks}
COMMAND = "python -m benchmarks.learned_study"
PEERS = "peers.json"
LARGE = "large_games.json"


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs what is missing and writes the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", nargs="*", choices=list(PARTS), default=[], help="run again")
    parser.add_argument("--jobs", type=int, default=2, help="tasks at a time (default 2)")
    parser.add_argument("--out", type=Path, default=RESULTS, help="default docs/results")
    parser.add_argument("--quick", action="store_true", help="a fraction of the time, to try it")
    options = parser.parse_args(arguments)
    folder = options.out / "learned"
    folder.mkdir(parents=True, exist_ok=True)
    records: dict[str, list[Record]] = {}
    measured = False
    for part, make_tasks in PARTS.items():
        path = folder / f"{part}.json"
        if part in options.parts or not path.exists():
            measured = True
            found = run_all(make_tasks(options.quick), options.jobs, part)
            write_record(path, {"command": COMMAND, "records": found})
        records[part] = json.loads(path.read_text())["records"]
    settings = stored_settings(folder / "settings.json", measured, _settings())
    text = _report(records, folder, settings)
    (options.out / "learned.md").write_text(text, encoding="utf-8")


def _settings() -> dict[str, Any]:
    """What is measured now is measured with these."""
    return {
        "versions": f"Python {platform.python_version()}, OpenSpiel "
        f"{metadata.version('open_spiel')}, torch {metadata.version('torch')}, numpy "
        f"{metadata.version('numpy')}",
        "presets": {
            "The default preset": TrainingConfig.preset().to_dict(),
            "The preset `large`": TrainingConfig.preset("large").to_dict(),
        },
    }


def _report(records: dict[str, list[Record]], folder: Path, settings: dict[str, Any]) -> str:
    findings, peers, large = (folder / name for name in ("findings.md", PEERS, LARGE))
    earlier = folder / "earlier.md"  # what was tried once, with settings that are gone
    sections = [
        "# Nash-ISMCTS with learned models",
        f"Made by `{COMMAND}`. Exploitability is NashConv / 2 in the game's utility units, times "
        "are CPU seconds of one core, seeds are 0, 1 and 2. P, V and H are torch networks that "
        "learn from self-play; nothing but the rules is given.",
        f"{settings['versions']}.",
        findings.read_text(encoding="utf-8").strip() if findings.exists() else "",
        "## Training",
        "The default preset on every game; P is the policy network.",
        report.curves_section(records["curves"], folder),
        earlier.read_text(encoding="utf-8").strip() if earlier.exists() else "",
        "## Search at play time",
        "Round the policies trained above, with the networks' own models and with exact models "
        "of P. A bot is a mixture over its searches: each cell is the exploitability of the mean "
        "policy of many searches and, in brackets, its ratio to P's.",
        report.play_section(records["curves"]),
    ]
    if peers.exists():
        sections += ["## Deep CFR and NFSP", report.peers_section(json.loads(peers.read_text()))]
    if large.exists():
        stored = json.loads(large.read_text())
        sections += ["## Games that are not enumerated", report.large_section(stored, folder)]
    sections += ["## Settings", presets_section(settings)]
    return "\n\n".join(section for section in sections if section) + "\n"


if __name__ == "__main__":
    main()
