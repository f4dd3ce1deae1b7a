"""Nash-ISMCTS for OpenSpiel: search that keeps mixing in games with hidden information."""

from nash_ismcts_spiel.bot import NashIsmctsBot
from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games.resample import Resampler
from nash_ismcts_spiel.harness import BotAgent, BotPolicy
from nash_ismcts_spiel.registry import (
    make_bot,
    register_bot,
    register_with_openspiel,
    registered_bots,
)
from nash_ismcts_spiel.search import SearchResult

__version__ = "0.1.0"

__all__ = [
    "BotAgent",
    "BotPolicy",
    "NashIsmctsBot",
    "Resampler",
    "SearchConfig",
    "SearchResult",
    "make_bot",
    "register_bot",
    "registered_bots",
]

register_with_openspiel()
