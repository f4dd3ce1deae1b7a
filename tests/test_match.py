"""The resampler, OpenSpiel's IS-MCTS on top of it, searches limited by time, and matches."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from pathlib import Path
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy

from benchmarks.growing_search import has_own_resampler
from benchmarks.positions import early_middle_late
from exploitability import measure
from nash_ismcts_spiel import NashIsmctsBot, SearchConfig, cli, make_bot
from nash_ismcts_spiel.baselines.openspiel import IsmctsBot
from nash_ismcts_spiel.games import NoWorldFoundError, support
from nash_ismcts_spiel.games.merged import merged_game
from nash_ismcts_spiel.games.resample import Resampler
from nash_ismcts_spiel.harness import BotPolicy, PolicyBot, ViewBot, ViewPolicy
from nash_ismcts_spiel.match import play, round_robin

GAMES = [
    helpers.KUHN,
    helpers.LEDUC,
    helpers.LIARS_3,
    helpers.GOOFSPIEL_3,
    helpers.DARK_HEX_2,
    helpers.PHANTOM_TTT,
]


# The resampler.


@pytest.mark.parametrize("name", GAMES)
def test_resampled_worlds_agree_with_what_the_player_has_seen(name: str) -> None:
    game, rng = helpers.load(name), np.random.default_rng(1)
    resample = Resampler(game, seed=2)
    for _ in range(5):
        for state in helpers.decisions(game, rng):
            history, player = state.history(), state.current_player()
            found = resample(state, player)
            assert state.history() == history
            assert found.current_player() == player
            assert found.legal_actions() == state.legal_actions()
            seen = found.information_state_string(player)
            assert seen == state.information_state_string(player)


def test_resampling_gives_chance_outcomes_their_probabilities() -> None:
    game = helpers.load(helpers.LEDUC)
    state = helpers.state_after(game, [0, 3])
    resample = Resampler(game, seed=0)
    counts = Counter(resample(state, 0).history()[1] for _ in range(5000))
    assert sorted(counts) == [1, 2, 3, 4, 5]  # any card but the own one, all as likely
    assert all(abs(count / 5000 - 0.2) < 0.03 for count in counts.values())


def test_resampling_does_not_look_at_what_is_hidden() -> None:
    game = helpers.load(helpers.LIARS_3)
    for first, second in helpers.world_pairs(game, 10, seed=3):
        draws = [
            [resample(state, state.current_player()).history() for _ in range(20)]
            for state in (first, second)
            for resample in [Resampler(game, seed=5)]
        ]
        assert draws[0] == draws[1]


def test_a_small_memory_changes_no_promise() -> None:
    game = helpers.load(helpers.PHANTOM_TTT)
    states = list(helpers.decisions(game, np.random.default_rng(0)))
    resample = Resampler(game, seed=0, max_worlds=20)
    for state in states * 3:
        found = resample(state, state.current_player())
        assert found.information_state_string() == state.information_state_string()
        assert len(resample._graph.worlds) < 2000


def test_which_games_have_a_resampler_of_their_own() -> None:
    assert has_own_resampler(helpers.LEDUC)
    assert not has_own_resampler(helpers.LIARS_3)
    assert not has_own_resampler("crazy_eights")  # an eight is never turned up


# OpenSpiel's IS-MCTS.


@pytest.mark.parametrize("name", GAMES)
def test_ismcts_plays_games_in_openspiels_harness(name: str) -> None:
    game = helpers.load(name)
    bots = [make_bot("ismcts_openspiel", game, p, seed=p, simulations=20) for p in range(2)]
    returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, 1)
    assert sum(returns) == pytest.approx(0.0)


@pytest.mark.parametrize("max_world_samples", [-1, 1, 32, 1000])
@pytest.mark.parametrize("final_policy", ["visit_shares", "most_visits"])
def test_ismcts_tells_its_final_policy(final_policy: str, max_world_samples: int) -> None:
    game = helpers.load(helpers.LEDUC)
    state = helpers.state_after(game, [0, 3, 1])
    bot = make_bot(
        "ismcts_openspiel", game, 1, seed=4, simulations=201, final_policy=final_policy,
        max_world_samples=max_world_samples,
    )  # fmt: skip
    actions, found = zip(*bot.get_policy(state), strict=True)
    assert list(actions) == state.legal_actions()
    shares = np.array(found)
    assert shares.sum() == pytest.approx(1.0)
    assert (shares.max() == 1.0) == (final_policy == "most_visits")
    assert np.allclose(shares * 200, np.round(shares * 200))  # the first simulation makes the root


def test_ismcts_is_openspiels_with_worlds_of_ours() -> None:
    """Where OpenSpiel's own resampler is honest, its bot and the peer agree in distribution."""
    game = helpers.load(helpers.LEDUC)
    state = helpers.state_after(game, [0, 3, 1])
    settings = {"simulations": 400, "uct_c": 6.0}
    ours = [make_bot("ismcts_openspiel", game, 1, seed=s, **settings) for s in range(60)]
    theirs = [
        pyspiel.ISMCTSBot(s, pyspiel.RandomRolloutEvaluator(1, s), 6.0, 400) for s in range(60)
    ]
    found = [
        np.array([[dict(bot.get_policy(state))[a] for a in state.legal_actions()] for bot in bots])
        for bots in (ours, theirs)
    ]
    error = np.sqrt(sum(shares.var(axis=0) for shares in found) / 60)
    assert (np.abs(found[0].mean(axis=0) - found[1].mean(axis=0)) < 4 * error).all()


def test_ismcts_gets_worlds_of_its_mover_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    game, drawn = helpers.load(helpers.LEDUC), []
    histories = Resampler.histories

    def kept(self: Resampler, state: Any, player: int, count: int) -> list[list[int]]:
        drawn.append((count, histories(self, state, player, count)))
        return drawn[-1][1]

    monkeypatch.setattr(Resampler, "histories", kept)
    state = helpers.state_after(game, [0, 3, 1])
    bot = IsmctsBot(game, 1, seed=1, simulations=500, max_world_samples=32)
    bot.get_policy(state)
    ((count, worlds),) = drawn  # once a move, all at one time
    assert count == len(worlds) == 32
    assert {world[1] for world in worlds} == {3}
    assert {world[0] for world in worlds} == {0, 1, 2, 4, 5}


def test_ismcts_draws_at_random_where_no_world_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(self: Resampler, state: Any, player: int) -> int:
        raise NoWorldFoundError("none")

    monkeypatch.setattr(Resampler, "observe", none)
    bot = IsmctsBot(helpers.LEDUC, 0, simulations=10)
    with pytest.warns(RuntimeWarning, match="a move is drawn at random"):
        found = bot.get_policy(helpers.state_after(helpers.load(helpers.LEDUC), [0, 3]))
    assert found == [(1, 0.5), (2, 0.5)]


def test_ismcts_can_be_measured_where_openspiel_cannot_run_it() -> None:
    found = measure(
        helpers.LIARS_2,
        lambda player, seed: make_bot(
            "ismcts_openspiel", helpers.LIARS_2, player, seed=seed, simulations=50
        ),
        seed=0,
    )
    assert 0.0 < found.exploitability < 1.0


@pytest.mark.parametrize("seconds", [1e-9, 0.1])
def test_ismcts_stops_when_its_time_is_up(seconds: float) -> None:
    state = helpers.state_after(helpers.load(helpers.LEDUC), [0, 3])
    bot = IsmctsBot(helpers.LEDUC, 0, seconds_per_move=seconds)
    bot.get_policy(state)
    started = time.perf_counter()
    shares = dict(bot.get_policy(state))
    assert time.perf_counter() - started < seconds + 0.1
    assert sum(shares.values()) == pytest.approx(1.0)
    few = max(shares.values()) == 1.0
    assert few == (seconds < 0.1)  # the first simulation makes the root, the second visits once


@pytest.mark.parametrize(
    ("name", "game", "settings", "words"),
    [
        ("ismcts_openspiel", helpers.TIC_TAC_TOE, {}, "hides nothing"),
        ("ismcts_openspiel", helpers.KUHN, {"simulations": 1}, "simulations must be at least 2"),
        ("ismcts_openspiel", helpers.KUHN, {"seconds_per_move": 0.0}, "must be positive"),
        ("ismcts_openspiel", helpers.KUHN, {"uct_c": -1.0}, "uct_c must not be negative"),
        ("ismcts_openspiel", helpers.KUHN, {"max_world_samples": 0}, "must be positive or -1"),
        ("ismcts_openspiel", helpers.KUHN, {"final_policy": "best"}, "final_policy must be"),
    ],
)
def test_ismcts_refuses(name: str, game: str, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make_bot(name, game, 0, **settings)


@pytest.mark.parametrize("name", ["ismcts_openspiel", "oos", "smooth_uct"])
def test_peers_refuse_states_that_are_not_a_players(name: str) -> None:
    bot = make_bot(name, helpers.LEDUC, 0, simulations=5)
    for state in (helpers.load(helpers.LEDUC), helpers.load(helpers.KUHN)):
        with pytest.raises(ValueError, match="no player of leduc_poker"):
            bot.get_policy(helpers.state_after(state, []))


@pytest.mark.parametrize("wrong", [None, 3, "0 1", helpers.load(helpers.LEDUC)])
@pytest.mark.parametrize("name", ["ismcts_openspiel", "oos", "smooth_uct"])
def test_peers_refuse_what_is_not_a_state(name: str, wrong: Any) -> None:
    bot = make_bot(name, helpers.LEDUC, 0, simulations=5)
    for ask in (bot.step, bot.get_policy, bot.step_with_policy):
        with pytest.raises(TypeError, match=r"expected a pyspiel\.State, not"):
            ask(wrong)


def test_bots_of_policies_refuse_what_is_not_a_state() -> None:
    game = helpers.load("dark_hex(board_size=2)")
    uniform = policy.UniformRandomPolicy(game)
    merged = merged_game(game)
    for bot in (
        PolicyBot(uniform, 0),
        ViewBot(merged, 0, lambda player, seed: PolicyBot(uniform, player, seed)),
    ):
        for ask in (bot.step, bot.get_policy, bot.step_with_policy):
            with pytest.raises(TypeError, match=r"expected a pyspiel\.State, not None"):
                ask(None)
    for asked in (BotPolicy(game, PolicyBot(uniform, 0)), ViewPolicy(merged, uniform)):
        with pytest.raises(TypeError, match=r"expected a pyspiel\.State, not None"):
            asked.action_probabilities(None)


def test_no_match_in_a_game_that_stops_without_an_end() -> None:
    """OpenSpiel's uniform bot would crash the process."""
    uniform = pyspiel.make_uniform_random_bot
    with pytest.raises(ValueError, match="cannot be played to its end"):
        round_robin(support("dark_hex(board_size=1)"), {"a": uniform, "b": uniform}, 1)


# Searches limited by time.


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_search_in_portions_is_the_same_search(engine: str) -> None:
    state = helpers.state_after(helpers.load(helpers.KUHN), [0, 1])
    config = SearchConfig(visits=96, engine=engine, search="notes")  # type: ignore[arg-type]
    whole = NashIsmctsBot(helpers.KUHN, 0, config=config, seed=3)
    parts = NashIsmctsBot(helpers.KUHN, 0, config=config, seed=3)
    expected = whole.search(state)
    information_set = parts._graph.observe(state, 0)
    for visits in (32, 64, 96):
        found = parts._engine.search(information_set, parts._rng, visits)
    assert found.visits == expected.visits
    assert found.policy == expected.policy


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("name", ["nash_ismcts", "nash_ismcts_notes"])
def test_a_bot_searches_for_its_time(name: str, engine: str) -> None:
    state = helpers.state_after(helpers.load(helpers.LEDUC), [0, 3])
    bot = make_bot(name, helpers.LEDUC, 0, seconds=0.1, engine=engine, visits=1)
    result = bot.search(state)
    assert result.stopped_by == "seconds"
    assert result.simulations >= sum(result.visits) > 1
    again = bot.search(state)
    if name == "nash_ismcts":  # what has been thought about is settled
        assert (again.simulations, again.policy) == (0, result.policy)
    else:
        assert sum(again.visits) > sum(result.visits)  # kept ones included
    assert bot.clone()._seconds == 0.1
    with pytest.raises(ValueError, match="seconds must be positive"):
        make_bot(name, helpers.LEDUC, 0, seconds=0.0)


# Matches.


class Listener(pyspiel.Bot):  # type: ignore[misc]
    """Always takes one of the legal actions, by index, and writes down what it is told."""

    def __init__(self, index: int) -> None:
        pyspiel.Bot.__init__(self)
        self.index = index
        self.told: list[tuple[int, int]] = []
        self.restarts = 0

    def step(self, state: Any) -> int:
        legal = state.legal_actions()
        return int(legal[self.index])

    def restart(self) -> None:
        self.restarts += 1

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        self.told.append((player_id, action))


def test_a_hand_has_the_same_deal_in_both_seatings() -> None:
    told: list[list[tuple[int, int]]] = []

    def player(index: int) -> Any:
        def make(seat: int, seed: int) -> Listener:
            bot = Listener(index)
            told.append(bot.told)
            return bot

        return make

    # One always calls and the other always raises, so the cards alone decide.
    players = {"call": player(0), "raise": player(-1)}
    (pairing,) = round_robin(support(helpers.LEDUC), players, hands=20, seed=1)
    chance = [[action for mover, action in each if mover < 0] for each in told]
    assert len(chance[0]) >= 40
    assert chance[0] == chance[1] == chance[2] == chance[3]
    assert pairing.mean == (-pairing.mean[1], pairing.mean[1])


def test_a_player_against_its_double_ends_level() -> None:
    policy = pyspiel.UniformRandomPolicy(pyspiel.load_game(helpers.KUHN))
    fixed = {name: lambda seat, seed: Listener(0) for name in ("one", "other")}
    (pairing,) = round_robin(support(helpers.KUHN), fixed, hands=10)
    assert pairing.mean == (0.0, 0.0)  # duplicate deals: luck cancels to the last unit
    assert pairing.half_width == (0.0, 0.0)
    mixed = {n: lambda seat, seed: PolicyBot(policy, seat, seed) for n in ("one", "other")}
    (pairing,) = round_robin(support(helpers.KUHN), mixed, hands=200)
    assert abs(pairing.mean[0]) < 2 * pairing.half_width[0]


def test_the_confidence_interval_is_that_of_the_hands() -> None:
    game, won = support(helpers.KUHN), []
    for hand in range(30):
        deal = [np.random.default_rng([7, 2, hand]) for _ in range(2)]
        there = play(game, [Listener(1), Listener(0)], deal[0])[0]
        back = play(game, [Listener(0), Listener(1)], deal[1])[1]
        won.append((there + back) / 2)
    players = {"bet": lambda s, e: Listener(1), "pass": lambda s, e: Listener(0)}
    (pairing,) = round_robin(game, players, hands=30, seed=7)
    assert pairing.mean[0] == pytest.approx(np.mean(won))
    assert pairing.half_width[0] == pytest.approx(1.96 * np.std(won, ddof=1) / 30**0.5, rel=1e-4)
    (single,) = round_robin(game, players, hands=1, seed=7)
    assert math.isnan(single.half_width[0])


def test_bots_get_the_harness_calls() -> None:
    bots = [Listener(0), Listener(1)]
    play(support(helpers.KUHN), bots, np.random.default_rng(0))
    assert [bot.restarts for bot in bots] == [1, 1]
    movers = [[mover for mover, _ in bot.told] for bot in bots]
    assert movers == [[-1, -1, 1], [-1, -1, 0, 0]]  # pass, bet, pass


def test_an_illegal_move_is_named() -> None:
    class Cheat(Listener):
        def step(self, state: Any) -> int:
            return 99

    with pytest.raises(ValueError, match="seat 1 chose the illegal action 99"):
        play(support(helpers.KUHN), [Listener(0), Cheat(0)], np.random.default_rng(0))


def test_policy_bots_take_a_sure_action_number_0() -> None:
    class Sure:
        def action_probabilities(self, state: Any) -> dict[int, float]:
            return {0: 1.0}

    state = helpers.state_after(helpers.load(helpers.KUHN), [0, 1])
    assert PolicyBot(Sure(), 0).step_with_policy(state) == ([(0, 1.0), (1, 0.0)], 0)


# The command.


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = cli.main(["match", *argv])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_networks_that_come_with_the_package_play_without_search(
    capsys: pytest.CaptureFixture[str],
) -> None:
    players = ["--game", helpers.KUHN, "--players", "pretrained,uniform"]
    code, out, _ = run(capsys, *players, "--hands", "300", "--json")
    (pairing,) = json.loads(out)["pairings"]
    assert code == 0
    assert pairing["players"] == ["pretrained", "uniform"]
    assert pairing["mean"][0] > 0.0  # uniform play loses .46 a game to a best response


def test_match_prints_and_writes_every_pairing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    training = tmp_path / "run"
    trained = ["train", "--game", helpers.KUHN, "--generations", "30", "--out", str(training)]
    assert cli.main(trained) == 0
    capsys.readouterr()
    arguments = [
        "--game", helpers.KUHN, "--players", f"run:{training},nash_ismcts,uniform",
        "--checkpoint", str(training), "--hands", "60", "--visits", "50",
    ]  # fmt: skip
    code, out, err = run(capsys, *arguments)
    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 3 + 1 + 6
    first = json.loads(run(capsys, *arguments, "--json")[1])
    found = json.loads(run(capsys, *arguments, "--json")[1])
    assert found["pairings"] == first["pairings"]
    assert found["game"] == "kuhn_poker()"
    assert len(found["pairings"]) == 3
    for pairing in found["pairings"]:
        assert sum(pairing["mean"]) == pytest.approx(0.0)
    beaten = {tuple(p["players"]): p["mean"][0] for p in found["pairings"]}
    assert beaten[f"run:{training}", "uniform"] > 0.0


@pytest.mark.parametrize("name", [helpers.KUHN_3, "euchre"])
def test_one_player_sits_in_every_seat_in_turn(name: str) -> None:
    game, asked = support(name), Counter[tuple[str, int]]()

    def maker(player: str) -> Any:
        def make(seat: int, seed: int) -> Any:
            asked[player, seat] += 1
            return pyspiel.make_uniform_random_bot(seat, seed)

        return make

    (pairing,) = round_robin(game, {"one": maker("one"), "many": maker("many")}, hands=5)
    seats = game.num_players
    assert asked == Counter(
        {("one", k): 1 for k in range(seats)} | {("many", k): seats - 1 for k in range(seats)}
    )
    if name == helpers.KUHN_3:  # zero-sum
        assert pairing.mean[0] + (seats - 1) * pairing.mean[1] == pytest.approx(0.0)


def test_who_bluffs_at_random_loses_in_every_seat_of_three_player_kuhn() -> None:
    def bettor(seat: int, seed: int) -> Any:
        return pyspiel.make_stateful_random_bot(support(helpers.KUHN_3).pyspiel_game, seat, seed)

    def ours(seat: int, seed: int) -> Any:
        config = SearchConfig(visits=200)
        return NashIsmctsBot(helpers.KUHN_3, seat, config=config, seed=seed)

    (pairing,) = round_robin(support(helpers.KUHN_3), {"ours": ours, "random": bettor}, hands=60)
    assert pairing.mean[0] - pairing.half_width[0] > 0.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--game", "catch", "--players", "uniform,nash_ismcts"], "two seats or more"),
        (["--game", "kuhn_poker", "--players", "uniform"], "two or more different names"),
        (["--game", "kuhn_poker", "--players", "uniform,uniform"], "two or more different names"),
        (["--game", "kuhn_poker", "--players", "uniform,nobody"], "unknown player 'nobody'"),
        (["--game", "kuhn_poker", "--players", "uniform,no:bot"], "no:bot cannot be imported"),
        (["--game", "kuhn_poker", "--players", "uniform,run:nowhere"], "nowhere has no run"),
        (["--game", "tic_tac_toe", "--players", "uniform,ismcts_openspiel"], "hides nothing"),
        (["--game", "kuhn_poker", "--players", "uniform,a_ismcts", "--hands", "0"], "--hands"),
        (
            ["--game", "kuhn_poker", "--players", "uniform,a_ismcts", "--seconds-per-move", "nan"],
            "--seconds-per-move must be positive",
        ),
    ],
)
def test_match_refuses_in_one_line(
    capfd: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    code = cli.main(["match", *arguments])
    err = capfd.readouterr().err
    assert code == 2
    assert words in err
    assert len(err.splitlines()) == 1


def test_openspiels_ismcts_plays_where_observations_leave_legal_actions_open() -> None:
    game = support("dou_dizhu")
    state = early_middle_late(game.pyspiel_game, seed=1)[2]
    bot = IsmctsBot(game.pyspiel_game, state.current_player(), seed=1, simulations=200)
    policy = bot.get_policy(state)
    assert [action for action, _ in policy] == state.legal_actions()
    assert sum(share for _, share in policy) == pytest.approx(1.0)
