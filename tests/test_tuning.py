"""The page of knobs: made from its records, and its verdicts say what seeds say."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from benchmarks import tuning, tuning_page
from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.config import PRESETS
from nash_ismcts_spiel.learning import TrainingConfig

DOCS = Path(__file__).parents[1] / "docs"


def test_the_page_is_made_from_its_records(tmp_path: Path) -> None:
    shutil.copytree(DOCS / "results" / "tuning", tmp_path / "results" / "tuning")
    page = tuning_page.write(tmp_path / "results", tuning.SEARCH_KNOBS, tuning.TRAININGS)
    assert page.read_text() == (DOCS / "tuning.md").read_text()
    figures = sorted((tmp_path / "images").glob("tuning_*.png"))
    assert [path.name for path in figures] == ["tuning_search.png", "tuning_training.png"]
    for path in [*figures, *(DOCS / "images").glob("tuning_*.png")]:
        assert path.stat().st_size < 80_000


def test_nothing_is_missing_from_the_records() -> None:
    folder = DOCS / "results" / "tuning"
    search = json.loads((folder / "search.json").read_text())
    found = {(r["situation"], json.dumps(r["changes"]), r["visits"]) for r in search}
    asked = [(t["situation"], json.dumps(t["changes"]), t["visits"])
             for t in tuning.search_tasks(tuning.Amount())]  # fmt: skip
    assert set(asked) == found
    assert {len(r["exploitability"]) for r in search} == {tuning.Amount().seeds}
    training = json.loads((folder / "training.json").read_text())
    for record in training:  # what was counted on the way is what OpenSpiel's tool says
        assert record["points"][-1][2] == pytest.approx(record["openspiel"], abs=1e-6)
    settings = [json.dumps(s) for values in tuning.TRAININGS.values() for s in values.values()]
    seeds = range(tuning.Amount().train_seeds)
    trained = {(json.dumps(record["settings"]), record["seed"]) for record in training}
    assert trained == {(each, seed) for each in settings for seed in seeds}


@pytest.mark.parametrize(("name", "knob"), tuning.SEARCH_KNOBS.items())
def test_the_default_of_each_knob_is_the_default(name: str, knob: tuning.Knob) -> None:
    for label, changes in knob.values.items():
        named = dict(changes)
        config = SearchConfig.preset(named.pop("preset", "nash_ismcts"), **named)
        if name == "visits":
            assert label.split()[0] in PRESETS
        else:
            assert str(getattr(config, name)) == label
    if name not in ("visits", "dispersion_radius"):  # whose default goes by the models
        usual = tuning_page.default_of(knob.values.values())
        assert not usual.keys() - {"preset"}


def test_settings_of_training_exist() -> None:
    for values in tuning.TRAININGS.values():
        for changes in values.values():
            TrainingConfig.preset(**changes)


def test_knobs_named_on_the_page_exist() -> None:
    fields = SearchConfig().to_dict()
    named = re.findall(r"^### `(\w+)`", (DOCS / "tuning.md").read_text(), re.M)
    assert set(tuning.SEARCH_KNOBS) | {"seconds", "reuse_trees"} == set(named)
    assert set(named) - {"seconds"} <= set(fields)


def test_verdicts_need_seeds_that_do_not_overlap() -> None:
    assert tuning_page.compared([1.0, 2.0], [3.0, 4.0]) == "better"
    assert tuning_page.compared([5.0, 6.0], [3.0, 4.0]) == "worse"
    assert tuning_page.compared([1.0, 3.5], [3.0, 4.0]) == ""
    assert tuning_page.compared([], [3.0]) == ""


def test_search_policies_are_measured_and_only_what_is_missing(tmp_path: Path) -> None:
    kept = tuning.search_record("Kuhn", {}, 1000, 2)["exploitability"]
    collapsed = tuning.search_record("Kuhn", {"preset": "a_ismcts"}, 1000, 2)["exploitability"]
    assert max(kept) < 0.02 and collapsed == pytest.approx([5 / 12] * 2, abs=0.01)
    path, asked = tmp_path / "x.json", []
    tasks = [{"seed": seed} for seed in (0, 1, 0)]
    for _ in range(2):
        tuning.fill(path, tasks, lambda seed: asked.append(seed) or {"found": seed})
    assert asked == [0, 1]
    assert json.loads(path.read_text()) == [{"seed": 0, "found": 0}, {"seed": 1, "found": 1}]
