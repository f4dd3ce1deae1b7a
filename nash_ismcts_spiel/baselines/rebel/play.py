"""Which policy ReBeL plays: as a table over the whole game, and as an OpenSpiel bot.

A playthrough solves the subgame at hand, draws one of the solver's iterations with the weight that
it has in the average, and follows the policy of that iteration, for both players' beliefs too,
until it leaves the subgame; then it solves the next one. What an opponent faces who cannot foresee
the draws is the mixture of all playthroughs. It is safe: in expectation the average policies are
played, and each subgame is solved for the beliefs that really lead there (Brown et al. 2020, 5.1).
A game of the bot is one playthrough; it looks at what its own player has seen, which tells the
public states that were passed, and nothing else of the game enters.

*Unsafe* search follows the average policy of each subgame and takes beliefs from it. Its subgames
are solved for beliefs that no iteration's leaf values were asked about.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.baselines.rebel.subgames import (
    Floats,
    LeafValues,
    Method,
    Snapshot,
    Subgames,
    iteration_weights,
)
from nash_ismcts_spiel.games import SupportedGame, support
from nash_ismcts_spiel.games.adapter import require_state
from nash_ismcts_spiel.harness import PolicyBot
from nash_ismcts_spiel.learning.average import AveragePolicy

_TABLE_ENTRIES = 20_000_000
"""Probabilities that are held at a time."""
_BATCH_LEAVES = 20_000
"""Leaves that are valued at a time, about."""


@dataclasses.dataclass(frozen=True, slots=True)
class Search:
    """How subgames are searched in play.

    Attributes:
      subgames: where they are cut off.
      leaf_values: what leaves are worth.
      iterations: per subgame.
      method: of the solver.
    """

    subgames: Subgames
    leaf_values: LeafValues
    iterations: int
    method: Method

    @property
    def weights(self) -> Floats:
        """With which probability each iteration is played. [iterations]"""
        return iteration_weights(self.method, self.iterations)


@dataclasses.dataclass(slots=True)
class _Entry:
    """A public belief state that some playthroughs reach.

    Attributes:
      state: the public state.
      beliefs: both players'. [2, width]
      playthroughs: who is here.
    """

    state: int
    beliefs: Floats
    playthroughs: list[int]


def safe_policy(
    search: Search,
    playthroughs: int | None,
    rng: np.random.Generator,
    progress: Callable[[int], object] = lambda done: None,
) -> Floats:
    """The mixture of many playthroughs, each weighted by its own reach. [A]

    Args:
      search: how subgames are searched.
      playthroughs: how many are drawn, which spread evenly over the iterations at each public
        state. None takes every iteration of the first subgame, with its weight: if the second
        subgames end the game, that is the exact mixture.
      rng: draws.
      progress: called with the number of playthroughs done.
    """
    graph = search.subgames.tree.graph
    weights = search.weights
    if playthroughs is None:
        first, shares = np.arange(1, len(weights) + 1), weights
    else:
        first, shares = _spread(weights, playthroughs, rng), np.full(playthroughs, 1 / playthroughs)
    average = AveragePolicy(graph)
    everywhere = np.arange(len(graph.information_sets), dtype=np.int32)
    chunk = max(1, _TABLE_ENTRIES // len(graph.information_sets.action))
    for begin in range(0, len(first), chunk):
        end = begin + chunk
        tables = _playthroughs(search, first[begin:end], rng)
        for table, share in zip(tables, shares[begin:end], strict=True):
            average.add(table, everywhere, float(share), explore=0.0)
        progress(min(end, len(first)))
    return average.policy()


def unsafe_policy(search: Search) -> Floats:
    """Average policies of the subgames, met with the beliefs that follow from them. [A]"""
    tree = search.subgames.tree
    table = AveragePolicy(tree.graph).policy()
    states = [int(root) for root in tree.roots]
    while states:
        beliefs = tree.beliefs(table)[states]
        solution = search.subgames.solve(
            states, beliefs, search.iterations, search.method, search.leaf_values
        )
        for index, state in enumerate(states):
            table[search.subgames.at(state).actions] = solution.batch.average_policy(index)
        states = solution.batch.leaf_states.tolist()
    return table


def _playthroughs(
    search: Search, first: npt.NDArray[np.int64], rng: np.random.Generator
) -> Iterable[Floats]:
    """One policy for the whole game per playthrough, given its iteration in the first subgame."""
    tree = search.subgames.tree
    tables = np.zeros((len(first), len(tree.graph.information_sets.action)))
    everybody = list(range(len(first)))
    entries = [_Entry(int(root), tree.mass[root], everybody) for root in tree.roots]
    chosen: npt.NDArray[np.int64] | None = first
    while entries:
        following: list[_Entry] = []
        for some in _in_batches(search, entries):
            following += _advance(search, some, chosen, tables, rng)
        entries, chosen = _merged(following), None
    return tables


def _advance(
    search: Search,
    entries: Sequence[_Entry],
    chosen: npt.NDArray[np.int64] | None,
    tables: Floats,
    rng: np.random.Generator,
) -> list[_Entry]:
    """Solves subgames, writes their policies down, and says where playthroughs go from there.

    The entries all have leaves or all have none. Without leaves the mixture over iterations is the
    average, so nothing has to be drawn.
    """
    subgames = [search.subgames.at(entry.state) for entry in entries]
    drawn: list[tuple[int, int, int]] = []  # playthrough, entry, iteration
    if subgames[0].num_leaves > 0:
        drawn = _drawn(search, entries, chosen, rng)
    solution = search.subgames.solve(
        [entry.state for entry in entries],
        np.stack([entry.beliefs for entry in entries]),
        max((iteration for _, _, iteration in drawn), default=search.iterations + 1) - 1,
        search.method,
        search.leaf_values,
        [(index, iteration) for _, index, iteration in drawn],
    )
    if not drawn:
        for index, entry in enumerate(entries):
            average = solution.batch.average_policy(index)
            for playthrough in entry.playthroughs:
                tables[playthrough, subgames[index].actions] = average
    following: list[_Entry] = []
    for playthrough, index, iteration in drawn:
        snapshot = solution.snapshots[index, iteration]
        tables[playthrough, subgames[index].actions] = snapshot.policy
        leaves = zip(solution.leaf_states[index], snapshot.leaf_beliefs, strict=True)
        following += [_Entry(state, row, [playthrough]) for state, row in leaves]
    return following


def _drawn(
    search: Search,
    entries: Sequence[_Entry],
    chosen: npt.NDArray[np.int64] | None,
    rng: np.random.Generator,
) -> list[tuple[int, int, int]]:
    """(playthrough, entry, iteration) for all; evenly spread among those at one public state."""
    here: dict[int, list[tuple[int, int]]] = {}
    for index, entry in enumerate(entries):
        pairs = [(playthrough, index) for playthrough in entry.playthroughs]
        here.setdefault(entry.state, []).extend(pairs)
    drawn: list[tuple[int, int, int]] = []
    for pairs in here.values():
        spread = _spread(search.weights, len(pairs), rng) if chosen is None else chosen
        numbers = zip(pairs, spread.tolist(), strict=True)
        drawn += [(*pair, iteration) for pair, iteration in numbers]
    return drawn


def _in_batches(search: Search, entries: list[_Entry]) -> Iterable[list[_Entry]]:
    """Entries without leaves apart from the others, and not too many leaves at a time."""
    leaves = [search.subgames.at(entry.state).num_leaves for entry in entries]
    ending = [entry for entry, count in zip(entries, leaves, strict=True) if count == 0]
    if ending:
        yield ending
    some: list[_Entry] = []
    total = 0
    for entry, count in zip(entries, leaves, strict=True):
        if count == 0:
            continue
        some.append(entry)
        total += count
        if total >= _BATCH_LEAVES:
            yield some
            some, total = [], 0
    if some:
        yield some


def _merged(entries: list[_Entry]) -> list[_Entry]:
    """The same public belief state needs solving once."""
    found: dict[tuple[int, bytes], _Entry] = {}
    for entry in entries:
        known = found.setdefault((entry.state, entry.beliefs.tobytes()), entry)
        if known is not entry:
            known.playthroughs = known.playthroughs + entry.playthroughs
    return list(found.values())


def _spread(weights: Floats, count: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """`count` iterations whose numbers are as even as the weights allow (systematic sampling)."""
    points = (rng.permutation(count) + rng.random()) / count
    drawn = np.searchsorted(np.cumsum(weights), points, side="right")
    spread: npt.NDArray[np.int64] = 1 + drawn.clip(max=len(weights) - 1)
    return spread


_Drawn = tuple[Snapshot, list[int]]
"""What is played in a subgame, and the public states at its leaves."""


class Playthrough:
    """The policies of one game, found where they are asked for."""

    def __init__(self, search: Search, rng: np.random.Generator) -> None:
        """Starts a game; `rng` draws iterations."""
        self._search = search
        self._tree = search.subgames.tree
        self._rng = rng
        self._drawn: dict[int, _Drawn] = {}

    def restart(self) -> None:
        """Starts another game."""
        self._drawn.clear()

    def action_probabilities(self, state: Any) -> dict[int, float]:
        """{action: probability} of the player to move."""
        graph, sets = self._tree.graph, self._tree.graph.information_sets
        information_set = graph.observe(state, state.current_player())
        first, count = sets.first_action[information_set], sets.action_count[information_set]
        root, (snapshot, _) = self._at(int(self._tree.states[sets.first_world[information_set]]))
        place = int(np.flatnonzero(self._search.subgames.at(root).actions == first)[0])
        policy = snapshot.policy[place : place + count].tolist()
        return dict(zip(graph.legal_actions(information_set), policy, strict=True))

    def _at(self, public_state: int) -> tuple[int, _Drawn]:
        """The subgame that a public state belongs to, and what is played there."""
        path = [public_state]
        while self._tree.parent[path[-1]] >= 0:
            path.append(int(self._tree.parent[path[-1]]))
        root = path[-1]
        drawn = self._draw(root, self._tree.mass[root])
        for state in reversed(path):
            snapshot, leaves = drawn
            if state in leaves:
                root = state
                drawn = self._draw(root, snapshot.leaf_beliefs[leaves.index(state)])
        return root, drawn

    def _draw(self, root: int, beliefs: Floats) -> _Drawn:
        if root not in self._drawn:
            search = self._search
            iteration = 1 + int(self._rng.choice(search.iterations, p=search.weights))
            ends = search.subgames.at(root).num_leaves == 0
            solution = search.subgames.solve(
                [root],
                beliefs[None],
                search.iterations if ends else iteration - 1,
                search.method,
                search.leaf_values,
                [] if ends else [(0, iteration)],
            )
            if ends:  # nothing follows that would have to know which iteration is played
                nothing = np.zeros((0, *beliefs.shape))
                snapshot = Snapshot(solution.batch.average_policy(0), nothing)
            else:
                snapshot = solution.snapshots[0, iteration]
            self._drawn[root] = snapshot, list(solution.leaf_states[0])
        return self._drawn[root]


class RebelBot(PolicyBot):
    """Plays one seat by safe search."""

    def __init__(self, search: Search, player_id: int, seed: int = 0) -> None:
        """Takes a seat; `search` may be shared by bots of one thread."""
        if player_id not in (0, 1):
            raise ValueError(f"player_id must be 0 or 1, not {player_id}")
        # Two streams: how many actions were drawn must not change how subgames are searched.
        self._game = Playthrough(search, np.random.default_rng([seed, 1]))
        super().__init__(self._game, player_id, seed)

    def get_policy(self, state: Any) -> list[tuple[int, float]]:
        """(action, probability) of what it plays in this game, for all legal actions.

        Raises:
          ValueError: it is not this bot's turn.
          TypeError: it is no state.
        """
        require_state(state)
        if state.current_player() != self._player:
            raise ValueError(
                f"the bot plays seat {self._player}, and player {state.current_player()} moves"
            )
        return super().get_policy(state)

    def restart(self) -> None:
        """Another game begins."""
        self._game.restart()


def load_search(
    checkpoint: str | Path, game: SupportedGame, iterations: int | None = None
) -> Search:
    """How the network of a run searches, with the run's `play_iterations` if none are given.

    Raises:
      ValueError: there is no run of ReBeL, or it is one of another game.
    """
    from nash_ismcts_spiel.baselines.rebel.run import RebelRun  # torch, for those who ask for it

    run = RebelRun.resume(Path(checkpoint))
    if run.game != game.name:
        raise ValueError(f"{checkpoint} is a training of {run.game}, and this is {game.name}")
    return run.loop.search(iterations)


def rebel_bot(
    game: Any,
    player_id: int,
    *,
    checkpoint: str | Path | None = None,
    iterations: int | None = None,
    seed: int = 0,
) -> RebelBot:
    """A bot with the network of a run of `nash-ismcts train --algorithm rebel`.

    Raises:
      ValueError: there is no such run, or it is one of another game.
    """
    if checkpoint is None:
        raise ValueError(
            "ReBeL needs a training: models=, made by `nash-ismcts train --algorithm rebel`"
        )
    return RebelBot(load_search(checkpoint, support(game), iterations), player_id, seed)
