"""A merged game that is walked is the game that was merged: worlds, knowledge, searches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import helpers
import numpy as np
import pytest

from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.merged import PolicyKey, merged_game
from nash_ismcts_spiel.harness import ViewBot, ViewSearch
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.learner import Learner
from nash_ismcts_spiel.models import Models
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.engine import NativeEngine

PHANTOM = "phantom_ttt"
DARK_HEX_2X2 = "dark_hex(board_size=2,num_cols=2,num_rows=2)"
GAMES = [DARK_HEX_2X2, helpers.KUHN, helpers.LEDUC, "liars_dice(numdice=1,dice_sides=3)"]


def _key(game: str) -> PolicyKey:
    return "observation" if game == DARK_HEX_2X2 else "information_state"


def _actions(graph: GameGraph, information_set: int) -> list[int]:
    sets = graph.information_sets
    first = sets.first_action[information_set]
    return list(sets.action[first : first + sets.action_count[information_set]])


@pytest.mark.parametrize("game", GAMES)
def test_worlds_and_information_sets_are_those_of_the_game(game: str) -> None:
    merged = merged_game(game, _key(game))
    spiel, walked = GameGraph.enumerate(game), GameGraph.enumerate(merged.walked)
    count = len(spiel.worlds)
    assert len(walked.worlds) == count
    pairs = set()
    for world in range(count):
        other = walked.follow(spiel.history(world))
        assert walked.history(other) == spiel.history(world)
        assert walked.worlds.player[other] == spiel.worlds.player[world]
        sets = spiel.worlds.information_set[world], walked.worlds.information_set[other]
        pairs.add((int(sets[0]), int(sets[1])))
        if sets[0] >= 0:
            assert _actions(walked, sets[1]) == _actions(spiel, sets[0])
    # One information set there is one here, or some: the strings of dark_hex count moves that the
    # player did not see, and its observations do not.
    ours, theirs = ({pair[side] for pair in pairs} for side in (0, 1))
    assert len(ours) == len(pairs)
    assert (len(theirs) == len(pairs)) == (game != DARK_HEX_2X2)
    np.testing.assert_array_equal(
        np.sort(np.asarray(spiel.worlds.utilities), axis=0),
        np.sort(np.asarray(walked.worlds.utilities), axis=0),
    )


def test_a_player_knows_what_it_knows_in_the_game() -> None:
    merged = merged_game(PHANTOM)
    spiel, walked = GameGraph(PHANTOM), GameGraph(merged.walked)
    rng, pairs = np.random.default_rng(0), set()
    for _ in range(200):
        state = merged.game.initial_state()
        while not state.is_terminal():
            worlds = [graph.follow(state.history()) for graph in (spiel, walked)]
            graphs = zip((spiel, walked), worlds, strict=True)
            pairs.add(tuple(int(graph.worlds.information_set[at]) for graph, at in graphs))
            state.apply_action(int(rng.choice(state.legal_actions())))
    assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)


def test_what_a_player_is_shown_last_tells_all_it_has_seen_and_done() -> None:
    """Whoever looks for worlds of an information set compares the last look alone."""
    merged = merged_game(PHANTOM)
    graph = GameGraph(merged.walked)
    looks = []
    for history in ([0, 8, 4, 7], [4, 8, 0, 7], [0, 7, 4, 8]):
        information_set = int(graph.worlds.information_set[graph.follow(history)])
        looks.append(graph.key(information_set).log[-1][1])
    assert looks[0] != looks[1]  # the same board for player 0, in another order
    assert looks[0] == looks[2]  # what differs, the order of player 1, is hidden


def test_networks_see_the_observations_of_the_game() -> None:
    """With the same networks and generators searches are the same, number by number."""
    merged = merged_game(PHANTOM)
    networks = {"width": 8, "depth": 1, "inputs": "observation"}
    config = TrainingConfig.preset("large", networks=networks)
    evaluator = Learner(merged.game, config, 0).evaluator()
    settings = SearchConfig.preset("nash_ismcts_notes", visits=60)
    for view in merged.views[::1000]:
        policies = []
        for game in (merged.game, merged.walked):
            graph = GameGraph(game)
            information_set = int(graph.worlds.information_set[graph.follow(view.history)])
            engine = NativeEngine(Models(graph, evaluator), settings)
            policies.append(engine.search(information_set, np.random.default_rng(0)).prior)
        assert policies[0] == pytest.approx(policies[1], abs=1e-6)


def test_a_search_of_a_view_is_the_bots() -> None:
    """Rollouts draw other numbers, so that policies agree on the whole only."""
    merged = merged_game(DARK_HEX_2X2)
    config = SearchConfig.preset("mt_ismcts", visits=400, lcb_width=100.0)

    def policies(make: Callable[[int, int], Any]) -> list[list[float]]:
        bot = ViewBot(merged, 0, make, seed=1)
        states = [merged.state_of(view) for view in range(len(merged.views))]
        return [[p for _, p in bot.get_policy(state)] for state in states]

    compact = policies(lambda player, seed: ViewSearch(merged, config, seed))
    plain = policies(
        lambda player, seed: NashIsmctsBot(
            merged.game.pyspiel_game, player, config=config, seed=seed
        )
    )
    distances = [
        np.abs(np.subtract(ours, theirs)).sum() for ours, theirs in zip(compact, plain, strict=True)
    ]
    assert np.mean(distances) < 0.2


def test_what_is_seen_between_decisions_must_be_kept() -> None:
    without = support("phantom_go(board_size=2)").native
    with pytest.raises(ValueError, match="no information states"):
        _core.WalkedGame(without, merged_game(DARK_HEX_2X2).native)
