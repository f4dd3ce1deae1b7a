"""Types of the compiled module."""

from collections.abc import Sequence
from typing import Any

from nash_ismcts_spiel.games.lookahead import Effort

class Positions:
    def __init__(self, initial_state: Any, num_players: int, counts_moves: bool) -> None: ...
    def __len__(self) -> int: ...

class Completions:
    def __init__(
        self,
        positions: Positions,
        effort: Effort,
        player: int,
        world: Sequence[int],
        earlier: Completions | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...
    def open_edges(self, partial: Sequence[int]) -> list[int]: ...
    def surely_moves_on(self, action: int, limit: int) -> bool: ...
