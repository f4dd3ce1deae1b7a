"""Guides: in games for which it is known how, a log is read and explained directly.

A bot that is shown a position for the first time has to find a world that agrees with all its
player has seen. A general search does that in any game (`native/worlds/finder.h`), but where much
is hidden for long it may take seconds or fail. A *guide* knows a game: it reads the log of a player
and proposes histories that explain it. It never sees a state of the match, and what it proposes is
checked event by event before it is used.
"""

from __future__ import annotations

from typing import Any

from nash_ismcts_spiel.games.guides import (
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
from nash_ismcts_spiel.games.guides.log import Guide, Look, proposals, read_log

__all__ = ["Guide", "Look", "guide_for", "is_slow", "proposals", "read_log", "register_guide"]

_GUIDES: dict[str, Guide] = {
    "battleship": battleship.guide,
    "bridge": bridge.guide,
    "crazy_eights": crazy_eights.guide,
    "cribbage": cribbage.guide,
    "dou_dizhu": dou_dizhu.guide,
    "euchre": euchre.guide,
    "gin_rummy": gin_rummy.guide,
    "go_fish": go_fish.guide,
    "hearts": hearts.guide,
    "oh_hell": oh_hell.guide,
    "phantom_go": phantom_go.guide,
    "python_block_dominoes": dominoes.guide,
    "python_liars_poker": liars_poker.guide,
    "python_team_dominoes": dominoes.guide,
    "rbc": rbc.guide,
    "skat": skat.guide,
    "social_deduction": social_deduction.guide,
    "solitaire": solitaire.guide,
    "spades": spades.guide,
}

_SLOW = frozenset({phantom_go.guide, rbc.guide})


def is_slow(guide: Guide) -> bool:
    """Whether a guide plays populations of imagined games, so that an answer takes tens of
    milliseconds instead of a few.
    """
    return guide in _SLOW


def guide_for(game: Any) -> Guide | None:
    """The guide of a pyspiel game, None if it has none; of a simultaneous game in its turn-based
    form, that of the simultaneous game.
    """
    name = game.get_type().short_name
    if name == "turn_based_simultaneous_game":
        name = game.get_parameters()["game"]["name"]
    return _GUIDES.get(name)


def register_guide(short_name: str, guide: Guide) -> None:
    """Makes a guide that of all games with a pyspiel short name, in this process."""
    _GUIDES[short_name] = guide
