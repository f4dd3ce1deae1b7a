"""Facts of oh_hell. The number of tricks, the dealer, the card that makes trumps, bids and tricks
are public; some cards are not dealt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.facts import tricks
from nash_ismcts_spiel.facts.cards import around
from nash_ismcts_spiel.facts.log import Look

_SHOWN = re.compile(r"Num Total Tricks: (\d+)\nDealer: (\d+)\nNum Cards Dealt: \d+\nTrump: (\w+)\n")
_ROW = r"^    (\w): (\w*)$"


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain the log of a player."""
    text, players = log[-1].shown, game.num_players()
    found = _SHOWN.match(text)
    if found is None:
        raise ValueError("not a look at oh_hell")
    hand, dealer = int(found[1]), int(found[2])
    state = game.new_initial_state()
    for outcome in (hand, dealer):
        state.apply_action(outcome)
    cards = tricks.card_numbers(state)
    trump = cards[found[3]]
    deck = set(cards.values()) - {trump}
    suits = game.get_parameters()["num_suits"]
    header = "".join(f"{seat % players}  " for seat in range(2 * players - 1))
    played = tricks.tricks_in(text, cards, players, header)
    known = {player: tricks.hand_in(text, cards, _ROW)}
    sizes = [hand] * players + [len(deck) - players * hand]
    deal = tricks.deal(played, deck, lambda card: card % suits, sizes, around(players, hand), known)
    bids = [int(bid) for bid in text.partition("\nBids: ")[2].partition("\n")[0].split()]
    bids = [bids[bidder] for bidder in around(players, 1, dealer + 1) if bids[bidder] >= 0]
    after = [trump, *(len(deck) + 1 + bid for bid in bids), *tricks.plays_of(played)]
    return deal.histories(rng, [hand, dealer], after)
