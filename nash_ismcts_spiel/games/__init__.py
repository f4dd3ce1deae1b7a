"""The only door to pyspiel: supported games, keys, hidden pieces and the game graph."""

from nash_ismcts_spiel.games.adapter import SupportedGame, support
from nash_ismcts_spiel.games.graph import GameGraph
from nash_ismcts_spiel.games.keys import InformationKey
from nash_ismcts_spiel.games.tables import CHANCE, DECISION, TERMINAL
from nash_ismcts_spiel.native._core import NoWorldFoundError

__all__ = [
    "CHANCE",
    "DECISION",
    "TERMINAL",
    "GameGraph",
    "InformationKey",
    "NoWorldFoundError",
    "SupportedGame",
    "support",
]
