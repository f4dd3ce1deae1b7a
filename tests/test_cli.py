"""The command line: what it prints, and that every mistake is one line and exit code 2."""

import json
import re

import numpy as np
import pytest

import nash_ismcts_spiel
from nash_ismcts_spiel import SearchConfig, cli, make_bot
from nash_ismcts_spiel.games import support


def run(capsys, *argv):
    code = cli.main(argv)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def search_json(capsys, *argv):
    code, out, err = run(capsys, "search", "--json", *argv)
    assert (code, err) == (0, "")
    return json.loads(out)


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"nash-ismcts {nash_ismcts_spiel.__version__}\n"


def test_games_lists_every_registered_game_and_says_why_some_are_refused(capsys):
    code, out, err = run(capsys, "games", "--json")
    games = {game["game"]: game for game in json.loads(out)}
    assert code == 0
    for exact in ("kuhn_poker", "python_kuhn_poker", "leduc_poker"):
        assert (games[exact]["grade"], games[exact]["reason"]) == ("exact", "")
    assert games["hearts"]["grade"] == "learned"
    assert (games["hearts"]["players"], games["hearts"]["hidden"]) == (4, "chance and moves")
    assert games["tic_tac_toe"]["hidden"] == "nothing"
    assert games["solitaire"]["grade"] != "refused"
    assert "cannot be listed" in games["tarok"]["reason"]
    assert "mean-field" in games["mfg_garnet"]["reason"]
    assert "without parameters" in games["misere"]["reason"]
    assert sum(game["grade"] != "refused" for game in games.values()) > 100


def test_every_game_that_is_not_refused_was_measured(capsys):
    games = json.loads(run(capsys, "games", "--json")[1])
    of_tests = {"noisy_signal"}  # registered here once test_posteriors.py was imported
    unmeasured = {g["game"] for g in games if g["grade"] != "refused" and g["outcome"] is None}
    assert unmeasured <= of_tests


def test_games_filter(capsys):
    code, out, _ = run(capsys, "games", "--filter", "kuhn")
    lines = out.splitlines()
    assert code == 0
    assert lines[1].split()[:4] == ["kuhn_poker", "exact", "2", "6e+01"]
    assert lines[2].split()[:3] == ["python_kuhn_poker", "exact", "2"]
    assert lines[3].startswith("2 exact, 0 learned, 0 search only, 0 refused")


def test_games_survives_a_game_that_breaks(capsys, monkeypatch):
    def broken(name):
        raise RuntimeError(f"{name}\nis broken")

    monkeypatch.setattr("nash_ismcts_spiel.games.grades.support", broken)
    code, out, _ = run(capsys, "games", "--filter", "leduc_poker")
    assert code == 0
    assert "leduc_poker           refused: leduc_poker is broken\n" in out


def test_search_shows_what_the_bot_found(capsys):
    history = "1,2,1"
    shown = search_json(capsys, "--game", "kuhn_poker", "--history", history, "--seed", "3")
    state = support("kuhn_poker").initial_state()
    for action in (1, 2, 1):
        state.apply_action(action)
    result = make_bot("nash_ismcts", "kuhn_poker", 1, seed=3).search(state)
    assert shown["history"] == [1, 2, 1]
    assert shown["key"]["player"] == 1
    assert shown["visits"] == list(result.visits)
    assert shown["policy"] == list(result.policy)
    assert shown["q"] == [list(interval) for interval in result.q]
    assert shown["simulations"] - shown["pondered"] == shown["config"]["visits"] == 5000


def test_search_does_not_depend_on_what_is_hidden(capsys):
    shown = [
        search_json(capsys, "--game", "kuhn_poker", "--history", history)
        for history in ("0,1,1", "2,1,1")
    ]
    assert shown[0].pop("history") != shown[1].pop("history")
    assert shown[0] == shown[1]


def test_search_table(capsys):
    arguments = ["--game", "leduc_poker", "--random-moves", "2", "--visits", "30"]
    code, out, err = run(capsys, "search", *arguments)
    assert (code, err) == (0, "")
    assert "by nash_ismcts: 30 visits, seed 0\n" in out
    code, out, err = run(capsys, "search", *arguments, "--bot", "nash_ismcts_notes")
    assert "30 visits, dispersion radius 0.05, seed 0\n" in out
    number = r" +(-?[\d.]+)"
    rows = re.findall(rf"^{number * 6}  \w+$", out, re.M)
    actions, visits, lows, highs, prior, policy = np.array(rows, dtype=float).T
    assert len(actions) >= 2
    assert visits.sum() == 30
    assert (lows <= highs).all()
    assert prior.sum() == pytest.approx(1.0, abs=1e-3)
    assert policy.sum() == pytest.approx(1.0, abs=1e-3)
    assert "[Private: " in out


def test_search_options_reach_the_bot(capsys):
    shown = search_json(
        capsys, "--game", "kuhn_poker", "--bot", "a_ismcts", "--visits", "17",
        "--dispersion-radius", "0.3",
    )  # fmt: skip
    changed = SearchConfig.preset("a_ismcts", visits=17, dispersion_radius=0.3)
    assert shown["config"] == changed.to_dict()
    assert sum(shown["visits"]) == 17
    preset = search_json(capsys, "--game", "kuhn_poker", "--bot", "mt_ismcts", "--visits", "5")
    assert preset["config"] == SearchConfig.preset("mt_ismcts", visits=5).to_dict()


def test_search_plays_random_moves_by_seed(capsys):
    histories = [
        search_json(
            capsys, "--game", "leduc_poker", "--random-moves", "2", "--visits", "2",
            "--seed", str(seed),
        )["history"]
        for seed in (0, 0, 1, 2, 3)
    ]  # fmt: skip
    assert histories[0] == histories[1]
    assert len({tuple(history) for history in histories}) > 1


def test_search_takes_simultaneous_and_perfect_information_games(capsys):
    shown = search_json(capsys, "--game", "matrix_rps", "--history", "2", "--visits", "9")
    assert (shown["key"]["player"], len(shown["actions"])) == (1, 3)
    _, out, _ = run(capsys, "search", "--game", "tic_tac_toe", "--history", "4", "--visits", "9")
    assert "nothing is hidden from it" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("serch", "invalid command 'serch'; did you mean 'search'?"),
        ("--vresion", "unknown option --vresion; did you mean '--version'?"),
        ("search --gmae kuhn_poker", "unknown option --gmae; did you mean '--game'?"),
        ("search --game kuhn_poker --visit 3", "unknown option --visit; did you mean '--visits'?"),
        ("compare --seconds 3", "this command counts CPU time: --cpu-seconds"),
        ("exploit --seconds 3", "this command counts CPU time: --cpu-seconds"),
        ("search --game kuhn_poker --set c_pict=2", "SearchConfig key 'c_pict'; did you mean"),
        ("search --game kuhn_poker --import no_such_module", "no_such_module cannot be imported"),
        ("search --game kuhn_poker --import bots:Mine", "is --bot MODULE:MAKER"),
        ("match --game kuhn_poker --players nash_ismct,uniform", "did you mean 'nash_ismcts'?"),
        ("compare --games kuhn_poker --methods cfr_pus --out x", "did you mean 'cfr_plus'?"),
        ("search", "required: --game"),
        ("search --game kuhn_pker", "unknown game 'kuhn_pker'; did you mean 'kuhn_poker'"),
        ("search --game kuhn_poker(players=99)", "cannot load the game"),
        ("search --game tarok", "cannot be listed"),
        ("search --game kuhn_poker --history 0,0", "0 is not legal in kuhn_poker() after [0]"),
        ("search --game kuhn_poker --history 0,x", "must be numbers and commas"),
        ("search --game kuhn_poker --history 0", "chance is to move"),
        ("search --game kuhn_poker --history 0,1,0,0", "the game is over"),
        ("search --game kuhn_poker --history 0,1,0,0,0", "legal are []"),
        ("search --game kuhn_poker --history 0,1 --random-moves 1", "not allowed with"),
        ("search --game kuhn_poker --random-moves 9", "was over after"),
        ("search --game kuhn_poker --random-moves -1", "must not be negative"),
        ("search --game kuhn_poker --seed -1", "must not be negative"),
        ("search --game kuhn_poker --visits 0", "visits must be from 1 to 2e+09"),
        ("search --game kuhn_poker --visits many", "invalid int value"),
        ("search --game kuhn_poker --dispersion-radius 3", "from 0 to 2"),
        (
            "search --game kuhn_poker --bot a_ismct",
            "invalid choice 'a_ismct'; did you mean 'a_ismcts'?",
        ),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(capfd, arguments, message):
    code = cli.main(arguments.split())
    captured = capfd.readouterr()
    assert code == 2
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.startswith("nash-ismcts: error: ")
    assert captured.err.count("\n") == 1
