"""Rows for the native engine: what searches wait for is fetched here, in batches.

A search asks for rows of the graph (which pyspiel must make) and for rows of the models (which the
evaluator must compute). Exact models of an enumerated graph are computed whole, beforehand.
"""

from __future__ import annotations

import weakref
from array import array
from typing import Any

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.evaluation import ExactEvaluator, Models
from nash_ismcts_spiel.games import DECISION, GameGraph
from nash_ismcts_spiel.games.graph import OWN_NEXT_LIMIT
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.exact import compiled

Ids = npt.NDArray[np.int32]

_CHILD, _HIDDEN, _BRANCH, _OWN_NEXT, _UNSEEN = range(1, 6)
"""What a search may wait for of the graph; the numbers of `Wanted` in simulation.h."""

_EXACT_ROWS: weakref.WeakKeyDictionary[ExactEvaluator, _core.Rows] = weakref.WeakKeyDictionary()


class NativeModels:
    """The models of one evaluator on one graph, as compiled code reads them.

    Attributes:
      graph: the graph that is searched.
      rows: the rows that are there.
      rows_evaluated: how many rows the evaluator was asked for.
      batches: in how many calls.
    """

    def __init__(self, models: Models) -> None:
        """Takes over rows that are there already: those of exact models, and of an evaluator that
        shows them as `native_rows`. Others come when a search waits for them.
        """
        self.graph = models.graph
        self.rows_evaluated = 0
        self.batches = 0
        self._models = models
        ready: _core.Rows | None = getattr(models.evaluator, "native_rows", None)
        if isinstance(models.evaluator, ExactEvaluator):
            self.rows = _exact_rows(models.evaluator)
        elif ready is not None:
            self.rows = ready
        else:
            self.rows = _core.Rows()
            if models.world_values is not None:
                self.rows.put_world_values(models.graph, models.world_values)

    def provide(self, of_graph: Ids, sets: Ids, samples: Ids) -> None:
        """Makes rows of the graph that are waited for; if there are none, rows of the models.

        The graph goes first, and then the kind of rows that more searches wait for: the others
        wait on until theirs is the larger batch.

        Args:
          of_graph: (what, row, index), each once. [requests, 3]
          sets: information sets, each once.
          samples: SAMPLE nodes, each once.
        """
        if len(of_graph) > 0:
            for kind, row, index in of_graph.tolist():
                self._provide_graph(kind, row, index)
        elif len(sets) >= len(samples):
            self._provide_sets(sets)
        else:
            self._provide_samples(samples)

    def _provide_graph(self, kind: int, row: int, index: int) -> None:
        if kind == _CHILD:
            self.graph.child(row, index)
        elif kind == _HIDDEN:
            self.graph.hidden(row)
        elif kind == _BRANCH:
            self.graph.branch(row, index)
        elif kind == _OWN_NEXT:
            self.graph.own_next(row, index)
        else:
            assert kind == _UNSEEN
            self.graph.unseen(row, index)

    def _provide_sets(self, ids: Ids) -> None:
        rows = self._models.flat_information_sets(ids.tolist())
        self.rows.put_sets(self.graph, ids, *rows)
        self._count(len(ids))

    def _provide_samples(self, ids: Ids) -> None:
        rows = self._models.flat_samples(ids.tolist())
        self.rows.put_samples(self.graph, ids, *rows)
        self._count(len(ids))

    def _count(self, rows: int) -> None:
        self.rows_evaluated += rows
        self.batches += 1


def resolve(graph: GameGraph) -> None:
    """Resolves all that a search asks of an enumerated graph: at once if nothing was asked yet."""
    if len(graph.samples) > 0:
        _resolve_rest(graph)
        return
    columns = _core.prefix_trees(graph, OWN_NEXT_LIMIT)
    for name, column in columns.items():
        table: Any = {"hidden": graph.information_sets, "own_next": graph.information_sets}.get(
            name, graph.worlds if name == "unseen" else graph.samples
        )
        setattr(table, name, array("i", column.tobytes()))


def _resolve_rest(graph: GameGraph) -> None:
    """Row by row, since rows that somebody may know by number must stay."""
    for information_set, actions in enumerate(graph.information_sets.action_count):
        for _ in graph.worlds_of(information_set):
            pass
        for action in range(actions):
            graph.own_next(information_set, action)
    for world, kind in enumerate(graph.worlds.kind):
        for player in range(graph.game.num_players):
            if kind == DECISION and graph.worlds.player[world] != player:
                graph.unseen(world, player)


def exact_rows(
    graph: GameGraph, policy: npt.NDArray[np.float64], forgetful: bool = True
) -> _core.Rows:
    """The rows of exact models of `policy` at every information set of an enumerated graph.

    See ExactEvaluator for `forgetful`.
    """
    resolve(graph)
    tools = compiled(graph)
    reaches = [tools.reach(policy, player) for player in range(graph.game.num_players)]
    rows = _core.Rows()
    rows.put_exact(
        graph,
        policy,
        tools.expected_utilities(policy),
        [reach[0] for reach in reaches],
        [reach[1] for reach in reaches],
        forgetful,
    )
    return rows


def _exact_rows(evaluator: ExactEvaluator) -> _core.Rows:
    rows = _EXACT_ROWS.get(evaluator)
    if rows is None:
        rows = _EXACT_ROWS[evaluator] = exact_rows(
            evaluator.graph, evaluator.policy, evaluator.forgetful
        )
    return rows
