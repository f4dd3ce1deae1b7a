"""Guides of trick-taking games, and what they share: worlds that explain a player's log."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.guides import Look, euchre, guide_for, hands, read_log, tricks

GAMES = {
    "bridge(use_double_dummy_result=false)": 1,
    "euchre": 3,
    "euchre(allow_lone_defender=true,stick_the_dealer=false)": 6,
    "hearts": 1,
    "hearts(pass_cards=false,can_lead_any_club=true,can_lead_hearts_instead_of_qs=true)": 1,
    "hearts(no_pts_on_first_trick=false,must_break_hearts=false,qs_breaks_hearts=false)": 1,
    "oh_hell": 1,
    "oh_hell(players=5,num_suits=3,num_cards_per_suit=9)": 1,
    "skat": 1,
    "spades": 1,
}
"""Games, and how many proposals may be needed until one is right. In euchre the text may leave the
suit of trumps open, of which there are three, and which of two defenders plays alone.
"""

# Cards and a direction of hearts.
TWO_OF_CLUBS, ACE_OF_CLUBS, HEARTS = 0, 48, range(2, 52, 4)
NO_PASS = 0


class Position:
    """A position of a match, and what its player has seen."""

    def __init__(self, game: Any, history: list[int], player: int) -> None:
        self.game, self.player = game, player
        self.seen = helpers.own_side(game, history, player)
        graph = GameGraph(game)
        entries = graph.log(graph.view_along(history, player, False))
        self.log: list[Look] = read_log(entries)

    def proposals(self, count: int) -> list[list[int]]:
        """The first histories that the guide proposes."""
        guide = guide_for(self.game)
        assert guide is not None
        proposed = guide(self.game, self.player, self.log, np.random.default_rng(0))
        return [list(history) for history in itertools.islice(proposed, count)]

    def explains(self, history: list[int]) -> bool:
        """Whether OpenSpiel shows the player the same along a history, and it is to move then."""
        return helpers.own_side(self.game, history, self.player) == self.seen


def random_game(game: Any, seed: int, start: Sequence[int] = ()) -> list[tuple[list[int], int]]:
    """All decisions of a random game that begins with `start`, as histories with the player to
    move.
    """
    rng, state, decisions = np.random.default_rng(seed), game.new_initial_state(), []
    for action in start:
        state.apply_action(action)
    while not state.is_terminal():
        if not state.is_chance_node():
            decisions.append((state.history(), state.current_player()))
        state.apply_action(int(rng.choice(state.legal_actions())))
    return decisions


@pytest.mark.parametrize("name", GAMES)
def test_every_decision_of_a_game_is_explained_at_once(name: str) -> None:
    game = pyspiel.load_game(name)
    for seed in range(4):
        for history, player in random_game(game, seed):
            position = Position(game, history, player)
            assert any(map(position.explains, position.proposals(GAMES[name]))), history


@pytest.mark.parametrize("others", [set(), {TWO_OF_CLUBS}, {ACE_OF_CLUBS}])
def test_who_has_little_but_hearts_may_play_them_early(others: set[int]) -> None:
    # Player 1 has no choice on the first trick, or wins it and has to lead a heart.
    game, rng = pyspiel.load_game("hearts"), np.random.default_rng(0)
    own = [*others, *HEARTS][:13]
    rest = rng.permutation(sorted(set(range(52)) - set(own))).tolist()
    dealt = tricks.in_turn([rest[:13], own, rest[13:26], rest[26:]])
    for history, player in random_game(game, 0, [NO_PASS, *dealt])[: 4 * 6]:
        position = Position(game, history, player)
        assert position.explains(position.proposals(1)[0]), history


def test_a_jack_may_follow_another_suit() -> None:
    clubs, spades, hearts = 0, 3, 2
    jack_of_clubs, queen_of_clubs = 8, 12
    assert euchre.suit_with(spades, jack_of_clubs) == spades
    assert euchre.suit_with(hearts, jack_of_clubs) == clubs
    assert euchre.suit_with(spades, queen_of_clubs) == clubs
    assert euchre.suit_with(None, jack_of_clubs) == clubs


def test_deals_of_bridge_with_a_computed_result_are_explained() -> None:
    game = pyspiel.load_game("bridge")
    history, player = random_game(game, 0)[-1]
    position = Position(game, history, player)
    assert position.explains(position.proposals(1)[0])


@pytest.mark.parametrize("name", GAMES)
def test_proposals_vary_and_depend_on_the_log_alone(name: str) -> None:
    game = pyspiel.load_game(name)
    decisions = random_game(game, 7)
    history, player = decisions[len(decisions) // 2]
    position = Position(game, history, player)
    proposals = position.proposals(20)
    right = [proposal for proposal in proposals if position.explains(proposal)]
    assert len(set(map(tuple, right))) >= min(5, len(right)) > 0
    for other in right[:5]:
        twin = Position(game, other, player)
        assert twin.log == position.log
        assert twin.proposals(20) == proposals


def deals(cards: list[int], room: list[int], barred: list[set[int]]) -> set[tuple[int, ...]]:
    """All ways to share cards out, as the holder of each card."""
    return {
        owners
        for owners in itertools.product(range(len(room)), repeat=len(cards))
        if all(owners.count(holder) == size for holder, size in enumerate(room))
        and not any(card in barred[owner] for card, owner in zip(cards, owners, strict=True))
    }


def owners(cards: list[int], shares: list[list[int]]) -> tuple[int, ...]:
    """The holder of each card."""
    return tuple(next(h for h, share in enumerate(shares) if card in share) for card in cards)


def test_cards_are_shared_out_whenever_that_is_possible() -> None:
    rng, possible = np.random.default_rng(0), 0
    for _ in range(300):
        room = rng.integers(0, 4, size=3).tolist()
        cards = list(range(sum(room)))
        barred = [{card for card in cards if rng.random() < 0.5} for _ in room]
        ways = deals(cards, room, barred)
        shares = hands.shared_out(cards, room, barred, rng)
        assert (shares is not None) == bool(ways)
        if shares is not None:
            possible += 1
            assert owners(cards, shares) in ways
    assert 50 < possible < 250
    assert hands.shared_out([1, 2], [1, 0], [set(), set()], rng) is None
    assert hands.shared_out([], [1, -1], [set(), set()], rng) is None


def test_every_deal_is_about_as_likely() -> None:
    # Dealt card by card and without exchanges, one of these comes some 180 times.
    cards, room = list(range(8)), [3, 3, 2]
    barred: list[set[int]] = [{1}, {0, 4, 6, 7}, {2}]
    rng, ways = np.random.default_rng(1), deals(cards, room, barred)
    counts: Counter[tuple[int, ...]] = Counter()
    draws = 100 * len(ways)
    for _ in range(draws):
        shares = hands.shared_out(cards, room, barred, rng)
        assert shares is not None
        counts[owners(cards, shares)] += 1
    assert set(counts) == ways
    # A count has a standard deviation of ten.
    assert 60 < min(counts.values()) and max(counts.values()) < 140


def test_known_cards_stay_where_they_are() -> None:
    rng = np.random.default_rng(2)
    held = hands.filled_up([{4}, set()], [2, 3], [{0, 1}, {4}], {0, 1, 2, 3}, rng)
    assert held is not None
    assert 4 in held[0] and [len(hand) for hand in held] == [2, 3]
    assert {0, 1} <= set(held[1])
    assert hands.filled_up([{4}, set()], [1, 1], [set(), {0}], {0}, rng) is None
