"""OpenSpiel's torch learners as anytime methods: Deep CFR and neural fictitious self-play.

Deep CFR (Brown et al. 2019) fits networks to sampled advantages, and one more to the average of the
policies that they imply. OpenSpiel trains that last network once, at the end; here it is trained a
little after every iteration and keeps its weights, so that there is a policy at any time, and the
time for it counts. NFSP (Heinrich and Silver 2016) trains a best response by DQN and its average by
supervised learning. Both policies are tables over the graph, normalised over legal actions.

Both draw from numpy's and torch's global generators, which are seeded when a method is made: of two
methods in one process, finish one before making the next.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph

Floats = npt.NDArray[np.float64]


Settings = Mapping[str, Any]
"""Arguments of OpenSpiel's solvers, by their names there."""

DEEP_CFR: Settings = {
    "policy_network_layers": (64,),
    "advantage_network_layers": (64,),
    "num_traversals": 375,
    "learning_rate": 1e-3,
    "batch_size_advantage": 256,
    "batch_size_strategy": 256,
    "memory_capacity": 100_000,
    "policy_network_train_steps": 375,
    "advantage_network_train_steps": 375,
}
"""OpenSpiel's examples/deep_cfr_pytorch.py."""

_DEEPER: Settings = {
    "policy_network_layers": (64, 64, 64),
    "advantage_network_layers": (64, 64, 64),
}
"""What a comment in that example recommends for games that are larger than Kuhn poker. All else
that it recommends (1,500 traversals, batches of 2,048, 750 steps) is far behind within minutes: in
Leduc poker, seed 0, at 1.35 after 94 CPU seconds where this is at 0.43 after 67."""

NFSP: Settings = {
    "hidden_layers_sizes": [128],
    "replay_buffer_capacity": 200_000,
    "reservoir_buffer_capacity": 2_000_000,
    "anticipatory_param": 0.1,
    "batch_size": 128,
    "learn_every": 64,
    "rl_learning_rate": 0.01,
    "sl_learning_rate": 0.01,
    "optimizer_str": "sgd",
    "update_target_network_every": 1000,
    "epsilon_start": 0.06,
    "epsilon_end": 0.001,
    "epsilon_decay_duration": 3_000_000,
}
"""OpenSpiel's examples/nfsp_kuhn_pytorch.py."""

_QUICK: Settings = {
    "learn_every": 16,
    "rl_learning_rate": 1e-3,
    "sl_learning_rate": 1e-3,
    "optimizer_str": "adam",
    "epsilon_decay_duration": 20_000_000,
}
"""For larger games within minutes, where the settings of examples/nfsp_leduc_pytorch.py, made for
millions of games, have not begun to learn: in Leduc poker, seed 0, this is at 1.57 after 60 CPU
seconds, the example's at 2.35 (uniform play 2.37)."""

GAMES_PER_STEP = 250
"""Of NFSP, which count as one step."""


class DeepCfr:
    """Deep CFR; a step is one player's half of an iteration."""

    def __init__(self, graph: GameGraph, seed: int, changes: Settings | None = None) -> None:
        """Starts with random weights; `changes` are settings that differ from the usual ones.

        Raises:
          ValueError: a package is missing, or the game has no information state tensors.
        """
        torch = _torch("deep_cfr", graph)
        from open_spiel.python.pytorch import deep_cfr

        settings = {**DEEP_CFR, **({} if _is_tiny(graph) else _DEEPER), **(changes or {})}
        self._traversals = settings["num_traversals"]
        self._players = graph.game.num_players
        self._solver = deep_cfr.DeepCFRSolver(graph.game.pyspiel_game, seed=seed, **settings)
        deep_cfr.set_seed(seed)
        self._table = _Table(graph, torch)
        self._player = 0

    def step(self) -> None:
        """Traversals and advantages of one player; after the last one, the average policy."""
        solver, player = self._solver, self._player
        for _ in range(self._traversals):
            solver._traverse_game_tree(solver._root_node, player)
        solver._reinitialize_advantage_network(player)
        solver._learn_advantage_network(player)
        self._player = (player + 1) % self._players
        if self._player == 0:
            solver._iteration += 1
            solver._learn_strategy_network()

    def policy(self) -> Floats:
        """The network of the average policy. [A]"""
        network = self._solver._policy_network
        return self._table.of([network] * self._players)


class Nfsp:
    """Neural fictitious self-play; a step is some hundred games."""

    def __init__(
        self,
        graph: GameGraph,
        seed: int,
        changes: Settings | None = None,
        games_per_step: int = GAMES_PER_STEP,
    ) -> None:
        """Starts with random weights; `changes` are settings that differ from the usual ones.

        Raises:
          ValueError: a package is missing, or the game has no information state tensors.
        """
        torch = _torch("nfsp", graph)
        from open_spiel.python import rl_environment
        from open_spiel.python.pytorch import nfsp

        settings = {**NFSP, **({} if _is_tiny(graph) else _QUICK), **(changes or {})}
        self._games_per_step = games_per_step
        game = graph.game.pyspiel_game
        sampler = rl_environment.ChanceEventSampler(seed=seed)
        self._environment = rl_environment.Environment(game, chance_event_sampler=sampler)
        size = game.information_state_tensor_size()
        self._agents = [
            nfsp.NFSP(player, size, game.num_distinct_actions(), seed=seed, **settings)
            for player in range(graph.game.num_players)
        ]
        nfsp.set_seed(seed)
        self._table = _Table(graph, torch)
        self._softmax = torch.nn.Softmax(-1)

    def step(self) -> None:
        """Plays some games, with all agents learning."""
        for _ in range(self._games_per_step):
            time_step = self._environment.reset()
            while not time_step.last():
                player = time_step.observations["current_player"]
                output = self._agents[player].step(time_step)
                time_step = self._environment.step([output.action])
            for agent in self._agents:
                agent.step(time_step)

    def policy(self) -> Floats:
        """The networks of the players' average policies. [A]"""
        return self._table.of(
            [
                lambda rows, agent=agent: self._softmax(agent._avg_network(rows))
                for agent in self._agents
            ]
        )


class _Table:
    """Networks' answers at every information set of an enumerated graph."""

    def __init__(self, graph: GameGraph, torch: Any) -> None:
        sets = graph.information_sets
        self._torch = torch
        self._player = np.asarray(sets.player)
        self._set_of_action = np.repeat(np.arange(len(sets)), np.asarray(sets.action_count))
        self._action = np.asarray(sets.action)
        rows = [
            graph.state(world).information_state_tensor(player)
            for world, player in zip(sets.first_world, sets.player, strict=True)
        ]
        self._inputs = torch.tensor(np.array(rows, dtype=np.float32))

    def of(self, networks: list[Any]) -> Floats:
        """Probabilities by one network per player (rows -> probabilities of all actions). [A]"""
        found = np.zeros(len(self._action))
        for player, network in enumerate(networks):
            with self._torch.inference_mode():
                answers = network(self._inputs).numpy().astype(np.float64)
            own = self._player[self._set_of_action] == player
            found[own] = answers[self._set_of_action[own], self._action[own]]
        found = np.maximum(found, 1e-12)  # so that a row whose legal actions underflow is uniform
        totals = np.bincount(self._set_of_action, weights=found)
        return np.asarray(found / totals[self._set_of_action])


def _is_tiny(graph: GameGraph) -> bool:
    """About the size of Kuhn poker, which OpenSpiel's examples have settings of their own for."""
    return len(graph.information_sets) < 100


def _torch(method: str, graph: GameGraph) -> Any:
    """The torch module, with one thread, if the method can run at all."""
    if importlib.util.find_spec("tree") is None:
        raise ValueError(f"{method} needs dm-tree, which the extra `peers` installs")
    if not graph.game.pyspiel_game.get_type().provides_information_state_tensor:
        raise ValueError(f"{method} needs information state tensors; {graph.game.name} has none")
    from nash_ismcts_spiel.models.networks import torch_check  # noqa: F401

    # isort: split
    import torch

    torch.set_num_threads(1)  # the networks are small: more threads only wait for each other
    return torch
