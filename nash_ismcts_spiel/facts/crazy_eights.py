"""A guide for crazy_eights: cards that were played were dealt or drawn before.

A player is shown its hand, the last card and suit, and how many cards everybody has, or nothing
while somebody draws. So it sees who plays what and who draws, but not what is drawn. Hidden are the
dealer, the others' cards, passes, and the naming of a suit that was the suit already.

The guide lists what was seen to happen. Each card that another plays is given to one of the places
in the deal or of the draws of that player before; all other places get cards that were never seen.
With the cards known the game is played again, and where the log shows nothing, somebody passes.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nash_ismcts_spiel.facts.log import Look

RANKS = "23456789TJQKA"
SUITS = "CDHS"
CARDS = len(RANKS) * len(SUITS)
DRAW = CARDS
PASS = CARDS + 1
FIRST_NOMINATION = CARDS + 2
FIRST_DEALER = CARDS
ATTEMPTS = 50

_SHOWN = re.compile(
    r"Currently I have: \nSuit C: (.*)\nSuit D: (.*)\nSuit H: (.*)\nSuit S: (.*)\n"
    r"Previous card: (..)\nPrevious suit: (.)\n"
    r"Starting counterclockwise, other players have: (.*) cards\.\n"
)


class Seen(NamedTuple):
    """One look, read; `sizes` are numbers of cards by player."""

    hand: Counter[int]
    card: int
    suit: int
    sizes: tuple[int, ...]


class Event(NamedTuple):
    """Something that was seen to happen: an action, and for a draw the cards, -1 if not shown."""

    player: int
    action: int
    drawn: tuple[int, ...] = ()


def read(text: str, player: int) -> Seen:
    """What a look shows."""
    found = _SHOWN.match(text)
    if found is None:
        raise ValueError(f"not a look at crazy_eights: {text!r}")
    *suits, card, suit, sizes = found.groups()
    hand = Counter(
        RANKS.index(rank) * len(SUITS) + number
        for number, ranks in enumerate(suits)
        for rank in ranks.replace(" ", "")
    )
    last = RANKS.index(card[1]) * len(SUITS) + SUITS.index(card[0])
    numbers = [int(size) for size in sizes.split(", ")]
    by_player = tuple(numbers[(other - player) % len(numbers)] for other in range(len(numbers)))
    return Seen(hand, last, SUITS.index(suit), by_player)


def happened(player: int, log: Sequence[Look]) -> Iterator[Event]:
    """What a player has seen happen, in order."""
    before: Seen | None = None
    acted: int | None = None
    for look in log:
        acted = look.action if look.action is not None else acted
        if not look.shown:
            continue
        seen = read(look.shown, player)
        if before is not None:
            yield between(before, seen, player, acted)
        before, acted = seen, None


def between(before: Seen, seen: Seen, player: int, acted: int | None) -> Event:
    """What happened between two looks."""
    for other, (size, past) in enumerate(zip(seen.sizes, before.sizes, strict=True)):
        if size < past:
            return Event(other, seen.card)
        if size > past:
            own = tuple((seen.hand - before.hand).elements())
            return Event(other, DRAW, own if other == player else (-1,) * (size - past))
    if acted is not None:
        return Event(player, acted)
    return Event(-1, FIRST_NOMINATION + seen.suit)


def filled(
    events: Sequence[Event], first: Seen, player: int, unseen: list[int], rng: np.random.Generator
) -> tuple[list[list[int]], list[Event]]:
    """Hands that were dealt, and the events with all cards that were drawn.

    Args:
      events: what happened.
      first: the first look after the deal.
      player: whose log it is.
      unseen: cards that the player never saw, in a random order.
      rng: where draws come from.
    """
    hands = [[-1] * size for size in first.sizes]
    hands[player] = rng.permutation(list(first.hand.elements())).tolist()
    drawn = [list(event.drawn) for event in events]
    free = [[(hand, place) for place in range(len(hand))] for hand in hands]
    for event, cards in zip(events, drawn, strict=True):
        if event.player in (player, -1):
            continue
        if event.action == DRAW:
            free[event.player] += [(cards, place) for place in range(len(cards))]
        elif event.action < CARDS:
            places = free[event.player]
            cards_of, place = places.pop(int(rng.integers(len(places))))
            cards_of[place] = event.action
    for cards in [*hands, *drawn]:
        for place, card in enumerate(cards):
            if card < 0:
                cards[place] = unseen.pop()
    return hands, [
        event._replace(drawn=tuple(cards)) for event, cards in zip(events, drawn, strict=True)
    ]


def never_seen(events: Sequence[Event], first: Seen, player: int, decks: int) -> list[int]:
    """Cards that neither lay open nor were the player's."""
    unseen = Counter({card: decks for card in range(CARDS)})
    unseen -= first.hand + Counter([first.card])
    for event in events:
        if event.player == player:
            unseen -= Counter(event.drawn)
        elif event.action < CARDS:
            unseen -= Counter([event.action])
    return list(unseen.elements())


def played(
    game: Any, player: int, dealer: int, hands: list[list[int]], first: int, events: Sequence[Event]
) -> list[int] | None:
    """The history in which all this happened; None if it could not."""
    state = game.new_initial_state()
    state.apply_action(FIRST_DEALER + dealer)
    for place, seat in itertools.product(range(len(hands[0])), range(len(hands))):
        state.apply_action(hands[(dealer + 1 + seat) % len(hands)][place])
    state.apply_action(first)
    suit = first % len(SUITS)
    for event in events:
        while not is_next(state, event):
            if not nothing_shown(state, player, suit):
                return None
        state.apply_action(event.action)
        for card in event.drawn:
            if card not in state.legal_actions():
                return None
            state.apply_action(card)
        if event.action < CARDS:
            suit = event.action % len(SUITS)
        elif event.action >= FIRST_NOMINATION:
            suit = event.action - FIRST_NOMINATION
    while state.current_player() != player:
        if not nothing_shown(state, player, suit):
            return None
    return list(state.history())


def is_next(state: Any, event: Event) -> bool:
    """Whether an event can happen now."""
    if state.is_terminal() or state.is_chance_node():
        return False
    return event.player in (-1, state.current_player()) and event.action in state.legal_actions()


def nothing_shown(state: Any, player: int, suit: int) -> bool:
    """Lets another do what the player is not shown; False if there is nothing such."""
    if state.is_terminal() or state.is_chance_node() or state.current_player() == player:
        return False
    for action in (PASS, FIRST_NOMINATION + suit):
        if action in state.legal_actions():
            state.apply_action(action)
            return True
    return False


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain a log; none if cards come back into the deck, unseen."""
    if game.get_parameters()["reshuffle"]:
        return
    decks = 2 if game.num_players() > 5 else 1
    first = read(next(look.shown for look in log if look.shown), player)
    events = list(happened(player, log))
    unseen = never_seen(events, first, player, decks)
    for _ in range(ATTEMPTS):
        cards = rng.permutation(unseen).tolist()
        hands, whole = filled(events, first, player, cards, rng)
        for dealer in rng.permutation(game.num_players()).tolist():
            history = played(game, player, dealer, hands, first.card, whole)
            if history is not None:
                yield history
                break
