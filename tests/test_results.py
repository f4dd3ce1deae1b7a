"""What docs/results holds: short names, small files, links that lead somewhere, and its makers."""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from benchmarks import results, soak, stored

DOCS = Path(__file__).parents[1] / "docs"
FILES = [path for path in DOCS.rglob("*") if path.is_file() and path.name != "writer.lock"]


def test_names_are_short_and_plots_are_small() -> None:
    assert len(FILES) > 100
    for path in FILES:
        assert len(path.name) <= 40, path
        assert path.suffix != ".svg" or len(path.read_bytes()) < 20_000, path
        if path.suffix == ".json":
            text = path.read_text()
            assert len(text.splitlines()) < 2_000, path


def test_links_lead_to_files() -> None:
    found = 0
    for page in DOCS.rglob("*.md"):
        for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text()):
            if page.name == "findings.md":  # which becomes part of the page above it
                continue
            assert (page.parent / target).exists(), f"{page.name}: {target}"
            found += 1
    assert found > 30


def test_every_page_has_a_maker() -> None:
    pages = {path.name for path in (DOCS / "results").glob("*.md")} - {"index.md"}
    made = {part.page for part in results.PARTS.values()}
    assert pages == {page for page in made if "/" not in page}
    assert all((DOCS / "results" / page).exists() for page in made)
    index = (DOCS / "results" / "index.md").read_text()
    assert pages == set(re.findall(r"^\| \[(\w+\.md)\]\(\1\) \|", index, re.M))
    for part in results.PARTS.values():
        for text in (*part.stored, *part.measured, *part.quick):
            assert importlib.util.find_spec(shlex.split(text)[0]) is not None, text


def test_parts_are_run_and_timed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[tuple[list[str], str]] = []

    def run(words: list[str], env: dict[str, str], **_: Any) -> argparse.Namespace:
        seen.append((words[2:], env[stored.VARIABLE]))
        return argparse.Namespace(returncode=int("benchmarks.soak" in words))

    monkeypatch.setattr(results.subprocess, "run", run)
    asked = ["--quick", "--only", "soak", "comparison", "--out", str(tmp_path)]
    assert results.main(asked) == 1
    shown = capsys.readouterr()
    assert re.search(r"^soak +0\.\d s  failed\ncomparison +0\.\d s$", shown.out, re.M)
    assert shown.err.endswith("failed: soak\n")
    modules = ["benchmarks.soak", "nash_ismcts_spiel.cli", "benchmarks.as_they_play"]
    assert [words[0] for words, _ in seen] == modules
    assert f"{tmp_path}/comparison" in seen[1][0] and {out for _, out in seen} == {str(tmp_path)}


def test_a_page_is_made_from_its_records(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(soak, "RESULTS", tmp_path)
    (tmp_path / "soak.json").write_text((DOCS / "results" / "soak.json").read_text())
    soak.main(["--page"])
    assert (tmp_path / "soak.md").read_text() == (DOCS / "results" / "soak.md").read_text()


def test_records_have_a_line_per_entry(tmp_path: Path) -> None:
    record = {"name": "x", "records": [{"points": list(range(200))}] * 3, "none": [], "few": [1, 2]}
    stored.write_record(tmp_path / "new" / "record.json", record)
    text = (tmp_path / "new" / "record.json").read_text()
    assert json.loads(text) == record
    assert len(text.splitlines()) == 2 + 3 + 2 + 3  # braces, plain entries, brackets, records
