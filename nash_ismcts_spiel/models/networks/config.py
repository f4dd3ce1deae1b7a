"""The size of networks, what they see, and where they compute."""

from __future__ import annotations

import dataclasses
from typing import Literal

from nash_ismcts_spiel.games import SupportedGame
from nash_ismcts_spiel.games.splitting import SplitActions
from nash_ismcts_spiel.games.tensors import TensorInputs, Tensors
from nash_ismcts_spiel.settings import Settings

MOST_WIDTH, MOST_DEPTH = 100_000, 1_000
WIDE_INPUTS = 4096
"""Numbers that describe a SAMPLE node, above which H is too dear to be asked for every piece."""

Beliefs = Literal["auto", "network", "prior"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class NetworkConfig(Settings):
    """The size of each network.

    Attributes:
      width: units per layer, in convolutions per cell.
      depth: residual layers.
      inputs: what describes an information set to them: all that its player has seen and done, or
        its present observation alone. The latter forgets in which order things came; where that
        tells little (phantom and dark board games), far fewer inputs are to be learned, and P can
        be measured exactly beyond enumeration. "board" puts all that was seen on a board, in games
        for which one is known (battleship), and P and V are convolutions over it; H reads it as any
        numbers.
      turned: whether they are shown every row turned to a standard one, in games on square boards
        that turns or reflections leave the same (phantom_ttt has eight, dark_hex two). As many
        times fewer rows are then to be learned; in other games nothing changes.
      beliefs: what searches draw hidden pieces by: H ("network"), or the prior; then H is learned
        and not asked. A search asks H once for every piece; where hidden states are long and rows
        of H have thousands of inputs, that takes nearly all of its time. "auto" takes the prior
        where a row has more than 4,096 inputs (hearts, battleship).
      device: where torch fits and evaluates them, such as "cpu" or "cuda".
    """

    width: int = 64
    depth: int = 2
    inputs: TensorInputs = "information_state"
    turned: bool = False
    beliefs: Beliefs = "auto"
    device: str = "cpu"

    def __post_init__(self) -> None:
        """Refuses networks without units, and those that no machine has room for."""
        self.check_types()
        for name, most in (("width", MOST_WIDTH), ("depth", MOST_DEPTH)):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
            if getattr(self, name) > most:
                raise ValueError(f"{name} must be at most {most:,}, not {getattr(self, name)}")

    def tensors(self, game: SupportedGame, split_actions: SplitActions) -> Tensors:
        """What the networks see of a game."""
        return Tensors(game, None, split_actions, self.inputs, self.turned)

    def asks_for_beliefs(self, sample_inputs: int) -> bool:
        """Whether searches ask H, whose rows have so many inputs."""
        if self.beliefs == "auto":
            return sample_inputs <= WIDE_INPUTS
        return self.beliefs == "network"
