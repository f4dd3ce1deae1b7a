"""A guide for python_block_dominoes and python_team_dominoes: tiles that others can have.

All moves are public: who laid which tile at which end. A player who has no tile for either end is
passed over. Hidden are the tiles that others still hold, and with two players those that were not
dealt. A player who was passed over holds no tile with a number that was at an end then.

The guide reads who was passed over when, and shares the tiles that were not seen out among those
who may hold them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nash_ismcts_spiel.games.guides import hands, tricks
from nash_ismcts_spiel.games.guides.log import Look

HAND = 7
TILES = list(itertools.combinations_with_replacement(range(7), 2))
"""By the number of the event that deals them."""

_TILE = re.compile(r"\((\d)\.0, (\d)\.0\)")
_MOVE = re.compile(r"p(\d) tile:\((\d)\.0, (\d)\.0\) pip:(None|\d)(?:\.0)?")


class Move(NamedTuple):
    """The number of a tile that was laid, and the end to which (None if it was the first)."""

    name: str
    player: int
    tile: int
    end: int | None


def read(text: str) -> tuple[list[int], list[Move]]:
    """The tiles that a player holds, and all moves."""
    hand, _, history = text.partition(" history:")
    moves = []
    for found in _MOVE.finditer(history):
        player, low, high = (int(number) for number in found.groups()[:3])
        end = None if found[4] == "None" else int(found[4])
        moves.append(Move(found[0], player, TILES.index((low, high)), end))
    return [TILES.index((int(low), int(high))) for low, high in _TILE.findall(hand)], moves


def passed_over(moves: Sequence[Move], mover: int, players: int) -> list[set[int]]:
    """For each player, numbers that were at an end when it was passed over."""
    without: list[set[int]] = [set() for _ in range(players)]
    ends: list[int] = []
    for number, move in enumerate(moves):
        if move.end is None:
            ends = list(TILES[move.tile])
        else:
            ends.remove(move.end)
            low, high = TILES[move.tile]
            ends.append(high if low == move.end else low)
        following = moves[number + 1].player if number + 1 < len(moves) else mover
        other = (move.player + 1) % players
        while other != following:
            without[other] |= set(ends)
            other = (other + 1) % players
    return without


def guide(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain a log."""
    players = game.num_players()
    held, moves = read(log[-1].shown)
    known = [{move.tile for move in moves if move.player == p} for p in range(players)]
    known[player] |= set(held)
    barred = [
        {tile for tile in range(len(TILES)) if ends.intersection(TILES[tile])}
        for ends in passed_over(moves, player, players)
    ]
    sizes = [HAND] * players + [len(TILES) - players * HAND]
    unseen = set(range(len(TILES))) - set().union(*known)
    names = game.new_initial_state()
    number_of = {names.action_to_string(0, a): a for a in range(game.num_distinct_actions())}
    played = [number_of[move.name] for move in moves]
    while dealt := hands.filled_up([*known, set()], sizes, [*barred, set()], unseen, rng):
        in_turn = sizes[-1] == 0  # else one hand after the other
        events = tricks.in_turn(dealt[:-1]) if in_turn else itertools.chain(*dealt[:-1])
        yield [*events, *played]
