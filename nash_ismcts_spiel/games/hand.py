"""A game under way, with its true state, of which a seat is shown its own side and nothing else.

This is what sits between a person and bots: it deals, takes moves, takes them back, and tells what
a seat may know (`Sight`). Utilities are in the game's units, one per player.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyspiel

from nash_ismcts_spiel.games.adapter import SupportedGame
from nash_ismcts_spiel.games.graph import GameGraph
from nash_ismcts_spiel.games.keys import InformationKey

CHANCE_MOVES = int(pyspiel.PlayerId.CHANCE)
"""Who moves at a chance event."""


class Sight(NamedTuple):
    """What a game shows to a player.

    Attributes:
      player: to whom.
      information: its information state string, empty if the game has none.
      observation: its observation string, empty if the game has none.
    """

    player: int
    information: str
    observation: str

    @property
    def text(self) -> str:
        """All of it: what is to be seen now, and what is known from before if it says more."""
        seen, known = self.observation.rstrip(), self.information.rstrip()
        if not seen or not known or known in seen:
            return seen or known
        return known if seen in known else f"{seen}\n\n{known}"


class Option(NamedTuple):
    """A move or a chance outcome.

    Attributes:
      action: its number.
      name: as the game calls it.
      probability: of a chance outcome; None for a move.
    """

    action: int
    name: str
    probability: float | None


class Event(NamedTuple):
    """What has happened.

    Attributes:
      mover: who moved; CHANCE_MOVES for chance.
      action: its number.
      name: as the game calls it.
    """

    mover: int
    action: int
    name: str


class Hand:
    """One game from its start on."""

    def __init__(self, game: SupportedGame, history: Sequence[int] = ()) -> None:
        """Starts after the events of `history`.

        Raises:
          ValueError: an event of it is not legal.
        """
        self.game = game
        self._state = game.initial_state()
        for action in history:
            self.apply(action)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._state.is_terminal())

    @property
    def mover(self) -> int:
        """Whose move it is; CHANCE_MOVES where chance decides."""
        return int(self._state.current_player())

    @property
    def is_chance(self) -> bool:
        """Whether chance decides."""
        return bool(self._state.is_chance_node())

    @property
    def history(self) -> list[int]:
        """All events, hidden ones included: not to be shown to a player before the end."""
        return list(self._state.history())

    @property
    def returns(self) -> list[float]:
        """What each player won."""
        return [float(value) for value in self._state.returns()]

    @property
    def state(self) -> Any:
        """The true state, for who may know the whole position."""
        return self._state

    def options(self) -> list[Option]:
        """What may happen next, from the side of who is to move."""
        if self.over:
            return []
        chances: dict[int, float] = {}
        if self._state.is_chance_node():
            chances = dict(self._state.chance_outcomes())
        return [
            Option(a, str(self._state.action_to_string(self.mover, a)), chances.get(a))
            for a in chances or self._state.legal_actions()
        ]

    def apply(self, action: int) -> None:
        """One event.

        Raises:
          ValueError: it is not legal.
        """
        legal = [] if self.over else self._state.legal_actions()
        if action not in legal:
            raise ValueError(
                f"{action} is not legal in {self.game.name} after {self._state.history()}: "
                f"legal are {legal}"
            )
        self._state.apply_action(action)

    def deal(self, rng: np.random.Generator) -> None:
        """Draws chance events until a player is to move or the game is over."""
        while not self.over and self._state.is_chance_node():
            outcomes, weights = zip(*self._state.chance_outcomes(), strict=True)
            probabilities = np.array(weights) / sum(weights)
            self.apply(int(outcomes[rng.choice(len(outcomes), p=probabilities)]))

    def take_back(self, events: int) -> None:
        """Returns to the first `events` events."""
        kept = self.history[:events]
        self._state = self.game.initial_state()
        for action in kept:
            self._state.apply_action(action)

    def moves_of(self, seat: int) -> list[int]:
        """After how many events a seat moved, each time."""
        return [index for index, event in enumerate(self.events()) if event.mover == seat]

    def events(self) -> list[Event]:
        """All that has happened, hidden events included: for who may know the whole position."""
        state, found = self.game.initial_state(), []
        for action in self.history:
            mover = int(state.current_player())
            found.append(Event(mover, action, str(state.action_to_string(mover, action))))
            state.apply_action(action)
        return found

    def shown_to(self, seat: int) -> Sight:
        """What a seat is shown now."""
        return sight(self.game, self._state, seat)

    def ask(self, bot: Any) -> tuple[list[tuple[int, float]], int]:
        """A bot's mix and its move, which is not made yet. The bot looks at its own side only.

        Raises:
          ValueError: its move is not legal.
        """
        policy, action = bot.step_with_policy(self._state)
        if action not in self._state.legal_actions():
            raise ValueError(f"the bot in seat {self.mover} chose the illegal action {action}")
        return [(int(each), float(share)) for each, share in policy], int(action)

    def key(self, graph: GameGraph) -> InformationKey:
        """What the player to move has seen and done."""
        return graph.key_at(self._state, self.mover)

    def observe(self, graph: GameGraph, seconds: float | None = None) -> int:
        """The graph's information set of the player to move, from what it has seen alone."""
        return graph.observe(self._state, self.mover, seconds)


def sight(game: SupportedGame, state: Any, player: int) -> Sight:
    """What a player is shown at a state; of a game that hides nothing, the whole state."""
    kind = game.pyspiel_game.get_type()
    information = observation = ""
    if kind.provides_information_state_string and not game.perfect_information:
        information = str(state.information_state_string(player))
    if kind.provides_observation_string:
        observation = str(state.observation_string(player))
    elif game.perfect_information:
        observation = str(state)
    return Sight(player, information, observation)
