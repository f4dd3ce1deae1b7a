"""What Nash-ISMCTS is compared with; each method can be stopped and measured at any time."""

from nash_ismcts_spiel.baselines.anytime import AnytimeMethod, Point, trace, trace_at
from nash_ismcts_spiel.baselines.methods import (
    DETERMINISTIC,
    METHODS,
    make_method,
    register_method,
)

__all__ = [
    "DETERMINISTIC",
    "METHODS",
    "AnytimeMethod",
    "Point",
    "make_method",
    "register_method",
    "trace",
    "trace_at",
]
