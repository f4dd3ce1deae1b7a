"""Cards of dou_dizhu: how they are written, and what they can be played as."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from nash_ismcts_spiel.facts.log import Look

RANKS = "3456789TJQKA2"
JOKERS = {"(BWJ)": 13, "(CJ)": 14}
CHAINED = 12
"""Ranks that may be in a chain: all but twos and jokers."""
SHORTEST = {1: 5, 2: 3, 3: 2}
"""The shortest chain of solos, pairs and trios."""

Counts = tuple[int, ...]
"""How many cards of each rank."""

_SHOWN = re.compile(
    r"My hand (.*)\nPlayed cards (.*)\n"
    r"face up card rank: (-?\d+)start player: (-?\d+)My position from Dizhu: (\d)"
)
_CARD = re.compile(r"\(BWJ\)|\(CJ\)|[3-9TJQKA2]")


class Seen(NamedTuple):
    """One look, read."""

    action: int | None
    legal: tuple[int, ...]
    hand: Counts
    played: Counts
    face: int
    start: int
    place: int


class Kind(NamedTuple):
    """What cards are played as: a higher head of the same shape wins, or a bomb."""

    shape: tuple[str, int, int]
    head: int


def counts(text: str) -> Counts:
    """The cards in a text, by rank."""
    found = [0] * (len(RANKS) + len(JOKERS))
    for card in _CARD.findall(text):
        found[JOKERS[card] if card in JOKERS else RANKS.index(card)] += 1
    return tuple(found)


def text_of(cards: Counts) -> str:
    """Cards as the game writes them."""
    names = [*RANKS, *JOKERS]
    return "".join(name * count for name, count in zip(names, cards, strict=True))


def difference(more: Counts, less: Counts) -> Counts:
    """Cards that are in one and not in the other."""
    return tuple(a - b for a, b in zip(more, less, strict=True))


def read(look: Look) -> Seen:
    """What a look shows."""
    found = _SHOWN.fullmatch(look.shown)
    if found is None:
        raise ValueError(f"not a look at dou_dizhu: {look.shown!r}")
    hand, played, *numbers = found.groups()
    return Seen(look.action, look.legal, counts(hand), counts(played), *map(int, numbers))


def kinds(cards: Counts) -> Iterator[Kind]:
    """All that cards can be played as."""
    held = {rank: count for rank, count in enumerate(cards) if count}
    ranks, total = list(held), sum(cards)
    if ranks == [13, 14]:
        yield Kind(("rocket", 0, 0), 0)
    elif len(ranks) == 1:
        yield Kind(("bomb" if total == 4 else "same", total, 1), ranks[0])
    elif len(set(held.values())) == 1 and _chained(ranks) and held[ranks[0]] in SHORTEST:
        if len(ranks) >= SHORTEST[held[ranks[0]]]:
            yield Kind(("same", held[ranks[0]], len(ranks)), ranks[0])
    for kicker in (1, 2):
        length = total // (3 + kicker)
        if total != length * (3 + kicker):
            continue
        for head in (rank for rank in ranks if held[rank] >= 3):
            chain = list(range(head, head + length))
            others = [held[rank] for rank in ranks if rank not in chain]
            if length > 1 and not _chained(chain):
                continue
            if all(held.get(rank) == 3 for rank in chain) and all(n % kicker == 0 for n in others):
                yield Kind(("trio", kicker, length), head)


def _chained(ranks: list[int]) -> bool:
    return ranks == list(range(ranks[0], ranks[0] + len(ranks))) and ranks[-1] < CHAINED


def beats(kind: Kind, trick: Kind | None) -> bool:
    """Whether cards may be played on a trick. A bomb may follow a rocket in OpenSpiel."""
    if trick is None or kind.shape == trick.shape:
        return trick is None or kind.head > trick.head
    return kind.shape[0] in ("rocket", "bomb")


def name_of(cards: Counts, kind: Kind) -> str:
    """The name of the action that plays cards as a kind."""
    shape, _, length = kind.shape
    if shape != "trio" or length == 1:
        return text_of(cards)
    chain = tuple(3 * (kind.head <= rank < kind.head + length) for rank in range(len(cards)))
    return f"{text_of(chain)}-{text_of(difference(cards, chain))}"
