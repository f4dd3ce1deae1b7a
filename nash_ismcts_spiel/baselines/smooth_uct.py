"""Smooth UCT (Heinrich and Silver, "Smooth UCT Search in Computer Poker", 2015).

Each player has a tree of its own information sets. At a node it chooses by UCT with probability
eta_k = max(gamma, eta / (1 + d sqrt(N))), N the node's visits, and otherwise by its average policy
N(a) / N, as in fictitious play; the average policy is what is handed out. Always by UCT, it is
IS-MCTS with a tree per player, which does not approach equilibria. Values are utilities of the
information set's player, in the game's units.

`SmoothUct` learns a whole enumerated game from its start, in C++ (native/solvers/episodes.h); the
bot learns in any game, from worlds that agree with what its player has seen.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.baselines.episodic import (
    EpisodicBot,
    outcome_probabilities,
    utilities,
)
from nash_ismcts_spiel.games import CHANCE, TERMINAL, GameGraph, SupportedGame
from nash_ismcts_spiel.games.adapter import random_returns
from nash_ismcts_spiel.games.resample import draw_world
from nash_ismcts_spiel.native import _core, exact
from nash_ismcts_spiel.search.draw import draw
from nash_ismcts_spiel.settings import Settings

EPISODES_PER_STEP = 1000


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SmoothUctConfig(Settings):
    """Settings of Smooth UCT.

    exploration: c, weight of UCT's term in utility units; None is the game's largest utility.
    eta, gamma, decay: see the module; gamma = 1 is plain UCT.
    """

    exploration: float | None = None
    eta: float = 0.9
    gamma: float = 0.1
    decay: float = 0.01

    def __post_init__(self) -> None:
        """Refuses values without a meaning."""
        self.check_types()
        if not (0.0 <= self.eta <= 1.0 and 0.0 <= self.gamma <= 1.0 and self.decay >= 0.0):
            raise ValueError("eta and gamma must be from 0 to 1, decay not negative")
        if self.exploration is not None and self.exploration < 0.0:
            raise ValueError(f"exploration must not be negative, not {self.exploration}")

    def exploration_in(self, game: SupportedGame) -> float:
        """c, in the game's utility units."""
        found = game.pyspiel_game.max_utility() if self.exploration is None else self.exploration
        return float(found)


UCT = SmoothUctConfig(gamma=1.0)


class SmoothUct:
    """Smooth UCT on an enumerated graph; a step is EPISODES_PER_STEP games."""

    def __init__(self, graph: GameGraph, seed: int, config: SmoothUctConfig | None = None) -> None:
        """Starts without trees."""
        config = config or SmoothUctConfig()
        exploration = config.exploration_in(graph.game)
        self._rng = np.random.default_rng(seed)
        self._method = _core.SmoothUct(
            exact.compiled(graph), exploration, config.eta, config.gamma, config.decay
        )

    def step(self) -> None:
        """Plays some games."""
        with self._rng.bit_generator.lock:
            self._method.run(EPISODES_PER_STEP, self._rng)

    def policy(self) -> npt.NDArray[np.float64]:
        """The average policy, uniform where no tree has come. [A]"""
        return self._method.average_policy()


@dataclasses.dataclass(slots=True)
class _Node:
    """Visits N, N(a) and mean utilities of an information set."""

    visits: int
    action_visits: list[int]
    values: list[float]


class SmoothUctTrees:
    """The trees of all players, on any graph.

    Attributes:
      nodes: by information set.
    """

    def __init__(self, graph: GameGraph, config: SmoothUctConfig) -> None:
        """Starts without trees."""
        self.nodes: dict[int, _Node] = {}
        self._graph = graph
        self._config = config
        self._exploration = config.exploration_in(graph.game)

    def learn(self, information_set: int, rng: np.random.Generator) -> None:
        """Plays a game from a world that agrees with what the player to move has seen."""
        self.play(rng, draw_world(self._graph, information_set, rng))

    def weights(self, information_set: int) -> list[int]:
        """N(a) at an information set."""
        node = self.nodes.get(information_set)
        return [] if node is None else node.action_visits

    def play(self, rng: np.random.Generator, world: int = 0) -> None:
        """One game of self-play from a world on; all players learn from it."""
        graph, left = self._graph, set[int]()
        path: list[tuple[int, int]] = []
        while graph.worlds.kind[world] != TERMINAL and len(left) < graph.game.num_players:
            if graph.worlds.kind[world] == CHANCE:
                edge = draw(rng, outcome_probabilities(graph, world))
            else:
                edge = self._choose(rng, world, left, path)
            world = graph.child(world, edge)
        if graph.worlds.kind[world] == TERMINAL:
            returns = utilities(graph, world)
        else:  # everybody has left its tree, and the rest need not be remembered
            returns = random_returns(graph.state(world), rng)
        for information_set, action in path:
            utility = returns[graph.information_sets.player[information_set]]
            node = self.nodes[information_set]
            node.visits += 1
            node.action_visits[action] += 1
            error = utility - node.values[action]
            node.values[action] += error / node.action_visits[action]

    def _choose(
        self, rng: np.random.Generator, world: int, left: set[int], path: list[tuple[int, int]]
    ) -> int:
        worlds = self._graph.worlds
        information_set, player = worlds.information_set[world], worlds.player[world]
        count = worlds.edge_count[world]
        if player in left:
            return draw(rng, [1.0] * count)
        node = self.nodes.get(information_set)
        if node is None:
            self.nodes[information_set] = _Node(0, [0] * count, [0.0] * count)
            left.add(player)
            action = draw(rng, [1.0] * count)
        else:
            action = self._select(rng, node)
        path.append((information_set, action))
        return action

    def _select(self, rng: np.random.Generator, node: _Node) -> int:
        config = self._config
        share = max(config.gamma, config.eta / (1.0 + config.decay * math.sqrt(node.visits)))
        if rng.random() >= share:
            return draw(rng, node.action_visits)
        if 0 in node.action_visits:
            return draw(rng, [1.0 if visits == 0 else 0.0 for visits in node.action_visits])
        log_visits = math.log(node.visits)
        bounds = [
            value + self._exploration * math.sqrt(log_visits / visits)
            for value, visits in zip(node.values, node.action_visits, strict=True)
        ]
        return bounds.index(max(bounds))


def smooth_uct_bot(game: Any, player_id: int, **settings: Any) -> EpisodicBot:
    """A bot; settings are fields of SmoothUctConfig and keyword arguments of EpisodicBot."""
    own = {field.name for field in dataclasses.fields(SmoothUctConfig)}
    config = SmoothUctConfig.from_dict({key: settings.pop(key) for key in own & settings.keys()})
    return EpisodicBot(game, player_id, lambda graph: SmoothUctTrees(graph, config), **settings)
