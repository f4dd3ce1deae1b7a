"""`nash-ismcts search`: what one search of one position finds.

Utilities are in the game's units, of the player to move.
"""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

import numpy as np

from nash_ismcts_spiel.cli.bars import Work
from nash_ismcts_spiel.cli.common import events_of, load, print_json
from nash_ismcts_spiel.cli.parser import (
    add_game,
    add_history,
    add_json,
    add_models,
    add_preset,
    add_seed,
    add_set,
    check_numbers,
    describe,
    plain,
)
from nash_ismcts_spiel.games import SupportedGame
from nash_ismcts_spiel.games.hand import Hand
from nash_ismcts_spiel.registry import SearchName, make_bot
from nash_ismcts_spiel.search import SearchResult


def add_search(command: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    describe(
        command,
        _search,
        "Searches one position for the player who is to move there, who sees nothing but its own "
        "observations. Shows visits, intervals of Q, prior and policy.",
        "search --game kuhn_poker --history 0,1,1",
        "search --game leduc_poker --random-moves 2 --models pretrained",
        "search --game kuhn_poker --history 0,1 --set c_puct=2 --json",
    )
    add_game(command)
    position = command.add_mutually_exclusive_group()
    add_history(position, "none, and chance is drawn")
    moves = "play N random moves of players from the start (default 0); chance is drawn"
    position.add_argument("--random-moves", type=int, default=0, metavar="N", help=moves)
    add_preset(command)
    add_models(command)
    command.add_argument("--visits", type=int, help="visits of the root (default: the bot's)")
    radius = "L1 radius round the beliefs (default: the bot's)"
    command.add_argument("--dispersion-radius", type=float, help=radius)
    add_set(command, "SearchConfig, e.g. --set c_puct=2 (default: as the bot has it)")
    add_seed(command, "the position and the search")
    add_json(command)


def _search(arguments: argparse.Namespace) -> None:
    check_numbers(arguments)
    game = load(arguments.game)
    if arguments.history is None:
        state = _random_hand(game, arguments.random_moves, arguments.seed).state
    else:
        state = Hand(game, events_of(arguments.history)).state
    changes = {
        "visits": arguments.visits,
        "dispersion_radius": arguments.dispersion_radius,
        "models": arguments.models,
    }
    changes = {name: value for name, value in changes.items() if value is not None}
    changes |= plain(arguments.set)
    player = max(int(state.current_player()), 0)
    with Work("searching"):
        name: SearchName = arguments.bot
        bot = make_bot(name, game.pyspiel_game, player, seed=arguments.seed, **changes)
        result = bot.search(state)
    if arguments.json:
        print_json(_as_json(arguments, game, state, bot, result))
    else:
        _print_search(arguments, game, state, bot, result)


def _as_json(
    arguments: argparse.Namespace, game: SupportedGame, state: Any, bot: Any, result: SearchResult
) -> dict[str, Any]:
    found = dataclasses.asdict(result)
    found["q"] = [list(interval) for interval in result.q]
    found["value"] = list(result.value)
    return {
        "game": game.name,
        "history": list(state.history()),
        "bot": arguments.bot,
        "seed": arguments.seed,
        "config": bot.config.to_dict(),
        **found,
    }


def _print_search(
    arguments: argparse.Namespace, game: SupportedGame, state: Any, bot: Any, result: SearchResult
) -> None:
    config, player = bot.config, result.key.player
    print(f"{game.name} after {state.history()}")
    radius = config.dispersion_radius
    told = "" if radius is None else f"dispersion radius {radius:g}, "
    print(
        f"player {player} searches by {arguments.bot}: {config.visits} visits, {told}"
        f"seed {arguments.seed}"
    )
    if game.perfect_information:
        print("nothing is hidden from it")
    else:
        print("it has seen, oldest first:")
        for action, observation in result.key.log:
            moved = "" if action < 0 else f"after its move {action}: "
            print(f"  {moved}{' / '.join(observation.splitlines())}")
    print("\naction  visits     Q low    Q high   prior  policy  move")
    for index, action in enumerate(result.actions):
        low, high = result.q[index]
        print(
            f"{action:>6} {result.visits[index]:>7} {low:>9.4f} {high:>9.4f} "
            f"{result.prior[index]:>7.4f} {result.policy[index]:>7.4f}  "
            f"{state.action_to_string(player, action)}"
        )
    print(
        f"\nvalue {result.value.low:.4f} to {result.value.high:.4f}; "
        f"{result.mixed_count} mixed and {result.pure_count} pure choices; "
        f"{result.simulations} simulations in all trees"
    )


def _random_hand(game: SupportedGame, moves: int, seed: int) -> Hand:
    """A game after so many random moves of players, and whatever chance does meanwhile."""
    if moves < 0:
        raise ValueError(f"--random-moves must not be negative, not {moves}")
    rng, hand = np.random.default_rng(seed), Hand(game)
    hand.deal(rng)
    for done in range(moves):
        if hand.over:
            raise ValueError(f"{game.name} was over after {done} of {moves} random moves")
        options = hand.options()
        hand.apply(options[rng.integers(len(options))].action)
        hand.deal(rng)
    if hand.over:
        raise ValueError(f"{game.name} was over after {moves} of {moves} random moves")
    return hand
