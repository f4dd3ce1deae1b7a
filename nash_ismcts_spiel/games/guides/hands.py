"""Hands: cards that a player has not seen are shared out among those who may hold them.

What guides of card games have in common. Holders are the players and, where cards lie aside, the
heaps too; everybody holds a known number of cards. Some cards of a holder are known, and some cards
are barred to it. A deal is found whenever there is one, and every deal may be.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

_EXCHANGES = 8
"""How often each card is tried for an exchange, so that no deal is much likelier than another."""


def filled_up(
    known: Sequence[Collection[int]],
    sizes: Sequence[int],
    barred: Sequence[Collection[int]],
    unseen: Collection[int],
    rng: np.random.Generator,
) -> list[list[int]] | None:
    """Whole hands, each in a random order; None if there are none.

    Args:
      known: what each holder is known to hold.
      sizes: how many cards each holds in all.
      barred: what each cannot hold beside what is known.
      unseen: all other cards, as many as fill the hands.
      rng: where draws come from.
    """
    room = [size - len(cards) for size, cards in zip(sizes, known, strict=True)]
    shares = shared_out(sorted(unseen), room, barred, rng)
    if shares is None:
        return None
    return [
        rng.permutation([*sorted(cards), *share]).tolist()
        for cards, share in zip(known, shares, strict=True)
    ]


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
