"""Tabular policies on a graph: any OpenSpiel policy as one flat array of probabilities.

The array has one entry per legal action of each information set, in the graph's order. Where
actions are split these are sub-actions: a whole action has the product of the probabilities along
its chain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel
from open_spiel.python import policy as openspiel_policy

from nash_ismcts_spiel.games.graph import GameGraph
from nash_ismcts_spiel.games.merged import MergedGame

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
        choices = graph.whole_actions(information_set)
        probabilities = [float(row.get(action, 0.0)) for action, _ in choices]
        within = bool(sets.within_action[information_set])
        total = sum(probabilities)
        if not all(p >= 0.0 for p in probabilities) or not (within or abs(total - 1.0) <= 1e-6):
            raise ValueError(
                f"{graph.game.name}: the policy at {graph.key(information_set)} is {dict(row)}, "
                "not a distribution over the legal actions"
            )
        first = sets.first_action[information_set]
        legal = graph.legal_actions(information_set)
        entries = dict.fromkeys(legal, 0.0)
        for (_, chain), probability in zip(choices, probabilities, strict=True):
            entries[chain[0]] += probability / total if total > 0.0 else 0.0
        # What follows a sub-action that is never chosen does not matter.
        found = list(entries.values()) if total > 0.0 else graph.uniform_policy(information_set)
        table[first : first + len(legal)] = found
    return table


def rows_at(
    over: GameGraph | MergedGame, table: npt.NDArray[np.float64], states: Sequence[Any]
) -> list[list[tuple[int, float]]]:
    """(action, probability) of the player to move at each state, by a table of whole actions."""
    rows = []
    for state in states:
        found = table[_actions_at(over, state)].tolist()
        rows.append(list(zip(state.legal_actions(), found, strict=True)))
    return rows


def _actions_at(over: GameGraph | MergedGame, state: Any) -> slice:
    if isinstance(over, MergedGame):
        return over.actions_of(over.view_at(state))
    information_set = over.observe(state, state.current_player())
    first = int(over.information_sets.first_action[information_set])
    return slice(first, first + len(state.legal_actions()))


def uniform_table(graph: GameGraph) -> npt.NDArray[np.float64]:
    """The uniform policy over whole actions at every information set. [A]"""
    counts = np.asarray(graph.information_sets.action_count)
    if graph.splitting is None:
        return np.repeat(1.0 / counts, counts)
    return np.concatenate([graph.uniform_policy(number) for number in range(len(counts))])


Policies = Callable[[list[int]], Sequence[Sequence[float]]]
"""Probabilities of the (sub-)actions at each of several information sets."""


def whole_probabilities(
    graph: GameGraph, information_set: int, policies: Policies
) -> dict[int, float]:
    """{action: probability} over pyspiel's actions, sub-action by sub-action.

    Args:
      graph: the graph.
      information_set: where a player is to choose a whole action.
      policies: asked once for each place in a code.
    """
    ways = [(action, chain, 1.0) for action, chain in graph.whole_actions(information_set)]
    found = dict.fromkeys((action for action, _, _ in ways), 0.0)
    level = {information_set: ways}
    while level:
        following: dict[int, list[tuple[int, list[int], float]]] = {}
        for (number, ways), row in zip(level.items(), policies(list(level)), strict=True):
            legal = graph.legal_actions(number)
            for action, chain, probability in ways:
                index = legal.index(chain[0])
                probability *= row[index]
                if len(chain) == 1:
                    found[action] = probability
                else:
                    after = graph.own_next(number, index)
                    following.setdefault(after, []).append((action, chain[1:], probability))
        level = following
    return found


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

    def policies(numbers: list[int]) -> list[list[float]]:
        starts = ((sets.first_action[n], sets.action_count[n]) for n in numbers)
        return [table[first : first + count].tolist() for first, count in starts]

    for information_set in range(len(sets)):
        if sets.within_action[information_set]:
            continue
        state = graph.state(sets.first_world[information_set])
        string = state.information_state_string(sets.player[information_set])
        row = whole_probabilities(graph, information_set, policies)
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


class ViewTablePolicy(openspiel_policy.Policy):  # type: ignore[misc]  # open_spiel has no types
    """A table over the views of a merged game as an OpenSpiel policy: of a state it reads what its
    player sees, and nothing else.
    """

    def __init__(self, merged: MergedGame, table: npt.NDArray[np.float64]) -> None:
        """Takes a table with one probability per legal action of each view."""
        super().__init__(merged.game.pyspiel_game, list(range(merged.game.num_players)))
        self._merged = merged
        self._table = table

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """{action: probability} of the player to move."""
        if player_id not in (None, state.current_player()):
            raise ValueError(f"player {state.current_player()} is to move, not player {player_id}")
        return self._row(self._merged.view_at(state))

    def rows(self) -> dict[str, dict[str, dict[int, float]]]:
        """All of it as {player: {key of the view: {action: probability}}}.

        Raises:
          ValueError: a player has two views with one key, and different legal actions.
        """
        found: dict[str, dict[str, dict[int, float]]] = {}
        for number, view in enumerate(self._merged.views):
            of_player = found.setdefault(str(view.player), {})
            if view.key in of_player:
                raise ValueError(f"{self._merged.game.name}: two views have the key {view.key!r}")
            of_player[view.key] = self._row(number)
        return found

    def _row(self, view: int) -> dict[int, float]:
        row = self._table[self._merged.actions_of(view)]
        return dict(zip(self._merged.views[view].legal_actions, row.tolist(), strict=True))
