"""Reconnaissance blind chess: how the other player's pieces came to where they were seen.

A player senses a part of the board before each of its moves, and goes on seeing that part until it
senses again. It is also told where its own pieces are taken, and whether its own moves took
something. All these are facts about the other player's pieces; its moves are chosen so that they
come true (`chess_facts.py`), in a population of worlds (`particles.py`). What the other player
senses makes no difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nash_ismcts_spiel.facts.chess_board import SIDE, between, pieces_of
from nash_ismcts_spiel.facts.chess_facts import ANY, NONE, Facts
from nash_ismcts_spiel.facts.log import Look
from nash_ismcts_spiel.facts.particles import histories


class _Shown(NamedTuple):
    """What a player is shown: the board (empty squares that it sees are dots), and flags."""

    board: str
    sensing: bool
    captured: bool
    white: bool
    illegal: bool


def _shown(text: str) -> _Shown:
    board, _, phase, capture, side, illegal = text.rsplit(" ", 5)
    board = board.replace(" ", ".")
    return _Shown(board, phase == "s", capture == "c", side == "w", illegal == "i")


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[list[int] | None]:
    """Histories in which the other player's pieces are where they were seen."""
    choice = _Choice(game.get_parameters()["board_size"], player, log, rng)
    return histories(game, player, log, choice, rng)


class _Choice:
    """What the other player does in imagined worlds, and the facts that it has to agree with."""

    def __init__(
        self, size: int, player: int, log: Sequence[Look], rng: np.random.Generator
    ) -> None:
        self.size = size
        self.player = player
        self.own_white = player == 1
        self.rng = rng
        self.heat = 1.0
        self.facts = Facts(not self.own_white, size, len(log))
        self.shown = [_shown(look.shown) for look in log]
        moves = []
        before: dict[int, str] = {}
        for number, now in enumerate(self.shown):
            own = pieces_of(now.board, self.own_white)
            if number > 0 and now.white != self.shown[number - 1].white:
                if now.white == self.own_white:  # the other player has moved
                    moves += [] if now.illegal else [number]
                    for square in before.keys() - own.keys():
                        self.facts.add(number, square, ANY)
                else:
                    self._read_move(number, before.keys() - own.keys(), own.keys() - before.keys())
            self._read(number, now.board, own)
            before = own
        self.facts.set_moves(moves)

    def _read_move(self, number: int, left: set[int], entered: set[int]) -> None:
        """Notes what an own move met, just before it."""
        if len(left) != 1 or len(entered) != 1:
            return
        (start,), (end,) = left, entered
        self.facts.add(number - 1, end, ANY if self.shown[number].captured else NONE)
        for square in between(start, end):
            self.facts.add(number - 1, square, NONE)

    def _read(self, number: int, board: str, own: dict[int, str]) -> None:
        """Notes what a look shows."""
        for rank, row in zip(range(self.size - 1, -1, -1), board.split("/"), strict=True):
            square = rank * SIDE
            for letter in row:
                if letter.isdigit():
                    square += int(letter)
                    continue
                empty = letter == "." or square in own
                self.facts.add(number, square, NONE if empty else letter.lower())
                square += 1

    def events(self, state: Any, number: int) -> list[int]:
        """Actions of the other player, best first; the look with a number is the next one."""
        actions = state.legal_actions()
        if _shown(state.observation_string(self.player)).sensing:
            return [actions[self.rng.integers(len(actions))]]
        if number < len(self.shown) and self.shown[number].illegal:
            return [actions[which] for which in self.rng.permutation(len(actions))]
        return self.facts.ordered(str(state), actions, number, self.heat, self.rng)
