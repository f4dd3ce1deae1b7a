"""Which pyspiel games are taken, and what the rest of the package asks of one.

A game is taken if it is sequential, or simultaneous (then OpenSpiel's turn-based conversion is
played), with chance outcomes that can be listed. Anything else is refused here, at construction,
by a `ValueError` that names the game, the reason and a setting that would work.

Utilities are in the game's own units, one per player.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pyspiel

_PLAYOUTS_FOR_SCALE = 256
_OWN_TURNS_ONLY = frozenset({"efg_game"})
"""Games that answer everybody with the label of the node, which only the mover may know."""

_SHORT_DEAL = 8
"""Chance events in a game up to which the order of a deal is forgotten, as OpenSpiel's information
states forget it. In longer deals, looking at every card keeps the search for worlds tractable."""

_COUNTED_MOVES = {"dark_hex": True, "phantom_ttt": False}
"""Games that forget the order of moves, and whether their players are told the number of moves. All
there is to them is a board with stones and what each player knows of it, and pyspiel prints that.
"""

_PLAYOUT_LENGTH_LIMIT = 20_000
_ENOUGH_WORLDS = 1e30


@dataclasses.dataclass(frozen=True, slots=True)
class SupportedGame:
    """A pyspiel game in the sequential form that is searched.

    Attributes:
      pyspiel_game: the game, after turn-based conversion if it was simultaneous.
      name: the game as pyspiel writes it, with its parameters.
      num_players: number of players.
      perfect_information: nothing is ever hidden from anyone.
      utility_sum: what the players' utilities add up to; None if that varies.
      has_information_states: players are shown information states, else observations.
      sees_own_turns_only: what pyspiel says on others' turns is not what the player sees.
      deals_at_once: players look up when chance has done its work, not in between, so they do not
        know in which order their dice or cards came.
      forgets_order: what can still happen does not depend on the order of past moves, only on
        what pyspiel prints: the state, the number of moves, and the players' observations.
      counts_moves: in such a game, players are told the number of moves.
      identities: names of the game, and of the simultaneous game it was made from.
    """

    pyspiel_game: Any
    name: str
    num_players: int
    perfect_information: bool
    utility_sum: float | None
    has_information_states: bool
    sees_own_turns_only: bool
    deals_at_once: bool
    forgets_order: bool
    counts_moves: bool
    identities: frozenset[str]

    @property
    def one_tree(self) -> bool:
        """Whether every player's tree would be the same tree: nothing is hidden, and one player's
        utility gives the other's.
        """
        return self.perfect_information and self.num_players <= 2 and self.utility_sum is not None

    def initial_state(self) -> Any:
        """A new pyspiel state at the start of the game."""
        return self.pyspiel_game.new_initial_state()

    def observation(self, state: Any, player: int, last: str = "") -> str:
        """What `player` is shown at `state`: its information state, or else its observation.

        In the middle of a short deal it is still what it saw `last`.
        """
        if self.deals_at_once and state.is_chance_node():
            return last
        if self.sees_own_turns_only and state.current_player() != player:
            return ""
        if self.has_information_states:
            return str(state.information_state_string(player))
        return str(state.observation_string(player))

    def plays(self, state: Any) -> bool:
        """Whether `state` belongs to this game, also before turn-based conversion."""
        return not self.identities.isdisjoint(_identities(state.get_game()))

    def value_scale(self, seed: int = 0) -> float:
        """Root mean square of the returns of uniformly random games, in utility units; 1 if all 0.

        The estimate for games too large to enumerate; an enumerated graph knows the exact figure.
        """
        rng = np.random.default_rng(seed)
        squares = [
            value * value
            for _ in range(_PLAYOUTS_FOR_SCALE)
            for value in random_returns(self.initial_state(), rng)
        ]
        return math.sqrt(sum(squares) / len(squares)) or 1.0


    def estimated_worlds(self, probes: int = 100, seed: int = 0) -> float:
        """Number of histories, estimated by random games (Knuth 1975).

        A random game counts, for each of its positions, the product of the numbers of choices on
        the way there. That is right on average but varies much: good for orders of magnitude only.
        """
        rng = np.random.default_rng(seed)
        total = 0.0
        for _ in range(probes):
            state, weight = self.initial_state(), 1.0
            for _ in range(_PLAYOUT_LENGTH_LIMIT):
                total += weight
                if state.is_terminal() or weight > _ENOUGH_WORLDS:
                    break
                choices = state.legal_actions()
                weight *= len(choices)
                state.apply_action(choices[rng.integers(len(choices))])
        return total / probes


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
        sees_own_turns_only=kind.short_name in _OWN_TURNS_ONLY,
        forgets_order=kind.short_name in _COUNTED_MOVES,
        counts_moves=_COUNTED_MOVES.get(kind.short_name, False),
        has_information_states=kind.provides_information_state_string,
        deals_at_once=(
            kind.provides_information_state_string
            and not perfect
            and sequential.max_chance_nodes_in_history() <= _SHORT_DEAL
        ),
        identities=_identities(original) | _identities(sequential),
    )


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
            action = legal[int(rng.random() * len(legal))]
        state.apply_action(action)
    return list(state.returns())


def _load(name: str) -> Any:
    import open_spiel.python.games  # noqa: F401  (registers OpenSpiel's games written in Python)

    try:
        return pyspiel.load_game(name)
    except pyspiel.SpielError as error:
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
