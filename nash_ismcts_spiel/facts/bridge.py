"""Facts of bridge. Calls and tricks are public, and so is dummy's hand from the opening lead on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.facts import tricks
from nash_ismcts_spiel.facts.cards import around
from nash_ismcts_spiel.facts.log import Look

PLAYERS, SUITS, HAND = 4, 4, 13
DECK = range(PLAYERS * HAND)
SEATS = ("North", "East", "South", "West")

_HAND = re.compile(r"(?:You are|Dummy is) (\w+); (?:you hold|it holds):\n((?:.+\n){4})")
_PLAY = re.compile(r"(\w+): ([♣♦♥♠]\w+)")
_TRICK = re.compile(r"^Trick \d+\.(.*)$", re.MULTILINE)
_AUCTION = "\nWest  North East  South\n"


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain the log of a player."""
    state, text = game.new_initial_state(), log[-1].shown
    numbers = {state.action_to_string(0, a): a for a in range(game.num_distinct_actions())}
    played = [
        [tricks.Play(SEATS.index(seat), numbers[name]) for seat, name in _PLAY.findall(row)]
        for row in _TRICK.findall(text)
    ]
    known = {
        SEATS.index(seat): {
            numbers[row[0] + rank]
            for row in rows.splitlines()
            for rank in row[1:].split()
            if rank != "none"
        }
        for seat, rows in _HAND.findall(text)
    }
    calls = text.partition(_AUCTION)[2].partition("\n\n")[0].replace("?", " ").split()
    after = [*(numbers[call] for call in calls), *tricks.plays_of(played)]
    deal = tricks.deal(
        played, DECK, lambda card: card % SUITS, [HAND] * PLAYERS, around(PLAYERS, HAND), known
    )
    return deal.histories(rng, after=after)
