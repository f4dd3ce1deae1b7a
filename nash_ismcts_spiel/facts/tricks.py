"""Tricks: what the cards on the table tell about hands, and how they are read from a text.

What trick-taking games have in common. Who did not follow suit had no card of it left, and so holds
none beside those that it has played. A game declares its deck, its suits, the order of its deal,
and what else is known.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from nash_ismcts_spiel.facts.cards import Deal

ROW = r"^([CDHS]) (\w+)$"
"""A suit and its ranks, as most games show them."""
SEATS = "N  E  S  W  N  E  S"
"""What stands above a table of four."""


class Play(NamedTuple):
    """A card and who played it."""

    player: int
    card: int


Trick = list[Play]
Cards = dict[int, set[int]]
"""Cards by holder."""


def card_numbers(state: Any) -> dict[str, int]:
    """The cards that may be dealt at a state by name, suit first or rank first."""
    names = {state.action_to_string(card): card for card in state.legal_actions()}
    return names | {name[::-1]: card for name, card in names.items()}


def hand_in(text: str, cards: Mapping[str, int], row: str = ROW) -> set[int]:
    """The cards of a hand that is shown suit by suit.

    Args:
      text: what is shown.
      cards: numbers of cards by name.
      row: a pattern of a row, with the groups suit and ranks.
    """
    rows = re.findall(row, text, re.MULTILINE)
    return {cards[suit + rank] for suit, ranks in rows if ranks != "none" for rank in ranks}


def tricks_in(
    text: str, cards: Mapping[str, int], players: int = 4, header: str = SEATS
) -> list[Trick]:
    """The tricks of a table in which each player has columns of three letters.

    Args:
      text: what is shown; there may be no table.
      cards: numbers of cards by name.
      players: how many there are.
      header: the row above the table, with the names of the players.
    """
    _, _, table = text.partition(f"{header}\n")
    tricks = []
    for row in table.partition("\n\n")[0].splitlines():
        cells = [row[start : start + 3].strip() for start in range(0, len(row), 3)]
        plays = enumerate(cells)
        tricks.append([Play(at % players, cards[name]) for at, name in plays if name])
    return tricks


def plays_of(tricks: Iterable[Trick]) -> list[int]:
    """All cards played, in order."""
    return [play.card for trick in tricks for play in trick]


def deal(
    tricks: Sequence[Trick],
    deck: Collection[int],
    suit_of: Callable[[int], int],
    sizes: Sequence[int],
    order: Sequence[int],
    known: Mapping[int, Collection[int]],
    barred: Mapping[int, Collection[int]] | None = None,
) -> Deal:
    """What tricks tell of the deal.

    Args:
      tricks: what was played.
      deck: all cards.
      suit_of: the suit of a card, trumps being one suit.
      sizes: cards of each holder, the players first.
      order: of the deal, see `Deal`.
      known: by holder, cards that are known beside those played.
      barred: by holder, cards that are barred beside suits that were not followed.
    """
    held: Cards = defaultdict(set, {holder: set(cards) for holder, cards in known.items()})
    closed: Cards = defaultdict(set, {h: set(cards) for h, cards in (barred or {}).items()})
    for trick in tricks:
        led = suit_of(trick[0].card)
        for player, card in trick:
            held[player].add(card)
            if suit_of(card) != led:
                closed[player].update(other for other in deck if suit_of(other) == led)
    return Deal(deck, sizes, held, closed, order)
