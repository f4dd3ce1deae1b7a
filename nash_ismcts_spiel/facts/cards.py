"""Cards: who may hold which, and deals that agree with it.

Holders are the players and, where cards lie aside, the places where they lie. Each holds a known
number of cards; some of a holder's cards are known, and some cards are barred to it. A deal is
found whenever there is one, and every deal is about as likely as another.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

_EXCHANGES = 8
"""How often each card is tried for an exchange, so that no deal is much likelier than another."""


@dataclass(frozen=True)
class Deal:
    """What is known of a deal.

    Attributes:
      cards: all cards that holders have.
      sizes: how many cards each holder has; together as many as there are.
      known: by holder, cards that it holds for sure; nothing unless given.
      barred: by holder, cards that it cannot hold unless they are known; none unless given.
      order: the holders as cards are dealt to them, one by one. Cards of a holder that is not in it
        are not dealt.
    """

    cards: Collection[int]
    sizes: Sequence[int]
    known: Mapping[int, Collection[int]] = field(default_factory=dict)
    barred: Mapping[int, Collection[int]] = field(default_factory=dict)
    order: Sequence[int] = ()

    def hands(self, rng: np.random.Generator) -> Iterator[list[list[int]]]:
        """Cards by holder, each hand in a random order, again and again if there is a deal."""
        known = [sorted(self.known.get(holder, ())) for holder in range(len(self.sizes))]
        barred = [self.barred.get(holder, ()) for holder in range(len(self.sizes))]
        unseen = sorted(set(self.cards).difference(*known))
        room = [size - len(cards) for size, cards in zip(self.sizes, known, strict=True)]
        while (shares := shared_out(unseen, room, barred, rng)) is not None:
            yield [
                rng.permutation([*cards, *share]).tolist()
                for cards, share in zip(known, shares, strict=True)
            ]

    def dealt(self, hands: Sequence[Sequence[int]]) -> list[int]:
        """Hands in the order of the deal."""
        left = [iter(hand) for hand in hands]
        return [next(left[holder]) for holder in self.order]

    def histories(
        self, rng: np.random.Generator, before: Sequence[int] = (), after: Sequence[int] = ()
    ) -> Iterator[list[int]]:
        """Histories of games in which deals come between events that are known."""
        for hands in self.hands(rng):
            yield [*before, *self.dealt(hands), *after]


def around(players: int, rounds: int, first: int = 0) -> list[int]:
    """Players as they are dealt a card each, round by round, from the first one on."""
    return [(first + turn) % players for turn in range(players * rounds)]


def placed(
    places: Mapping[int, Sequence[int]],
    shown: Sequence[tuple[int, int, int]],
    unseen: Sequence[int],
    rng: np.random.Generator,
) -> dict[int, int] | None:
    """A card for each place where somebody got one unseen; None if there are too few.

    Args:
      places: by holder, when it got cards, as numbers that grow.
      shown: cards that were seen later, with their holders and the time until when they had come.
      unseen: all other cards, in a random order.
      rng: where draws come from.
    """
    free = {holder: list(when) for holder, when in places.items()}
    found: dict[int, int] = {}
    for card, holder, until in sorted(shown, key=lambda each: each[2]):
        before = [place for place in free[holder] if place < until]
        if not before:
            return None
        place = before[int(rng.integers(len(before)))]
        free[holder].remove(place)
        found[place] = card
    left = [place for when in free.values() for place in when]
    return None if len(left) > len(unseen) else found | dict(zip(left, unseen, strict=False))


def shared_out(
    cards: Sequence[int],
    room: Sequence[int],
    barred: Sequence[Collection[int]],
    rng: np.random.Generator,
) -> list[list[int]] | None:
    """Cards by holder, as many as each has room for; None if they cannot be shared out like that.

    The cards are dealt in a random order, and where nobody who may hold a card has room left,
    others hand cards on to make room. Then cards change places at random.
    """
    if min(room) < 0 or sum(room) != len(cards):
        return None
    shares: list[list[int]] = [[] for _ in room]
    if not any(barred):
        ends = itertools.accumulate(room)
        order = rng.permutation(np.asarray(cards, dtype=np.int64)).tolist()
        return [order[end - size : end] for size, end in zip(room, ends, strict=True)]
    for card in rng.permutation(np.asarray(cards, dtype=np.int64)).tolist():
        left = [
            0 if card in barred[holder] else size - len(shares[holder])
            for holder, size in enumerate(room)
        ]
        if any(left):
            place = int(rng.integers(sum(left)))
            holder = int(np.searchsorted(np.cumsum(left), place, side="right"))
            shares[holder].append(card)
        elif not _hand_on(card, shares, room, barred):
            return None
    _exchange(shares, barred, rng)
    return shares


def _hand_on(
    card: int, shares: list[list[int]], room: Sequence[int], barred: Sequence[Collection[int]]
) -> bool:
    """Gives a card to somebody full, who hands one of its own on, and so forth to somebody with
    room; the shortest such chain. False if there is none.
    """
    waiting = [holder for holder in range(len(room)) if card not in barred[holder]]
    taken: dict[int, tuple[int, int]] = {holder: (-1, card) for holder in waiting}
    for holder in waiting:  # grows
        if len(shares[holder]) < room[holder]:
            while holder >= 0:
                giver, given = taken[holder]
                shares[holder].append(given)
                if giver >= 0:
                    shares[giver].remove(given)
                holder = giver
            return True
        for own in shares[holder]:
            for other in range(len(room)):
                if other not in taken and own not in barred[other]:
                    taken[other] = (holder, own)
                    waiting.append(other)
    return False


def _exchange(
    shares: list[list[int]], barred: Sequence[Collection[int]], rng: np.random.Generator
) -> None:
    """Lets pairs of cards change places at random where both may."""
    places = [(holder, at) for holder, share in enumerate(shares) for at in range(len(share))]
    if len(places) < 2:
        return
    for one, two in rng.integers(len(places), size=(_EXCHANGES * len(places), 2)).tolist():
        (giver, at), (taker, to) = places[one], places[two]
        given, got = shares[giver][at], shares[taker][to]
        if given not in barred[taker] and got not in barred[giver]:
            shares[giver][at], shares[taker][to] = got, given
