"""OpenSpiel's games as environments of PettingZoo (AEC), and bots as their agents.

`SpielEnv` plays any supported game: agents are "player_0" and so on, an observation is a dictionary
of the player's tensor and the mask of legal actions, rewards are utilities of each player in the
game's units, and chance is drawn by the seed of `reset`. `act` asks a bot for the action of the
agent to move; as in OpenSpiel's own harness the bot is handed the state and reads no more of it
than its player has seen. Needs the extra `pettingzoo`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.search.draw import draw

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
except ModuleNotFoundError as error:
    wanted = "pip install 'nash_ismcts_spiel[pettingzoo]'"
    raise ModuleNotFoundError(f"this needs PettingZoo: {wanted}", name=error.name) from error


class SpielEnv(AECEnv):  # type: ignore[misc]  # PettingZoo may be missing where types are checked
    """A game of OpenSpiel's, one agent to move at a time; simultaneous games in turns."""

    def __init__(self, game: Any, render_mode: str | None = None) -> None:
        """Takes a pyspiel game or its name.

        Raises:
          ValueError: the game is not supported, or its players are not described by tensors.
        """
        super().__init__()
        supported = support(game)
        self._game = supported.pyspiel_game
        kind = self._game.get_type()
        by_information = kind.provides_information_state_tensor
        if not by_information and not kind.provides_observation_tensor:
            raise ValueError(f"{supported.name} has no tensors for PettingZoo's observations")
        name = supported.name.partition("(")[0]
        self.metadata = {"name": name, "render_modes": ["ansi"], "is_parallelizable": False}
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(supported.num_players)]
        self.agents: list[str] = []
        told = "information_state" if by_information else "observation"
        self._told = f"{told}_tensor"
        shape = getattr(self._game, f"{self._told}_shape")()
        actions = self._game.num_distinct_actions()
        tensor = spaces.Box(-np.inf, np.inf, shape=tuple(shape), dtype=np.float32)
        mask = spaces.Box(0, 1, shape=(actions,), dtype=np.int8)
        self._observations = {
            agent: spaces.Dict({"observation": tensor, "action_mask": mask})
            for agent in self.possible_agents
        }
        self._actions = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self._rng = np.random.default_rng(0)
        self.spiel_state: Any = None

    def observation_space(self, agent: str) -> Any:
        """The space of an agent's observations."""
        return self._observations[agent]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions, legal or not."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game; a seed begins a new series of chance outcomes."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.spiel_state = self._game.new_initial_state()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._go_on()

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """What an agent sees, and which of its actions are legal now."""
        seat = self.possible_agents.index(agent)
        state = self.spiel_state
        tensor = getattr(state, self._told)(seat)
        space = self._observations[agent]["observation"]
        mask = np.zeros(self._game.num_distinct_actions(), dtype=np.int8)
        if not state.is_terminal() and state.current_player() == seat:
            mask[state.legal_actions()] = 1
        shaped = np.asarray(tensor, dtype=np.float32).reshape(space.shape)
        return {"observation": shaped, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """The agent to move acts; None where its game is over.

        Raises:
          ValueError: the action is not legal.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        legal = self.spiel_state.legal_actions()
        if action is None or action not in legal:
            raise ValueError(f"{action} is not legal for {agent}: legal are {legal}")
        self._cumulative_rewards[agent] = 0.0
        before = np.asarray(self.spiel_state.returns())
        self.spiel_state.apply_action(int(action))
        self._go_on()
        gained = np.asarray(self.spiel_state.returns()) - before
        self.rewards = dict(zip(self.agents, map(float, gained), strict=True))
        self._accumulate_rewards()

    def render(self) -> str:
        """The state as OpenSpiel prints it, with all that is hidden."""
        return str(self.spiel_state)

    def close(self) -> None:
        """Nothing to let go of."""

    def _go_on(self) -> None:
        """Draws chance, and says who is to move or that the game is over."""
        state = self.spiel_state
        while state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(outcomes[draw(self._rng, list(weights))])
        if state.is_terminal():
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[state.current_player()]


def act(env: SpielEnv, bot: Any) -> int | None:
    """The action of a bot for the agent to move; None where its game is over."""
    if env.terminations[env.agent_selection] or env.truncations[env.agent_selection]:
        return None
    return int(bot.step(env.spiel_state))
