"""A guide for social_deduction: all but the impostors is public.

A player is shown its role and, round by round, a signal, what everybody said and how everybody
voted. What it is shown last tells all events but the first one, which draws the impostors. The
guide plays them for each of the draws.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.games.guides.log import Look

_SIGNAL = re.compile(r"player (\d+) (\w+)")
_VOTE = re.compile(r"\d+->(\d+)")
_MESSAGE = re.compile(r"\d+=(\w+)")


def public_events(shown: str) -> Iterator[str]:
    """The names of all events that are told, in the order of play."""
    for line in shown.splitlines():
        kind, _, told = line.partition(":")
        if kind == "Signal":
            for player, seen in _SIGNAL.findall(told):
                yield f"SIGNAL_PLAYER_{player}_{seen.upper()}"
        elif kind == "Messages":
            yield from _MESSAGE.findall(told)
        elif kind == "Votes":
            for target in _VOTE.findall(told):
                yield f"VOTE_PLAYER_{target}"


def guide(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain a log."""
    events = list(public_events(log[-1].shown))
    start = game.new_initial_state()
    draws = [draw for draw, _ in start.chance_outcomes()]
    found = [history for draw in draws if (history := _played(start.child(draw), events))]
    while found:
        yield found[rng.integers(len(found))]


def _played(state: Any, events: Sequence[str]) -> list[int]:
    """The history with the events of these names; empty if one cannot happen."""
    for name in events:
        mover = state.current_player()
        named = {state.action_to_string(mover, action): action for action in state.legal_actions()}
        if name not in named:
            return []
        state.apply_action(named[name])
    history: list[int] = state.history()
    return history
