"""Facts of spades. Bids and tricks are public, and a player sees its own cards arrive one by one.

Who leads a spade has nothing else: OpenSpiel's rules do not note that spades are broken, so that
this holds to the end.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.facts import tricks
from nash_ismcts_spiel.facts.cards import around
from nash_ismcts_spiel.facts.log import Look

PLAYERS, HAND = 4, 13
DECK = range(PLAYERS * HAND)
SPADES = 3

_AUCTION = "\nNorth East  South  West        \n"


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain the log of a player."""
    cards = tricks.card_numbers(game.new_initial_state())
    text = log[-1].shown
    seen = [set(), *(tricks.hand_in(look.shown, cards) for look in log)]
    own = [card for was, now in itertools.pairwise(seen) for card in sorted(now - was)]
    played = tricks.tricks_in(text, cards)
    plain = {card for card in DECK if suit_of(card) != SPADES}
    barred = {leader: plain for (leader, led), *_ in played if suit_of(led) == SPADES}
    deal = tricks.deal(
        played, DECK, suit_of, [HAND] * PLAYERS, around(PLAYERS, HAND), {player: own}, barred
    )
    bids = text.partition(_AUCTION)[2].partition("\n\n")[0].replace("?", " ").split()
    after = [len(DECK) + (0 if bid == "Nil" else int(bid)) for bid in bids]
    for hands in deal.hands(rng):
        hands[player] = own
        yield [*deal.dealt(hands), *after, *tricks.plays_of(played)]


def suit_of(card: int) -> int:
    """The suit of a card."""
    return card // HAND
