"""Gin rummy: the other player's hand is hidden, and what it draws from the stock.

Every event changes something that a player is shown (the stock, the upcard, the phase, whose turn
it is), so a log says what happened event by event, but for the other player's cards. A card that
the other player discards or lays down, and did not take from the pile, was dealt to it or drawn
before: it is put in one of these places at random, and the places that are left get cards that the
player has never seen. Once the other player has knocked, the cards that it did not lay down count
no more points than the table allows.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyspiel

from nash_ismcts_spiel.facts.log import Look

_RANKS, _SUITS = "A23456789TJQK", "scdh"
_TAKE, _DRAW, _PASS, _KNOCK, _FIRST_MELD = 52, 53, 54, 55, 56
_TRIES = 200
_UNKNOWN = -1
"""Stands for a card of the other player's until it is chosen."""
_UTILS = pyspiel.gin_rummy.GinRummyUtils(len(_RANKS), len(_SUITS), 10)
"""OpenSpiel's numbers of melds."""


class _Table(NamedTuple):
    """What one look shows: -1 is no upcard, no discard, or chance to move.

    `melds` are those of both players in the order of the text, and `allowed` is how many points the
    hand of one who knocks may count beside melds.
    """

    mover: int
    phase: str
    upcard: int
    hands: tuple[frozenset[int], frozenset[int]]
    discarded: int
    melds: tuple[frozenset[int], ...]
    allowed: int


def _card(text: str) -> int:
    return _SUITS.index(text[1]) * len(_RANKS) + _RANKS.index(text[0])


def _cards(text: str) -> frozenset[int]:
    return frozenset(map(_card, re.findall(r"[A2-9TJQK][scdh]", text)))


def _read(shown: str) -> _Table:
    mover = re.search(r"Current player: (-?\d+)", shown)
    phase, upcard = re.search(r"Phase: (\w+)", shown), re.search(r"Upcard: (\w\w)", shown)
    boxes = re.findall(r"\+-+\+\n(.*?)\+-+\+", shown, re.DOTALL)
    if mover is None or phase is None or upcard is None or len(boxes) != 2:
        raise ValueError("not a table of gin rummy")
    card = -1 if upcard[1] == "XX" else _card(upcard[1])
    hands = (_cards(boxes[0]), _cards(boxes[1]))
    pile = re.search(r"Discard pile:.*(\w\w)\n", shown)
    laid = " ".join(re.findall(r"Layed melds:(.*)", shown))
    allowed = re.search(r"Knock card: (\d+)", shown)
    return _Table(
        int(mover[1]),
        phase[1],
        card,
        hands,
        _card(pile[1]) if pile else -1,
        tuple(map(_cards, laid.split())),
        int(allowed[1]) if allowed else 0,
    )


def _chance(before: _Table, after: _Table, player: int) -> int:
    """The card that was dealt, unknown if the other player got it."""
    own = after.hands[player] - before.hands[player]
    if own:
        return min(own)
    return after.upcard if before.upcard < 0 <= after.upcard else _UNKNOWN


def _others_action(before: _Table, after: _Table) -> int | None:
    """What the other player did, None if the tables do not say."""
    if before.phase in ("FirstUpcard", "Draw"):
        if after.mover < 0:
            return _DRAW
        return _TAKE if after.upcard != before.upcard else _PASS
    if before.phase == "Discard":
        return after.upcard if after.upcard >= 0 else _KNOCK
    if before.phase != "Knock":
        return None
    if after.discarded != before.discarded:
        return after.discarded
    for meld in set(after.melds) - set(before.melds):
        return _FIRST_MELD + int(_UTILS.meld_to_int(sorted(meld)))
    return _PASS


def _points(card: int) -> int:
    return min(card % len(_RANKS) + 1, 10)


def _light(cards: Sequence[int], count: int, allowed: int, rng: np.random.Generator) -> list[int]:
    """As many cards with at most so many points, every such choice as likely; none if none is."""

    @functools.cache
    def ways(start: int, left: int, points: int) -> int:
        if points < 0 or left > len(cards) - start:
            return 0
        if left == 0:
            return 1
        taken = ways(start + 1, left - 1, points - _points(cards[start]))
        return taken + ways(start + 1, left, points)

    chosen: list[int] = []
    if ways(0, count, allowed) == 0:
        return chosen
    for start, card in enumerate(cards):
        left = count - len(chosen)
        passed = ways(start + 1, left, allowed)
        if left and rng.random() * ways(start, left, allowed) >= passed:
            chosen.append(card)
            allowed -= _points(card)
    return chosen


class _Story:
    """The events of a log, with places for the other player's unknown cards.

    Attributes:
      events: chance outcomes and actions, `_UNKNOWN` where the other player got a card.
      deadlines: cards that the other player held, and the number of events before that was seen.
      taken: cards that it took from the pile and holds.
      seen: cards that the player has seen in its own hand or on the pile.
      allowed: how many points its cards may count, once it has knocked and laid its melds down.
      whole: whether the log tells all events; how the other player lays cards off, it does not,
        but then the player has no more moves.
    """

    def __init__(self, player: int, log: Sequence[Look]) -> None:
        """Reads a log."""
        self.events: list[int] = []
        self.deadlines: dict[int, int] = {}
        self.taken: set[int] = set()
        self.seen: set[int] = set()
        self.allowed: int | None = None
        self.whole = True
        tables = [_read(look.shown) for look in log]
        for number in range(len(tables) - 1):
            self._event(player, tables[number], tables[number + 1], log[number + 1].action)
        for table in tables:
            self.seen |= {*table.hands[player], table.upcard} - {-1}

    def _event(self, player: int, before: _Table, after: _Table, own: int | None) -> None:
        for card in after.hands[1 - player] - before.hands[1 - player] - self.taken:
            self.deadlines.setdefault(card, len(self.events))
        if before.mover < 0:
            self.events.append(_chance(before, after, player))
        elif before.mover == player:
            if own is None:
                raise ValueError("an own move is missing")
            self.events.append(own)
        else:
            self._others_event(before, after)

    def _others_event(self, before: _Table, after: _Table) -> None:
        action = _others_action(before, after)
        if action is None:
            self.whole = False
            return
        shown: Collection[int] = ()
        if action < _TAKE:
            shown = (action,)
        elif action >= _FIRST_MELD:
            shown = _UTILS.int_to_meld[action - _FIRST_MELD]
        elif action == _TAKE:
            self.taken.add(before.upcard)
        elif action == _PASS and before.phase == "Knock":
            self.allowed = before.allowed
        for card in shown:
            if card not in self.taken:
                self.deadlines.setdefault(card, len(self.events))
        self.taken.difference_update(shown)
        self.events.append(action)

    def told(self, rng: np.random.Generator) -> list[int] | None:
        """A history, None if the cards do not fit."""
        events = list(self.events)
        free = [at for at, event in enumerate(events) if event == _UNKNOWN]
        for card, deadline in sorted(self.deadlines.items(), key=lambda item: item[1]):
            places = [at for at in free if at < deadline]
            if not places:
                return None
            at = int(rng.choice(places))
            free.remove(at)
            events[at] = card
        deck = range(len(_RANKS) * len(_SUITS))
        cards = sorted(set(deck) - self.seen - set(self.deadlines))
        if self.allowed is not None:
            allowed = self.allowed - sum(map(_points, self.taken))
            cards = _light(cards, len(free), allowed, rng)
        if len(cards) < len(free):
            return None
        for at, card in zip(free, rng.permutation(cards)[: len(free)].tolist(), strict=True):
            events[at] = int(card)
        return events


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories in which the other player was dealt, or drew, what it showed later."""
    story = _Story(player, log)
    for _ in range(_TRIES if story.whole else 0):
        told = story.told(rng)
        if told is not None:
            yield told
