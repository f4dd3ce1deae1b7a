"""Information-set keys: a player's own observations and actions, and nothing else.

A bare information state string is never a key: OpenSpiel's may repeat across players, forget, or
count hidden moves. A key is a *view*, the chain of what a player was shown and did;
`native/worlds/views.h` has the rule that says when a player is shown something. Two worlds belong
to one information set exactly if the player to move has the same view in both.
"""

from __future__ import annotations

import dataclasses

LogEntry = tuple[int, str]


@dataclasses.dataclass(frozen=True, slots=True)
class InformationKey:
    """Identity of an information set: whose it is and all that this player has seen and done.

    Attributes:
      player: the player to move.
      log: (own action or -1, what was shown after it), oldest first. In perfect information, the
        events of the history.
    """

    player: int
    log: tuple[LogEntry, ...]
