"""Settings of ReBeL: how subgames are cut off and solved, how games are played to learn from, and
how the value network learns.
"""

from __future__ import annotations

import dataclasses

from nash_ismcts_spiel.baselines.rebel.subgames import Method
from nash_ismcts_spiel.schedule import Schedule
from nash_ismcts_spiel.settings import Settings

UNSAFE = "exploitability_unsafe"
"""What a line of metrics calls the exploitability of unsafe search."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RebelConfig(Settings):
    """How ReBeL plays and is trained.

    Subgames:
      depth: public states from the root of a subgame to its leaves. 0 is the paper's choice: to
        the end of the betting round where chance moves between rounds, else 2.
      stop_at_chance: public states that chance has led to are leaves too.
      method: of the solver; "linear_cfr" is the paper's.
      iterations: per subgame in self-play; each updates both players.
      play_iterations: per subgame in play, which is what is measured.
    Self-play, per generation:
      playthroughs: games.
      exploration: share of uniform play of the one player who explores.
    Learning:
      buffer: public belief states that are remembered with their values, the latest ones.
      width, layers: units per hidden layer of the value network, and hidden layers.
      learning_rate: of Adam, per generation.
      gradient_clip: largest norm of a step's gradient.
      batch, steps: rows of a step, and steps per generation.
      smoothing: the network that values leaves is a running mean of weights; this is the share
        that stays from step to step.
    Measuring:
      measured_playthroughs: whose mixture is measured where more than two subgames follow each
        other; the exact mixture is measured elsewhere.
      measured_ratio: generations are measured at about this ratio.
    """

    depth: int = 0
    stop_at_chance: bool = True
    method: Method = "cfr_plus"
    iterations: int = 256
    play_iterations: int = 512
    playthroughs: int = 256
    exploration: float = 0.25
    buffer: int = 100_000
    width: int = 64
    layers: int = 2
    learning_rate: Schedule = Schedule(start=0.002, power=-0.3)
    gradient_clip: float = 1.0
    batch: int = 512
    steps: int = 200
    smoothing: float = 0.995
    measured_playthroughs: int = 32
    measured_ratio: float = 1.5

    def __post_init__(self) -> None:
        """Refuses values that nothing can be learned with, by name."""
        self.check_types()
        positive = "iterations play_iterations playthroughs measured_playthroughs buffer width"
        positive += " layers batch"
        for name in positive.split():
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("depth", "steps"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, and is {getattr(self, name)}")
        if not 0.0 <= self.exploration <= 1.0 or not 0.0 <= self.smoothing < 1.0:
            raise ValueError("exploration must lie between 0 and 1, and smoothing below 1")
        if self.gradient_clip <= 0.0 or self.measured_ratio <= 1.0:
            raise ValueError("gradient_clip must be positive and measured_ratio above 1")
