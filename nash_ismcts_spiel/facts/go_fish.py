"""A guide for go_fish: cards that were asked for or handed over were dealt if they were not drawn.

At its decisions a player is shown its own cards, how many cards and books everybody has, and what
others did since its own last move: who asked whom for what, how many were handed over, books, and
(in OpenSpiel) what others drew. Hidden is what others were dealt.

The guide lists what happened (`go_fish_log.py`). Who asks for a rank holds one; who is asked hands
over all it has; a player with all cards of a rank lays down a book. So the number of cards of a
rank that a player was dealt is known, or is at least so many and at most so many. All else of the
deal is drawn. Two things that are rare are left to the general search: a book that is dealt, and
what others do to a player until it has no cards left and draws, which it is not shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.facts.go_fish_log import Ask, Step, Table, story
from nash_ismcts_spiel.facts.log import Look

ATTEMPTS = 50


class Holding:
    """A player's cards of one rank.

    Attributes:
      gained: cards that it has more than it was dealt.
      least: cards that it was dealt, at least.
      most: at most.
    """

    def __init__(self, suits: int) -> None:
        """Nothing is known; with all cards there would be a book."""
        self.suits = suits
        self.gained, self.least, self.most = 0, 0, suits - 1

    def has_some(self) -> None:
        """The player holds one or more."""
        self.least = max(self.least, 1 - self.gained)

    def gains(self, count: int, booked: bool) -> None:
        """Cards come, and make a book or not."""
        self.gained += count
        if booked:
            self.has_all_of(self.suits)
        else:
            self.most = min(self.most, self.suits - 1 - self.gained)

    def has_all_of(self, count: int) -> None:
        """The player holds so many and loses them."""
        dealt = count - self.gained
        self.least, self.most = max(self.least, dealt), min(self.most, dealt)
        self.gained = -dealt


class Knowledge:
    """What a story says about the others' deals.

    Attributes:
      held: by player and rank.
      spare: cards of each rank that the player did not see come from the deck.
    """

    def __init__(
        self, table: Table, player: int, hand: Counter[int], steps: Sequence[Step]
    ) -> None:
        """Reads a story.

        Args:
          table: the sizes of the game.
          player: who tells it.
          hand: what it was dealt.
          steps: what happened.
        """
        self.table = table
        self.others = [other for other in range(table.players) if other != player]
        ranks = range(table.ranks)
        self.held = {(p, rank): Holding(table.suits) for p in self.others for rank in ranks}
        self.spare = Counter({rank: table.suits for rank in ranks})
        self.spare.subtract(hand)
        for step in steps:
            if isinstance(step, Ask):
                if step.player != player:
                    self.held[step.player, step.rank].has_some()
                    self.held[step.player, step.rank].gains(step.received, step.booked)
                if step.target != player:
                    self.held[step.target, step.rank].has_all_of(step.received)
                continue
            self.spare[step.rank] -= 1
            if step.player != player:
                self.held[step.player, step.rank].gains(1, step.booked)

    def deal(self, rng: np.random.Generator) -> dict[int, list[int]] | None:
        """Random hands of the others that agree with all this; None if it was not found."""
        spare, hands = Counter(self.spare), {}
        for other in self.others:
            hands[other] = Counter({r: self.held[other, r].least for r in range(self.table.ranks)})
            spare.subtract(hands[other])
        if any(count < 0 for count in spare.values()):
            return None
        cards = list(spare.elements())
        for card in (cards[at] for at in rng.permutation(len(cards))):
            open_to = [
                other
                for other in self.others
                if hands[other].total() < self.table.dealt
                and hands[other][card] < self.held[other, card].most
            ]
            if open_to:
                hands[open_to[int(rng.integers(len(open_to)))]][card] += 1
        if any(hand.total() != self.table.dealt for hand in hands.values()):
            return None
        return {p: rng.permutation(list(hand.elements())).tolist() for p, hand in hands.items()}


def played(
    game: Any, table: Table, hands: Sequence[Sequence[int]], steps: Sequence[Step]
) -> list[int] | None:
    """The history in which all this happened, None if it could not."""
    events = [card for hand in hands for card in hand]
    for step in steps:
        asked = step.target if isinstance(step, Ask) else 0
        events.append(asked * table.ranks + step.rank)
    state = game.new_initial_state()
    for event in events:
        if state.is_terminal() or event not in state.legal_actions():
            return None
        state.apply_action(event)
    return events


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain a log."""
    table = Table.of(game)
    for _ in range(ATTEMPTS):
        told = story(table, player, log, rng)
        if told is None:
            continue
        hand, steps = told
        hands = Knowledge(table, player, hand, steps).deal(rng)
        if hands is None:
            continue
        hands[player] = rng.permutation(list(hand.elements())).tolist()
        history = played(game, table, [hands[p] for p in range(table.players)], steps)
        if history is not None:
            yield history
