"""Which pyspiel games are taken, and what the rest of the package asks of one.

A game is taken if it is sequential, or simultaneous (then OpenSpiel's turn-based conversion is
played), with chance outcomes that can be listed. Anything else is refused here, at construction,
by a `ValueError` that names the game, the reason and a setting that would work.

Utilities are in the game's own units, one per player.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import time
from typing import Any

import numpy as np
import pyspiel

from nash_ismcts_spiel.games.states import native_game
from nash_ismcts_spiel.native import _core

_MOST_NESTED = 700
"""Simulations that one simulation may take, those of simulated players included: as many as in a
game of 16 moves for two.
"""

_PLAYOUT_LENGTH_LIMIT = 20_000


@dataclasses.dataclass(frozen=True)
class SupportedGame:
    """A pyspiel game in the sequential form that is searched.

    Attributes:
      pyspiel_game: the game, after turn-based conversion if it was simultaneous.
      name: the game as pyspiel writes it, with its parameters.
      num_players: number of players.
      perfect_information: nothing is ever hidden from anyone.
      utility_sum: what the players' utilities add up to; None if that varies.
      has_information_states: players are shown information states, else observations.
      identities: names of the game, and of the simultaneous game it was made from.
    """

    pyspiel_game: Any
    name: str
    num_players: int
    perfect_information: bool
    utility_sum: float | None
    has_information_states: bool
    identities: frozenset[str]

    @property
    def one_tree(self) -> bool:
        """Whether every player's tree would be the same tree: nothing is hidden, and one player's
        utility gives the other's.
        """
        return self.perfect_information and self.num_players <= 2 and self.utility_sum is not None

    @property
    def two_player_constant_sum(self) -> bool:
        """Whether what one of two players gains is what the other loses, so that a policy has a
        worst case against all opponents, and NashConv / 2 is by how much it misses the best one.
        """
        return self.num_players == 2 and self.utility_sum is not None

    @functools.cached_property
    def native(self) -> _core.Game:
        """The game as compiled code plays it."""
        return native_game(
            self.pyspiel_game,
            name=self.name,
            num_players=self.num_players,
            perfect_information=self.perfect_information,
            has_information_states=self.has_information_states,
        )

    @property
    def is_long(self) -> bool:
        """Whether simulating every player at every move would take too long: each move of another
        player, of whom there are (n - 1) / n, is a simulation of what follows and so doubles it.
        """
        growth = 1.0 + (self.num_players - 1) / self.num_players
        moves = int(self.pyspiel_game.max_game_length())
        return moves * math.log(growth) > math.log(_MOST_NESTED)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: compiled games are made anew by who needs them."""
        return {name: value for name, value in self.__dict__.items() if name != "native"}

    def initial_state(self) -> Any:
        """A new pyspiel state at the start of the game."""
        return self.pyspiel_game.new_initial_state()

    def is_same_as(self, other: SupportedGame) -> bool:
        """Whether both are one game, whichever of its parameters were spelled out."""
        return not self.identities.isdisjoint(other.identities)

    def plays(self, state: Any) -> bool:
        """Whether `state` belongs to this game, also before turn-based conversion.

        Raises:
          TypeError: it is no state at all.
        """
        require_state(state)
        return not self.identities.isdisjoint(_identities(state.get_game()))

    def value_scale(self) -> float:
        """Root mean square of the returns of uniformly random games about their mean over games and
        players, in utility units; 1 if all are alike. What is added to all returns changes nothing.

        The estimate for games too large to enumerate; an enumerated graph knows the exact figure.
        """
        return self.native.sampled_value_scale()

    @functools.cached_property
    def deal_seconds(self) -> float:
        """Processor time that it takes to deal a world, where that is much; else 0."""
        return _deal_seconds(self.name) if self.native.has_own_view else 0.0

    def estimated_worlds(self, probes: int = 100) -> float:
        """Number of histories, estimated by random games (Knuth 1975): orders of magnitude only."""
        return self.native.estimated_worlds(probes)


@functools.lru_cache(maxsize=8)
def _deal_seconds(name: str) -> float:
    game, rng, longest = pyspiel.load_game(name), np.random.default_rng(0), 0.0
    for _ in range(3):
        state = game.new_initial_state()
        started = time.thread_time()
        while state.is_chance_node():
            state.apply_action(int(rng.choice(state.legal_actions())))
        longest = max(longest, time.thread_time() - started)
    return longest


def support(game: Any) -> SupportedGame:
    """Checks a pyspiel game (or its name) and wraps it.

    Raises:
      ValueError: the game cannot be searched; the message says why and what would work.
    """
    if isinstance(game, SupportedGame):
        return game
    original = _load(game) if isinstance(game, str) else game
    if not isinstance(original, pyspiel.Game):
        raise TypeError(f"expected a pyspiel game or its name, not {game!r}")
    kind = original.get_type()
    _refuse_unsupported(original, kind)
    sequential = original
    if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        sequential = pyspiel.convert_to_turn_based(original)
    kind = sequential.get_type()
    perfect = kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
    _refuse_unobservable(sequential, kind, perfect)
    return SupportedGame(
        pyspiel_game=sequential,
        name=str(sequential),
        num_players=sequential.num_players(),
        perfect_information=perfect,
        utility_sum=_utility_sum(sequential, kind),
        has_information_states=kind.provides_information_state_string,
        identities=_identities(original) | _identities(sequential),
    )


def require_state(state: Any) -> None:
    """Refuses what is not a pyspiel state.

    Raises:
      TypeError: it is something else.
    """
    if not isinstance(state, pyspiel.State):
        raise TypeError(f"expected a pyspiel.State, not {state!r}")


def random_returns(state: Any, rng: np.random.Generator) -> list[float]:
    """Plays `state` (which is changed) to its end at random; returns each player's utility."""
    for _ in range(_PLAYOUT_LENGTH_LIMIT):
        if state.is_terminal():
            break
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            pick, action = rng.random(), outcomes[-1][0]
            for outcome, probability in outcomes:
                pick -= probability
                if pick < 0.0:
                    action = outcome
                    break
        else:
            legal = state.legal_actions()
            if not legal:
                raise ValueError(
                    f"{state.get_game()}: there is no legal action where a player is to move, "
                    "so the game cannot be played to its end"
                )
            action = legal[int(rng.random() * len(legal))]
        state.apply_action(action)
    return list(state.returns())


def _load(name: str) -> Any:
    import open_spiel.python.games  # noqa: F401  (registers OpenSpiel's games written in Python)

    try:
        return pyspiel.load_game(name)
    except (pyspiel.SpielError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise ValueError(f"pyspiel cannot load the game {name!r}: {error}") from error


def _refuse_unsupported(game: Any, kind: Any) -> None:
    name = str(game)
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise ValueError(f"{name}: a mean-field game has no finite set of players to search for")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise ValueError(
            f"{name}: its chance outcomes are sampled inside the game and cannot be listed, so "
            "no belief over them can be formed; load a version whose chance_mode is "
            "EXPLICIT_STOCHASTIC or DETERMINISTIC if the game has one"
        )
    if game.num_distinct_actions() == 0:
        raise ValueError(
            f"{name}: it has no numbered actions (it uses action structs only), and a policy is "
            "a distribution over action numbers"
        )


def _refuse_unobservable(game: Any, kind: Any, perfect: bool) -> None:
    if perfect or kind.provides_information_state_string or kind.provides_observation_string:
        return
    raise ValueError(
        f"{game}: it hides information but provides neither an information state string nor an "
        "observation string, so players cannot be told what they know; give the game one of them"
    )


def _identities(game: Any) -> frozenset[str]:
    """The game as written, and with its parameters spelt out as far as pyspiel tells them."""
    parameters = repr(sorted(game.get_parameters().items()))
    return frozenset({str(game), f"{game.get_type().short_name} {parameters}"})


def _utility_sum(game: Any, kind: Any) -> float | None:
    if kind.utility == pyspiel.GameType.Utility.ZERO_SUM:
        return 0.0
    if kind.utility == pyspiel.GameType.Utility.CONSTANT_SUM:
        return float(game.utility_sum())
    return None
