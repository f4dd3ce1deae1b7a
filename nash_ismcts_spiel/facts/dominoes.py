"""Facts of python_block_dominoes and python_team_dominoes. All moves are public, and who has no
tile for either end is passed over: it holds no tile with a number that was at an end then.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.facts.cards import Deal, around
from nash_ismcts_spiel.facts.log import Look

HAND = 7
TILES = list(itertools.combinations_with_replacement(range(7), 2))
"""By the number of the event that deals them."""

_TILE = re.compile(r"\((\d)\.0, (\d)\.0\)")
_MOVE = re.compile(r"(p(\d) tile:\((\d)\.0, (\d)\.0\) pip:(?:None|(\d)\.0))")


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain a log."""
    players = game.num_players()
    shown, _, told = log[-1].shown.partition(" history:")
    state = game.new_initial_state()
    numbers = {state.action_to_string(0, a): a for a in range(game.num_distinct_actions())}
    moves = _MOVE.findall(told)
    known: dict[int, set[int]] = defaultdict(set)
    known[player] = {TILES.index((int(low), int(high))) for low, high in _TILE.findall(shown)}
    barred: dict[int, set[int]] = defaultdict(set)
    ends: list[int] = []
    movers = [*(int(mover) for _, mover, *_ in moves), player]
    for (_, _, low, high, end), mover, following in zip(moves, movers, movers[1:], strict=False):
        tile = [int(low), int(high)]
        known[mover].add(TILES.index((tile[0], tile[1])))
        if end:
            ends.remove(int(end))
            tile.remove(int(end))
        ends += tile
        while (mover := (mover + 1) % players) != following:
            barred[mover].update(at for at, each in enumerate(TILES) if {*ends} & {*each})
    left = len(TILES) - players * HAND
    order = (
        [seat for seat in range(players) for _ in range(HAND)] if left else around(players, HAND)
    )
    deal = Deal(range(len(TILES)), [HAND] * players + [left], known, barred, order)
    return deal.histories(rng, after=[numbers[move] for move, *_ in moves])
