"""The comparison's report in a headless Chromium: methods can be hidden and tables sorted."""

from __future__ import annotations

from pathlib import Path

import browser
import pytest

from nash_ismcts_spiel.compare import Study, StudyConfig
from nash_ismcts_spiel.compare.report import write_report

pytestmark = pytest.mark.skipif(
    browser.chromium() is None,
    reason=f"no browser: none of {', '.join(browser.NAMES)} is installed",
)

METHODS = ["cfr", "uct", "oos"]
FIRST_COLUMN = (
    "[...document.querySelectorAll('.sortable')[0].tBodies[0].rows]"
    ".map((row) => row.cells[0].textContent)"
)
SHOWN = (
    "[...document.querySelectorAll('.m1')]"
    ".filter((part) => getComputedStyle(part).display !== 'none').length"
)


def report(folder: Path) -> Path:
    """Of made-up figures: cfr ends lowest and uct highest."""
    config = StudyConfig(games=["kuhn_poker"], methods=METHODS, seconds=1.0, seeds=1, points=3)
    study = Study.create(folder, config)
    for method, figure in zip(METHODS, (0.001, 0.1, 0.01), strict=True):
        points = [[moment, 1, figure] for moment in config.times]
        study._append({"game": "kuhn_poker", "method": method, "seed": 0, "points": points})
    return write_report(study)


def test_methods_are_hidden_and_tables_sorted(tmp_path: Path) -> None:
    path = report(tmp_path / "study")
    with browser.browser(tmp_path / "profile") as page:
        page.open(path.as_uri())
        before = page.run(SHOWN)
        assert before >= 4  # two tables, the line and the column of the curve
        toggle = "document.querySelector('[data-toggle=\"1\"]').click()"
        page.run(toggle)
        assert page.run(SHOWN) == 0
        page.run(toggle)
        assert page.run(SHOWN) == before
        assert page.run(FIRST_COLUMN) == METHODS
        press = "document.querySelectorAll('.sortable')[0].tHead.rows[0].cells[1].click()"
        page.run(press)
        assert page.run(FIRST_COLUMN) == ["cfr", "oos", "uct"]
        page.run(press)
        assert page.run(FIRST_COLUMN) == ["uct", "oos", "cfr"]
        page.picture(tmp_path / "phone.png", width=390, height=800)
        assert page.run("document.documentElement.scrollWidth <= 390")
        assert page.errors == []
        assert all(url.startswith(("file:", "data:")) for url in page.requests)
