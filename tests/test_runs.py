"""Runs on disk: resumed bit for bit, also after kill -9 and Ctrl-C, and damaged files refused."""

from __future__ import annotations

import dataclasses
import fcntl
import json
import os
import pickle
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import helpers
import numpy as np
import pytest
import safetensors.numpy
from open_spiel.python.algorithms import exploitability

from nash_ismcts_spiel import files, make_bot
from nash_ismcts_spiel.cli.signals import interrupting
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.policies import policy_table
from nash_ismcts_spiel.learning import Schedule, TrainingConfig
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.runs import Budget, Run, load_evaluator, load_policy
from nash_ismcts_spiel.runs.config import CHECKPOINT, CONFIG, config_text, read_config
from nash_ismcts_spiel.runs.metrics import METRICS, read_metrics

ROOT = Path(__file__).parents[1]
TIMEOUT = 60.0
"""Seconds for what takes two on an idle machine."""
FEW = TrainingConfig(visits=Schedule(start=10.0))


def new_run(
    directory: Path, generations: int = 0, game: str = helpers.KUHN, seed: int = 3, **settings: Any
) -> Run:
    """A run that has come so far."""
    run = Run.create(directory, game, seed, dataclasses.replace(FEW, **settings))
    train(run, generations)
    return run


def train(run: Run, generations: int, checkpoint_seconds: float = 10.0) -> None:
    """Trains up to a generation."""
    for _ in run.train(Budget(generations=generations), checkpoint_seconds):
        pass


def resumed(directory: Path, generations: int, workers: int = 1) -> Run:
    """A run of the directory that has gone on to a generation."""
    run = Run.resume(directory, workers)
    train(run, generations)
    return run


def timeless(directory: Path) -> list[dict[str, Any]]:
    """The metrics without their seconds."""
    rows = [dataclasses.asdict(metrics) for metrics in read_metrics(directory)]
    return [{k: v for k, v in row.items() if not k.endswith("_seconds")} for row in rows]


def assert_same(first: Path, second: Path) -> None:
    """Both runs have come to the same end by the same way, bit for bit."""
    one, other = Run.resume(first), Run.resume(second)
    assert one.loop.generation == other.loop.generation
    assert one.loop.simulations == other.loop.simulations
    assert np.array_equal(one.policy(), other.policy())
    assert timeless(first) == timeless(second)


# Create and resume.


def test_a_new_run_has_its_files(tmp_path: Path) -> None:
    directory = tmp_path / "deep" / "run"
    run = new_run(directory, 5, seed=9, shards=2)
    assert {path.name for path in directory.iterdir()} == {CONFIG, METRICS, CHECKPOINT, files.LOCK}
    settings = read_config(directory)
    assert (settings["game"], settings["models"], settings["seed"]) == ("kuhn_poker()", "exact", 9)
    assert TrainingConfig.from_dict(settings["training"]) == dataclasses.replace(FEW, shards=2)
    assert settings["versions"]["numpy"] == np.__version__
    metrics = read_metrics(directory)
    assert [m.generation for m in metrics] == [1, 2, 3, 4, 5]
    assert metrics[-1].simulations == run.loop.simulations
    assert metrics[-1].exploitability_average == exact.exploitability(run.graph, run.policy())
    searched = exact.exploitability(run.graph, run.loop.search_policy)
    assert metrics[-1].exploitability_search == searched
    assert metrics[-1].wall_seconds == pytest.approx(run.wall_seconds, abs=1e-3)
    assert 0.0 < run.cpu_seconds


def test_measured_often_at_first_then_rarely_and_at_the_end(tmp_path: Path) -> None:
    new_run(tmp_path, 203, visits=Schedule(start=1.0))
    measured = [metrics.generation for metrics in read_metrics(tmp_path)]
    assert measured[:10] == list(range(1, 11))
    assert measured[-1] == 203
    ratios = np.divide(measured[11:], measured[10:-1])
    assert ratios.max() < 1.12
    assert len(measured) < 100


def test_budget_of_seconds(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    for _ in run.train(Budget(generations=10**6, seconds=0.1)):
        pass
    assert 0.1 <= run.wall_seconds < 5.0
    assert read_metrics(tmp_path)[-1].generation == run.loop.generation < 10**6
    # The seconds of the whole run count, so nothing is left to do.
    again = Run.resume(tmp_path)
    assert list(again.train(Budget(seconds=0.1))) == []
    assert again.loop.generation == run.loop.generation


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        (helpers.KUHN, {}),
        (helpers.LEDUC, {"shards": 3}),
        (helpers.GOOFSPIEL_3, {}),
        (helpers.KUHN_3, {}),
    ],
)
def test_resumed_as_if_unbroken(
    tmp_path: Path, game: str, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nash_ismcts_spiel.learning.exact_loop.MOST_SEARCHES", 280)
    unbroken = new_run(tmp_path / "unbroken", 30, game, **settings)
    new_run(tmp_path / "broken", 10, game, **settings)
    run = resumed(tmp_path / "broken", 30, workers=2)
    assert np.array_equal(run.policy(), unbroken.policy())
    assert np.array_equal(run.loop.search_policy, unbroken.loop.search_policy)
    assert_same(tmp_path / "unbroken", tmp_path / "broken")
    assert len(timeless(tmp_path / "broken")) > 25


def test_lines_after_the_checkpoint_are_dropped(tmp_path: Path) -> None:
    new_run(tmp_path / "unbroken", 12)
    run = new_run(tmp_path / "broken", 4)
    whole = (tmp_path / "broken" / METRICS).read_bytes()
    saved = (tmp_path / "broken" / CHECKPOINT).read_bytes()
    train(run, 9)
    (tmp_path / "broken" / CHECKPOINT).write_bytes(saved)
    with open(tmp_path / "broken" / METRICS, "a") as file:
        file.write('{"generation": 10, "wall_se')  # killed while it wrote
    run = Run.resume(tmp_path / "broken")
    assert run.loop.generation == 4
    next(run.train(Budget(generations=5)))
    assert (tmp_path / "broken" / METRICS).read_bytes().startswith(whole)
    assert len(read_metrics(tmp_path / "broken")) == 5
    train(run, 12)
    assert_same(tmp_path / "unbroken", tmp_path / "broken")


def test_what_a_killed_writer_leaves_is_ignored(tmp_path: Path) -> None:
    new_run(tmp_path / "unbroken", 12)
    new_run(tmp_path / "broken", 6)
    for name in (CHECKPOINT, CONFIG):
        (tmp_path / "broken" / f"{name}.new").write_bytes(b"PK\x03\x04 half a file")
    resumed(tmp_path / "broken", 12)
    assert_same(tmp_path / "unbroken", tmp_path / "broken")


def test_leaving_the_loop_early_saves(tmp_path: Path) -> None:
    new_run(tmp_path / "unbroken", 12)
    run = new_run(tmp_path / "broken")
    for _ in run.train(Budget(generations=12), checkpoint_seconds=1000.0):
        if run.loop.generation == 5:
            break
    assert files.load(tmp_path / "broken" / CHECKPOINT).numbers["generation"] == 5
    resumed(tmp_path / "broken", 12)
    assert_same(tmp_path / "unbroken", tmp_path / "broken")


@pytest.mark.parametrize("after", ["learning", "measuring one policy"])
def test_interrupted_between_two_whole_generations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    new_run(tmp_path / "unbroken", 12)
    run = new_run(tmp_path / "broken", 4)
    place, name = {
        "learning": (run.loop.models, "learn"),
        "measuring one policy": (exact, "exploitability"),
    }[after]
    original: Callable[..., Any] = getattr(place, name)

    def interrupted(*arguments: Any) -> None:
        original(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(place, name, interrupted)
        with pytest.raises(KeyboardInterrupt):
            train(run, 12)
    resumed(tmp_path / "broken", 12)
    assert_same(tmp_path / "unbroken", tmp_path / "broken")


def test_a_checkpoint_as_often_as_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = new_run(tmp_path)
    saved: list[int] = []
    monkeypatch.setattr(Run, "save", lambda self: saved.append(self.loop.generation))
    train(run, 4, checkpoint_seconds=0.0)
    assert saved == [1, 2, 3, 4, 4]
    saved.clear()
    train(run, 8, checkpoint_seconds=1000.0)
    assert saved == [8]


# Refusals.


def test_a_run_is_never_overwritten(tmp_path: Path) -> None:
    new_run(tmp_path, 3)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match="has a run already; resume it"):
        new_run(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_run_that_was_killed_before_it_had_a_config_is_begun_anew(tmp_path: Path) -> None:
    new_run(tmp_path / "broken", 3)
    (tmp_path / "broken" / CONFIG).unlink()
    new_run(tmp_path / "broken", 6)
    new_run(tmp_path / "unbroken", 6)
    assert_same(tmp_path / "unbroken", tmp_path / "broken")


def without_format(content: bytes, directory: Path) -> bytes:
    """A checkpoint that names no format."""
    found = files.load(directory / CHECKPOINT)
    nameless = files.Checkpoint({**found.numbers, "format": None}, found.arrays)
    files.save(directory / CHECKPOINT, nameless)
    return (directory / CHECKPOINT).read_bytes()


def of_newer_format(content: bytes, directory: Path) -> bytes:
    """A checkpoint of a format that is not known yet."""
    found = files.load(directory / CHECKPOINT)
    newer = files.Checkpoint({**found.numbers, "format": files.FORMAT + 1}, found.arrays)
    files.save(directory / CHECKPOINT, newer)
    return (directory / CHECKPOINT).read_bytes()


def foreign_archive(content: bytes, directory: Path) -> bytes:
    """Arrays in the same kind of file, which is none of ours."""
    return bytes(safetensors.numpy.save({"weights": np.ones(3)}))


def of_the_format_before(content: bytes, directory: Path) -> bytes:
    """A zip of arrays, as checkpoints were once."""
    np.savez(directory / "other.npz", numbers=np.array(json.dumps({"format": 1})))
    return (directory / "other.npz").read_bytes()


def huge(content: bytes, directory: Path) -> bytes:
    """A header that claims more than the file has."""
    header = {"sums": {"dtype": "F64", "shape": [10**12], "data_offsets": [0, 8 * 10**12]}}
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text


def of_objects(content: bytes, directory: Path) -> bytes:
    """An array of a type that is not of numbers."""
    header = {"__metadata__": {"numbers": "{}", "digest": ""}}
    text = json.dumps(
        {**header, "o": {"dtype": "O", "shape": [1], "data_offsets": [0, 8]}}
    ).encode()
    return len(text).to_bytes(8, "little") + text + bytes(8)


def one_array(content: bytes, directory: Path) -> bytes:
    """A file with a single array."""
    np.save(directory / "other.npy", np.ones(3))
    return (directory / "other.npy").read_bytes()


def with_a_flipped_bit(content: bytes, directory: Path) -> bytes:
    """A checkpoint in whose first array a bit is wrong."""
    at = len(content) - 20
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda content, _: content[: len(content) // 2], "not a whole checkpoint"),
        (lambda content, _: content[:-1], "not a whole checkpoint"),
        (lambda content, _: b"", "not a whole checkpoint"),
        (lambda content, _: b"hello\n", "not a whole checkpoint"),
        (lambda content, _: pickle.dumps({"generation": 1}), "not a whole checkpoint"),
        (with_a_flipped_bit, "not a whole checkpoint"),
        (foreign_archive, "not a whole checkpoint"),
        (huge, "not a whole checkpoint"),
        (of_objects, "not a whole checkpoint"),
        (of_the_format_before, "of a format that is gone .*: train anew"),
        (one_array, "not a whole checkpoint"),
        (without_format, "another version"),
        (of_newer_format, "another version"),
    ],
)
def test_damaged_checkpoints_refused_by_name(
    tmp_path: Path, damage: Callable[[bytes, Path], bytes], message: str
) -> None:
    new_run(tmp_path, 3)
    path = tmp_path / CHECKPOINT
    path.write_bytes(damage(path.read_bytes(), tmp_path))
    with pytest.raises(files.CheckpointError, match=message) as refusal:
        Run.resume(tmp_path)
    assert str(path) in str(refusal.value)


def test_a_missing_checkpoint_is_named(tmp_path: Path) -> None:
    new_run(tmp_path)
    (tmp_path / CHECKPOINT).unlink()
    with pytest.raises(ValueError, match=CHECKPOINT):
        Run.resume(tmp_path)


def test_a_run_with_a_checkpoint_of_the_format_before_says_what_to_do(tmp_path: Path) -> None:
    new_run(tmp_path)
    content = of_the_format_before(b"", tmp_path)
    (tmp_path / CHECKPOINT).unlink()
    old = tmp_path / "checkpoint.npz"
    old.write_bytes(content)
    with pytest.raises(
        files.CheckpointError, match="of a format that is gone .*: train anew"
    ) as why:
        Run.resume(tmp_path)
    assert str(old) in str(why.value)


def test_arrays_that_are_not_of_the_run_are_refused(tmp_path: Path) -> None:
    new_run(tmp_path, 2)
    numbers, arrays = files.load(tmp_path / CHECKPOINT)
    files.save(tmp_path / CHECKPOINT, files.Checkpoint(numbers, {**arrays, "more": np.ones(3)}))
    with pytest.raises(files.CheckpointError, match="not one of this run: .* not expected"):
        Run.resume(tmp_path)


def test_a_checkpoint_of_another_game_is_refused(tmp_path: Path) -> None:
    new_run(tmp_path / "kuhn", 2)
    new_run(tmp_path / "leduc", 1, helpers.LEDUC)
    ours = files.load(tmp_path / "kuhn" / CHECKPOINT)
    theirs = files.load(tmp_path / "leduc" / CHECKPOINT)
    os.replace(tmp_path / "leduc" / CHECKPOINT, tmp_path / "kuhn" / CHECKPOINT)
    with pytest.raises(files.CheckpointError, match="of another run than .*config.json"):
        Run.resume(tmp_path / "kuhn")
    forged = files.Checkpoint(ours.numbers, theirs.arrays)
    files.save(tmp_path / "kuhn" / CHECKPOINT, forged)
    with pytest.raises(files.CheckpointError, match=r"not one of kuhn_poker\(\)"):
        Run.resume(tmp_path / "kuhn")


def test_a_directory_without_a_run_is_refused(tmp_path: Path) -> None:
    for directory in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(ValueError, match=f"{directory} has no run: config.json is missing"):
            Run.resume(directory)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not the config of a run"),
        ('{"game": "kuhn', "not the config of a run"),
        ("[1, 2]", "not the config of a run"),
        ("\x00\x01", "not the config of a run"),
        ('{"game": "kuhn_poker", "models": "exact", "training": {}}', "as it was written"),
        (config_text({"game": "kuhn_poker", "models": "exact", "training": {}})[0], "seed missing"),
    ],
)
def test_damaged_configs_refused_by_name(tmp_path: Path, text: str, message: str) -> None:
    new_run(tmp_path, 1)
    (tmp_path / CONFIG).write_text(text)
    with pytest.raises(ValueError, match=message) as refusal:
        Run.resume(tmp_path)
    assert str(tmp_path / CONFIG) in str(refusal.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [("training", 5), ("training", {"vists": {"start": 1}}), ("seed", "x"), ("game", 5)],
)
def test_configs_with_a_wrong_entry_refused_by_name(tmp_path: Path, key: str, value: Any) -> None:
    new_run(tmp_path, 1)
    settings = {**read_config(tmp_path), key: value}
    (tmp_path / CONFIG).write_text(json.dumps(settings))
    with pytest.raises(ValueError) as refusal:
        Run.resume(tmp_path)
    assert str(tmp_path / CONFIG) in str(refusal.value)


# The policy of a run.


@pytest.mark.parametrize("game", [helpers.KUHN, helpers.GOOFSPIEL_4])
def test_openspiel_measures_the_loaded_policy(tmp_path: Path, game: str) -> None:
    run = new_run(tmp_path, 20, game)
    metrics = read_metrics(tmp_path)[-1]
    policy = load_policy(tmp_path)
    measured = exploitability.exploitability(helpers.load(game), policy)
    assert measured == pytest.approx(metrics.exploitability_average, abs=1e-9)
    assert measured > 0.0
    graph: GameGraph = run.graph
    assert policy_table(graph, policy) == pytest.approx(run.policy(), abs=1e-12)


def test_loading_a_policy_leaves_a_run_under_way_alone(tmp_path: Path) -> None:
    run = new_run(tmp_path, 3)
    for _ in run.train(Budget(generations=6), checkpoint_seconds=1000.0):
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        load_policy(tmp_path)
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert [metrics.generation for metrics in read_metrics(tmp_path)] == [1, 2, 3, 4, 5, 6]


def test_a_bot_searches_round_the_policy_of_a_run(tmp_path: Path) -> None:
    run = new_run(tmp_path, 30)
    evaluator = load_evaluator(tmp_path)
    assert np.array_equal(evaluator.policy, run.policy())
    bot = make_bot("nash_ismcts", helpers.KUHN, 0, evaluator=evaluator, visits=50, seed=1)
    state = helpers.state_after(helpers.load(helpers.KUHN), [1, 2])
    result = bot.search(state)
    row = load_policy(tmp_path).action_probabilities(state)
    assert dict(zip(result.actions, result.prior, strict=True)) == pytest.approx(row)


# Killed and interrupted processes.


def start(*flags: str, terminal: int | None = None) -> subprocess.Popen[str]:
    """The command in a process of its own, which Ctrl-C reaches however the tests were started; on
    a terminal, if one is given.
    """

    def prepare() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        if terminal is not None:
            os.setsid()
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.Popen(
        [sys.executable, "-m", "nash_ismcts_spiel.cli", "train", *flags],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE if terminal is None else terminal,
        text=True,
        preexec_fn=prepare,
    )


def wait_for(process: subprocess.Popen[str], directory: Path, generation: int) -> None:
    """Waits until a run's checkpoint has come to a generation; 0 is as soon as there is a run."""
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()[1]
        if (directory / CONFIG).exists():
            found = files.load(directory / CHECKPOINT).numbers["generation"]
            if found >= generation:
                return
        time.sleep(0.002)
    raise AssertionError(f"no generation {generation} within {TIMEOUT} s")


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that a test has started; none of them outlives it."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.communicate(timeout=TIMEOUT)


def flags_of(directory: Path, visits: int) -> tuple[list[str], list[str]]:
    """Command lines that begin and go on with a run of Leduc poker that saves all the time."""
    both = ["--out", str(directory), "--generations", "100", "--checkpoint-seconds", "0"]
    settings = f'visits={{"start": {visits}}}'
    return ["--game", "leduc_poker", "--seed", "3", "--set", settings, *both], ["--resume", *both]


def test_killed_at_any_moment_it_goes_on_as_if_unbroken(
    tmp_path: Path, processes: list[subprocess.Popen[str]]
) -> None:
    new_run(tmp_path / "unbroken", 100, helpers.LEDUC, visits=Schedule(start=10.0))
    directory = tmp_path / "killed"
    begin, go_on = flags_of(directory, 10)
    for flags, generation in ((begin, 0), (go_on, 7), (go_on, 30)):
        processes.append(start(*flags))
        wait_for(processes[-1], directory, generation)
        processes[-1].kill()
        assert processes[-1].wait(TIMEOUT) == -signal.SIGKILL
    processes.append(start(*go_on))
    _, error = processes[-1].communicate(timeout=TIMEOUT)
    assert processes[-1].returncode == 0, error
    assert_same(tmp_path / "unbroken", directory)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_it_says_how_to_go_on_and_does(
    tmp_path: Path, processes: list[subprocess.Popen[str]], how: signal.Signals
) -> None:
    directory = tmp_path / "interrupted"
    begin, _ = flags_of(directory, 30)
    processes.append(start(*begin))
    wait_for(processes[0], directory, 6)
    processes[0].send_signal(how)
    _, error = processes[0].communicate(timeout=TIMEOUT)
    assert processes[0].returncode == 128 + how
    assert "Traceback" not in error
    last = error.splitlines()[-1]
    done = files.load(directory / CHECKPOINT).numbers["generation"]
    assert 6 <= done < 100
    assert last == (
        f"nash-ismcts: saved after generation {done}; go on with: nash-ismcts train --resume "
        f"--out {directory}"
    )
    new_run(tmp_path / "unbroken", done + 10, helpers.LEDUC, visits=Schedule(start=30.0))
    resumed(directory, done + 10)
    assert_same(tmp_path / "unbroken", directory)


def test_it_saves_when_its_terminal_goes(
    tmp_path: Path, processes: list[subprocess.Popen[str]]
) -> None:
    directory = tmp_path / "left"
    begin, _ = flags_of(directory, 30)
    ours, theirs = os.openpty()
    late = ["--checkpoint-seconds", "1000", "--generations", "100000"]
    processes.append(start(*begin, *late, terminal=theirs))
    os.close(theirs)
    deadline = time.monotonic() + TIMEOUT
    while not (directory / METRICS).exists() or len(read_metrics(directory)) < 4:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.close(ours)
    assert processes[0].wait(TIMEOUT) == 128 + signal.SIGHUP
    saved = files.load(directory / CHECKPOINT).numbers["generation"]
    assert saved >= read_metrics(directory)[-1].generation > 0


def test_what_is_ignored_stays_ignored() -> None:
    """As under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupting():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGTERM)  # again, while the first one is answered
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)
