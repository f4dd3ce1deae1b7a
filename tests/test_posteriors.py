"""Worlds that are drawn have the distribution that follows from all that their player saw.

The reference is written on pyspiel alone: every history that shows the player its log, weighted by
the game's chances and by uniform moves of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import helpers
import noisy_signal  # noqa: F401  (registers the game)
import numpy as np
import pytest
from scipy import stats

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.resample import Resampler
from nash_ismcts_spiel.models import Evaluator, Models, PriorBeliefs, RolloutEvaluator
from nash_ismcts_spiel.native import _core

DRAWS = 4_000
ISOMORPHIC = "leduc_poker(suit_isomorphism=True)"

# Histories whose mover is asked about.
POSITIONS: dict[str, tuple[str, list[int]]] = {
    "Kuhn": ("kuhn_poker", [1, 2, 0, 1]),
    "Leduc, one round": ("leduc_poker", [0, 3, 1]),
    "Leduc, two rounds": ("leduc_poker", [0, 3, 1, 1, 2]),
    "isomorphic Leduc, one round": (ISOMORPHIC, [0, 2, 1]),
    "isomorphic Leduc, two rounds": (ISOMORPHIC, [0, 2, 1, 1, 1]),
    "Liar's Dice": ("liars_dice(numdice=1,dice_sides=4)", [0, 3, 2, 5]),
    "a noisy signal": ("noisy_signal", [0, 1]),
    "twelve noisy signals": ("noisy_signal(signals=12)", [0] + [1, 0, 1] * 4),
    "phantom tic-tac-toe, three moves": ("phantom_ttt", [4, 0, 8]),
    "phantom tic-tac-toe, a move that failed": ("phantom_ttt", [4, 0, 0]),
}


SMALL = [where for where, (name, _) in POSITIONS.items() if name != "phantom_ttt"]


def posterior(name: str, history: Sequence[int]) -> dict[tuple[int, ...], float]:
    """The probability of every history that the mover cannot tell from this one."""
    game = helpers.load(name)
    state = helpers.state_after(game, history)
    player = state.current_player()
    seen = helpers.own_view(state, player)
    found: dict[tuple[int, ...], float] = {}
    pending = [(game.new_initial_state(), 1.0, 0)]
    while pending:
        at, probability, looks = pending.pop()
        if at.is_terminal():
            continue
        if at.current_player() == player:
            if at.information_state_string(player) != seen[looks][1]:
                continue
            if looks + 1 == len(seen):
                found[tuple(at.history())] = probability
            else:
                pending.append((at.child(seen[looks + 1][0]), probability, looks + 1))
        elif at.is_chance_node():
            pending.extend((at.child(a), probability * p, looks) for a, p in at.chance_outcomes())
        else:
            legal = at.legal_actions()
            pending.extend((at.child(a), probability / len(legal), looks) for a in legal)
    total = sum(found.values())
    return {events: probability / total for events, probability in found.items()}


def p_value(drawn: Counter[tuple[int, ...]], expected: dict[tuple[int, ...], float]) -> float:
    assert set(drawn) <= set(expected)
    counts = [drawn[events] for events in expected]
    shares = np.array(list(expected.values()))
    return float(stats.chisquare(counts, shares / shares.sum() * sum(counts)).pvalue)


@pytest.mark.parametrize("where", POSITIONS)
def test_a_resampler_draws_the_posterior(where: str) -> None:
    name, history = POSITIONS[where]
    state = helpers.state_after(helpers.load(name), history)
    resampler = Resampler(name, seed=1)
    player = state.current_player()
    drawn = Counter(tuple(resampler(state, player).history()) for _ in range(DRAWS))
    expected = posterior(name, history)
    assert len(expected) > 1
    assert p_value(drawn, expected) > 1e-3


def beliefs_of(models: Models, information_set: int) -> dict[tuple[int, ...], float]:
    """Of each history, by the beliefs of a search on the way to it."""
    graph = models.graph
    found: dict[tuple[int, ...], float] = {}
    pending = [(graph.hidden(information_set), 1.0)]
    while pending:
        target, probability = pending.pop()
        if target >= 0:
            found[tuple(graph.history(target))] = probability
            continue
        for branch, share in enumerate(models.sample(~target).beliefs):
            pending.append((graph.branch(~target, branch), probability * share))
    return found


@pytest.mark.parametrize("prior", [False, True])
@pytest.mark.parametrize(
    ("where", "enumerated"),
    [(where, False) for where in POSITIONS] + [(where, True) for where in SMALL],
)
def test_a_search_with_rollouts_believes_the_posterior(
    where: str, prior: bool, enumerated: bool
) -> None:
    name, history = POSITIONS[where]
    graph = GameGraph.enumerate(name) if enumerated else GameGraph(name)
    if enumerated:
        graph.resolve()
    state = helpers.state_after(helpers.load(name), history)
    information_set = graph.observe(state, state.current_player())
    graph.expect_draws(information_set, DRAWS)
    rollouts: Evaluator = RolloutEvaluator(graph.game)
    models = Models(graph, PriorBeliefs(rollouts) if prior else rollouts)
    found, expected = beliefs_of(models, information_set), posterior(name, history)
    assert set(found) == set(expected)
    for events, probability in expected.items():
        assert found[events] == pytest.approx(probability, rel=1e-9)


def test_a_visible_card_says_something_about_a_hidden_one() -> None:
    """Own Jack, public Queen: one Queen is gone, so the other player has it half as often."""
    cards = Counter[int]()
    for events, probability in posterior(ISOMORPHIC, [0, 2, 1, 1, 1]).items():
        cards[events[1]] += probability  # type: ignore[assignment]
    assert dict(cards) == pytest.approx({0: 0.25, 1: 0.25, 2: 0.5})


@pytest.mark.parametrize("coins", [1, 9])
def test_a_walk_follows_what_was_seen(coins: int) -> None:
    """Steps of a walk are taken in proportion to the chances of all events, those that the player
    saw too.
    """
    name = f"noisy_signal(coins={coins},signals=2)"
    history = [0] * coins + [1, 1]
    graph = GameGraph(name)
    state = helpers.state_after(helpers.load(name), history)
    information_set = graph.observe(state, 0)
    walk = _core.Walk(3)
    first = Counter(graph.history(walk.next(graph, information_set))[0] for _ in range(8 * DRAWS))
    assert first[1] / first.total() == pytest.approx(0.49 / 0.58, abs=0.02)
