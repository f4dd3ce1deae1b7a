"""What the tests of the page share: Kuhn poker's equilibrium as models, tables and servers."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.models import (
    Evaluator,
    ExactEvaluator,
    InformationSetRow,
    RolloutEvaluator,
    SampleRow,
)
from nash_ismcts_spiel.page.api import Application, Start
from nash_ismcts_spiel.page.inspection import Inspection
from nash_ismcts_spiel.page.server import PageServer
from nash_ismcts_spiel.page.table import Table

ALPHA = 1 / 3
KUHN_BETS = {
    "0": ALPHA, "1": 0.0, "2": 3 * ALPHA, "0p": 1 / 3, "1p": 0.0, "2p": 1.0,
    "0b": 0.0, "1b": 1 / 3, "2b": 1.0, "0pb": 0.0, "1pb": ALPHA + 1 / 3, "2pb": 1.0,
}  # fmt: skip
"""Kuhn (1950): an equilibrium by the probability to bet or call."""


def kuhn_exact() -> ExactEvaluator:
    """Exact models of the equilibrium."""
    policy = {key: {0: 1.0 - bet, 1: bet} for key, bet in KUHN_BETS.items()}
    return ExactEvaluator("kuhn_poker", policy)


class KuhnPrior:
    """P is the equilibrium, and H knows nothing of it: all that is possible is alike."""

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        rows = []
        for number in information_sets:
            shown = graph.key(number).log[-1][1].split("\n")[0]
            rows.append(InformationSetRow([1 - KUHN_BETS[shown], KUHN_BETS[shown]], 0.0, [0.0] * 2))
        return rows

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        found = [graph.prior_weights(node) for node in sample_nodes]
        return [SampleRow(beliefs, [[0.0] * len(beliefs)] * 2) for beliefs in found]


def inspection(
    name: str, evaluator: Evaluator | None = None, bayes: bool = True, **changes: Any
) -> Inspection:
    models = evaluator or RolloutEvaluator(seed=0)
    return Inspection(support(name), models, SearchConfig(**changes), bayes)


def table(
    name: str, seat: int | None = None, seed: int = 0, visits: int = 20, bayes: bool = True
) -> Table:
    game, config = support(name), SearchConfig(visits=visits)
    models = RolloutEvaluator(seed=0)

    def make(at: int, bot_seed: int) -> NashIsmctsBot:
        return NashIsmctsBot(game.pyspiel_game, at, models, config, bot_seed)

    return Table(game, make, Inspection(game, models, config, bayes), seat, seed)


@contextlib.contextmanager
def served(name: str, evaluator: Evaluator | None = None, **start: Any) -> Iterator[PageServer]:
    """A page that is being served."""
    game, models, config = support(name), evaluator or RolloutEvaluator(seed=0), SearchConfig()
    inspected = Inspection(game, models, config)

    def make(at: int, seed: int) -> NashIsmctsBot:
        return NashIsmctsBot(game.pyspiel_game, at, models, config, seed)

    def make_table() -> Table:
        return Table(game, make, inspected, None, 0)

    with PageServer(Application(inspected, make_table, Start(**start))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
