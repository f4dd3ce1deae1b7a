"""A person against the bot: what it is shown, what is taken back, told and counted."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator
from typing import Any

import page_helpers
import pyspiel
import pytest

from nash_ismcts_spiel import cli
from nash_ismcts_spiel.page.table import Score, Table
from nash_ismcts_spiel.page.terminal import Terminal


def played(table: Table, *lines: str, hands: int | None = None) -> str:
    """What a person reads who types these lines."""
    given, written = iter(lines), list[str]()

    def read(question: str) -> str:
        written.append(question)
        try:
            line = next(given)
        except StopIteration:
            raise EOFError from None
        written[-1] += line
        return line

    Terminal(table, read, written.append).run(hands)
    assert next(given, None) is None, "lines are left"
    return "\n".join(written)


def to_the_end(table: Table) -> Iterator[Any]:
    """Makes the first move again and again."""
    while not table.over:
        table.move(table.view()["moves"][0][0])
        yield table.view()


def test_a_move_is_taken_back_and_the_same_comes_again() -> None:
    table = page_helpers.table("leduc_poker", seat=0)
    first = table.view()
    assert [name for _, name in first["moves"]] == ["Call", "Raise"]
    table.move(2)
    after = table.view()
    table.undo()
    assert table.view()["drawing"] == first["drawing"]
    assert table.view()["taken_back"] and not table.can_undo
    table.move(2)
    # The same deal and the same answer of the bot.
    assert table.view()["drawing"] == after["drawing"]
    for _ in to_the_end(table):
        pass
    assert table.over
    assert table.score.won == []
    assert table.score.not_counted == 1


def test_a_bot_that_draws_cannot_be_asked_twice() -> None:
    usual = page_helpers.table("leduc_poker", seat=0)
    table = Table(usual.game, pyspiel.make_uniform_random_bot, usual._inspection, 0)
    seen = set()
    for _ in range(12):
        table.move(1)
        seen.add("\n".join(table.view()["drawing"]))
        table.undo()
    assert len(seen) == 1


def test_a_whole_hand_of_leduc_with_undo(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    # The person raises, takes it back, always calls, and asks afterwards what the bot thought.
    lines = ["Raise", "u", "call", *["call"] * 6, "w", "q"]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + "\n"))
    assert cli.main("play --game leduc_poker --seat 0 --visits 20 --seed 0".split()) == 0
    out = capsys.readouterr().out
    assert "hand 1 of leduc_poker(), you are player 0" in out
    assert "1  Call" in out and "2  Raise" in out
    assert out.count("first round: no bets yet") == 2  # again after the undo
    assert "the hand is over, you won" in out
    assert "(not counted: a move was taken back)" in out
    assert "what happened: " in out
    assert "its mix, from which it drew" in out
    assert "its beliefs of what was hidden" in out
    assert out.rstrip().endswith("score: no hand yet; 1 not counted")


def test_hands_end_by_themselves_and_are_scored(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("pass\npass\n\npass\npass\n\n" * 3))
    assert cli.main("play --game kuhn_poker --hands 2 --visits 10 --seed 0".split()) == 0
    out = capsys.readouterr().out
    assert "you are player 0" in out and "you are player 1" in out
    assert "per hand over 2 hands" in out and "(95%)" in out


def test_deals_differ_from_time_to_time_and_can_be_had_again(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr("secrets.randbelow", lambda most: most - 7)
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    assert cli.main("play --game leduc_poker --visits 5".split()) == 0
    drawn = capsys.readouterr().out
    assert drawn.startswith("seed 2147483641\n")
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    assert cli.main("play --game leduc_poker --visits 5 --seed 2147483641".split()) == 0
    assert capsys.readouterr().out == drawn.partition("\n")[2]


def test_words_that_are_no_moves_are_refused_and_the_hand_goes_on() -> None:
    table = page_helpers.table("kuhn_poker", seat=0)
    text = played(table, "9", "x", "", "u", "q")
    assert "'9' is no move; type a number from 1 to 2 or a name" in text
    assert "'x' is no move" in text and "'' is no move" in text
    assert "there is no move of yours to take back" in text
    assert text.endswith("score: no hand yet")
    many = page_helpers.table("liars_dice", seat=0, bayes=False)
    assert "'1-' may be 1-1 or 1-2" in played(many, "1-", "q")


def test_after_a_hand_it_can_be_taken_back_again() -> None:
    table = page_helpers.table("kuhn_poker", seat=1)
    text = played(table, "1", "?", "u", "2", "q")
    assert "'?' is none of these" in text
    assert table.score.won == [] and table.score.not_counted == 1


def test_a_person_sees_the_same_whatever_the_bot_holds() -> None:
    seen: dict[int, set[str]] = {}
    held: dict[int, set[int]] = {}
    for seed in range(25):
        table = page_helpers.table("leduc_poker", seat=0, seed=seed, bayes=False)
        own, other = table._hand.history
        seen.setdefault(own, set()).add(json.dumps(table.view()))
        held.setdefault(own, set()).add(other)
    assert all(len(views) == 1 for views in seen.values())
    assert max(map(len, held.values())) > 2


def test_what_the_bot_thought_is_told_afterwards_and_not_before() -> None:
    table = page_helpers.table("leduc_poker", seat=1)
    with pytest.raises(ValueError, match="told when the hand is over"):
        table.afterwards()
    for _ in to_the_end(table):
        pass
    told = table.afterwards()
    assert len(told["events"]) == len(told["history"])
    decision = told["decisions"][0]
    assert decision["seat"] == 0
    assert sum(share for _, share in decision["mix"]) == pytest.approx(1.0)
    assert decision["chose"] in [name for name, share in decision["mix"] if share > 0]
    rows = decision["beliefs"]["rows"]
    assert sum(row["h"] for row in rows) == pytest.approx(1.0)
    # Nobody knows anything before the first move: five cards, all alike.
    assert [row["bayes"] for row in rows] == pytest.approx([0.2] * 5)
    own = "".join(decision["drawing"])
    assert told["events"][0] in own and told["events"][1] not in own


def test_scores_have_a_confidence_interval() -> None:
    score = Score([1.0, -1.0, 3.0, 1.0])
    view = score.view()
    # The mean is 1, the standard deviation sqrt(8 / 3), and 1.96 its quantile.
    assert view["mean"] == 1.0
    assert view["half_width"] == pytest.approx(1.96 * math.sqrt(8 / 3) / 2, rel=1e-3)
    assert score.words() == "score: +1.00 ± 1.60 (95%) per hand over 4 hands"
    assert Score([2.0]).view()["half_width"] is None
    assert Score([2.0], 1).words() == "score: +2.00 per hand over 1 hand; 1 not counted"


def test_seats_change_and_a_hand_that_is_left_does_not_count() -> None:
    table = page_helpers.table("kuhn_poker")
    assert table.seat == 0
    table.deal()
    assert (table.seat, table.number, table.score.not_counted) == (1, 2, 1)
    with pytest.raises(ValueError, match="there is no seat 2"):
        page_helpers.table("kuhn_poker", seat=2)


@pytest.mark.parametrize(
    "game",
    ["liars_dice(dice_sides=3)", "goofspiel(num_cards=3,imp_info=True)", "phantom_ttt",
     "dark_hex(board_size=2)", "tic_tac_toe", "kuhn_poker(players=3)", "tiny_hanabi"],
)  # fmt: skip
def test_other_games_are_played_to_their_end(game: str) -> None:
    table = page_helpers.table(game, visits=5)
    for view in to_the_end(table):
        assert view["drawing"]
    assert len(table.score.won) == 1
    json.dumps(table.afterwards(), allow_nan=False)
