"""A guide for spades: hands that hold what was played and lack what was not followed.

Bids and tricks are public, and a player sees its own cards arrive one by one. Hidden are the
others' cards. Who leads a spade has nothing else: OpenSpiel's rules do not note that spades are
broken, so that this holds to the end.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.games.guides import hands, tricks
from nash_ismcts_spiel.games.guides.log import Look

PLAYERS, HAND = 4, 13
CARDS = PLAYERS * HAND
SPADES = 3

_ROW = r"^([CDHS]) (\w+)$"
_AUCTION = "\nNorth East  South  West        \n"


def guide(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain the log of a player."""
    cards = tricks.card_numbers(game.new_initial_state())
    text = log[-1].shown
    own = arrived(log, cards)
    played = tricks.tricks_in(text, "N  E  S  W  N  E  S", PLAYERS, cards)
    known = tricks.held_by(played, PLAYERS)
    known[player] = set(own)
    barred = tricks.not_followed(played, suit_of, range(CARDS), PLAYERS)
    for (leader, led), *_ in played:
        if suit_of(led) == SPADES:
            barred[leader] |= {card for card in range(CARDS) if suit_of(card) != SPADES}
    unseen = set(range(CARDS)) - set().union(*known)
    after = [*bids_in(text), *tricks.plays_of(played)]
    while dealt := hands.filled_up(known, [HAND] * PLAYERS, barred, unseen, rng):
        dealt[player] = own
        yield [*tricks.in_turn(dealt), *after]


def suit_of(card: int) -> int:
    """The suit of a card."""
    return card // HAND


def arrived(log: Sequence[Look], cards: dict[str, int]) -> list[int]:
    """The player's cards in the order in which they were dealt."""
    seen = [tricks.hand_in(look.shown, _ROW, cards) for look in log]
    new = [after - before for before, after in itertools.pairwise([set(), *seen])]
    return [card for arrivals in new for card in sorted(arrivals)]


def bids_in(text: str) -> list[int]:
    """The bids so far as actions, in order."""
    bids = text.partition(_AUCTION)[2].partition("\n\n")[0].replace("?", " ").split()
    return [CARDS + (0 if bid == "Nil" else int(bid)) for bid in bids]
