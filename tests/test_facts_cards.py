"""Facts of card games: what they propose explains the log, and nothing but the log."""

from __future__ import annotations

import itertools
from typing import Any

import helpers
import numpy as np
import open_spiel.python.games  # noqa: F401  (registers OpenSpiel's games written in Python)
import pyspiel
import pytest

from benchmarks.positions import early_middle_late
from nash_ismcts_spiel.facts import Look, dou_dizhu_cards, facts_for, read_log
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.tables import MISSING

GAMES = [
    "crazy_eights",
    "cribbage",
    "dou_dizhu",
    "gin_rummy",
    "go_fish",
    "python_block_dominoes",
    "python_liars_poker",
    "python_team_dominoes",
    "solitaire",
]

OTHER_SIZES = [
    "crazy_eights(players=2,use_special_cards=True)",
    "crazy_eights(players=7)",
    "cribbage(players=3)",
    "cribbage(players=4)",
    "go_fish(players=3)",
    "python_liars_poker(hand_length=2,num_digits=3)",
]


class Position:
    """A decision, seen from its player's side."""

    def __init__(self, game: Any, state: Any) -> None:
        """Reads the log."""
        self.game, self.player = game, state.current_player()
        self.graph = GameGraph(game)
        self.view = self.graph.view_along(state.history(), self.player, False)
        self.log: list[Look] = read_log(self.graph.log(self.view))

    def proposals(self, count: int, seed: int = 0) -> list[tuple[int, ...]]:
        """What the facts proposes first."""
        facts = facts_for(self.game)
        assert facts is not None
        found = facts(self.game, self.player, self.log, np.random.default_rng(seed))
        histories = (history for history in found if history is not None)
        return [tuple(history) for history in itertools.islice(histories, count)]

    def explained_by(self, history: tuple[int, ...]) -> bool:
        """Whether a history shows the player its log."""
        return self.graph.offer(self.player, self.view, history) != MISSING


def positions(name: str, seeds: int = 2) -> list[Position]:
    """Early, in the middle and late in random games."""
    game = pyspiel.load_game(name)
    return [
        Position(game, state)
        for seed in range(seeds)
        for state in early_middle_late(game, seed=seed)
    ]


@pytest.mark.parametrize("name", GAMES)
def test_proposals_explain_the_log(name: str) -> None:
    for position in positions(name):
        found = position.proposals(3)
        assert found
        assert all(position.explained_by(history) for history in found)


@pytest.mark.parametrize("name", OTHER_SIZES)
def test_other_sizes_of_a_game_are_explained_too(name: str) -> None:
    for position in positions(name, seeds=1):
        assert position.explained_by(position.proposals(1)[0])


@pytest.mark.parametrize("name", GAMES)
def test_proposals_depend_on_the_log_alone(name: str) -> None:
    for position in positions(name, seeds=1):
        found = position.proposals(3, seed=1)
        twin = Position(position.game, helpers.state_after(position.game, found[-1]))
        assert twin.log == position.log
        assert twin.proposals(3, seed=1) == found


@pytest.mark.parametrize("name", sorted(set(GAMES) - {"solitaire"}))
def test_proposals_vary(name: str) -> None:
    for position in positions(name, seeds=1):
        assert len(set(position.proposals(8))) >= 6


def after_the_others_knock(seed: int) -> Position | None:
    """A player of gin rummy who may lay off; None if nobody knocks, or nothing can be laid off."""
    game, rng = pyspiel.load_game("gin_rummy"), np.random.default_rng(seed)
    state = game.new_initial_state()
    knocker = None
    while not state.is_terminal():
        legal = state.legal_actions()
        if knocker == 1 - state.current_player() and len(legal) > 1:
            return Position(game, state)
        knocks = pyspiel.gin_rummy.KNOCK_ACTION in legal
        knocker = state.current_player() if knocks else knocker
        state.apply_action(pyspiel.gin_rummy.KNOCK_ACTION if knocks else int(rng.choice(legal)))
    return None


def test_a_knock_in_gin_rummy_is_explained_with_what_was_laid_down() -> None:
    found = [position for seed in range(100) if (position := after_the_others_knock(seed))]
    assert len(found) >= 5
    for position in found:
        proposals = position.proposals(8)
        assert len(proposals) == 8
        assert all(position.explained_by(history) for history in proposals)
        twin = Position(position.game, helpers.state_after(position.game, proposals[-1]))
        assert twin.proposals(8) == proposals


def test_solitaire_hides_nothing_that_has_happened() -> None:
    game = pyspiel.load_game("solitaire")
    for state in early_middle_late(game, seed=0):
        assert Position(game, state).proposals(9) == [tuple(state.history())]


def kind(cards: str) -> dou_dizhu_cards.Kind:
    (found,) = dou_dizhu_cards.kinds(dou_dizhu_cards.counts(cards))
    return found


@pytest.mark.parametrize(
    ("cards", "trick", "wins"),
    [
        ("4", "3", True),
        ("3", "4", False),
        ("44", "3", False),
        ("34567", "45678", False),
        ("45678", "34567", True),
        ("3334", "444", False),
        ("444(CJ)", "3335", True),
        ("444555-78", "333444-(BWJ)8", True),
        ("3333", "AAA2", True),
        ("3333", "4444", False),
        ("3333", "(BWJ)(CJ)", True),  # so in OpenSpiel
        ("(BWJ)(CJ)", "2222", True),
    ],
)
def test_what_may_be_played_on_a_trick_of_dou_dizhu(cards: str, trick: str, wins: bool) -> None:
    assert dou_dizhu_cards.beats(kind(cards), kind(trick)) == wins
    assert dou_dizhu_cards.beats(kind(cards), None)


def test_cards_of_dou_dizhu_may_be_played_in_several_ways() -> None:
    cards = dou_dizhu_cards.counts("333444555666")
    names = {dou_dizhu_cards.name_of(cards, kind) for kind in dou_dizhu_cards.kinds(cards)}
    assert names == {"333444555666", "333444555-666", "444555666-333"}
    assert not list(dou_dizhu_cards.kinds(dou_dizhu_cards.counts("3456")))


def test_names_are_those_of_actions_of_dou_dizhu() -> None:
    game = pyspiel.load_game("dou_dizhu")
    state = game.new_initial_state()
    for action in range(1, game.num_distinct_actions(), 41):
        name = state.action_to_string(0, action)
        if name.startswith(("Bid", "Pass")):
            continue
        cards = dou_dizhu_cards.counts(name)
        assert name in [
            dou_dizhu_cards.name_of(cards, kind) for kind in dou_dizhu_cards.kinds(cards)
        ]
