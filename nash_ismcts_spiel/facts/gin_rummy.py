"""Facts of gin_rummy. Every event changes something that a player is shown (the stock, the upcard,
the phase, whose turn it is), so a log says what happened event by event, but for the cards that the
other player was dealt or drew.

A card that it discards or lays down, and did not take from the pile, came to it before. Once it has
knocked, the cards that it did not lay down count no more points than the table allows.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyspiel

from nash_ismcts_spiel.facts.cards import placed
from nash_ismcts_spiel.facts.log import Look

RANKS, SUITS = "A23456789TJQK", "scdh"
DECK = frozenset(range(len(RANKS) * len(SUITS)))
TAKE, DRAW, PASS, KNOCK, FIRST_MELD = 52, 53, 54, 55, 56
TRIES = 200
UNKNOWN = -1
"""Stands for a card of the other player's until it is chosen."""
UTILS = pyspiel.gin_rummy.GinRummyUtils(len(RANKS), len(SUITS), 10)
"""OpenSpiel's numbers of melds."""

_LINE = re.compile(r"Current player: (-?\d+).*Phase: (\w+).*Upcard: (\w\w)", re.DOTALL)
_CARD = re.compile(r"[A2-9TJQK][scdh]")


class Table(NamedTuple):
    """What one look shows: -1 is no upcard, no discard, or chance to move.

    `melds` are those of both players in the order of the text, and `allowed` is how many points the
    hand of one who knocks may count beside melds.
    """

    mover: int
    phase: str
    upcard: int
    hands: list[frozenset[int]]
    discarded: int
    melds: list[frozenset[int]]
    allowed: int


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories in which the other player was dealt, or drew, what it showed later."""
    story = Story(player, log)
    for _ in range(TRIES if story.whole else 0):
        told = story.told(rng)
        if told is not None:
            yield told


def cards_in(text: str) -> list[int]:
    """Cards by number, as they are written."""
    return [
        SUITS.index(suit) * len(RANKS) + RANKS.index(rank) for rank, suit in _CARD.findall(text)
    ]


def read(shown: str) -> Table:
    """What a look shows."""
    found, boxes = _LINE.search(shown), re.findall(r"\+-+\+\n(.*?)\+-+\+", shown, re.DOTALL)
    if found is None or len(boxes) != 2:
        raise ValueError("not a table of gin rummy")
    pile = cards_in(shown.partition("Discard pile:")[2].partition("\n")[0])
    laid = " ".join(re.findall(r"Layed melds:(.*)", shown)).split()
    return Table(
        int(found[1]),
        found[2],
        [-1, *cards_in(found[3])][-1],
        [frozenset(cards_in(box)) for box in boxes],
        [-1, *pile][-1],
        [frozenset(cards_in(meld)) for meld in laid],
        int(shown.partition("Knock card: ")[2].partition("\n")[0]),
    )


def others_action(before: Table, after: Table) -> int | None:
    """What the other player did, None if the tables do not say."""
    if before.phase in ("FirstUpcard", "Draw"):
        if after.mover < 0:
            return DRAW
        return TAKE if after.upcard != before.upcard else PASS
    if before.phase == "Discard":
        return after.upcard if after.upcard >= 0 else KNOCK
    if before.phase != "Knock":
        return None
    if after.discarded != before.discarded:
        return after.discarded
    for meld in set(after.melds) - set(before.melds):
        return FIRST_MELD + int(UTILS.meld_to_int(sorted(meld)))
    return PASS


class Story:
    """The events of a log, `UNKNOWN` where the other player got a card.

    Attributes:
      events: chance outcomes and actions.
      until: cards that the other player held, and the number of events before that was seen.
      taken: cards that it took from the pile and holds.
      unseen: cards that nobody has shown to the player.
      allowed: how many points its cards may count, once it has knocked and laid its melds down.
      whole: whether the log tells all events; how the other player lays cards off, it does not,
        but then the player has no more moves.
    """

    def __init__(self, player: int, log: Sequence[Look]) -> None:
        """Reads a log."""
        self.events: list[int] = []
        self.until: dict[int, int] = {}
        self.taken: set[int] = set()
        self.allowed: int | None = None
        self.whole = True
        tables = [read(look.shown) for look in log]
        for look, before, after in zip(log[1:], tables, tables[1:], strict=False):
            self._held(after.hands[1 - player] - before.hands[1 - player])
            if before.mover < 0:
                drawn = after.hands[player] - before.hands[player]
                turned = after.upcard if before.upcard < 0 else UNKNOWN
                self.events.append(min(drawn, default=turned))
            elif before.mover == player and look.action is not None:
                self.events.append(look.action)
            else:
                self._others_event(before, after)
        seen = {table.upcard for table in tables}.union(*(table.hands[player] for table in tables))
        self.unseen = sorted(DECK - seen - set(self.until))

    def _held(self, cards: frozenset[int]) -> None:
        for card in cards - self.taken:
            self.until.setdefault(card, len(self.events))

    def _others_event(self, before: Table, after: Table) -> None:
        action = others_action(before, after)
        if action is None:
            self.whole = False
            return
        if action < TAKE or action >= FIRST_MELD:
            laid = [action] if action < TAKE else UTILS.int_to_meld[action - FIRST_MELD]
            self._held(frozenset(laid))
            self.taken.difference_update(laid)
        elif action == TAKE:
            self.taken.add(before.upcard)
        elif action == PASS and before.phase == "Knock":
            self.allowed = before.allowed
        self.events.append(action)

    def told(self, rng: np.random.Generator) -> list[int] | None:
        """A history, None if the cards do not fit."""
        free = [at for at, event in enumerate(self.events) if event == UNKNOWN]
        cards = rng.permutation(self.unseen).tolist()
        if self.allowed is not None:
            allowed = self.allowed - sum(map(points, self.taken))
            cards = light(self.unseen, len(free) - len(self.until), allowed, rng)
        shown = [(card, 0, until) for card, until in self.until.items()]
        found = placed({0: free}, shown, cards, rng)
        if found is None:
            return None
        return [found.get(at, event) for at, event in enumerate(self.events)]


def points(card: int) -> int:
    """What a card counts that is in no meld."""
    return min(card % len(RANKS) + 1, 10)


def light(cards: Sequence[int], count: int, allowed: int, rng: np.random.Generator) -> list[int]:
    """As many cards with at most so many points, in a random order; every such choice is as likely.
    None at all if there is none.
    """

    @functools.cache
    def ways(start: int, left: int, allowed: int) -> int:
        if allowed < 0 or left > len(cards) - start:
            return 0
        if left <= 0:
            return int(left == 0)
        taken = ways(start + 1, left - 1, allowed - points(cards[start]))
        return taken + ways(start + 1, left, allowed)

    chosen: list[int] = []
    if ways(0, count, allowed) == 0:
        return chosen
    for start, card in enumerate(cards):
        left = count - len(chosen)
        if left and rng.random() * ways(start, left, allowed) >= ways(start + 1, left, allowed):
            chosen.append(card)
            allowed -= points(card)
    shuffled: list[int] = rng.permutation(chosen).tolist()
    return shuffled
