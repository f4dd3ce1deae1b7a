"""A guide for skat: hands that hold what was played and lack what was not followed.

A player sees bids other than passes, its own cards, and each trick as it is played, but no more
than two at a time. Hidden are the others' cards, what lay in the skat at first, and what the solo
player put there for it. Of what the solo player held with the skat, any two cards may have come
from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nash_ismcts_spiel.games.guides import hands, tricks
from nash_ismcts_spiel.games.guides.log import Look

PLAYERS, RANKS, HAND, ASIDE = 3, 8, 10, 2
CARDS = PLAYERS * HAND + ASIDE
SKAT = PLAYERS
"""The holder of the skat, next to the players."""
JACK = 7
PASS = CARDS
GAMES = ("unknown/pass", "diamonds", "hearts", "spades", "clubs", "grand", "null")
NULL = 6
TRUMPS = 4
"""The number of the suit of trumps; the others are 0 to 3."""
SYMBOLS = "🃇🃈🃉🃍🃎🃊🃁🃋🂷🂸🂹🂽🂾🂺🂱🂻🂧🂨🂩🂭🂮🂪🂡🂫🃗🃘🃙🃝🃞🃚🃑🃛"
DEALT_TO = [0] * 3 + [1] * 3 + [2] * 3 + [SKAT] * 2 + [0] * 4 + [1] * 4 + [2] * 4
DEALT_TO += [0] * 3 + [1] * 3 + [2] * 3
"""Who gets each card of a deal."""

_SHOWN = re.compile(
    r"PlPos:\d\|Phase:[^|]*\|Hand:(?P<hand>[^|]*)\|Bids:[^|]*\|SoloPl:(?P<solo>[^|]*)"
    r"\|Skat:[^|]*\|Game:(?P<game>[^|]*)\|CurrTrick\(Leader:(?P<leader>[^)]*)\):(?P<trick>[^|]*)"
    r"(?:\|PrevTrick\(Leader:(?P<last_leader>[^)]*)\):(?P<last_trick>.*))?$"
)


class Seen(NamedTuple):
    """One look, read.

    Attributes:
      hand: the player's cards.
      solo: the solo player, -1 as long as there is none.
      kind: what game is played.
      trick: the trick that lies there, or the last one if that is empty.
      complete: whether the trick is over.
    """

    hand: set[int]
    solo: int
    kind: int
    trick: tricks.Trick
    complete: bool


def guide(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain the log of a player."""
    looks = [read(found) for look in log if (found := _SHOWN.match(look.shown))]
    solo, kind = looks[-1].solo, looks[-1].kind
    bids = [PASS] * player if solo < 0 else [PASS] * solo + [PASS + kind]
    played = tricks_of(looks)
    known = tricks.held_by(played, PLAYERS + 1)
    known[player] = looks[0].hand
    if solo == player:
        known[SKAT] = max((look.hand for look in looks), key=len) - looks[0].hand
    unseen = set(range(CARDS)) - set().union(*known)
    barred = tricks.not_followed(
        played, lambda card: suit_in(kind, card), range(CARDS), PLAYERS + 1
    )
    # The first action of a solo player is its bid.
    discards = [look.action for look in log if look.action is not None][1 : 1 + ASIDE]
    while held := hands.filled_up(known, [HAND] * PLAYERS + [ASIDE], barred, unseen, rng):
        if solo >= 0 and solo != player:
            discards = held[SKAT]
            both = rng.permutation(held[solo] + discards).tolist()
            held[solo], held[SKAT] = both[:HAND], both[HAND:]
        laid = discards if solo >= 0 else []
        yield [*in_order(held), *bids, *laid, *tricks.plays_of(played)]


def read(found: re.Match[str]) -> Seen:
    """What a look shows."""
    trick = cards_in(found["trick"])
    leader = found["leader"]
    complete = not trick and found["last_trick"] is not None
    if complete:
        trick, leader = cards_in(found["last_trick"]), found["last_leader"]
    plays = [tricks.Play((int(leader) + at) % PLAYERS, card) for at, card in enumerate(trick)]
    hand = set(cards_in(found["hand"]))
    return Seen(hand, int(found["solo"]), GAMES.index(found["game"]), plays, complete)


def cards_in(text: str) -> list[int]:
    """Cards that are shown as symbols."""
    return [SYMBOLS.index(symbol) for symbol in text.split()]


def tricks_of(looks: Sequence[Seen]) -> list[tricks.Trick]:
    """All tricks that were seen, the present one last."""
    played: list[tricks.Trick] = []
    for look in looks:
        if look.complete and look.trick not in played:
            played.append(look.trick)
    return played if looks[-1].complete or not looks[-1].trick else [*played, looks[-1].trick]


def suit_in(kind: int, card: int) -> int:
    """The suit of a card in a game of some kind."""
    suit = card // RANKS
    jack = card % RANKS == JACK and kind != NULL
    return TRUMPS if jack or suit == kind - 1 else suit


def in_order(held: Sequence[Sequence[int]]) -> Iterator[int]:
    """Hands and skat in the order of the deal."""
    left = [iter(cards) for cards in held]
    return (next(left[holder]) for holder in DEALT_TO)
