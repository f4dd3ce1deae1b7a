"""Checks of what a bot is asked, before it searches: its arguments, and whose move it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import SupportedGame


def check_config(config: Any) -> None:
    """Raises TypeError unless these are settings, or None."""
    if not isinstance(config, SearchConfig | None):
        raise TypeError(f"config must be a SearchConfig, not {config!r}")


def check_evaluator(evaluator: Any) -> None:
    """Raises TypeError unless this makes rows, or is None."""
    rows = ("information_set_rows", "sample_rows")
    if evaluator is not None and not all(hasattr(evaluator, name) for name in rows):
        raise TypeError(f"evaluator must have {' and '.join(rows)}, not {evaluator!r}")


def check_seat(player_id: Any, game: SupportedGame) -> None:
    """Raises ValueError unless this is a seat of the game, or None."""
    is_number = isinstance(player_id, (int, np.integer)) and not isinstance(player_id, bool)
    if player_id is not None and not (is_number and 0 <= player_id < game.num_players):
        seats = f"from 0 to {game.num_players - 1} in {game.name}"
        raise ValueError(f"player_id must be {seats}, not {player_id!r}")


def check_generator(rng: Any) -> None:
    """Raises TypeError unless it is a generator, or None."""
    if not isinstance(rng, np.random.Generator | None):
        raise TypeError(f"rng must be a numpy Generator, not {rng!r}")


def mover_at(state: Any, game: SupportedGame, seat: int | None) -> int:
    """The player to move; at a simultaneous node the one in `seat`.

    Raises:
      ValueError: nobody is to move, it is not said who, or the state belongs to another game.
    """
    if not game.plays(state):
        raise ValueError(f"the state belongs to {state.get_game()}, the bot plays {game.name}")
    where = f"history {state.history()}"
    if state.is_terminal():
        raise ValueError(f"the game is over, nobody is to move at {where}")
    if state.is_chance_node():
        raise ValueError(f"chance is to move at {where}, not a player")
    if not state.is_simultaneous_node():
        return int(state.current_player())
    if seat is None:
        raise ValueError(f"all move at once at {where}: say for which player_id")
    return seat
