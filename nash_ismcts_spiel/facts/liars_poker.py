"""Facts of python_liars_poker. A player is shown its own digits, all bids that were made and all
bids that were challenged, but not by whom; with two players that follows.

What others do says nothing about their digits for sure. They bid and challenge in a random order
until the player was shown what the log says, and their digits are drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nash_ismcts_spiel.facts.log import Look

CHALLENGE = 0
TRIES = 2000
"""Steps of one walk through the log before it begins again."""
ATTEMPTS = 50

_MARK = re.compile(r"([bc]):(\d+)\.")

Marks = frozenset[tuple[str, int]]
"""What is shown of the bidding: bids that were made, and bids that were challenged."""


class Node(NamedTuple):
    """A place in the walk: what happened, the next look, and the state of the bidding."""

    events: tuple[int, ...]
    look: int
    marks: Marks
    bidder: int
    challenges: int
    again: bool

    def after(self, mover: int, action: int, players: int) -> Node | None:
        """What follows an action; None if it is not legal or the game is over then."""
        bid, events = max(self.events, default=0), (*self.events, action)
        if action != CHALLENGE:
            again = mover == self.bidder
            if action <= bid or (again and (self.again or self.challenges != players - 1)):
                return None
            marks = self.marks | {("b", action - 1)}
            return Node(events, self.look, marks, mover, 0, again)
        challenges = self.challenges + 1
        if bid == 0 or challenges == players - self.again:
            return None
        marks = self.marks | {("c", bid - 1)}
        return self._replace(events=events, marks=marks, challenges=challenges)


def walked(
    player: int, players: int, log: Sequence[Look], rng: np.random.Generator
) -> tuple[int, ...] | None:
    """Bids and challenges that explain all looks, None if none were found soon."""
    shown = [frozenset((m, int(bid)) for m, bid in _MARK.findall(look.shown)) for look in log]
    pending = [Node((), 0, frozenset(), -1, 0, False)]
    for _ in range(TRIES):
        if not pending:
            return None
        node = pending.pop()
        mover = len(node.events) % players
        bids = sorted(shown[-1] - node.marks)  # those that were made come first
        actions = [CHALLENGE, *(bid + 1 for mark, bid in bids[:1] if mark == "b")]
        if mover == player:
            if shown[node.look] != node.marks:
                continue
            if node.look + 1 == len(log):
                return node.events
            node = node._replace(look=node.look + 1)
            own = log[node.look].action
            actions = [] if own is None else [own]
        for at in rng.permutation(len(actions)).tolist():
            following = node.after(mover, actions[at], players)
            if following is not None:
                pending.append(following)
    return None


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain a log."""
    players = game.num_players()
    own = [int(digit) for digit in re.findall(r"\d", log[0].shown.split("]")[0].split("[")[1])]
    digits = [digit for digit, _ in game.new_initial_state().chance_outcomes()]
    for _ in range(ATTEMPTS):
        events = walked(player, players, log, rng)
        if events is None:
            return
        hands = rng.choice(digits, size=(len(own), players))
        hands[:, player] = own
        yield [*hands.ravel().tolist(), *events]
