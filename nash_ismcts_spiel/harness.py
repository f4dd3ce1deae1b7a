"""The same bot in OpenSpiel's other harnesses, with its real probabilities.

`BotPolicy` makes bots a `policy.Policy` (exploitability, best response, expected game score);
`BotAgent` makes a bot an `rl_agent.AbstractAgent` (rl_environment loops); `PolicyBot` makes a
policy a bot. `ViewBot` and `ViewPolicy` make them forget all but a view (`games/merged.py`), so
that what plays is exactly what can be measured in games beyond enumeration.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel
from open_spiel.python import policy as openspiel_policy
from open_spiel.python import rl_agent

from nash_ismcts_spiel.bot import NashIsmctsBot
from nash_ismcts_spiel.games import GameGraph, InformationKey
from nash_ismcts_spiel.games.adapter import require_state
from nash_ismcts_spiel.games.board_symmetries import standard_views
from nash_ismcts_spiel.games.merged import MergedGame
from nash_ismcts_spiel.games.policies import ViewTablePolicy
from nash_ismcts_spiel.models.protocol import split_actions_of
from nash_ismcts_spiel.models.view_models import policy_over_views, takes_views
from nash_ismcts_spiel.search.draw import draw


class BotPolicy(openspiel_policy.Policy):  # type: ignore[misc]  # open_spiel has no types
    """Bots, one per seat, as a policy that is the same whenever an information set is asked about.

    Each information set is searched once, afresh, and its answer kept: a policy is a function of
    what the player has seen, and a bot's next search would give a slightly different answer.
    """

    def __init__(self, game: Any, bots: Any) -> None:
        """Wraps bots.

        Args:
          game: the pyspiel game that is asked about.
          bots: one bot per seat (a sequence, or a mapping by player), or a single bot for all.
        """
        players = list(range(game.num_players()))
        super().__init__(game, players)
        self._graph = GameGraph(game)
        self._bots = _by_player(bots, players)
        self._answers: dict[InformationKey, dict[int, float]] = {}

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """{action: probability} of the player to move (of `player_id` at a simultaneous node)."""
        require_state(state)
        player = state.current_player() if player_id is None else player_id
        if not state.is_simultaneous_node() and player != state.current_player():
            raise ValueError(f"player {state.current_player()} is to move, not player {player}")
        if player not in self._bots:
            raise ValueError(f"no bot for player {player}; there are bots for {list(self._bots)}")
        key = self._graph.key_at(state, player)
        if key not in self._answers:
            bot = self._bots[player]
            bot.restart_at(state)
            if state.is_simultaneous_node() and isinstance(bot, NashIsmctsBot):
                self._answers[key] = dict(bot.get_policy(state, player))
            else:
                self._answers[key] = dict(bot.get_policy(state))
        return dict(self._answers[key])


class DrawingBot(pyspiel.Bot):  # type: ignore[misc]  # pyspiel has no types
    """Draws its moves from the policy that it tells (`get_policy`)."""

    def __init__(self, seed: int) -> None:
        """Starts a generator, which draws in one game after another."""
        pyspiel.Bot.__init__(self)
        self._rng = np.random.default_rng(seed)

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """The policy and an action drawn from it."""
        policy: list[tuple[int, float]] = self.get_policy(state)
        return policy, policy[draw(self._rng, [probability for _, probability in policy])][0]

    def step(self, state: Any) -> int:
        """An action drawn from the policy."""
        return self.step_with_policy(state)[1]

    def provides_policy(self) -> bool:
        """Yes."""
        return True

    def restart(self) -> None:
        """Another game begins; nothing to forget."""

    def restart_at(self, state: Any) -> None:
        """Another game begins, in the middle."""
        self.restart()


class PolicyBot(DrawingBot):
    """Plays one seat by an OpenSpiel policy, and reports its probabilities."""

    def __init__(self, policy: Any, player_id: int, seed: int = 0) -> None:
        """Takes a seat."""
        super().__init__(seed)
        self._policy = policy
        self._player = player_id

    def get_policy(self, state: Any) -> list[tuple[int, float]]:
        """(action, probability) for all legal actions of the player to move."""
        require_state(state)
        found = self._policy.action_probabilities(state)
        return [(action, float(found.get(action, 0.0))) for action in state.legal_actions()]


class ViewPolicy(openspiel_policy.Policy):  # type: ignore[misc]  # open_spiel has no types
    """A policy that is asked by views alone, at the history that represents each.

    It stays a function of what the player sees: the history is one of the game's walk, chosen by
    the player's own view, and nothing else of the state that is asked about is read. Networks whose
    actions are not split are asked about all views at once.

    Attributes:
      table: what they answered, one probability per legal action of each view; None of others.
    """

    def __init__(self, merged: MergedGame, policy: Any) -> None:
        """Takes a policy of the game that was merged."""
        super().__init__(merged.game.pyspiel_game, list(range(merged.game.num_players)))
        self._merged = merged
        self._policy = policy
        self._answers: dict[int, dict[int, float]] = {}
        evaluator = getattr(policy, "evaluator", None)
        split = split_actions_of(evaluator) or "never"
        self.table: npt.NDArray[np.float64] | None = None
        if takes_views(evaluator) and GameGraph(merged.game, split).splitting is None:
            self.table = policy_over_views(merged, evaluator)
            self._policy = ViewTablePolicy(merged, self.table)

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """{action: probability} of the player to move."""
        require_state(state)
        if player_id is not None and player_id != state.current_player():
            raise ValueError(f"player {state.current_player()} is to move, not player {player_id}")
        view = self._merged.view_at(state)
        if view not in self._answers:
            found = self._policy.action_probabilities(self._merged.state_of(view))
            self._answers[view] = dict(found)
        return dict(self._answers[view])


class ViewBot(DrawingBot):
    """Plays by views alone: each is searched once, at the history that represents it.

    A search has a new bot, whose seed is that of the view. So the bot's policy is one function of
    views, the same in every game, in any order of questions and in every process: what is measured
    is what plays. It tells the policy of every player to move; only `step` is for its own seat.
    """

    def __init__(
        self,
        merged: MergedGame,
        player_id: int,
        make: Callable[[int, int], Any],
        seed: int = 0,
        turned: bool = False,
    ) -> None:
        """Takes a seat.

        Args:
          merged: the game, merged (`games.merged.merged_game`).
          player_id: the seat.
          make: makes a new bot that searches: make(player, seed).
          seed: from which the seeds of the searches come.
          turned: whether views that are one view on a turned or mirrored board are searched once.
        """
        super().__init__(seed)
        self._merged = merged
        self._player = player_id
        self._make = make
        self._seed = seed
        self._standard = standard_views(merged) if turned else None
        self._answers: dict[int, list[tuple[int, float]]] = {}

    def get_policy(self, state: Any) -> list[tuple[int, float]]:
        """(action, probability) for all legal actions of the player to move."""
        require_state(state)
        view = self._merged.view_at(state)
        if self._standard is None:
            return list(self._answer(view))
        standard = self._standard[view]
        found = dict(self._answer(standard.view))
        actions = self._merged.views[view].legal_actions
        return [(action, found[standard.cells[action]]) for action in actions]

    def _answer(self, view: int) -> list[tuple[int, float]]:
        """What a search says at a view."""
        if view not in self._answers:
            seed = int(np.random.SeedSequence((self._seed, view)).generate_state(1)[0]) >> 1
            bot = self._make(self._merged.views[view].player, seed)
            self._answers[view] = list(bot.get_policy(self._merged.state_of(view)))
        return self._answers[view]

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """The policy and an action drawn from it."""
        require_state(state)
        if state.current_player() != self._player:
            raise ValueError(
                f"this bot plays seat {self._player}, but player {state.current_player()} is to "
                "move"
            )
        return super().step_with_policy(state)

    def is_clonable(self) -> bool:
        """Yes."""
        return True

    def clone(self) -> ViewBot:
        """A bot that draws the same numbers; both share what was searched."""
        turned = self._standard is not None
        bot = ViewBot(self._merged, self._player, self._make, self._seed, turned)
        bot._rng = copy.deepcopy(self._rng)
        bot._answers = self._answers
        return bot


class BotAgent(rl_agent.AbstractAgent):  # type: ignore[misc]  # open_spiel has no types
    """A bot as a reinforcement-learning agent; the environment needs `include_full_state=True`.

    The full state reaches the bot, which looks at its own player's side of it only.
    """

    def __init__(self, player_id: int, num_actions: int, bot: Any, name: str = "bot") -> None:
        """Wraps `bot`, which must play seat `player_id`."""
        super().__init__(player_id, name)
        self._player = player_id
        self._num_actions = num_actions
        self._bot = bot

    def step(self, time_step: Any, is_evaluation: bool = False) -> rl_agent.StepOutput | None:
        """The bot's action with its probabilities; None at the end of an episode."""
        del is_evaluation
        if time_step.last():
            return None
        serialized = time_step.observations.get("serialized_state")
        if not serialized:
            raise ValueError("BotAgent needs an Environment made with include_full_state=True")
        _, state = pyspiel.deserialize_game_and_state(serialized)
        policy, action = self._bot.step_with_policy(state)
        probabilities = np.zeros(self._num_actions)
        for legal, probability in policy:
            probabilities[legal] = probability
        return rl_agent.StepOutput(action=action, probs=probabilities)

    def restart(self) -> None:
        """A new episode begins."""
        self._bot.restart()


def _by_player(bots: Any, players: Sequence[int]) -> dict[int, Any]:
    if isinstance(bots, Mapping):
        return dict(bots)
    if isinstance(bots, Sequence):
        if len(bots) != len(players):
            raise ValueError(f"{len(bots)} bots for {len(players)} players")
        return dict(zip(players, bots, strict=True))
    return dict.fromkeys(players, bots)
