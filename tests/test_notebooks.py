"""For notebooks and scripts: live curves, escaped HTML, tables of runs, notebooks that run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pyspiel
import pytest

from exploitability import measure
from nash_ismcts_spiel import make_bot
from nash_ismcts_spiel.learning import Schedule, TrainingConfig
from nash_ismcts_spiel.notebook import cell, html_table
from nash_ismcts_spiel.runs import Budget, Run, RunTable, load_policy, metrics_frame, sweep
from nash_ismcts_spiel.runs.live import curve_html

ROOT = Path(__file__).parents[1]
FEW = TrainingConfig(visits=Schedule(start=5.0))
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))

RUN_CELLS = """
import json, sys
namespace = {"__name__": "__main__"}
for number, cell in enumerate(json.load(open(sys.argv[1]))["cells"]):
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), f"cell {number}", "exec"), namespace)
"""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_from_top_to_bottom(path: Path) -> None:
    """In a process of its own: a game that is registered stays."""
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", RUN_CELLS, str(path)],
        env={**os.environ, "PYTHONPATH": paths, "NASH_ISMCTS_QUICK": "1"},
        cwd=path.parent,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "exploitability 0." in done.stderr


def test_there_are_two_notebooks_and_they_hold_no_output() -> None:
    assert len(NOTEBOOKS) == 2
    for path in NOTEBOOKS:
        for found in json.loads(path.read_text())["cells"]:
            assert found.get("outputs", []) == [] and found["id"]


@pytest.fixture(scope="module")
def kuhn(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A short run, made with a path that is text; not to be trained further."""
    directory = str(tmp_path_factory.mktemp("runs") / "<b>kuhn")
    return Run.create(directory, "kuhn_poker", 0, FEW).fit(generations=12, show=False)


def test_fit_shows_lines_outside_notebooks(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = Run.create(str(tmp_path / "run"), "kuhn_poker", 0, FEW)
    assert run.fit(generations=3) is run
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith("generation 3, ") and "exploitability 0." in lines[-1]
    with pytest.raises(ValueError, match="seconds or generations"):
        run.fit()


def test_fit_shows_a_growing_curve_in_notebooks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: list[str] = []

    class Handle:
        def update(self, content: str) -> None:
            shown.append(content)

    def display(content: str, display_id: bool) -> Handle:
        shown.append(content)
        return Handle()

    ipython: Any = types.ModuleType("IPython")
    ipython.version_info = (9, 0, 0)  # matplotlib asks
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    ipython.display = types.SimpleNamespace(HTML=str, display=display)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    Run.create(tmp_path / "run", "kuhn_poker", 0, FEW).fit(generations=12)
    assert capsys.readouterr().err == ""
    assert len(shown) >= 2  # at the first measured generation and at the last
    assert "generation 1," in shown[0] and "generation 12," in shown[-1]
    assert shown[-1].startswith("<img") and "base64," in shown[-1]


def test_html_shows_results_and_escapes_all_text(kuhn: Run) -> None:
    shown = kuhn._repr_html_()
    assert "&lt;b&gt;kuhn" in shown and "<b>" not in shown
    assert "exploitability of P" in shown
    state = pyspiel.load_game("kuhn_poker").new_initial_state()
    state.apply_action(0)
    state.apply_action(1)
    result = make_bot("nash_ismcts", "kuhn_poker", 0, visits=30).search(state)
    assert result._repr_html_().count("<tr>") == 3
    found = measure(pyspiel.load_game("kuhn_poker"), load_policy(kuhn.directory))
    assert f"exploitability {found.exploitability:.6f}" in found._repr_html_()
    evil = html_table("<i>", ["<script>"], [["a&b", 0.5]], "<p>")
    for text in ("<i>", "<script>", "a&b", "<p><p>"):
        assert text not in evil
    assert "&lt;p&gt;" in evil and "0.50000" in evil
    assert "<x>" not in curve_html("<x>", kuhn.metrics())
    assert [cell(value) for value in (None, 1e-7, 12345, True)] == ["", "1e-07", "12,345", "True"]


def test_a_lower_bound_is_shown_too() -> None:
    from exploitability.responder import LowerBound

    bound = LowerBound(
        "<game>", 2, "bot", (0.2, 0.1, 0.3), (0.1, 0.05, 0.15), ((0.1, 0.0, 0.2),) * 2, None,
        0.99, (10, 10), 1, (0, 0), ((0.1,), (0.1,)), 3.0,
    )  # fmt: skip
    shown = bound._repr_html_()
    assert "&lt;game&gt;" in shown and "at least 0.1000 (0.0500 to 0.1500, 99%)" in shown


def test_a_sweep_is_one_table_and_goes_on(tmp_path: Path, kuhn: Run) -> None:
    settings = {"few": {"visits": 5}, "more": {"visits": 10}}
    names: list[str] = []
    arguments: Any = (str(tmp_path), "kuhn_poker", settings)
    table = sweep(*arguments, Budget(generations=2), seeds=(0, 1), on_run=names.append)
    assert names == ["few-0", "few-1", "more-0", "more-1"]
    assert [row["generation"] for row in table.rows] == [2] * 4
    longer = sweep(*arguments, Budget(generations=4))
    assert [row["generation"] for row in longer.rows] == [4, 4]
    assert str(longer).splitlines()[1].split()[:3] == ["few-0", "kuhn_poker()", "0"]
    assert longer._repr_html_().count("<tr>") == 3
    with pytest.raises(ValueError, match="other settings"):
        sweep(str(tmp_path), "kuhn_poker", {"few": {"visits": 6}}, Budget(generations=4))
    assert RunTable.of([kuhn.directory]).rows[0]["generation"] == 12


def test_frames_are_pandas_or_say_what_to_install(
    kuhn: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "pandas", None)
        with pytest.raises(ModuleNotFoundError, match=r"nash_ismcts_spiel\[notebook\]"):
            metrics_frame(kuhn.directory)
    pytest.importorskip("pandas", reason="pandas (the extra `notebook`) is not installed")
    frame = metrics_frame(str(kuhn.directory))
    assert list(frame["generation"]) == [m.generation for m in kuhn.metrics()]
    assert len(RunTable.of({"a": kuhn.directory}).data_frame()) == 1


SCRIPT = """
from exploitability import measure
from nash_ismcts_spiel import NashIsmctsBot, make_bot
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.runs import Run, load_policy


def main(directory: str) -> float:
    run = Run.create(directory, "kuhn_poker", 0, TrainingConfig()).fit(generations=2)
    bot: NashIsmctsBot = make_bot("nash_ismcts", "kuhn_poker", 0, visits=10)
    peer = make_bot("oos", "kuhn_poker", 1)
    peer.restart()
    chances: dict[int, float] = load_policy(run.directory).action_probabilities(None)
    reveal_type(peer)
    return chances[0] + (bot.config.visits or 0) + measure("kuhn_poker", peer).exploitability
"""


@pytest.mark.slow
def test_a_strict_script_passes_against_the_package(tmp_path: Path) -> None:
    """Found as what is installed is found: without py.typed there would be no types."""
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "script.py"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert 'Revealed type is "nash_ismcts_spiel.registry.Bot"' in done.stdout
