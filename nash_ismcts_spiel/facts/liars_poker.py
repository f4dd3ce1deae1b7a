"""A guide for `python_liars_poker`: who bid what, and any hands of the others.

A player is shown its own digits, all bids that were made and all bids that were challenged, but not
by whom; with two players that follows. The others' digits are hidden, and nothing that they do says
anything about them for sure. The guide goes through the turns, lets the others bid and challenge in
a random order until the player was shown what the log says, and draws their digits.
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


class Seen(NamedTuple):
    """One look, read: bids that were made and that were challenged, by the numbers of actions."""

    action: int | None
    bids: frozenset[int]
    challenged: frozenset[int]


class Node(NamedTuple):
    """A place in the walk: what happened, the next look, and the state of the bidding."""

    events: tuple[int, ...]
    look: int
    challenged: frozenset[int]
    bidder: int
    challenges: int
    again: bool

    @property
    def bid(self) -> int:
        """The bid that stands, 0 if there is none."""
        return max(self.events, default=0)


def read(look: Look) -> Seen:
    """What a look shows."""
    marks = _MARK.findall(look.shown)
    bids, challenged = (
        frozenset(int(number) + 1 for kind, number in marks if kind == of) for of in "bc"
    )
    return Seen(look.action, bids, challenged)


def after(node: Node, mover: int, action: int, players: int) -> Node | None:
    """What follows an action; None if it is not legal or the game is over then."""
    if action != CHALLENGE:
        again = mover == node.bidder
        if action <= node.bid or (again and (node.again or node.challenges != players - 1)):
            return None
        events = (*node.events, action)
        return node._replace(events=events, bidder=mover, challenges=0, again=again)
    challenges = node.challenges + 1
    if node.bid == 0 or challenges == players - node.again:
        return None
    return node._replace(
        events=(*node.events, CHALLENGE),
        challenged=node.challenged | {node.bid},
        challenges=challenges,
    )


def walked(
    player: int, players: int, looks: Sequence[Seen], rng: np.random.Generator
) -> tuple[int, ...] | None:
    """Bids and challenges that explain all looks, None if none were found soon."""
    pending = [Node((), 0, frozenset(), -1, 0, False)]
    for _ in range(TRIES):
        if not pending:
            return None
        node = pending.pop()
        mover = len(node.events) % players
        actions = [CHALLENGE, *sorted(b for b in looks[-1].bids if b > node.bid)[:1]]
        if mover == player:
            seen = looks[node.look]
            bids = frozenset(node.events) - {CHALLENGE}
            if (seen.bids, seen.challenged) != (bids, node.challenged):
                continue
            if node.look + 1 == len(looks):
                return node.events
            node = node._replace(look=node.look + 1)
            own = looks[node.look].action
            actions = [] if own is None else [own]
        for at in rng.permutation(len(actions)).tolist():
            following = after(node, mover, actions[at], players)
            if following is not None:
                pending.append(following)
    return None


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain a log."""
    players = game.num_players()
    looks = [read(look) for look in log]
    own = [int(digit) for digit in re.findall(r"\d", log[0].shown.split("]")[0].split("[")[1])]
    digits = [digit for digit, _ in game.new_initial_state().chance_outcomes()]
    for _ in range(ATTEMPTS):
        events = walked(player, players, looks, rng)
        if events is None:
            return
        hands = rng.choice(digits, size=(len(own), players))
        hands[:, player] = own
        yield [*hands.ravel().tolist(), *events]
