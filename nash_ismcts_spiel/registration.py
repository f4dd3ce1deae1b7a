"""The searches of this package in OpenSpiel's own registry of bots.

After `import nash_ismcts_spiel`, `pyspiel.load_bot("nash_ismcts", game, 0, {"visits": 100})` makes
one, and so does the string "nash_ismcts(visits=100)". Parameters are those of `make_bot`, as far as
OpenSpiel has them: int, float, bool and str.
"""

from __future__ import annotations

import functools
from typing import Any

import pyspiel

from nash_ismcts_spiel.config import PRESETS
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.native.openspiel import spiel_module
from nash_ismcts_spiel.registry import make_bot


def register_with_openspiel() -> bool:
    """Tells OpenSpiel of the searches; the first call in a process does it.

    Returns:
      whether OpenSpiel knows them; not where its C++ cannot be used, see `spiel_module`.
    """
    spiel = spiel_module()
    if spiel is None:
        return False
    for name in PRESETS:
        if not pyspiel.is_bot_registered(name):
            spiel.register_bot(name, functools.partial(_make, name), _can_play)
    return True


def _make(name: str, game: str, player_id: int, params: dict[str, Any]) -> Any:
    return make_bot(name, game, player_id, **params)


def _can_play(game: str, player_id: int) -> bool:
    try:
        return 0 <= player_id < support(game).num_players
    except ValueError:
        return False
