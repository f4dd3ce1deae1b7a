"""Facts of solitaire. Cards that lie face down are drawn when they are turned over, so that nothing
that has happened is hidden: OpenSpiel's information state is the history of the game.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.facts.log import Look


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """The history that explains a log."""
    yield [int(number) for number in log[-1].shown.split(",")]
