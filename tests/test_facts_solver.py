"""Deals: every one that agrees with what is known is found, no other, and all about as often."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from nash_ismcts_spiel.facts import Deal, around, tricks
from nash_ismcts_spiel.facts import cards as cards_module


def all_deals(deal: Deal) -> set[tuple[int, ...]]:
    """All ways to share the cards out, as the holder of each card, by trying every one."""
    cards = sorted(deal.cards)
    held = {card: holder for holder, known in deal.known.items() for card in known}
    return {
        owners
        for owners in itertools.product(range(len(deal.sizes)), repeat=len(cards))
        if all(owners.count(holder) == size for holder, size in enumerate(deal.sizes))
        and all(
            held.get(card, owner) == owner
            and (card in held or card not in deal.barred.get(owner, ()))
            for card, owner in zip(cards, owners, strict=True)
        )
    }


def owners(hands: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The holder of each card, in the order of the cards."""
    pairs = [(card, holder) for holder, hand in enumerate(hands) for card in hand]
    return tuple(holder for _, holder in sorted(pairs))


def random_deal(rng: np.random.Generator) -> Deal:
    """A few cards, of which some are known and others barred."""
    sizes = rng.integers(0, 4, size=3).tolist()
    cards = range(sum(sizes))
    known = {int(rng.integers(3)): [card] for card in cards if rng.random() < 0.2}
    barred = {h: {card for card in cards if rng.random() < 0.4} for h in range(3)}
    return Deal(cards, sizes, known, barred)


def test_a_deal_is_found_whenever_there_is_one() -> None:
    rng, possible = np.random.default_rng(0), 0
    for _ in range(300):
        deal = random_deal(rng)
        ways = all_deals(deal)
        hands = next(deal.hands(rng), None)
        assert (hands is not None) == bool(ways)
        if hands is not None:
            possible += 1
            assert owners(hands) in ways
    assert 50 < possible < 250


def test_sizes_have_to_fit() -> None:
    rng = np.random.default_rng(0)
    for deal in (Deal([1, 2], [1, 0]), Deal([], [1, -1]), Deal([0, 1], [1, 1], {0: [0, 1]})):
        assert next(deal.hands(rng), None) is None


@pytest.mark.parametrize(
    "deal",
    [
        # Dealt card by card and without exchanges, one of these comes twice as often as another.
        Deal(range(8), [3, 3, 2], barred={0: {1}, 1: {0, 4, 6, 7}, 2: {2}}),
        Deal(range(7), [2, 3, 2], {1: {5}}, {0: {0, 1, 2}, 2: {3}}),
        Deal(range(6), [3, 3]),
    ],
)
def test_every_deal_is_about_as_likely(deal: Deal) -> None:
    rng, ways = np.random.default_rng(1), all_deals(deal)
    draws = 100 * len(ways)
    counts = Counter(owners(hands) for hands in itertools.islice(deal.hands(rng), draws))
    assert set(counts) == ways
    assert stats.chisquare(list(counts.values())).pvalue > 1e-3


def test_hands_are_dealt_in_order_and_what_is_put_aside_is_not() -> None:
    deal = Deal(range(5), [2, 2, 1], {0: {4, 3}, 1: {0, 1}}, order=around(2, 2, first=1))
    (history,) = itertools.islice(deal.histories(np.random.default_rng(0), [7], [8, 9]), 1)
    assert history[0] == 7 and history[5:] == [8, 9]
    assert {history[1], history[3]} == {0, 1} and {history[2], history[4]} == {3, 4}


def test_who_does_not_follow_suit_holds_none_of_it_beside_what_it_played() -> None:
    trick = [tricks.Play(0, 1), tricks.Play(1, 4), tricks.Play(2, 0)]
    deal = tricks.deal([trick], range(6), lambda card: card // 3, [2, 2, 2], around(3, 2), {0: {5}})
    assert deal.known == {0: {1, 5}, 1: {4}, 2: {0}}
    assert deal.barred == {1: {0, 1, 2}}
    assert {
        owners(hands) for hands in itertools.islice(deal.hands(np.random.default_rng(0)), 50)
    } == {(2, 0, 2, 1, 1, 0)}


def test_cards_that_are_seen_later_have_come_before() -> None:
    places, shown = {0: [0, 2, 4], 1: [1, 3]}, [(10, 0, 3), (11, 1, 2), (12, 0, 5)]
    found, rng = set(), np.random.default_rng(0)
    for _ in range(200):
        cards = cards_module.placed(places, shown, rng.permutation([20, 21, 22]).tolist(), rng)
        assert cards is not None
        found.add(tuple(cards[place] for place in range(5)))
    expected = {
        (*(hand[0], 11, hand[1], other, hand[2]),)
        for hand in itertools.permutations([10, 12, 20, 21, 22], 3)
        for other in {20, 21, 22} - {*hand}
        if 10 in hand[:2] and 12 in hand
    }
    assert found == expected
    assert cards_module.placed({0: [3]}, [(1, 0, 3)], [], rng) is None
    assert cards_module.placed({0: [3, 4]}, [(1, 0, 5)], [], rng) is None
