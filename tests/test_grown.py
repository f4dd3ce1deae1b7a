"""Learning on graphs that grow: rows against exact values, buffers, shards, workers, runs."""

from __future__ import annotations

import functools
import json
import math
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import helpers
import numpy as np
import pytest
import torch

from nash_ismcts_spiel import SearchConfig, cli
from nash_ismcts_spiel.evaluation import Models
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.hidden import hidden_path
from nash_ismcts_spiel.games.tensors import Tensors, open_entries
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.models import exact_rows
from nash_ismcts_spiel.training import Budget, Run, TrainingConfig
from nash_ismcts_spiel.training.bounds import Bounds
from nash_ismcts_spiel.training.config import GrownConfig, NetworkConfig
from nash_ismcts_spiel.training.grown import GrownModels
from nash_ismcts_spiel.training.grown_play import GrownPlay
from nash_ismcts_spiel.training.grown_worker import GrownTask, GrownWorker, weights_of
from nash_ismcts_spiel.training.metrics import read_metrics
from nash_ismcts_spiel.training.networks import FACTORS, make_networks, piece_values
from nash_ismcts_spiel.training.rows import HiddenRows, PolicyRows
from nash_ismcts_spiel.training.samples import PolicyBuffer
from nash_ismcts_spiel.training.watch import Watch
from nash_ismcts_spiel.training.workers import Processes, RayActors

Enumerated = Callable[[str], GameGraph]
PHANTOM_TTT = "phantom_ttt"
SMALL = NetworkConfig(width=16, depth=1, frequency_power=1.0)
FEW = TrainingConfig.preset(
    "large",
    networks=SMALL,
    grown=GrownConfig(search_games=12, policy_games=40, steps=4, hidden_share=0.5),
    visits={"start": 6.0},
)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def models_of(game: str, seed: int = 0) -> GrownModels:
    """Networks with random weights."""
    return GrownModels(support(game), FEW, seed)


def open_pieces(graph: GameGraph, node: int) -> list[int]:
    """The pieces that may come next at a SAMPLE node."""
    pieces: list[int] = open_entries(graph, [node]).columns.tolist()
    return pieces


# What networks see.


def test_tensors_tell_information_sets_and_pieces_apart(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.LEDUC)
    graph.resolve()
    tensors = Tensors(graph.game)
    sets = tensors.sets(graph, range(len(graph.information_sets)))
    assert len(np.unique(sets, axis=0)) == len(graph.information_sets)
    assert sets.shape[1] == tensors.set_inputs
    # 30 numbers of OpenSpiel's tensor and two players; pieces are the six cards and three moves.
    assert (tensors.set_inputs, tensors.actions, tensors.pieces) == (32, 3, 6)


def test_players_who_see_the_same_are_told_apart() -> None:
    # In phantom_ttt both players see an empty board before their first move.
    graph = GameGraph(PHANTOM_TTT)
    tensors = Tensors(graph.game)
    first = graph.worlds.information_set[0]
    second = graph.worlds.information_set[graph.child(0, 4)]
    rows = tensors.sets(graph, [first, second])
    assert rows[0][2:].tolist() == rows[1][2:].tolist()
    assert (rows[0][:2].tolist(), rows[1][:2].tolist()) == ([1, 0], [0, 1])


def test_a_game_without_information_states_is_seen_by_its_last_observations() -> None:
    game = support("phantom_go(board_size=2)")
    assert not game.pyspiel_game.get_type().provides_information_state_tensor
    graph = GameGraph(game)
    tensors = Tensors(game)
    observed = int(np.prod(game.pyspiel_game.observation_tensor_shape()))
    world = graph.child(graph.child(0, 1), 2)
    number = graph.worlds.information_set[world]
    row = tensors.sets(graph, [number])[0, 2:].reshape(4, observed + tensors.actions)
    state = graph.state(world)
    assert row[0, :observed].tolist() == state.observation_tensor(0)
    start = graph.game.initial_state()
    assert row[1, :observed].tolist() == start.observation_tensor(0)
    assert np.flatnonzero(row[1, observed:]).tolist() == [graph.legal_actions(0)[1]]
    assert not row[2:].any()


def test_games_without_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="neither an information state tensor nor"):
        Tensors(support("coin_game"))
    with pytest.raises(ValueError, match="26057 actions or chance outcomes; networks have one"):
        Tensors(support("dou_dizhu"))


def test_hidden_paths_lead_to_their_worlds(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.LEDUC)
    graph.resolve()
    for world in range(0, len(graph.worlds), 7):
        if graph.worlds.information_set[world] < 0:
            continue
        path = hidden_path(graph, world)
        node, branch = path[-1]
        assert graph.branch(node, branch) == world
        events = graph.history(world)
        drawn = [open_pieces(graph, node)[branch] for node, branch in path]
        assert all(piece in events for piece in drawn)


def test_networks_grow_with_vocabularies_and_not_with_their_product() -> None:
    tensors = Tensors(support(PHANTOM_TTT))
    networks = make_networks(tensors, SMALL, seed=0)
    pieces, actions = tensors.pieces, tensors.actions
    outputs = networks.hidden(torch.zeros(3, tensors.sample_inputs))
    assert outputs.shape == (3, 2 * pieces + FACTORS * (pieces + actions))
    assert networks.value(torch.zeros(3, tensors.set_inputs)).shape == (3, 1 + actions)
    assert piece_values(outputs, pieces).shape == (3, actions, pieces)


def test_pieces_are_worth_their_own_value_and_products() -> None:
    pieces, actions = 2, 3
    outputs = torch.zeros(1, 2 * pieces + FACTORS * (pieces + actions))
    outputs[0, pieces : 2 * pieces] = torch.tensor([1.0, 2.0])
    outputs[0, 2 * pieces] = 5.0  # the first factor of the first piece
    outputs[0, 2 * pieces + FACTORS * pieces + 2 * FACTORS] = 7.0  # and of the last action
    values = piece_values(outputs, pieces)[0].tolist()
    assert values == [[1.0, 2.0], [1.0, 2.0], [36.0, 2.0]]


# The evaluator.


def test_rows_and_batches_of_networks_agree() -> None:
    graph = GameGraph(PHANTOM_TTT)
    evaluator = models_of(PHANTOM_TTT).evaluator()
    world = graph.follow([4, 0, 1, 4, 2])
    number = graph.worlds.information_set[world]
    sets = [graph.worlds.information_set[0], number]
    resolved = graph.hidden(number)
    assert resolved < 0
    policy, value, child_values = evaluator.flat_information_set_rows(graph, sets)
    rows = evaluator.information_set_rows(graph, sets)
    assert np.concatenate([row.policy for row in rows]) == pytest.approx(policy)
    assert [row.value for row in rows] == pytest.approx(value)
    assert np.concatenate([row.child_values for row in rows]) == pytest.approx(child_values)
    beliefs, values = evaluator.flat_sample_rows(graph, [~resolved])
    (row,) = evaluator.sample_rows(graph, [~resolved])
    assert row.beliefs == pytest.approx(beliefs)
    assert sum(row.beliefs) == pytest.approx(1.0)
    actions = len(graph.legal_actions(number))
    assert np.shape(row.child_values) == (actions, len(open_pieces(graph, ~resolved)))
    assert np.ravel(row.child_values) == pytest.approx(values)
    networks = evaluator.networks
    inputs = torch.from_numpy(evaluator.tensors.samples(graph, [~resolved]))
    with torch.no_grad():
        whole = piece_values(networks.hidden(inputs), evaluator.tensors.pieces)[0].numpy()
    picked = whole[np.ix_(graph.legal_actions(number), open_pieces(graph, ~resolved))]
    assert np.array(row.child_values) == pytest.approx(picked * evaluator.value_scale, rel=1e-5)
    checked = Models(graph, evaluator)
    assert checked.information_set(number).policy == pytest.approx(rows[1].policy)
    assert checked.sample(~resolved).beliefs == pytest.approx(row.beliefs)


# Rows: which are unbiased.


class FixedEvaluator:
    """Networks' evaluator with another policy and its exact values."""

    def __init__(self, inner: Any, graph: GameGraph, table: Any) -> None:
        rows, sets = exact_rows(graph, table), graph.information_sets
        spans = [slice(f, f + c) for f, c in zip(sets.first_action, sets.action_count, strict=True)]
        self._inner = inner
        self._rows = {
            graph.key(number): (table[span], rows.value[number], rows.child_values[span])
            for number, span in enumerate(spans)
        }

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def flat_information_set_rows(self, graph: GameGraph, sets: list[int]) -> Any:
        policy, value, child_values = zip(*(self._rows[graph.key(s)] for s in sets), strict=True)
        return np.concatenate(policy), np.array(value), np.concatenate(child_values)


@pytest.mark.parametrize("name", [helpers.KUHN, helpers.LEDUC])
def test_rows_of_policy_games_agree_with_exact_models(enumerated: Enumerated, name: str) -> None:
    # A random policy whose V is exact: bootstrapped targets are then exact too, up to chance. The
    # others explore as well; counted as if they followed P, beliefs are those of P.
    graph = enumerated(name)
    table = 0.7 * helpers.random_table(graph, seed=4) + 0.3 * helpers.uniform_table(graph)
    evaluator: Any = FixedEvaluator(models_of(name).evaluator(), graph, table)
    exploring = NetworkConfig(explore=0.5, others_explore=0.5)
    play = GrownPlay(graph.game, evaluator, exploring, np.random.default_rng(1))
    value, hidden = play.policy_games(4_000_000, hidden_share=0.1)
    assert play.is_small()
    exact, tensors, scale = exact_rows(graph, table), Tensors(graph.game), evaluator.value_scale
    sets = graph.information_sets
    places = {row.tobytes(): k for k, row in enumerate(value.inputs)}
    every = tensors.sets(graph, range(len(sets)))
    assert len(value) == len(sets) == len(places)
    errors = []
    for number, row in enumerate(every):
        place = places[row.tobytes()]
        if value.frequency[place] < 10_000:
            continue
        found = value.targets[place] * scale
        first, actions = sets.first_action[number], graph.legal_actions(number)
        wanted = exact.child_values[first : first + len(actions)]
        errors += [found[0] - exact.value[number], *(found[1:][actions] - wanted)]
    assert len(errors) >= 36  # all of Kuhn poker, and much of Leduc
    assert np.abs(errors).max() < 0.2 * scale
    assert np.sqrt(np.mean(np.square(errors))) < 0.02 * scale
    mixed = exact_rows(graph, 0.5 * table + 0.5 * helpers.uniform_table(graph))
    assert belief_error(graph, hidden, exact.beliefs) < 0.02
    assert belief_error(graph, hidden, mixed.beliefs) > 0.04


def belief_error(graph: GameGraph, hidden: HiddenRows, beliefs: Any) -> float:
    """Mean distance (L1) of targets for H from beliefs, weighted by how often they were met."""
    places = {row.tobytes(): k for k, row in enumerate(hidden.inputs)}
    rows = Tensors(graph.game).samples(graph, range(len(graph.samples)))
    total = 0.0
    for node, row in enumerate(rows):
        k = places[row.tobytes()]
        first, pieces = graph.samples.first_branch[node], open_pieces(graph, node)
        found = hidden.targets[k][pieces] - beliefs[first : first + len(pieces)]
        total += hidden.frequency[k] * np.abs(found).sum()
    return float(total / hidden.frequency.sum())


def test_models_count_for_some_games_beside_those_that_were_played(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    graph.resolve()
    evaluator, rows, sums = models_of(helpers.KUHN).evaluator(), _core.Rows(), _core.TargetSums()
    sets, nodes = (np.arange(12, dtype=np.int32) for _ in range(2))
    rows.put_sets(graph, sets, *evaluator.flat_information_set_rows(graph, sets.tolist()))
    rows.put_samples(graph, nodes, *evaluator.flat_sample_rows(graph, nodes.tolist()))
    games = _core.Games(0, 0.5, 0.0)
    games.start(1000)
    assert len(games.advance(graph, rows, rows, 5)) == 0
    games.add_values(graph, rows, sums)
    games.add_hidden(graph, rows, games.decisions(graph), sums)
    policy, beliefs, child_values = rows.policy, rows.beliefs, rows.child_values
    values = rows.value
    sums.blend_into(graph, 10.0, rows)
    totals = np.repeat(sums.branch_weights.reshape(12, 2).sum(axis=1), 2)
    met = totals > 0.0
    assert met.sum() == 12  # one player's
    assert rows.beliefs == pytest.approx((10 * beliefs + sums.branch_weights) / (10 + totals))
    blended = (10 * child_values + sums.action_values) / (10 + sums.action_weights)
    assert rows.child_values == pytest.approx(blended)
    means = (policy * blended).reshape(12, 2).sum(axis=1)
    wanted = np.where(sums.visits > 0, (10 * values + sums.visits * means), 10 * values)
    assert rows.value == pytest.approx(wanted / (10 + sums.visits))
    assert sums.visits[sums.visits > 0].sum() == games.visits(graph).sum() >= 1000
    with pytest.raises(ValueError, match="there is no V of information set"):
        games.add_values(graph, _core.Rows(), sums)
    with pytest.raises(IndexError, match="world .* is not one of"):
        games.add_values(GameGraph(helpers.KUHN), rows, sums)


def test_a_small_game_is_searched_in_one_forest_and_in_part_if_it_must_be() -> None:
    evaluator = models_of(helpers.LEDUC).evaluator()
    counts = []
    for most in (math.inf, 200):
        bounds = Bounds(searches=most)
        play = GrownPlay(
            support(helpers.LEDUC), evaluator, SMALL, np.random.default_rng(3), bounds
        )
        play.policy_games(1_000_000, hidden_share=1.0)
        assert play.is_small()
        play.learn_at_once(10.0)
        rows = play.search_games(1_000_000, SearchConfig(visits=4), width=1)
        assert rows.targets.sum(axis=1) == pytest.approx(1.0)
        assert len(rows) == len(np.unique(rows.inputs, axis=0))
        counts.append(len(rows))
    assert counts[0] > 900  # of 936 information sets
    assert 140 < counts[1] < 260


def test_looking_ahead_makes_worlds_and_sample_nodes() -> None:
    graph = GameGraph(PHANTOM_TTT)
    start = np.array([graph.worlds.information_set[0]], dtype=np.int32)
    sets = []
    for moves, most in ((0, 100), (1, 5), (1, 100), (2, 100)):
        _core.look_ahead(graph, start, moves, most)
        sets.append(len(graph.information_sets))
    # Nine first moves look alike to the second player; of its own nine, one may be occupied.
    assert sets[:3] == [1, 2, 2] and sets[3] > 10
    assert len(graph.samples) >= 2  # the second player's, and those of the first after its answer
    with pytest.raises(IndexError, match="information set 99"):
        _core.look_ahead(graph, np.array([99], dtype=np.int32), 1, 1)


@pytest.mark.parametrize("game", [PHANTOM_TTT, helpers.LEDUC])
def test_rows_of_search_games_are_search_policies(game: str) -> None:
    models = models_of(game)
    config = SearchConfig(visits=6, spawn_depth=1)
    rows, others = (
        GrownPlay(support(game), models.evaluator(), SMALL, np.random.default_rng(3))
        .search_games(10, config, width)
        for width in (64, 1)
    )
    assert rows.targets.sum(axis=1) == pytest.approx(1.0)
    assert not rows.targets[~rows.mask].any()
    if game == PHANTOM_TTT:  # half of ten games explore for the first player, from afresh
        assert rows.frequency.max() == 5
    assert len(rows) == len(np.unique(rows.inputs, axis=0))
    # Searches side by side give what they give one at a time, up to rounding in batches; in a large
    # game they share what they find out about hidden pieces, and it depends on their order.
    if game == helpers.LEDUC:
        assert rows.targets == pytest.approx(others.targets, abs=1e-6)


# Buffers.


def rows_of(numbers: list[int]) -> PolicyRows:
    """Rows that are known by their one input."""
    count = len(numbers)
    return PolicyRows(
        np.array(numbers, dtype=np.float32)[:, None],
        np.ones((count, 2), dtype=np.bool_),
        np.ones(count),
        np.full((count, 2), 0.5, dtype=np.float32),
    )


def test_rows_with_the_same_inputs_are_one_row() -> None:
    buffer = PolicyBuffer("reservoir", 4)
    rng = np.random.default_rng(0)
    rows = rows_of([1, 2, 1])
    rows.targets[:] = [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    buffer.add(rows, 1.0, rng)
    later = rows_of([2, 3])
    later.targets[:] = [[1.0, 0.0], [0.5, 0.5]]
    buffer.add(later, 3.0, rng)
    assert buffer.rows().inputs[:, 0].tolist() == [1, 2, 3]
    assert buffer.rows().frequency.tolist() == [2.0, 4.0, 3.0]
    assert buffer.rows().targets.tolist() == [[0.5, 0.5], [0.75, 0.25], [0.5, 0.5]]
    buffer.add(rows_of(list(range(10, 30))), 1.0, rng)  # some of these take the place of others
    assert len(buffer) == 4
    kept = buffer.rows().inputs[:, 0].tolist()
    buffer.add(rows_of([int(kept[0])]), 100.0, rng)
    assert buffer.rows().inputs[:, 0].tolist() == kept
    assert buffer.rows().frequency.max() >= 100.0


def test_a_window_keeps_the_latest() -> None:
    buffer = PolicyBuffer("window", 4)
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="empty"):
        buffer.rows()
    for first in (0, 3, 6):
        buffer.add(rows_of([first, first + 1, first + 2]), 1.0 + first, rng)
    assert sorted(buffer.rows().inputs[:, 0].tolist()) == [5, 6, 7, 8]
    assert buffer.added == 9
    weights = dict(zip(buffer.rows().inputs[:, 0], buffer.rows().frequency, strict=True))
    assert weights == {5: 4.0, 6: 7.0, 7: 7.0, 8: 7.0}


def test_a_reservoir_keeps_all_alike() -> None:
    counts = np.zeros(30)
    for seed in range(2000):
        buffer = PolicyBuffer("reservoir", 6)
        rng = np.random.default_rng(seed)
        for first in range(0, 30, 5):
            buffer.add(rows_of(list(range(first, first + 5))), 1.0, rng)
        assert len(buffer) == 6
        counts[buffer.rows().inputs[:, 0].astype(int)] += 1
    # Each of 30 rows is kept with probability 1/5, up to those that a later one of its own batch
    # takes the place of.
    assert counts / 2000 == pytest.approx(0.2, abs=0.05)


def test_buffers_are_restored() -> None:
    buffer, again = PolicyBuffer("reservoir", 5), PolicyBuffer("reservoir", 5)
    buffer.add(rows_of([1, 2, 3]), 2.0, np.random.default_rng(0))
    again.restore(buffer.arrays())
    for each in (buffer, again):
        each.add(rows_of([4, 5, 6, 7]), 3.0, np.random.default_rng(1))
    assert buffer.added == again.added == 7
    for name, column in buffer.arrays().items():
        assert np.array_equal(column, again.arrays()[name])


# Shards and workers.


def task(shard: int) -> GrownTask:
    """A shard of the first generation."""
    return GrownTask(1, shard, weights_of(models_of(PHANTOM_TTT).networks))


def assert_same_rows(one: Any, other: Any) -> None:
    """Both shards gave the same rows, bit for bit."""
    for kind in ("policy", "value", "hidden"):
        first, second = getattr(one, kind), getattr(other, kind)
        for name in first.__dataclass_fields__:
            assert np.array_equal(getattr(first, name), getattr(second, name)), (kind, name)


def test_a_shard_is_the_same_whoever_plays_it() -> None:
    config = TrainingConfig.from_dict({**FEW.to_dict(), "shards": 3})
    make_worker = functools.partial(GrownWorker, PHANTOM_TTT, config, 7)
    here = make_worker()
    tasks = [task(shard) for shard in range(3)]
    results = [here.run(each) for each in tasks]
    assert [result.games for result in results] == [4 + 14, 4 + 13, 4 + 13]
    assert not np.array_equal(results[0].value.inputs, results[1].value.inputs)
    workers = Processes(make_worker, 2)
    try:
        for one, other in zip(results, workers.run(tasks), strict=True):
            assert_same_rows(one, other)
    finally:
        workers.close()


class Dying:
    """A worker whose process is killed at the first try of a shard."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def run(self, number: int, watch: Watch | None = None) -> int:
        tried = self._directory / str(number)
        if not tried.exists():
            tried.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number * number


def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    workers: Processes[int, int] = Processes(functools.partial(Dying, tmp_path), 1)
    try:
        assert workers.run([3]) == [9]
        for number in range(4, 10):
            (tmp_path / str(number)).touch()
        assert workers.run([4, 5, 6]) == [16, 25, 36]
        # Three shards that each kill a process once use up all tries.
        with pytest.raises(RuntimeError, match="died 3 times"):
            workers.run([10, 11, 12])
    finally:
        workers.close()


# Runs.


def grown_run(directory: Path, generations: int, game: str = PHANTOM_TTT) -> Run:
    """A small run on a graph that grows."""
    run = Run.create(directory, game, 5, FEW, models="learned")
    for _ in run.train(Budget(generations=generations)):
        pass
    return run


def test_a_resumed_run_goes_on_exactly(tmp_path: Path) -> None:
    unbroken = grown_run(tmp_path / "unbroken", 3)
    grown_run(tmp_path / "broken", 1)
    resumed = Run.resume(tmp_path / "broken")
    for _ in resumed.train(Budget(generations=3)):
        pass
    for name, column in unbroken.loop.models.arrays().items():
        assert np.array_equal(column, resumed.loop.models.arrays()[name]), name
    assert unbroken.loop.counters() == resumed.loop.counters()
    assert [m.generation for m in read_metrics(tmp_path / "broken")] == [1, 2, 3]


def test_metrics_of_a_game_that_is_not_enumerated(tmp_path: Path) -> None:
    run = grown_run(tmp_path, 1)
    (metrics,) = read_metrics(tmp_path)
    assert metrics.exploitability_average is None
    assert metrics.figures["games"] == 12 + 40
    assert metrics.figures["searches"] > 10 < metrics.figures["rows"]
    assert {"loss_policy", "loss_value", "loss_hidden"} <= set(metrics.figures)
    assert not run.enumerated
    with pytest.raises(ValueError, match="not enumerated in this run"):
        run.policy()


def test_a_foreign_checkpoint_is_refused_by_name(tmp_path: Path) -> None:
    grown_run(tmp_path / "one", 1)
    settings = json.loads((tmp_path / "one" / "config.json").read_text())
    settings["training"]["networks"]["width"] = 24
    (tmp_path / "one" / "config.json").write_text(json.dumps(settings))
    before = (tmp_path / "one" / "checkpoint.npz").read_bytes()
    with pytest.raises(ValueError, match=r"checkpoint\.npz is not one of this run"):
        Run.resume(tmp_path / "one")
    assert (tmp_path / "one" / "checkpoint.npz").read_bytes() == before


def test_kuhn_is_learned_on_a_graph_that_grows(enumerated: Enumerated) -> None:
    # The same path as for large games, where the outcome can be measured.
    from nash_ismcts_spiel.native import exact
    from nash_ismcts_spiel.training.grown import GrownLoop
    from nash_ismcts_spiel.training.workers import Threads

    graph = enumerated(helpers.KUHN)
    config = TrainingConfig.preset(
        graph="grown",
        visits={"start": 30.0},
        networks=NetworkConfig(width=32, depth=1),
        grown=GrownConfig(search_games=60, policy_games=1000, steps=30),
    )
    models = GrownModels(graph.game, config, 0)
    loop = GrownLoop(models, config, 0, Threads(GrownWorker(helpers.KUHN, config, 0)))
    every = list(range(len(graph.information_sets)))

    def exploitability() -> float:
        policy, _, _ = models.evaluator().flat_information_set_rows(graph, every)
        return exact.exploitability(graph, policy)

    untrained = exploitability()
    for _ in range(20):
        loop.step()
    assert exploitability() < 0.1 < 0.3 < untrained


def test_the_command_line_learns_a_large_game(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    settings = json.dumps(FEW.grown.to_dict())
    flags = ["--game", PHANTOM_TTT, "--out", str(tmp_path), "--generations", "1"]
    small = ["--set", f"grown={settings}", "--set", 'visits={"start": 4}']
    assert cli.main(["train", "--models", "learned", *flags, *small]) == 0
    found = capsys.readouterr()
    assert "losses policy" in found.out and "after 1 generations" in found.out
    assert "not enumerated" in found.err
    assert (tmp_path / "curve.png").exists()
    assert cli.main(["export", "--run", str(tmp_path), "--out", str(tmp_path / "p.json")]) == 2
    assert "not enumerated" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"side_by_side": 0}, "side_by_side must be at least 1"),
        ({"hidden_share": 0.0}, "hidden_share must be above 0"),
        ({"buffer": "heap"}, "buffer must be one of 'reservoir', 'window'"),
    ],
)
def test_settings_that_cannot_be_learned_with(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GrownConfig.from_dict(settings)


def test_exact_models_need_the_whole_game(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="exact models need an enumerated graph"):
        Run.create(tmp_path, helpers.KUHN, 0, FEW)


# Ray.


@pytest.fixture(scope="module")
def ray_here() -> Any:
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


def test_ray_actors_play_the_same_shards_and_may_be_killed(ray_here: Any) -> None:
    config = TrainingConfig.from_dict({**FEW.to_dict(), "shards": 2})
    make_worker = functools.partial(GrownWorker, PHANTOM_TTT, config, 7)
    here = make_worker()
    tasks = [task(shard) for shard in range(2)]
    workers: RayActors[Any, Any] = RayActors(make_worker, 2)
    try:
        workers.start()
        ray_here.kill(workers.actors[0])
        for one, other in zip([here.run(each) for each in tasks], workers.run(tasks), strict=True):
            assert_same_rows(one, other)
    finally:
        workers.close()


def test_an_enumerated_game_is_searched_by_ray_actors(ray_here: Any, tmp_path: Path) -> None:
    config = TrainingConfig.preset(shards=2, visits={"start": 10.0})
    runs = [
        Run.create(tmp_path / str(ray), helpers.KUHN, 3, config, 2, "exact", ray=ray)
        for ray in (False, True)
    ]
    for run in runs:
        for _ in run.train(Budget(generations=3)):
            pass
    assert np.array_equal(runs[0].policy(), runs[1].policy())
    assert runs[0].loop.elsewhere_seconds == 0.0 < runs[1].loop.elsewhere_seconds


# TensorBoard.


def test_metrics_for_tensorboard(tmp_path: Path) -> None:
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    flags = ["--game", helpers.KUHN, "--generations", "2", "--tensorboard"]
    assert cli.main(["train", *flags, "--out", str(tmp_path)]) == 0
    events = reader.EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    found = [event.value for event in events.Scalars("exploitability/average")]
    wanted = [metrics.exploitability_average for metrics in read_metrics(tmp_path)]
    assert found == pytest.approx(wanted)


def test_a_device_that_is_not_there_is_refused() -> None:
    tensors = Tensors(support(helpers.KUHN))
    with pytest.raises(ValueError, match="torch cannot compute on 'abacus'"):
        make_networks(tensors, NetworkConfig(device="abacus"), seed=0)
