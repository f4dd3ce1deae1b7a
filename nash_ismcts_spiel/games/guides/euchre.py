"""A guide for euchre: hands that hold what was played and lack what was not followed.

The dealer, the upcard, bids, who plays alone, and tricks are public. Hidden are the others' cards,
the kitty, and what the dealer discarded for the upcard; no trick tells anything about these. If the
first bidder of the second round names a suit, the text does not say which: every suit is tried.
With lone defenders it does not say either which of the two plays alone.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nash_ismcts_spiel.games.guides import hands, tricks
from nash_ismcts_spiel.games.guides.log import Look

PLAYERS, SUITS, HAND, KITTY = 4, 4, 5, 3
JACK = 2
PASS, FIRST_SUIT, ALONE, TOGETHER = 24, 25, 29, 30
SUIT_NAMES = ("Clubs", "Diamonds", "Hearts", "Spades")
DISCARD = PLAYERS
"""The holder of the dealer's discard; that of the kitty comes next."""

_ROW = r"^([CDHS]) (\w+)$"
_CALL = re.compile(r"Pass|Order up!|Pick up!|Clubs|Diamonds|Hearts|Spades")


class Deal(NamedTuple):
    """What a player knows of a deal.

    Attributes:
      dealer: who deals.
      upcard: the card that is turned.
      own: the player's hand before anything was discarded.
      discard: what it discarded, None if it did not.
      legal: its legal actions now.
      calls: bids by name.
      played: tricks.
      text: what it is shown now.
    """

    dealer: int
    upcard: int
    own: set[int]
    discard: int | None
    legal: tuple[int, ...]
    calls: list[str]
    played: list[tricks.Trick]
    text: str


def guide(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain the log of a player."""
    state = game.new_initial_state()
    state.apply_action(0)
    cards = tricks.card_numbers(state)
    deal = read(log, cards)
    deck = set(cards.values())
    named = next((look.action for look in log if look.action in range(FIRST_SUIT, ALONE)), None)
    bids = rng.permutation(bids_of(deal, named)).tolist()
    choices = list(itertools.product(bids, alone_of(deal, game)))
    while True:
        histories = [
            history
            for bids, alone in choices
            if (history := explained(deal, player, bids, alone, deck, rng)) is not None
        ]
        if not histories:
            return
        yield from histories


def read(log: Sequence[Look], cards: dict[str, int]) -> Deal:
    """What a log tells."""
    text = log[-1].shown
    dealer, upcard = re.findall(r"^(?:Dealer|Upcard): (\w+)$", text, re.MULTILINE)
    first = tricks.hand_in(log[0].shown, _ROW, cards)
    discard = None
    for look, after in itertools.pairwise(log):
        if len(tricks.hand_in(look.shown, _ROW, cards)) > HAND:
            discard = after.action
    bidding = text.partition("Bidding:")[2].partition("\n\n")[0]
    played = tricks.tricks_in(text, "N  E  S  W  N  E  S", PLAYERS, cards)
    up = cards[upcard]
    calls = _CALL.findall(bidding)
    legal = log[-1].legal
    return Deal("NESW".index(dealer), up, first - {up}, discard, legal, calls, played, text)


def bids_of(deal: Deal, own: int | None) -> list[list[int]]:
    """Actions that the bids may have been; `own` is the suit that the player itself named."""
    up = FIRST_SUIT + deal.upcard % SUITS
    bids = [PASS] * len(deal.calls)
    last = deal.calls[-1] if deal.calls else "Pass"
    if last == "Pass":
        return [bids]
    if last in SUIT_NAMES:
        suits = [FIRST_SUIT + SUIT_NAMES.index(last)]
    elif last == "Order up!":
        suits = [up]
    else:  # "Pick up!" is what the text says here, though the upcard is turned down by then
        suits = [suit for suit in range(FIRST_SUIT, ALONE) if suit != up]
        suits = suits if own is None else [own]
    return [[*bids[:-1], suit] for suit in suits]


def alone_of(deal: Deal, game: Any) -> list[list[int]]:
    """Actions by which players may have said who plays alone."""
    declared = re.search(r"^Declarer go alone: (\w+)$", deal.text, re.MULTILINE)
    if declared is None:
        return [[]]
    first = [ALONE if declared[1] == "true" else TOGETHER]
    if not game.get_parameters()["allow_lone_defender"]:
        return [first]
    if ALONE in deal.legal:
        return [first, [*first, TOGETHER]]
    if "Defender go alone: true" in deal.text:
        return [[*first, ALONE], [*first, TOGETHER, ALONE]]
    return [[*first, TOGETHER, TOGETHER]]


def suit_with(trump: int | None, card: int) -> int:
    """The suit of a card; a jack of the colour of trumps is one of them."""
    suit = card % SUITS
    same_colour = SUITS - 1 - suit
    return same_colour if trump == same_colour and card // SUITS == JACK else suit


def explained(
    deal: Deal,
    player: int,
    bids: list[int],
    alone: list[int],
    deck: set[int],
    rng: np.random.Generator,
) -> list[int] | None:
    """A history with given bids; None if no hands agree with the tricks then."""
    trump = bids[-1] - FIRST_SUIT if bids and bids[-1] != PASS else None
    taken = trump is not None and len(bids) <= PLAYERS
    known = tricks.held_by(deal.played, PLAYERS + 2)
    known[player] = deal.own
    hidden = taken and player != deal.dealer
    if hidden:
        known[deal.dealer].add(deal.upcard)
    unseen = deck - {deal.upcard} - set().union(*known)
    sizes = [HAND] * PLAYERS + [int(hidden), KITTY]
    barred = tricks.not_followed(
        deal.played, lambda card: suit_with(trump, card), deck, PLAYERS + 2
    )
    dealt = hands.filled_up(known, sizes, barred, unseen, rng)
    if dealt is None:
        return None
    discard = [] if deal.discard is None else [deal.discard]
    if hidden:
        discard = dealt[DISCARD]
        hand = dealt[deal.dealer]
        hand[hand.index(deal.upcard)] = discard[0]
    dealt_out = tricks.in_turn(dealt[:PLAYERS], deal.dealer)
    before = [deal.dealer, *dealt_out, deal.upcard, *bids]
    return [*before, *discard, *alone, *tricks.plays_of(deal.played)]
