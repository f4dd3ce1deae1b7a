"""The door for facts: what they are told, and what becomes of what they propose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyspiel
import pytest

from nash_ismcts_spiel import facts as registry
from nash_ismcts_spiel.facts import Look, facts_for, read_log, register_facts
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.resample import Resampler


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_FACTS", dict(registry._FACTS))


def _state(name: str, history: Sequence[int]) -> Any:
    state = pyspiel.load_game(name).new_initial_state()
    for action in history:
        state.apply_action(action)
    return state


def test_facts_are_told_the_log_and_what_they_propose_is_used() -> None:
    told: list[tuple[int, list[Look]]] = []

    def facts(game: Any, player: int, log: Sequence[Look], rng: Any) -> Iterator[Sequence[int]]:
        told.append((player, list(log)))
        yield [2, 1, 0, 1]

    register_facts("kuhn_poker", facts)
    graph = GameGraph("kuhn_poker")
    found = graph.observe(_state("kuhn_poker", [2, 0, 0, 1]), 0)
    assert told == [(0, [Look(None, "2", (0, 1)), Look(0, "2pb", (0, 1))])]
    assert graph.history(graph.information_sets.first_world[found]) == [2, 1, 0, 1]
    assert graph.observe(_state("kuhn_poker", [2, 1, 0, 1]), 0) == found
    assert len(told) == 1  # known from then on


@pytest.mark.parametrize(
    "proposal",
    [
        [1, 0, 0, 1],  # the player would hold another card
        [2, 1, 1, 1],  # it would have acted otherwise
        [2, 2, 0, 1],  # cannot happen
        [2, 1, 0, 1, 1],  # goes on
        [2, 1, 0],  # ends early
        [],
        [7, -1],
    ],
)
def test_a_wrong_proposal_is_not_used(proposal: list[int]) -> None:
    graph = GameGraph("kuhn_poker")
    view = graph.view_along([2, 0, 0, 1], 0, False)
    before = len(graph.worlds)
    assert graph.offer(0, view, proposal) == -1
    assert len(graph.worlds) == before
    register_facts("kuhn_poker", lambda *_: iter([proposal] * 3))
    found = graph.observe(_state("kuhn_poker", [2, 0, 0, 1]), 0)
    assert graph.history(graph.information_sets.first_world[found])[0] == 2
    assert graph.offer(0, view, proposal) == -1  # also where the set is known
    assert graph.offer(0, view, [2, 1, 0, 1]) == found


def test_facts_that_never_end_are_given_up() -> None:
    def endless(*_: Any) -> Iterator[Sequence[int]]:
        while True:
            yield []

    register_facts("kuhn_poker", endless)
    assert GameGraph("kuhn_poker").observe(_state("kuhn_poker", [2, 0, 0, 1]), 0) >= 0


def test_facts_that_have_found_nothing_yet_ends_with_the_time() -> None:
    def slow(*_: Any) -> Iterator[None]:
        while True:
            yield None

    register_facts("kuhn_poker", slow)
    state = _state("kuhn_poker", [2, 0, 0, 1])
    assert GameGraph("kuhn_poker").observe(state, 0, 0.01) >= 0  # by the general search
    drawn = Resampler("kuhn_poker", seconds=0.01)(state, 0)
    assert drawn.information_state_string(0) == state.information_state_string(0)


@pytest.mark.parametrize("name", ["rbc", "phantom_go"])
def test_facts_of_long_games_can_be_stopped_between_looks(name: str) -> None:
    game = pyspiel.load_game(name)
    state = _state(name, [])
    rng = np.random.default_rng(0)
    while state.move_number() < 12:
        state.apply_action(int(rng.choice(state.legal_actions())))
    player = state.current_player()
    graph = GameGraph(game)
    log = read_log(graph.log(graph.view_along(state.history(), player, False)))
    facts = facts_for(game)
    assert facts is not None
    found = facts(game, player, log, rng)
    assert [next(found) for _ in range(len(log) - 1)] == [None] * (len(log) - 1)


def test_observations_tell_legal_actions_on_own_turns_only() -> None:
    draws: list[float] = []

    def facts(
        game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
    ) -> Iterator[Sequence[int]]:
        assert not any("legal actions" in look.shown for look in log)
        assert [len(look.legal) for look in log] == [10, 9]
        assert log[1].action is not None
        draws.append(rng.random())
        yield from ()

    register_facts("phantom_go", facts)
    # Black plays; White's stone is unseen, so that its turn is one look with the one before. The
    # generator depends on the log alone.
    for history in ([0, 5], [0, 6], [1, 5]):
        name = "phantom_go(board_size=3)"
        GameGraph(name).observe(_state(name, history), 0)
    assert draws[0] == draws[1] != draws[2]


def test_a_simultaneous_game_has_the_same_facts_in_its_turn_based_form() -> None:
    register_facts("goofspiel", lambda *_: iter(()))
    game = pyspiel.load_game("goofspiel")
    assert facts_for(pyspiel.convert_to_turn_based(game)) is facts_for(game) is not None
