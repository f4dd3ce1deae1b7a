"""How a game graph grows: a row for each world that somebody steps to.

A world keeps its pyspiel state only as long as it has a child that was not made yet; after that
the state can be had by replaying the history.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from nash_ismcts_spiel.games.adapter import SupportedGame
from nash_ismcts_spiel.games.keys import NO_ACTION, NO_VIEW, InformationKey, ViewTable
from nash_ismcts_spiel.games.tables import (
    CHANCE,
    DECISION,
    MISSING,
    TERMINAL,
    UNRESOLVED,
    InformationSets,
    Worlds,
)

ROOT = 0


class GrowingWorlds:
    """Worlds and information sets of a game, made on demand; see GameGraph for the attributes."""

    def __init__(self, game: SupportedGame) -> None:
        """Holds only the start of the game."""
        self.game = game
        self.worlds = Worlds()
        self.information_sets = InformationSets()
        self.views = ViewTable()
        self._states: dict[int, Any] = {}
        self._missing_children: dict[int, int] = {}
        self._last_action = array("q")  # before each world
        self._unresolved = array("i", [UNRESOLVED] * game.num_players)
        self._set_of_view: dict[int, int] = {}
        self._add_world(self.game.initial_state(), MISSING, MISSING)

    def child(self, world: int, edge: int) -> int:
        """The world after an edge of `world`, made if nobody has stepped there before."""
        position = self.worlds.first_edge[world] + edge
        child = self.worlds.edge_child[position]
        if child == MISSING:
            child = self._add_world(self._take_state(world, position), world, position)
        return child

    def state(self, world: int) -> Any:
        """A pyspiel state at `world`, the caller's to keep and to change."""
        if world in self._states:
            return self._states[world].clone()
        state = self.game.initial_state()
        for action in self.history(world):
            state.apply_action(action)
        return state

    def history(self, world: int) -> list[int]:
        """The moves and chance outcomes that lead to `world`."""
        actions: list[int] = []
        parent, action = self.worlds.parent, self._last_action
        while world != ROOT:
            actions.append(action[world])
            world = parent[world]
        actions.reverse()
        return actions

    def legal_actions(self, information_set: int) -> list[int]:
        """pyspiel's numbers of the legal actions, in the order of all per-action rows."""
        first = self.information_sets.first_action[information_set]
        count = self.information_sets.action_count[information_set]
        return list(self.information_sets.action[first : first + count])

    def key(self, information_set: int) -> InformationKey:
        """What the player to move has seen and done; in perfect information, the whole history."""
        player = self.information_sets.player[information_set]
        if self.game.perfect_information:
            history = self.history(self.information_sets.first_world[information_set])
            return InformationKey(player, tuple((action, "") for action in history))
        return InformationKey(player, self.views.log(self.information_sets.view[information_set]))

    def set_of_view(self, view: int) -> int:
        """The information set of a player that has a view and is to move; MISSING if not known."""
        return self._set_of_view.get(view, MISSING)

    def follow(self, history: Sequence[int]) -> int:
        """The world that a sequence of moves and chance outcomes leads to."""
        world = ROOT
        for action in history:
            first, count = self.worlds.first_edge[world], self.worlds.edge_count[world]
            actions = self.worlds.edge_action[first : first + count]
            world = self.child(world, actions.index(action))
        return world

    def _take_state(self, world: int, position: int) -> Any:
        """A state one edge after `world`; the last child takes over the parent's own state."""
        self._missing_children[world] -= 1
        if self._missing_children[world] == 0 and world in self._states:
            state = self._states.pop(world)
        else:
            state = self.state(world)
        state.apply_action(self.worlds.edge_action[position])
        return state

    def _add_world(self, state: Any, parent: int, position: int) -> int:
        worlds = self.worlds
        world = len(worlds)
        worlds.parent.append(parent)
        worlds.unseen.extend(self._unresolved)
        worlds.first_edge.append(len(worlds.edge_child))
        if position == MISSING:
            worlds.depth.append(0)
            self._last_action.append(NO_ACTION)
        else:
            worlds.depth.append(worlds.depth[parent] + 1)
            worlds.edge_child[position] = world
            self._last_action.append(worlds.edge_action[position])
        player = state.current_player()
        if player < 0 and state.is_terminal():
            worlds.kind.append(TERMINAL)
            worlds.view.extend([NO_VIEW] * self.game.num_players)
            self._append_row(MISSING, 0, MISSING, len(worlds.utilities) // self.game.num_players)
            worlds.utilities.extend(state.returns())
            return world
        self._append_views(state, world, parent)
        self._states[world] = state
        if player < 0:
            worlds.kind.append(CHANCE)
            outcomes = state.chance_outcomes()
            self._append_row(MISSING, len(outcomes), MISSING, MISSING)
            self._append_edges(world, [a for a, _ in outcomes], [p for _, p in outcomes])
        else:
            worlds.kind.append(DECISION)
            legal = state.legal_actions()
            information_set = self._information_set(world, player, legal)
            self._append_row(player, len(legal), information_set, MISSING)
            self._append_edges(world, legal, [0.0] * len(legal))
        return world

    def _append_row(self, player: int, edges: int, information_set: int, utility_row: int) -> None:
        self.worlds.player.append(player)
        self.worlds.edge_count.append(edges)
        self.worlds.information_set.append(information_set)
        self.worlds.utility_row.append(utility_row)

    def _append_edges(self, world: int, actions: list[int], probabilities: list[float]) -> None:
        self.worlds.edge_action.extend(actions)
        self.worlds.edge_probability.extend(probabilities)
        self.worlds.edge_child.extend([MISSING] * len(actions))
        self._missing_children[world] = len(actions)

    def _append_views(self, state: Any, world: int, parent: int) -> None:
        players = self.game.num_players
        view, observation = self.worlds.view, self.game.observation
        if self.game.perfect_information:
            view.extend([world] * players)
        elif parent == MISSING:
            view.extend(self.views.start(p, observation(state, p)) for p in range(players))
        else:
            mover, action, first = (
                self.worlds.player[parent],
                self._last_action[world],
                parent * players,
            )
            for player in range(players):
                acted = action if mover == player else NO_ACTION
                before = view[first + player]
                seen = observation(state, player, self.views.last(before))
                view.append(self.views.extend(before, acted, seen))

    def _information_set(self, world: int, player: int, legal: list[int]) -> int:
        view = self.worlds.view[world * self.game.num_players + player]
        found = self._set_of_view.get(view)
        if found is None:
            return self._add_information_set(world, player, view, legal)
        if self.legal_actions(found) != legal:
            raise ValueError(
                f"{self.game.name}: legal actions differ inside one information set of player "
                f"{player}: {self.legal_actions(found)} and {legal} at {self.key(found)}"
            )
        return found

    def _add_information_set(self, world: int, player: int, view: int, legal: list[int]) -> int:
        sets = self.information_sets
        information_set = self._set_of_view[view] = len(sets)
        sets.player.append(player)
        sets.view.append(view)
        sets.first_world.append(world)
        sets.first_action.append(len(sets.action))
        sets.action_count.append(len(legal))
        sets.hidden.append(UNRESOLVED)
        sets.action.extend(legal)
        sets.own_next.extend([UNRESOLVED] * len(legal))
        return information_set
