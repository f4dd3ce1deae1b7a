"""Facts of skat. A player sees bids other than passes, its own cards, and each trick as it is
played, but no more than two at a time.

Hidden are the others' cards, what lay in the skat at first, and what the solo player put there for
it. Of what the solo player held with the skat, any two cards may have come from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.facts import tricks
from nash_ismcts_spiel.facts.log import Look, own_actions

PLAYERS, RANKS, HAND, ASIDE = 3, 8, 10, 2
SKAT = PLAYERS
"""The holder of the skat, next to the players."""
DECK = range(PLAYERS * HAND + ASIDE)
JACK = 7
PASS = len(DECK)
GAMES = ("unknown/pass", "diamonds", "hearts", "spades", "clubs", "grand", "null")
NULL = 6
TRUMPS = 4
"""The number of the suit of trumps; the others are 0 to 3."""
SYMBOLS = "🃇🃈🃉🃍🃎🃊🃁🃋🂷🂸🂹🂽🂾🂺🂱🂻🂧🂨🂩🂭🂮🂪🂡🂫🃗🃘🃙🃝🃞🃚🃑🃛"
ORDER = [*(seat for seat in range(3) for _ in range(3)), SKAT, SKAT]
ORDER += [seat for cards in (4, 3) for seat in range(3) for _ in range(cards)]
"""Who gets each card of a deal."""

_HAND = re.compile(r"\|Hand:([^|]*)\|")
_GAME = re.compile(r"\|SoloPl:([^|]*)\|.*\|Game:([^|]*)\|")
_TRICK = re.compile(r"(?:Curr|Prev)Trick\(Leader:(\d)\):([^|]+)")


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain the log of a player."""
    looks = [look.shown for look in log if _HAND.search(look.shown)]
    hands = [set(cards_in(found[1])) for text in looks if (found := _HAND.search(text))]
    (solo_player, name), *_ = _GAME.findall(looks[-1])
    solo, kind = int(solo_player), GAMES.index(name)
    bids = [PASS] * player if solo < 0 else [PASS] * solo + [PASS + kind]
    played = tricks_of(looks)
    known, discards = {player: hands[0]}, []
    whole = max(hands, key=len)
    if solo == player:  # whose first action is its bid
        discards = own_actions(log)[1 : 1 + ASIDE]
        kept = sorted(whole.difference(discards))
        known = {player: set(kept[:HAND]), SKAT: {*kept[HAND:], *discards}}
    deal = tricks.deal(
        played, DECK, lambda card: suit_of(card, kind), [HAND] * PLAYERS + [ASIDE], ORDER, known
    )
    for held in deal.hands(rng):
        if solo == player:
            held[player], held[SKAT] = list(hands[0]), list(whole - hands[0])
        elif solo >= 0:
            discards = held[SKAT]
            both = rng.permutation(held[solo] + discards).tolist()
            held[solo], held[SKAT] = both[:HAND], both[HAND:]
        yield [*deal.dealt(held), *bids, *discards, *tricks.plays_of(played)]


def cards_in(text: str) -> list[int]:
    """Cards that are shown as symbols."""
    return [SYMBOLS.index(symbol) for symbol in text.split()]


def tricks_of(looks: Sequence[str]) -> list[tricks.Trick]:
    """All tricks that were seen, the present one last."""
    played: dict[int, tricks.Trick] = {}  # by the card that was led
    for text in looks:
        for leader, symbols in reversed(_TRICK.findall(text)):  # the trick before comes last
            cards = cards_in(symbols)
            plays = [tricks.Play((int(leader) + at) % PLAYERS, c) for at, c in enumerate(cards)]
            if cards and len(cards) >= len(played.get(cards[0], ())):
                played[cards[0]] = plays
    return list(played.values())


def suit_of(card: int, kind: int) -> int:
    """The suit of a card in a game of some kind."""
    suit = card // RANKS
    jack = card % RANKS == JACK and kind != NULL
    return TRUMPS if jack or suit == kind - 1 else suit
