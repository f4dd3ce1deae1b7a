"""Exact exploitability of searching bots in games of ten billion histories.

Each bot plays by views: what its player sees, whatever the order in which it came. The search with
soft ties does so by itself (`search_views`); others are searched once per view at the history that
represents it (`harness.ViewBot`, or many views side by side with the networks that come with the
package). All are answered by an exact best response with perfect recall (`measure(...,
engine="merged")`). Exploitability is NashConv / 2, in the game's units, of the policy of one search
per view; with `--mixture` also of the mean policy over all seeds, which is what an opponent meets
who does not know the seed of each search.

    python -m benchmarks.beyond_enumeration --games phantom_ttt --visits 100,1000
    python -m benchmarks.beyond_enumeration --agents forest,untrained --seeds 0,1,2
    python -m benchmarks.beyond_enumeration --agents mo_ismcts --seeds 0,1,2 --mixture
    python -m benchmarks.beyond_enumeration --agents sweeps --visits 10,100,1000
    python -m benchmarks.beyond_enumeration --stored    # makes all stored points again: hours
    python -m benchmarks.beyond_enumeration --page

Each point is one file in docs/results/beyond_enumeration; points that are there are not made again.
The page docs/results/beyond_enumeration.md is made of all files.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from open_spiel.python import policy as openspiel_policy

from benchmarks.stored import RESULTS as ALL
from benchmarks.stored import write_record
from benchmarks.view_policies import Floats, searched_standard_views
from exploitability import measure
from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.games.merged import MergedGame, merged_game
from nash_ismcts_spiel.harness import ViewBot
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.view_loop import ViewLoop
from nash_ismcts_spiel.models import UniformEvaluator
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.models.view_models import policy_over_views, view_models
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.exact import merged_ismcts
from nash_ismcts_spiel.native.forest import search_views
from nash_ismcts_spiel.registry import checkpoint_evaluator, make_bot

RESULTS = ALL / "beyond_enumeration"
PAGE = ALL / "beyond_enumeration.md"

GAMES = {
    "phantom_ttt": "phantom_ttt",
    "dark_hex": "dark_hex(board_size=3)",
    "phantom_abrupt": "phantom_ttt(gameversion=abrupt)",
    "dark_hex_abrupt": "dark_hex(board_size=3,gameversion=adh)",
}


@dataclasses.dataclass(frozen=True)
class Agent:
    """A search that is measured.

    Attributes:
      bot: its name in the registry.
      words: what the page calls it.
      changes: settings beside the visits.
      learned: it searches with the pretrained networks, and one of the views that a turn or a
        reflection of the board makes alike, and plays the others like it.
    """

    bot: str
    words: str
    changes: dict[str, Any] = dataclasses.field(default_factory=dict)
    learned: bool = False


AGENTS = {
    "forest": Agent("nash_ismcts", "Nash-ISMCTS, pretrained networks", learned=True),
    "untrained": Agent("nash_ismcts", "Nash-ISMCTS without networks (P uniform)"),
    "notes": Agent("nash_ismcts_notes", "the notes' literal search (radius 0.05), rollouts"),
    "mt_ismcts": Agent("mt_ismcts", "ISMCTS with a tree for each player (UCB), rollouts"),
    "mt_ismcts_visits": Agent(
        "mt_ismcts", "the same with the policy of all visits, rollouts", {"lcb_width": 100.0}
    ),
    "notes_learned": Agent(
        "nash_ismcts_notes", "the notes' literal search, pretrained networks", learned=True
    ),
    "radius_0_learned": Agent(
        "a_ismcts", "AlphaZero's search (radius 0), pretrained networks", learned=True
    ),
}
UNIFORM, CFR, POLICY, MO_ISMCTS = "uniform", "cfr_plus", "learned_p", "mo_ismcts"
SWEEPS, EVENED = "sweeps", "evened_p"
POLICIES = {
    POLICY: "P of the pretrained networks alone",
    EVENED: "The same, evened out where a view is its own image on a turned board",
}
"""Policies without search."""
OPENSPIEL = "ismcts"
EXPLORATION = 1.4
"""UCB1's constant of MO-ISMCTS; utilities are from -1 to 1."""
PEERS = {
    MO_ISMCTS: "MO-ISMCTS (UCB, trees that grow together), policy of all visits, rollouts",
    OPENSPIEL: "OpenSpiel's IS-MCTS (one tree, UCB) with our resampler, rollouts, board turned",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Makes the points that are missing, then the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", default="phantom_ttt", help="of " + ", ".join(GAMES))
    parser.add_argument(
        "--agents", default=",".join([UNIFORM, CFR, SWEEPS, *POLICIES, *PEERS, *AGENTS])
    )
    parser.add_argument("--visits", default="100,300,1000")
    parser.add_argument("--seeds", default="0")
    parser.add_argument(
        "--mixture", action="store_true", help="measure the mean policy over all seeds, too"
    )
    parser.add_argument("--page", action="store_true", help="write the page from what is stored")
    parser.add_argument("--again", action="store_true", help="make stored points again")
    parser.add_argument("--stored", action="store_true", help="make all that is stored again")
    given = parser.parse_args(arguments)
    if given.stored:
        _make_stored_again()
    elif not given.page:
        for visits in _numbers(given.visits):
            for game in given.games.split(","):
                for agent in given.agents.split(","):
                    seeds = _numbers(given.seeds)
                    if given.mixture:
                        _mixture(game, agent, visits, seeds, given.again)
                        continue
                    for seed in seeds:
                        _point(game, agent, visits, seed, given.again)
    from benchmarks.beyond_enumeration_page import write_page

    words = {name: agent.words for name, agent in AGENTS.items()}
    write_page(RESULTS, PAGE, GAMES, POLICIES, {**PEERS, **words})


def _make_stored_again() -> None:
    """Makes every point that has a file; those of a mixture together with it."""
    paths = sorted(RESULTS.glob("*.json"))
    mixtures = {path.stem.rpartition("-")[0] for path in paths if path.stem.endswith("-mix")}
    for path in paths:
        point, _, last = path.stem.rpartition("-")
        game, agent, visits = point.split("-")
        if last == "mix":
            seeds = json.loads(path.read_text())["seed"]
            _mixture(game, agent, int(visits), seeds, again=True)
        elif point not in mixtures:
            _point(game, agent, int(visits), int(last), again=True)


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _point(game: str, agent: str, visits: int, seed: int, again: bool = False) -> None:
    """Measures one agent, unless its file is there."""
    if agent in (UNIFORM, *POLICIES):
        visits, seed = 0, 0
    if agent in (CFR, SWEEPS):
        seed = 0
    path = RESULTS / f"{game}-{agent}-{visits}-{seed}.json"
    if path.exists() and not again:
        return
    merged = merged_game(GAMES[game])
    started = time.process_time()
    source = _source(merged, agent, visits, seed)
    _measured(path, merged, source, agent, visits, seed, started)


def _mixture(game: str, agent: str, visits: int, seeds: Sequence[int], again: bool) -> None:
    """Measures each seed and the mean of their policies, unless that file is there."""
    path = RESULTS / f"{game}-{agent}-{visits}-mix.json"
    if path.exists() and not again:
        return
    merged = merged_game(GAMES[game])
    policies, started = [], time.process_time()
    for seed in seeds:
        begun = time.process_time()
        policies.append(_table(merged, _source(merged, agent, visits, seed)))
        single = RESULTS / f"{game}-{agent}-{visits}-{seed}.json"
        _measured(single, merged, policies[-1], agent, visits, seed, begun)
    _measured(path, merged, np.mean(policies, axis=0), agent, visits, list(seeds), started)


def _table(merged: MergedGame, source: Any) -> Floats:
    """The policy of a source at all views, end to end."""
    if isinstance(source, np.ndarray):
        return source
    asked = range(len(merged.views))
    answers = [source.get_policy(merged.state_of(view)) for view in asked]
    return np.array([probability for answer in answers for _, probability in answer])


def _measured(
    path: Path,
    merged: MergedGame,
    source: Any,
    agent: str,
    visits: int,
    seed: int | list[int],
    started: float,
) -> None:
    """Stores the exploitability of one policy; several seeds are those of a mixture."""
    found = measure(merged.game.pyspiel_game, source, engine="merged")
    row = {
        **found.as_dict(),
        "agent": agent,
        "visits": visits,
        "seed": seed,
        "cpu_seconds": time.process_time() - started,
    }
    RESULTS.mkdir(parents=True, exist_ok=True)
    write_record(path, row)
    print(f"{path.stem}: {found.exploitability:.6f}, {row['cpu_seconds']:.0f} CPU s", flush=True)


def _source(merged: MergedGame, agent: str, visits: int, seed: int) -> Any:
    if agent == UNIFORM:
        return openspiel_policy.UniformRandomPolicy(merged.game.pyspiel_game)
    if agent == CFR:
        solver = _core.MergedCfr(merged.native)
        solver.run(visits)
        return solver.average_policy()
    if agent == SWEEPS:
        loop = ViewLoop(merged, TrainingConfig())
        for _ in range(visits):
            loop.step()
        return loop.models.policy()
    if agent == MO_ISMCTS:
        return merged_ismcts(merged, visits, EXPLORATION, seed)
    if agent == OPENSPIEL:
        game = merged.game.pyspiel_game
        return ViewBot(
            merged,
            0,
            lambda player, seed: _openspiel(game, player, seed, visits),
            seed,
            turned=True,
        )
    if agent == POLICY:
        return policy_over_views(merged, _networks(merged))
    if agent == EVENED:
        return view_models(merged, _networks(merged)).policy
    chosen = AGENTS[agent]
    if chosen.bot == "nash_ismcts":
        models = view_models(merged, _networks(merged) if chosen.learned else UniformEvaluator())
        return search_views(models, visits, seed)
    if chosen.learned:
        config = SearchConfig.preset(chosen.bot, visits=visits, **chosen.changes)
        return np.concatenate(searched_standard_views(merged, _networks(merged), config, seed))
    game, changes = merged.game.pyspiel_game, {**chosen.changes, "visits": visits}
    return ViewBot(
        merged, 0, lambda player, own: make_bot(chosen.bot, game, player, seed=own, **changes), seed
    )


def _openspiel(game: Any, player: int, seed: int, simulations: int) -> Any:
    return make_bot("ismcts_openspiel", game, player, seed=seed, simulations=simulations)


def _networks(merged: MergedGame) -> NetworkEvaluator:
    found = checkpoint_evaluator("pretrained", merged.game)
    assert isinstance(found, NetworkEvaluator)
    return found


if __name__ == "__main__":
    main()
