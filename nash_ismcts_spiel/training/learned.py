"""Learned models on an enumerated graph: networks, evaluated once a generation over all rows.

P learns the mean of all search policies at the information sets that search games came by; H learns
what was hidden in policy games of the current P, and nothing older; V learns its own expectation
one own move later, under the current P and H (one-step look-ahead, which has far less noise than
returns). Child values are that look-ahead itself, so no network is needed for them here.
"""

from __future__ import annotations

import io

import numpy as np
import numpy.typing as npt
import torch

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.native.models import exact_rows
from nash_ismcts_spiel.training.average import PolicySums
from nash_ismcts_spiel.training.config import TrainingConfig
from nash_ismcts_spiel.training.fit import Fitter, Rows, cross_entropy, squared_error
from nash_ismcts_spiel.training.models import Arrays
from nash_ismcts_spiel.training.network_tables import NetworkTables
from nash_ismcts_spiel.training.networks import Sizes, device_of, load_state, make_networks
from nash_ismcts_spiel.training.self_play import SelfPlay
from nash_ismcts_spiel.training.table_worker import Tables, rows_of

Floats = npt.NDArray[np.float64]

_LEARNING = 1 << 31
"""The shard number from which self-play and fitting draw."""


class LearnedModels:
    """P, V and H as networks.

    Attributes:
      networks: the current ones.
      visits: how often the last policy games came by each information set. [I]
    """

    def __init__(self, graph: GameGraph, config: TrainingConfig, seed: int) -> None:
        """Starts with random weights drawn from the seed."""
        self._graph = graph
        self._config = config
        self._seed = seed
        self._over = NetworkTables(graph, device_of(config.networks))
        self._features = self._over.features
        self.networks = networks = make_networks(
            self._features.tensors, config.networks, seed, child_values=False
        )
        self._fitters = {
            "policy": Fitter(networks.policy, cross_entropy, config.networks),
            "value": Fitter(networks.value, squared_error, config.networks),
            "hidden": Fitter(networks.hidden, cross_entropy, config.networks),
        }
        self._samples = PolicySums(graph)
        self._hidden_sums: Floats = np.zeros(len(self._features.branch_rows))
        self._play = SelfPlay(graph)
        self._scale = graph.value_scale
        self.visits = np.zeros(len(graph.information_sets), dtype=np.int64)
        self._games = 0
        self._evaluate()

    @property
    def sizes(self) -> Sizes:
        """Inputs and outputs of the networks."""
        return self._features.tensors

    def policy(self) -> Floats:
        """P at every information set. [A]"""
        return self._policy

    def tables(self) -> Tables:
        """P, V and H at every information set; child values are expectations of V."""
        return {"policy": self._policy, "value": self._value, "beliefs": self._beliefs}

    def learn(
        self, generation: int, found: Floats, information_sets: npt.NDArray[np.int32]
    ) -> None:
        """Plays games with what the search found, and fits P, then H, then V."""
        networks = self._config.networks
        rng = np.random.default_rng([self._seed, generation, _LEARNING])
        searched = np.zeros(len(self._graph.information_sets), dtype=np.int64)
        searched[information_sets] = 1
        games = self._play.search_games(found, networks.search_games, networks.explore, rng)
        weight = float(generation) ** self._config.averaging_power
        self._samples.add(found, weight * games.sets * searched)
        self._fit_policy(generation, rng)
        self._policy = self._over.policy(self.networks.policy)
        games = self._play.policy_games(
            self._policy,
            networks.policy_games,
            networks.explore,
            rng,
            networks.others_explore,
        )
        self.visits = games.sets
        self._games += networks.search_games + networks.policy_games
        self._fit_hidden(self._hidden_counts(games.branches, weight), generation, rng)
        self._beliefs = self._over.beliefs(self.networks.hidden)
        self._fit_value(generation, rng)
        self._value = self._over.value(self.networks.value)

    def figures(self) -> dict[str, float]:
        """Games so far, losses of the last generation, and how far H is from Bayes' rule."""
        losses = {f"loss_{name}": fitter.last_loss for name, fitter in self._fitters.items()}
        return {"games": self._games, **losses, "hidden_divergence": self.hidden_divergence()}

    def hidden_divergence(self) -> float:
        """Mean relative entropy of H to exact beliefs of P, in nats, where policy games go."""
        exact = exact_rows(self._graph, self._policy).beliefs
        terms = exact * np.log(np.maximum(exact, 1e-300) / np.maximum(self._beliefs, 1e-300))
        samples = self._graph.samples
        per_node = np.bincount(self._features.branch_rows, terms, len(samples))
        weight = self.visits[np.asarray(samples.information_set, dtype=np.int64)]
        return float((per_node * weight).sum() / max(weight.sum(), 1))

    def arrays(self) -> Arrays:
        """Sums of targets for P and (if they are kept) H, weights and optimizers."""
        buffer = io.BytesIO()
        torch.save({name: fitter.state() for name, fitter in self._fitters.items()}, buffer)
        return {
            "weighted_sum": self._samples.weighted_sum,
            "weight": self._samples.weight,
            "hidden_sums": self._hidden_sums,
            "visits": self.visits,
            "games": np.array(self._games),
            "networks": np.frombuffer(buffer.getvalue(), dtype=np.uint8),
        }

    def restore(self, arrays: Arrays) -> None:
        """Goes back to where `arrays` were taken."""
        self._samples.restore(arrays["weighted_sum"], arrays["weight"])
        stored = load_state(arrays["networks"].tobytes())
        for name, fitter in self._fitters.items():
            fitter.restore(stored[name])
        self._hidden_sums = np.array(arrays["hidden_sums"], dtype=np.float64)
        self.visits = np.array(arrays["visits"], dtype=np.int64)
        self._games = int(arrays["games"])
        self._evaluate()

    def _fit_policy(self, generation: int, rng: np.random.Generator) -> None:
        features = self._features
        targets = np.zeros(features.legal.shape, dtype=np.float32)
        targets[features.action_rows, features.action_columns] = self._samples.mean()
        weight = self._counting(self._samples.weight)
        rows = Rows(self._over.sets, torch.from_numpy(targets), weight, self._over.legal)
        self._fitters["policy"].fit(rows, self._config.networks.policy_steps, generation, rng)

    def _hidden_counts(self, branches: Floats, weight: float) -> Floats:
        """What H learns from, given how often games went through each branch. [B]"""
        if self._config.networks.hidden_data == "bayes":
            met = np.bincount(self._features.branch_rows, branches)
            exact = exact_rows(self._graph, self._policy).beliefs
            return np.asarray(exact * met[self._features.branch_rows], dtype=np.float64)
        if self._config.networks.hidden_data == "buffer":
            # A new array, so that whoever keeps the old one for a checkpoint keeps it whole.
            self._hidden_sums = self._hidden_sums + weight * branches
            return self._hidden_sums
        return branches

    def _fit_hidden(self, branches: Floats, generation: int, rng: np.random.Generator) -> None:
        features = self._features
        counts = np.zeros(features.open.shape)
        counts[features.branch_rows, features.branch_columns] = branches
        frequency = counts.sum(axis=1)
        targets = counts / np.where(frequency > 0.0, frequency, 1.0)[:, None]
        rows = Rows(
            self._over.samples,
            torch.from_numpy(targets.astype(np.float32)),
            self._counting(frequency),
            self._over.open,
        )
        self._fitters["hidden"].fit(rows, self._config.networks.hidden_steps, generation, rng)

    def _fit_value(self, generation: int, rng: np.random.Generator) -> None:
        targets = (rows_of(self._graph, self.tables(), True).value / self._scale).astype(np.float32)
        rows = Rows(self._over.sets, torch.from_numpy(targets), self._counting(self.visits))
        self._fitters["value"].fit(rows, self._config.networks.value_steps, generation, rng)

    def _counting(self, frequency: npt.NDArray[np.float64 | np.int64]) -> Floats:
        """How much rows count that occurred so often; those that never did count nothing."""
        power = self._config.networks.frequency_power
        return np.where(frequency > 0, np.maximum(frequency, 1e-300) ** power, 0.0)

    def _evaluate(self) -> None:
        self._policy = self._over.policy(self.networks.policy)
        self._beliefs = self._over.beliefs(self.networks.hidden)
        self._value = self._over.value(self.networks.value)
