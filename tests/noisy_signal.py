"""A game of one coin and signals that are right in 70 of 100 cases, for tests of beliefs.

A coin shows 0 or 1, which player 1 sees. Some signals follow, which player 0 sees: each says 1 if
the coin shows 1 in 70 of 100 cases, else in 30. Then player 0 guesses, player 1 says something that
does not matter, and player 0 wins 1 if it was right, else it loses 1. After k signals of 1 and none
of 0 the coin shows 1 with odds of (7/3)^k.

Importing this module registers the game as `noisy_signal`.
"""

from __future__ import annotations

from typing import Any

import pyspiel

SURE = 0.7
"""How often a signal says what the coin shows."""

GAME_TYPE = pyspiel.GameType(
    short_name="noisy_signal",
    long_name="Noisy signal",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=False,
    provides_observation_tensor=False,
    parameter_specification={"signals": 1, "coins": 1},
)


class NoisySignalGame(pyspiel.Game):  # type: ignore[misc]
    """The number of coins and of signals; a signal is about the first coin."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """Takes `signals` and `coins`."""
        params = params or {}
        self.signals = int(params.get("signals", 1))
        self.coins = int(params.get("coins", 1))
        info = pyspiel.GameInfo(
            num_distinct_actions=2,
            max_chance_outcomes=2,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=2,
        )
        super().__init__(GAME_TYPE, info, params)

    def new_initial_state(self) -> NoisySignalState:
        """Nothing tossed."""
        return NoisySignalState(self)

    def make_py_observer(self, *_: Any) -> NoisySignalObserver:
        """What players see."""
        return NoisySignalObserver()


class NoisySignalState(pyspiel.State):  # type: ignore[misc]
    """The coins, the signals and the two answers, in this order."""

    def __init__(self, game: NoisySignalGame) -> None:
        """Nothing tossed."""
        super().__init__(game)
        self.coins, self.signals = game.coins, game.signals
        self.events: list[int] = []

    def current_player(self) -> int:
        """Chance, player 0, player 1."""
        answers = len(self.events) - self.coins - self.signals
        if answers < 0:
            return int(pyspiel.PlayerId.CHANCE)
        return answers if answers < 2 else int(pyspiel.PlayerId.TERMINAL)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """A fair coin, then signals."""
        if len(self.events) < self.coins:
            return [(0, 0.5), (1, 0.5)]
        one = SURE if self.events[0] == 1 else 1.0 - SURE
        return [(0, 1.0 - one), (1, one)]

    def _legal_actions(self, player: int) -> list[int]:
        return [0, 1]

    def _apply_action(self, action: int) -> None:
        self.events.append(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return f"{player}: {action}"

    def is_terminal(self) -> bool:
        """After two answers."""
        return len(self.events) == self.coins + self.signals + 2

    def returns(self) -> list[float]:
        """Whether player 0 was right."""
        if not self.is_terminal():
            return [0.0, 0.0]
        won = 1.0 if self.events[0] == self.events[-2] else -1.0
        return [won, -won]

    def __str__(self) -> str:
        """For people."""
        return str(self.events)


class NoisySignalObserver:
    """Player 0 sees the signals, player 1 the coins, both see answers. There is no tensor."""

    tensor = dict = None

    def set_from(self, state: NoisySignalState, player: int) -> None:
        """Would fill the tensor."""

    def string_from(self, state: NoisySignalState, player: int) -> str:
        """All that `player` knows at `state`."""
        dealt = state.coins + state.signals
        seen = state.events[state.coins : dealt] if player == 0 else state.events[: state.coins]
        return f"player {player} saw {seen}, answers {state.events[dealt:]}"


pyspiel.register_game(GAME_TYPE, NoisySignalGame)
