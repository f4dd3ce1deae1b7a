"""Settings of training: which schedules a search follows from generation to generation, and how
its policies are averaged. Widths and radii mean what they mean in `SearchConfig`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal, Self

from nash_ismcts_spiel.config import MOST_VISITS, SearchConfig
from nash_ismcts_spiel.settings import Settings
from nash_ismcts_spiel.training.schedule import Schedule

BufferKind = Literal["reservoir", "window"]
GraphKind = Literal["auto", "enumerated", "grown"]
HiddenData = Literal["current", "buffer", "bayes"]
MEGABYTE = 1_000_000


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class NetworkConfig(Settings):
    """Learned models: their size, what they learn from, and how.

      width, depth: units per layer, and residual layers, of each network.
      device: where torch fits the networks and evaluates tables, such as "cpu" or "cuda".
      learning_rate: of Adam, per generation.
      gradient_clip: largest norm of a step's gradient.
      batch: rows of a step.
      policy_steps, value_steps, hidden_steps: steps per generation of P, V and H.
      frequency_power: rows are drawn by their frequency to this power; below 1 favours rare ones.
      search_games: games per generation whose information sets give targets for P. In an enumerated
        game they are only counted out, so a million cost little.
      policy_games: games per generation, drawn from P, whose hidden states give targets for H.
      explore: share of uniform play of the exploring player in both.
      others_explore: share of uniform play of the others in policy games, which then count by how
        much likelier P alone was to play as they did.
      hidden_data: what H is fitted to, where policy games came by: what was hidden in those of this
        generation ("current"), in those of all generations, weighted like search policies
        ("buffer"), or Bayes' rule for the current P ("bayes"). The latter two are for comparison.
    """

    width: int = 64
    depth: int = 2
    device: str = "cpu"
    learning_rate: Schedule = Schedule(start=0.003, power=-0.25)
    gradient_clip: float = 1.0
    batch: int = 256
    policy_steps: int = 30
    value_steps: int = 30
    hidden_steps: int = 30
    frequency_power: float = 0.25
    search_games: int = 1_000_000
    policy_games: int = 1_000_000
    explore: float = 0.25
    others_explore: float = 0.25
    hidden_data: HiddenData = "current"

    def __post_init__(self) -> None:
        """Refuses values that nothing can be learned with, by name."""
        self.check_types()
        for name in ("width", "depth", "batch", "search_games", "policy_games"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("policy_steps", "value_steps", "hidden_steps"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, not {getattr(self, name)}")
        if self.gradient_clip <= 0.0 or not 0.0 <= self.explore <= 1.0:
            raise ValueError("gradient_clip must be positive and explore between 0 and 1")
        if not 0.0 <= self.others_explore <= 1.0:
            raise ValueError(f"others_explore must be from 0 to 1, not {self.others_explore}")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class GrownConfig(Settings):
    """Learning on a graph that grows, in games that are not enumerated.

    The amount of a generation's work is bounded by what is counted and never by time, so a run
    stays a function of its seed. Megabytes are of numbers of 4 bytes.

      search_games, policy_games: as in NetworkConfig; fewer where the bounds below say so. Games in
        the same world move together, so in a small game they cost little.
      prior_games: in a small game, how many games the networks count for beside what the policy
        games of a generation have shown.
      steps: per generation, of each network.
      side_by_side: searches under way at once, whose rows are evaluated together.
      hidden_share: share of the explorers' decisions in policy games of a large game that give rows
        for H; finding out what was possible there takes most of the time of a policy game.
      buffer: a full buffer of policy targets keeps a sample of all, or the latest.
      buffer_rows: most rows it holds.
      buffer_megabytes: most megabytes it holds; a checkpoint is little more than that.
      search_megabytes: most megabytes that networks read and give in the searches of a generation.
        If search games would take more, explorers follow P, and of their decisions a random sample
        is searched.
      rows_megabytes: most megabytes of rows for V, and as many for H, in a generation: fewer policy
        games are played, and fewer of their decisions give rows for H.
      most_searches: searches of a generation in a small game, about: where there are more
        information sets, each is searched with the same probability, and explorers follow P
        elsewhere.
      most_sets: information sets at which policy games of a generation evaluate P, about: no game
        is begun beyond that.
    """

    search_games: int = 1_000_000
    policy_games: int = 1_000_000
    prior_games: float = 10.0
    steps: int = 30
    side_by_side: int = 64
    hidden_share: float = 0.5
    buffer: BufferKind = "reservoir"
    buffer_rows: int = 100_000
    buffer_megabytes: float = 200.0
    search_megabytes: float = 500.0
    rows_megabytes: float = 100.0
    most_searches: int = 4_000
    most_sets: int = 30_000

    def __post_init__(self) -> None:
        """Refuses values that nothing can be learned with, by name."""
        self.check_types()
        counts = ("search_games", "policy_games", "steps", "side_by_side", "buffer_rows")
        for name in (*counts, "most_searches", "most_sets"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if not 0.0 < self.hidden_share <= 1.0:
            raise ValueError(f"hidden_share must be above 0 and at most 1, not {self.hidden_share}")
        for name in ("buffer_megabytes", "search_megabytes", "rows_megabytes"):
            if not getattr(self, name) > 0.0:
                raise ValueError(f"{name} must be above 0, not {getattr(self, name)}")
        if not self.prior_games >= 0.0:
            raise ValueError(f"prior_games must not be negative, not {self.prior_games}")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig(Settings):
    """How a policy is trained.

    Schedules, each a named object with a value per generation:
      visits: root visits at each information set that is searched.
      dispersion_radius: epsilon; large means that the search stays close to P.
      prior_noise: share of the uniform distribution in PUCT's prior, so that actions which P has
        given up are looked at again.
      lcb_width: sigma at one visit, for the root's filter of inferior actions.
      opponent_prior_visits: K, how many visits P counts for in an in-tree opponent's policy.
      exploration: share of uniform play with which information sets count as reached in the
        average; it decides how much weight a search policy gets where, never what it is.
    Averaging:
      averaging_power: generation g counts g ** averaging_power in the average policy P.
    Search:
      search: all other settings of the search; scheduled ones are ignored here.
      searched_share: share of the information sets that a generation searches, drawn at random.
      shards: in how many parts the information sets are searched, each in trees of its own. The
        result depends on it, but not on how many workers search them.
    Models:
      forgetful_values: value worlds as a player does who forgets them (see ExactEvaluator).
      networks: of learned models; exact ones do not use them.
      graph: whether learned models are evaluated over the whole enumerated game or on a graph that
        grows with the games played; by the size of the game if "auto".
      grown: how they learn on a graph that grows.
    """

    visits: Schedule = Schedule(start=100.0)
    dispersion_radius: Schedule = Schedule(start=0.03, power=-0.5, highest=2.0)
    prior_noise: Schedule = Schedule(start=0.25, power=-0.5, highest=1.0)
    lcb_width: Schedule = Schedule(start=0.3, power=-0.5)
    opponent_prior_visits: Schedule = Schedule(start=10.0)
    exploration: Schedule = Schedule(start=0.5, highest=1.0)
    averaging_power: float = 1.0
    search: SearchConfig = SearchConfig()
    searched_share: float = 1.0
    shards: int = 1
    forgetful_values: bool = True
    networks: NetworkConfig = NetworkConfig()
    graph: GraphKind = "auto"
    grown: GrownConfig = GrownConfig()

    def __post_init__(self) -> None:
        """Refuses values that no training can be done with, by name."""
        self.check_types()
        if not 0.0 < self.searched_share <= 1.0:
            share = self.searched_share
            raise ValueError(f"searched_share must be above 0 and at most 1, not {share}")
        if self.shards < 1:
            raise ValueError(f"shards must be at least 1, not {self.shards}")
        if self.averaging_power < 0.0:
            raise ValueError(f"averaging_power must not be negative, not {self.averaging_power}")
        if self.search.engine != "native":
            raise ValueError("training searches with the native engine only")
        for generation in (1, 10**9):  # the ends show whether a schedule leaves its range
            if self.visits.at(generation) > MOST_VISITS:
                raise ValueError(f"visits must stay below {MOST_VISITS}: {self.visits}")
            self.search_config(generation)
            if self.exploration.at(generation) > 1.0:
                raise ValueError(f"exploration must stay between 0 and 1: {self.exploration}")

    @classmethod
    def preset(cls, name: str = "default", **changes: Any) -> Self:
        """A named setting with some fields changed.

        Raises:
          ValueError: no preset has that name, or a change is not a field.
        """
        if name not in TRAINING_PRESETS:
            raise ValueError(f"unknown preset {name!r}; there are {', '.join(TRAINING_PRESETS)}")
        return cls.from_dict({**TRAINING_PRESETS[name], **changes})

    def search_config(self, generation: int) -> SearchConfig:
        """The settings of a generation's searches."""
        return dataclasses.replace(
            self.search,
            visits=max(1, round(self.visits.at(generation))),
            dispersion_radius=self.dispersion_radius.at(generation),
            prior_noise=self.prior_noise.at(generation),
            lcb_width=self.lcb_width.at(generation),
            opponent_prior_visits=self.opponent_prior_visits.at(generation),
        )


TRAINING_PRESETS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "prototype": {
        "dispersion_radius": {"start": 0.1, "power": -0.5, "highest": 2.0},
        "lcb_width": {"start": 0.1, "power": -0.5},
        "exploration": {"start": 0.25},
    },
    "large": {
        "graph": "grown",
        "visits": {"start": 16.0},
        "search": {"spawn_depth": 1},
        "networks": {"width": 128},
    },
}
"""default: what did best over all games of the study; prototype: the settings it began from; large:
for games that are not enumerated, where a simulation is dear. There simulated players answer with a
search of their own, but those in that search act by P: deeper spawning multiplies simulations.
"""
