"""The metrics of a run for TensorBoard, beside `metrics.jsonl`."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from nash_ismcts_spiel.runs.metrics import Metrics

FOLDER = "tensorboard"


class Board:
    """Writes one scalar per metric, with the generation as the step."""

    def __init__(self, directory: Path) -> None:
        """Writes to a folder in the run's directory.

        Raises:
          ValueError: TensorBoard is not installed.
        """
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ModuleNotFoundError:
            wanted = "pip install 'nash_ismcts_spiel[tensorboard]'"
            raise ValueError(f"--tensorboard needs the package tensorboard: {wanted}") from None
        self._writer = SummaryWriter(str(directory / FOLDER))

    def write(self, metrics: Metrics) -> None:
        """Adds a measured generation."""
        values = {
            "exploitability/average": metrics.exploitability_average,
            "exploitability/search": metrics.exploitability_search,
            "simulations": metrics.simulations,
            **{name.replace("loss_", "loss/"): value for name, value in metrics.figures.items()},
        }
        for name, value in values.items():
            if value is not None:
                self._writer.add_scalar(
                    name, value, metrics.generation, walltime=metrics.wall_seconds
                )

    def __enter__(self) -> Self:
        """Nothing to do."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Writes what is left."""
        self._writer.close()
