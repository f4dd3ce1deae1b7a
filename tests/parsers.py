"""Every parser of files and of command lines as a function of bytes, for fuzzing.

A parser may take what it is given, or refuse it by a `DamagedFileError` that names the file; a
command may end with code 0, or with code 2 and one line. Anything else is a finding. Some targets
get what stands behind a checksum, and seal it as the package would.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from nash_ismcts_spiel import cli, files
from nash_ismcts_spiel.compare import Study
from nash_ismcts_spiel.compare.study import RECORDS, SETTINGS, append_record, read_records
from nash_ismcts_spiel.files.lines import sealed
from nash_ismcts_spiel.models.networks import saved
from nash_ismcts_spiel.runs import Run
from nash_ismcts_spiel.runs.config import CHECKPOINT, CONFIG, config_text, read_config, run_of
from nash_ismcts_spiel.runs.metrics import METRICS, read_metrics

CORPUS = Path(__file__).parent / "corpus"
RUN = CORPUS / "run"
MODELS = CORPUS / "models.safetensors"
COMPARISON = CORPUS / "comparison"

Parser = Callable[[bytes, Path], None]


class Finding(AssertionError):  # noqa: N818  (it is what a fuzzer finds)
    """A parser did something else than to take or to refuse."""


@contextlib.contextmanager
def refusing(path: Path) -> Iterator[None]:
    """Lets refusals pass that name the file."""
    try:
        yield
    except files.DamagedFileError as error:
        if str(path) not in str(error):
            raise Finding(f"{path.name} is not named by: {error}") from error
    except Exception as error:
        raise Finding(f"{path.name}: {type(error).__name__}: {error}") from error


def plain(content: bytes) -> object:
    """The JSON value behind a checksum; None if it is none, since then nothing can be sealed."""
    try:
        return files.parse_json(content)
    except ValueError:
        return None


def a_run(folder: Path, name: str, content: bytes) -> Path:
    """A copy of the run in which one file is another."""
    directory = folder / "run"
    shutil.copytree(RUN, directory)
    (directory / name).write_bytes(content)
    return directory


def checkpoint(content: bytes, folder: Path) -> None:
    directory = a_run(folder, CHECKPOINT, content)
    with refusing(directory / CHECKPOINT):
        Run.resume(directory)


def checkpoint_numbers(content: bytes, folder: Path) -> None:
    numbers = plain(content)
    if isinstance(numbers, dict):
        stored = files.Checkpoint(numbers, files.load(RUN / CHECKPOINT).arrays)
        directory = a_run(folder, CHECKPOINT, b"")
        files.save(directory / CHECKPOINT, stored)
        with refusing(directory):
            Run.resume(directory)


def config(content: bytes, folder: Path) -> None:
    directory = a_run(folder, CONFIG, content)
    with refusing(directory):
        Run.resume(directory)


def config_settings(content: bytes, folder: Path) -> None:
    settings = plain(content)
    if isinstance(settings, dict):
        text, _ = config_text({k: v for k, v in settings.items() if k != "digest"})
        directory = a_run(folder, CONFIG, text.encode())
        with refusing(directory / CONFIG):
            read_config(directory)


def metrics(content: bytes, folder: Path) -> None:
    directory = a_run(folder, METRICS, content)
    with refusing(directory / METRICS):
        read_metrics(directory)
    with refusing(directory / METRICS):
        Run.resume(directory)


def metrics_line(content: bytes, folder: Path) -> None:
    record = plain(content)
    if isinstance(record, dict) and record:
        line, _ = sealed(json.dumps(record), run_of(RUN))
        directory = a_run(folder, METRICS, f"{line}\n".encode())
        with refusing(directory / METRICS):
            read_metrics(directory)


def models(content: bytes, folder: Path) -> None:
    path = folder / "models.safetensors"
    path.write_bytes(content)
    with refusing(path):
        saved.load(path)


def model_header(content: bytes, folder: Path) -> None:
    numbers = plain(content)
    if isinstance(numbers, dict):
        path = folder / "models.safetensors"
        files.save(path, files.Checkpoint(numbers, files.load(MODELS).arrays))
        with refusing(path):
            saved.load(path)


def model_weights(content: bytes, folder: Path) -> None:
    path = folder / "models.safetensors"
    numbers, arrays = files.load(MODELS)
    name, array = next(iter(arrays.items()))
    room = np.frombuffer(content[: array.nbytes].ljust(array.nbytes, b"\0"), array.dtype)
    changed = {**arrays, name: room.reshape(array.shape)}
    files.save(path, files.Checkpoint(numbers, changed))
    with refusing(path):
        saved.load(path)


def comparison(content: bytes, folder: Path) -> None:
    path = folder / RECORDS
    path.write_bytes(content)
    with refusing(path):
        read_records(path)


def comparison_record(content: bytes, folder: Path) -> None:
    record = plain(content)
    if isinstance(record, dict) and record:
        path = folder / RECORDS
        append_record(path, record)
        with refusing(path):
            read_records(path)


def comparison_settings(content: bytes, folder: Path) -> None:
    path = folder / SETTINGS
    path.write_bytes(content)
    with refusing(path):
        Study.resume(folder)


def command(*words: str) -> None:
    """Runs a command line, and looks at how it ends."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(words)
    except Exception as error:
        raise Finding(f"{words}: {type(error).__name__}: {error}") from error
    said = [line for line in err.getvalue().splitlines() if line.startswith("nash-ismcts: error")]
    if code not in (0, 2) or len(said) != (code == 2):
        raise Finding(f"{words} ended with {code} and said {said}")


def text_of(content: bytes) -> str:
    """A word of a command line: no system lets NUL through."""
    return content.decode(errors="replace").replace("\0", "")


def setting(content: bytes, folder: Path) -> None:
    words = ["--game", "kuhn_poker", "--generations", "0", "--out", str(folder / "new")]
    command("train", *words, "--set", text_of(content))


def game(content: bytes, folder: Path) -> None:
    command("search", "--visits", "2", "--game", text_of(content))


def number(option: str, content: bytes, folder: Path) -> None:
    words = ["--game", "kuhn_poker", "--history", "0,1", "--visits", "2"]
    command("search", *words, option, text_of(content))


PARSERS: dict[str, Parser] = {
    "checkpoint": checkpoint,
    "checkpoint_numbers": checkpoint_numbers,
    "config": config,
    "config_settings": config_settings,
    "metrics": metrics,
    "metrics_line": metrics_line,
    "models": models,
    "model_header": model_header,
    "model_weights": model_weights,
    "comparison": comparison,
    "comparison_record": comparison_record,
    "comparison_settings": comparison_settings,
    "setting": setting,
    "game": game,
    "history": functools.partial(number, "--history"),
    "seed": functools.partial(number, "--seed"),
}


def seeds(name: str) -> list[bytes]:
    """Inputs to begin from: whole files of the corpus, and what is kept for one parser."""
    numbers, header = files.load(RUN / CHECKPOINT).numbers, files.load(MODELS).numbers
    lines = (RUN / METRICS).read_bytes().splitlines()
    records = (COMPARISON / RECORDS).read_bytes().splitlines()
    whole = {
        "checkpoint": [(RUN / CHECKPOINT).read_bytes()],
        "checkpoint_numbers": [json.dumps(numbers).encode()],
        "config": [(RUN / CONFIG).read_bytes()],
        "config_settings": [(RUN / CONFIG).read_bytes()],
        "metrics": [(RUN / METRICS).read_bytes()],
        "metrics_line": lines[:1],
        "models": [MODELS.read_bytes()],
        "model_header": [json.dumps(header).encode()],
        "model_weights": [next(iter(files.load(MODELS).arrays.values())).tobytes()],
        "comparison": [(COMPARISON / RECORDS).read_bytes()],
        "comparison_record": records,
        "comparison_settings": [(COMPARISON / SETTINGS).read_bytes()],
    }
    lists = CORPUS / f"{name}.txt"
    words = lists.read_bytes().splitlines() if lists.exists() else []
    found = [path.read_bytes() for path in sorted(CORPUS.glob(f"found/{name}-*"))]
    return [*whole.get(name, []), *words, *found]


def parse(name: str, content: bytes) -> None:
    """Gives a parser some bytes; raises Finding if it does what it should not."""
    with tempfile.TemporaryDirectory() as folder:
        PARSERS[name](content, Path(folder))
