"""A guide for oh_hell: hands that hold what was played and lack what was not followed.

The number of tricks, the dealer, the card that makes trumps, bids and tricks are public. Hidden are
the others' cards and those that were not dealt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.games.guides import hands, tricks
from nash_ismcts_spiel.games.guides.log import Look

_SHOWN = re.compile(r"Num Total Tricks: (\d+)\nDealer: (\d+)\nNum Cards Dealt: \d+\nTrump: (\w+)\n")
_ROW = r"^    (\w): (\w*)$"


def guide(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain the log of a player."""
    text, players = log[-1].shown, game.num_players()
    found = _SHOWN.match(text)
    if found is None:
        return
    start = [int(found[1]), int(found[2])]
    state = game.new_initial_state()
    for outcome in start:
        state.apply_action(outcome)
    cards = tricks.card_numbers(state)
    deck, trump = set(cards.values()), cards[found[3]]
    suits = game.get_parameters()["num_suits"]

    header = "".join(f"{seat % players}  " for seat in range(2 * players - 1))
    played = tricks.tricks_in(text, header, players, cards)
    known = tricks.held_by(played, players + 1)
    known[player] |= tricks.hand_in(text, _ROW, cards)
    unseen = deck - {trump} - set().union(*known)
    rest = len(deck) - 1 - players * start[0]
    barred = tricks.not_followed(played, lambda card: card % suits, deck, players + 1)
    after = [trump, *bids_in(text, start[1], len(deck)), *tricks.plays_of(played)]
    while dealt := hands.filled_up(known, [start[0]] * players + [rest], barred, unseen, rng):
        yield [*start, *tricks.in_turn(dealt[:players]), *after]


def bids_in(text: str, dealer: int, first_bid: int) -> list[int]:
    """The bids so far as actions, in order; that of no tricks has the number `first_bid`."""
    bids = [int(bid) for bid in text.partition("\nBids: ")[2].partition("\n")[0].split()]
    order = [(dealer + 1 + turn) % len(bids) for turn in range(len(bids))]
    return [first_bid + bids[bidder] for bidder in order if bids[bidder] >= 0]
