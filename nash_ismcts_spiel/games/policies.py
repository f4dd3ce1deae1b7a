"""Tabular policies on a graph: any OpenSpiel policy as one flat array of probabilities.

The array has one entry per legal action of each information set, in the graph's order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel
from open_spiel.python import policy as openspiel_policy

from nash_ismcts_spiel.games.graph import GameGraph

Rows = Mapping[str, Mapping[int, float] | Sequence[tuple[int, float]]]
"""{information state string: {action: probability}} or pairs, as OpenSpiel's tools take it."""


def policy_table(graph: GameGraph, policy: Any) -> npt.NDArray[np.float64]:
    """Probabilities of `policy` at every information set of an enumerated graph. [A]

    Args:
      graph: an enumerated graph.
      policy: an OpenSpiel policy (Python or C++), `Rows`, or such an array.

    Raises:
      ValueError: a row is missing, has NaN or negative entries, or does not add up to 1.
    """
    if isinstance(policy, np.ndarray):
        return _checked_table(graph, policy)
    if not graph.enumerated:
        raise ValueError(f"a policy table needs an enumerated graph of {graph.game.name}")
    sets = graph.information_sets
    table = np.zeros(len(sets.action))
    for information_set in range(len(sets)):
        state = graph.state(sets.first_world[information_set])
        row = _row(policy, state, sets.player[information_set])
        legal = graph.legal_actions(information_set)
        probabilities = [float(row.get(action, 0.0)) for action in legal]
        if not all(p >= 0.0 for p in probabilities) or abs(sum(probabilities) - 1.0) > 1e-6:
            raise ValueError(
                f"{graph.game.name}: the policy at {graph.key(information_set)} is {dict(row)}, "
                "not a distribution over the legal actions"
            )
        first = sets.first_action[information_set]
        table[first : first + len(legal)] = np.asarray(probabilities) / sum(probabilities)
    return table


def _checked_table(graph: GameGraph, table: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """An array that was given, if it has one distribution per information set."""
    sets = graph.information_sets
    if table.shape != (len(sets.action),):
        raise ValueError(
            f"{graph.game.name}: a policy array needs shape ({len(sets.action)},), "
            f"not {table.shape}"
        )
    checked = np.array(table, dtype=np.float64)
    sums = np.add.reduceat(checked, np.asarray(sets.first_action))
    # Written so that NaN fails.
    if not (np.all(checked >= 0.0) and np.all(np.abs(sums - 1.0) <= 1e-6)):
        raise ValueError(
            f"{graph.game.name}: a policy array must hold one distribution per information set; "
            f"its least entry is {checked.min()}, its rows add up to {sums.min()} to {sums.max()}"
        )
    return checked


def _row(policy: Any, state: Any, player: int) -> Mapping[int, float]:
    if isinstance(policy, Mapping):
        key = state.information_state_string(player)
        if key not in policy:
            raise ValueError(f"the policy has no row for the information state {key!r}")
        return dict(policy[key])
    if not hasattr(policy, "action_probabilities"):
        raise TypeError(f"expected an OpenSpiel policy or a table, not {policy!r}")
    # pyspiel's own policies take the state alone: the player is the one to move there.
    arguments = (state,) if isinstance(policy, pyspiel.Policy) else (state, player)
    row: Mapping[int, float] = policy.action_probabilities(*arguments)
    return row


def named_rows(graph: GameGraph, table: npt.NDArray[np.float64]) -> dict[str, dict[int, float]]:
    """A table as {information state string: {action: probability}}, for OpenSpiel's own tools.

    Raises:
      ValueError: OpenSpiel has one string for two information sets with different probabilities.
    """
    table = policy_table(graph, table)
    rows: dict[str, dict[int, float]] = {}
    sets = graph.information_sets
    for information_set in range(len(sets)):
        state = graph.state(sets.first_world[information_set])
        string = state.information_state_string(sets.player[information_set])
        first, legal = sets.first_action[information_set], graph.legal_actions(information_set)
        row = dict(zip(legal, table[first : first + len(legal)].tolist(), strict=True))
        if rows.setdefault(string, row) != row:
            raise ValueError(
                f"{graph.game.name}: OpenSpiel has one information state string for two "
                f"information sets: {string!r}"
            )
    return rows


class TablePolicy(openspiel_policy.Policy):  # type: ignore[misc]  # open_spiel has no types
    """A table of probabilities as an OpenSpiel policy.

    Attributes:
      rows: {information state string: {action: probability}}.
    """

    def __init__(self, graph: GameGraph, table: npt.NDArray[np.float64]) -> None:
        """Takes a table with one probability per legal action of each information set."""
        super().__init__(graph.game.pyspiel_game, list(range(graph.game.num_players)))
        self.rows = named_rows(graph, table)

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """{action: probability} of the player to move, or of `player_id`."""
        player = state.current_player() if player_id is None else player_id
        return dict(self.rows[state.information_state_string(player)])
