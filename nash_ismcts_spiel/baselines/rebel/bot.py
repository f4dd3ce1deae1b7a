"""ReBeL as an OpenSpiel bot: it searches the subgame at hand when it has to move.

A game is one playthrough of `mixture`: in each subgame an iteration is drawn once, its policy is
played until the subgame is left, and the beliefs there are those that follow from it. The bot looks
at what its own player has seen; that tells which public states were passed, and nothing else of the
game enters.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from nash_ismcts_spiel.baselines.rebel.mixture import Search
from nash_ismcts_spiel.baselines.rebel.public_tree import Floats
from nash_ismcts_spiel.baselines.rebel.subgames import Snapshot
from nash_ismcts_spiel.games import SupportedGame, support
from nash_ismcts_spiel.games.adapter import require_state
from nash_ismcts_spiel.harness import PolicyBot

_Drawn = tuple[Snapshot, list[int]]
"""What is played in a subgame, and the public states at its leaves."""


class Playthrough:
    """The policies of one game, found where they are asked for."""

    def __init__(self, search: Search, rng: np.random.Generator) -> None:
        """Starts a game; `rng` draws iterations."""
        self._search = search
        self._tree = search.subgames.tree
        self._rng = rng
        self._drawn: dict[int, _Drawn] = {}

    def restart(self) -> None:
        """Starts another game."""
        self._drawn.clear()

    def action_probabilities(self, state: Any) -> dict[int, float]:
        """{action: probability} of the player to move."""
        graph, sets = self._tree.graph, self._tree.graph.information_sets
        information_set = graph.observe(state, state.current_player())
        first, count = sets.first_action[information_set], sets.action_count[information_set]
        root, (snapshot, _) = self._at(int(self._tree.states[sets.first_world[information_set]]))
        place = int(np.flatnonzero(self._search.subgames.at(root).actions == first)[0])
        policy = snapshot.policy[place : place + count].tolist()
        return dict(zip(graph.legal_actions(information_set), policy, strict=True))

    def _at(self, public_state: int) -> tuple[int, _Drawn]:
        """The subgame that a public state belongs to, and what is played there."""
        path = [public_state]
        while self._tree.parent[path[-1]] >= 0:
            path.append(int(self._tree.parent[path[-1]]))
        root = path[-1]
        drawn = self._draw(root, self._tree.mass[root])
        for state in reversed(path):
            snapshot, leaves = drawn
            if state in leaves:
                root = state
                drawn = self._draw(root, snapshot.leaf_beliefs[leaves.index(state)])
        return root, drawn

    def _draw(self, root: int, beliefs: Floats) -> _Drawn:
        if root not in self._drawn:
            search = self._search
            iteration = 1 + int(self._rng.choice(search.iterations, p=search.weights))
            ends = search.subgames.at(root).num_leaves == 0
            solution = search.subgames.solve(
                [root],
                beliefs[None],
                search.iterations if ends else iteration - 1,
                search.method,
                search.leaf_values,
                [] if ends else [(0, iteration)],
            )
            if ends:  # nothing follows that would have to know which iteration is played
                nothing = np.zeros((0, *beliefs.shape))
                snapshot = Snapshot(solution.batch.average_policy(0), nothing)
            else:
                snapshot = solution.snapshots[0, iteration]
            self._drawn[root] = snapshot, list(solution.leaf_states[0])
        return self._drawn[root]


class RebelBot(PolicyBot):
    """Plays one seat by safe search."""

    def __init__(self, search: Search, player_id: int, seed: int = 0) -> None:
        """Takes a seat; `search` may be shared by bots of one thread."""
        if player_id not in (0, 1):
            raise ValueError(f"player_id must be 0 or 1, not {player_id}")
        # Two streams: how many actions were drawn must not change how subgames are searched.
        self._game = Playthrough(search, np.random.default_rng([seed, 1]))
        super().__init__(self._game, player_id, seed)

    def get_policy(self, state: Any) -> list[tuple[int, float]]:
        """(action, probability) of what it plays in this game, for all legal actions.

        Raises:
          ValueError: it is not this bot's turn.
          TypeError: it is no state.
        """
        require_state(state)
        if state.current_player() != self._player:
            raise ValueError(
                f"the bot plays seat {self._player}, and player {state.current_player()} moves"
            )
        return super().get_policy(state)

    def restart(self) -> None:
        """Another game begins."""
        self._game.restart()


def load_search(
    checkpoint: str | Path, game: SupportedGame, iterations: int | None = None
) -> Search:
    """How the network of a run searches, with the run's `play_iterations` if none are given.

    Raises:
      ValueError: there is no run of ReBeL, or it is one of another game.
    """
    from nash_ismcts_spiel.baselines.rebel.run import RebelRun  # torch, for those who ask for it

    run = RebelRun.resume(Path(checkpoint))
    if run.game != game.name:
        raise ValueError(f"{checkpoint} is a training of {run.game}, and this is {game.name}")
    return run.loop.search(iterations)


def rebel_bot(
    game: Any,
    player_id: int,
    *,
    checkpoint: str | Path | None = None,
    iterations: int | None = None,
    seed: int = 0,
) -> RebelBot:
    """A bot with the network of a run of `nash-ismcts train --algorithm rebel`.

    Raises:
      ValueError: there is no such run, or it is one of another game.
    """
    if checkpoint is None:
        raise ValueError(
            "ReBeL needs a training: checkpoint=, made by `nash-ismcts train --algorithm rebel`"
        )
    return RebelBot(load_search(checkpoint, support(game), iterations), player_id, seed)
