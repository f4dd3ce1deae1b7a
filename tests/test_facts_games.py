"""Facts of games: what they propose explains the log, comes from the log alone, and is fair."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest
from scipy import stats

from benchmarks.positions import early_middle_late
from nash_ismcts_spiel.facts import Look, euchre, facts_for, read_log
from nash_ismcts_spiel.games import GameGraph

BRIDGE = "bridge(use_double_dummy_result=false)"

TRIES = {
    BRIDGE: 1,
    "battleship": 1,
    "crazy_eights": 1,
    "crazy_eights(players=2,use_special_cards=True)": 1,
    "crazy_eights(players=7)": 1,
    "cribbage": 1,
    "cribbage(players=3)": 1,
    "cribbage(players=4)": 1,
    "dou_dizhu": 1,
    "euchre": 3,
    "euchre(allow_lone_defender=true,stick_the_dealer=false)": 6,
    "gin_rummy": 1,
    "go_fish": 3,
    "go_fish(players=3)": 3,
    "hearts": 1,
    "hearts(pass_cards=false,can_lead_any_club=true,can_lead_hearts_instead_of_qs=true)": 1,
    "hearts(no_pts_on_first_trick=false,must_break_hearts=false,qs_breaks_hearts=false)": 1,
    "oh_hell": 1,
    "oh_hell(players=5,num_suits=3,num_cards_per_suit=9)": 1,
    "phantom_go": 1,
    "python_block_dominoes": 1,
    "python_liars_poker": 1,
    "python_liars_poker(hand_length=2,num_digits=3)": 1,
    "python_team_dominoes": 1,
    "rbc": 1,
    "skat": 1,
    "social_deduction": 1,
    "solitaire": 1,
    "spades": 1,
}
"""Games, and how many histories may be needed until one is right. In euchre the text may leave the
suit of trumps open, of which there are three, and which of two defenders plays alone.
"""

MISSED = {"rbc": 1}
"""At how many of six positions none may be right; of reconnaissance blind chess one in seven."""

FEW = {"solitaire": 1, "social_deduction": 1, "python_liars_poker(hand_length=2,num_digits=3)": 2}
"""Different histories that eight proposals must have, six unless given."""

UNIFORM = {
    BRIDGE: (0, 0),
    "euchre": (1, 1),
    "hearts": (1, 0),
    "oh_hell": (2, 1),
    "python_team_dominoes": (0, 0),
    "python_block_dominoes": (0, 0),
    "skat": (0, 0),
    "spades": (0, 0),
}
"""Games in which the first decision tells nothing of the others' cards: how many events come before
and after the deal.
"""


class Position:
    """A decision, seen from its player's side."""

    def __init__(self, game: Any, history: Sequence[int], player: int) -> None:
        self.game, self.player = game, player
        self.seen = helpers.own_side(game, list(history), player)
        graph = GameGraph(game)
        self.log: list[Look] = read_log(graph.log(graph.view_along(list(history), player, False)))

    def proposals(self, count: int, seed: int = 0) -> list[tuple[int, ...]]:
        """What facts propose first."""
        facts = facts_for(self.game)
        assert facts is not None
        found = facts(self.game, self.player, self.log, np.random.default_rng(seed))
        histories = (tuple(history) for history in found if history is not None)
        return list(itertools.islice(histories, count))

    def explained_by(self, history: Sequence[int]) -> bool:
        """Whether OpenSpiel shows the player the same along a history, and it is to move then."""
        return helpers.own_side(self.game, list(history), self.player) == self.seen


def positions(name: str, seeds: int) -> list[Position]:
    """Early, in the middle and late in random games."""
    game = helpers.load(name)
    return [
        Position(game, state.history(), state.current_player())
        for seed in range(seeds)
        for state in early_middle_late(game, seed)
    ]


@pytest.mark.parametrize("name", TRIES)
def test_logs_are_explained(name: str) -> None:
    found = [
        any(map(position.explained_by, position.proposals(TRIES[name])))
        for position in positions(name, seeds=2)
    ]
    assert len(found) == 6 and found.count(False) <= MISSED.get(name, 0)


@pytest.mark.parametrize("name", TRIES)
def test_proposals_vary_and_come_from_the_log_alone(name: str) -> None:
    middle = positions(name, seeds=1)[1]
    proposals = middle.proposals(8, seed=1)
    right = [history for history in proposals if middle.explained_by(history)]
    assert len(set(right)) >= min(FEW.get(name, 6), len(right)) > 0
    twin = Position(middle.game, right[-1], middle.player)
    assert twin.log == middle.log
    assert twin.proposals(8, seed=1) == proposals


@pytest.mark.parametrize("name", UNIFORM)
def test_before_anybody_acts_every_deal_is_as_likely(name: str) -> None:
    game, rng = helpers.load(name), np.random.default_rng(0)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(int(rng.choice(state.legal_actions())))
    position = Position(game, state.history(), state.current_player())
    before, after = UNIFORM[name]
    dealt = np.array(position.proposals(600))[:, before : len(state.history()) - after]
    # A place of another in the deal has all cards that the player does not hold.
    own = dealt.shape[1] // game.num_players()
    others = [place for place in range(dealt.shape[1]) if len(set(dealt[:, place])) > own]
    unseen = sorted(set(dealt[:, others].ravel()))
    counts = np.array([[np.sum(dealt[:, at] == card) for card in unseen] for at in others])
    assert len(others) >= dealt.shape[1] // 2
    fixed = len(others) + len(unseen) - 2  # each place has a card in each deal
    assert stats.chisquare(counts.ravel(), ddof=fixed).pvalue > 1e-3


def decisions(game: Any, history: Sequence[int], seed: int) -> list[tuple[list[int], int]]:
    """The decisions of a random game that begins with a history, and who is to move."""
    rng, state, found = np.random.default_rng(seed), helpers.state_after(game, history), []
    while not state.is_terminal():
        if not state.is_chance_node():
            found.append((state.history(), state.current_player()))
        state.apply_action(int(rng.choice(state.legal_actions())))
    return found


@pytest.mark.parametrize("name", ["euchre", "hearts", "skat"])
def test_every_decision_of_a_game_is_explained(name: str) -> None:
    game = helpers.load(name)
    for history, player in decisions(game, [], seed=3):
        position = Position(game, history, player)
        assert any(map(position.explained_by, position.proposals(TRIES[name]))), history


@pytest.mark.parametrize("others", [[], [0], [48]])
def test_who_has_little_but_hearts_may_play_them_early(others: list[int]) -> None:
    # Player 1 has no choice on the first trick, or wins it by the ace of clubs and leads a heart.
    game, rng = pyspiel.load_game("hearts"), np.random.default_rng(0)
    own = [*others, *range(2, 52, 4)][:13]
    rest = rng.permutation(sorted(set(range(52)) - set(own))).tolist()
    hands = [rest[:13], own, rest[13:26], rest[26:]]
    dealt = [hand[place] for place in range(13) for hand in hands]
    for history, player in decisions(game, [0, *dealt], seed=0)[: 4 * 6]:
        position = Position(game, history, player)
        assert position.explained_by(position.proposals(1)[0]), history


def test_a_jack_may_follow_another_suit() -> None:
    clubs, spades, hearts = 0, 3, 2
    jack_of_clubs, queen_of_clubs = 8, 12
    assert euchre.suit_of(jack_of_clubs, spades) == spades
    assert euchre.suit_of(jack_of_clubs, hearts) == clubs
    assert euchre.suit_of(queen_of_clubs, spades) == clubs
    assert euchre.suit_of(jack_of_clubs, None) == clubs


def test_deals_of_bridge_with_a_computed_result_are_explained() -> None:
    game = pyspiel.load_game("bridge")
    history, player = decisions(game, [], seed=0)[-1]
    position = Position(game, history, player)
    assert position.explained_by(position.proposals(1)[0])


def after_the_others_knock(seed: int) -> Position | None:
    """A player of gin rummy who may lay off; None if nobody knocks, or nothing can be laid off."""
    game, rng = pyspiel.load_game("gin_rummy"), np.random.default_rng(seed)
    state = game.new_initial_state()
    knocker = None
    while not state.is_terminal():
        legal = state.legal_actions()
        if knocker == 1 - state.current_player() and len(legal) > 1:
            return Position(game, state.history(), state.current_player())
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
        assert all(map(position.explained_by, proposals))
        twin = Position(position.game, proposals[-1], position.player)
        assert twin.proposals(8) == proposals


def test_all_deals_that_allow_the_tricks_are_drawn_and_about_as_often() -> None:
    game = helpers.load("oh_hell(players=3,num_suits=2,num_cards_per_suit=6)")
    # Suits are even and odd numbers; players 0 and 2 have cards of one suit and do not follow.
    hand, dealer, dealt = 3, 0, [0, 6, 1, 2, 7, 3, 4, 8, 5]
    trump = 11
    others = {place: card for place, card in enumerate(dealt) if place % 3 != 1}
    found = 0
    for history, player in decisions(game, [hand, dealer, *dealt, trump], seed=0):
        if player != 1:
            continue
        position = Position(game, history, player)
        unseen = sorted({*range(12)} - {dealt[1], dealt[4], dealt[7], trump})
        possible: dict[tuple[frozenset[int], ...], bool] = {}
        for cards in itertools.permutations(unseen, len(others)):
            twin = list(history)
            for place, card in zip(others, cards, strict=True):
                twin[2 + place] = card
            hands = tuple(frozenset(twin[2 + seat : 2 + len(dealt) : 3]) for seat in (0, 2))
            if hands not in possible:
                possible[hands] = position.explained_by(twin)
        ways = {hands for hands, explained in possible.items() if explained}
        draws = position.proposals(50 * len(ways))
        counts = Counter(
            tuple(frozenset(drawn[2 + seat : 2 + len(dealt) : 3]) for seat in (0, 2))
            for drawn in draws
        )
        assert set(counts) == ways
        assert len(ways) == 1 or stats.chisquare(list(counts.values())).pvalue > 1e-3
        found += len(ways) > 1
    assert found >= 3
