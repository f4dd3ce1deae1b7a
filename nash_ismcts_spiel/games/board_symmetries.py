"""Symmetries of square boards: turns and reflections after which a game is the same game.

A symmetry is a permutation of cells, which are the game's actions. It takes views to views: what a
player sees of a board, and what it sees of the board turned. A player that turns every view to a
standard one has as many times fewer to think about. Symmetries are not taken on trust: at every
view of the merged game the history that represents it is replayed with its cells permuted, and
what the player sees, may do and wins next has to be the same.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from nash_ismcts_spiel.games.merged import MergedGame
from nash_ismcts_spiel.games.symmetries import same_moves, square_symmetries


class StandardView(NamedTuple):
    """How a view is turned to the one that stands for all its images.

    Attributes:
      view: the number of that view.
      cells: where each action goes. [distinct actions]
    """

    view: int
    cells: tuple[int, ...]


@functools.lru_cache(maxsize=3)
def standard_views(merged: MergedGame) -> list[StandardView]:
    """For each view, the first one among its images; itself in a game without symmetries."""
    found = [StandardView(view, cells) for view, cells in enumerate(_unturned(merged))]
    for cells, images in _symmetries(merged).items():
        for view, image in enumerate(images):
            if image < found[view].view:
                found[view] = StandardView(image, cells)
    return found


def _symmetries(merged: MergedGame) -> dict[tuple[int, ...], list[int]]:
    """Where each view goes, by symmetry; one that two others make up needs no check."""
    found: dict[tuple[int, ...], list[int]] = {}
    for cells in square_symmetries(int(merged.game.pyspiel_game.num_distinct_actions())):
        for one, other in itertools.product(found, repeat=2):
            if tuple(other[cell] for cell in one) == cells:
                found[cells] = [found[other][image] for image in found[one]]
                break
        else:
            images = _images(merged, cells)
            if images is not None:
                found[cells] = images
    return found


def _unturned(merged: MergedGame) -> list[tuple[int, ...]]:
    cells = tuple(range(merged.game.pyspiel_game.num_distinct_actions()))
    return [cells] * len(merged.views)


def _images(merged: MergedGame, cells: Sequence[int]) -> list[int] | None:
    """Where each view goes if cells are permuted; None if that is another game."""
    images = []
    for view in merged.views:
        state, turned = merged.state_after(view.history), merged.game.initial_state()
        for event in view.history:
            if turned.is_terminal() or cells[event] not in turned.legal_actions():
                return None
            turned.apply_action(cells[event])
        if not _same_next(state, turned, cells):
            return None
        images.append(merged.view_at(turned))
    return images if len(set(images)) == len(images) else None


def _same_next(state: Any, turned: Any, cells: Sequence[int]) -> bool:
    """Whether a state and its image have the same mover, actions and next utilities."""
    if not same_moves(state, turned, cells):
        return False
    for action in state.legal_actions():
        after, image = state.child(action), turned.child(cells[action])
        if after.is_terminal() != image.is_terminal() or after.returns() != image.returns():
            return False
    return True
