"""The size of networks, what they see, and where they compute."""

from __future__ import annotations

import dataclasses

from nash_ismcts_spiel.games.tensors import TensorInputs
from nash_ismcts_spiel.settings import Settings

MOST_WIDTH, MOST_DEPTH = 100_000, 1_000


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class NetworkConfig(Settings):
    """The size of each network.

    Attributes:
      width: units per layer.
      depth: residual layers.
      inputs: what describes an information set to them: all that its player has seen and done, or
        its present observation alone. The latter forgets in which order things came; where that
        tells little (phantom and dark board games), far fewer inputs are to be learned, and P can
        be measured exactly beyond enumeration.
      device: where torch fits and evaluates them, such as "cpu" or "cuda".
    """

    width: int = 64
    depth: int = 2
    inputs: TensorInputs = "information_state"
    device: str = "cpu"

    def __post_init__(self) -> None:
        """Refuses networks without units, and those that no machine has room for."""
        self.check_types()
        for name, most in (("width", MOST_WIDTH), ("depth", MOST_DEPTH)):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
            if getattr(self, name) > most:
                raise ValueError(f"{name} must be at most {most:,}, not {getattr(self, name)}")
