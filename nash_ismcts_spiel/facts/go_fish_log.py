"""What happened in go_fish, from one player's log: asks and draws, its own and the others'."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nash_ismcts_spiel.facts.log import Look

_CARDS = re.compile(r"([a-z])(\d)")
_PLAYER = re.compile(r"player \d+ cards (\d+) books (\d+)")
_EVENT = re.compile(r"(\d+) asked (-?\d+) for (\d+)(?: recieved (\d+))?( booked \d+)?")


class Table(NamedTuple):
    """The sizes of a game."""

    players: int
    ranks: int
    suits: int
    dealt: int

    @classmethod
    def of(cls, game: Any) -> Table:
        """Those of a pyspiel game."""
        sizes = game.get_parameters()
        dealt = sizes["initial_cards"]
        if dealt == -1:
            dealt = 7 if sizes["players"] == 2 else 5
        return cls(sizes["players"], sizes["ranks"], sizes["suits"], dealt)


class Ask(NamedTuple):
    """A player asks another for a rank, gets some cards, and may have a book then."""

    player: int
    target: int
    rank: int
    received: int = 0
    booked: bool = False


class Draw(NamedTuple):
    """A player draws a card, which may complete a book."""

    player: int
    rank: int
    booked: bool = False


Step = Ask | Draw


class Seen(NamedTuple):
    """One look, read; the events are those of others since the player's own last one."""

    hand: Counter[int]
    sizes: list[int]
    books: list[int]
    events: list[Step]

    def pool(self, table: Table) -> int:
        """How many cards are in the deck."""
        return table.ranks * table.suits - sum(self.sizes) - table.suits * sum(self.books)


def read(text: str) -> Seen:
    """What a look shows."""
    lines = text.splitlines()
    hand = Counter({ord(rank) - ord("a"): int(n) for rank, n in _CARDS.findall(lines[2][12:])})
    players = [found.groups() for found in map(_PLAYER.fullmatch, lines) if found]
    sizes, books = ([int(row[column]) for row in players] for column in (0, 1))
    return Seen(hand, sizes, books, list(_events(lines[3 + len(players) :][::-1])))


def _events(lines: Sequence[str]) -> Iterator[Step]:
    """Events in lines, the oldest first. Draws are written as asks of nobody, a negative number."""
    for line in lines:
        if event := _EVENT.fullmatch(line):
            player, target, rank, received = (int(number or 0) for number in event.groups()[:4])
            if target < 0:
                yield Draw(player, rank, event[5] is not None)
            else:
                yield Ask(player, target, rank, received, event[5] is not None)


def _got(table: Table, hand: Counter[int], ranks: Sequence[int]) -> tuple[Counter[int], int]:
    """A hand after cards came to it, and the number of books that were laid down."""
    after, books = Counter(hand), 0
    for rank in ranks:
        after[rank] += 1
        if after[rank] == table.suits:
            books += 1
            del after[rank]
    return after, books


def _own(table: Table, player: int, before: Seen, action: int, after: Seen) -> Iterator[list[Step]]:
    """Ways in which the player's own ask and draws, and what was seen then, explain two looks."""
    target, rank = divmod(action, table.ranks)
    hand = after.hand + _taken(after.events, player)
    draws = before.pool(table) - after.pool(table)
    draws -= sum(isinstance(step, Draw) for step in after.events)
    books = after.books[player] - before.books[player]
    if not 0 <= draws <= 2:
        return
    for received in range(table.suits):
        for drawn in itertools.product(range(table.ranks), repeat=draws):
            if _got(table, before.hand, [rank] * received + [*drawn]) == (hand, books):
                ask = Ask(player, target, rank, received)
                yield [ask, *(Draw(player, card) for card in drawn), *after.events]


def _taken(events: Sequence[Step], player: int) -> Counter[int]:
    """Cards that others took from a player."""
    asks = [step for step in events if isinstance(step, Ask) and step.target == player]
    return Counter({ask.rank: ask.received for ask in asks if ask.received})


def story(
    table: Table, player: int, log: Sequence[Look], rng: np.random.Generator
) -> tuple[Counter[int], list[Step]] | None:
    """What a player was dealt and what happened since; None if that was not found out."""
    before = read(log[0].shown)
    steps = list(before.events)
    dealt = before.hand + _taken(before.events, player)
    for look in log[1:]:
        after = read(look.shown)
        assert look.action is not None
        ways = list(_own(table, player, before, look.action, after))
        if not ways:
            return None
        steps += ways[int(rng.integers(len(ways)))]
        before = after
    return dealt, steps
