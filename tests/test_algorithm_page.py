"""docs/algorithm.md says what the code does: its snippets run, its worked examples are computed
again by the search's own functions, and its figures are there.
"""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from benchmarks.algorithm_figures import cases
from benchmarks.algorithm_figures.__main__ import ACTIONS, FIGURES, IMAGES, main
from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.config import USUAL_VISITS
from nash_ismcts_spiel.models.tables import forest_models
from nash_ismcts_spiel.search.act_node import ActNode, bonuses, mixing_distribution
from nash_ismcts_spiel.search.dispersion import dispersed, expectation
from nash_ismcts_spiel.search.forest import leash
from nash_ismcts_spiel.search.interval import Interval
from nash_ismcts_spiel.search.root_policy import kept_actions

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "algorithm.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.S)
LARGEST_FIGURE = 80_000
FAINT, LARGEST_CHANGE = 64, 0.005
"""Grey values, and the share of pixels, by which other fonts may change a figure."""
NARROW = 800
"""Pixels; twice the width of a phone, so that letters stay large when a figure is shrunk to it."""


@pytest.fixture(scope="module")
def bluff() -> cases.Case:
    """Player 1 of Leduc poker with a jack, after a call: the page's running example."""
    return cases.exact_case(cases.LEDUC, cases.BLUFF)


@pytest.fixture(scope="module")
def searched(bluff: cases.Case) -> ActNode:
    """The root after 1000 visits at radius 0.2, by the reference engine."""
    forest, _ = cases.grown_forest(bluff, 1000, 0.2)
    return forest.tree(bluff.root, 1).root


def short(number: float) -> str:
    """Three digits without the leading zero, as on the page."""
    return f"{number:.3f}".replace("0.", ".", 1)


def interval(value: Interval) -> str:
    return f"[{short(value.low)}, {short(value.high)}]"


def flowing(text: str) -> str:
    """A text without its line breaks."""
    return " ".join(text.split())


def shifted(value: Interval, by: float) -> Interval:
    return Interval(value.low + by, value.high + by)


def test_all_snippets_are_found() -> None:
    assert len(SNIPPETS) == PAGE.count("```python") == 4


@pytest.mark.parametrize(("snippet", "shown"), SNIPPETS)
def test_snippets_print_what_is_shown(snippet: str, shown: str) -> None:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", snippet], env={**os.environ, "PYTHONPATH": path}, text=True,
        capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == shown


def test_the_ball_by_hand(bluff: cases.Case) -> None:
    row = bluff.evaluator.sample_rows(bluff.graph, [~bluff.graph.hidden(bluff.root)])[0]
    (jack, queen, king), values = row.beliefs, row.child_values[1]
    low, high = dispersed(row.beliefs, values, values, 0.2)
    mean, moved = expectation(row.beliefs, values), 0.1 * (values[0] - values[2])
    assert (low, high) == pytest.approx((mean - moved, mean + moved))
    terms = f"{short(jack)} * {short(values[0])} - {short(queen)} * {short(-values[1])}"
    terms += f" - {short(king)} * {-values[2]:.3f} = {short(mean)}"
    assert terms in flowing(PAGE)
    change = f"0.1 * ({short(values[0])} + {-values[2]:.3f}) = {short(moved)}"
    assert f"{change}. So the interval is {interval(Interval(low, high))}" in flowing(PAGE)


def test_the_table_of_puct(bluff: cases.Case, searched: ActNode) -> None:
    config = SearchConfig(visits=1000, dispersion_radius=0.2)
    assert f"value scale is {bluff.value_scale:.3f}" in flowing(PAGE)
    bonus = bonuses(searched, config, bluff.value_scale)
    added = [shifted(q, b) for q, b in zip(searched.child_values(), bonus, strict=True)]
    for k, name in enumerate(ACTIONS):
        cells = (
            name, short(searched.mixing_prior[k]), str(searched.choices.visits[k]),
            interval(searched.child_value(k)), short(bonus[k]), interval(added[k]),
        )  # fmt: skip
        assert f"| {' | '.join(cells)} |" in PAGE
    # The formula of the page, term by term.
    total = sum(searched.choices.visits)
    for k, visits in enumerate(searched.choices.visits):
        term = bluff.value_scale * searched.mixing_prior[k] * total**0.5 / (1 + visits)
        assert bonus[k] == pytest.approx(term)
    assert added[0].low > added[1].low and added[1].high >= added[0].low  # a tie, the call ahead
    assert f"The call has the largest lower end, {short(added[0].low)}," in flowing(PAGE)
    call, bet = mixing_distribution(searched.mixing_prior, [True, True])
    assert f"mixed: call with {short(call)}, raise with {short(bet)}" in flowing(PAGE)


def test_the_cost_of_a_visit(bluff: cases.Case) -> None:
    _, simulations = cases.grown_forest(bluff, 1000, 0.2)
    assert simulations == bluff.search(1000, 0.2).simulations  # the other engine's
    assert f"({simulations:,} in 1000 visits above)" in flowing(PAGE)


def test_pure_choices_come_first(bluff: cases.Case, searched: ActNode) -> None:
    pure = searched.choices.pure_count
    assert bluff.search(100, 0.2).pure_count == pure
    assert f"Only {pure} of the 1000 choices were pure, all among the first 100" in flowing(PAGE)


def test_the_backup_of_an_act_node(searched: ActNode) -> None:
    choices = searched.choices
    mixed = [total / choices.mixed_count for total in choices.mixing_sum]
    pure = [visits / choices.pure_count for visits in choices.pure_visits]
    for end in (0, 1):
        values = [value[end] for value in searched.child_values()]
        by_page = choices.mixed_count * expectation(mixed, values)
        by_page += choices.pure_count * expectation(pure, values)
        assert searched.q[end] == pytest.approx(by_page / sum(choices.visits))


def test_the_root_at_radius_0(bluff: cases.Case) -> None:
    policies = []
    for visits in (100, 1000, 10_000):
        found = bluff.search(visits, 0.0)
        policies.append(found.policy)
        if visits == 1000:
            width = 0.1 * bluff.value_scale
            ends = [
                Interval(q.low - width / n**0.5, q.high + width / n**0.5)
                for q, n in zip(found.q, found.visits, strict=True)
            ]
            assert kept_actions(found.visits, found.q, width) == [False, True]
            shown = f"the call has {interval(ends[0])}, the raise {interval(ends[1])}, so the call"
            assert shown in flowing(PAGE)
    assert policies[0] == pytest.approx((0.71, 0.29))
    assert policies[1:] == [(0.0, 1.0), (1.0, 0.0)]


def test_soft_ties_at_the_bluff(bluff: cases.Case) -> None:
    models = forest_models(bluff.graph, bluff.evaluator)
    assert f"(g = {models.regret:.4f})" in flowing(PAGE)
    prior = models.policy_at(bluff.root)
    for visits in (10, 100, 1000, 10_000):
        found = bluff.soft_search(visits)
        temperature = found.q[0].high - found.q[0].low
        values = [(low + high) / 2 for low, high in found.q]
        cells = (f"{visits:,}", f"{temperature:.2f}", *map(short, values), short(found.policy[1]))
        assert f"| {' | '.join(cells)} |" in PAGE
        # The rule, as far as the mean of pi is like the last one.
        odds = prior[1] / prior[0] * math.exp((values[1] - values[0]) / temperature)
        assert found.policy[1] == pytest.approx(odds / (1.0 + odds), abs=0.01)


def test_the_reach_of_ties(bluff: cases.Case) -> None:
    assert f"less than {short(cases.reach_of_ties(bluff, 0.2))} chips" in flowing(PAGE)


def test_the_temperature_solves_its_equation() -> None:
    for visits, regret in ((10, 0.4), (1000, 0.01)):
        found = leash(visits, regret)
        assert visits * found**2 == pytest.approx(1.4 * (1 / regret + 1 / found))


def test_usual_visits_are_those_of_the_settings() -> None:
    section = PAGE.split("## 10.")[1].split("## 11.")[0]
    for search, answering in (
        ("literal, sections 2 to 7", "notes"),
        ("soft ties", "tables"),
        ("soft ties over views", "views"),
        ("forest on live states", "states"),
    ):
        assert f"| {search} | {USUAL_VISITS[answering]:,} " in section


def test_sizes_are_those_of_the_results() -> None:
    section = PAGE.split("## 12.")[1].split("## 13.")[0]
    results = (ROOT / "docs" / "results" / "network_memory.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\d+,[\d,]*\d", section)) - {"4,096"}  # a setting, not a result
    named |= {f"2^{power}" for power in re.findall(r"2<sup>([\d.]+)</sup>", section)}
    assert len(named) > 10
    assert all(number in results for number in named)


def test_ends_of_curves_are_those_of_the_results() -> None:
    results = (ROOT / "docs" / "results" / "comparison.md").read_text(encoding="utf-8")
    by_method = {
        name: leduc
        for name, leduc in re.findall(r"^\| (\w+) \| [\d.e-]+ \| ([\d.]+) \|", results, re.M)
    }
    ends = [by_method[name] for name in ("nash_ismcts", "nash_ismcts_learned", "cfr", "rebel")]
    said = "At the end: {} with exact models, {} with networks, CFR {}, ReBeL {}."
    assert said.format(*ends) in flowing(PAGE)


def test_figures_are_there_and_small() -> None:
    shown = set(re.findall(r"\]\(images/(algorithm_\w+\.png)\)", PAGE))
    assert shown == {f"algorithm_{name}.png" for name in FIGURES}
    assert shown == {path.name for path in IMAGES.glob("algorithm_*.png")}
    for name in shown:
        path = IMAGES / name
        assert path.stat().st_size < LARGEST_FIGURE
        with Image.open(path) as image:
            assert image.width < NARROW


def test_what_the_figure_of_trees_is_said_to_show() -> None:
    case = cases.exact_case("kuhn_poker", (0, 1, 0))  # Bob has the queen, and Alice passed
    jack, king = case.evaluator.sample_rows(case.graph, [~case.graph.hidden(case.root)])[0].beliefs
    assert "a passing Alice has the jack two times in three" in flowing(PAGE)
    assert jack == pytest.approx(2 / 3, abs=0.01) and jack + king == pytest.approx(1.0)


def test_figures_are_drawn_again_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quick = ("trees", "ball", "intervals", "soft_ties", "learning")
    main(["--only", *quick, "--out", str(tmp_path)])
    names = [f"algorithm_{name}.png" for name in quick]
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == names
    for name in names:
        with Image.open(tmp_path / name) as new, Image.open(IMAGES / name) as stored:
            assert new.size == stored.size
            change = ImageChops.difference(new.convert("L"), stored.convert("L"))
        changed = sum(change.histogram()[FAINT:])
        assert changed < LARGEST_CHANGE * new.width * new.height, name
