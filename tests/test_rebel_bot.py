"""ReBeL's bot: it plays the mixture that is measured, by its own observations alone."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest

from benchmarks.oracle_leaves import OracleLeaves
from nash_ismcts_spiel import cli, make_bot
from nash_ismcts_spiel.baselines.rebel.play import RebelBot, Search, safe_policy
from nash_ismcts_spiel.baselines.rebel.subgames import PublicTree, Subgames
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.learning.average import AveragePolicy

KUHN = "kuhn_poker"
LEDUC = "leduc_poker"
LIARS_DICE = "liars_dice(numdice=1,dice_sides=3)"


@functools.cache
def search_of(name: str, iterations: int = 8) -> Search:
    """Search with exact leaves."""
    tree = PublicTree(GameGraph.enumerate(name))
    return Search(Subgames(tree, 0, True), OracleLeaves(tree, 30), iterations, "linear_cfr")


def whole_game(bots: list[RebelBot], graph: GameGraph) -> Any:
    """What two bots play in one game, at all information sets. [A]"""
    sets = graph.information_sets
    return np.array(
        [
            probability
            for world, player in zip(sets.first_world, sets.player, strict=True)
            for _, probability in bots[player].get_policy(graph.state(world))
        ]
    )


@pytest.mark.parametrize(("name", "games"), [(KUHN, 3_000), (LIARS_DICE, 300)])
def test_the_bot_plays_the_mixture_that_is_measured(name: str, games: int) -> None:
    search = search_of(name)
    graph = search.subgames.tree.graph
    bots = [RebelBot(search, player, seed=player) for player in (0, 1)]
    average = AveragePolicy(graph)
    everywhere = np.arange(len(graph.information_sets), dtype=np.int32)
    for _ in range(games):
        for bot in bots:
            bot.restart()
        average.add(whole_game(bots, graph), everywhere, 1.0, explore=0.0)
    expected = safe_policy(search, None if name == KUHN else 2_000, np.random.default_rng(5))
    weight = np.repeat(average.weight, graph.information_sets.action_count)
    often = weight > games / 20
    error = np.abs(average.policy() - expected)[often]
    deviation = np.sqrt((expected * (1.0 - expected))[often] / weight[often])  # if all were pure
    assert (error < 5.0 * deviation + 0.01).all()
    assert error.mean() < 0.02
    assert often.mean() > 0.3


@pytest.mark.parametrize("name", [KUHN, LEDUC, LIARS_DICE])
def test_what_others_hold_does_not_matter(name: str) -> None:
    search = search_of(name)
    graph = search.subgames.tree.graph
    rng, several = np.random.default_rng(0), 0
    for information_set in rng.choice(len(graph.information_sets), size=12, replace=False):
        worlds = [graph.state(world) for world in helpers.all_worlds(graph, int(information_set))]
        several += len(worlds) > 1
        player, answers = worlds[0].current_player(), []
        for state in worlds:
            bot = RebelBot(search, player, seed=4)
            answers.append(bot.step_with_policy(state))
        assert all(answer == answers[0] for answer in answers)
    assert several >= 6


def test_a_game_is_one_draw_and_the_next_game_another() -> None:
    search = search_of(LEDUC)
    graph = search.subgames.tree.graph
    state = graph.state(graph.information_sets.first_world[-1])
    bot = RebelBot(search, state.current_player(), seed=1)
    first = bot.get_policy(state)
    assert bot.get_policy(state) == first
    assert sum(probability for _, probability in first) == pytest.approx(1.0)
    others = []
    for _ in range(5):
        bot.restart()
        others.append(bot.get_policy(state))
    assert any(other != first for other in others)
    again = RebelBot(search, state.current_player(), seed=1)
    assert again.get_policy(state) == first
    with pytest.raises(TypeError, match="expected a pyspiel.State, not None"):
        again.step(None)


def test_it_plays_in_openspiels_harness_and_keeps_to_its_seat() -> None:
    search = search_of(LEDUC)
    bots = [RebelBot(search, 0, seed=3), pyspiel.make_uniform_random_bot(1, 5)]
    game = pyspiel.load_game(LEDUC)
    won = [pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)[0] for seed in range(100)]
    assert np.mean(won) > 0.0
    state = game.new_initial_state()
    for action in (0, 2):
        state.apply_action(action)
    with pytest.raises(ValueError, match="the bot plays seat 1, and player 0 moves"):
        RebelBot(search, 1).step(state)
    with pytest.raises(ValueError, match="player_id must be 0 or 1"):
        RebelBot(search, 2)


def test_a_training_plays(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    training = str(tmp_path / "run")
    few = ["iterations=20", "play_iterations=30", "playthroughs=20", "steps=5", "width=16"]
    asked = ["train", "--algorithm", "rebel", "--game", KUHN, "--generations", "2"]
    asked += ["--out", training, *(word for text in few for word in ("--set", text))]
    assert cli.main(asked) == 0
    players = f"run:{training},uniform"
    match = ["match", "--game", KUHN, "--players", players, "--hands", "80"]
    capsys.readouterr()
    assert cli.main([*match, "--visits", "20", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pairings"][0]["mean"][0] > 0.0
    bot = make_bot("rebel", KUHN, 0, checkpoint=training, iterations=10, seed=1)
    state = pyspiel.load_game(KUHN).new_initial_state()
    for action in (0, 2):
        state.apply_action(action)
    assert bot.step(state) in (0, 1)
    with pytest.raises(ValueError, match="is a training of kuhn_poker"):
        make_bot("rebel", LEDUC, 0, checkpoint=training)
    with pytest.raises(ValueError, match="ReBeL needs a training"):
        make_bot("rebel", KUHN, 0)
    capsys.readouterr()
    assert cli.main(["match", "--game", KUHN, "--players", "uniform,rebel"]) == 2
    assert "rebel needs a training: run:DIR" in capsys.readouterr().err
    assert cli.main(["match", "--game", LEDUC, "--players", players]) == 2
    assert "is a training of kuhn_poker()" in capsys.readouterr().err
