"""Exact answers about tabular policies of enumerated games: values, beliefs, best responses,
exploitability, and the CFR family of solvers.

A policy is a float64 array with one probability per legal action of each information set, in the
graph's order (`games.policies.policy_table` makes one from an OpenSpiel policy). Utilities are in
the game's units, from the point of view of the player in question. A graph is compiled on first
use and remembered for as long as it lives.
"""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games.graph import GameGraph
from nash_ismcts_spiel.games.merged import MergedGame
from nash_ismcts_spiel.native import _core

Floats = npt.NDArray[np.float64]
Variant = Literal["cfr", "cfr_plus", "linear_cfr"]

MAX_ENTRIES = 30_000_000
MAX_RESPONDER_SETS = 2_000_000_000

_COMPILED: weakref.WeakKeyDictionary[GameGraph, _core.CompiledGraph] = weakref.WeakKeyDictionary()


class Reach(NamedTuple):
    """How worlds are reached if one player plays towards them.

    Attributes:
      weight: probability of chance and the other players' moves; a move that its player never
        makes counts as made uniformly at random. [W]
      trembles: number of such moves; worlds with more are infinitely less likely. [W]
    """

    weight: Floats
    trembles: npt.NDArray[np.int64]


class BestResponse(NamedTuple):
    """A player's best answer to the others' policies.

    Attributes:
      value: what the player gets from the start of the game.
      actions: index of the chosen action at the player's information sets, the first of equally
        good ones (so 0 where the others never go); -1 at other players' sets. [I]
    """

    value: float
    actions: npt.NDArray[np.int32]


@dataclasses.dataclass(frozen=True, slots=True)
class NashConv:
    """What players gain by deviating from a policy; tuples have one entry per player.

    Attributes:
      nash_conv: sum of `per_player_gain`.
      per_player_gain: best-response value minus on-policy value, rounding errors below 0 cut off.
      best_response_values: value of a best response to the others' policies.
      on_policy_values: value when all follow the policy.
    """

    nash_conv: float
    per_player_gain: tuple[float, ...]
    best_response_values: tuple[float, ...]
    on_policy_values: tuple[float, ...]

    @property
    def exploitability(self) -> float:
        """NashConv / number of players."""
        return self.nash_conv / len(self.per_player_gain)


def compiled(graph: GameGraph) -> _core.CompiledGraph:
    """The compiled form of an enumerated graph, made on first use.

    Raises:
      TypeError: `graph` is not a GameGraph.
      ValueError: the graph is not enumerated, or what the game says makes no sense: chance
        probabilities that do not add up to 1, utilities that are not finite.
    """
    if not isinstance(graph, GameGraph):
        raise TypeError(f"expected a GameGraph, not {type(graph)}")
    found = _COMPILED.get(graph)
    if found is None:
        if not graph.enumerated:
            raise ValueError(f"exact tools need an enumerated graph of {graph.game.name}")
        found = _COMPILED[graph] = _core.CompiledGraph(graph)
    return found


def expected_utilities(graph: GameGraph, policy: Floats) -> Floats:
    """Expected utility of each player at each world if all follow `policy`. [W, n]"""
    return compiled(graph).expected_utilities(policy)


def reach(graph: GameGraph, policy: Floats, player: int) -> Reach:
    """How each world is reached by chance and the players other than `player`."""
    return Reach(*compiled(graph).reach(policy, player))


def own_reach(graph: GameGraph, policy: Floats) -> Floats:
    """Probability that each information set's player plays towards it; own moves only. [I]"""
    return compiled(graph).own_reach(policy)


def beliefs(graph: GameGraph, policy: Floats) -> Floats:
    """Probability of each decision world given its information set, 0 for other worlds. [W]

    Where the other players never go, beliefs are the limit of ever rarer uniform trembles.
    """
    return compiled(graph).beliefs(policy)


def best_response(graph: GameGraph, policy: Floats, player: int) -> BestResponse:
    """The best response of `player` to the others' part of `policy`."""
    return BestResponse(*compiled(graph).best_response(policy, player))


def nash_conv(graph: GameGraph, policy: Floats) -> NashConv:
    """What each player could gain by a best response to `policy`."""
    best, on_policy = compiled(graph).deviations(policy)
    gains = tuple(max(b - p, 0.0) for b, p in zip(best, on_policy, strict=True))
    return NashConv(sum(gains), gains, tuple(best), tuple(on_policy))


def exact_rows(graph: GameGraph, policy: Floats, forgetful: bool = True) -> _core.Rows:
    """The rows of exact models of `policy` at every information set of an enumerated graph.

    See ExactEvaluator for `forgetful`.
    """
    graph.resolve()
    return compiled(graph).exact_rows(graph, policy, forgetful)


def merged_nash_conv(
    merged: MergedGame,
    policy: Floats,
    report: Callable[[float], None] | None = None,
    max_entries: int = MAX_ENTRIES,
    max_information_sets: int = MAX_RESPONDER_SETS,
) -> tuple[NashConv, tuple[int, ...]]:
    """What players could gain by a best response, with perfect recall, to a policy that forgets.

    Args:
      merged: the game, merged.
      policy: one probability per legal action of each view, in the order of `merged.views`.
      report: told now and then which fraction is done.
      max_entries: a game whose continuations have more is refused; 12 bytes each.
      max_information_sets: a responder with more is refused; some 150 ns each.

    Returns:
      The gains, and how many information sets each player could respond at.
    """
    game, found = merged.native, []
    players = game.num_players
    for player in range(players):
        part = None if report is None else _share(report, player, players)
        found.append(game.best_response(policy, player, max_entries, max_information_sets, part))
    on_policy = tuple(game.expected_utilities(policy))
    best = tuple(value for value, _ in found)
    gains = tuple(max(b - p, 0.0) for b, p in zip(best, on_policy, strict=True))
    return NashConv(sum(gains), gains, best, on_policy), tuple(sets for _, sets in found)


def _share(report: Callable[[float], None], part: int, parts: int) -> Callable[[float], None]:
    return lambda done: report((part + done) / parts)


def exploitability(graph: GameGraph, policy: Floats) -> float:
    """NashConv / number of players."""
    return nash_conv(graph, policy).exploitability


class CfrSolver(_core.CfrSolver):
    """Counterfactual regret minimisation with OpenSpiel's conventions, for any number of players.

    Players update in turn. The average policy weighs iteration t by 1 in "cfr" and by t in
    "cfr_plus" (regrets floored at 0) and "linear_cfr" (regrets multiplied by t / (t + 1)). Ctrl-C
    ends `run` between two iterations and loses nothing.
    """

    def __init__(self, graph: GameGraph, variant: Variant = "cfr") -> None:
        """Starts at the uniform policy."""
        super().__init__(compiled(graph), variant)


def merged_ismcts(
    merged: MergedGame, simulations: int, exploration: float = 1.4, seed: int = 0
) -> Floats:
    """MO-ISMCTS once at every view, a peer of the searches (`native/solvers/merged_ismcts.h`).

    Args:
      merged: the game.
      simulations: of each search, with one random rollout each.
      exploration: UCB1's constant, in the game's utility units.
      seed: from which each view has random numbers of its own.

    Returns:
      Visit shares: one probability per legal action of each view, in the order of the views.
    """
    return _core.merged_ismcts(merged.native, simulations, exploration, seed % 2**64)
