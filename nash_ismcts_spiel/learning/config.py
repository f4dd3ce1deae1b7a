"""Settings of training: which schedules a search follows from generation to generation, and how
its policies are averaged. Widths and radii mean what they mean in `SearchConfig`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal, Self

from nash_ismcts_spiel.config import MOST_VISITS, SearchConfig
from nash_ismcts_spiel.models.networks.config import Beliefs, NetworkConfig
from nash_ismcts_spiel.schedule import Schedule
from nash_ismcts_spiel.settings import Settings, did_you_mean

GraphKind = Literal["auto", "enumerated", "grown", "merged"]
ModelKind = Literal["exact", "learned"]
MEGABYTE = 1_000_000
TRAINING_SEARCH: Mapping[str, Any] = {"search": "notes", "sample_backup": "luck_adjusted"}
"""Settings of the search that training has others for than play has."""
MOST_SEARCHES = 4_000
"""Information sets that a generation searches, about, where models are tables. Where there are
more, they are drawn in proportion to how likely their own players are to come to them, exploring.
"""
MOST_AVERAGING_POWER = 30.0
"""With more, the weight of a late generation would leave the range of floats."""
_PRIOR_NOISE = Schedule(start=0.25, power=-0.5, highest=1.0)
"""Share of the uniform distribution in PUCT's prior, so that actions which P has given up are
looked at again. After 10 s of exact training Leduc poker has .0271 with it, .0454 without and .0440
where it does not fall; Liar's Dice 1x4 .0023, .0018 and .0035 (medians of seeds 0 to 2)."""
_PRIOR_LCB_WIDTH = 0.3
"""`lcb_width` does not fall below it where hidden states are drawn by the prior. The value of a
visit has the luck of a whole drawn world in it there; a narrow filter would go by luck."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class LearnerConfig(Settings):
    """Learned models: what games are played, what is searched in them, and how networks are fitted.

    The amount of a generation's work is bounded by what is counted and never by time, so a run
    stays a function of its seed. Megabytes are of numbers of 4 bytes.

    Games:
      search_games: games per generation whose information sets give targets for P. Games in the
        same world move together, so in a small game a million cost little.
      policy_games: games per generation, drawn from P, which give targets for H, V and Vc.
      explore: share of uniform play of the exploring player in both, and of the others in policy
        games, which then count by their importance weight.
      hidden_share: share of the explorers' decisions in policy games of a large game that give rows
        for H; finding out what was possible there takes most of the time of a policy game.
    Searches:
      search_megabytes: in a large game, most megabytes that networks read and give in the searches
        of a generation; so many information sets are searched as fit. Where hidden states are drawn
        by the prior, one that is drawn counts as a row of H.
    Rows:
      most_sets: information sets at which policy games of a generation evaluate P, about: no game
        is begun beyond that.
      rows_megabytes: most megabytes of rows for V, and as many for H, in a generation: fewer policy
        games are played, and fewer of their decisions give rows for H.
      buffer_megabytes: most megabytes of policy targets that are kept, a sample of all; a
        checkpoint is little more than that.
    Fitting:
      learning_rate: of Adam, per generation.
      batch: rows of a step.
      epochs: how often a generation's fit of a network goes through its rows.
      steps: at most, per generation and network.
      policy_replays: most draws of a policy target in P's fits, on average over training (replay
        ratio); 0 sets no bound. Where a generation brings targets of few of very many information
        sets, P would overfit them.
      policy_average: share of all generations, the latest, over which the weights of P are averaged
        for play and measuring (not for self-play); 0 takes the latest weights.
    """

    search_games: int = 1_000_000
    policy_games: int = 10_000_000
    explore: float = 0.25
    hidden_share: float = 0.5
    search_megabytes: float = 500.0
    most_sets: int = 30_000
    rows_megabytes: float = 100.0
    buffer_megabytes: float = 200.0
    learning_rate: Schedule = Schedule(start=0.003, power=-0.25)
    batch: int = 256
    epochs: float = 4.0
    steps: int = 60
    policy_replays: float = 0.0
    policy_average: float = 0.2

    def __post_init__(self) -> None:
        """Refuses values that nothing can be learned with, by name."""
        self.check_types()
        for name in ("search_games", "policy_games", "steps", "batch", "most_sets"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("explore", "policy_average"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name} must be from 0 to 1, not {getattr(self, name)}")
        if not 0.0 < self.hidden_share <= 1.0:
            raise ValueError(f"hidden_share must be above 0 and at most 1, not {self.hidden_share}")
        for name in ("buffer_megabytes", "search_megabytes", "rows_megabytes", "epochs"):
            if not getattr(self, name) > 0.0:
                raise ValueError(f"{name} must be above 0, not {getattr(self, name)}")
        if not self.policy_replays >= 0.0:
            raise ValueError(f"policy_replays must not be negative, not {self.policy_replays}")

    @classmethod
    def gone(cls) -> Mapping[str, tuple[Any, str]]:
        """Settings that there were once."""
        return _GONE_OF_LEARNERS


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig(Settings):
    """How a policy is trained.

    Schedules, each a named object with a value per generation:
      visits: root visits at each information set that is searched.
      dispersion_radius: epsilon; large means that the search stays close to P.
      lcb_width: sigma at one visit, for the root's filter of inferior actions.
      temperature: tau of quantal steps, where `search.root_rule` makes targets of these.
      opponent_prior_visits: K, how many visits P counts for in an in-tree opponent's policy.
      exploration: share of uniform play with which information sets count as reached in the
        average; it decides how much weight a search policy gets where, never what it is.
    Averaging:
      averaging_power: generation g counts g ** averaging_power in the average policy P.
    Search:
      search: all other settings of the search; scheduled ones are ignored here. Luck-adjusted
        backups are the default of training.
      shards: in how many parts the information sets are searched, each in trees of its own. The
        result depends on it, but not on how many workers search them.
    Models:
      networks: the size of learned models; exact ones do not use them.
      learner: how learned models learn.
      graph: whether models are evaluated over the whole enumerated game at once, on graphs that
        grow with the games played (learned ones), or over the views of the merged game (exact
        ones); by the size of the game if "auto".
    """

    visits: Schedule = Schedule(start=100.0)
    dispersion_radius: Schedule = Schedule(start=0.03, power=-0.5, highest=2.0)
    lcb_width: Schedule = Schedule(start=0.3, power=-0.5)
    temperature: Schedule = Schedule(start=0.5, power=-0.5)
    opponent_prior_visits: Schedule = Schedule(start=5.0, power=0.25)
    exploration: Schedule = Schedule(start=0.5, highest=1.0)
    averaging_power: float = 1.0
    search: SearchConfig = SearchConfig(**TRAINING_SEARCH)
    shards: int = 1
    networks: NetworkConfig = NetworkConfig()
    learner: LearnerConfig = LearnerConfig()
    graph: GraphKind = "auto"

    def __post_init__(self) -> None:
        """Refuses values that no training can be done with, by name."""
        self.check_types()
        if self.shards < 1:
            raise ValueError(f"shards must be at least 1, not {self.shards}")
        if self.averaging_power < 0.0:
            raise ValueError(f"averaging_power must not be negative, not {self.averaging_power}")
        if self.averaging_power > MOST_AVERAGING_POWER:
            most = f"averaging_power must be at most {MOST_AVERAGING_POWER:g}"
            raise ValueError(f"{most}, not {self.averaging_power}: weights would overflow")
        if self.search.engine != "native":
            raise ValueError("training searches with the native engine only")
        for generation in (1, 10**9):  # the ends show whether a schedule leaves its range
            if self.visits.at(generation) > MOST_VISITS:
                raise ValueError(f"visits must stay below {MOST_VISITS}: {self.visits}")
            self.search_config(generation)
            if self.exploration.at(generation) > 1.0:
                raise ValueError(f"exploration must stay between 0 and 1: {self.exploration}")

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Self:
        """As of any config; what is not said of the search is as in `TRAINING_SEARCH`."""
        search = settings.get("search")
        if isinstance(search, Mapping):
            settings = {**settings, "search": {**TRAINING_SEARCH, **search}}
        return super(TrainingConfig, cls).from_dict(settings)

    @classmethod
    def preset(cls, name: str = "default", **changes: Any) -> Self:
        """A named setting with some fields changed: of search, networks and learner parts of them.

        Raises:
          ValueError: no preset has that name, or a change is not a field.
        """
        if name not in TRAINING_PRESETS:
            raise ValueError(f"unknown preset {name!r}; {did_you_mean(name, TRAINING_PRESETS)}")
        chosen = TRAINING_PRESETS[name]
        for part in ("search", "networks", "learner"):
            if part in chosen and isinstance(changes.get(part), Mapping):
                changes[part] = {**chosen[part], **changes[part]}
        return cls.from_dict({**chosen, **changes})

    @classmethod
    def gone(cls) -> Mapping[str, tuple[Any, str]]:
        """Settings that there were once."""
        return _GONE

    def for_inputs(self, sample_inputs: int) -> Self:
        """The same with all that goes by the size of H's rows decided: `networks.beliefs`, and how
        far `lcb_width` falls.
        """
        asks, width = self.networks.asks_for_beliefs(sample_inputs), self.lcb_width
        if not asks and _PRIOR_LCB_WIDTH > width.lowest:
            highest = None if width.highest is None else max(width.highest, _PRIOR_LCB_WIDTH)
            width = dataclasses.replace(width, lowest=_PRIOR_LCB_WIDTH, highest=highest)
        beliefs: Beliefs = "network" if asks else "prior"
        networks = dataclasses.replace(self.networks, beliefs=beliefs)
        return dataclasses.replace(self, networks=networks, lcb_width=width)

    def search_config(self, generation: int) -> SearchConfig:
        """The settings of a generation's searches."""
        return dataclasses.replace(
            self.search,
            visits=max(1, round(self.visits.at(generation))),
            dispersion_radius=self.dispersion_radius.at(generation),
            prior_noise=_PRIOR_NOISE.at(generation),
            lcb_width=self.lcb_width.at(generation),
            temperature=self.temperature.at(generation),
            opponent_prior_visits=self.opponent_prior_visits.at(generation),
        )


_LARGE: Mapping[str, Any] = {
    "graph": "grown",
    "visits": {"start": 16.0},
    "averaging_power": 2.0,
    "search": {"spawn_depth": 1},
    "networks": {"width": 128},
    "learner": {
        "search_megabytes": 50.0,
        "most_sets": 8_000,
        "rows_megabytes": 20.0,
        "policy_replays": 16.0,
    },
}
TRAINING_PRESETS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "prototype": {
        "dispersion_radius": {"start": 0.1, "power": -0.5, "highest": 2.0},
        "lcb_width": {"start": 0.1, "power": -0.5},
        "exploration": {"start": 0.25},
        "opponent_prior_visits": {"start": 10.0},
        "search": {"sample_backup": "expected"},
    },
    "large": _LARGE,
    "phantom": {
        **_LARGE,
        "averaging_power": 20.0,
        "temperature": {"start": 0.5, "power": -0.5, "lowest": 0.045},
        "search": {**_LARGE["search"], "root_rule": "quantal_step", "quantal_share": 0.1},
        "networks": {**_LARGE["networks"], "inputs": "observation", "turned": True},
        "learner": {**_LARGE["learner"], "policy_average": 0.5},
    },
}
"""default: what did best over all games of the study; prototype: the settings it began from; large:
for games that are not enumerated, where a simulation is dear. There simulated players answer with a
search of their own, but those in that search act by P: deeper spawning multiplies simulations. Its
generations are short: P averages over them, and a few long ones are few to average over. phantom:
the same for board games whose moves are hidden; networks see the present observation, boards are
turned, and targets are quantal steps, of which P learns the latest.
"""

_ALWAYS = "it is always {}; see docs/differences.md"
_GONE: Mapping[str, tuple[Any, str]] = {
    "prior_noise": (_PRIOR_NOISE.to_dict(), _ALWAYS.format("0.25 g^-0.5")),
    "sweep_step": (Schedule(start=2.0, power=-0.5).to_dict(), _ALWAYS.format("2 g^-0.5")),
    "sweep_temperature": (
        Schedule(start=0.3, power=-0.7, lowest=0.003).to_dict(),
        _ALWAYS.format("0.3 g^-0.7, from 0.003"),
    ),
    "most_searches": (MOST_SEARCHES, _ALWAYS.format("4,000")),
    "forgetful_values": (True, "ExactEvaluator(..., forgetful=False) values worlds otherwise"),
}
_GONE_OF_LEARNERS: Mapping[str, tuple[Any, str]] = {
    "others_explore": (0.25, "others explore as much as `explore` says"),
    "prior_games": (10.0, _ALWAYS.format("10")),
    "value_trace": (None, "it is 0.9 where searches draw by the prior, else 0"),
    "side_by_side": (256, _ALWAYS.format("256")),
    "prior_lcb_width": (_PRIOR_LCB_WIDTH, _ALWAYS.format("0.3")),
    "buffer": ("reservoir", "a full buffer keeps a sample of all targets"),
    "buffer_rows": (100_000, "set buffer_megabytes"),
    "gradient_clip": (1.0, _ALWAYS.format("1")),
    "frequency_power": (0.5, _ALWAYS.format("0.5")),
}
"""Settings that there were once, and what replaced them."""
