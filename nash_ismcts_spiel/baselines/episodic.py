"""What bots that learn from simulated games share: a seat, a budget per move, and a growing graph.

A learner says what one simulated game is and what policy it has learned. All that it learns it
keys by information sets of the graph, so a new graph (when the old one has grown too large, or a
new game begins) means learning afresh.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph, SupportedGame, support
from nash_ismcts_spiel.harness import DrawingBot
from nash_ismcts_spiel.settings import Settings, check_positive

ActionProbabilities = list[tuple[int, float]]
Config = TypeVar("Config", bound=Settings)

EPISODES_PER_STEP = 1000

SIMULATIONS = 1000
"""Per move, where neither simulations nor seconds are given."""

MAX_WORLDS = 200_000
_UNLIMITED = 2_000_000_000


class Budget:
    """How long a move may take: a number of simulations, some wall time, or whichever ends first.

    Attributes:
      most: simulations that may be run at most.
    """

    def __init__(
        self, simulations: int | None, seconds_per_move: float | None, least: int = 1
    ) -> None:
        """Checks the limits; `least` simulations are run however little time there is."""
        check_positive("simulations", simulations)
        check_positive("seconds_per_move", seconds_per_move)
        if simulations is not None and simulations < least:
            raise ValueError(f"simulations must be at least {least}, not {simulations}")
        unlimited = SIMULATIONS if seconds_per_move is None else _UNLIMITED
        self.most = unlimited if simulations is None else simulations
        self._seconds = seconds_per_move
        self._least = least

    def ticks(self) -> Iterator[int]:
        """Counts from 0 while there is time for one more simulation."""
        started = time.perf_counter()
        for done in range(self.most):
            late = self._seconds is not None and time.perf_counter() - started >= self._seconds
            if late and done >= self._least:
                return
            yield done


def seat(game: Any, player_id: int) -> SupportedGame:
    """The game, if it has the seat.

    Raises:
      ValueError: the game is not supported, or has no such seat.
    """
    supported = support(game)
    if not 0 <= player_id < supported.num_players:
        seats = f"0 to {supported.num_players - 1}"
        raise ValueError(f"player_id must be from {seats} in {supported.name}, not {player_id!r}")
    return supported


def check_mover(game: SupportedGame, state: Any) -> None:
    """Refuses states of other games, and those at which no single player is to move."""
    if not game.plays(state) or state.current_player() < 0:
        raise ValueError(f"no player of {game.name} is to move at {state.history()}")


class Learner(Protocol):
    """What simulated games teach, on one graph."""

    def learn(self, information_set: int, rng: np.random.Generator) -> None:
        """Simulates one game, to move well at an information set."""
        ...

    def weights(self, information_set: int) -> Sequence[float]:
        """How much each action should be played there, by what was learned; empty if nothing."""
        ...


class EpisodicBot(DrawingBot):
    """Plays by what simulated games have taught it."""

    def __init__(
        self,
        game: Any,
        player_id: int,
        new_learner: Callable[[GameGraph], Learner],
        *,
        seed: int = 0,
        simulations: int | None = None,
        seconds_per_move: float | None = None,
        max_worlds: int = MAX_WORLDS,
    ) -> None:
        """Takes a seat.

        Args:
          game: a pyspiel game or its name; a simultaneous one is played in its turn-based form.
          player_id: the seat.
          new_learner: makes one that knows nothing yet.
          seed: of all randomness.
          simulations: per move; SIMULATIONS if neither this nor the time is limited.
          seconds_per_move: wall time per move.
          max_worlds: a new graph is started when the old one has grown beyond this.
        """
        super().__init__(seed)
        if max_worlds < 1:
            raise ValueError(f"max_worlds must be at least 1, not {max_worlds}")
        self._game = seat(game, player_id)
        self._new_learner = new_learner
        self._budget = Budget(simulations, seconds_per_move)
        self._max_worlds = max_worlds
        self._start()

    def get_policy(self, state: Any) -> ActionProbabilities:
        """The policy of the player to move: (action, probability) for all legal actions."""
        check_mover(self._game, state)
        if len(self._graph.worlds) > self._max_worlds:
            self._start()
        information_set = self._graph.observe(state, state.current_player())
        legal = self._graph.legal_actions(information_set)
        if len(legal) == 1:
            return [(legal[0], 1.0)]
        for _ in self._budget.ticks():
            self._learner.learn(information_set, self._rng)
        weights = self._learner.weights(information_set)
        total = sum(weights)
        if not total > 0.0:
            weights, total = [1.0] * len(legal), float(len(legal))
        return [(a, weight / total) for a, weight in zip(legal, weights, strict=True)]

    def restart(self) -> None:
        """A new game begins: forgets what it has learned; the generator goes on."""
        self._start()

    def _start(self) -> None:
        self._graph = GameGraph(self._game)
        self._learner = self._new_learner(self._graph)


class WholeGame:
    """A compiled learner of a whole enumerated game; a step is EPISODES_PER_STEP games."""

    def __init__(self, method: Any, seed: int) -> None:
        """Takes a method that knows nothing yet."""
        self._rng = np.random.default_rng(seed)
        self._method = method

    def step(self) -> None:
        """Plays some games."""
        with self._rng.bit_generator.lock:
            self._method.run(EPISODES_PER_STEP, self._rng)

    def policy(self) -> npt.NDArray[np.float64]:
        """The average policy, uniform where nothing was learned. [A]"""
        found: npt.NDArray[np.float64] = self._method.average_policy()
        return found


def episodic_bot(
    game: Any,
    player_id: int,
    kind: type[Config],
    make: Callable[[GameGraph, Config], Learner],
    settings: dict[str, Any],
) -> EpisodicBot:
    """A bot whose settings are fields of its method's config and arguments of EpisodicBot."""
    own = {field.name for field in dataclasses.fields(kind)} & settings.keys()
    config = kind.from_dict({key: settings.pop(key) for key in own})
    return EpisodicBot(game, player_id, lambda graph: make(graph, config), **settings)


def outcome_probabilities(graph: GameGraph, world: int) -> list[float]:
    """Of the edges of a chance world."""
    first, count = graph.worlds.first_edge[world], graph.worlds.edge_count[world]
    return list(graph.worlds.edge_probability[first : first + count])


def utilities(graph: GameGraph, world: int) -> list[float]:
    """Of all players at a terminal world."""
    first = graph.worlds.utility_row[world] * graph.game.num_players
    return list(graph.worlds.utilities[first : first + graph.game.num_players])
