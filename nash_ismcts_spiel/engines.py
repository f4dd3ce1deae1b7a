"""What a bot searches with: the graph of its game, its models there, and the engine.

Which search answers where is decided here alone, in this order:

1. `search="notes"`, or nothing is hidden: the notes' literal search.
2. The game is enumerated: the search with soft ties, by the models of P or, untrained, by games
   from uniform play. More visits make it harder to exploit, as a rule: docs/limits.md.
3. Larger games whose histories merge: the same over views.
4. Larger games, nothing trained: the forest on live states, which wins more matches there than a
   search that has to know beliefs and values of worlds. Its limit is not an equilibrium: in Leduc
   poker (`max_worlds=1000`, seeds 401, 402) its exploitability is .90 / .63 after 100 / 1,000
   visits, that of soft ties .70 / .36.
5. Larger games with models of P: the literal search.

The number of visits follows from it where none is set.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import GameGraph, SupportedGame
from nash_ismcts_spiel.games.merged import MergedGame, game_over_views
from nash_ismcts_spiel.games.splitting import SplitActions, fingerprint, splitting_of
from nash_ismcts_spiel.games.whole import whole_graph
from nash_ismcts_spiel.models import Evaluator, Models, RolloutEvaluator
from nash_ismcts_spiel.models.protocol import graph_of, split_actions_of
from nash_ismcts_spiel.models.tables import forest_models
from nash_ismcts_spiel.models.view_models import takes_views, view_models
from nash_ismcts_spiel.native.engine import NativeEngine
from nash_ismcts_spiel.native.forest import ForestEngine
from nash_ismcts_spiel.native.state_forest import StateForestEngine
from nash_ismcts_spiel.search import ReferenceEngine

LiteralEngine = NativeEngine | ReferenceEngine
AnyEngine = LiteralEngine | ForestEngine | StateForestEngine


class Equipment(NamedTuple):
    """A graph, the models over it, the engine that searches with both, and its settings."""

    graph: GameGraph
    models: Models
    engine: AnyEngine
    config: SearchConfig
    merged: MergedGame | None = None  # whose views the engine searches


def equip(game: SupportedGame, evaluator: Evaluator, config: SearchConfig, seed: int) -> Equipment:
    """Graph, models and engine for a bot.

    The forest's models are made when it first searches: an evaluator may fail there, and be mended.

    Raises:
      ValueError: the evaluator's models are of another game or were made for other settings.
    """
    graph = _graph(game, evaluator, config)
    models = Models(graph, evaluator)
    hides = _has_forest(game, config)
    if hides and graph.enumerated:
        config = config.with_visits("tables")
        forest = ForestEngine(functools.partial(forest_models, graph, evaluator), config, seed)
        return Equipment(graph, models, forest, config)
    merged = _over_views(graph, evaluator, config)
    if merged is not None:
        config = config.with_visits("views")
        forest = ForestEngine(functools.partial(view_models, merged, evaluator), config, seed)
        return Equipment(graph, models, forest, config, merged)
    if hides and type(evaluator) is RolloutEvaluator:
        config = config.with_visits("states")
        return Equipment(graph, models, StateForestEngine(models, config, seed), config)
    config = config.with_visits("notes")
    literal = NativeEngine if config.engine == "native" else ReferenceEngine
    return Equipment(graph, models, literal(models, config), config)


def _graph(game: SupportedGame, evaluator: Evaluator, config: SearchConfig) -> GameGraph:
    """The evaluator's graph, a whole one for the forest, or one that grows."""
    graph = graph_of(evaluator)
    if graph is not None and not graph.game.is_same_as(game):
        raise ValueError(
            f"the evaluator's models are of {graph.game.name}, the bot plays {game.name}"
        )
    needed = split_actions_of(evaluator) if graph is None else graph.split_actions
    split = _split_actions(game, needed, config.split_actions)
    if graph is None and _has_forest(game, config):
        graph = whole_graph(game, config.max_worlds, split)
    return GameGraph(game, split) if graph is None else graph


def _has_forest(game: SupportedGame, config: SearchConfig) -> bool:
    """Where nothing is hidden, nobody needs to mix."""
    return config.search == "forest" and not game.perfect_information


def _over_views(graph: GameGraph, evaluator: Evaluator, config: SearchConfig) -> MergedGame | None:
    """The game over views, where it can be searched so."""
    whole_actions = graph.splitting is None and takes_views(evaluator)
    if not (whole_actions and _has_forest(graph.game, config)):
        return None
    return game_over_views(graph.game, config.max_worlds)


def _split_actions(
    game: SupportedGame, needed: SplitActions | None, asked: SplitActions
) -> SplitActions:
    """How actions are split, which models were made for."""
    split = asked if needed is None or asked != "auto" else needed
    if needed not in (None, split):
        kinds = [fingerprint(splitting_of(game, each)) for each in (needed, asked)]
        if kinds[0] != kinds[1]:
            raise ValueError(
                f"split_actions is {asked!r}, but the evaluator's models of {game.name} "
                f"were made with {needed!r}"
            )
    return split
