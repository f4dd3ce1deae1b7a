"""Search pays: exploitability against visits, around exact, absent and learned models.

Every search is asked once, afresh, at each information set, and an exact best response plays
against what it answers. Exploitability is NashConv / 2 in the game's units, of search seeds 201 to
203, none of which chose a setting. Ours counts `visits` at each decision point of a player's log,
the others' too; `simulations` are all of them that an answer rests on, mean over information sets.
CPU seconds are those of one answer out of the blue, models not counted. Peers are at their best
(`peers.py`).

    python -m benchmarks.search_pays --panels exact untrained
    python -m benchmarks.search_pays --panels learned --pretrained --runs out/trained/*.safetensors
    python -m benchmarks.search_pays --page

`exact`: H, V and Vc of CFR's averages. `untrained`: random rollouts. `learned`: the networks of the
package (--pretrained) and of runs. Each measurement is a line of
docs/results/search_pays/records.jsonl, and is not made again. The page and its figures are made of
these, and of the records of phantom_ttt in docs/results/beyond_enumeration.
"""

from __future__ import annotations

import argparse
import functools
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks import peers
from benchmarks.stored import RESULTS
from benchmarks.timing import report
from nash_ismcts_spiel import SearchConfig, make_bot
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.merged import merged_game
from nash_ismcts_spiel.games.policies import uniform_table
from nash_ismcts_spiel.models import ExactEvaluator, RolloutEvaluator
from nash_ismcts_spiel.models.forest_models import ForestModels
from nash_ismcts_spiel.models.networks import saved
from nash_ismcts_spiel.models.protocol import graph_of
from nash_ismcts_spiel.models.tables import ALL_PARTS, NOTHING, Part, forest_models
from nash_ismcts_spiel.native import _core, exact
from nash_ismcts_spiel.native.forest import ForestEngine, search_everywhere
from nash_ismcts_spiel.registry import checkpoint_evaluator
from nash_ismcts_spiel.runs.config import read_config

Floats = npt.NDArray[np.float64]

FOLDER = RESULTS / "search_pays"
RECORDS = FOLDER / "records.jsonl"
SEEDS = (201, 202, 203)
VISITS = (10, 100, 1000, 10_000)

GAMES = {
    "kuhn": "kuhn_poker",
    "leduc": "leduc_poker",
    "liars_1x4": "liars_dice(numdice=1,dice_sides=4)",
    "goofspiel_4": "goofspiel(imp_info=True,num_cards=4,points_order=descending)",
    "liars_1x6": "liars_dice(numdice=1,dice_sides=6)",
}
EXACT = {"leduc": (30, 100), "liars_1x4": (30,), "kuhn": (10, 100)}
"""Iterations of CFR whose average P is, by game."""
UNTRAINED = ("kuhn", "leduc", "liars_1x4", "goofspiel_4")
OURS, P, ISMCTS, MO, OOS = "nash_ismcts", "P", "ismcts", "mo_ismcts", "oos"
PARTS: dict[str, frozenset[Part]] = {
    "learned H": frozenset({"H"}),
    "learned V": frozenset({"V"}),
    "learned Vc": frozenset({"Vc"}),
    "learned H, V, Vc": ALL_PARTS,
}
"""Our search with parts of the networks in place of what follows exactly from their P."""
LOGS = {"last 2 points": 2, "last 4 points": 4, "whole log": 1000}
"""Our search over so many of the last decision points of a log; the bot walks up to eight."""
LITERAL = ("nash_ismcts_notes", "a_ismcts")
"""The notes' literal search, and the same with radius 0, which is AlphaZero's."""
_BOTS_LOG = 8
_TIMED = 6
"""Information sets at which an answer out of the blue is timed."""
_VIEWS_LIKE_SETS = "information_state"


class Source(NamedTuple):
    """Models to search with.

    Attributes:
      panel: exact, untrained or learned.
      game: its key in GAMES.
      name: of the models.
      graph: the enumerated game.
      evaluator: the models.
    """

    panel: str
    game: str
    name: str
    graph: GameGraph
    evaluator: Any


class Answer(NamedTuple):
    """What a search plays at all information sets.

    Attributes:
      exploitability: of that.
      simulations: behind one answer.
      cpu_seconds: of one answer.
      setting: of the search, in words.
    """

    exploitability: float
    simulations: float
    cpu_seconds: float
    setting: str = ""


@functools.lru_cache(maxsize=8)
def _graph(game: str) -> GameGraph:
    graph = GameGraph.enumerate(GAMES[game])
    graph.resolve()
    return graph


def exact_sources(games: Sequence[str]) -> Iterator[Source]:
    """Exact models of CFR's averages."""
    for game in games:
        for iterations in EXACT.get(game, ()):
            graph = _graph(game)
            solver = exact.CfrSolver(graph)
            solver.run(iterations)
            models = ExactEvaluator(graph, solver.average_policy())
            yield Source("exact", game, f"CFR {iterations}", graph, models)


def untrained_sources(games: Sequence[str]) -> Iterator[Source]:
    """Random rollouts."""
    for game in games:
        if game in UNTRAINED:
            yield Source("untrained", game, "rollouts", _graph(game), RolloutEvaluator())


def learned_sources(games: Sequence[str], options: argparse.Namespace) -> Iterator[Source]:
    """Networks of the package and of runs."""
    for game in games if options.pretrained else ():
        found = checkpoint_evaluator("pretrained", support(GAMES[game]))
        yield Source("learned", game, "pretrained", graph_of(found) or _graph(game), found)
    names = {support(name).name: game for game, name in GAMES.items()}
    for path in options.runs:
        of_game = read_config(path)["game"] if path.is_dir() else saved.load(path).game
        game = names.get(str(of_game), "")
        if game in games:
            found = checkpoint_evaluator(path, GAMES[game])
            name = path.name.removesuffix(".safetensors")
            yield Source("learned", game, name, graph_of(found) or _graph(game), found)


def searched(source: Source, visits: int, seed: int) -> Answer:
    """Our search."""
    models = forest_models(source.graph, source.evaluator)
    policy = search_everywhere(models, visits, seed)
    sets = len(source.graph.information_sets)
    engine = ForestEngine(models, SearchConfig(visits=visits), seed)
    spent, asked = 0.0, range(0, sets, -(-sets // _TIMED))
    for number in asked:
        engine.forget()
        started = time.process_time()
        engine.search(number)
        spent += time.process_time() - started
    found = exact.exploitability(source.graph, policy)
    return Answer(found, visits * _points(models), spent / len(asked))


def varied(source: Source, agent: str, visits: int, seed: int) -> Answer:
    """Our search, with other models or another part of the log; it is not timed."""
    models = forest_models(source.graph, source.evaluator, learned=PARTS.get(agent, NOTHING))
    longest = LOGS.get(agent, _BOTS_LOG)
    policy = _core.forest_everywhere(
        models.arena, models.native(), models.settings(seed), visits, longest_log=longest
    )
    found = exact.exploitability(source.graph, policy)
    return Answer(found, visits * _points(models, longest), 0.0)


def _points(models: ForestModels, longest: int = _BOTS_LOG) -> float:
    """The decision points behind an answer, mean over information sets."""
    sets = len(models.graph.information_sets)
    return float(np.mean([len(models.arena.log(number, longest)) for number in range(sets)]))


def literal(source: Source, bot: str, visits: int, seed: int) -> Answer:
    """The notes' search; simulations are visits of its root."""
    made = make_bot(bot, source.graph.game, evaluator=source.evaluator, visits=visits, seed=seed)
    return _answer(source.graph, peers.everywhere(source.graph, made), visits)


def peer(source: Source, name: str, simulations: int, seed: int) -> Answer:
    """A peer at its best."""
    graph = source.graph
    if name == ISMCTS:
        setting = peers.least_exploitable(graph, simulations)
        found = peers.ismcts_everywhere(graph, setting, simulations, seed)
        return _answer(graph, found, simulations, setting.words())
    if name == OOS:
        way = peers.least_exploitable_oos(graph, simulations)
        found = way.everywhere(graph, simulations, seed)
        return _answer(graph, found, simulations, way.words())
    merged = merged_game(graph.game, _VIEWS_LIKE_SETS)
    best = peers.least_exploitable_mo(merged, simulations)
    started = time.process_time()
    policy = best.policy(merged, simulations, seed)
    spent = (time.process_time() - started) / len(merged.views)
    gains = exact.merged_nash_conv(merged, policy)[0]
    return Answer(gains.exploitability, simulations, spent, best.words())


def _answer(
    graph: GameGraph, found: peers.Everywhere, simulations: int, setting: str = ""
) -> Answer:
    spent = found.cpu_seconds / len(graph.information_sets)
    return Answer(exact.exploitability(graph, found.policy), simulations, spent, setting)


def policy_of(source: Source) -> Floats:
    """P: what is played without search."""
    if source.panel == "untrained":
        return uniform_table(source.graph)
    return forest_models(source.graph, source.evaluator).policy


def records() -> list[dict[str, Any]]:
    """All that is stored."""
    if not RECORDS.exists():
        return []
    return [json.loads(line) for line in RECORDS.read_text(encoding="utf-8").splitlines()]


def measure(source: Source, agent: str, visits: int, seed: int) -> None:
    """Makes and stores one measurement, unless it is there."""
    key = {
        "panel": source.panel,
        "game": source.game,
        "source": source.name,
        "agent": agent,
        "visits": visits,
        "seed": seed,
    }
    if any(key.items() <= record.items() for record in records()):
        return
    if agent == P:
        found = Answer(exact.exploitability(source.graph, policy_of(source)), 0, 0.0)
    elif agent == OURS:
        found = searched(source, visits, seed)
    elif agent in PARTS or agent in LOGS:
        found = varied(source, agent, visits, seed)
    elif agent in LITERAL:
        found = literal(source, agent, visits, seed)
    else:
        found = peer(source, agent, visits, seed)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with RECORDS.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**key, **found._asdict()}) + "\n")
    report(f"{' '.join(map(str, key.values()))}: {found.exploitability:.4f}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures what is missing, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    panels = ("exact", "untrained", "learned")
    parser.add_argument("--panels", nargs="*", choices=panels, default=[])
    parser.add_argument("--games", nargs="+", choices=list(GAMES), default=list(GAMES))
    parser.add_argument("--agents", nargs="+", default=[OURS], help="beside P; default: ours")
    parser.add_argument("--visits", nargs="+", type=int, default=list(VISITS))
    parser.add_argument("--seeds", nargs="+", type=int, default=list(SEEDS))
    parser.add_argument(
        "--runs", nargs="*", type=Path, default=[], help="directories, or files of saved models"
    )
    parser.add_argument("--pretrained", action="store_true", help="the networks of the package")
    parser.add_argument("--page", action="store_true", help="write the page from what is stored")
    parser.add_argument("--no-page", action="store_true", help="measure and store only")
    options = parser.parse_args(arguments)
    sources: list[Source] = []
    for panel in options.panels:
        if panel == "learned":
            sources += learned_sources(options.games, options)
        else:
            made = exact_sources if panel == "exact" else untrained_sources
            sources += made(options.games)
    for source in sources:
        measure(source, P, 0, 0)
        for agent in options.agents:
            for visits in options.visits:
                for seed in options.seeds:
                    measure(source, agent, visits, seed)
    if options.no_page:
        return
    from benchmarks.search_pays_page import write_page

    write_page(records(), RESULTS)


if __name__ == "__main__":
    main()
