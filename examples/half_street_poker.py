"""Half-street poker: a small game with hidden information, written with OpenSpiel's Python API.

Both players put 1 into the pot and are dealt one of three cards each. Player 0 checks or bets 1. A
check leads to a showdown; after a bet player 1 folds, or calls 1 and there is a showdown. The
higher card wins it. At equilibrium player 0 bets the high card always, the low card one time in
three and the middle card never; player 1 calls with the high card always, with the middle card one
time in three and with the low card never; and the game is worth 1/18 to player 0.

Importing this module registers the game as `half_street_poker`.
"""

from typing import Any

import pyspiel

CARDS = ("low", "middle", "high")

GAME_TYPE = pyspiel.GameType(
    short_name="half_street_poker",
    long_name="Half-street poker",
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
)
GAME_INFO = pyspiel.GameInfo(
    num_distinct_actions=2,
    max_chance_outcomes=3,
    num_players=2,
    min_utility=-2.0,
    max_utility=2.0,
    utility_sum=0.0,
    max_game_length=2,
)


class HalfStreetGame(pyspiel.Game):
    """The fixed part of the rules."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """Takes no parameters."""
        super().__init__(GAME_TYPE, GAME_INFO, params or {})

    def new_initial_state(self) -> "HalfStreetState":
        """The start: nothing dealt."""
        return HalfStreetState(self)

    def make_py_observer(self, *_: Any) -> "HalfStreetObserver":
        """What players see."""
        return HalfStreetObserver()


class HalfStreetState(pyspiel.State):
    """The cards (player 0's first) and the moves so far."""

    def __init__(self, game: HalfStreetGame) -> None:
        """Nothing dealt, nothing moved."""
        super().__init__(game)
        self.cards: list[int] = []
        self.moves: list[int] = []

    def current_player(self) -> int:
        """Chance deals twice, player 0 moves, and player 1 answers a bet."""
        if len(self.cards) < 2:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else len(self.moves)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Every card that is left, alike."""
        left = [card for card in range(len(CARDS)) if card not in self.cards]
        return [(card, 1.0 / len(left)) for card in left]

    def _legal_actions(self, player: int) -> list[int]:
        return [0, 1]

    def _apply_action(self, action: int) -> None:
        (self.cards if len(self.cards) < 2 else self.moves).append(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return CARDS[action] if player < 0 else (("check", "bet"), ("fold", "call"))[player][action]

    def is_terminal(self) -> bool:
        """A check, a fold or a call ends the game."""
        return self.moves in ([0], [1, 0], [1, 1])

    def returns(self) -> list[float]:
        """What each player wins."""
        better = 1.0 if self.is_terminal() and self.cards[0] > self.cards[1] else -1.0
        won = {(0,): better, (1, 0): 1.0, (1, 1): 2.0 * better}.get(tuple(self.moves), 0.0)
        return [won, -won]

    def __str__(self) -> str:
        """For people."""
        return f"cards {self.cards}, moves {self.moves}"


class HalfStreetObserver:
    """Players see their own card and all moves. There is no tensor."""

    tensor = dict = None

    def set_from(self, state: HalfStreetState, player: int) -> None:
        """Would fill the tensor."""

    def string_from(self, state: HalfStreetState, player: int) -> str:
        """All that `player` knows at `state`; search and measurement rest on it."""
        card = CARDS[state.cards[player]] if len(state.cards) > player else "none"
        return f"player {player}, card {card}, moves {state.moves}"


pyspiel.register_game(GAME_TYPE, HalfStreetGame)
