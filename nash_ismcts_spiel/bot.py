"""The search as an OpenSpiel bot.

OpenSpiel hands a bot the true state of the game, hidden cards included, and leaves it to the bot
not to look. This one asks `games/` what its player has seen and done on the way there and works
from that alone: two states that the player cannot tell apart get the same policy, bit for bit.
"""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyspiel

from nash_ismcts_spiel.bot_checks import (
    check_config,
    check_evaluator,
    check_generator,
    check_seat,
    mover_at,
)
from nash_ismcts_spiel.config import MOST_VISITS, SearchConfig
from nash_ismcts_spiel.engines import AnyEngine, LiteralEngine, equip
from nash_ismcts_spiel.games import NoWorldFoundError, support
from nash_ismcts_spiel.games.policies import rows_at
from nash_ismcts_spiel.models import Evaluator, RolloutEvaluator
from nash_ismcts_spiel.models.sources import compiled_only
from nash_ismcts_spiel.native.forest import ForestEngine
from nash_ismcts_spiel.native.state_forest import StateForestEngine
from nash_ismcts_spiel.search import SearchResult
from nash_ismcts_spiel.search.draw import draw, new_seed
from nash_ismcts_spiel.search.limits import StoppedBy
from nash_ismcts_spiel.search.result import nothing_found
from nash_ismcts_spiel.search.whole_actions import over_whole_actions
from nash_ismcts_spiel.settings import check_positive, check_seed
from nash_ismcts_spiel.threads import OneThread

ActionProbabilities = list[tuple[int, float]]

_KEPT_WORLDS = 20_000
"""Size up to which a graph is kept for the next search: larger games hardly ever come by again."""


class NashIsmctsBot(pyspiel.Bot):  # type: ignore[misc]  # pyspiel has no types
    """Plays one seat, or all, by Nash-ISMCTS, and reports the mixed policy it draws moves from."""

    def __init__(
        self,
        game: Any,
        player_id: int | None = None,
        evaluator: Evaluator | None = None,
        config: SearchConfig | None = None,
        seed: int = 0,
        seconds: float | None = None,
    ) -> None:
        """Takes a seat.

        Args:
          game: a pyspiel game or its name; a simultaneous one is searched in its turn-based form.
          player_id: the seat; None plays for whoever is to move, as pyspiel.ISMCTSBot does.
          evaluator: the models P, V, Vc and H; random rollouts if None.
          config: how to search; the defaults of SearchConfig if None.
          seed: seeds the bot's generator and, if it makes one, its rollout evaluator.
          seconds: wall time of a search, instead of the config's visits.

        Raises:
          ValueError: the game is not supported, the seat does not exist, the time is not positive,
            or the evaluator's models are of another game.
        """
        pyspiel.Bot.__init__(self)
        self._game = support(game)
        check_config(config)
        check_evaluator(evaluator)
        check_seat(player_id, self._game)
        check_seed("seed", seed)
        check_positive("seconds", seconds)
        self._player = None if player_id is None else int(player_id)
        self._seconds = seconds
        self._evaluator: Evaluator = evaluator or RolloutEvaluator(seed=seed)
        self._config = (config or SearchConfig()).checked()
        if self._config.search == "notes":
            self._config = self._config.with_radius(compiled_only(self._evaluator) is None)
        self._seed = int(seed)
        self._rng = np.random.default_rng(seed)
        self._last_world: int | None = None  # explained the last position
        self._seats: dict[int, NashIsmctsBot] = {}  # for literal searches of other seats
        self._one_thread = OneThread("bot")
        self._start_graph()

    @property
    def player_id(self) -> int | None:
        """The bot's seat; None if it plays for whoever is to move."""
        return self._player

    @property
    def config(self) -> SearchConfig:
        """How the bot searches, with the visits that it has where none were set."""
        return self._config

    def search(
        self,
        state: Any,
        *,
        fresh: bool = False,
        rng: np.random.Generator | None = None,
        player_id: int | None = None,
    ) -> SearchResult:
        """Searches for the player to move at `state`, from what that player has seen.

        Args:
          state: a state of the bot's game, which is not changed.
          fresh: forget earlier searches first; the result then depends on the information set,
            the models, the config and `rng` alone.
          rng: the generator to draw from, the bot's own if None.
          player_id: whose move it is at a simultaneous node, the bot's own if None.

        Where no world is found that agrees with what the player has seen, which can happen in
        large games, a warning says so and the policy is uniform (`stopped_by` is "no_world").

        Raises:
          ValueError: nobody is to move at `state`, or it belongs to another game.
          RuntimeError: the bot is searching already, in another thread.
        """
        check_generator(rng)
        player = mover_at(state, self._game, self._player if player_id is None else player_id)
        with self._one_thread:
            return self._search(state, player, fresh, rng)

    def _search(
        self, state: Any, player: int, fresh: bool, rng: np.random.Generator | None
    ) -> SearchResult:
        started = time.perf_counter()
        if isinstance(self._engine, LiteralEngine) and player != self._player:
            return self._seat(player).search(state, fresh=fresh, rng=rng)
        if isinstance(self._engine, ForestEngine) and self._merged is not None:
            if fresh or not self._config.reuse_trees:
                self._engine.forget()
            return self._engine.search(
                self._merged.view_at(state), seconds=self._seconds, seed=new_seed(rng)
            )
        try:
            information_set = self._observe(state, player, fresh)
        except TimeoutError:
            return self._nothing_found(state, player, "seconds")
        except NoWorldFoundError as error:
            warnings.warn(f"a move is drawn at random: {error}", RuntimeWarning, stacklevel=3)
            return self._nothing_found(state, player, "no_world")
        self._last_world = self._graph.information_sets.first_world[information_set]
        spent = time.perf_counter() - started
        left = None if self._seconds is None else max(self._seconds - spent, 0.0)
        if isinstance(self._engine, ForestEngine | StateForestEngine):
            result = self._engine.search(information_set, seconds=left, seed=new_seed(rng))
        else:
            result = self._search_literally(self._engine, information_set, rng, left)
        return over_whole_actions(result, information_set, self._models, self._engine)

    def _observe(self, state: Any, player: int, fresh: bool) -> int:
        """The information set; drops what an earlier search has left that this one must not use."""
        if isinstance(self._engine, StateForestEngine):
            if fresh:
                self._engine.forget()
            self._graph, self._models = self._engine.renewed()
            return self._engine.observe(state, player, self._seconds)
        self._bound_memory(max(_KEPT_WORLDS, 2 * self._grown))
        if fresh or not self._config.reuse_trees:
            self._engine.forget()
        return self._graph.observe(state, player, self._seconds)

    def _search_literally(
        self,
        engine: LiteralEngine,
        information_set: int,
        rng: np.random.Generator | None,
        seconds: float | None,
    ) -> SearchResult:
        before = len(self._graph.worlds)
        result = engine.search(
            information_set,
            self._rng if rng is None else rng,
            None if seconds is None else MOST_VISITS,
            seconds=seconds,
            max_worlds=None if self._graph.enumerated else self._config.max_worlds,
        )
        self._grown = len(self._graph.worlds) - before
        return result

    def get_policy(self, state: Any, player_id: int | None = None) -> ActionProbabilities:
        """The mixed policy of the player to move: (action, probability) for all legal actions.

        OpenSpiel's measuring scripts ask one bot about every seat: this answers for whoever is to
        move (at a simultaneous node for `player_id`, or the own seat); only `step` insists on that.
        """
        result = self.search(state, player_id=player_id)
        return list(zip(result.actions, result.policy, strict=True))

    def get_policies(
        self, states: Sequence[Any], report: Callable[[int], object] | None = None
    ) -> list[ActionProbabilities] | None:
        """What `get_policy` says at each state after a restart; None if no work can be shared."""
        if self._seconds is not None or not isinstance(self._engine, ForestEngine):
            return None
        with self._one_thread:
            table = self._engine.everywhere(report)
            return None if table is None else rows_at(self._merged or self._graph, table, states)

    def step_with_policy(self, state: Any) -> tuple[ActionProbabilities, int]:
        """The mixed policy and an action drawn from it."""
        mover = mover_at(state, self._game, self._player)
        if self._player not in (None, mover):
            raise ValueError(f"this bot plays seat {self._player}, but player {mover} is to move")
        policy = self.get_policy(state)
        index = draw(self._rng, [probability for _, probability in policy])
        return policy, policy[index][0]

    def step(self, state: Any) -> int:
        """An action drawn from the mixed policy."""
        return self.step_with_policy(state)[1]

    def provides_policy(self) -> bool:
        """Yes: `get_policy` and `step_with_policy` give real probabilities."""
        return True

    def restart(self) -> None:
        """A new game begins: earlier trees are forgotten, the generator goes on."""
        with self._one_thread:
            self._engine.forget()
            self._last_world = None
            self._bound_memory(_KEPT_WORLDS)
            for bot in self._seats.values():
                bot.restart()

    def restart_at(self, state: Any) -> None:
        """A game is entered at `state`: as `restart`."""
        self.restart()

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """Ignored: the harness tells hidden moves too; what was seen is read when we move."""

    def inform_actions(self, state: Any, actions: list[int]) -> None:
        """Ignored, as `inform_action`."""

    def provides_force_action(self) -> bool:
        """Yes: a forced move is found in the history like any other."""
        return True

    def force_action(self, state: Any, action: int) -> None:
        """Nothing to do: see `provides_force_action`."""

    def is_clonable(self) -> bool:
        """Yes."""
        return True

    def clone(self) -> NashIsmctsBot:
        """A bot that draws the same random numbers from here on; it starts without trees."""
        bot = self._seated(self._player)
        bot._rng = copy.deepcopy(self._rng)
        bot._seats = {player: each.clone() for player, each in self._seats.items()}
        return bot

    def _seated(self, player: int | None) -> NashIsmctsBot:
        settings = self._evaluator, self._config, self._seed, self._seconds
        return NashIsmctsBot(self._game, player, *settings)

    def _seat(self, player: int) -> NashIsmctsBot:
        """Who searches literally for another seat; it does not notice what others are asked."""
        if player not in self._seats:
            bot = self._seats[player] = self._seated(player)
            bot._rng = np.random.Generator(np.random.PCG64(self._seed).jumped(player))
        return self._seats[player]

    def _nothing_found(self, state: Any, player: int, stopped_by: StoppedBy) -> SearchResult:
        actions = tuple(state.legal_actions(player))
        return nothing_found(self._graph.key_at(state, player), actions, stopped_by)

    def _start_graph(self) -> None:
        found = equip(self._game, self._evaluator, self._config, self._seed)
        self._graph, self._models, self._merged = found.graph, found.models, found.merged
        self.plays_by_views = found.merged is not None and self._seconds is None  # in any order
        self._config = found.config
        self._engine: AnyEngine = found.engine
        if self._seconds is not None and isinstance(self._engine, ForestEngine):
            self._engine.prepare()
        self._last_world, self._grown = None, 0

    def _bound_memory(self, max_worlds: int) -> None:
        """Starts a new graph when the old one has grown too large; an enumerated one never does.

        It begins with the world that explained the last position, where the next one is looked for.
        """
        limit = min(max_worlds, self._config.max_worlds)
        if self._graph.enumerated or len(self._graph.worlds) < limit:
            return
        world = None if self._last_world is None else self._graph.history(self._last_world)
        self._start_graph()
        if world is not None:
            self._graph.follow(world)
