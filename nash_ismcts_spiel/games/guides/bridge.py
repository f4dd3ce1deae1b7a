"""A guide for bridge: hands that hold what was played and lack what was not followed.

Calls and tricks are public, and so is dummy's hand from the opening lead on. Hidden are the hands
of the other players.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.games.guides import hands, tricks
from nash_ismcts_spiel.games.guides.log import Look

PLAYERS, SUITS, HAND = 4, 4, 13
CARDS = PLAYERS * HAND
SEATS = ("North", "East", "South", "West")

_HAND = re.compile(r"(?:You are|Dummy is) (\w+); (?:you hold|it holds):\n((?:.+\n){4})")
_PLAY = re.compile(r"(\w+): ([♣♦♥♠]\w+)")
_TRICK = re.compile(r"^Trick \d+\.(.*)$", re.MULTILINE)
_AUCTION = "\nWest  North East  South\n"


def guide(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain the log of a player."""
    state, text = game.new_initial_state(), log[-1].shown
    numbers = {
        state.action_to_string(0, action): action for action in range(game.num_distinct_actions())
    }
    played = [
        [tricks.Play(SEATS.index(seat), numbers[name]) for seat, name in _PLAY.findall(row)]
        for row in _TRICK.findall(text)
    ]
    known = tricks.held_by(played, PLAYERS)
    for seat, rows in _HAND.findall(text):
        known[SEATS.index(seat)] |= cards_in(rows, numbers)
    unseen = set(range(CARDS)) - set().union(*known)
    barred = tricks.not_followed(played, lambda card: card % SUITS, range(CARDS), PLAYERS)
    calls = text.partition(_AUCTION)[2].partition("\n\n")[0].replace("?", " ").split()
    after = [*(numbers[call] for call in calls), *tricks.plays_of(played)]
    while dealt := hands.filled_up(known, [HAND] * PLAYERS, barred, unseen, rng):
        yield [*tricks.in_turn(dealt), *after]


def cards_in(rows: str, numbers: dict[str, int]) -> set[int]:
    """The cards of a hand in rows of a suit and its ranks."""
    return {
        numbers[row[0] + rank]
        for row in rows.splitlines()
        for rank in row[1:].split()
        if rank != "none"
    }
