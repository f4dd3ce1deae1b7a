"""Facts of hearts. The direction of the pass and the tricks are public, and a player knows what it
passed and received.

Who leads a heart before hearts are broken, or plays points on the first trick where that is not
allowed, had nothing else. Hands are drawn as they are after the pass; of these any three cards may
have been received, unless it is known which.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.facts import tricks
from nash_ismcts_spiel.facts.cards import Deal, around
from nash_ismcts_spiel.facts.log import Look, own_actions

PLAYERS, SUITS, HAND, PASSED = 4, 4, 13, 3
DECK = frozenset(range(PLAYERS * HAND))
TWO_OF_CLUBS, QUEEN_OF_SPADES = 0, 10 * SUITS + 3
HEARTS = frozenset(range(2, PLAYERS * HAND, SUITS))
POINTS = HEARTS | {QUEEN_OF_SPADES}
DIRECTIONS = ("No Pass", "Left", "Across", "Right")


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain the log of a player."""
    state, text = game.new_initial_state(), log[-1].shown
    state.apply_action(0)
    cards = tricks.card_numbers(state)
    direction = DIRECTIONS.index(text.partition("Pass Direction: ")[2].partition("\n")[0])
    own = tricks.hand_in(log[0].shown, cards)
    passed = own_actions(log)[:PASSED] if direction else []
    received = re.search(r"^Received Cards: (.*)$", text, re.MULTILINE)
    if direction and not received:
        yield from while_passing(direction, player, own, passed, rng)
        return
    got = {cards[name] for name in received[1].split()} if received else set()
    played = tricks.tricks_in(text, cards)
    known = {player: (own - set(passed)) | got}
    if direction:
        known[(player + direction) % PLAYERS] = set(passed)
    if played:
        known.setdefault(played[0][0].player, set()).add(TWO_OF_CLUBS)
    barred = barred_by(played, game.get_parameters())
    deal = tricks.deal(
        played, DECK, lambda card: card % SUITS, [HAND] * PLAYERS, around(PLAYERS, HAND),
        known, barred,
    )  # fmt: skip
    for held in deal.hands(rng):
        passes: list[list[int]] = [[] for _ in held]
        for giver in range(PLAYERS) if direction else ():
            taker = (giver + direction) % PLAYERS
            from_these = sorted(got) if taker == player else held[taker]
            passes[giver] = rng.permutation(from_these)[:PASSED].tolist()
        passes[player] = passed
        dealt = [
            [*(card for card in hand if card not in passes[seat - direction]), *passes[seat]]
            for seat, hand in enumerate(held)
        ]
        moves = [card for cards in passes for card in cards]
        yield [direction, *deal.dealt(dealt), *moves, *tricks.plays_of(played)]


def while_passing(
    direction: int, player: int, own: Collection[int], passed: Sequence[int],
    rng: np.random.Generator,
) -> Iterator[list[int]]:  # fmt: skip
    """Histories that end before the first trick: anybody may hold and have passed anything."""
    deal = Deal(DECK, [HAND] * PLAYERS, {player: own}, order=around(PLAYERS, HAND))
    for hands in deal.hands(rng):
        passes = [card for hand in hands[:player] for card in rng.permutation(hand)[:PASSED]]
        yield [direction, *deal.dealt(hands), *map(int, passes), *passed]


def barred_by(played: Sequence[tricks.Trick], rules: dict[str, Any]) -> dict[int, set[int]]:
    """Cards that each player cannot have, by points that it led or played early."""
    barred: dict[int, set[int]] = {player: set() for player in range(PLAYERS)}
    spared = {QUEEN_OF_SPADES} if rules["can_lead_hearts_instead_of_qs"] else set()
    breaking = POINTS if rules["qs_breaks_hearts"] else HEARTS
    broken = not rules["must_break_hearts"]
    for number, trick in enumerate(played):
        if trick[0].card in HEARTS and not broken:
            barred[trick[0].player] |= DECK - HEARTS - spared
        for player, card in trick[1:]:
            if number == 0 and rules["no_pts_on_first_trick"] and card in POINTS:
                barred[player] |= DECK - POINTS
        broken = broken or any(play.card in breaking for play in trick)
    return barred
