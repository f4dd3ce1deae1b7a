"""Wrong bits in the files of runs, and mutants of all that is parsed, files and command lines.

`tests/corpus` is what mutants are made of: a small run, models, a comparison and command lines,
among them all that was once taken wrongly. `tests/fuzz/coverage_guided.py` looks for new ones.
"""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import helpers
import numpy as np
import parsers
import pytest
from mutants import flipped, mutant

from nash_ismcts_spiel import cli
from nash_ismcts_spiel.baselines.rebel.config import RebelConfig
from nash_ismcts_spiel.baselines.rebel.run import RebelRun
from nash_ismcts_spiel.files import DamagedFileError
from nash_ismcts_spiel.learning import Schedule, TrainingConfig
from nash_ismcts_spiel.learning.config import LearnerConfig
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.runs import Budget, Run
from nash_ismcts_spiel.runs.config import CHECKPOINT, CONFIG
from nash_ismcts_spiel.runs.metrics import METRICS, read_metrics

KINDS = ("exact", "learned", "rebel")
FILES = (CONFIG, METRICS, CHECKPOINT)
SMALL = TrainingConfig(
    visits=Schedule(start=4.0),
    networks=NetworkConfig(width=4, depth=1),
    learner=LearnerConfig(search_games=4, policy_games=20, steps=2),
)
REBEL = RebelConfig(iterations=4, play_iterations=4, playthroughs=4, steps=2, buffer=50, width=4)


def resume(directory: Path, kind: str) -> Any:
    return (RebelRun if kind == "rebel" else Run).resume(directory)


def meaning(directory: Path, kind: str) -> list[Any]:
    """All that a run says and plays."""
    run = resume(directory, kind)
    arrays = {name: array.tobytes() for name, array in run.loop.models.arrays().items()}
    return [
        run.game, run.seed, run.config, run.loop.generation, run.loop.counters(), arrays,
        run.wall_seconds, run.metrics(), [line.line() for line in read_metrics(directory)],
    ]  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, list[Any]]]:
    """A run of each kind, and what it means."""
    folder = tmp_path_factory.mktemp("runs")
    made: dict[str, Any] = {
        "exact": Run.create(folder / "exact", helpers.KUHN, 3, SMALL),
        "learned": Run.create(folder / "learned", helpers.KUHN, 3, SMALL, models="learned"),
        "rebel": RebelRun.create(folder / "rebel", helpers.KUHN, 3, REBEL),
    }
    for run in made.values():
        list(run.train(Budget(generations=2)))
    return {kind: (folder / kind, meaning(folder / kind, kind)) for kind in made}


def flip(runs: Any, kind: str, name: str, folder: Path, rng: np.random.Generator) -> str:
    """Takes a run with a wrong bit in one of its files: "refused" by name, or "harmless"."""
    directory, wanted = runs[kind]
    shutil.copytree(directory, folder)
    path = folder / name
    path.write_bytes(flipped(path.read_bytes(), rng))
    try:
        found = meaning(folder, kind)
    except DamagedFileError as error:
        assert str(path) in str(error), error
        return "refused"
    assert found == wanted, f"a wrong bit in {name} of {kind} models is not seen"
    return "harmless"


def flips(runs: Any, folder: Path, trials: range) -> Counter[tuple[str, str]]:
    done = Counter[tuple[str, str]]()
    for trial in trials:
        kind, name = KINDS[trial % 3], FILES[trial // 3 % 3]
        copy = folder / str(trial)
        done[name, flip(runs, kind, name, copy, np.random.default_rng(trial))] += 1
        shutil.rmtree(copy)
    return done


def test_wrong_bits_are_refused_by_name_or_harmless(runs: Any, tmp_path: Path) -> None:
    done = flips(runs, tmp_path, range(63))
    # Spaces and the like may change, a number never.
    assert all(done[name, "refused"] > done[name, "harmless"] for name in (CONFIG, METRICS))


@pytest.mark.slow
def test_a_thousand_wrong_bits_are_refused_by_name_or_harmless(runs: Any, tmp_path: Path) -> None:
    done = flips(runs, tmp_path, range(100, 1100))
    assert done.total() == 1000
    print(dict(done))


@pytest.mark.parametrize("name", FILES)
def test_commands_report_wrong_bits_in_one_line(
    runs: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    directory, _ = runs["exact"]
    for trial in range(4):
        copy = tmp_path / str(trial)
        shutil.copytree(directory, copy)
        content = (copy / name).read_bytes()
        rng = np.random.default_rng(trial)
        (copy / name).write_bytes(flipped(content[: len(content) // 2], rng))
        commands = (
            ["train", "--resume", "--generations", "3", "--out", str(copy)],
            ["exploitability", "--run", str(copy)],
            ["export", "--out", str(tmp_path / "p.json"), "--run", str(copy)],
        )
        for words in commands:
            assert cli.main(words) == 2
            said = capsys.readouterr().err.splitlines()
            assert len(said) == 1 and said[0].startswith("nash-ismcts: error: "), said
            assert str(copy / name) in said[0]


# Mutants.


@pytest.mark.parametrize("name", parsers.PARSERS)
def test_parsers_take_the_corpus(name: str) -> None:
    for content in parsers.seeds(name):
        parsers.parse(name, content)


def fuzz(name: str, trials: range) -> None:
    found = parsers.seeds(name)
    for trial in trials:
        rng = np.random.default_rng([trial, len(name)])
        parsers.parse(name, mutant(found[trial % len(found)], rng))


@pytest.mark.parametrize("name", parsers.PARSERS)
def test_parsers_take_or_refuse_mutants(name: str) -> None:
    fuzz(name, range(15))


@pytest.mark.slow
@pytest.mark.parametrize("name", parsers.PARSERS)
def test_parsers_take_or_refuse_many_mutants(name: str) -> None:
    fuzz(name, range(15, 1000))
