"""Facts of go_fish. At its decisions a player is shown its own cards, how many cards and books
everybody has, and what others did since its own last move: who asked whom for what, how many were
handed over, books, and (in OpenSpiel) what they drew. Hidden is what others were dealt.

Who asks for a rank holds one; who is asked hands over all it has; a player with all cards of a rank
lays down a book. So the number of cards of a rank that a player was dealt is known, or is at least
so many and at most so many. Two things that are rare are left to the general search: a book that is
dealt, and what others do to a player until it has no cards left and draws, which it is not shown.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nash_ismcts_spiel.facts.cards import Deal
from nash_ismcts_spiel.facts.log import Look

ATTEMPTS = 50

_CARDS = re.compile(r"([a-z])(\d)")
_PLAYER = re.compile(r"player \d+ cards (\d+) books (\d+)")
_EVENT = re.compile(r"(\d+) asked (-?\d+) for (\d+)(?: recieved (\d+))?( booked \d+)?")


class Step(NamedTuple):
    """A player gets cards of a rank from another one, or draws one (the target is negative then),
    and may have a book then.
    """

    player: int
    target: int
    rank: int
    received: int
    booked: bool


class Seen(NamedTuple):
    """One look, read; the steps are those of others since the player's own last one."""

    hand: Counter[int]
    sizes: list[int]
    books: list[int]
    steps: list[Step]


@dataclass
class Holding:
    """A player's cards of one rank: how many more it has than it was dealt, and how many it was
    dealt, at least and at most.
    """

    gained: int
    least: int
    most: int

    def loses(self, count: int) -> None:
        """The player holds so many and loses them."""
        dealt = count - self.gained
        self.least, self.most = max(self.least, dealt), min(self.most, dealt)
        self.gained = -dealt

    def gains(self, step: Step, suits: int) -> None:
        """Cards come; who asks for them has one before."""
        if step.target >= 0:
            self.least = max(self.least, 1 - self.gained)
        self.gained += step.received
        if step.booked:
            self.loses(suits)
        else:
            self.most = min(self.most, suits - 1 - self.gained)


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain a log."""
    table = game.get_parameters()
    players, ranks, suits = table["players"], table["ranks"], table["suits"]
    size = table["initial_cards"]
    size = size if size != -1 else 7 if players == 2 else 5
    looks = [read(look.shown) for look in log]
    ways = []
    for look, before, after in zip(log[1:], looks, looks[1:], strict=False):
        target, rank = divmod(-1 if look.action is None else look.action, ranks)
        ask = Step(player, target, rank, 0, False)
        ways.append(list(own_steps(ask, before, after, ranks, suits)))
    for _ in range(ATTEMPTS if all(ways) else 0):
        steps = list(looks[0].steps)
        for choices in ways:
            steps += choices[int(rng.integers(len(choices)))]
        own = looks[0].hand + taken(looks[0].steps, player)
        deal = deal_of([size] * players, player, own, steps, ranks, suits)
        for hands in itertools.islice(deal.hands(rng), 1):
            dealt = [card // suits for hand in hands[:players] for card in hand]
            yield [*dealt, *(max(step.target, 0) * ranks + step.rank for step in steps)]


def read(text: str) -> Seen:
    """What a look shows. Steps are written with the latest first."""
    lines = text.splitlines()
    hand = Counter({ord(rank) - ord("a"): int(n) for rank, n in _CARDS.findall(lines[2][12:])})
    players = [found.groups() for found in map(_PLAYER.fullmatch, lines) if found]
    sizes, books = ([int(row[column]) for row in players] for column in (0, 1))
    steps = [
        Step(int(found[1]), int(found[2]), int(found[3]), int(found[4] or 0), found[5] is not None)
        for found in map(_EVENT.fullmatch, lines[:2:-1])
        if found
    ]
    return Seen(hand, sizes, books, steps)


def taken(steps: Sequence[Step], player: int) -> Counter[int]:
    """Cards that others took from a player."""
    return Counter(
        {step.rank: step.received for step in steps if step.target == player and step.received}
    )


def own_steps(ask: Step, before: Seen, after: Seen, ranks: int, suits: int) -> Iterator[list[Step]]:
    """Ways in which the player's own ask and draws, and what was seen then, explain two looks."""
    player = ask.player
    hand = after.hand + taken(after.steps, player)
    books = after.books[player] - before.books[player]
    draws = sum(after.sizes) + suits * sum(after.books) - sum(before.sizes)
    draws -= suits * sum(before.books) + sum(step.target < 0 for step in after.steps)
    received = hand.total() - before.hand.total() - draws + suits * books
    step = ask._replace(received=received)
    for drawn in itertools.product(range(ranks), repeat=draws) if 0 <= draws <= 2 else ():
        held = before.hand + Counter({ask.rank: received}) + Counter(drawn)
        whole = [rank for rank, count in held.items() if count >= suits]
        if len(whole) == books and hand == held - Counter(dict.fromkeys(whole, suits)):
            yield [step, *(Step(player, -1, card, 1, False) for card in drawn), *after.steps]


def deal_of(
    sizes: list[int], player: int, own: Counter[int], steps: Sequence[Step], ranks: int, suits: int
) -> Deal:
    """The cards of a rank are numbered; the first ones are drawn from the deck later on, then come
    the player's and those that others hold at least. The last holder is the deck.
    """
    others = [other for other in range(len(sizes)) if other != player]
    held = {(p, rank): Holding(0, 0, suits - 1) for p in others for rank in range(ranks)}
    drawn = Counter(step.rank for step in steps if step.target < 0)
    for step in steps:
        if step.player != player:
            held[step.player, step.rank].gains(step, suits)
        if step.target in others:
            held[step.target, step.rank].loses(step.received)
    known: dict[int, set[int]] = {holder: set() for holder in range(len(sizes))}
    barred: dict[int, set[int]] = {holder: set() for holder in range(len(sizes))}
    for rank in range(ranks):
        cards = list(range(rank * suits + drawn[rank], (rank + 1) * suits))
        known[player].update(cards.pop() for _ in range(min(own[rank], len(cards))))
        for other in others:
            least = min(held[other, rank].least, len(cards))
            known[other].update(cards.pop(0) for _ in range(least))
        for other in others:
            barred[other].update(cards[held[other, rank].most - held[other, rank].least :])
    deck = [card for card in range(ranks * suits) if card % suits >= drawn[card // suits]]
    return Deal(deck, [*sizes, len(deck) - sum(sizes)], known, barred)
