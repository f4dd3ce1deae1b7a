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
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.models import exact_rows
from nash_ismcts_spiel.training.average import PolicySums
from nash_ismcts_spiel.training.config import TrainingConfig
from nash_ismcts_spiel.training.features import Features
from nash_ismcts_spiel.training.fit import Fitter, Rows, cross_entropy, squared_error
from nash_ismcts_spiel.training.models import Arrays
from nash_ismcts_spiel.training.networks import make_networks, masked_log_softmax
from nash_ismcts_spiel.training.self_play import SelfPlay

Floats = npt.NDArray[np.float64]

_LEARNING = 1 << 31
"""The shard number from which self-play and fitting draw."""


class LearnedModels:
    """P, V and H as networks.

    Attributes:
      visits: how often the last policy games came by each information set. [I]
    """

    def __init__(self, graph: GameGraph, config: TrainingConfig, seed: int) -> None:
        """Starts with random weights drawn from the seed."""
        self._graph = graph
        self._config = config
        self._seed = seed
        self._features = features = Features(graph)
        networks = make_networks(
            features.sets.shape[1],
            features.samples.shape[1],
            features.legal.shape[1],
            features.pieces,
            config.networks,
            seed,
        )
        self._fitters = {
            "policy": Fitter(networks.policy, cross_entropy, config.networks),
            "value": Fitter(networks.value, squared_error, config.networks),
            "hidden": Fitter(networks.hidden, cross_entropy, config.networks),
        }
        self._inputs = torch.from_numpy(features.sets)
        self._sample_inputs = torch.from_numpy(features.samples)
        self._legal = torch.from_numpy(features.legal)
        self._open = torch.from_numpy(features.open)
        self._samples = PolicySums(graph)
        self._hidden_sums: Floats = np.zeros(len(features.branch_rows))
        self._play = SelfPlay(graph)
        self._scale = graph.value_scale
        self.visits = np.zeros(len(graph.information_sets), dtype=np.int64)
        self._evaluate()

    def policy(self) -> Floats:
        """P at every information set. [A]"""
        return self._policy

    def rows(self) -> _core.Rows:
        """P, V, H and child values at every information set."""
        rows = _core.Rows()
        rows.put_lookahead(self._graph, self._policy, self._value, self._beliefs)
        return rows

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
        self._policy = self._policy_table()
        games = self._play.policy_games(
            self._policy,
            networks.policy_games,
            networks.explore,
            rng,
            networks.others_explore,
        )
        self.visits = games.sets
        self._fit_hidden(self._hidden_counts(games.branches, weight), generation, rng)
        self._beliefs = self._belief_table()
        self._fit_value(generation, rng)
        self._value = self._value_table()

    def figures(self) -> dict[str, float]:
        """Losses of the last generation, and how far H is from Bayes' rule for the current P."""
        losses = {f"loss_{name}": fitter.last_loss for name, fitter in self._fitters.items()}
        return {**losses, "hidden_divergence": self.hidden_divergence()}

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
        torch.save(
            {
                name: {
                    "network": fitter.network.state_dict(),
                    "optimizer": fitter.optimizer.state_dict(),
                    "last_loss": fitter.last_loss,
                }
                for name, fitter in self._fitters.items()
            },
            buffer,
        )
        return {
            "weighted_sum": self._samples.weighted_sum,
            "weight": self._samples.weight,
            "hidden_sums": self._hidden_sums,
            "visits": self.visits,
            "networks": np.frombuffer(buffer.getvalue(), dtype=np.uint8),
        }

    def restore(self, arrays: Arrays) -> None:
        """Goes back to where `arrays` were taken."""
        self._samples.restore(arrays["weighted_sum"], arrays["weight"])
        stored = torch.load(io.BytesIO(arrays["networks"].tobytes()), weights_only=True)
        for name, fitter in self._fitters.items():
            fitter.network.load_state_dict(stored[name]["network"])
            fitter.optimizer.load_state_dict(stored[name]["optimizer"])
            fitter.last_loss = stored[name]["last_loss"]
        self._hidden_sums = np.array(arrays["hidden_sums"], dtype=np.float64)
        self.visits = np.array(arrays["visits"], dtype=np.int64)
        self._evaluate()

    def _fit_policy(self, generation: int, rng: np.random.Generator) -> None:
        features = self._features
        targets = np.zeros(features.legal.shape, dtype=np.float32)
        targets[features.action_rows, features.action_columns] = self._samples.mean()
        rows = Rows(self._inputs, torch.from_numpy(targets), self._samples.weight, self._legal)
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
            self._sample_inputs,
            torch.from_numpy(targets.astype(np.float32)),
            frequency,
            self._open,
        )
        self._fitters["hidden"].fit(rows, self._config.networks.hidden_steps, generation, rng)

    def _fit_value(self, generation: int, rng: np.random.Generator) -> None:
        targets = (self.rows().value / self._scale).astype(np.float32)
        rows = Rows(self._inputs, torch.from_numpy(targets), self.visits.astype(np.float64))
        self._fitters["value"].fit(rows, self._config.networks.value_steps, generation, rng)

    def _evaluate(self) -> None:
        self._policy = self._policy_table()
        self._beliefs = self._belief_table()
        self._value = self._value_table()

    @torch.inference_mode()
    def _policy_table(self) -> Floats:
        logs = masked_log_softmax(self._fitters["policy"].network(self._inputs), self._legal)
        return _normalised(
            logs.double().exp().numpy()[self._features.action_rows, self._features.action_columns],
            self._features.action_rows,
        )

    @torch.inference_mode()
    def _belief_table(self) -> Floats:
        logs = masked_log_softmax(self._fitters["hidden"].network(self._sample_inputs), self._open)
        return _normalised(
            logs.double().exp().numpy()[self._features.branch_rows, self._features.branch_columns],
            self._features.branch_rows,
        )

    @torch.inference_mode()
    def _value_table(self) -> Floats:
        values = self._fitters["value"].network(self._inputs).squeeze(-1).double().numpy()
        return np.asarray(values * self._scale, dtype=np.float64)


def _normalised(probabilities: npt.NDArray[np.float64], rows: npt.NDArray[np.int64]) -> Floats:
    """Entries that add up to 1 per row in double precision."""
    totals = np.bincount(rows, probabilities)
    return np.asarray(probabilities / totals[rows], dtype=np.float64)
