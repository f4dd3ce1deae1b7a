"""Exploitability against visits, and whether a search beats its own P: commands and verdicts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from exploitability import measure
from exploitability.responder import LowerBound
from nash_ismcts_spiel import cli, make_bot
from nash_ismcts_spiel.cli import compare as comparing
from nash_ismcts_spiel.cli import measure as measuring
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.models.networks.saved import pretrained_path

CURVE = ("exploitability", "--game", "kuhn_poker", "--bot", "nash_ismcts")
AGAINST_P = ("compare", "--search-vs-policy")


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = cli.main(list(argv))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_an_untrained_search_gets_better_with_every_visit(
    capsys: pytest.CaptureFixture[str],
) -> None:
    argv = (*CURVE, "--curve", "10,100,1000", "--seeds", "3", "--seed", "201", "--json")
    code, out, _ = run(capsys, *argv)
    found = json.loads(out)
    assert (code, found["seeds"]) == (0, [201, 202, 203])
    assert found["start"] == {"policy": "uniform play", "value": pytest.approx(11 / 24)}
    medians = [point["median"] for point in found["curve"]]
    assert medians[0] > medians[1] > medians[2] < 0.04  # the bar at 1,000
    for point in found["curve"]:
        assert point["low"] <= point["median"] <= point["high"] and len(point["runs"]) == 3
        assert point["multiple"] == pytest.approx(point["median"] / (11 / 24))


def test_a_point_is_what_one_measurement_finds(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, *CURVE, "--curve", "30", "--seeds", "1", "--seed", "4", "--json")
    _, alone, _ = run(capsys, *CURVE, "--visits", "30", "--seed", "4", "--json")
    (point,) = json.loads(out)["curve"]
    assert point["median"] == json.loads(alone)["exploitability"]


@pytest.mark.parametrize(
    ("argv", "start"),
    [
        (("--checkpoint", "pretrained"), "P of the pretrained models"),
        (("--checkpoint", str(pretrained_path(support("kuhn_poker")))), "P of /"),
        ((), "uniform play"),
        (("--engine", "merged"), "uniform play"),
    ],
)
def test_the_table_says_what_the_multiple_is_of(
    argv: tuple[str, ...], start: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, *CURVE, "--curve", "5,20", "--seeds", "2", *argv)
    lines = out.splitlines()
    assert code == 0 and len(lines) == 6
    assert lines[0] == "kuhn_poker(): exploitability of nash_ismcts, median of 2 searches and range"
    assert lines[1].startswith(start)
    assert [line.split()[0] for line in lines[2:5]] == ["visits", "5", "20"]
    assert lines[5].startswith("exact, ")


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (("--curve", "100,10"), "increasing numbers such as 10,100,1000, not '100,10'"),
        (("--curve", "0,10"), "increasing"),
        (("--curve", "ten"), "increasing"),
        (("--curve", "3000000000"), "increasing"),
        (("--curve", "10", "--visits", "5"), "leave --visits out"),
        (("--curve", "10", "--seeds", "0"), "--seeds must be at least 1"),
        (("--curve", "10", "--engine", "learned"), "measures exactly"),
        (("--curve", "10", "--checkpoint", "nowhere"), "nowhere"),
    ],
)
def test_wrong_curves_are_told_in_a_line(
    argv: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *CURVE, *argv)
    assert (code, out) == (2, "")
    assert told in err and err.count("\n") == 1


def test_a_curve_is_for_a_bot_that_can_be_told_its_visits(
    capsys: pytest.CaptureFixture[str],
) -> None:
    argv = ("exploitability", "--game", "kuhn_poker", "--bot", "my:bot", "--curve", "10")
    code, _, err = run(capsys, *argv)
    assert code == 2 and "a bot by name" in err


def test_search_against_policy_where_both_can_be_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    argv = (*AGAINST_P, "--games", "kuhn_poker", "--visits", "200", "--seeds", "4")
    code, out, _ = run(capsys, *argv, "--json")
    (found,) = json.loads(out)
    assert code == 0 and found["less_exploitable"] == "yes"
    bots = (make_bot("nash_ismcts", "kuhn_poker", visits=200, seed=seed) for seed in range(4))
    assert len(found["runs"]) == 4 and found["of_policy"] == pytest.approx(11 / 24)
    assert 0.0 < found["half_width"] < found["of_policy"] - found["of_search"]
    assert max(found["runs"]) < 1.5 * max(measure("kuhn_poker", bot).exploitability for bot in bots)
    _, text, _ = run(capsys, *argv)
    assert "search less exploitable: yes" in text and "uniform play" in text


class _Bound:
    """What `respond` finds, one answer after the other."""

    def __init__(self, *intervals: tuple[float, float, float]) -> None:
        self._left = list(intervals)

    def __call__(self, *_: Any) -> tuple[Any, list[Any]]:
        found = object.__new__(LowerBound)
        object.__setattr__(found, "exploitability", self._left.pop(0))
        return found, []


@pytest.mark.parametrize(
    ("of_policy", "of_search", "verdict"),
    [
        ((0.5, 0.4, 0.6), (0.2, 0.1, 0.3), "yes"),
        ((0.5, 0.4, 0.6), (0.4, 0.3, 0.5), "not shown"),
        ((0.2, 0.1, 0.3), (0.5, 0.4, 0.6), "no"),
    ],
)
def test_in_large_games_a_match_and_learned_responses_decide(
    of_policy: tuple[float, float, float],
    of_search: tuple[float, float, float],
    verdict: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(measuring, "_first_way", lambda *_: measuring.LEARNED)
    monkeypatch.setattr(comparing, "respond", _Bound(of_policy, of_search))
    argv = (*AGAINST_P, "nash_ismcts", "--games", "kuhn_poker", "--visits", "20", "--hands", "10")
    code, out, _ = run(capsys, *argv, "--json")
    (found,) = json.loads(out)
    assert (code, found["less_exploitable"], found["hands"]) == (0, verdict, 10)
    assert found["bound_of_search"] == list(of_search)
    apart = abs(found["match"]) > found["match_half_width"]
    assert (found["wins_match"] == "not shown") == (not apart)


def test_a_game_whose_views_cannot_be_merged_is_large(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: Any) -> None:
        raise ValueError("too large")

    monkeypatch.setattr(measuring.Exactly, "measured", refuses)
    monkeypatch.setattr(measuring, "_first_way", lambda *_: measuring.MERGED)
    monkeypatch.setattr(comparing, "respond", _Bound((0.5, 0.4, 0.6), (0.5, 0.4, 0.6)))
    argv = (*AGAINST_P, "--games", "kuhn_poker", "--visits", "5", "--hands", "4")
    code, out, _ = run(capsys, *argv)
    assert code == 0
    assert "exploitability at least: policy 0.5000 [0.4000, 0.6000], search 0.5000" in out


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        ((*AGAINST_P,), "--games is needed"),
        ((*AGAINST_P, "oos", "--games", "kuhn_poker"), "unknown search 'oos'"),
        ((*AGAINST_P, "--games", "kuhn_poker", "--seeds", "1"), "two searches or more"),
        ((*AGAINST_P, "--games", "kuhn_poker", "--out", "x"), "are not for it"),
        ((*AGAINST_P, "--games", "kuhn_pokr"), "unknown game"),
        (("compare", "--games", "kuhn_poker"), "--out is missing"),
        (("compare", "--games", "kuhn_poker", "--visits", "3"), "is for --search-vs-policy"),
    ],
)
def test_wrong_comparisons_are_told_in_a_line(
    argv: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *argv)
    assert (code, out) == (2, "")
    assert told in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("gain", "half_width", "verdict"),
    [(0.2, 0.1, "yes"), (-0.2, 0.1, "no"), (0.1, 0.2, "not shown"), (0.0, 0.0, "not shown")],
)
def test_an_interval_that_holds_0_shows_nothing(
    gain: float, half_width: float, verdict: str
) -> None:
    assert comparing._verdict(gain, half_width) == verdict


@pytest.mark.parametrize(("count", "quantile"), [(2, 12.706), (10, 2.262), (31, 2.042)])
def test_intervals_are_students(count: int, quantile: float) -> None:
    runs = [float(index % 2) for index in range(count)]
    error = (sum((run - sum(runs) / count) ** 2 for run in runs) / (count - 1) / count) ** 0.5
    assert comparing._half_width(runs) == pytest.approx(quantile * error, rel=1e-3)
