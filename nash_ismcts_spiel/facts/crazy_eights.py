"""Facts of crazy_eights. A player is shown its hand, the last card and suit, and how many cards
everybody has, or nothing while somebody draws. So it sees who plays what and who draws, but not
what is drawn; the dealer, passes, and the naming of a suit that was the suit already are hidden.

A card that another plays came to it in the deal or in a draw before. With the cards known the game
is played again, and where the log shows nothing, somebody passes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nash_ismcts_spiel.facts.cards import around, placed
from nash_ismcts_spiel.facts.log import Look

RANKS = "23456789TJQKA"
SUITS = "CDHS"
CARDS = len(RANKS) * len(SUITS)
DRAW, PASS, FIRST_NOMINATION, FIRST_DEALER = CARDS, CARDS + 1, CARDS + 2, CARDS
ATTEMPTS = 50
STEP = 16
"""More cards than are drawn at once; the time between two events."""

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
    """Something that was seen to happen: who did what (-1 if that is not shown), and after a draw
    the cards, as they are if they are the player's, else when they came.
    """

    player: int
    action: int
    drawn: tuple[int, ...] = ()


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain a log; none if cards come back into the deck, unseen."""
    if game.get_parameters()["reshuffle"]:
        return
    decks = 2 if game.num_players() > 5 else 1
    looks = [(look.action, read(look.shown, player) if look.shown else None) for look in log]
    first = next(seen for _, seen in looks if seen is not None)
    size, start = first.sizes[0], sum(first.sizes)
    events = list(story(looks, player, start))
    unseen = Counter({card: decks for card in range(CARDS)}) - first.hand - Counter([first.card])
    places = {p: list(range(p * size, (p + 1) * size)) for p in range(len(first.sizes))}
    places[player], shown = [], []
    for number, event in enumerate(events):
        if event.player == player:
            unseen -= Counter(event.drawn)
        elif event.action < CARDS:
            unseen -= Counter([event.action])
            shown.append((event.action, event.player, start + STEP * number))
        elif event.player >= 0:
            places[event.player] += event.drawn
    own = dict(enumerate(first.hand.elements(), player * size))
    for _ in range(ATTEMPTS):
        cards = placed(places, shown, rng.permutation(list(unseen.elements())).tolist(), rng)
        if cards is None:
            continue
        for dealer in rng.permutation(len(first.sizes)).tolist():
            history = played(game, player, dealer, first, cards | own, events)
            if history is not None:
                yield history
                break


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


def story(
    looks: Sequence[tuple[int | None, Seen | None]], player: int, start: int
) -> Iterator[Event]:
    """What a player has seen happen, in order."""
    before: Seen | None = None
    acted: int | None = None
    number = 0
    for action, seen in looks:
        acted = acted if action is None else action
        if seen is None:
            continue
        if before is not None:
            yield between(before, seen, player, acted, start + STEP * number)
            number += 1
        before, acted = seen, None


def between(before: Seen, seen: Seen, player: int, acted: int | None, when: int) -> Event:
    """What happened between two looks."""
    for other, (size, past) in enumerate(zip(seen.sizes, before.sizes, strict=True)):
        if size < past:
            return Event(other, seen.card)
        if size > past:
            own = tuple((seen.hand - before.hand).elements())
            return Event(
                other, DRAW, own if other == player else (*range(when, when + size - past),)
            )
    if acted is not None:
        return Event(player, acted)
    return Event(-1, FIRST_NOMINATION + seen.suit)


def played(
    game: Any, player: int, dealer: int, first: Seen, got: dict[int, int], events: Sequence[Event]
) -> list[int] | None:
    """The history in which all this happened, with cards by place; None if it could not."""
    players, size = len(first.sizes), first.sizes[0]
    state = game.new_initial_state()
    state.apply_action(FIRST_DEALER + dealer)
    for turn, seat in enumerate(around(players, size, dealer + 1)):
        state.apply_action(got[seat * size + turn // players])
    state.apply_action(first.card)
    suit = first.card % len(SUITS)
    for event in [*events, None]:
        while not is_next(state, event, player):
            legal = [] if state.current_player() == player else state.legal_actions()
            hidden = [action for action in (PASS, FIRST_NOMINATION + suit) if action in legal]
            if not hidden:
                return None
            state.apply_action(hidden[0])
        if event is None:
            break
        own = event.player == player
        for action in (event.action, *(card if own else got[card] for card in event.drawn)):
            if action not in state.legal_actions():
                return None
            state.apply_action(action)
        if event.action not in (DRAW, PASS):
            named = event.action >= FIRST_NOMINATION
            suit = (event.action - FIRST_NOMINATION * named) % len(SUITS)
    history: list[int] = state.history()
    return history


def is_next(state: Any, event: Event | None, player: int) -> bool:
    """Whether an event can happen now; without one, whether it is the player's turn."""
    mover = state.current_player()
    if event is None:
        return bool(mover == player)
    return event.player in (-1, mover) and event.action in state.legal_actions()
