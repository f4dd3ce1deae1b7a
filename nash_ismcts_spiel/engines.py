"""What a bot searches with: the graph of its game, its models there, and the engine.

Which search answers where is decided here alone, in this order:

1. `search="notes"`, or nothing is hidden: the notes' literal search.
2. The game is enumerated: the search with soft ties, by the models of P or, untrained, by games
   from uniform play. It converges: more visits make it harder to exploit.
3. Larger games, nothing trained: the forest on live states, which wins more matches there than a
   search that has to know beliefs and values of worlds.
4. Larger games with models of P: the literal search.
"""

from __future__ import annotations

from typing import NamedTuple

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import GameGraph, SupportedGame
from nash_ismcts_spiel.games.splitting import SplitActions, fingerprint, splitting_of
from nash_ismcts_spiel.games.whole import whole_graph
from nash_ismcts_spiel.models import Evaluator, Models, RolloutEvaluator
from nash_ismcts_spiel.models.protocol import graph_of, hidden_order_of, split_actions_of
from nash_ismcts_spiel.models.tables import forest_models
from nash_ismcts_spiel.native.engine import NativeEngine
from nash_ismcts_spiel.native.forest import ForestEngine
from nash_ismcts_spiel.native.state_forest import StateForestEngine
from nash_ismcts_spiel.search import ReferenceEngine

LiteralEngine = NativeEngine | ReferenceEngine


class Equipment(NamedTuple):
    """A graph, the models over it, and the engine that searches with both."""

    graph: GameGraph
    models: Models
    engine: LiteralEngine | ForestEngine | StateForestEngine


def equip(game: SupportedGame, evaluator: Evaluator, config: SearchConfig, seed: int) -> Equipment:
    """Graph, models and engine for a bot.

    Raises:
      ValueError: the evaluator's models are of another game or were made for other settings.
    """
    graph = _graph(game, evaluator, config)
    models = Models(graph, evaluator)
    hides = _has_forest(game, config)
    if hides and graph.enumerated:
        forest = ForestEngine(forest_models(graph, evaluator), config, seed)
        return Equipment(graph, models, forest)
    if hides and type(evaluator) is RolloutEvaluator:
        return Equipment(graph, models, StateForestEngine(models, config, seed))
    literal = NativeEngine if config.engine == "native" else ReferenceEngine
    return Equipment(graph, models, literal(models, config))


def _graph(game: SupportedGame, evaluator: Evaluator, config: SearchConfig) -> GameGraph:
    """The evaluator's graph, a whole one for the forest, or one that grows."""
    graph = graph_of(evaluator)
    if graph is not None and not graph.game.is_same_as(game):
        raise ValueError(
            f"the evaluator's models are of {graph.game.name}, the bot plays {game.name}"
        )
    needed = split_actions_of(evaluator) if graph is None else graph.split_actions
    split = _split_actions(game, needed, config.split_actions)
    order, made_for = config.hidden_order, hidden_order_of(evaluator)
    if made_for not in (None, order):
        raise ValueError(
            f"hidden_order is {order!r}, but the evaluator's models of {game.name} "
            f"were made with {made_for!r}"
        )
    if graph is None and _has_forest(game, config):
        graph = whole_graph(game, config.max_worlds, split, order)
    return GameGraph(game, split, order) if graph is None else graph


def _has_forest(game: SupportedGame, config: SearchConfig) -> bool:
    """Where nothing is hidden, nobody needs to mix."""
    return config.search == "forest" and not game.perfect_information


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
