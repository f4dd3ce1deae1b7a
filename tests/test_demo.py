"""`make install` tells its steps, and `make demo` leaves a page that opens without a network."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PIP = """Looking in indexes: https://packages.example/simple
Obtaining file:///somewhere
Collecting numpy>=1.26 (from nash_ismcts_spiel==0.1.0)
  Downloading numpy-2.4.6-cp311.whl.metadata (6 kB)
  Downloading https://packages.example/a/long/path/that/leads/to/it/numpy-2.4.6-cp311.whl (9 MB)
Requirement already satisfied: wheel in ./somewhere/lib/python3.11/site-packages (from x) (1.0)
  Building editable for nash_ismcts_spiel (pyproject.toml): started
Installing collected packages: absl-py, filelock, jinja2, markupsafe, numpy, open_spiel, tqdm, torch
"""
SHOWN = """Collecting numpy>=1.26 (from nash_ismcts_spiel==0.1.0)
  Downloading numpy-2.4.6-cp311.whl (9 MB)
  Building editable for nash_ismcts_spiel (pyproject.toml): started
Installing collected packages: absl-py, filelock, jinja2, markupsafe, numpy, op
"""


class Page(HTMLParser):
    """The tables of a page, its images, and all addresses in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.images: list[str] = []
        self.addresses: list[str] = []
        self._in_cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        self.addresses += [named[name] for name in ("src", "href") if name in named]
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag == "img":
            self.images.append(named["src"])
        self._in_cell = tag in ("td", "th")

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = False

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.tables[-1][-1][-1] += data


def python(*arguments: str) -> str:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, *arguments], env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_demo_leaves_one_page_with_all_that_it_showed(tmp_path: Path) -> None:
    python(
        str(ROOT / "examples" / "search_pays.py"), "--games=kuhn_poker", "--visits=30,300",
        "--iterations=10", f"--plot={tmp_path / 'search_pays.png'}",
    )  # fmt: skip
    out = python(
        str(ROOT / "examples" / "demo.py"), "--nocurve", f"--out={tmp_path}", "--seconds=0.2",
        "--generations=4", "--hands=30", "--visits=4", "--collapse=30,300",
    )  # fmt: skip
    assert out.startswith("\n[2/6] policy collapse in Kuhn poker")
    assert "\n[3/6] Kuhn poker is learned, 0.2 seconds\n" in out
    assert out.endswith(f"open {tmp_path / 'demo.html'}\n")
    page = Page((tmp_path / "demo.html").read_text(encoding="utf-8"))
    assert len(page.images) == 3
    assert all(address.startswith("data:image/png;base64,iVBOR") for address in page.addresses)

    pays, collapse, kuhn, leduc, matches = page.tables
    assert pays[0] == ["game, P", "P", "30", "300"]
    assert [row[0] for row in pays[1:]] == [
        "kuhn_poker, uniform, rollouts", "kuhn_poker, CFR's average of 10",
    ]  # fmt: skip
    for _, *values in pays[1:]:
        assert list(map(float, values)) == sorted(map(float, values), reverse=True)
    _, rows = json.loads((tmp_path / "policy_collapse.json").read_text())["kuhn_poker"]
    assert collapse[0] == ["visits", "30", "300"]
    assert collapse[1] == ["radius 0", *(f"{value:.4f}" for value in rows["0.0"].values())]
    assert [row[0] for row in collapse[1:]] == ["radius 0", "radius 0.2"]
    assert kuhn[0] == ["player", "card", "situation", "learned", "equilibrium"]
    assert len(kuhn) == 13 and {len(row) for row in kuhn} == {5}
    assert f"{kuhn[-1][3]} {kuhn[-1][4]}" in re.sub(" +", " ", out)
    assert [row[0] for row in leduc] == ["generation", "1", "2", "4"]
    assert [row[0] for row in matches[1:]] == ["uniform play", "OpenSpiel's IS-MCTS"]
    for _, mean, interval, verdict in matches[1:]:
        low, high = map(float, interval.split(" to "))
        assert low < float(mean) < high and mean in out
        assert verdict == ("wins" if low > 0 else "loses" if high < 0 else "not decided")


@pytest.mark.parametrize("code", [0, 1])
def test_installing_tells_its_steps_in_80_columns(tmp_path: Path, code: int) -> None:
    venv = tmp_path / "venv"
    fake = venv / "bin" / "python"  # in the place of an interpreter: says what pip says
    fake.parent.mkdir(parents=True)
    fake.write_text(f"#!/bin/sh\ncat <<'END'\n{PIP}END\nexit {code}\n")
    fake.chmod(0o755)
    done = subprocess.run(
        ["make", "-C", str(ROOT), "--no-print-directory", "install", f"VENV={venv}"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    first, *steps = done.stdout.splitlines(keepends=True)
    assert first.startswith("Installing pinned versions")
    assert "".join(steps) == SHOWN
    assert (venv / "install.log").read_text() == PIP
    assert (done.returncode == 0) == (code == 0) == (venv / ".installed").exists()
    # Who has to find out why it failed sees whole lines.
    assert (PIP in done.stderr) == (code == 1)


def test_steps_of_the_installation_are_told_at_once(tmp_path: Path) -> None:
    venv, go, ended = (tmp_path / name for name in ("venv", "go", "ended"))
    fake = venv / "bin" / "python"
    fake.parent.mkdir(parents=True)
    wait = f"for i in $(seq 200); do [ -e {go} ] && break; sleep 0.05; done"
    fake.write_text(f"#!/bin/sh\necho 'Collecting numpy'\n{wait}\ntouch {ended}\n")
    fake.chmod(0o755)
    command = ["make", "-C", str(ROOT), "--no-print-directory", "install", f"VENV={venv}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert process.stdout.readline() == "Collecting numpy\n"
        assert not ended.exists()
        go.touch()
    assert process.returncode == 0
