"""Peers at their best: the settings with which they are compared.

ISMCTSBot's constant (.5, 1 and 2 value scales), its final policy (visit shares, most visits) and
its number of worlds (all new, 32) decide how well it plays, and none is best everywhere. So each
comparison takes the best of these twelve, chosen for its game and its budget on seeds of its own,
by what is then compared: by exploitability, or by matches against our untrained bot at equal CPU
time (`equal_cpu.py`), where after each round of deals the better third goes on. Worlds are those of
this package's resampler, on both sides. MO-ISMCTS has the same constants and final policies, and
all worlds; online outcome sampling (OOS) has half, once and twice its usual exploration.

    python -m benchmarks.peers --games leduc_poker --simulations 100 1000
    python -m benchmarks.peers --games leduc_poker euchre --milliseconds 10

Choices are lines of JSON in docs/results/peers.jsonl; what is stored is not chosen again.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import itertools
import json
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.equal_cpu import Maker, calibrated
from benchmarks.stored import RESULTS
from benchmarks.timing import report
from nash_ismcts_spiel import make_bot
from nash_ismcts_spiel.baselines.oos import oos_bot
from nash_ismcts_spiel.baselines.openspiel import FinalPolicy, IsmctsBot
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.merged import MergedGame
from nash_ismcts_spiel.match import BotFactory, round_robin
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.native.exact import merged_ismcts, merged_nash_conv

Floats = npt.NDArray[np.float64]

RECORDS = RESULTS / "peers.jsonl"
EXPLOITABILITY_SEEDS = (301, 302)
MATCH_SEEDS = (301, 302, 303)
"""Of the choice alone; figures that are reported have others."""
FIRST_HANDS = 100
"""Of the first round of matches; each further round has three times as many."""
_ALL_TRIED = 1000
_TRIED_LONG = 4
"""Simulations up to which all settings are measured, and how many of them in longer searches."""
_LONGEST_OOS = 100
_STAY = 3
"""One in so many settings goes on to the next round."""


@dataclasses.dataclass(frozen=True, slots=True)
class Setting:
    """How ISMCTSBot searches.

    Attributes:
      scales: UCT's constant, in value scales.
      final_policy: what is played after a search.
      max_world_samples: worlds of a search; -1 if each simulation has its own.
    """

    scales: float
    final_policy: FinalPolicy
    max_world_samples: int

    def words(self) -> str:
        """The setting in words."""
        worlds = "new worlds" if self.max_world_samples < 0 else f"{self.max_world_samples} worlds"
        final = "most visits" if self.final_policy == "most_visits" else "visit shares"
        return f"c {self.scales:g}, {final}, {worlds}"

    def arguments(self, game: Any) -> dict[str, Any]:
        """For `make_bot`."""
        return {
            "uct_c": self.scales * support(game).value_scale(),
            "final_policy": self.final_policy,
            "max_world_samples": self.max_world_samples,
        }


FINAL_POLICIES: tuple[FinalPolicy, ...] = ("visit_shares", "most_visits")
SETTINGS = tuple(
    itertools.starmap(Setting, itertools.product((0.5, 1, 2), FINAL_POLICIES, (-1, 32)))
)


class Everywhere(NamedTuple):
    """One search at each information set.

    Attributes:
      policy: what is played. [A]
      cpu_seconds: of all searches.
    """

    policy: Floats
    cpu_seconds: float


def everywhere(graph: GameGraph, bot: Any) -> Everywhere:
    """Asks a bot at the first history of each information set, as OpenSpiel's
    `is_mcts_exploitability.py` does, with nothing kept from one to the next.
    """
    policy: list[float] = []
    spent = 0.0
    for world in graph.information_sets.first_world:
        state = graph.state(world)
        started = time.process_time()
        bot.restart()
        found = bot.get_policy(state)
        spent += time.process_time() - started
        policy += [probability for _, probability in found]
    return Everywhere(np.array(policy), spent)


def ismcts_everywhere(
    graph: GameGraph, setting: Setting, simulations: int, seed: int
) -> Everywhere:
    """ISMCTSBot at each information set."""
    given = setting.arguments(graph.game)
    return everywhere(graph, IsmctsBot(graph.game, 0, seed=seed, simulations=simulations, **given))


@dataclasses.dataclass(frozen=True, slots=True)
class MoSetting:
    """How MO-ISMCTS searches: UCB's constant, in value scales, and what is played afterwards."""

    scales: float
    final_policy: FinalPolicy

    def words(self) -> str:
        """The setting in words."""
        final = "most visits" if self.final_policy == "most_visits" else "visit shares"
        return f"c {self.scales:g}, {final}"

    def policy(self, merged: MergedGame, simulations: int, seed: int) -> Floats:
        """One search at each view; one probability per action of each."""
        constant = self.scales * merged.game.value_scale()
        shares = merged_ismcts(merged, simulations, constant, seed)
        if self.final_policy == "visit_shares":
            return shares
        counts = [len(view.legal_actions) for view in merged.views]
        first = np.cumsum([0, *counts[:-1]])
        most = np.maximum.reduceat(shares, first)
        ties = (shares == np.repeat(most, counts)).astype(np.float64)
        return ties / np.repeat(np.add.reduceat(ties, first), counts)


@dataclasses.dataclass(frozen=True, slots=True)
class OosSetting:
    """How OOS searches: its share of uniform play."""

    exploration: float

    def words(self) -> str:
        """The setting in words."""
        return f"exploration {self.exploration:g}"

    def everywhere(self, graph: GameGraph, simulations: int, seed: int) -> Everywhere:
        """One search at each information set."""
        given: dict[str, Any] = {"simulations": simulations, "exploration": self.exploration}
        return everywhere(graph, oos_bot(graph.game, 0, seed=seed, **given))


MO_SETTINGS = tuple(itertools.starmap(MoSetting, itertools.product((0.5, 1, 2), FINAL_POLICIES)))
OOS_SETTINGS = tuple(map(OosSetting, (0.2, 0.4, 0.8)))


def our_maker(game: Any) -> Maker:
    """Our untrained bot by its simulations, for matches."""

    def make(visits: int) -> BotFactory:
        return lambda seat, seed: make_bot("nash_ismcts", game, seat, seed=seed, visits=visits)

    return make


def ismcts_maker(game: Any, setting: Setting) -> Maker:
    """ISMCTSBots by their simulations, for matches."""
    given = setting.arguments(game)

    def make(simulations: int) -> BotFactory:
        return lambda seat, seed: make_bot(
            "ismcts_openspiel", game, seat, seed=seed, simulations=simulations, **given
        )

    return make


@functools.lru_cache(maxsize=64)
def budgets(game: str, worlds: int, milliseconds: float) -> dict[str, int]:
    """Simulations of "ours" and of "peer", with which a move takes so much CPU time; what the peer
    needs depends on its number of worlds.
    """
    setting = Setting(1, "most_visits", worlds)
    makers = {"ours": our_maker(game), "peer": ismcts_maker(game, setting)}
    return calibrated(support(game), makers, milliseconds)


def tune_peer(
    game: str,
    milliseconds: float,
    seeds: Sequence[int] = MATCH_SEEDS,
    first_hands: int = FIRST_HANDS,
) -> Setting:
    """The setting that plays best against our untrained bot with the same CPU time; stored.

    Args:
      game: its name.
      milliseconds: CPU time of a move.
      seeds: of the rounds of deals.
      first_hands: of the first round.
    """
    key = {"game": support(game).name, "by": "matches", "cpu_ms": milliseconds}
    stored: Setting | None = _stored(key, Setting)
    if stored is not None:
        return stored
    left, scores, hands = list(SETTINGS), [], first_hands
    for seed in seeds:
        scores = [_score(game, setting, milliseconds, hands, seed) for setting in left]
        best = np.argsort(scores)[::-1][: -(-len(left) // _STAY)]
        left, scores = [left[k] for k in best], [scores[k] for k in best]
        hands *= _STAY
    _store(key, left[0], list(seeds), [(left[0], scores[0])])
    return left[0]


def _score(game: str, setting: Setting, milliseconds: float, hands: int, seed: int) -> float:
    """What a setting wins of our bot, per game."""
    found = budgets(game, setting.max_world_samples, milliseconds)
    players = {
        "peer": ismcts_maker(game, setting)(found["peer"]),
        "ours": our_maker(game)(found["ours"]),
    }
    (pairing,) = round_robin(support(game), players, hands, seed)
    report(f"{game}, {hands} hands: {setting.words()}: {pairing.difference:+.3f}")
    return pairing.difference


def least_exploitable(
    graph: GameGraph, simulations: int, seeds: Sequence[int] = EXPLOITABILITY_SEEDS
) -> Setting:
    """The setting of ISMCTSBot that is least exploitable, by one search per information set.

    Of long searches only the settings are tried that are best in searches of a tenth.
    """
    key = {"game": graph.game.name, "by": "exploitability", "simulations": simulations}
    tried = SETTINGS
    if simulations > _ALL_TRIED and _stored(key, Setting) is None:
        least_exploitable(graph, simulations // 10, seeds)
        tried, seeds = _best_of(graph.game.name, simulations // 10), seeds[:1]

    def measured(setting: Setting, seed: int) -> float:
        found = ismcts_everywhere(graph, setting, simulations, seed)
        return exact.exploitability(graph, found.policy)

    found: Setting = _least(key, tried, measured, seeds)
    return found


def least_exploitable_mo(merged: MergedGame, simulations: int) -> MoSetting:
    """The same of MO-ISMCTS, at every view."""
    key: dict[str, Any] = {"game": merged.game.name, "by": "exploitability"}
    key["simulations"] = simulations

    def measured(setting: MoSetting, seed: int) -> float:
        policy = setting.policy(merged, simulations, seed)
        return merged_nash_conv(merged, policy)[0].exploitability

    key["peer"] = "mo_ismcts"
    found: MoSetting = _least(key, MO_SETTINGS, measured, EXPLOITABILITY_SEEDS[:1])
    return found


def least_exploitable_oos(graph: GameGraph, simulations: int) -> OosSetting:
    """The same of OOS; of long searches, the setting of those of a hundred."""
    simulations = min(simulations, _LONGEST_OOS)
    key: dict[str, Any] = {"game": graph.game.name, "by": "exploitability", "peer": "oos"}

    def measured(setting: OosSetting, seed: int) -> float:
        return exact.exploitability(graph, setting.everywhere(graph, simulations, seed).policy)

    key["simulations"] = simulations
    found: OosSetting = _least(key, OOS_SETTINGS, measured, EXPLOITABILITY_SEEDS[:1])
    return found


def _least(
    key: dict[str, Any],
    tried: Sequence[Any],
    measured: Callable[[Any, int], float],
    seeds: Sequence[int],
) -> Any:
    """The setting with the least mean over seeds, as it is stored or after it was measured."""
    stored = _stored(key, type(tried[0]) if tried else Setting)
    if stored is not None:
        return stored
    scores = []
    for setting in tried:
        scores.append(float(np.mean([measured(setting, seed) for seed in seeds])))
        report(f"{key['game']}, {key['simulations']}: {setting.words()}: {scores[-1]:.4f}")
    best = tried[int(np.argmin(scores))]
    return _store(key, best, list(seeds), list(zip(tried, scores, strict=True)))


def _best_of(game: str, simulations: int) -> tuple[Setting, ...]:
    """The settings that were least exploitable, of those that are stored."""
    key = {"game": game, "by": "exploitability", "simulations": simulations}
    scores = next(
        record["scores"]
        for record in records()
        if key.items() <= record.items() and "peer" not in record
    )
    by_words = {setting.words(): setting for setting in SETTINGS}
    ranked = sorted((score, words) for words, score in scores.items())
    return tuple(by_words[words] for _, words in ranked[:_TRIED_LONG])


def records() -> Iterator[dict[str, Any]]:
    """All choices that are stored."""
    if RECORDS.exists():
        yield from map(json.loads, RECORDS.read_text(encoding="utf-8").splitlines())


def _stored(key: dict[str, Any], kind: type) -> Any:
    for record in records():
        if key.items() <= record.items() and record.get("peer") == key.get("peer"):
            return kind(**record["setting"])
    return None


def _store(
    key: dict[str, Any], best: Any, seeds: list[int], scores: list[tuple[Any, float]]
) -> Any:
    told = {setting.words(): round(score, 5) for setting, score in scores}
    record = {**key, "setting": dataclasses.asdict(best), "seeds": seeds, "scores": told}
    RECORDS.parent.mkdir(parents=True, exist_ok=True)
    with RECORDS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    return best


def main(arguments: Sequence[str] | None = None) -> None:
    """Chooses what is not stored yet; without games, prints what was chosen."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", default=[], help="games to choose for")
    parser.add_argument("--milliseconds", type=float, help="CPU a move: choose by matches")
    parser.add_argument(
        "--simulations", type=int, nargs="+", default=[], help="choose by exploitability"
    )
    parser.add_argument("--hands", type=int, default=FIRST_HANDS, help="of the first round")
    options = parser.parse_args(arguments)
    if not options.games:
        for record in records():
            print(json.dumps({name: record[name] for name in record if name != "scores"}))
    for game in options.games:
        for simulations in options.simulations:
            best = least_exploitable(GameGraph.enumerate(game), simulations)
            print(f"{game}, {simulations} simulations: {best.words()}", flush=True)
        if options.milliseconds is not None:
            best = tune_peer(game, options.milliseconds, first_hands=options.hands)
            print(f"{game}, {options.milliseconds:g} ms a move: {best.words()}", flush=True)


if __name__ == "__main__":
    main()
