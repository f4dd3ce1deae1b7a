"""A guide for dou_dizhu: who may have played what, and hands that hold it.

A player is shown its own hand, the ranks that were played by anybody, the card that was turned up
while dealing, who bids first, and its place from the one who leads in the bidding. Bids that change
no leader, passes, and who played which cards are hidden, and so are the others' hands.

Turns go round without exception, so that of two others who play between two own moves only one or
two could have played something. The guide walks through the log with the rules of bidding and of
tricks alone, tries movers and bids in a random order, and goes back where the log is contradicted.
Hands are dealt in the end: each of the others has what it played, all else is drawn.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nash_ismcts_spiel.facts.dou_dizhu_cards import (
    RANKS,
    Counts,
    Kind,
    Seen,
    beats,
    counts,
    difference,
    kinds,
    name_of,
    read,
)
from nash_ismcts_spiel.facts.log import Look

PLAYERS = 3
HAND = 17
LEFT_OVER = 3
CARDS = 54
FIRST_JOKER = 52
FIRST_CARD = CARDS - LEFT_OVER
"""The number of the event that deals card 0."""
HIGHEST_BID = 3
TRIES = 4000
"""Steps of one walk through the log before it begins again."""
ATTEMPTS = 50


class Node(NamedTuple):
    """A place in the walk through the log."""

    parent: Node | None
    event: int | str | None
    look: int
    mover: int
    bid: int
    dizhu: int
    passes: int
    trick: Kind | None
    playing: bool
    used: tuple[Counts, ...]


class Walk:
    """Walks through a log with the rules of bidding and of tricks alone."""

    def __init__(self, game: Any, player: int, log: Sequence[Look]) -> None:
        """Reads a log."""
        self.player = player
        self.looks = [read(look) for look in log]
        self.names = game.new_initial_state()
        self.dealt = next(
            at for at, seen in enumerate(self.looks) if sum(seen.hand) == HAND and seen.start >= 0
        )

    def place(self, dizhu: int) -> int:
        """The place that is shown."""
        return (self.player - dizhu + PLAYERS) % PLAYERS

    def find(self, rng: np.random.Generator) -> Node | None:
        """The end of a way through the log, None if none was found soon."""
        nothing = (counts(""),) * PLAYERS
        start = self.looks[self.dealt].start
        first = Node(None, None, self.dealt + 1, start, 0, -PLAYERS, 0, None, False, nothing)
        pending = [first]
        for _ in range(TRIES):
            if not pending:
                return None
            node = pending.pop()
            if node.mover == self.player:
                if not self.may(node):
                    continue
                if node.look == len(self.looks):
                    return node
            following = list(self.after(node))
            pending.extend(following[at] for at in rng.permutation(len(following)))
        return None

    def may(self, node: Node) -> bool:
        """Whether the player may do at its turn what the log says that it may."""
        legal = self.looks[node.look - 1].legal
        if node.playing:
            return (0 in legal) == (node.trick is not None)
        return legal == (0, *range(node.bid + 1, HIGHEST_BID + 1))

    def after(self, node: Node) -> Iterator[Node]:
        """What can happen next and agrees with the log."""
        action = self.looks[node.look].action if node.look < len(self.looks) else None
        own = node.mover == self.player
        if own and action is None:
            return
        if not node.playing:
            for bid in [action] if own else [0, *range(node.bid + 1, HIGHEST_BID + 1)]:
                assert bid is not None
                if bid == 0 or node.bid < bid <= HIGHEST_BID:
                    yield from self.shown(self.bid(node, bid), own, action)
            return
        if node.trick is not None and (not own or action == 0):
            yield from self.shown(self.passed(node), own, action)
        if node.look < len(self.looks) and (action is None or (own and action != 0)):
            yield from self.plays(node, action)

    def shown(self, node: Node, own: bool, action: int | None) -> Iterator[Node]:
        """A node without cards played, if the player is shown what it was."""
        before = self.looks[node.look - 1]
        taken = node.playing and node.dizhu == self.player and sum(before.hand) == HAND
        taken = taken and not any(before.played)
        changed = own or taken or self.place(node.dizhu) != before.place
        if not changed:
            yield node
        elif node.look < len(self.looks) and (own or action is None):
            seen = self.looks[node.look]
            if seen.place != self.place(node.dizhu) or seen.played != before.played:
                return
            if sum(seen.hand) == sum(before.hand) + LEFT_OVER * taken:
                yield node._replace(look=node.look + 1)

    def bid(self, node: Node, bid: int) -> Node:
        """After a bid or a pass in the bidding."""
        passes = 0 if bid else node.passes + 1
        dizhu, highest = (node.mover, bid) if bid else (node.dizhu, node.bid)
        over = highest == HIGHEST_BID or (passes == PLAYERS - 1 and highest > 0)
        if passes == PLAYERS:
            return node._replace(mover=-1)
        following = dizhu if over else (node.mover + 1) % PLAYERS
        return node._replace(
            parent=node, event=bid, mover=following, bid=highest, dizhu=dizhu,
            passes=0 if over else passes, playing=over,
        )  # fmt: skip

    def passed(self, node: Node) -> Node:
        """After a pass in a trick; the turn is the winner's when two have passed."""
        over = node.passes + 1 == PLAYERS - 1
        return node._replace(
            parent=node, event=0, mover=(node.mover + 1) % PLAYERS,
            passes=0 if over else node.passes + 1, trick=None if over else node.trick,
        )  # fmt: skip

    def plays(self, node: Node, action: int | None) -> Iterator[Node]:
        """After the cards that are shown next were played."""
        seen, before = self.looks[node.look], self.looks[node.look - 1]
        cards = difference(seen.played, before.played)
        if min(cards) < 0 or not any(cards) or seen.place != before.place:
            return
        own = node.mover == self.player
        if difference(before.hand, seen.hand) != (cards if own else counts("")):
            return
        used = list(node.used)
        used[node.mover] = tuple(a + b for a, b in zip(used[node.mover], cards, strict=True))
        if sum(used[node.mover]) >= HAND + LEFT_OVER * (node.mover == node.dizhu):
            return
        name = None if action is None else self.names.action_to_string(node.mover, action)
        for kind in kinds(cards):
            if beats(kind, node.trick) and name in (None, name_of(cards, kind)):
                yield node._replace(
                    parent=node, event=name_of(cards, kind) if action is None else action,
                    look=node.look + 1, mover=(node.mover + 1) % PLAYERS, passes=0, trick=kind,
                    used=tuple(used),
                )  # fmt: skip


def face_position(looks: Sequence[Seen], player: int) -> int:
    """The place in the deal of the card that was turned up."""
    seen = next(seen for seen in looks if seen.start >= 0)
    own = sum(seen.hand)
    if seen.start >= player:  # after the last own card, or it is that card
        own -= 1
    return PLAYERS * own + seen.start


def hands(walk: Walk, end: Node, rng: np.random.Generator) -> list[list[int]] | None:
    """Ranks that are dealt to each player, the others' in a random order but for the card that is
    turned up, which is first; None if there are not as many.
    """
    dealt = walk.looks[walk.dealt]
    mine = [
        difference(after.hand, before.hand).index(1)
        for before, after in itertools.pairwise(walk.looks[: walk.dealt + 1])
        if after.hand != before.hand
    ]
    pool = list(difference((4,) * len(RANKS) + (1, 1), dealt.hand))
    if end.playing and end.dizhu == walk.player:  # what it took up was dealt to nobody
        taken = next(seen.hand for seen in walk.looks if sum(seen.hand) == HAND + LEFT_OVER)
        pool = list(difference(tuple(pool), difference(taken, dealt.hand)))
    others = [other for other in range(PLAYERS) if other != walk.player]
    needed = [list(end.used[other]) for other in range(PLAYERS)]
    if dealt.start != walk.player:
        needed[dealt.start][dealt.face] = max(1, needed[dealt.start][dealt.face])
    for other in others:
        pool = [a - b for a, b in zip(pool, needed[other], strict=True)]
    if min(pool) < 0:
        return None
    left = rng.permutation(np.repeat(np.arange(len(pool)), pool)).tolist()
    found: list[list[int]] = [mine] * PLAYERS
    for other in others:
        size = HAND + LEFT_OVER * (end.playing and other == end.dizhu)
        cards = np.repeat(np.arange(len(pool)), needed[other]).tolist()
        drawn = max(0, size - len(cards))
        cards, left = cards + left[:drawn], left[drawn:]
        first = []
        if other == dealt.start:
            cards.remove(dealt.face)
            first = [dealt.face]
        found[other] = first + rng.permutation(cards).tolist()[: HAND - len(first)]
    return found


def deal(walk: Walk, end: Node, rng: np.random.Generator) -> list[int] | None:
    """The events of a deal after which all happened as in a walk, None if there is none."""
    suits = [rng.permutation(4).tolist() for _ in RANKS]
    cards = hands(walk, end, rng)
    if cards is None:
        return None
    position = face_position(walk.looks, walk.player)
    start, turned = position % PLAYERS, position // PLAYERS
    if start != walk.player:
        cards[start].insert(turned, cards[start].pop(0))
    events = [position]
    for number in range(FIRST_CARD):
        rank = cards[number % PLAYERS][number // PLAYERS]
        joker = rank >= len(RANKS)
        card = FIRST_JOKER + rank - len(RANKS) if joker else rank + len(RANKS) * suits[rank].pop()
        events.append(FIRST_CARD + card)
    return events


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain a log."""
    walk = Walk(game, player, log)
    for _ in range(ATTEMPTS):
        end = walk.find(rng)
        dealt = None if end is None else deal(walk, end, rng)
        history = None if end is None or dealt is None else complete(game, dealt, end)
        if history is not None:
            yield history


def complete(game: Any, dealt: Sequence[int], end: Node) -> list[int] | None:
    """A deal and what happened after it; None if somebody could not play what it did."""
    names = []
    node: Node | None = end
    while node is not None and node.parent is not None:
        names.append(node.event)
        node = node.parent
    state = game.new_initial_state()
    for event in dealt:
        state.apply_action(event)
    for name in reversed(names):
        legal = state.legal_actions()
        found = [a for a in legal if name in (a, state.action_to_string(a))]
        if not found:
            return None
        state.apply_action(found[0])
    return list(state.history())
