"""Tables of runs: the metrics of one as a DataFrame, and one table of many.

Exploitability is NashConv / number of players, in the game's utility units; times are wall and
processor seconds spent on generations.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nash_ismcts_spiel.files import file_name
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.learning.config import ModelKind, TrainingConfig
from nash_ismcts_spiel.notebook import cell, html_table
from nash_ismcts_spiel.runs.config import CONFIG, read_config
from nash_ismcts_spiel.runs.directory import Budget
from nash_ismcts_spiel.runs.metrics import Metrics, read_metrics
from nash_ismcts_spiel.runs.run import Run

_SHOWN = (
    "name", "game", "seed", "generation", "wall_seconds", "cpu_seconds", "simulations",
    "exploitability_average",
)  # fmt: skip


def data_frame(rows: Iterable[Mapping[str, Any]]) -> Any:
    """A pandas DataFrame with one line per row.

    Raises:
      ModuleNotFoundError: pandas is not installed; the message says how to get it.
    """
    try:
        import pandas
    except ModuleNotFoundError:
        wanted = "pip install 'nash_ismcts_spiel[notebook]'"
        message = f"a DataFrame needs the package pandas: {wanted}"
        raise ModuleNotFoundError(message, name="pandas") from None
    return pandas.DataFrame(list(rows))


def metrics_frame(run: str | Path) -> Any:
    """The metrics of a run as a DataFrame, one line per measured generation; raises as above."""
    return data_frame(map(_flat, read_metrics(run)))


@dataclasses.dataclass(frozen=True, slots=True)
class RunTable:
    """One line per run, with the last generation that was measured.

    Attributes:
      rows: by name of the column; `directory` is where a run lives, `metrics` are its last ones.
    """

    rows: tuple[Mapping[str, Any], ...]

    @classmethod
    def of(cls, runs: Mapping[str, str | Path] | Sequence[str | Path]) -> RunTable:
        """A table of runs that are there, by their names or those of their directories.

        Raises:
          ValueError: a directory has no run, or its files are damaged.
        """
        if not isinstance(runs, Mapping):
            runs = {str(directory): directory for directory in runs}
        return cls(tuple(_row(name, Path(directory)) for name, directory in runs.items()))

    def data_frame(self) -> Any:
        """The table as a DataFrame; raises as `data_frame` does."""
        return data_frame(self.rows)

    def __str__(self) -> str:
        """The table in plain text."""
        lines = [list(_SHOWN), *([cell(row.get(name)) for name in _SHOWN] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )

    def _repr_html_(self) -> str:
        """The table, for notebooks."""
        rows = ([row.get(name) for name in _SHOWN] for row in self.rows)
        return html_table(f"{len(self.rows)} runs", _SHOWN, rows)


def sweep(
    directory: str | Path,
    game: str,
    settings: Mapping[str, TrainingConfig | Mapping[str, Any]],
    budget: Budget,
    seeds: Iterable[int] = (0,),
    models: ModelKind = "exact",
    on_run: Callable[[str], object] = lambda name: None,
) -> RunTable:
    """Trains every named setting with every seed, one after the other, and makes one table.

    Runs that are there already go on until the budget is spent, so a sweep may be interrupted,
    extended by settings and seeds, and given a larger budget.

    Args:
      directory: gets a folder NAME-SEED per run.
      game: what is trained.
      settings: configs, or changes of the default one, by name.
      budget: of each run.
      seeds: of each setting.
      models: where models come from.
      on_run: called with the name of each run before it begins.

    Raises:
      ValueError: a run that is there has another game, other models or another setting.
    """
    runs: dict[str, str | Path] = {}
    for name, setting in settings.items():
        for seed in seeds:
            config = setting
            if not isinstance(config, TrainingConfig):
                config = TrainingConfig.preset(**config)
            whole = f"{name}-{seed}"
            place = Path(directory) / file_name(whole)
            on_run(whole)
            run = _taken_up(place, game, seed, config, models)
            for _ in run.train(budget):
                pass
            runs[whole] = place
    return RunTable.of(runs)


def _taken_up(place: Path, game: str, seed: int, config: TrainingConfig, models: ModelKind) -> Run:
    """The run of a sweep, new or as it was left."""
    if not (place / CONFIG).exists():
        return Run.create(place, game, seed, config, models=models)
    run = Run.resume(place)
    found, wanted = (run.game, run.seed, run.kind), (support(game).name, seed, models)
    if found != wanted or run.config != config:
        raise ValueError(f"{place} has a run with other settings; choose another directory")
    return run


def _row(name: str, directory: Path) -> dict[str, Any]:
    settings = read_config(directory)
    measured = read_metrics(directory)
    about = {"name": name, **{key: settings[key] for key in ("game", "models", "seed")}}
    last = _flat(measured[-1]) if measured else {}
    return {**about, "directory": str(directory), **last}


def _flat(metrics: Metrics) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(metrics.line())
    return found
