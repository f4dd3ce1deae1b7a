"""Bots by name, peers included, for `make_bot`, and the searches of this package in OpenSpiel's own
registry.

After `import nash_ismcts_spiel`, `pyspiel.load_bot("nash_ismcts", game, 0, {"visits": 100})` makes
one, and so does the string "nash_ismcts(visits=100)". Parameters are those of `make_bot`, as far as
OpenSpiel has them: int, float, bool and str.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, Protocol, overload

import pyspiel

from nash_ismcts_spiel.bot import NashIsmctsBot
from nash_ismcts_spiel.config import GONE_BOTS, PRESETS, SearchConfig
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.native.openspiel import spiel_module
from nash_ismcts_spiel.settings import check_seed, did_you_mean

BotMaker = Callable[..., Any]
"""(game, player_id, **params) -> a pyspiel.Bot."""

SearchName = Literal["nash_ismcts", "nash_ismcts_notes", "a_ismcts", "mt_ismcts"]
"""The searches of this package, which are the presets of SearchConfig."""

_MAKERS: dict[str, BotMaker] = {}


class Bot(Protocol):
    """What every bot does, whoever made it: a pyspiel.Bot, which has no types of its own."""

    def step(self, state: Any, /) -> int:
        """The action that it plays at a state."""
        ...

    def get_policy(self, state: Any, /) -> list[tuple[int, float]]:
        """(action, probability) for all legal actions of the player to move."""
        ...

    def restart(self) -> None:
        """Forgets all that was played."""
        ...

    def restart_at(self, state: Any, /) -> None:
        """Forgets all, and goes on from a state."""
        ...


@overload
def make_bot(
    name: SearchName, game: Any, player_id: int | None = None, **params: Any
) -> NashIsmctsBot: ...
@overload
def make_bot(name: str, game: Any, player_id: int | None = None, **params: Any) -> Bot: ...
def make_bot(name: str, game: Any, player_id: int | None = None, **params: Any) -> Any:
    """A bot by name.

    Args:
      name: one of `registered_bots()`.
      game: a pyspiel game or its name.
      player_id: the seat. Only the searches of this package do without: they then play for whoever
        is to move, so that one bot serves where a script has one pyspiel.ISMCTSBot.
      **params: for the searches of this package: `models`, `seed`, `seconds` and any field of
        SearchConfig, on top of the preset of that name (or of `config` if that is given). Models
        are an evaluator, the directory of a run, the file of saved models, or "pretrained" for
        those of this game that come with the package; `evaluator` and `checkpoint` are the same.

    Raises:
      ValueError: no bot has that name, or a parameter is unknown.
    """
    if name in GONE_BOTS:
        raise ValueError(f"{name} is gone: {GONE_BOTS[name]}")
    if name not in _MAKERS:
        raise ValueError(f"unknown bot {name!r}; {did_you_mean(name, registered_bots())}")
    if player_id is None and name in PEERS:
        raise ValueError(f"{name} needs a player_id: it plays one seat")
    return _MAKERS[name](game, player_id, **params)


def register_bot(name: str, maker: BotMaker) -> None:
    """Adds a bot of one's own to `make_bot`.

    Raises:
      ValueError: the name is taken.
    """
    if name in _MAKERS:
        raise ValueError(f"a bot is registered as {name!r} already")
    _MAKERS[name] = maker


def registered_bots() -> list[str]:
    """All names that `make_bot` knows."""
    return sorted(_MAKERS)


def _search_bot_maker(preset: str) -> BotMaker:
    def make(
        game: Any,
        player_id: int | None,
        *,
        models: Any = None,
        evaluator: Any = None,
        checkpoint: str | Path | None = None,
        seed: int = 0,
        config: SearchConfig | None = None,
        seconds: float | None = None,
        **changes: Any,
    ) -> NashIsmctsBot:
        given = [each for each in (models, evaluator, checkpoint) if each is not None]
        if len(given) > 1:
            raise ValueError("models, evaluator and checkpoint are one thing: give one of them")
        found = given[0] if given else None
        if isinstance(found, str | Path):
            found = checkpoint_evaluator(found, game)
        if config is None:
            config = SearchConfig.preset(preset, **changes)
        else:
            config = SearchConfig.from_dict({**dataclasses.asdict(config), **changes})
        return NashIsmctsBot(game, player_id, found, config, seed, seconds)

    return make


def checkpoint_evaluator(checkpoint: str | Path, game: Any) -> Any:
    """The models of a checkpoint, see `make_bot`; those of the package are loaded once.

    Raises:
      ValueError: they are models of another game.
    """
    name = support(game).name
    if checkpoint == "pretrained":
        return _pretrained(name)
    # Training stands above bots, and brings torch along: only who asks for it waits for it.
    from nash_ismcts_spiel.runs import load_evaluator

    return load_evaluator(checkpoint, name)


@functools.lru_cache(maxsize=8)
def _pretrained(game: str) -> Any:
    from nash_ismcts_spiel.models.networks.saved import pretrained_path
    from nash_ismcts_spiel.runs import load_evaluator

    return load_evaluator(pretrained_path(support(game)), game)


def _peer_maker(module: str, name: str) -> BotMaker:
    def make(game: Any, player_id: int, **params: Any) -> Any:
        # Imported when asked for: the peers import what the searches of this package do not need.
        maker = getattr(importlib.import_module(module), name)
        for ours, theirs in _PEER_WORDS.items():
            if ours in params:
                if theirs in params:
                    raise ValueError(f"{ours} and {theirs} are the same: give one of them")
                params[theirs] = params.pop(ours)
        check_seed("seed", params.get("seed", 0))
        try:
            return maker(game, player_id, **params)
        except TypeError as error:
            unknown = re.search("unexpected keyword argument '(.*)'", str(error))
            if unknown is None:
                raise
            raise ValueError(f"this bot has no setting {unknown[1]!r}") from error

    return make


_PEER_WORDS = {"visits": "simulations", "seconds": "seconds_per_move", "models": "checkpoint"}
"""What the searches of this package call the budget of a move and models, and what peers do."""


PEERS: Mapping[str, tuple[str, str]] = {
    "ismcts_openspiel": ("nash_ismcts_spiel.baselines.openspiel", "IsmctsBot"),
    "oos": ("nash_ismcts_spiel.baselines.oos", "oos_bot"),
    "rebel": ("nash_ismcts_spiel.baselines.rebel.play", "rebel_bot"),
    "smooth_uct": ("nash_ismcts_spiel.baselines.smooth_uct", "smooth_uct_bot"),
}
"""Bots to compare with, by the module and the name of what makes them."""

for _preset in PRESETS:
    register_bot(_preset, _search_bot_maker(_preset))
for _name, _place in PEERS.items():
    register_bot(_name, _peer_maker(*_place))


def register_with_openspiel() -> bool:
    """Tells OpenSpiel of the searches; the first call in a process does it.

    Returns:
      whether OpenSpiel knows them; not where its C++ cannot be used, see `spiel_module`.
    """
    spiel = spiel_module()
    if spiel is None:
        return False
    for name in PRESETS:
        if not pyspiel.is_bot_registered(name):
            spiel.register_bot(name, functools.partial(_make, name), _can_play)
    return True


def _make(name: str, game: str, player_id: int, params: dict[str, Any]) -> Any:
    return make_bot(name, game, player_id, **params)


def _can_play(game: str, player_id: int) -> bool:
    try:
        return 0 <= player_id < support(game).num_players
    except ValueError:
        return False
