"""Online outcome sampling (Lisy, Lanctot and Bowling, "Online Monte Carlo Counterfactual Regret
Minimization for Search in Imperfect Information Games", 2015).

Outcome-sampling Monte Carlo CFR from the start of the game, whose memory grows by an information
set per simulated game; the average policy is what is handed out. In each game one player learns and
explores. At play, a share of the games is *targeted*: only events are sampled with which the
information set that is to be played can still be reached, and the learning is weighted by the
probability of sampling a game either way, so that it still learns about the whole game.
Utilities are the learner's, in the game's units.

`OnlineOutcomeSampling` learns a whole enumerated game, untargeted (native/solvers/episodes.h).
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from nash_ismcts_spiel.baselines.episodic import (
    EpisodicBot,
    WholeGame,
    episodic_bot,
    outcome_probabilities,
    utilities,
)
from nash_ismcts_spiel.games import CHANCE, TERMINAL, GameGraph
from nash_ismcts_spiel.games.adapter import random_returns
from nash_ismcts_spiel.games.tables import DEAD, MISSING, ROOT
from nash_ismcts_spiel.native import _core, exact
from nash_ismcts_spiel.search.draw import draw
from nash_ismcts_spiel.settings import Settings


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class OosConfig(Settings):
    """Settings of online outcome sampling.

    exploration: epsilon, share of uniform play of the player who learns.
    targeting: delta, share of targeted games at play.
    """

    exploration: float = 0.4
    targeting: float = 0.9

    def __post_init__(self) -> None:
        """Refuses values with which some games would never be sampled."""
        self.check_types()
        if not (0.0 < self.exploration <= 1.0 and 0.0 <= self.targeting < 1.0):
            raise ValueError("exploration must be above 0 and up to 1, targeting from 0 to below 1")


class OnlineOutcomeSampling(WholeGame):
    """Outcome sampling on an enumerated graph."""

    def __init__(self, graph: GameGraph, seed: int, config: OosConfig | None = None) -> None:
        """Starts without memory."""
        exploration = (config or OosConfig()).exploration
        super().__init__(_core.OutcomeSampling(exact.compiled(graph), exploration), seed)


class Target:
    """Which events still lead to an information set; found as games are sampled."""

    def __init__(self, graph: GameGraph, information_set: int) -> None:
        """Knows the way to the first fork."""
        self._graph = graph
        self._open: dict[int, list[int]] = {}
        self._fork: dict[int, int] = {}
        self._add_way(graph.hidden(information_set))

    def open_edges(self, world: int) -> list[int] | None:
        """The edges of a world on the way that stay on it; None where the way has ended."""
        return self._open.get(world)

    def take(self, world: int, edge: int) -> bool:
        """Follows an open edge, so that the way beyond it is known; False if it leads nowhere, as
        may turn out in a large game. Then it is open no more.
        """
        fork = self._fork.get(world)
        if fork is None:
            return True
        target = self._graph.branch(fork, self._edges(fork).index(edge))
        if target != DEAD:
            self._add_way(target)
            return True
        first, targets = self._graph.samples.first_branch[fork], self._graph.samples.target
        self._open[world] = [
            edge for branch, edge in enumerate(self._edges(fork)) if targets[first + branch] != DEAD
        ]
        return False

    def _edges(self, sample: int) -> list[int]:
        samples = self._graph.samples
        first = samples.first_branch[sample]
        return samples.edge[first : first + samples.branch_count[sample]]

    def _add_way(self, target: int) -> None:
        """All worlds before a fork (~s) or a complete world, up to what is known."""
        worlds, samples = self._graph.worlds, self._graph.samples
        world = samples.world[~target] if target < 0 else target
        if target < 0 and world not in self._open:
            self._open[world] = self._edges(~target)
            self._fork[world] = ~target
        while world != ROOT and worlds.parent[world] not in self._open:
            parent = worlds.parent[world]
            first, count = worlds.first_edge[parent], worlds.edge_count[parent]
            children = worlds.edge_child[first : first + count]
            self._open[parent] = [children.index(world)]
            world = parent


class _Step(NamedTuple):
    """One event of a sampled game.

    Attributes:
      world: where it happened.
      information_set: of the player who moved, MISSING for chance.
      action: the number of its edge.
      probability: by the current policy or chance.
      others: reach of the world, by chance and all but the learner.
      aimed: probability that a targeted game gets there.
      free: probability that a game that is not targeted gets there.
    """

    world: int
    information_set: int
    action: int
    probability: float
    others: float
    aimed: float
    free: float


class OosMemory:
    """Regrets and policy sums of all players, on any graph."""

    def __init__(self, graph: GameGraph, config: OosConfig) -> None:
        """Starts empty."""
        self.policy_sums: dict[int, list[float]] = {}
        self._regrets: dict[int, list[float]] = {}
        self._graph = graph
        self._config = config
        self._episodes = 0
        self._target: tuple[int, Target] | None = None

    def learn(self, information_set: int, rng: np.random.Generator) -> None:
        """Plays a game that is targeted at an information set."""
        if self._target is None or self._target[0] != information_set:
            self._target = (information_set, Target(self._graph, information_set))
        self.play(rng, self._target[1])

    def weights(self, information_set: int) -> list[float]:
        """The sums of the average policy at an information set."""
        return self.policy_sums.get(information_set, [])

    def play(self, rng: np.random.Generator, target: Target | None = None) -> None:
        """One game, from which one player learns; the players take turns."""
        graph, worlds = self._graph, self._graph.worlds
        learner = self._episodes % graph.game.num_players
        self._episodes += 1
        share = 0.0 if target is None else self._config.targeting
        targeted = target is not None and rng.random() < share
        path: list[_Step] = []
        world, others, on_target, free = ROOT, 1.0, 1.0, 1.0
        returns: list[float] | None = None
        while returns is None and worlds.kind[world] != TERMINAL:
            information_set, policy, weights = self._event(world, learner)
            open_edges = None
            if target is not None and on_target > 0.0:
                open_edges = target.open_edges(world)
            aimed = weights if open_edges is None else _restricted(weights, open_edges)
            edge = draw(rng, aimed if targeted else weights)
            path.append(_Step(world, information_set, edge, policy[edge], others, on_target, free))
            if target is not None and edge in (open_edges or ()) and not target.take(world, edge):
                if targeted:  # as if the edge had never been open
                    path.pop()
                    continue
                on_target = 0.0
            if worlds.player[world] != learner:
                others *= policy[edge]
            on_target *= aimed[edge]
            free *= weights[edge]
            if self._is_new(information_set) and open_edges is None:
                # What follows is as likely for the policy as for the sample, and cancels.
                state = graph.state(world)
                state.apply_action(worlds.edge_action[worlds.first_edge[world] + edge])
                returns = random_returns(state, rng)
            else:
                world = graph.child(world, edge)
        found = utilities(graph, world) if returns is None else returns
        utility = found[learner] / (share * on_target + (1.0 - share) * free)
        self._learn(path, learner, utility, share)

    def _event(self, world: int, learner: int) -> tuple[int, list[float], list[float]]:
        """Whose information set it is, what is played there, and what is sampled."""
        graph = self._graph
        if graph.worlds.kind[world] == CHANCE:
            chance = outcome_probabilities(graph, world)
            return MISSING, chance, chance
        information_set, count = graph.worlds.information_set[world], graph.worlds.edge_count[world]
        policy = self._current(information_set, count)
        explore = self._config.exploration if graph.worlds.player[world] == learner else 0.0
        return information_set, policy, [explore / count + (1.0 - explore) * p for p in policy]

    def _is_new(self, information_set: int) -> bool:
        return information_set != MISSING and information_set not in self._regrets

    def _learn(
        self, path: list[_Step], learner: int, utility_per_sample: float, share: float
    ) -> None:
        """Backwards: regrets where the learner moved, averages where the others did."""
        sets, tail = self._graph.information_sets, 1.0
        for step in reversed(path):
            after, tail = tail, tail * step.probability
            if step.information_set == MISSING:
                continue
            count = sets.action_count[step.information_set]
            policy = self._current(step.information_set, count)
            regrets = self._regrets.setdefault(step.information_set, [0.0] * count)
            if sets.player[step.information_set] == learner:
                weight = utility_per_sample * step.others
                for action in range(count):
                    reached = after if action == step.action else 0.0
                    regrets[action] += (reached - tail) * weight
            else:
                sums = self.policy_sums.setdefault(step.information_set, [0.0] * count)
                sampled = share * step.aimed + (1.0 - share) * step.free
                for action in range(count):
                    sums[action] += step.others / sampled * policy[action]

    def _current(self, information_set: int, count: int) -> list[float]:
        """Regret matching."""
        positive = [max(regret, 0.0) for regret in self._regrets.get(information_set, ())]
        total = sum(positive)
        return [regret / total for regret in positive] if total > 0.0 else [1.0 / count] * count


def oos_bot(game: Any, player_id: int, **settings: Any) -> EpisodicBot:
    """A bot; settings are fields of OosConfig and keyword arguments of EpisodicBot."""
    return episodic_bot(game, player_id, OosConfig, OosMemory, settings)


def _restricted(weights: list[float], open_edges: list[int]) -> list[float]:
    """The weights of the open edges, as a distribution; alike if all have none."""
    total = sum(weights[edge] for edge in open_edges)
    share = 1.0 / len(open_edges)
    restricted = [0.0] * len(weights)
    for edge in open_edges:
        restricted[edge] = weights[edge] / total if total > 0.0 else share
    return restricted
