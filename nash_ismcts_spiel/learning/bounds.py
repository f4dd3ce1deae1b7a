"""How much a shard of self-play does at most: counted and never timed, so that a run stays a
function of its seed.
"""

from __future__ import annotations

import dataclasses
import math


@dataclasses.dataclass(frozen=True, slots=True)
class Bounds:
    """How much is played at most.

    Attributes:
      search: bytes that searches take, see `BoundedSearches`.
      rows: bytes of rows for V, and as many for H.
      sets: information sets at which P is evaluated in policy games.
      searches: of information sets in a small game.
    """

    search: float = math.inf
    rows: float = math.inf
    sets: float = math.inf
    searches: float = math.inf
