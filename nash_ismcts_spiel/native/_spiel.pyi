"""Types of the extension module; use openspiel.py, which imports it where it fits."""

from collections.abc import Callable, Sequence
from typing import Any

from nash_ismcts_spiel.native import _core

BUILT_FOR: str

def load(
    name: str, perfect_information: bool, has_information_states: bool, needs_gil: bool
) -> _core.Game: ...

class IsmctsPeer:
    def __init__(
        self,
        game: str,
        uct_c: float,
        max_world_samples: int,
        most_visits: bool,
        rollouts: int,
    ) -> None: ...
    def policy(
        self,
        history: Sequence[int],
        draw: Callable[[int], list[list[int]]],
        seed: int,
        simulations: int,
        seconds: float,
    ) -> list[tuple[int, float]]: ...

def register_bot(
    name: str,
    maker: Callable[[str, int, dict[str, Any]], Any],
    can_play: Callable[[str, int], bool],
) -> None: ...
