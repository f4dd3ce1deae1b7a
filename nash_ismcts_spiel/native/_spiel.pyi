"""Types of the extension module; use openspiel.py, which imports it where it fits."""

from collections.abc import Callable
from typing import Any

from nash_ismcts_spiel.native import _core

BUILT_FOR: str

def load(
    name: str, perfect_information: bool, has_information_states: bool, needs_gil: bool
) -> _core.Game: ...
def register_bot(
    name: str,
    maker: Callable[[str, int, dict[str, Any]], Any],
    can_play: Callable[[str, int], bool],
) -> None: ...
