"""The value network (what each slot of both players is worth at a public belief state) and how it
learns: a buffer of belief states with their values, and Adam.

The network sees which future a public state has, as a learned vector, and both players' beliefs.
What comes out is corrected by half of what the players' values, weighted by their beliefs, add up
to: in a zero-sum game that is 0. Inside, values are in value scales (standard deviation of
returns). Leaves are valued by a second network whose weights are a running mean of the first one's,
which takes out most of the noise of the last steps.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.models.networks import torch_check  # noqa: F401  (before torch)

# isort: split
import torch
from torch import Tensor, nn

from nash_ismcts_spiel.baselines.rebel.config import RebelConfig
from nash_ismcts_spiel.baselines.rebel.self_play import BeliefStates
from nash_ismcts_spiel.baselines.rebel.subgames import PLAYERS, Floats, Ints, PublicTree
from nash_ismcts_spiel.learning.fit import adam_arrays, restore_adam
from nash_ismcts_spiel.models.networks.nets import inside, load_weights, outside, weights_of


class ValueNetwork(nn.Module):
    """Hidden layers with layer normalisation, as in the paper, and a linear layer out."""

    def __init__(self, futures: int, slots: int, config: RebelConfig) -> None:
        """Makes it with random weights; `slots` is the width of a player's beliefs."""
        super().__init__()
        self.slots = slots
        self.future = nn.Embedding(futures, config.width)
        self.beliefs = nn.Linear(PLAYERS * slots, config.width)
        layers: list[nn.Module] = [nn.LayerNorm(config.width), nn.GELU()]
        for _ in range(config.layers - 1):
            layers += [nn.Linear(config.width, config.width), nn.LayerNorm(config.width), nn.GELU()]
        self.hidden = nn.Sequential(*layers)
        self.out = nn.Linear(config.width, PLAYERS * slots)

    def forward(self, futures: Tensor, beliefs: Tensor) -> Tensor:
        """Values of a batch of futures [R] with beliefs [R, 2, slots]. [R, 2, slots]"""
        flat = beliefs.flatten(1)
        values = self.out(self.hidden(self.future(futures) + self.beliefs(flat)))
        # Either player's beliefs add up to 1, so this takes off half the excess of each side.
        excess = (values * flat).sum(dim=1, keepdim=True)
        corrected: Tensor = (values - excess / PLAYERS).unflatten(1, (PLAYERS, self.slots))
        return corrected


def make_network(tree: PublicTree, config: RebelConfig, seed: int) -> ValueNetwork:
    """A network with random weights drawn from the seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return ValueNetwork(tree.num_futures, tree.width, config)


class NetworkLeaves:
    """Leaf values by a network."""

    def __init__(self, tree: PublicTree, network: ValueNetwork) -> None:
        """Asks the network as it is at the time of each call."""
        self._network = network
        self._future = torch.from_numpy(tree.future.astype(np.int64))
        self._scale = tree.graph.value_scale

    @torch.inference_mode()
    def __call__(self, player: int, states: Ints, beliefs: Floats) -> Floats:
        """Values of the player's slots. [R, width]"""
        values = self._network(self._future[states], torch.from_numpy(beliefs).float())
        found: Floats = values[:, player].double().numpy() * self._scale
        return found


Arrays = Mapping[str, npt.NDArray[np.generic]]
Singles = npt.NDArray[np.float32]

_COLUMNS = ("futures", "beliefs", "values")


class Buffer:
    """The latest belief states; values are in value scales.

    Attributes:
      added: rows that were ever added.
      futures, beliefs, values: the rows that are kept, oldest overwritten first.
    """

    def __init__(self, capacity: int, width: int) -> None:
        """Starts empty."""
        self.added = 0
        self.futures = np.zeros(capacity, dtype=np.int64)
        self.beliefs: Singles = np.zeros((capacity, PLAYERS, width), dtype=np.float32)
        self.values: Singles = np.zeros((capacity, PLAYERS, width), dtype=np.float32)

    def __len__(self) -> int:
        """Rows that are kept."""
        return min(self.added, len(self.futures))

    def add(
        self, futures: npt.NDArray[np.int32], beliefs: npt.NDArray[np.float64], values: Singles
    ) -> None:
        """Adds rows."""
        for futures_part, beliefs_part, values_part in zip(futures, beliefs, values, strict=True):
            row = self.added % len(self.futures)
            self.futures[row] = futures_part
            self.beliefs[row] = beliefs_part
            self.values[row] = values_part
            self.added += 1

    def restore(self, arrays: Arrays, num_futures: int) -> None:
        """Takes over rows that were kept.

        Raises:
          ValueError: they are not rows of this buffer.
        """
        added = int(arrays["added"])
        kept = min(added, len(self.futures))
        for name in _COLUMNS:
            column, own = arrays[name], getattr(self, name)
            if column.dtype != own.dtype or column.shape != (kept, *own.shape[1:]):
                raise ValueError(f"{name} of the buffer have shape {column.shape}")
            if not np.isfinite(column).all():
                raise ValueError(f"{name} of the buffer are not finite")
        futures = arrays["futures"].astype(np.int64)
        if added < 0 or not ((futures >= 0) & (futures < num_futures)).all():
            raise ValueError("futures of the buffer are not those of the game")
        self.added = added
        for name in _COLUMNS:
            getattr(self, name)[:kept] = arrays[name]


class Learner:
    """The network, its optimizer and its buffer.

    Attributes:
      buffer: what is learned from.
      leaf_values: what has been learned.
      last_loss: mean squared error of the last fit, in squared value scales.
    """

    def __init__(self, tree: PublicTree, config: RebelConfig, seed: int) -> None:
        """Starts with random weights drawn from the seed."""
        torch.set_num_threads(1)  # the network is small: more threads only wait for each other
        self._tree = tree
        self._config = config
        self._network = make_network(tree, config, seed)
        self._smooth = copy.deepcopy(self._network)
        self._optimizer = torch.optim.Adam(self._network.parameters(), fused=True)
        self._dealt = torch.from_numpy((tree.mass > 0.0).astype(np.float32))
        self._future_state = np.unique(tree.future, return_index=True)[1]
        self.buffer = Buffer(config.buffer, tree.width)
        self.leaf_values = NetworkLeaves(tree, self._smooth)
        self.last_loss = float("nan")

    def learn(self, rows: BeliefStates, generation: int, rng: np.random.Generator) -> None:
        """Adds rows to the buffer and takes the steps of a generation."""
        scaled = (rows.values / self._tree.graph.value_scale).astype(np.float32)
        self.buffer.add(self._tree.future[rows.states], rows.beliefs, scaled)
        for group in self._optimizer.param_groups:
            group["lr"] = self._config.learning_rate.at(generation)
        total = 0.0
        for _ in range(self._config.steps):
            total += self._step(rng.integers(len(self.buffer), size=self._config.batch))
        self.last_loss = total / max(self._config.steps, 1)

    def arrays(self) -> Arrays:
        """All that a checkpoint must keep; copies."""
        kept = len(self.buffer)
        return {
            **outside("network", weights_of(self._network)),
            **outside("smooth", weights_of(self._smooth)),
            **adam_arrays(self._optimizer),
            "last_loss": np.array(self.last_loss),
            "added": np.array(self.buffer.added),
            "futures": self.buffer.futures[:kept].copy(),
            "beliefs": self.buffer.beliefs[:kept].copy(),
            "values": self.buffer.values[:kept].copy(),
        }

    def restore(self, arrays: Arrays) -> None:
        """Goes back to where `arrays` were taken."""
        load_weights(self._network, inside(arrays, "network"))
        load_weights(self._smooth, inside(arrays, "smooth"))
        restore_adam(self._optimizer, inside(arrays, "adam"))
        self.last_loss = float(arrays["last_loss"])
        self.buffer.restore(arrays, self._tree.num_futures)

    def _step(self, drawn: npt.NDArray[np.int64]) -> float:
        futures = self.buffer.futures[drawn]
        dealt = self._dealt[self._future_state[futures]]
        beliefs = torch.from_numpy(self.buffer.beliefs[drawn])
        found = self._network(torch.from_numpy(futures), beliefs)
        errors = (found - torch.from_numpy(self.buffer.values[drawn])).square() * dealt
        loss = errors.sum() / dealt.sum()
        self._optimizer.zero_grad()
        loss.backward()
        parameters = list(self._network.parameters())
        torch.nn.utils.clip_grad_norm_(parameters, self._config.gradient_clip)
        self._optimizer.step()
        with torch.no_grad():
            smooth = [parameter.data for parameter in self._smooth.parameters()]
            now = [parameter.data for parameter in parameters]
            torch._foreach_lerp_(smooth, now, 1.0 - self._config.smoothing)
        return float(loss.detach())
