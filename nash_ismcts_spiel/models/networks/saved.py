"""Learned models in one small file: weights without optimizers and buffers, for play.

Some such files come with the package (`nash_ismcts_spiel/pretrained`), found by the game's name.
"""

from __future__ import annotations

import dataclasses
from importlib import resources
from pathlib import Path
from typing import Any, get_args

from open_spiel.python import policy as openspiel_policy

from nash_ismcts_spiel import files
from nash_ismcts_spiel.games import GameGraph, SupportedGame, support
from nash_ismcts_spiel.games.policies import TablePolicy
from nash_ismcts_spiel.games.splitting import SplitActions, fingerprint, splitting_of
from nash_ismcts_spiel.models import Evaluator
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.models.networks.nets import (
    Networks,
    Sizes,
    load_weights,
    make_networks,
    refuse_others,
    weights_of,
)
from nash_ismcts_spiel.models.networks.policy import NetworkPolicy
from nash_ismcts_spiel.models.networks.tables import TableEvaluator
from nash_ismcts_spiel.models.prior_beliefs import PriorBeliefs

PRETRAINED = "pretrained"
"""The name of the checkpoint that comes with the package."""

PRETRAINED_GAMES = {
    "kuhn_poker": "kuhn_poker",
    "leduc_poker": "leduc_poker",
    "liars_dice_1x4": "liars_dice(numdice=1,dice_sides=4)",
    "liars_dice_1x6": "liars_dice",
    "goofspiel_4": "goofspiel(imp_info=True,num_cards=4,points_order=descending)",
    "phantom_ttt": "phantom_ttt",
    "phantom_ttt_abrupt": "phantom_ttt(gameversion=abrupt)",
    "dark_hex_3x3": "dark_hex",
    "dark_hex_3x3_abrupt": "dark_hex(board_size=3,gameversion=adh)",
}
"""The games of which models come with the package, by the names of their files."""


@dataclasses.dataclass(slots=True)
class _StoredSizes:
    """Sizes as a file tells them."""

    set_inputs: int
    sample_inputs: int
    actions: int
    pieces: int
    planes: int = 0
    rows: int = 0
    columns: int = 0

    def __post_init__(self) -> None:
        """Refuses what are no sizes."""
        for name in _SIZES:
            size = getattr(self, name)
            if type(size) is not int or not 0 <= size <= _LARGEST:
                raise ValueError(f"{name} is {size!r}")
        if not (self.sample_inputs and self.actions and self.set_inputs):
            raise ValueError("its networks have no inputs or no outputs")
        board = self.planes * self.rows * self.columns
        if board == 0 and (self.planes or self.rows or self.columns):
            raise ValueError("its board has no cells")
        if board >= self.set_inputs or (board and self.actions % (self.rows * self.columns)):
            raise ValueError("its networks do not fit on its board")


_LARGEST = 10**9
_SIZES = [field.name for field in dataclasses.fields(_StoredSizes)]


@dataclasses.dataclass(frozen=True, slots=True)
class SavedModels:
    """Learned models of one game.

    Attributes:
      game: the game's name with its parameters.
      enumerated: whether they learned, and play, with tables over the enumerated game.
      config: width and depth of the networks.
      sizes: their inputs and outputs.
      networks: with their weights.
      made: how they were made: seed, generation, exploitability and the like.
      split_actions: whether actions were split.
      codes: the fingerprint of the splitting.
      turning: that of how rows were turned.
    """

    game: str
    enumerated: bool
    config: NetworkConfig
    sizes: Sizes
    networks: Networks
    made: dict[str, Any]
    split_actions: SplitActions = "never"
    codes: str = ""
    turning: str = ""

    def evaluator(self) -> Evaluator:
        """The models for a search: tables where the game is enumerated, and with the prior for
        beliefs where the config says so.

        Raises:
          ValueError: actions are split in another way here than when the models were made, or
            boards are turned differently.
        """
        game = support(self.game)
        if fingerprint(splitting_of(game, self.split_actions)) != self.codes:
            raise ValueError(
                f"the models of {self.game} were made with other sub-actions than split_actions="
                f"{self.split_actions!r} gives here"
            )
        tensors = self.config.tensors(game, self.split_actions)
        if tensors.turning != self.turning:
            raise ValueError(f"the models of {self.game} were made with boards turned differently")
        for name in _SIZES:
            if getattr(tensors, name) != getattr(self.sizes, name):
                raise ValueError(
                    f"the networks have {name} {getattr(self.sizes, name)}, and {self.game} has "
                    f"{getattr(tensors, name)}"
                )
        networks = NetworkEvaluator(tensors, self.networks, game.value_scale())
        if self.enumerated:
            graph = GameGraph.enumerate(game, split_actions=self.split_actions)
            return TableEvaluator(graph, networks)
        asks = self.config.asks_for_beliefs(tensors.sample_inputs)
        return networks if asks else PriorBeliefs(networks)

    def policy(self) -> openspiel_policy.Policy:
        """P as an OpenSpiel policy."""
        evaluator = self.evaluator()
        if isinstance(evaluator, PriorBeliefs):
            evaluator = evaluator.evaluator
        if isinstance(evaluator, TableEvaluator):
            return TablePolicy(evaluator.graph, evaluator.policy)
        assert isinstance(evaluator, NetworkEvaluator)
        return NetworkPolicy(support(self.game), evaluator)


def save(path: str | Path, models: SavedModels) -> None:
    """Writes models to a file."""
    numbers = {
        "game": models.game,
        "enumerated": models.enumerated,
        "networks": models.config.to_dict(),
        "sizes": {name: getattr(models.sizes, name) for name in _SIZES},
        "made": models.made,
        "split_actions": models.split_actions,
        "codes": models.codes,
        "turning": models.turning,
    }
    files.save(Path(path), files.Checkpoint(numbers, weights_of(models.networks)))


def load(path: str | Path) -> SavedModels:
    """Reads models from a file.

    Raises:
      CheckpointError: the file is damaged, or holds something else; it is named.
    """
    path = Path(path)
    numbers, weights = files.load(path)
    try:
        # Wherever they were trained, they play where every machine can.
        config = NetworkConfig.from_dict({**numbers["networks"], "device": "cpu"})
        sizes = _StoredSizes(**numbers["sizes"])
        refuse_others(sizes, config, weights)
        networks = make_networks(sizes, config, seed=0)
        load_weights(networks, weights)
        split, turning = (numbers["split_actions"], numbers["codes"]), numbers["turning"]
        game, enumerated, made = numbers["game"], numbers["enumerated"], numbers["made"]
        _check_header(game, enumerated, made, *split, turning)
    except (LookupError, TypeError, RuntimeError, ValueError, AttributeError) as error:
        raise files.CheckpointError(f"{path} holds no learned models: {error}") from error
    return SavedModels(game, enumerated, config, sizes, networks, made, *split, turning)


def _check_header(
    game: Any,
    enumerated: Any,
    made: Any,
    split: Any,
    codes: Any,
    turning: Any,
) -> None:
    texts = (game, codes, turning)
    right = all(isinstance(text, str) for text in texts) and isinstance(enumerated, bool)
    chosen = split in get_args(SplitActions)
    if not (right and chosen and isinstance(made, dict)):
        raise ValueError("its header says nothing that is known here")


def pretrained_path(game: SupportedGame) -> Path:
    """The file of a game's models that comes with the package.

    Raises:
      ValueError: there is none; the message says for which games there is one.
    """
    folder = Path(str(resources.files("nash_ismcts_spiel"))) / PRETRAINED
    for stem, name in PRETRAINED_GAMES.items():
        if game.is_same_as(support(name)):
            return folder / f"{stem}.safetensors"
    known = ", ".join(PRETRAINED_GAMES.values())
    raise ValueError(f"no pretrained models of {game.name}; there are some of {known}")
