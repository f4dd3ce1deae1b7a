"""Networks over a board: convolutions, which learn once for all cells what a neighbourhood means.

Their rows are facts about the whole position and then planes over the cells
(`games/boards.py`); their outputs are numbers of the whole position (`V`), then one per cell and
plane of actions. A first layer sees five by five cells, each residual block two more in every
direction. Outputs of cells are differences from the first number of the whole position, if there is
one: most of what a position is worth is the same after all actions (a dueling network).
"""

from __future__ import annotations

from nash_ismcts_spiel.models.networks import torch_check  # noqa: F401  (before torch)

# isort: split
import torch
from torch import Tensor, nn
from torch.nn import functional

from nash_ismcts_spiel.models.networks.config import NetworkConfig

_FIRST, _NEXT = 5, 3
"""Sides of the squares of cells that layers look at."""

_TOGETHER = 64
"""Rows that are evaluated at once: what lies between layers then stays in the cache."""


class Network(nn.Module):
    """Any network of this package: rows in, rows out."""

    into: nn.Linear | nn.Conv2d

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return self.into.weight.device


class BoardNetwork(Network):
    """Convolutions in residual blocks, with facts of the whole position added to every cell."""

    def __init__(
        self,
        inputs: int,
        shape: tuple[int, int, int],
        numbers: int,
        actions: int,
        config: NetworkConfig,
    ) -> None:
        """Makes it with random weights.

        Args:
          inputs: numbers of a row, facts first, then planes.
          shape: planes, rows and columns of the board.
          numbers: outputs of the whole position.
          actions: outputs of the cells, plane after plane.
          config: `width` is that of a cell.

        Raises:
          ValueError: the actions are not planes of cells, or the row has no room for the board.
        """
        super().__init__()
        planes, rows, columns = shape
        facts = inputs - planes * rows * columns
        if facts < 1 or actions % (rows * columns) != 0:
            raise ValueError(f"{actions} actions, {inputs} inputs do not fit on a board {shape}")
        self._shape = shape
        self._facts, self._numbers = facts, numbers
        width = config.width
        self.into = nn.Conv2d(planes, width, _FIRST, padding=_FIRST // 2)
        self.facts = nn.Linear(facts, width)
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.GroupNorm(1, width),
                nn.LeakyReLU(),
                nn.Conv2d(width, width, _NEXT, padding=_NEXT // 2),
            )
            for _ in range(config.depth)
        )
        self.norm = nn.GroupNorm(1, width)
        self.cells = nn.Conv2d(width, actions // (rows * columns), 1)
        self.out = nn.Linear(2 * width + facts, numbers) if numbers else None

    def forward(self, batch: Tensor) -> Tensor:
        """Outputs of a batch. [rows, numbers + actions]"""
        if torch.is_grad_enabled() or len(batch) <= _TOGETHER:
            return self._outputs(batch)
        return torch.cat([self._outputs(part) for part in torch.split(batch, _TOGETHER)])

    def _outputs(self, batch: Tensor) -> Tensor:
        facts = batch[:, : self._facts]
        hidden = self.into(batch[:, self._facts :].reshape(-1, *self._shape))
        hidden = hidden + self.facts(facts)[:, :, None, None]
        for block in self.blocks:
            hidden = hidden + block(hidden)
        hidden = functional.leaky_relu(self.norm(hidden))
        cells: Tensor = self.cells(hidden).flatten(1)
        if self.out is None:
            return cells
        whole = torch.cat([hidden.mean((2, 3)), hidden.amax((2, 3)), facts], dim=1)
        numbers = self.out(whole)
        return torch.cat([numbers, numbers[:, :1] + cells], dim=1)
