"""Whether H learns better what is hidden if hands are drawn as sets than in the order of play.

A small poker game is enumerated: three hole cards of eight for each of two players, no board. Both
players follow the average policy of CFR, so that bets tell something of the cards. H is trained for
the same CPU seconds, making its inputs included, on what was hidden in games of that policy, once
in each order, with the same network, optimizer and batches. It is measured exactly: the relative
entropy, in nats, of the true posterior over the opponent's hands from H's, averaged over the
decisions that are reached. In the order of play the probabilities of all orders of a hand are added
up, so both orders are asked the same question. Drawn as sets, H begins from the prior, which is not
uniform there; what it learns without that is shown as well. The last line of the output is a JSON
object.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from benchmarks.stored import write_record
from nash_ismcts_spiel.games import CHANCE, DECISION, GameGraph
from nash_ismcts_spiel.games.entries import Entries, open_entries
from nash_ismcts_spiel.games.orders import HiddenOrder
from nash_ismcts_spiel.games.policies import TablePolicy, policy_table
from nash_ismcts_spiel.games.tensors import Tensors, most_drawn
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.nets import ResidualNetwork, Sizes, masked_log_softmax
from nash_ismcts_spiel.native import exact

GAME = (
    "universal_poker(betting=limit,numPlayers=2,numRounds=2,blind=1 1,raiseSize=2 2,"
    "firstPlayer=1 1,maxRaises=1 1,numSuits=1,numRanks=8,numHoleCards=3,numBoardCards=0 0)"
)
VARIANTS: dict[str, tuple[HiddenOrder, bool]] = {
    "play": ("play", True),
    "sets": ("sets", True),
    "sets, without the prior": ("sets", False),
}
"""The order, and whether H begins from the prior, which is uniform in the order of play."""
CFR_ITERATIONS = 100
BATCH = 64
RATE = 1e-3
ROWS = 8192

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Leaf(NamedTuple):
    """A world in the prefix tree of its information set.

    Attributes:
      world: the world.
      branches: rows of all branches on the way there.
      hands: which cards the players hold, whatever the order.
    """

    world: int
    branches: list[int]
    hands: tuple[int, ...]


class Study:
    """An enumerated game in one order, with all that is asked of H."""

    def __init__(self, order: HiddenOrder, with_prior: bool, policy: TablePolicy) -> None:
        """Enumerates the game."""
        self._with_prior = with_prior
        self.graph = GameGraph.enumerate(GAME, hidden_order=order)
        self.graph.resolve()
        by_hand = GameGraph(GAME, hidden_order="sets")
        self.reach = reach(self.graph, policy_table(self.graph, policy))
        self.leaves: list[list[Leaf]] = []
        for number in range(len(self.graph.information_sets)):
            leaves = []
            pending: list[tuple[int, list[int]]] = [(self.graph.hidden(number), [])]
            while pending:
                target, branches = pending.pop()
                if target >= 0:
                    history, _ = self.graph.whole_history(target)
                    hands = tuple(by_hand.split_history(history)[:6])
                    leaves.append(Leaf(target, branches, hands))
                    continue
                first = self.graph.samples.first_branch[~target]
                for k in range(self.graph.samples.branch_count[~target]):
                    pending.append((self.graph.branch(~target, k), [*branches, first + k]))
            self.leaves.append(leaves)
        self.tensors = Tensors(self.graph.game, most_drawn(self.graph), hidden_order=order)
        self._owners = np.repeat(
            np.arange(len(self.graph.samples)), np.asarray(self.graph.samples.branch_count)
        )
        # Worlds with something hidden, as likely as they are reached.
        found = [leaf for leaves in self.leaves for leaf in leaves if leaf.branches]
        weights = np.array([self.reach[leaf.world] for leaf in found])
        self._paths = [np.array(leaf.branches) for leaf in found]
        self._chances = np.cumsum(weights / weights.sum())

    def rows(self, count: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """SAMPLE nodes and true branches (rows) of so many hidden states of games."""
        drawn = np.searchsorted(self._chances, rng.random(count))
        paths = [self._paths[min(int(k), len(self._paths) - 1)] for k in drawn]
        branches = np.concatenate(paths)
        return self._owners[branches], branches

    def inputs(self, nodes: Ints) -> torch.Tensor:
        """What H sees of SAMPLE nodes."""
        rows = self.tensors.samples(self.graph, nodes.astype(np.int32))
        if not self._with_prior:
            rows[:, rows.shape[1] - self.tensors.prior_inputs :] = 0.0
        return torch.from_numpy(rows)

    def entries(self, nodes: Ints) -> Entries:
        """The pieces that may come next."""
        return open_entries(self.graph, nodes.astype(np.int32))

    def piece(self, branches: Ints) -> Ints:
        """The piece of each branch."""
        samples, worlds = self.graph.samples, self.graph.worlds
        partial = np.asarray(samples.world)[self._owners[branches]]
        edges = np.asarray(worlds.first_edge)[partial] + np.asarray(samples.edge)[branches]
        return np.asarray(worlds.edge_action)[edges].astype(np.int64)

    def divergence(self, network: ResidualNetwork) -> float:
        """Relative entropy of the posterior over hands from H's, in nats."""
        logs = np.zeros(len(self.graph.samples.edge))
        for begin in range(0, len(self.graph.samples), ROWS):
            nodes = np.arange(begin, min(begin + ROWS, len(self.graph.samples)))
            entries = self.entries(nodes)
            with torch.no_grad():
                out = network(self.inputs(nodes))
                found = masked_log_softmax(out, torch.from_numpy(entries.mask(out.shape[1])))
            first = self.graph.samples.first_branch[begin]
            picked = found.numpy()[entries.rows, entries.columns]
            logs[first : first + len(picked)] = picked
        return self.divergence_of(logs)

    def prior_divergence(self) -> float:
        """The same of what is known before anybody acts."""
        nodes = range(len(self.graph.samples))
        weights = np.concatenate([self.graph.prior_weights(node) for node in nodes])
        return self.divergence_of(np.log(weights))

    def divergence_of(self, logs: Floats) -> float:
        """The same of beliefs, given by their logarithms for all branches."""
        total = 0.0
        for leaves in self.leaves:
            true: dict[tuple[int, ...], float] = {}
            learned: dict[tuple[int, ...], float] = {}
            for leaf in leaves:
                true[leaf.hands] = true.get(leaf.hands, 0.0) + self.reach[leaf.world]
                likely = float(np.exp(logs[leaf.branches].sum()))
                learned[leaf.hands] = learned.get(leaf.hands, 0.0) + likely
            mass = sum(true.values())
            total += sum(p * np.log(p / mass / learned[h]) for h, p in true.items() if p > 0.0)
        decisions = sum(self.reach[leaf.world] for leaves in self.leaves for leaf in leaves)
        return float(total / decisions)


def reach(graph: GameGraph, table: Floats) -> Floats:
    """How likely each world is under a policy. [W]"""
    worlds, sets = graph.worlds, graph.information_sets
    found = np.zeros(len(worlds))
    found[0] = 1.0
    for world in range(len(worlds)):
        first, count = worlds.first_edge[world], worlds.edge_count[world]
        for edge in range(count):
            if worlds.kind[world] == CHANCE:
                weight = worlds.edge_probability[first + edge]
            else:
                weight = table[sets.first_action[worlds.information_set[world]] + edge]
            found[worlds.edge_child[first + edge]] = found[world] * weight
    kinds = np.asarray(worlds.kind)
    found[kinds != DECISION] = 0.0
    return found


def h_network(sizes: Sizes, seed: int) -> ResidualNetwork:
    """H without values of pieces, with random weights drawn from the seed."""
    torch.manual_seed(seed)
    return ResidualNetwork(sizes.sample_inputs, sizes.pieces, NetworkConfig(), sizes.prior_inputs)


def train(study: Study, seed: int, stops: Sequence[float]) -> list[dict[str, float]]:
    """What H has learned after some CPU seconds each."""
    network = h_network(study.tensors, seed)
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE)
    rng = np.random.default_rng(seed)
    found, used, steps = [], 0.0, 0
    for stop in stops:
        while used < stop:
            started = time.process_time()
            nodes, branches = study.rows(BATCH, rng)
            rows = study.inputs(nodes)
            mask = torch.from_numpy(study.entries(nodes).mask(study.tensors.pieces))
            logs = masked_log_softmax(network(rows), mask)
            pieces = torch.from_numpy(study.piece(branches))
            loss = -logs.gather(1, pieces[:, None]).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            used, steps = used + time.process_time() - started, steps + 1
        divergence = study.divergence(network)
        found.append({"seconds": stop, "steps": steps, "divergence": divergence})
        print(f"  seed {seed}: {stop:g} s, {steps} steps, {divergence:.4f} nats", flush=True)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, nargs="+", default=[2.0, 5.0, 10.0, 20.0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="where to write the results")
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)
    graph = GameGraph.enumerate(GAME, hidden_order="sets")
    solver = exact.CfrSolver(graph)
    solver.run(CFR_ITERATIONS)
    policy = TablePolicy(graph, solver.average_policy())
    results: dict[str, Any] = {"game": GAME, "orders": {}}
    for variant, (order, with_prior) in VARIANTS.items():
        study = Study(order, with_prior, policy)
        prior = study.prior_divergence()
        print(f"{variant}: {len(study.graph.worlds):,} worlds, {len(study.graph.samples):,} SAMPLE "
              f"nodes; the prior {prior:.4f} nats")  # fmt: skip
        runs = [train(study, seed, given.seconds) for seed in range(given.seeds)]
        results["orders"][variant] = {
            "worlds": len(study.graph.worlds), "sample_nodes": len(study.graph.samples),
            "sample_inputs": study.tensors.sample_inputs, "prior": prior, "runs": runs,
        }  # fmt: skip
        for at, stop in enumerate(given.seconds):
            values = [run[at]["divergence"] for run in runs]
            print(f"{variant}: {stop:g} s: median {statistics.median(values):.4f} nats")
    line = json.dumps(results)
    if given.json:
        write_record(given.json, results)
    print(line)


if __name__ == "__main__":
    main()
