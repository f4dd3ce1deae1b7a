"""Dark chess: how the other player's pieces came to where they were seen.

A player sees the squares that its pieces can move to, also after moves of the other player. What
it sees, square by square, are facts about the other player's pieces; so is a square in front of an
own pawn that it does not see (it is taken), and an own piece that is gone. The look also counts
moves since a pawn moved or a piece was taken. The other player's moves are chosen so that these
facts come true (`chess_facts.py`), in a population of worlds (`particles.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.games.guides.chess_board import SIDE, pieces_of, step_of
from nash_ismcts_spiel.games.guides.chess_facts import ANY, NONE, Facts
from nash_ismcts_spiel.games.guides.log import Look
from nash_ismcts_spiel.games.guides.particles import histories

_TRIES = 12
"""Moves that are tried in one place."""


def guide(
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
        self.own_white = player == 1
        self.rng = rng
        self.heat = 1.0
        self.facts = Facts(not self.own_white, size, len(log))
        self.captured: dict[int, int] = {}  # squares of own pieces that are taken, by look
        self.reset = [look.shown.split(" ")[4] == "0" for look in log]
        before: dict[int, str] = {}
        moves = []
        for number, look in enumerate(log):
            own = self._read(number, look.shown)
            if number > 0 and look.action is None:
                for square in before.keys() - own.keys():
                    self.captured[number] = square
                    self.facts.add(number, square, ANY)
                moves.append((number, *self._movers(number)))
            before = own
        self.facts.set_moves(moves)

    def _movers(self, number: int) -> tuple[bool, bool]:
        """Whether a pawn, and whether another piece, moved before a look."""
        if number in self.captured:
            pawn = self.facts.at(number, self.captured[number]) == "p"
        else:
            pawn = self.reset[number]
        return pawn, not pawn

    def _read(self, number: int, shown: str) -> dict[int, str]:
        """Notes what a look shows; own pieces by square."""
        board = shown.split(" ", 1)[0]
        own = pieces_of(board, self.own_white)
        hidden: set[int] = set()
        self.empty: set[int] = set()
        for rank, row in zip(range(self.size - 1, -1, -1), board.split("/"), strict=True):
            square = rank * SIDE
            for letter in row:
                for _ in range(int(letter) if letter.isdigit() else 1):
                    if letter == "?":
                        hidden.add(square)
                    elif letter.isalpha() and square not in own:
                        self.facts.add(number, square, letter.lower())
                    else:
                        self.facts.add(number, square, NONE)
                        if square not in own:
                            self.empty.add(square)
                    square += 1
        for square, kind in own.items():
            if kind == "p":
                self._read_pawn(number, square, hidden)
        return own

    def _read_pawn(self, number: int, square: int, hidden: set[int]) -> None:
        """A pawn sees squares before it if they are free, and others if it can take there."""
        forward = SIDE if self.own_white else -SIDE
        ahead, start = square + forward, 1 if self.own_white else self.size - 2
        if ahead in hidden:
            self.facts.add(number, ahead, ANY)
        elif square // SIDE == start and ahead + forward in hidden and ahead in self.empty:
            self.facts.add(number, ahead + forward, ANY)
        for beside in (ahead - 1, ahead + 1):
            if beside in hidden and abs(beside % SIDE - square % SIDE) == 1:
                self.facts.add(number, beside, NONE)

    def events(self, state: Any, number: int) -> list[int]:
        """Moves of the other player, best first; the look with a number is the next one."""
        fen = str(state)
        actions = state.legal_actions()
        if number < len(self.reset):
            actions = self._fitting(fen, actions, number)
        return self.facts.ordered(fen, actions, number, self.heat, self.rng)[:_TRIES]

    def _fitting(self, fen: str, actions: list[int], number: int) -> list[int]:
        """Moves that take what was taken, or move a pawn if one moved."""
        pieces = pieces_of(fen, not self.own_white)
        steps = [(action, step_of(action, not self.own_white, self.size)) for action in actions]
        if number in self.captured:
            square = self.captured[number]
            exact = [action for action, step in steps if step.end == square]
            return exact or [a for a, s in steps if pieces.get(s.start) == "p"]  # in passing
        pawn = self.reset[number]
        own = pieces_of(fen, self.own_white)
        return [
            action
            for action, step in steps
            if (pieces.get(step.start) == "p") == pawn and step.end not in own
        ]
