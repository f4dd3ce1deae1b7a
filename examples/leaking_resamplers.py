"""What OpenSpiel's own resamplers of hidden worlds give away or get wrong, game by game.

`State.resample_from_infostate` shall return a state that its player cannot tell from the true one,
drawn from all of them. A search in one that keeps what is hidden plays with open cards. Shown is in
how many random games a resampler does so.

    python examples/leaking_resamplers.py [--games=20]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel

from nash_ismcts_spiel import Resampler

Draw = Callable[[Any, int], Any]
"""(state, player) -> a world that the player shall not be able to tell from the state."""


def random_game(game: Any, rng: np.random.Generator, until: Callable[[Any], bool]) -> Any:
    """The first decision in random games that is wanted."""
    state = game.new_initial_state()
    while True:
        if state.is_terminal():
            state = game.new_initial_state()
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=np.array(chances) / sum(chances))))
        elif until(state):
            return state
        else:
            state.apply_action(int(rng.choice(state.legal_actions())))


def count(
    name: str,
    until: Callable[[Any], bool],
    leaks: Callable[[Any, Any], bool],
    games: int,
    draw: Draw | None = None,
    in_turn: bool = True,
) -> int:
    """In how many games a world of the decision that is wanted leaks; worlds are the game's own, or
    drawn, and those of the player to move if it is their turn, else of the other one.
    """
    game, rng = pyspiel.load_game(name), np.random.default_rng(0)
    sampler = pyspiel.UniformProbabilitySampler(0, 0.0, 1.0)
    found = 0
    for _ in range(games):
        state = random_game(game, rng, until)
        player = state.current_player() if in_turn else 1 - state.current_player()
        own = draw is None
        world = state.resample_from_infostate(player, sampler) if own else draw(state, player)
        found += leaks(state, world)
    return found


def same(state: Any, world: Any) -> bool:
    """The world is the true state."""
    return str(world) == str(state)


def same_when_read(state: Any, world: Any) -> bool:
    """The world is the true state once it was written and read: its history is."""
    return str(world.get_game().deserialize_state(world.serialize())) == str(state)


def broken(_: Any, world: Any) -> bool:
    """The world is against the rules: an event of its history is not legal where it happens."""
    state = world.get_game().new_initial_state()
    for event in world.history():
        if event not in state.legal_actions():
            return True
        state.apply_action(event)
    return False


def main() -> None:
    """Prints all counts."""
    parser = argparse.ArgumentParser(description="What OpenSpiel's own resamplers give away.")
    parser.add_argument("--games", type=int, default=20)
    games = parser.parse_args().games

    def told(text: str, found: int, total: int = games) -> None:
        print(f"{text:<56}{found:>4} of {total}")

    for name, first in (("euchre", 1), ("oh_hell", 2)):  # chance events before the deal

        def same_deal(state: Any, world: Any, first: int = first) -> bool:
            return set(state.history()[first:]) == set(world.history()[first:])

        told(f"{name}: keeps the set of cards dealt", count(name, bool, same_deal, games))
        ours = Resampler(name, seed=0)
        told("  nash_ismcts_spiel.Resampler", count(name, bool, same_deal, games, ours))

    def late(state: Any) -> bool:
        return len(state.history()) > (80 if "hearts" in str(state.get_game()) else 40)

    def in_layoff(state: Any) -> bool:
        return "Phase: Layoff" in str(state)

    gin = "gin_rummy"
    told(f"{gin}: true hands, once written and read", count(gin, late, same_when_read, games))
    knocker = count(gin, in_layoff, same, games, in_turn=False)
    told(f"{gin}, layoff: the knocker gets the true state", knocker)
    told("colored_trails: the true state", count("colored_trails", bool, same, games))
    told("hearts: a world against the rules (voids)", count("hearts", late, broken, games))
    start = pyspiel.load_game("hearts(pass_cards=False)").new_initial_state()
    offered = [outcome for outcome, _ in start.chance_outcomes()]
    illegal = sum(outcome not in start.legal_actions() for outcome in offered)
    told("hearts(pass_cards=False): directions offered, illegal", illegal, len(offered))


if __name__ == "__main__":
    main()
