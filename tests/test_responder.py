"""Learned responses: what they find where the answer is known, and that the estimate is fair."""

from __future__ import annotations

import functools
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy

from exploitability import measure
from exploitability.opponents import Opponents
from exploitability.responder import Effort, Point, estimate_of, learned_response
from nash_ismcts_spiel.games import SupportedGame, support
from nash_ismcts_spiel.games.together import Choice, Look, Player, Result, row_of
from nash_ismcts_spiel.learning.response import ResponseTraining

KUHN, LEDUC = support("kuhn_poker"), support("leduc_poker")
QUICK = Effort(seeds=1, rounds=8, games=1_000_000)


def uniform(game: SupportedGame) -> Opponents:
    return Opponents(game, policy.UniformRandomPolicy(game.pyspiel_game))


class RandomPlayer:
    """Plays uniformly, and notes what it was told."""

    def __init__(self) -> None:
        self.numbers: dict[str, set[tuple[float, ...]]] = defaultdict(set)

    def decide(self, looks: Sequence[Look]) -> list[Choice]:
        for look in looks:
            self.numbers[look.shown].add(tuple(look.numbers()))
        return [
            Choice(row_of(look.legal_actions, [1.0 / n] * n), [0] * n)
            for look, n in ((look, len(look.legal_actions)) for look in looks)
        ]


class Untrained:
    """A training whose response is always the same player."""

    def __init__(self, player: Player) -> None:
        self._player = player

    def learn(self, play: Any, games: int) -> None:
        pass

    def player(self) -> Player:
        return self._player


class StepBot(pyspiel.Bot):
    """Always the same action; it tells no probabilities, and counts what it is told."""

    def __init__(self, action: int) -> None:
        pyspiel.Bot.__init__(self)
        self.action, self.restarts, self.informed = action, 0, 0

    def step(self, state: Any) -> int:
        return self.action

    def restart(self) -> None:
        self.restarts += 1

    def inform_action(self, state: Any, player: int, action: int) -> None:
        self.informed += 1


class PlainBot:
    """Has nothing but what is needed."""

    def step(self, state: Any) -> int:
        return 0

    def restart(self) -> None:
        pass


def test_kuhn_poker_is_solved_and_the_seed_decides() -> None:
    found = learned_response(uniform(KUHN), ResponseTraining, QUICK, seed=3)
    again = learned_response(uniform(KUHN), ResponseTraining, QUICK, seed=3)
    assert found.nash_conv == again.nash_conv
    exact = measure(KUHN.pyspiel_game, policy.UniformRandomPolicy(KUHN.pyspiel_game))
    assert exact.best_response_values == pytest.approx((1 / 2, 5 / 12))
    for value, best in zip(found.response_values, exact.best_response_values, strict=True):
        assert value[1] <= best <= value[2]
    assert found.nash_conv[0] == pytest.approx(11 / 12, abs=0.01)  # twice 11/24
    assert found.exploitability[1] == pytest.approx(found.nash_conv[1] / 2)
    assert found.on_policy_values is None
    assert "NashConv is at least" in str(found)


def test_leduc_poker_is_nearly_solved() -> None:
    effort = Effort(seeds=1, rounds=12, games=10_000_000)
    points: list[Point] = []
    found = learned_response(uniform(LEDUC), ResponseTraining, effort, on_point=points.append)
    exact = measure(
        LEDUC.pyspiel_game, policy.UniformRandomPolicy(LEDUC.pyspiel_game), engine="native"
    )
    assert found.nash_conv[0] >= 0.97 * exact.nash_conv
    assert found.nash_conv[1] <= exact.nash_conv
    assert points[0].value.mean < points[-1].value.mean + 0.5
    assert [point.seat for point in points] == sorted(point.seat for point in points)


def test_with_three_players_the_policy_is_estimated_too() -> None:
    game = support("kuhn_poker(players=3)")
    found = learned_response(uniform(game), ResponseTraining, QUICK, seed=1)
    exact = measure(game.pyspiel_game, policy.UniformRandomPolicy(game.pyspiel_game))
    assert found.nash_conv[1] <= exact.nash_conv <= found.nash_conv[2]
    assert found.on_policy_values is not None
    for value, own in zip(found.on_policy_values, exact.on_policy_values, strict=True):
        assert value[1] <= own <= value[2]


def test_games_of_the_estimate_are_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    streams: list[tuple[Any, int]] = []
    play = Opponents.play

    def noted(self: Any, seat: int, player: Any, games: int, rng: Any) -> list[Result]:
        streams.append((rng.bit_generator.state["state"]["state"], games))
        return play(self, seat, player, games, rng)

    monkeypatch.setattr(Opponents, "play", noted)
    effort = Effort(seeds=2, rounds=3, games=5000)
    learned_response(uniform(KUHN), ResponseTraining, effort)
    states = [state for state, _ in streams]
    assert len(set(states)) == len(states)
    # For each of two seats: rounds and a curve of two trainings, two validations, an estimate.
    played = sum(games for _, games in streams)
    assert played == 2 * (2 * (64 + 128 + 256 + 3 * 1000) + (2 + 1) * 5000)


def test_picking_the_best_does_not_flatter_and_intervals_cover() -> None:
    """All trainings are the same player, so that the best of validation is the luckiest one."""
    truth = 1 / 8  # of uniform play in the first seat, exploitability.references
    exact = measure(KUHN.pyspiel_game, policy.UniformRandomPolicy(KUHN.pyspiel_game))
    assert exact.on_policy_values[0] == pytest.approx(truth)
    effort, opponents = Effort(seeds=4, rounds=1, games=100, confidence=0.9), uniform(KUHN)
    runs = [
        learned_response(opponents, lambda *_: Untrained(RandomPlayer()), effort, seed=seed)
        for seed in range(100)
    ]
    validated = np.array([max(run.validation_values[0]) for run in runs])
    estimated = np.array([run.response_values[0][0] for run in runs])
    error = estimated.std() / math.sqrt(len(runs))
    assert abs(estimated.mean() - truth) < 4 * error
    assert validated.mean() - truth > 8 * error
    covered = sum(low <= truth <= high for _, low, high in (run.response_values[0] for run in runs))
    assert 90 - 4 * 3 < covered < 100  # the standard deviation is 3


def test_the_best_training_is_kept() -> None:
    made: list[int] = []

    def make(game: SupportedGame, seat: int, seed: int) -> Any:
        made.append(seat)
        trained = ResponseTraining(game, seat, seed)
        return trained if len(made) % 3 == 2 else Untrained(RandomPlayer())

    effort = Effort(seeds=3, rounds=8, games=100_000)
    assert learned_response(uniform(KUHN), make, effort).chosen == (1, 1)


@pytest.mark.parametrize("live", [False, True])
def test_games_are_played_by_the_rules(live: bool) -> None:
    """Uniform play against itself, by a policy (many games at once) and by bots (one by one)."""
    source: Any = policy.UniformRandomPolicy(LEDUC.pyspiel_game)
    if live:
        source = [pyspiel.make_uniform_random_bot(seat, 5) for seat in range(2)]
    opponents = Opponents(LEDUC, source, live=live)
    exact = measure(
        LEDUC.pyspiel_game, policy.UniformRandomPolicy(LEDUC.pyspiel_game), engine="native"
    )
    for player in (None, RandomPlayer()):
        for together in (5000, 1):
            rng, won = np.random.default_rng(0), Counter[float]()
            for _ in range(5000 // together):
                for result in opponents.play(1, player, together, rng):
                    won[result.utility] += result.games
            found = estimate_of(won)
            assert found.games == 5000
            assert abs(found.mean - exact.on_policy_values[1]) < 4 * found.error


def test_a_bot_that_only_makes_moves_is_played_as_in_a_match() -> None:
    """Against who always passes, a bet wins the ante."""
    bots = [StepBot(0), StepBot(0)]
    opponents = Opponents(KUHN, bots)
    assert opponents.quantity == "bot that only makes moves"
    effort = Effort(seeds=1, rounds=3, games=50)
    found = learned_response(opponents, ResponseTraining, effort)
    assert [value[0] for value in found.response_values] == [1.0, 1.0]
    mean, low, high = found.nash_conv
    assert mean == 2.0
    assert 1.5 < low < 2.0 < high  # fifty games that went alike do not show that all will
    assert bots[0].restarts > 50
    assert bots[0].informed > bots[0].restarts  # chance deals two cards, and the response bets
    passes = Opponents(KUHN, [PlainBot(), PlainBot()])
    assert {abs(r.utility) for r in passes.play(0, None, 5, np.random.default_rng(0))} == {1.0}
    with pytest.raises(ValueError, match="illegal action 7"):
        Opponents(KUHN, [StepBot(7), StepBot(7)]).play(0, None, 1, np.random.default_rng(0))


@pytest.mark.parametrize("name", ["leduc_poker", "kuhn_poker(players=3)"])
def test_a_response_knows_its_information_sets_and_nothing_finer(name: str) -> None:
    game = support(name)
    table = policy.TabularPolicy(game.pyspiel_game)
    for seat in range(game.num_players):
        training = ResponseTraining(game, seat, 0)
        play = functools.partial(uniform(game).play, seat)
        for _ in range(2):
            training.learn(play, 1_000_000)
        assert len(training.tree) == len(table.states_per_player[seat])
        spy = RandomPlayer()
        uniform(game).play(seat, spy, 100_000, np.random.default_rng(1))
        assert len(spy.numbers) == len(table.states_per_player[seat])
        assert {len(told) for told in spy.numbers.values()} == {1}


@pytest.mark.parametrize("most_sets", [1_000_000, 20])
def test_every_game_is_counted_and_values_follow_from_the_counts(
    most_sets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nash_ismcts_spiel.learning.response._MOST_SETS", most_sets)
    training = ResponseTraining(LEDUC, 0, 0)
    for games in (1000, 50_000):
        training.learn(lambda p, n, r: uniform(LEDUC).play(0, p, n, r), games)
    tree = training.tree
    assert len(tree) == 20 if most_sets == 20 else len(tree) > 400  # of 468
    sums = np.add.reduceat(tree.games.all, tree.first.all)
    np.testing.assert_array_equal(sums, tree.visits.all)
    taken = tree.games.all > 0
    prior = 10.0
    blend = (tree.total.all + prior * tree.prior.all) / (tree.games.all + prior)
    np.testing.assert_allclose(tree.value.all[taken], blend[taken])
    assert np.abs(tree.total.all[taken] / tree.games.all[taken]).max() <= 13.0  # the most to win


class PeekingPolicy(policy.Policy):  # type: ignore[misc]
    """Passes if the other player holds the king."""

    def __init__(self, game: Any) -> None:
        super().__init__(game, [0, 1])

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        king = state.history()[1 - state.current_player()] == 2
        return {0: float(king), 1: float(not king)}


def test_what_cannot_be_measured_is_refused() -> None:
    game = KUHN.pyspiel_game
    plays_uniformly = policy.UniformRandomPolicy(game)
    with pytest.raises(ValueError, match="depends on what is hidden"):
        Opponents(KUHN, PeekingPolicy(game))
    with pytest.raises(ValueError, match="neither plays live"):
        Opponents(KUHN, plays_uniformly, live=True)
    with pytest.raises(ValueError, match="repeats=2"):
        Opponents(KUHN, [StepBot(0), StepBot(0)], repeats=2)
    with pytest.raises(ValueError, match="needs a bot per player"):
        Opponents(KUHN, [StepBot(0)])
    with pytest.raises(ValueError, match="no row at"):
        Opponents(KUHN, {"0": {0: 1.0}}).play(0, None, 100, np.random.default_rng(0))
    for wrong in ({"seconds": 0.0}, {"seeds": 0}, {"games": 1}, {"rounds": 3}, {"confidence": 1.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Effort(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="seed"):
        learned_response(uniform(KUHN), ResponseTraining, QUICK, seed=-1)


def test_the_time_is_kept() -> None:
    found = learned_response(uniform(LEDUC), ResponseTraining, Effort(seconds=1.0, seeds=1))
    assert found.cpu_seconds < 3.0
    assert min(found.games) > 1000
    assert found.nash_conv[0] > 0.8 * 4.7472  # exact, exploitability.references
