"""What the page shows of a search: numbers by hand and by the bot, drawings, ways through trees."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import page_helpers
import pytest

from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.games.hand import Hand, Sight
from nash_ismcts_spiel.models import RolloutEvaluator
from nash_ismcts_spiel.page.drawings import draw, event_name
from nash_ismcts_spiel.page.inspection import Asked, Inspection, Step
from nash_ismcts_spiel.page.views import position_view, search_view, sweep_view

LEDUC = "leduc_poker"


@pytest.fixture(scope="module")
def leduc() -> Inspection:
    return page_helpers.inspection(LEDUC)


def shown(inspection: Inspection, history: list[int], *steps: Step, **asked: Any) -> Any:
    hand = Hand(inspection.game, history)
    view = search_view(inspection, hand, Asked(**{"visits": 100, "radius": 0.2, **asked}), steps)
    json.dumps(view, allow_nan=False)
    return view


def test_the_search_is_the_bots() -> None:
    game = support(LEDUC)
    config = SearchConfig(search="notes", visits=100, dispersion_radius=0.2)
    bot = NashIsmctsBot(game.pyspiel_game, 0, RolloutEvaluator(seed=0), config)
    state = game.initial_state()
    for event in (0, 3):
        state.apply_action(event)
    result = bot.search(state, rng=np.random.default_rng(7))
    found = shown(page_helpers.inspection(LEDUC), [0, 3], seed=7)["place"]["found"]
    assert found["visits"] == list(result.visits)
    assert found["policy"] == list(result.policy)
    assert found["q"] == [list(each) for each in result.q]


def test_puct_intervals_and_the_filter_are_by_the_formulas(leduc: Inspection) -> None:
    view = shown(leduc, [0, 3])
    found, scale = view["place"]["found"], view["value_scale"]
    total = sum(found["visits"])
    confident = []
    for action, n in enumerate(found["visits"]):
        bonus = scale * 0.5 * math.sqrt(total) / (1 + n)  # c_puct = 1, P = 1/2
        low, high = found["q"][action]
        assert found["puct"][action] == pytest.approx([low + bonus, high + bonus])
        sigma = 0.1 * scale / math.sqrt(n)
        assert found["sigma"][action] == pytest.approx(sigma)
        confident.append((low - sigma, high + sigma))
    best = max(low for low, _ in confident)
    assert found["kept"] == [high >= best for _, high in confident]
    assert sum(found["pure_visits"]) == found["pure_count"]
    assert found["pure_count"] + found["mixed_count"] == total == view["visits"]


def test_exact_bayes_stands_beside_beliefs_that_know_nothing() -> None:
    # Player 1 has the queen and sees a bet: the king always bets, the jack one time in three.
    inspection = page_helpers.inspection("kuhn_poker", page_helpers.KuhnPrior())
    rows = shown(inspection, [0, 1, 1])["place"]["beliefs"]["rows"]
    assert [row["name"] for row in rows] == ["J", "K"]
    assert [row["h"] for row in rows] == pytest.approx([0.5, 0.5])
    assert [row["bayes"] for row in rows] == pytest.approx([0.25, 0.75])


def test_there_is_no_exact_bayes_in_a_large_game() -> None:
    inspection = page_helpers.inspection("phantom_ttt")
    assert inspection.bayes is None
    rows = shown(inspection, [0, 4, 1], visits=10)["place"]["beliefs"]["rows"]
    assert rows and all(row["bayes"] is None for row in rows)
    assert sum(row["h"] for row in rows) == pytest.approx(1.0)


def test_choices_collapse_at_radius_0_and_not_above() -> None:
    inspection = page_helpers.inspection("kuhn_poker", page_helpers.kuhn_exact())
    view = sweep_view(inspection, Hand(inspection.game, [0, 1]), Asked(1000, 0.0))
    by_radius = {row["radius"]: row for row in view["rows"]}
    assert view["prior"] == pytest.approx([2 / 3, 1 / 3])
    assert by_radius[0.0]["mixed"] < 10  # exact ties
    assert max(by_radius[0.0]["policy"]) > 0.95
    for radius in (0.2, 0.4):
        assert by_radius[radius]["policy"] == pytest.approx(view["prior"], abs=0.1)
        assert by_radius[radius]["mixed"] > 500


def test_a_way_leads_into_what_the_other_player_would_think(leduc: Inspection) -> None:
    steps = [Step("action", 2), Step("piece", 4)]
    world = shown(leduc, [0, 3], *steps)["place"]
    assert (world["kind"], world["owner"], world["mover"]) == ("opponent", 0, 1)
    assert world["names"] == ["P1 Fold", "P1 Call", "P1 Raise"]
    view = shown(leduc, [0, 3], *steps, Step("enter", 0))
    place = view["place"]
    assert (place["kind"], place["owner"], place["player"]) == ("act", 1, 1)
    assert "K♠" in "".join(place["drawing"])
    assert sum(place["found"]["visits"]) == world["visits"] > 0
    assert place["found"]["before_filter"] == world["policy"]
    # It does not know our card: all but its own are possible.
    names = {row["name"] for row in place["beliefs"]["rows"]}
    assert names == {"J♠", "J♥", "Q♠", "Q♥", "K♥"}
    assert [crumb["owner"] for crumb in view["way"]] == [0, 0, 0, 1]


def test_a_way_goes_on_in_the_same_tree_and_to_the_end(leduc: Inspection) -> None:
    steps = [Step("action", 2), Step("piece", 4), Step("event", 1)]
    chance = shown(leduc, [0, 3], *steps)["place"]
    assert chance["kind"] == "chance"
    assert sum(chance["chances"]) == pytest.approx(1.0)
    own = shown(leduc, [0, 3], *steps, Step("event", 1))["place"]
    assert (own["kind"], own["owner"], own["player"]) == ("act", 0, 0)
    assert "raise, call" in "\n".join(own["drawing"])
    end = shown(leduc, [0, 3], *steps[:2], Step("event", 0))["place"]
    assert (end["kind"], end["utilities"]) == ("over", [1.0, -1.0])  # the ante of who folds


def test_drawn_pieces_agree_with_what_the_player_sees(leduc: Inspection) -> None:
    for seed in range(5):
        place = shown(leduc, [0, 3], Step("action", 1), Step("draw", seed), Step("enter", 0))
        assert "J♠" not in "".join(place["place"]["drawing"])


def test_steps_that_cannot_be_taken_are_left_out(leduc: Inspection) -> None:
    view = shown(leduc, [0, 3], Step("action", 2), Step("piece", 0), Step("enter", 0))
    assert view["steps"] == [["action", 2]]
    assert "0 is no hidden piece here" in view["left_out"]


def test_where_nothing_is_hidden_there_is_one_tree() -> None:
    inspection = page_helpers.inspection("tic_tac_toe")
    place = shown(inspection, [4], Step("action", 0), visits=50)["place"]
    assert (place["kind"], place["owner"], place["player"]) == ("act", 1, 0)
    assert place["beliefs"]["kind"] == "none"
    assert place["found"] is not None


def test_parts_of_actions_are_called_by_the_actions() -> None:
    inspection = page_helpers.inspection("leduc_poker", split_actions="always")
    assert shown(inspection, [0, 3])["place"]["names"] == ["Call", "Raise"]
    inspection = page_helpers.inspection("phantom_ttt", bayes=False, split_actions="always")
    names = shown(inspection, [], visits=5)["place"]["names"]
    assert "x(0,0)" in " / ".join(names)


def test_ucb_has_no_interval_where_nothing_was_tried() -> None:
    inspection = page_helpers.inspection(LEDUC, selection="ucb")
    found = shown(inspection, [0, 3, 2], visits=1)["place"]["found"]
    assert found["puct"].count(None) == found["visits"].count(0) == 2


def test_a_position_names_cards_and_who_moves() -> None:
    view = position_view(Hand(support(LEDUC), [0, 3, 2]))
    assert [event["name"] for event in view["events"]] == ["J♠", "Q♥", "P0 Raise"]
    assert [option["name"] for option in view["options"]] == ["P1 Fold", "P1 Call", "P1 Raise"]
    with pytest.raises(ValueError, match="7 is not legal in leduc_poker"):
        Hand(support(LEDUC), [0, 3, 7])


DRAWN = {
    ("kuhn_poker", (2, 0, 0), 1): ["│ J │", "moves so far: pass"],
    ("leduc_poker", (0, 5, 1, 1, 3), 0): ["│ J♠ │ │ Q♥ │", "first round: call, call"],
    ("liars_dice(numdice=2,dice_sides=4)", (2, 3, 1, 1, 0), 0): ["⚂ (3)  ⚃ (4)", "1 × 1"],
    ("goofspiel(num_cards=3,imp_info=True)", (0, 1, 2, 2), 1): ["│ 1 │ │ 2 │", "won by P1"],
    ("phantom_ttt", (4, 0, 8), 0): ["0 │   │   │   │", "1 │   │ x │   │", "2 │   │   │ x │"],
    ("dark_hex(board_size=3)", (4, 4), 1): ["  2 · x ·", "you are o: join left and right"],
    ("phantom_go(board_size=5)", (9, 10), 0): [" 2 · · · · ●", "you are ●"],
    ("dark_chess", (2425,), 0): ["8 ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜ 8", "4 ▒ ▒ ▒ ▒ ▒ ▒ ▒ ▒ 4", "you are black"],
    ("rbc", (10,), 1): ["1 ♖ ♘ ♗ ♕ ♔ ♗ ♘ ♖ 1", "8 ▒ ▒ ▒ ▒ ▒ ▒ ▒ ▒ 8"],
}
"""Lines that a player sees: by the game, a history and the seat."""


@pytest.mark.parametrize(("game", "history", "seat"), DRAWN)
def test_drawings_show_what_the_player_sees(game: str, history: tuple[int, ...], seat: int) -> None:
    hand = Hand(support(game), history)
    drawn = "\n".join(draw(hand.game.name, hand.shown_to(seat)))
    for line in DRAWN[game, history, seat]:
        assert line in drawn, drawn


def test_strings_of_another_version_are_shown_as_they_are() -> None:
    assert draw("kuhn_poker()", Sight(0, "a new format", "")) == ["a new format"]
    assert draw("dark_chess()", Sight(0, "", "no board")) == ["no board"]
    assert draw("no_such_game()", Sight(0, "known", "seen")) == ["seen", "", "known"]


def test_outcomes_are_called_by_card_and_die() -> None:
    assert event_name("leduc_poker()", -1, 5, "Chance outcome:5") == "K♥"
    assert event_name("leduc_poker(suit_isomorphism=True)", -1, 2, "?") == "K"
    assert event_name("liars_dice()", -1, 2, "?") == "⚂ (3)"
    assert event_name("bridge()", -1, 2, "C4") == "C4"
    assert event_name("kuhn_poker()", 1, 0, "Pass") == "P1 Pass"


def test_the_last_search_is_kept_while_a_person_walks(leduc: Inspection) -> None:
    hand, asked = Hand(leduc.game, [0, 3]), Asked(30, 0.1)
    searched = leduc.search(hand, asked)
    assert leduc.search(Hand(leduc.game, [0, 3]), Asked(30, 0.1)) is searched
    assert leduc.search(hand, Asked(30, 0.2)) is not searched


def test_worlds_that_were_drawn_stay_while_a_person_walks() -> None:
    inspection = page_helpers.inspection("hearts", bayes=False)
    hand = Hand(inspection.game)
    hand.deal(np.random.default_rng(0))
    hand.apply(hand.options()[0].action)
    while hand.is_chance:
        hand.deal(np.random.default_rng(1))
    view = search_view(inspection, hand, Asked(10, 0.05), [])
    steps = [Step("action", view["place"]["numbers"][0])]
    for seed in range(6):
        view = search_view(inspection, hand, Asked(10, 0.05), steps)
        assert view["left_out"] is None
        place = view["place"]
        kind = {"sample": "draw", "opponent": "enter", "act": "action"}[place["kind"]]
        steps.append(Step(kind, place["numbers"][0] if kind == "action" else seed))
    assert len({crumb["owner"] for crumb in view["way"]}) > 1
