"""The metrics of a run for TensorBoard, beside `metrics.jsonl`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from nash_ismcts_spiel.runs.metrics import Metrics

FOLDER = "tensorboard"


@contextlib.contextmanager
def board(directory: Path) -> Iterator[Callable[[Metrics], None]]:
    """Writes generations to a folder in the run's directory: a scalar per metric.

    Raises:
      ValueError: TensorBoard is not installed.
    """
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ModuleNotFoundError:
        wanted = "pip install 'nash_ismcts_spiel[tensorboard]'"
        raise ValueError(f"--tensorboard needs the package tensorboard: {wanted}") from None

    def write(metrics: Metrics) -> None:
        values = {
            "exploitability/average": metrics.exploitability_average,
            "exploitability/search": metrics.exploitability_search,
            "simulations": metrics.simulations,
            **{name.replace("loss_", "loss/"): value for name, value in metrics.figures.items()},
        }
        for name, value in values.items():
            if value is not None:
                writer.add_scalar(name, value, metrics.generation, walltime=metrics.wall_seconds)

    with SummaryWriter(str(directory / FOLDER)) as writer:
        yield write
