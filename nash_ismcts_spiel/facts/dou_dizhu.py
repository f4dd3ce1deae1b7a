"""Facts of dou_dizhu. A player is shown its own hand, the ranks that were played by anybody, the
card that was turned up while dealing, who bids first, and its place from the one who leads in the
bidding. Bids that change no leader, passes, and who played which cards are hidden, and so are the
others' hands.

Turns go round without exception, so that of two others who play between two own moves only one or
two could have played something. The game is played along the log with deals in which everybody
holds what it plays; who plays, and what is bid, is tried in a random order, and taken back where
the log is contradicted.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyspiel

from nash_ismcts_spiel.facts.cards import Deal, around
from nash_ismcts_spiel.facts.log import Look

PLAYERS, HAND, LEFT_OVER, SUITS = 3, 17, 3, 4
RANKS = "3456789TJQKA2"
JOKERS = ("(BWJ)", "(CJ)")
CARDS = [*RANKS * SUITS, *JOKERS]
"""Ranks of cards by number."""
ASIDE = PLAYERS
"""The holder of the cards that are left over."""
FIRST_CARD = PLAYERS * HAND
"""The number of the event that deals card 0."""
TRIES = 4000
"""Steps of one walk through the log before it begins again."""
ATTEMPTS = 50

_SHOWN = re.compile(
    r"My hand (.*)\nPlayed cards (.*)\n"
    r"face up card rank: (-?\d+)start player: (-?\d+)My position from Dizhu: (\d)"
)
_CARD = re.compile(r"\(BWJ\)|\(CJ\)|[3-9TJQKA2]")


class Seen(NamedTuple):
    """One look, read; cards are counted by rank."""

    hand: Counter[str]
    played: Counter[str]
    face: int
    start: int
    place: int


class Node(NamedTuple):
    """A place in the walk: the state, the number of the last look, and what others have played."""

    state: Any
    look: int
    needed: tuple[Counter[str], ...]


@functools.cache
def actions_by_cards() -> dict[tuple[str, ...], list[int]]:
    """The actions that play given cards, in ascending order of their names."""
    game = pyspiel.load_game("dou_dizhu")
    state = game.new_initial_state()
    found: dict[tuple[str, ...], list[int]] = {}
    for action in range(1, game.num_distinct_actions()):
        cards = tuple(sorted(_CARD.findall(state.action_to_string(0, action))))
        found.setdefault(cards, []).append(action)
    return found


def read(look: Look) -> Seen:
    """What a look shows."""
    found = _SHOWN.fullmatch(look.shown)
    if found is None:
        raise ValueError(f"not a look at dou_dizhu: {look.shown!r}")
    hand, played = (Counter(_CARD.findall(cards)) for cards in found.groups()[:2])
    return Seen(hand, played, *map(int, found.groups()[2:]))


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain a log."""
    walk = Walk(game, player, log, rng)
    for _ in range(ATTEMPTS):
        history = walk.found()
        if history is not None:
            yield history


class Walk:
    """Walks through a log by the rules of the game."""

    def __init__(
        self, game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
    ) -> None:
        """Reads a log."""
        self.game, self.player, self.log, self.rng = game, player, log, rng
        self.looks = [read(look) for look in log]
        hands = [seen.hand for seen in self.looks]
        self.dealt = next(
            at
            for at, seen in enumerate(self.looks)
            if seen.hand.total() == HAND and seen.start >= 0
        )
        pairs = itertools.pairwise(hands[: self.dealt + 1])
        self.own = [rank for was, now in pairs for rank in now - was]
        self.taken = max(hands, key=Counter.total) - hands[self.dealt]
        seen = next(seen for seen in self.looks if seen.start >= 0)
        place = seen.hand.total() - (seen.start >= player)  # of the card that was turned up
        self.position = PLAYERS * place + seen.start

    def found(self) -> list[int] | None:
        """A history in which all happens that the log shows, None if none was found soon."""
        nothing = (Counter[str](),) * PLAYERS
        start = self.replayed(nothing, ASIDE, [])
        pending = [] if start is None else [Node(start, self.dealt, nothing)]
        for _ in range(TRIES):
            if not pending:
                return None
            node = pending.pop()
            mover, legal = node.state.current_player(), node.state.legal_actions()
            if mover == self.player and tuple(legal) != self.log[node.look].legal:
                continue
            if mover == self.player and node.look + 1 == len(self.log):
                return self.drawn(node)
            found = (self.after(node, *choice) for choice in self.choices(node))
            following = [after for after in found if after is not None]
            pending.extend(following[at] for at in self.rng.permutation(len(following)))
        return None

    def drawn(self, node: Node) -> list[int] | None:
        """A history with the events of a node, and with any deal that allows them."""
        state = self.replayed(node.needed, self.leader(node.look), node.state.history())
        return None if state is None else list(state.history())

    def leader(self, look: int) -> int:
        """Who leads in the bidding, or has won it."""
        return (self.player - self.looks[look].place) % PLAYERS

    def choices(self, node: Node) -> Iterator[tuple[int, Counter[str]]]:
        """What can happen next, and the cards that another player needs for it."""
        nothing, mover = Counter[str](), node.state.current_player()
        now, following = self.looks[node.look], self.looks[node.look + 1 : node.look + 2]
        action = self.log[node.look + 1].action if following else None
        if mover == self.player:
            if action is not None:
                yield action, nothing
            return
        yield from ((bid, nothing) for bid in node.state.legal_actions() if bid <= 3)
        cards = following[0].played - now.played if following and action is None else nothing
        if cards:
            for action in actions_by_cards().get(tuple(sorted(cards.elements())), []):
                yield action, cards

    def after(self, node: Node, action: int, cards: Counter[str]) -> Node | None:
        """The node after an action, None if it may not be, or the log shows something else."""
        state, mover = node.state, node.state.current_player()
        needed = tuple(held + cards if p == mover else held for p, held in enumerate(node.needed))
        if cards and action not in state.legal_actions():
            state = self.replayed(needed, self.leader(node.look), state.history())
            if state is None or action not in state.legal_actions():
                return None
        state = state.child(action)
        if state.is_terminal():
            return None
        shown = state.observation_string(self.player)
        following = self.log[node.look + 1 : node.look + 2]
        own = mover == self.player
        if following and following[0].shown == shown and own == (following[0].action is not None):
            return Node(state, node.look + 1, needed)
        same = not own and shown == self.log[node.look].shown
        return Node(state, node.look, needed) if same else None

    def replayed(
        self, needed: Sequence[Counter[str]], leader: int, history: Sequence[int]
    ) -> Any | None:
        """The state after the same events with another deal, None if there is none."""
        dealt = self.deal(needed, leader)
        if dealt is None:
            return None
        state = self.game.new_initial_state()
        for event in [*dealt, *history[len(dealt) :]]:
            state.apply_action(event)
        return state

    def deal(self, needed: Sequence[Counter[str]], leader: int) -> list[int] | None:
        """The events of a deal in which everybody holds what it needs, None if there is none. As
        soon as cards are needed, the leader has those that are left over.
        """
        start, turned = self.position % PLAYERS, self.position // PLAYERS
        face = [*RANKS, *JOKERS][self.looks[self.dealt].face]
        left: dict[str, list[int]] = {}
        for card in self.rng.permutation(len(CARDS)).tolist():
            left.setdefault(CARDS[card], []).append(card)
        own = [left[rank].pop() for rank in self.own]
        known = {self.player: own, ASIDE: [left[rank].pop() for rank in self.taken.elements()]}
        for other in {*range(PLAYERS)} - {self.player}:
            wanted = needed[other] | Counter([face] * (other == start))
            if any(count > len(left[rank]) for rank, count in wanted.items()):
                return None
            known[other] = [left[rank].pop() for rank in wanted.elements()]
        up = [card for card in known[start] if CARDS[card] == face][:1]
        sizes = [HAND] * PLAYERS + [LEFT_OVER]
        if any(needed) and leader != self.player:
            sizes[leader], sizes[ASIDE] = HAND + LEFT_OVER, 0
        deal = Deal(range(len(CARDS)), sizes, known, order=around(PLAYERS, HAND))
        for hands in itertools.islice(deal.hands(self.rng), 1):
            hands[self.player] = own
            if start != self.player:
                rest = [card for card in hands[start] if card not in up]
                hands[start] = [*rest[:turned], *up, *rest[turned:]]
            return [self.position, *(FIRST_CARD + card for card in deal.dealt(hands))]
        return None
