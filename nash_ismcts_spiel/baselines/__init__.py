"""What Nash-ISMCTS is compared with; each method can be stopped and measured at any time."""

from nash_ismcts_spiel.baselines.methods import (
    DETERMINISTIC,
    METHODS,
    AnytimeMethod,
    Point,
    make_method,
    register_method,
    trace,
    trace_at,
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
