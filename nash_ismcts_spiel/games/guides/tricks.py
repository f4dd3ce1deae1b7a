"""Tricks: what the cards on the table tell about hands, and how they are read from a text.

What guides of trick-taking games have in common. A player that did not follow suit had no card of
it left, so it holds none now. What it played it held from the start.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple


class Play(NamedTuple):
    """A card and who played it."""

    player: int
    card: int


Trick = list[Play]


def card_numbers(state: Any) -> dict[str, int]:
    """The cards that may be dealt at a state by name, suit first or rank first."""
    names = {state.action_to_string(card): card for card in state.legal_actions()}
    return names | {name[::-1]: card for name, card in names.items()}


def hand_in(text: str, row: str, cards: dict[str, int]) -> set[int]:
    """The cards of a hand that is shown suit by suit.

    Args:
      text: what is shown.
      row: a pattern of a row, with the groups suit and ranks.
      cards: numbers of cards by name.
    """
    rows = re.findall(row, text, re.MULTILINE)
    return {cards[suit + rank] for suit, ranks in rows if ranks != "none" for rank in ranks}


def tricks_in(text: str, header: str, players: int, cards: dict[str, int]) -> list[Trick]:
    """The tricks of a table in which each player has columns of three letters.

    Args:
      text: what is shown; there may be no table.
      header: the row above the table, with the names of the players.
      players: how many there are.
      cards: numbers of cards by name.
    """
    _, _, table = text.partition(f"{header}\n")
    tricks = []
    for row in table.partition("\n\n")[0].splitlines():
        cells = [row[start : start + 3].strip() for start in range(0, len(row), 3)]
        plays = enumerate(cells)
        tricks.append([Play(at % players, cards[name]) for at, name in plays if name])
    return tricks


def plays_of(tricks: Sequence[Trick]) -> list[int]:
    """All cards played, in order."""
    return [play.card for trick in tricks for play in trick]


def held_by(tricks: Sequence[Trick], holders: int) -> list[set[int]]:
    """What each holder has played."""
    held: list[set[int]] = [set() for _ in range(holders)]
    for trick in tricks:
        for player, card in trick:
            held[player].add(card)
    return held


def not_followed(
    tricks: Sequence[Trick], suit_of: Callable[[int], int], deck: Collection[int], holders: int
) -> list[set[int]]:
    """Cards that each holder cannot have any more, since it did not follow their suit."""
    barred: list[set[int]] = [set() for _ in range(holders)]
    for trick in tricks:
        led = suit_of(trick[0].card)
        for player, card in trick[1:]:
            if suit_of(card) != led:
                barred[player] |= {other for other in deck if suit_of(other) == led}
    return barred


def in_turn(hands: Sequence[Sequence[int]], first: int = 0) -> Iterator[int]:
    """Hands of one size in the order of a deal, card by card around the table from `first`."""
    for place in range(len(hands[0])):
        for seat in range(len(hands)):
            yield hands[(first + seat) % len(hands)][place]
