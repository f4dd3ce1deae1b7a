"""What the parts of an action mean, in games for which that is known: its code, sub-action by
sub-action.

Codes are prefix-free and their sub-actions never decrease, as `native/worlds/split_game.h` wants
it. A game that is not here has its actions split by their numbers (`games/splitting.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Code = list[int]
Coder = Callable[[int], Code]


def code_by_meaning(game: Any) -> Coder | None:
    """The code of each action of a pyspiel game; None if the game's actions are not known here."""
    maker = _MAKERS.get(game.get_type().short_name)
    return None if maker is None else maker(game)


def _bids(game: Any) -> Coder:
    """Liar's dice: a quantity, then a face; the last action calls the bluff."""
    parameters = game.get_parameters()
    sides, calls = int(parameters["dice_sides"]), game.num_distinct_actions() - 1
    quantities = calls // sides

    def code(action: int) -> Code:
        quantity, face = divmod(action, sides)
        return [quantities] if action == calls else [quantity, quantities + 1 + face]

    return code


def _cells(rows: int, columns: int) -> Coder:
    """Boards: a row, then a column; any further action (a pass) is whole."""

    def code(action: int) -> Code:
        row, column = divmod(action, columns)
        if row >= rows:
            return [rows + columns + action - rows * columns]
        return [row, rows + column]

    return code


def _square_board(game: Any) -> Coder:
    size = int(game.get_parameters()["board_size"])
    return _cells(size, size)


def _hex_board(game: Any) -> Coder:
    parameters = game.get_parameters()
    size = int(parameters["board_size"])
    return _cells(int(parameters.get("num_rows", size)), int(parameters.get("num_cols", size)))


def _ships(game: Any) -> Coder:
    """Battleship: shoot, or place a ship lying or standing; then a row and a column."""
    parameters = game.get_parameters()
    height, width = int(parameters["board_height"]), int(parameters["board_width"])

    def code(action: int) -> Code:
        kind, cell = divmod(action, height * width)
        row, column = divmod(cell, width)
        return [kind, 3 + row, 3 + height + column]

    return code


def _chess_moves(game: Any) -> Coder:
    """Chess: the square that is left, then where to, as seen from it (direction and distance, and
    what a pawn becomes).
    """
    squares, targets = 65, 73  # castling stands behind the 64 squares
    assert game.num_distinct_actions() <= squares * targets

    def code(action: int) -> Code:
        square, target = divmod(action, targets)
        return [square, squares + target]

    return code


_RANKS = ["3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A", "2", "(BWJ)", "(CJ)"]


def _cards(game: Any) -> Coder:
    """Dou dizhu: card by card, those that make the combination and then those that go with it, up
    to a sub-action that ends the play. Passes and bids are whole.
    """
    state = game.new_initial_state()
    while state.is_chance_node() or len(state.legal_actions()) == 4:  # the deal, and a first bid
        state.apply_action(state.legal_actions()[-1])
    end = 2 * len(_RANKS)

    def code(action: int) -> Code:
        if action < 4:
            return [end + 1 + action]
        made_of, _, along = str(state.action_to_string(0, action)).partition("-")
        return [*_ranks(made_of), *(len(_RANKS) + rank for rank in _ranks(along)), end]

    return code


def _ranks(cards: str) -> list[int]:
    return sorted(_RANKS.index(card) for card in re.findall(r"\(\w+\)|.", cards))


_MAKERS: Mapping[str, Callable[[Any], Coder]] = {
    "liars_dice": _bids,
    "battleship": _ships,
    "phantom_ttt": lambda _: _cells(3, 3),
    "dark_hex": _hex_board,
    "phantom_go": _square_board,
    "dark_chess": _chess_moves,
    "kriegspiel": _chess_moves,
    "rbc": _chess_moves,
    "dou_dizhu": _cards,
}
