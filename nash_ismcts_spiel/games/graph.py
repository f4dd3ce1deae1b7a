"""The game graph: worlds, information sets and hidden pieces of one game as flat arrays.

One graph serves both engines, the exact models and the exact tools. It is enumerated whole (small
games) or grows where somebody steps (any game). Growing only ever appends rows, so numbers stay
valid for the life of the graph. The graph is about the game, never about a match: a bot hands it
what its player has seen (an `InformationKey`), and the graph finds worlds that agree with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.games.adapter import support
from nash_ismcts_spiel.games.growth import ROOT, GrowingWorlds
from nash_ismcts_spiel.games.hidden import EnumeratedHistory, HiddenHistories, HiddenHistory
from nash_ismcts_spiel.games.keys import InformationKey, own_log
from nash_ismcts_spiel.games.tables import MISSING, UNRESOLVED, SampleNodes

ENUMERATION_LIMIT = 2_000_000
_FAR = 100.0
"""How many times the limit an estimate must be to be believed without counting."""

OWN_NEXT_LIMIT = 256
"""Information sets with more worlds than this are taken to have no `own_next`."""


class GameGraph(GrowingWorlds):
    """Worlds and information sets of a game.

    Attributes:
      game: the game, in sequential form.
      worlds: table of full histories; row 0 is the start.
      information_sets: table of what players know when they move.
      samples: table of forks in the hidden history.
      views: what players have seen, interned.
      enumerated: every world of the game has a row.
    """

    def __init__(self, game: Any) -> None:
        """A graph that holds only the start of `game` (a pyspiel game, its name, or supported)."""
        super().__init__(support(game))
        self.samples = SampleNodes()
        self.enumerated = False
        self._hidden = HiddenHistories(self.game)
        self._worlds_of_set: list[list[int]] = []
        self._value_scale: float | None = None

    @classmethod
    def enumerate(cls, game: Any, limit: int = ENUMERATION_LIMIT) -> GameGraph:
        """A graph with every world of `game`.

        Raises:
          ValueError: the game has more than `limit` worlds. Games that are far larger by a random
            estimate are refused at once.
        """
        graph = cls(game)
        estimate = graph.game.estimated_worlds()
        if estimate > _FAR * limit:
            raise ValueError(
                f"{graph.game.name} has more than {limit} worlds (about {estimate:.0e}); too many "
                "to enumerate"
            )
        world = ROOT
        while world < len(graph.worlds):
            for edge in range(graph.worlds.edge_count[world]):
                graph.child(world, edge)
            if len(graph.worlds) > limit:
                raise ValueError(
                    f"{graph.game.name} has more than {limit} worlds; too many to enumerate"
                )
            world += 1
        graph._finish_enumeration()
        return graph

    @property
    def value_scale(self) -> float:
        """Root mean square of the returns: over all terminal worlds if enumerated, else sampled."""
        if self._value_scale is None:
            if self.enumerated:
                squares = np.square(np.frombuffer(self.worlds.utilities))
                self._value_scale = math.sqrt(float(squares.mean())) or 1.0
            else:
                self._value_scale = self.game.value_scale()
        return self._value_scale

    def observe(self, state: Any, player: int) -> int:
        """The information set of `player`, to move at `state`, from what it has seen alone."""
        if self.game.perfect_information:
            return self.worlds.information_set[self.follow(state.history())]
        return self.find(own_log(self.game, state, player))

    def find(self, key: InformationKey) -> int:
        """The information set that a key describes.

        Raises:
          ValueError: no world of the game agrees with the key.
        """
        if self.game.perfect_information:
            return self.worlds.information_set[self.follow([action for action, _ in key.log])]
        view = self.views.of_log(key)
        if view not in self._set_of_view:
            self.follow(self._hidden.find(key))
        return self._set_of_view[view]

    def worlds_of(self, information_set: int) -> Iterator[int]:
        """All worlds of an information set, in the order of its prefix tree."""
        pending = [self.hidden(information_set)]
        while pending:
            target = pending.pop()
            if target >= 0:
                yield target
            else:
                count = self.samples.branch_count[~target]
                pending.extend(self.branch(~target, k) for k in reversed(range(count)))

    def hidden(self, information_set: int) -> int:
        """What is drawn first of the hidden state: a world, or ~s for a SAMPLE node s."""
        target = self.information_sets.hidden[information_set]
        if target == UNRESOLVED:
            if self.game.perfect_information:
                target = self.information_sets.first_world[information_set]
            else:
                target = self._resolve(information_set, ROOT)
            self.information_sets.hidden[information_set] = target
        return target

    def branch(self, sample_node: int, branch: int) -> int:
        """What is below a branch of a SAMPLE node: a world, or ~s for a further SAMPLE node s."""
        position = self.samples.first_branch[sample_node] + branch
        target = self.samples.target[position]
        if target == UNRESOLVED:
            world = self.child(self.samples.world[sample_node], self.samples.edge[position])
            target = self._resolve(self.samples.information_set[sample_node], world)
            self.samples.target[position] = target
        return target

    def own_next(self, information_set: int, action: int) -> int:
        """The information set that surely follows the action (an index), or MISSING.

        There is one if, whatever is hidden, the same player moves next and sees the same thing.
        """
        sets = self.information_sets
        position = sets.first_action[information_set] + action
        if sets.own_next[position] == UNRESOLVED:
            sets.own_next[position] = self._find_own_next(information_set, action)
        return sets.own_next[position]

    def unseen(self, world: int, player: int) -> bool:
        """Whether the mover at `world` has not seen the last action of `player`.

        It has not if after some other action, and the same events since, it would be in the same
        information set. Its move is then no answer to that action: it might as well have been made
        before, and is part of what `player` does not know.
        """
        position = world * self.game.num_players + player
        if self.worlds.unseen[position] == UNRESOLVED:
            self.worlds.unseen[position] = self._find_unseen(world, player)
        return self.worlds.unseen[position] == 1

    def _find_unseen(self, world: int, player: int) -> int:
        acted, since = world, list[int]()
        while acted != ROOT and (acted == world or self.worlds.player[acted] != player):
            since.append(self._last_action[acted])
            acted = self.worlds.parent[acted]
        if acted == world or self.worlds.player[acted] != player:
            return 0
        own, events = since[-1], since[-2::-1]
        first, count = self.worlds.first_edge[acted], self.worlds.edge_count[acted]
        for other in self.worlds.edge_action[first : first + count]:
            if other != own:
                reached = self._follow_from(acted, [other, *events])
                information_set = self.worlds.information_set[world]
                if reached != MISSING and self.worlds.information_set[reached] == information_set:
                    return 1
        return 0

    def _follow_from(self, world: int, events: Sequence[int]) -> int:
        """The world after some events, MISSING if one of them cannot happen."""
        for action in events:
            first, count = self.worlds.first_edge[world], self.worlds.edge_count[world]
            actions = list(self.worlds.edge_action[first : first + count])
            if action not in actions:
                return MISSING
            world = self.child(world, actions.index(action))
        return world

    def _find_own_next(self, information_set: int, action: int) -> int:
        if self.enumerated:
            return self._common_following(self._worlds_of_set[information_set], action)
        first = self.information_sets.first_world[information_set]
        following = self._common_following([first], action)
        if following == MISSING or self.game.perfect_information:
            return following
        lookahead = self._hidden.of(self, information_set).lookahead
        number = self.legal_actions(information_set)[action]
        return following if lookahead.surely_moves_on(number, OWN_NEXT_LIMIT) else MISSING

    def _common_following(self, worlds: Sequence[int], action: int) -> int:
        """The information set of the same player that follows in all of these worlds, if one."""
        if len(worlds) > OWN_NEXT_LIMIT:
            return MISSING
        player, following = self.worlds.player[worlds[0]], MISSING
        for world in worlds:
            after = self.child(world, action)
            reached = self.worlds.information_set[after]
            if self.worlds.player[after] != player or following not in (MISSING, reached):
                return MISSING
            following = reached
        return following

    def _resolve(self, information_set: int, world: int) -> int:
        """Follows forced pieces from a partial world to the next fork or complete world."""
        hidden = self._hidden_history(information_set)
        while self.worlds.information_set[world] != information_set:
            edges = hidden.open_edges(self, world)
            if len(edges) > 1:
                return ~self._add_sample(information_set, world, edges)
            world = self.child(world, edges[0])
        return world

    def _hidden_history(self, information_set: int) -> HiddenHistory:
        if self.enumerated:
            return EnumeratedHistory(self, self._worlds_of_set[information_set])
        return self._hidden.of(self, information_set)

    def _finish_enumeration(self) -> None:
        self._states.clear()
        self._worlds_of_set = [[] for _ in range(len(self.information_sets))]
        for world, information_set in enumerate(self.worlds.information_set):
            if information_set != MISSING:
                self._worlds_of_set[information_set].append(world)
        self.enumerated = True

    def _add_sample(self, information_set: int, world: int, edges: list[int]) -> int:
        samples = self.samples
        sample = len(samples)
        samples.information_set.append(information_set)
        samples.world.append(world)
        samples.first_branch.append(len(samples.edge))
        samples.branch_count.append(len(edges))
        samples.edge.extend(edges)
        samples.target.extend([UNRESOLVED] * len(edges))
        return sample
