"""Facts: in games for which it is known how, a log is read and explained directly.

A bot that is shown a position for the first time has to find a world that agrees with all its
player has seen. A general search does that in any game (`native/worlds/backtracking.h`), but where
much is hidden for long it may take seconds or fail. *Facts* of a game are read from the log of a
player: most often who holds how many cards, which are known, and which are barred (`cards.py`,
`tricks.py`). They never see a state of the match, and the histories that follow from them are
checked event by event before they are used.
"""

from __future__ import annotations

from typing import Any

from nash_ismcts_spiel.facts import (
    battleship,
    bridge,
    crazy_eights,
    cribbage,
    dominoes,
    dou_dizhu,
    euchre,
    gin_rummy,
    go_fish,
    hearts,
    liars_poker,
    oh_hell,
    phantom_go,
    rbc,
    skat,
    social_deduction,
    solitaire,
    spades,
)
from nash_ismcts_spiel.facts.cards import Deal, around
from nash_ismcts_spiel.facts.log import Facts, Look, proposals, read_log

__all__ = [
    "Deal",
    "Facts",
    "Look",
    "around",
    "facts_for",
    "is_slow",
    "proposals",
    "read_log",
    "register_facts",
]

_OF_ONE_GAME = (
    battleship, bridge, crazy_eights, cribbage, dou_dizhu, euchre, gin_rummy, go_fish, hearts,
    oh_hell, phantom_go, rbc, skat, social_deduction, solitaire, spades,
)  # fmt: skip
"""Modules that have the names of their games."""

_FACTS: dict[str, Facts] = {
    **{module.__name__.rpartition(".")[2]: module.facts for module in _OF_ONE_GAME},
    "python_block_dominoes": dominoes.facts,
    "python_liars_poker": liars_poker.facts,
    "python_team_dominoes": dominoes.facts,
}

_SLOW = frozenset({phantom_go.facts, rbc.facts})


def is_slow(facts: Facts) -> bool:
    """Whether populations of imagined games are played for them, so that an answer takes tens of
    milliseconds instead of a few.
    """
    return facts in _SLOW


def facts_for(game: Any) -> Facts | None:
    """The facts of a pyspiel game, None if it has none; of a simultaneous game in its turn-based
    form, those of the simultaneous game.
    """
    name = game.get_type().short_name
    if name == "turn_based_simultaneous_game":
        name = game.get_parameters()["game"]["name"]
    return _FACTS.get(name)


def register_facts(short_name: str, facts: Facts) -> None:
    """Makes facts those of all games with a pyspiel short name, in this process."""
    _FACTS[short_name] = facts
