"""A guide for tiny bridge, for two and for four players: any hands for the others.

Calls are public, and there are no tricks. Hidden are the others' hands; of its own a player may be
shown less than its cards, if hands are abstracted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.games.guides.log import Look

CARDS = 8
HANDS = [(high, low) for high in range(CARDS) for low in range(high)]
"""The two cards of each hand, by its number as an outcome."""
CALLS = ("Pass", "1H", "1S", "1NT", "2H", "2S", "2NT", "Dbl", "RDbl")

_SHOWN = re.compile(r" (?:Us|LH|Pd|RH) ")
"""What stands between hand and calls: who deals."""


def guide(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain the log of a player."""
    start = game.new_initial_state()
    own, *auction = _SHOWN.split(log[-1].shown)
    calls = [CALLS.index(call) for call in "".join(auction).split("-") if call]
    mine = [
        hand for hand in range(len(HANDS)) if start.child(hand).information_state_string(0) == own
    ]
    while mine:
        hand = mine[int(rng.integers(len(mine)))]
        others = rng.permutation([card for card in range(CARDS) if card not in HANDS[hand]])
        pairs = others.reshape(-1, 2).tolist()
        dealt = [HANDS.index((max(pair), min(pair))) for pair in pairs[: game.num_players() - 1]]
        yield [*dealt[:player], hand, *dealt[player:], *calls]
