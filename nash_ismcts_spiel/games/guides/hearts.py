"""A guide for hearts: hands that allow the tricks, and passes that lead to these hands.

The direction of the pass and the tricks are public, and a player knows what it passed and received.
Hidden are the others' cards and what they passed to each other. A player that did not follow suit
has no more of it; who leads a heart before hearts are broken, or plays points on the first trick
where that is not allowed, had nothing else.

The guide draws hands as they are after the pass. Of these any three cards may have been received,
unless it is known which.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nash_ismcts_spiel.games.guides import hands, tricks
from nash_ismcts_spiel.games.guides.log import Look

PLAYERS, SUITS, HAND, PASSED = 4, 4, 13, 3
CARDS = PLAYERS * HAND
HEARTS = 2
TWO_OF_CLUBS, QUEEN_OF_SPADES = 0, 10 * SUITS + 3
DIRECTIONS = ("No Pass", "Left", "Across", "Right")

_ROW = r"^([CDHS]) (\w+)$"


class Deal(NamedTuple):
    """What a player knows of a deal.

    Attributes:
      direction: how many seats on cards are passed.
      own: the hand that it was dealt.
      passed: what it has passed, in order.
      received: what it got, empty as long as cards are passed.
      played: tricks.
    """

    direction: int
    own: set[int]
    passed: list[int]
    received: set[int]
    played: list[tricks.Trick]


def guide(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain the log of a player."""
    deal = read(game, log)
    if deal.direction and not deal.received:
        yield from while_passing(deal, player, rng)
        return
    known = tricks.held_by(deal.played, PLAYERS)
    known[player] = (deal.own - set(deal.passed)) | deal.received
    known[(player + deal.direction) % PLAYERS] |= set(deal.passed)
    if deal.played:
        known[deal.played[0][0].player].add(TWO_OF_CLUBS)
    unseen = set(range(CARDS)) - set().union(*known)
    barred = barred_by(deal.played, game.get_parameters())
    while held := hands.filled_up(known, [HAND] * PLAYERS, barred, unseen, rng):
        passes = passes_to(held, deal, player, rng) if deal.direction else [[]] * PLAYERS
        dealt = before_passes(held, passes, deal.direction)
        moves = [card for cards in passes for card in cards]
        yield [deal.direction, *tricks.in_turn(dealt), *moves, *tricks.plays_of(deal.played)]


def read(game: Any, log: Sequence[Look]) -> Deal:
    """What a log tells."""
    state = game.new_initial_state()
    state.apply_action(0)
    cards = tricks.card_numbers(state)
    text = log[-1].shown
    direction = DIRECTIONS.index(text.partition("Pass Direction: ")[2].partition("\n")[0])
    own = tricks.hand_in(log[0].shown, _ROW, cards)
    actions = [look.action for look in log if look.action is not None]
    received = re.search(r"^Received Cards: (.*)$", text, re.MULTILINE)
    return Deal(
        direction,
        own,
        actions[:PASSED] if direction else [],
        {cards[name] for name in received[1].split()} if received else set(),
        tricks.tricks_in(text, "N  E  S  W  N  E  S", PLAYERS, cards),
    )


def while_passing(deal: Deal, player: int, rng: np.random.Generator) -> Iterator[list[int]]:
    """Histories that end before the first trick: anybody may hold and have passed anything."""
    known = [deal.own if seat == player else set() for seat in range(PLAYERS)]
    unseen = set(range(CARDS)) - deal.own
    nothing: list[set[int]] = [set()] * PLAYERS
    while dealt := hands.filled_up(known, [HAND] * PLAYERS, nothing, unseen, rng):
        # Players pass in the order of their seats, and hands are in a random order.
        passes = [card for hand in dealt[:player] for card in rng.permutation(hand)[:PASSED]]
        yield [deal.direction, *tricks.in_turn(dealt), *map(int, passes), *deal.passed]


def barred_by(played: Sequence[tricks.Trick], rules: dict[str, Any]) -> list[set[int]]:
    """Cards that each player cannot have any more, by what it played."""
    barred = tricks.not_followed(played, lambda card: card % SUITS, range(CARDS), PLAYERS)
    hearts = {card for card in range(CARDS) if card % SUITS == HEARTS}
    points = hearts | {QUEEN_OF_SPADES}
    others = set(range(CARDS)) - hearts
    broken = not rules["must_break_hearts"]
    for number, trick in enumerate(played):
        leader, led = trick[0]
        if led in hearts and not broken:
            spared = {QUEEN_OF_SPADES} if rules["can_lead_hearts_instead_of_qs"] else set()
            barred[leader] |= others - spared
        for player, card in trick[1:]:
            if number == 0 and rules["no_pts_on_first_trick"] and card in points:
                barred[player] |= set(range(CARDS)) - points
        breaking = points if rules["qs_breaks_hearts"] else hearts
        broken = broken or any(play.card in breaking for play in trick)
    return barred


def passes_to(
    held: Sequence[Sequence[int]], deal: Deal, player: int, rng: np.random.Generator
) -> list[list[int]]:
    """What each player passed, if these are the hands after it."""
    passes = []
    for giver in range(PLAYERS):
        taker = (giver + deal.direction) % PLAYERS
        if giver == player:
            passes.append(deal.passed)
        elif taker == player:
            passes.append(rng.permutation(sorted(deal.received)).tolist())
        else:
            passes.append(rng.permutation(held[taker])[:PASSED].tolist())
    return passes


def before_passes(
    held: Sequence[Sequence[int]], passes: Sequence[Sequence[int]], direction: int
) -> list[list[int]]:
    """The hands that were dealt."""
    dealt = []
    for player, hand in enumerate(held):
        got = passes[(player - direction) % PLAYERS]
        dealt.append([*(card for card in hand if card not in got), *passes[player]])
    return dealt
