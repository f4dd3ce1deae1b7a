"""Comparisons: the same times for all, interruption and resumption, the report, and refusals."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import helpers
import pytest

from nash_ismcts_spiel import cli
from nash_ismcts_spiel.baselines import DETERMINISTIC, METHODS, methods
from nash_ismcts_spiel.compare import Study, StudyConfig, write_report
from nash_ismcts_spiel.compare.report import PAGE, final_figures, finding
from nash_ismcts_spiel.compare.study import RECORDS, SETTINGS, append_record
from nash_ismcts_spiel.files import BusyError, DamagedFileError, writing
from nash_ismcts_spiel.games import GameGraph

KUHN = "kuhn_poker()"
QUICK = StudyConfig(games=[KUHN], methods=["cfr", "uct"], seconds=0.02, seeds=2, points=3)


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = cli.main(["compare", *argv])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def markdown(study: Study) -> str:
    return (write_report(study).parent / PAGE).read_text()


def runs(study: Study) -> list[tuple[str, int]]:
    return [(r["method"], r["seed"]) for r in study.records() if "points" in r]


def test_every_method_is_measured_at_the_same_times(tmp_path: Path) -> None:
    study, used = Study.create(tmp_path / "new", QUICK), []
    study.run(on_time=used.append)
    assert QUICK.times == [0.0001, pytest.approx(0.001414, rel=1e-3), 0.02]
    assert runs(study) == [("cfr", 0), ("uct", 0), ("uct", 1)]  # CFR draws nothing
    assert sum(used) == pytest.approx(3 * QUICK.seconds)
    for record in study.records():
        for point, due in zip(record.get("points", []), QUICK.times, strict=False):
            assert due <= point[0] < due + 0.5
    found = final_figures(study, KUHN)
    assert found["cfr"] < 0.01 < found["uct"] < 0.4


def test_a_study_goes_on_where_it_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, made = Study.create(tmp_path, QUICK), []
    real = METHODS["uct"]

    def interrupted(graph: Any, seed: int) -> Any:
        made.append(seed)
        if made == [0, 1]:
            raise KeyboardInterrupt
        return real(graph, seed)

    monkeypatch.setitem(methods.METHODS, "uct", interrupted)  # type: ignore[arg-type]
    with pytest.raises(KeyboardInterrupt):
        study.run()
    kept = study.records()
    assert runs(study) == [("cfr", 0), ("uct", 0)]
    with open(tmp_path / RECORDS, "a") as file:
        file.write('{"game": "kuhn_po')  # a line that was being written
    resumed = Study.resume(tmp_path)
    assert resumed.records() == kept
    resumed.run()
    assert resumed.config == QUICK
    assert resumed.records()[: len(kept)] == kept
    assert runs(resumed) == [("cfr", 0), ("uct", 0), ("uct", 1)]
    assert made == [0, 1, 1]
    resumed.run()  # nothing is left
    assert len(resumed.records()) == 4


def test_methods_that_draw_nothing_are_the_same_for_all_seeds() -> None:
    graph = GameGraph.enumerate(helpers.KUHN)
    for name in DETERMINISTIC:
        found = []
        for seed in (0, 1):
            method = METHODS[name](graph, seed)
            for _ in range(5):
                method.step()
            found.append(method.policy().tolist())
        assert found[0] == found[1], name


def test_a_study_grows(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    Study.create(tmp_path, QUICK).run()
    more = ["--methods", "oos", "--games", "kuhn_poker(players=3)", "--seeds", "3"]
    code, printed, _ = run(capsys, "--resume", "--out", str(tmp_path), *more)
    assert code == 0
    measured = "exploitability (NashConv / 3)"
    assert f"kuhn_poker(players=3): {measured} after 0.02 CPU s, 3 seed(s)" in printed
    grown = Study.resume(tmp_path)
    assert grown.config.methods == ["cfr", "uct", "oos"]
    here = [(r["method"], r["seed"]) for r in grown.records() if r["game"] == KUHN and "seed" in r]
    assert here[:3] == [("cfr", 0), ("uct", 0), ("uct", 1)]
    assert sorted(here[3:]) == [("oos", 0), ("oos", 1), ("oos", 2), ("uct", 2)]
    code, _, err = run(capsys, "--resume", "--out", str(tmp_path), "--cpu-seconds", "3")
    assert code == 2
    assert "a comparison of 0.02 seconds keeps them" in err


def test_what_does_not_apply_is_skipped_with_the_reason(tmp_path: Path) -> None:
    config = StudyConfig(
        games=["nim(pile_sizes=1;2)", "dark_hex(board_size=5)"],
        methods=["ismcts", "oos"],
        seconds=0.01,
        seeds=2,
        points=2,
    )
    study = Study.create(tmp_path, config)
    study.run()
    skipped = {(r["game"], r["method"]): r["skipped"] for r in study.records() if "skipped" in r}
    assert len(skipped) == 3
    assert "hides nothing" in skipped["nim(pile_sizes=1;2)", "ismcts"]
    for method in config.methods:
        assert "too many to enumerate" in skipped["dark_hex(board_size=5)", method]
    assert runs(study) == [("oos", 0), ("oos", 1)]
    before = study.records()
    study.run()
    assert study.records() == before
    text = write_report(study).read_text()
    assert text.count("too many to enumerate") == 2
    assert "hides nothing" in text


def test_the_report_opens_without_a_network(tmp_path: Path) -> None:
    games = [KUHN, "kuhn_poker(players=3)"]
    study = Study.create(
        tmp_path, StudyConfig(games=games, methods=["uct", "oos"], seconds=0.01, points=3)
    )
    study.run()
    text = write_report(study).read_text()
    assert not re.search(r"(src|href)=.(?!#)|@import|url\((?!#)|<script[^>]|<link|https?:", text)
    assert text.count("<svg") == 2
    for plot in ("kuhn_poker.png", "kuhn_poker-players-3.png"):
        assert (tmp_path / plot).read_bytes().startswith(b"\x89PNG")
    for number, method in enumerate(study.config.methods):
        assert f'data-toggle="{number}"' in text
        # A row of each table, a curve, and a column of figures, in both games.
        assert text.count(f'<g class="m{number}">') == 4  # a line and its label, in each
        assert text.count(f'<tr class="m{number}"><td>{method}</td>') == 3
    assert 'name="viewport" content="width=device-width' in text
    assert text.count("no game of two players with a constant sum") == 1
    final = final_figures(study, KUHN)
    best = min(final, key=final.__getitem__)
    for method, figure in final.items():
        mark = ' class="best"' if method == best else ""
        assert f'<td>{method}</td><td data-value="{figure}"{mark}>{figure:.5f}</td>' in text
    assert finding(KUHN, final).startswith(f"kuhn_poker: {best} ends lowest, at {final[best]:.5f}")
    for word in ("12 information sets", "open_spiel", "machine", "begun"):
        assert word in text


def test_the_page_has_the_figures_and_what_was_not_run(tmp_path: Path) -> None:
    games, methods = [KUHN, "kuhn_poker(players=3)"], ["cfr", "rebel"]
    config = StudyConfig(games=games, methods=methods, seconds=0.02, points=4)
    study = Study.create(tmp_path, config)
    study.run()
    text = markdown(study)
    for game in games:
        for method, figure in final_figures(study, game).items():
            assert f"| {method} |" in text and f"{figure:.5f}" in text
    assert "- rebel: " in text.partition("## kuhn_poker(players=3)")[2]
    summary = [line for line in text.splitlines() if line.startswith("| rebel |")][0]
    assert summary == f"| rebel | {final_figures(study, KUHN)['rebel']:.5f} | - |"


def test_a_rise_is_seen_in_the_report(tmp_path: Path) -> None:
    config = StudyConfig(games=[KUHN], methods=["uct"], seconds=1.0, seeds=2, points=3)
    study = Study.create(tmp_path, config)
    for seed, figures in ((0, (0.5, 0.25, 0.75)), (1, (0.5, 0.75, 0.5))):
        points = [[moment, 1, figure] for moment, figure in zip(config.times, figures, strict=True)]
        study._append({"game": KUHN, "method": "uct", "seed": seed, "points": points})
    for text in (write_report(study).read_text(), markdown(study)):
        assert "0.62500" in text  # the median at the end
        assert "0.50000 at 0.005 s" in text  # and at its lowest


def test_the_example_compares_and_says_what_is_missing(tmp_path: Path) -> None:
    example = Path(__file__).parents[1] / "examples" / "compare_with_cfr_and_rebel.py"
    flags = ["--games=kuhn_poker", "--methods=cfr,magic", "--seconds=0.02", f"--out={tmp_path}"]
    done = subprocess.run(
        [sys.executable, example, *flags],
        env={**os.environ, "PYTHONPATH": str(example.parents[1]), "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    figure = re.search(r"^  cfr +(\d\.\d+)$", done.stdout, re.MULTILINE)
    assert figure is not None
    assert float(figure.group(1)) < 0.02
    assert re.search(r"^  magic +skipped: it is not among the methods", done.stdout, re.MULTILINE)
    assert (tmp_path / "report.html").exists()


def test_a_report_of_an_unfinished_study_says_so(tmp_path: Path) -> None:
    text = write_report(Study.create(tmp_path, QUICK)).read_text()
    assert "2 methods have not been run yet" in text


def with_record(study: Study, record: dict[str, Any]) -> None:
    """Writes a record as no comparison does."""
    (study.directory / RECORDS).unlink(missing_ok=True)
    append_record(study.directory / RECORDS, record)


HOSTILE = "<script>alert(1)</script> | [x](http://y) `z` **b**\n# title"


def test_names_in_reports_are_shown_and_never_followed(tmp_path: Path) -> None:
    config = StudyConfig(games=[KUHN], methods=["uct"], seconds=1.0, points=3)
    study = Study.create(tmp_path, config)
    study.circumstances["machine"] = HOSTILE
    with_record(study, {"game": KUHN, "method": HOSTILE, "skipped": HOSTILE})
    page, report = markdown(study), write_report(study).read_text()
    for text in (page, report):
        assert "<script>alert" not in text
        assert "&lt;script&gt;" in text
    skipped = next(line for line in page.splitlines() if line.startswith("- "))
    assert skipped.count(r"\[x\](http") == 2 and skipped.count(r"\`z\` \*\*b\*\* \# title") == 2
    assert not any(line.startswith("# title") for line in page.splitlines())


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("players", "<script>alert(1)</script>"),
        ("worlds", 2.5),
        ("utility_sum", [0]),
        ("graph_seconds", 10**400),
        ("game", None),
        ("more", 1),
    ],
)
def test_records_with_wrong_entries_are_refused_by_name(
    tmp_path: Path, entry: str, value: Any
) -> None:
    about = {"game": KUHN, "information_sets": 12, "worlds": 58, "players": 2}
    about |= {"utility_sum": 0.0, "graph_seconds": 0.1}
    study = Study.create(tmp_path, QUICK)
    with_record(study, about)
    assert study.records() == [about]
    with_record(study, {**about, entry: value})
    with pytest.raises(DamagedFileError, match=r"comparison\.jsonl, line 1 is no record"):
        write_report(study)


def test_records_show_when_they_have_changed(tmp_path: Path) -> None:
    study = Study.create(tmp_path, QUICK)
    for number in range(3):
        study._append({"game": KUHN, "method": "cfr", "skipped": f"because of {number}"})
    path = tmp_path / RECORDS
    content = path.read_bytes()
    for at in range(0, len(content) - 1, 5):
        path.write_bytes(content[:at] + bytes([content[at] ^ 2]) + content[at + 1 :])
        with pytest.raises(DamagedFileError, match=r"comparison\.jsonl, line [123]"):
            study.records()
    path.write_bytes(content)
    with writing(tmp_path), pytest.raises(BusyError, match="is in use"):
        study.run()


@pytest.mark.parametrize(
    "text",
    [
        "", "[" * 100_000, "[]", '{"config": 5}', "\x00",
        '{"config": {"games": 5, "methods": ["cfr"], "seconds": 1}, "circumstances": {}}',
        '{"config": {"games": ["kuhn_poker()"], "methods": ["cfr"], "seconds": 1}}',
    ],
)  # fmt: skip
def test_damaged_settings_are_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / SETTINGS).write_text(text)
    with pytest.raises(DamagedFileError, match=r"settings\.json"):
        Study.resume(tmp_path)


# The command.


def test_compare_runs_resumes_and_prints(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = str(tmp_path / "out")
    asked = ["--games", helpers.KUHN, "--methods", "uct", "cfr", "--cpu-seconds", "0.02"]
    code, printed, _ = run(capsys, *asked, "--out", out)
    assert code == 0
    assert re.search(r"kuhn_poker\(\): exploitability \(NashConv / 2\) after 0.02 CPU s", printed)
    lines = [line.split()[0] for line in printed.splitlines() if line.startswith("  ")]
    assert lines == ["cfr", "uct"]  # the best first
    records = (tmp_path / "out" / RECORDS).read_text()
    assert [json.loads(line)["game"] for line in records.splitlines()] == [KUHN] * 3
    code, again, _ = run(capsys, "--resume", "--out", out)
    assert (code, again) == (0, printed)
    assert (tmp_path / "out" / RECORDS).read_text() == records


def test_an_interrupted_command_says_how_to_go_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: Study, *callbacks: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Study, "run", interrupt)
    code, _, err = run(capsys, "--games", helpers.KUHN, "--out", str(tmp_path / "a b"))
    assert code == 130
    assert f"nash-ismcts compare --resume --out '{tmp_path}/a b'" in err
    assert (tmp_path / "a b" / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--games", "kuhn_poker", "--methods", "magic"], "unknown method 'magic'"),
        (["--games", "kuhn_pokr"], "did you mean 'kuhn_poker'"),
        (["--games", "kuhn_poker", "--cpu-seconds", "0"], "seconds must be positive"),
        (["--games", "kuhn_poker", "--seeds", "0"], "seeds at least 1"),
        ([], "--games is needed"),
        (["--resume"], "has no comparison"),
    ],
)
def test_compare_refuses_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: list[str], words: str
) -> None:
    code, out, err = run(capsys, *arguments, "--out", str(tmp_path / "new"))
    assert (code, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "new").exists()


def test_a_comparison_is_not_overwritten(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    Study.create(tmp_path, QUICK)
    code, _, err = run(capsys, "--games", helpers.KUHN, "--out", str(tmp_path))
    assert code == 2
    assert "has a comparison already; --resume it" in err
