"""Finding one world that explains a log: forward without backtracking, mended on the way.

In a deal, the card that must come next has gone to somebody else. Exchanging the two cards mends
that at once, where backtracking would try all deals in between.
"""

from __future__ import annotations

from typing import Any

from nash_ismcts_spiel.games.explanation import DEAD, Explanation, History

_SWAPS_PER_EVENT = 8
_REPAIRS = 200


def find_by_repair(explanation: Explanation) -> History | None:
    """The history of a world that explains the log; None if repairs do not lead to one."""
    state, progress, repairs = explanation.game.initial_state(), 0, 0
    while not explanation.is_complete(state, progress):
        following = _next_possible(explanation, state, progress)
        if following is None and repairs < _REPAIRS:
            repairs += 1
            following = _swap(explanation, state, progress) or _change(explanation, state)
        if following is None:
            return None
        state, progress = following
    return tuple(state.history())


def _next_possible(explanation: Explanation, state: Any, progress: int) -> tuple[Any, int] | None:
    for action in explanation.events(state, progress):
        after, explained = explanation.step(state, progress, action)
        if explained != DEAD:
            return after, explained
    return None


def _swap(explanation: Explanation, state: Any, progress: int) -> tuple[Any, int] | None:
    history, needed_at = state.history(), explanation.needed_at
    spare = [a for a in explanation.events(state, progress) if a not in needed_at]
    for position in reversed(range(len(history))):
        wanted = history[position]
        for replacement in spare[:_SWAPS_PER_EVENT]:
            exchanged = {wanted: replacement, replacement: wanted}
            swapped = explanation.replay([*(exchanged.get(a, a) for a in history), wanted])
            if swapped is not None and swapped[1] > progress:
                needed_at[wanted] = swapped[1]
                return swapped
    return None


def _change(explanation: Explanation, state: Any) -> tuple[Any, int] | None:
    """Another event somewhere before, latest first, after which the game can go on."""
    history = state.history()
    for position in reversed(range(len(history))):
        before = explanation.replay(history[:position])
        for other in explanation.events(*before) if before is not None else ():
            changed = explanation.replay([*history[:position], other, *history[position + 1 :]])
            if other != history[position] and changed is not None:
                if _next_possible(explanation, *changed) is not None:
                    return changed
    return None
