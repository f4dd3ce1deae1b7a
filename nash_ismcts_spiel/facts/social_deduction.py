"""Facts of social_deduction. All but the impostors is public: signals, what everybody said, and how
everybody voted. The impostors are the first event, a set of bits. A player knows its own bit, and
that an impostor is alive, since the game goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.facts.log import Look

_EVENT = re.compile(r"player (\d+) (clear|suspicious)|\d+->(\d+)|\d+=(\w+)")


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain a log."""
    players, shown = game.num_players(), log[-1].shown
    impostor = "Role: Imposter" in shown
    messages = ["SKIP", "CLAIM_INNOCENT"]
    messages += [f"{what}_PLAYER_{who}" for what in ("ACCUSE", "DEFEND") for who in range(players)]
    events = [
        2 * int(seen) + (how == "suspicious") if seen else
        int(vote) if vote else messages.index(message)
        for seen, how, vote, message in _EVENT.findall(shown)
    ]  # fmt: skip
    draws = [draw for draw, _ in game.new_initial_state().chance_outcomes()]
    living = shown.partition("Alive: ")[2].partition("\n")[0].split()
    alive = sum(1 << int(who) for who in living)
    fitting = [draw for draw in draws if draw & alive and bool(draw >> player & 1) == impostor]
    while True:
        yield [int(rng.choice(fitting)), *events]
