"""What is measured of models where the game can be enumerated: how exploitable P is, and how far H
is from Bayes' rule.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph, SupportedGame
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.native.exact import exact_rows

Floats = npt.NDArray[np.float64]


def policy_figures(graph: GameGraph, policy: Floats) -> dict[str, float]:
    """What is measured of P [A] over an enumerated graph."""
    return figures_of(graph.game, exact.nash_conv(graph, policy))


def figures_of(game: SupportedGame, found: exact.NashConv) -> dict[str, float]:
    """Exploitability of P (NashConv / number of players) as `exploitability_average`.

    With two players and a constant sum that says it all. In other games players gain different
    amounts, and what they get is not settled by NashConv, however small: NashConv and what each
    player gets and gains by a best response come on top, in utility units.
    """
    figures = {"exploitability_average": found.exploitability}
    if game.two_player_constant_sum:
        return figures
    gains = {f"gain_{player}": gain for player, gain in enumerate(found.per_player_gain)}
    values = {f"value_{player}": value for player, value in enumerate(found.on_policy_values)}
    return {**figures, "nash_conv_average": found.nash_conv, **gains, **values}


def hidden_divergence(graph: GameGraph, policy: Floats, beliefs: Floats) -> float:
    """Mean relative entropy of H [B] to exact beliefs of P [A] over all hidden pieces, in nats.

    The pieces of an information set count by how likely chance and the others are to bring it about
    under P: where its own player does not go, it still asks H what would be.
    """
    graph.resolve()
    wanted = exact_rows(graph, policy).beliefs
    terms = wanted * np.log(np.maximum(wanted, 1e-300) / np.maximum(beliefs, 1e-300))
    samples = graph.samples
    node_of_branch = np.repeat(np.arange(len(samples)), np.asarray(samples.branch_count))
    per_node = np.bincount(node_of_branch, terms, len(samples))
    weight = _others_reach(graph, policy)[np.asarray(samples.information_set, dtype=np.int64)]
    return float((per_node * weight).sum() / max(weight.sum(), 1e-300))


def _others_reach(graph: GameGraph, policy: Floats) -> Floats:
    """Probability that chance and the others play towards each information set. [I]"""
    worlds, total = graph.worlds, np.zeros(len(graph.information_sets))
    mover, owner = np.asarray(worlds.player), np.asarray(worlds.information_set, dtype=np.int64)
    for player in range(graph.game.num_players):
        reach = exact.reach(graph, policy, player)
        here = (mover == player) & (reach.trembles == 0)
        total += np.bincount(owner[here], reach.weight[here], len(total))
    return total
