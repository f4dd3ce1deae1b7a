"""Facts of euchre. The dealer, the upcard, bids, who plays alone, and tricks are public; the kitty
and what the dealer discards for the upcard are not.

If the first bidder of the second round names a suit, the text does not say which: every suit is
tried. With lone defenders it does not say either which of the two plays alone.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.facts import tricks
from nash_ismcts_spiel.facts.cards import around
from nash_ismcts_spiel.facts.log import Look, own_actions

PLAYERS, SUITS, HAND, KITTY = 4, 4, 5, 3
JACK = 2
PASS, FIRST_SUIT, ALONE, TOGETHER = 24, 25, 29, 30
DECK = range(PASS)
NAMES = ("Clubs", "Diamonds", "Hearts", "Spades")
DISCARD = PLAYERS
"""The holder of the dealer's discard; that of the kitty comes next."""

_CALL = re.compile(r"Pass|Order up!|Pick up!|Clubs|Diamonds|Hearts|Spades")


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain the log of a player."""
    state, text = game.new_initial_state(), log[-1].shown
    state.apply_action(0)
    cards = tricks.card_numbers(state)
    upcard = cards[text.partition("Upcard: ")[2].partition("\n")[0]]
    calls = _CALL.findall(text.partition("Bidding:")[2].partition("\n\n")[0])
    named = [action for action in own_actions(log) if action in range(FIRST_SUIT, ALONE)]
    bids = rng.permutation(bids_of(calls, upcard, named)).tolist()
    alone = alone_of(text, log[-1].legal, game)
    choices = [
        told(log, player, cards, upcard, before, after, rng)
        for before, after in itertools.product(bids, alone)
    ]
    while choices:
        found = [(history, choice) for choice in choices if (history := next(choice, None))]
        yield from (history for history, _ in found)
        choices = [choice for _, choice in found]


def told(
    log: Sequence[Look], player: int, cards: dict[str, int], upcard: int, bids: Sequence[int],
    alone: Sequence[int], rng: np.random.Generator,
) -> Iterator[list[int]]:  # fmt: skip
    """Histories with given bids. Hands are drawn as they are when the dealer has discarded."""
    text, hands = log[-1].shown, [tricks.hand_in(look.shown, cards) for look in log]
    dealer = "NESW".index(text.partition("Dealer: ")[2][0])
    trump = bids[-1] - FIRST_SUIT if bids and bids[-1] != PASS else None
    six = [at for at, hand in enumerate(hands[:-1]) if len(hand) > HAND]
    laid = own_actions(log[six[0] + 1 : six[0] + 2]) if six else []
    taken = trump is not None and len(bids) <= PLAYERS and (player != dealer or bool(laid))
    known = {player: hands[0] - {upcard}}
    if taken:
        known[dealer] = {upcard}
    if laid:
        known = {player: (hands[0] | {upcard}).difference(laid), DISCARD: set(laid)}
    played = tricks.tricks_in(text, cards)
    deal = tricks.deal(
        played, set(DECK) - (set() if taken else {upcard}), lambda card: suit_of(card, trump),
        [HAND] * PLAYERS + [int(taken), KITTY], around(PLAYERS, HAND, dealer), known,
    )  # fmt: skip
    for held in deal.hands(rng):
        discard = held[DISCARD]
        held[dealer] = [discard[0] if card == upcard else card for card in held[dealer]]
        before = [dealer, *deal.dealt(held), upcard, *bids]
        yield [*before, *discard, *alone, *tricks.plays_of(played)]


def bids_of(calls: Sequence[str], upcard: int, named: Sequence[int]) -> list[list[int]]:
    """Actions that the calls may have been; `named` is the suit that the player itself named."""
    up = FIRST_SUIT + upcard % SUITS
    last = calls[-1] if calls else "Pass"
    if last == "Pass":
        return [[PASS] * len(calls)]
    if last in NAMES:
        suits = [FIRST_SUIT + NAMES.index(last)]
    elif last == "Order up!":
        suits = [up]
    else:  # "Pick up!" is what the text says here, though the upcard is turned down by then
        suits = [suit for suit in range(FIRST_SUIT, ALONE) if suit != up]
        suits = list(named) or suits
    return [[*[PASS] * (len(calls) - 1), suit] for suit in suits]


def alone_of(text: str, legal: Sequence[int], game: Any) -> list[list[int]]:
    """Actions by which players may have said who plays alone."""
    declared = re.search(r"^Declarer go alone: (\w+)$", text, re.MULTILINE)
    if declared is None:
        return [[]]
    first = [ALONE if declared[1] == "true" else TOGETHER]
    if not game.get_parameters()["allow_lone_defender"]:
        return [first]
    if ALONE in legal:
        return [first, [*first, TOGETHER]]
    if "Defender go alone: true" in text:
        return [[*first, ALONE], [*first, TOGETHER, ALONE]]
    return [[*first, TOGETHER, TOGETHER]]


def suit_of(card: int, trump: int | None) -> int:
    """The suit of a card; a jack of the colour of trumps is one of them."""
    suit = card % SUITS
    same_colour = SUITS - 1 - suit
    return same_colour if trump == same_colour and card // SUITS == JACK else suit
