"""Gin rummy: the other player's hand is hidden, and what it draws from the stock.

Every event changes something that a player is shown (the stock, the upcard, the phase, whose turn
it is), so a log says what happened event by event, but for the other player's cards. A card that
the other player discards or lays down, and did not take from the pile, was dealt to it or drawn
before: it is put in one of these places at random, and the places that are left get cards that the
player has never seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nash_ismcts_spiel.games.guides.log import Look

_RANKS, _SUITS = "A23456789TJQK", "scdh"
_TAKE, _DRAW, _PASS, _KNOCK = 52, 53, 54, 55
_TRIES = 200
_UNKNOWN = -1
"""Stands for a card of the other player's until it is chosen."""


class _Table(NamedTuple):
    """What one look shows: -1 is no upcard, or chance to move."""

    mover: int
    phase: str
    upcard: int
    hands: tuple[frozenset[int], frozenset[int]]


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
    return _Table(int(mover[1]), phase[1], card, (_cards(boxes[0]), _cards(boxes[1])))


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
    return None


class _Story:
    """The events of a log, with places for the other player's unknown cards.

    Attributes:
      events: chance outcomes and actions, `_UNKNOWN` where the other player got a card.
      deadlines: cards that the other player held, and the number of events before that was seen.
      taken: cards that it took from the pile and holds.
      seen: cards that the player has seen in its own hand or on the pile.
      whole: whether the log tells all events; how the other player lays melds down, it does not.
    """

    def __init__(self, player: int, log: Sequence[Look]) -> None:
        """Reads a log."""
        self.events: list[int] = []
        self.deadlines: dict[int, int] = {}
        self.taken: set[int] = set()
        self.seen: set[int] = set()
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
            action = _others_action(before, after)
            if action is None:
                self.whole = False
                return
            if action == _TAKE:
                self.taken.add(before.upcard)
            elif action < _TAKE and action not in self.taken:
                self.deadlines.setdefault(action, len(self.events))
            elif action < _TAKE:
                self.taken.discard(action)
            self.events.append(action)

    def told(self, deck: int, rng: np.random.Generator) -> list[int] | None:
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
        unseen = sorted(set(range(deck)) - self.seen - set(self.deadlines))
        if len(unseen) < len(free):
            return None
        for at, card in zip(free, rng.permutation(unseen)[: len(free)].tolist(), strict=True):
            events[at] = card
        return events


def guide(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories in which the other player was dealt, or drew, what it showed later."""
    story = _Story(player, log)
    for _ in range(_TRIES if story.whole else 0):
        told = story.told(len(_RANKS) * len(_SUITS), rng)
        if told is not None:
            yield told
