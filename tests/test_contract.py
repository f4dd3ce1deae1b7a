"""The contract: what holds in every game that OpenSpiel registers.

Each game is loaded with its default parameters, simultaneous ones in their turn-based form, and
looked at early, in the middle and late in random games. Worlds are judged by what OpenSpiel itself
shows a player (`helpers.own_side`), by no code of the package. A game that is refused is refused
when a bot is made, with its name and a reason.
"""

from __future__ import annotations

from typing import Any

import helpers
import numpy as np
import open_spiel.python.games  # noqa: F401  (registers OpenSpiel's games written in Python)
import pyspiel
import pytest

from benchmarks.positions import early_middle_late, random_positions
from nash_ismcts_spiel import NashIsmctsBot, Resampler, SearchConfig
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.quiet import silent_stderr

DRAWS = 4
"""Worlds that are drawn at each position."""

REFUSED = {
    "bridge_uncontested_bidding": "sampled inside the game",
    "crossword": "no numbered actions",
    "mfg_crowd_modelling": "mean-field",
    "mfg_crowd_modelling_2d": "mean-field",
    "mfg_dynamic_routing": "mean-field",
    "mfg_garnet": "mean-field",
    "negotiation": "sampled inside the game",
    "python_iterated_prisoners_dilemma": "neither an information state string nor an observation",
    "stones_and_gems": "sampled inside the game",
    "tarok": "sampled inside the game",
}
"""Games that are refused, and words of the reason."""

SLOW = {"bridge"}
"""Games whose states or games to the end take long."""

NO_WORLD = {"dark_chess", "kriegspiel"}
"""Games in which no world is found at some positions, from the log alone and within the effort that
is allowed. What is missing is shown in docs/games.md."""


def games() -> list[Any]:
    names = [game.short_name for game in pyspiel.registered_games() if game.default_loadable]
    return [
        pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name
        for name in sorted(set(names) - NO_WORLD)
    ]


def check_world(game: Any, seen: Any, drawn: Any, player: int) -> None:
    """A drawn world can happen, and the player cannot tell it from the one it is in."""
    assert drawn.current_player() == player
    found = helpers.own_side(game, drawn.history(), player)
    assert found is not None, "an impossible world"
    assert found == seen, "a world that the player can tell apart"


def check_search(game: Any, state: Any, player: int) -> None:
    """Sixteen visits give a policy over the legal actions and leave the state alone."""
    history = state.history()
    bot = NashIsmctsBot(game, player, config=SearchConfig(visits=16), seed=1)
    result = bot.search(state)
    assert state.history() == history
    assert list(result.actions) == state.legal_actions(player)
    assert sum(result.policy) == pytest.approx(1.0)
    assert min(result.policy) >= 0.0


def check_position(game: Any, state: Any) -> None:
    """The contract at one position."""
    player, history = state.current_player(), state.history()
    seen = helpers.own_side(game, history, player)
    resample = Resampler(game, seed=2)
    graph = GameGraph(game)
    information_set = graph.observe(state, player)
    for _ in range(DRAWS):
        drawn = resample(state, player)
        check_world(game, seen, drawn, player)
        # Both worlds are one information set: the same view, pieces and legal actions.
        assert graph.observe(drawn, player) == information_set
        assert graph.key_at(drawn, player) == graph.key_at(state, player)
        assert drawn.legal_actions(player) == graph.legal_actions(information_set)
    check_true_world_can_be_drawn(graph, information_set, history)
    check_search(game, state, player)


def check_true_world_can_be_drawn(graph: Any, information_set: int, history: list[int]) -> None:
    """The SAMPLE nodes of the set lead to the world that is really there."""
    world = graph.follow(history)
    target = graph.hidden(information_set)
    for sample, branch in graph.path_to(world):
        assert target == ~sample
        target = graph.branch(sample, branch)
    assert target == world


def test_an_impossible_world_is_caught() -> None:
    game = pyspiel.load_game("kuhn_poker")
    state = helpers.state_after(game, [0, 1])
    seen = helpers.own_side(game, [0, 1], 0)
    check_world(game, seen, helpers.state_after(game, [0, 2]), 0)

    class Impossible:
        def current_player(self) -> int:
            return 0

        def history(self) -> list[int]:
            return [0, 0]  # one card to both

    with pytest.raises(AssertionError, match="impossible"):
        check_world(game, seen, Impossible(), 0)
    with pytest.raises(AssertionError, match="tell apart"):
        check_world(game, seen, helpers.state_after(game, [1, 0]), 0)
    assert state.history() == [0, 1]


class Leaking(GameGraph):
    """Knows an information set by the true history."""

    def observe(self, state: Any, player: int, seconds: float | None = None) -> int:
        """Peeks."""
        hidden = sum(number * event for number, event in enumerate(state.history()))
        return super().observe(state, player, seconds) * 100_000 + hidden


def test_a_leak_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    game = pyspiel.load_game("kuhn_poker")
    state = helpers.state_after(game, [0, 1])
    check_position(game, state)
    monkeypatch.setattr("test_contract.GameGraph", Leaking)
    with pytest.raises(AssertionError):
        check_position(game, state)


@pytest.mark.parametrize("name", ["hearts", "euchre"])
def test_openspiels_impossible_worlds_are_caught(name: str) -> None:
    game, random = pyspiel.load_game(name), np.random.default_rng(0)
    impossible = 0
    for state in random_positions(game, 30, seed=3):
        player = state.current_player()
        seen = helpers.own_side(game, state.history(), player)
        check_world(game, seen, Resampler(game, seed=1)(state, player), player)
        invented = state.resample_from_infostate(player, random.random)
        try:
            check_world(game, seen, invented, player)
        except AssertionError as error:
            impossible += "impossible" in str(error)
    assert impossible >= 3


@pytest.mark.parametrize("name", ["phantom_ttt", "hearts"])
def test_a_leak_is_caught_in_large_games(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = pyspiel.load_game(name)
    state = early_middle_late(game, seed=0)[1]
    monkeypatch.setattr("test_contract.GameGraph", Leaking)
    with pytest.raises(AssertionError):
        check_position(game, state)


@pytest.mark.parametrize("name", games())
def test_contract(name: str) -> None:
    with silent_stderr():
        if name in REFUSED:
            with pytest.raises(ValueError, match=REFUSED[name]) as refusal:
                NashIsmctsBot(pyspiel.load_game(name), 0)
            assert name in str(refusal.value)
            return
        try:
            game = support(name).pyspiel_game
        except ValueError as error:
            pytest.fail(str(error))
        for state in early_middle_late(game, seed=0):
            check_position(game, state)
