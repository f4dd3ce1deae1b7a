"""A small game written in Python whose information sets hold worlds of different depth.

Player 0 gets a card and acts at once, or stalls: then a hidden coin falls and it acts again.
Player 1 sees none of that and moves twice, so its first information set reaches deeper into the
game than some worlds of its second. After two different moves of player 1, player 0 moves once
more. Utilities are general-sum.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pyspiel

CARDS, COIN = (0, 1, 2), (0, 1)
STALL = 2
_GAME_TYPE = pyspiel.GameType(
    short_name="stalling_game",
    long_name="Stalling game",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.GENERAL_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=False,
    provides_observation_tensor=False,
    parameter_specification={},
)
_GAME_INFO = pyspiel.GameInfo(
    num_distinct_actions=3,
    max_chance_outcomes=3,
    num_players=2,
    min_utility=-4.0,
    max_utility=6.0,
    utility_sum=None,
    max_game_length=6,
)


class StallingGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """The rules; states do the work."""

    def __init__(self, params: Any = None) -> None:
        """A new game; it has no parameters."""
        super().__init__(_GAME_TYPE, _GAME_INFO, params or {})

    def new_initial_state(self) -> StallingState:
        """The start: the card is not dealt yet."""
        return StallingState(self)

    def make_py_observer(self, *_: Any) -> StallingObserver:
        """What OpenSpiel's C++ tools ask for information state strings."""
        return StallingObserver()


class StallingObserver:
    """Information states as strings only."""

    tensor = None
    dict = MappingProxyType[str, Any]({})

    def set_from(self, state: StallingState, player: int) -> None:
        """There is no tensor to fill."""

    def string_from(self, state: StallingState, player: int) -> str:
        """The information state string."""
        return state.information_state_string(player)


class StallingState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """A history: (who, what) for each event so far."""

    def __init__(self, game: StallingGame) -> None:
        """The start of the game."""
        super().__init__(game)
        self._events: list[tuple[int, int]] = []

    def _moves(self, player: int) -> list[int]:
        return [action for who, action in self._events if who == player]

    def current_player(self) -> int:
        """Who moves, or chance, or nobody."""
        dealt = self._moves(pyspiel.PlayerId.CHANCE)
        mine, theirs = self._moves(0), self._moves(1)
        stalled = STALL in mine
        if len(dealt) < 1 or (stalled and len(dealt) < 2):
            return int(pyspiel.PlayerId.CHANCE)
        if len(mine) < 1 + stalled:
            return 0
        if len(theirs) < 2:
            return 1
        if theirs[0] != theirs[1] and len(mine) < 2 + stalled:
            return 0
        return int(pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        return [0, 1, STALL] if player == 0 and not self._moves(0) else [0, 1]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The deal is even, the coin is not."""
        if not self._events:
            return [(card, 1 / 3) for card in CARDS]
        return [(COIN[0], 0.25), (COIN[1], 0.75)]

    def _apply_action(self, action: int) -> None:
        self._events.append((int(self.current_player()), action))

    def is_terminal(self) -> bool:
        """Whether nobody moves any more."""
        return self.current_player() == int(pyspiel.PlayerId.TERMINAL)

    def returns(self) -> list[float]:
        """Any fixed numbers that depend on everything do."""
        if not self.is_terminal():
            return [0.0, 0.0]
        code = sum(
            (who + 5) * (action + 1) * (k + 1) for k, (who, action) in enumerate(self._events)
        )
        return [float(code * 7 % 11 - 4), float(code * 5 % 9 - 3)]

    def information_state_string(self, player: int | None = None) -> str:
        """Player 0 sees chance and its own moves, player 1 only its own moves."""
        player = self.current_player() if player is None else player
        seen = [e for e in self._events if e[0] == player or (e[0] < 0 and player == 0)]
        return f"player {player}: {seen}"

    def __str__(self) -> str:
        """All events."""
        return str(self._events)
