"""In which order the pieces of a hidden state are drawn (H-splitting).

In the order of play a piece is an event as it happened, which fits every game. Where a game begins
with a deal, that order also tells in which order a hand was dealt, which means nothing to anybody
and is a multiple of what there is to know: a hand of thirteen cards can be dealt in 13! ways. Drawn
as sets, hands come one after another, card by card in ascending order, so that each is drawn in one
way only. No game is known by its name: `native/worlds/deal.h` finds a deal and its hands by trials,
and checks them; `native/worlds/dealt_game.h` is the game that is then played.
"""

from __future__ import annotations

import functools
import hashlib
import os
from typing import Literal, get_args

from nash_ismcts_spiel.games.adapter import SupportedGame
from nash_ismcts_spiel.games.states import STATES_VARIABLE
from nash_ismcts_spiel.native import _core

HiddenOrder = Literal["play", "sets"]
"""Pieces in the order of play, or hands of cards as sets."""


class Dealing:
    """A game's deal, drawn hand by hand.

    Attributes:
      deal: which cards make which hand, and who knows a hand.
    """

    def __init__(self, deal: _core.CheckedDeal) -> None:
        """Keeps a deal that was checked."""
        self.deal = deal

    @functools.cached_property
    def fingerprint(self) -> str:
        """A short text that differs where orders differ; models are saved with it."""
        parts = (self.deal.first, self.deal.hands, self.deal.deck)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    def native(self, game: SupportedGame) -> _core.DealtGame:
        """The game with this deal, as compiled code takes it."""
        return _core.DealtGame(game.native, self.deal)


def order_fingerprint(dealing: Dealing | None) -> str:
    """The fingerprint of an order, empty for the order of play."""
    return "" if dealing is None else dealing.fingerprint


def dealing_of(game: SupportedGame, order: HiddenOrder) -> Dealing | None:
    """How hands are drawn by a setting; None in the order of play.

    Raises:
      ValueError: the setting is unknown, or the game has no hands that can be drawn as sets.
    """
    if order not in get_args(HiddenOrder):
        known = ", ".join(map(repr, get_args(HiddenOrder)))
        raise ValueError(f"hidden_order must be one of {known}, not {order!r}")
    if order == "play":
        return None
    key = (game.name, os.environ.get(STATES_VARIABLE, ""))
    if key not in _KNOWN:
        deal = _core.find_deal(game.native)
        _KNOWN[key] = None if deal is None else Dealing(deal)
    found = _KNOWN[key]
    if found is None:
        raise ValueError(
            f"{game.name}: hidden_order is 'sets', but the game does not begin with a deal of a "
            "fixed number of different cards in which the order inside some hand never matters; "
            "hidden_order='play' fits every game"
        )
    return found


_KNOWN: dict[tuple[str, str], Dealing | None] = {}
"""Deals by game, and whose states were walked; None where there is none."""
