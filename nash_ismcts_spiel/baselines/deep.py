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

import dataclasses
import importlib.util
from typing import Any

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.settings import Settings

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DeepCfrConfig(Settings):
    """Settings of Deep CFR; the defaults are those of OpenSpiel's examples/deep_cfr_pytorch.py.

    traversals: per player and iteration.
    layers, width: hidden layers of every network, and their units.
    learning_rate: of Adam.
    batch: rows of a gradient step.
    advantage_steps: gradient steps per player and iteration, from new weights.
    policy_steps: gradient steps of the average policy's network per iteration, weights kept.
    memory: rows that each reservoir keeps.
    """

    traversals: int = 375
    layers: int = 1
    width: int = 64
    learning_rate: float = 1e-3
    batch: int = 256
    advantage_steps: int = 375
    policy_steps: int = 375
    memory: int = 100_000


DEEP_CFR_LARGE = DeepCfrConfig(layers=3)
"""The same with the depth that a comment in that example recommends, for games that are larger than
Kuhn poker."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class NfspConfig(Settings):
    """Settings of NFSP; the defaults are those of OpenSpiel's examples/nfsp_leduc_pytorch.py.

    width: units of the one hidden layer of each network.
    replay, reservoir: rows kept for the best response and for the average policy.
    anticipatory: share of games in which a player plays its best response.
    batch: rows of a gradient step.
    learn_every: moves between gradient steps.
    best_response_rate, average_rate: learning rates.
    optimizer: "sgd" or "adam".
    update_target_every: moves between copies of DQN's network.
    epsilon_start, epsilon_end, epsilon_moves: exploration of the best response.
    games_per_step: games that count as one step here.
    """

    width: int = 128
    replay: int = 200_000
    reservoir: int = 2_000_000
    anticipatory: float = 0.1
    batch: int = 128
    learn_every: int = 64
    best_response_rate: float = 0.01
    average_rate: float = 0.01
    optimizer: str = "sgd"
    update_target_every: int = 19_200
    epsilon_start: float = 0.06
    epsilon_end: float = 0.001
    epsilon_moves: int = 20_000_000
    games_per_step: int = 250


NFSP_KUHN = NfspConfig(update_target_every=1000, epsilon_moves=3_000_000)
"""OpenSpiel's examples/nfsp_kuhn_pytorch.py."""

NFSP_QUICK = NfspConfig(
    learn_every=16,
    best_response_rate=1e-3,
    average_rate=1e-3,
    optimizer="adam",
    update_target_every=1000,
)
"""For larger games within minutes, where the example's settings, made for millions of games, have
not begun to learn: in Leduc poker, seed 0, this is at 1.57 after 60 CPU seconds, the example's at
2.35 (uniform play 2.37)."""


class DeepCfr:
    """Deep CFR; a step is one player's half of an iteration."""

    def __init__(self, graph: GameGraph, seed: int, config: DeepCfrConfig | None = None) -> None:
        """Starts with random weights.

        Raises:
          ValueError: a package is missing, or the game has no information state tensors.
        """
        torch = _torch("deep_cfr", graph)
        from open_spiel.python.pytorch import deep_cfr

        config = config or (DeepCfrConfig() if _is_tiny(graph) else DEEP_CFR_LARGE)
        self.config = config
        self._players = graph.game.num_players
        self._solver = deep_cfr.DeepCFRSolver(
            graph.game.pyspiel_game,
            policy_network_layers=(config.width,) * config.layers,
            advantage_network_layers=(config.width,) * config.layers,
            num_traversals=config.traversals,
            learning_rate=config.learning_rate,
            batch_size_advantage=config.batch,
            batch_size_strategy=config.batch,
            memory_capacity=config.memory,
            policy_network_train_steps=config.policy_steps,
            advantage_network_train_steps=config.advantage_steps,
            seed=seed,
        )
        deep_cfr.set_seed(seed)
        self._table = _Table(graph, torch)
        self._player = 0

    def step(self) -> None:
        """Traversals and advantages of one player; after the last one, the average policy."""
        solver, player = self._solver, self._player
        for _ in range(self.config.traversals):
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

    def __init__(self, graph: GameGraph, seed: int, config: NfspConfig | None = None) -> None:
        """Starts with random weights.

        Raises:
          ValueError: a package is missing, or the game has no information state tensors.
        """
        torch = _torch("nfsp", graph)
        from open_spiel.python import rl_environment
        from open_spiel.python.pytorch import nfsp

        self.config = config or (NFSP_KUHN if _is_tiny(graph) else NFSP_QUICK)
        game = graph.game.pyspiel_game
        sampler = rl_environment.ChanceEventSampler(seed=seed)
        self._environment = rl_environment.Environment(game, chance_event_sampler=sampler)
        size = game.information_state_tensor_size()
        self._agents = [
            nfsp.NFSP(
                player, size, game.num_distinct_actions(), **_nfsp_arguments(self.config, seed)
            )
            for player in range(graph.game.num_players)
        ]
        nfsp.set_seed(seed)
        self._table = _Table(graph, torch)
        self._softmax = torch.nn.Softmax(-1)

    def step(self) -> None:
        """Plays some games, with all agents learning."""
        for _ in range(self.config.games_per_step):
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


def _nfsp_arguments(config: NfspConfig, seed: int) -> dict[str, Any]:
    return {
        "hidden_layers_sizes": [config.width],
        "replay_buffer_capacity": config.replay,
        "reservoir_buffer_capacity": config.reservoir,
        "anticipatory_param": config.anticipatory,
        "batch_size": config.batch,
        "learn_every": config.learn_every,
        "rl_learning_rate": config.best_response_rate,
        "sl_learning_rate": config.average_rate,
        "optimizer_str": config.optimizer,
        "update_target_network_every": config.update_target_every,
        "epsilon_start": config.epsilon_start,
        "epsilon_end": config.epsilon_end,
        "epsilon_decay_duration": config.epsilon_moves,
        "seed": seed,
    }


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
