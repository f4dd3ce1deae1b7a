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

BufferKind = Literal["reservoir", "window"]
GraphKind = Literal["auto", "enumerated", "grown", "merged"]
ModelKind = Literal["exact", "learned"]
MEGABYTE = 1_000_000
TRAINING_SEARCH: Mapping[str, Any] = {"search": "notes", "sample_backup": "luck_adjusted"}
"""Settings of the search that training has others for than play has."""
LONG_TRACE = 0.9
"""`value_trace` where searches draw by the prior."""
MOST_AVERAGING_POWER = 30.0
"""With more, the weight of a late generation would leave the range of floats."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class LearnerConfig(Settings):
    """Learned models: what games are played, what is searched in them, and how networks are fitted.

    The amount of a generation's work is bounded by what is counted and never by time, so a run
    stays a function of its seed. Megabytes are of numbers of 4 bytes.

    Games:
      search_games: games per generation whose information sets give targets for P. Games in the
        same world move together, so in a small game a million cost little.
      policy_games: games per generation, drawn from P, which give targets for H, V and Vc.
      explore: share of uniform play of the exploring player in both.
      others_explore: share of uniform play of the others in policy games, which then count by their
        importance weight.
      prior_games: in a small game, how many games the networks count for beside what the policy
        games of a generation have shown.
      hidden_share: share of the explorers' decisions in policy games of a large game that give rows
        for H; finding out what was possible there takes most of the time of a policy game.
      value_trace: lambda of V-trace, how far what came of a policy game later counts beside V in
        targets for V and Vc: 0 looks one own decision ahead, 1 at the result. Moves that P alone
        would make less often weaken it, at most to nothing. None takes 0, or 0.9 where searches
        draw by the prior: such games are long and few, and V would learn late what is far from
        their end.
    Searches:
      side_by_side: searches under way at once, whose rows are evaluated together.
      search_megabytes: in a large game, most megabytes that networks read and give in the searches
        of a generation; so many information sets are searched as fit. Where hidden states are drawn
        by the prior, one that is drawn counts as a row of H.
      prior_lcb_width: where they are, `lcb_width` does not fall below it. The value of a visit has
        the luck of a whole drawn world in it there; a narrow filter would go by luck.
    Rows:
      most_sets: information sets at which policy games of a generation evaluate P, about: no game
        is begun beyond that.
      rows_megabytes: most megabytes of rows for V, and as many for H, in a generation: fewer policy
        games are played, and fewer of their decisions give rows for H.
      buffer: a full buffer of policy targets keeps a sample of all, or the latest.
      buffer_rows: most rows it holds.
      buffer_megabytes: most megabytes it holds; a checkpoint is little more than that.
    Fitting:
      learning_rate: of Adam, per generation.
      gradient_clip: largest norm of a step's gradient.
      batch: rows of a step.
      epochs: how often a generation's fit of a network goes through its rows.
      steps: at most, per generation and network.
      policy_replays: most draws of a policy target in P's fits, on average over training (replay
        ratio); 0 sets no bound. Where a generation brings targets of few of very many information
        sets, P would overfit them.
      frequency_power: rows are drawn by their frequency to this power; below 1 favours rare ones.
      policy_average: share of all generations, the latest, over which the weights of P are averaged
        for play and measuring (not for self-play); 0 takes the latest weights.
    """

    search_games: int = 1_000_000
    policy_games: int = 10_000_000
    explore: float = 0.25
    others_explore: float = 0.25
    prior_games: float = 10.0
    hidden_share: float = 0.5
    value_trace: float | None = None
    side_by_side: int = 256
    search_megabytes: float = 500.0
    prior_lcb_width: float = 0.3
    most_sets: int = 30_000
    rows_megabytes: float = 100.0
    buffer: BufferKind = "reservoir"
    buffer_rows: int = 100_000
    buffer_megabytes: float = 200.0
    learning_rate: Schedule = Schedule(start=0.003, power=-0.25)
    gradient_clip: float = 1.0
    batch: int = 256
    epochs: float = 4.0
    steps: int = 60
    policy_replays: float = 0.0
    frequency_power: float = 0.5
    policy_average: float = 0.2

    def __post_init__(self) -> None:
        """Refuses values that nothing can be learned with, by name."""
        self.check_types()
        counts = ("search_games", "policy_games", "steps", "side_by_side", "buffer_rows", "batch")
        for name in (*counts, "most_sets"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("explore", "others_explore", "policy_average"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name} must be from 0 to 1, not {getattr(self, name)}")
        if self.value_trace is not None and not 0.0 <= self.value_trace <= 1.0:
            raise ValueError(f"value_trace must be from 0 to 1, not {self.value_trace}")
        if not 0.0 < self.hidden_share <= 1.0:
            raise ValueError(f"hidden_share must be above 0 and at most 1, not {self.hidden_share}")
        positive = ("buffer_megabytes", "search_megabytes", "rows_megabytes", "gradient_clip")
        for name in (*positive, "epochs"):
            if not getattr(self, name) > 0.0:
                raise ValueError(f"{name} must be above 0, not {getattr(self, name)}")
        for name in ("prior_games", "policy_replays", "prior_lcb_width"):
            if not getattr(self, name) >= 0.0:
                raise ValueError(f"{name} must not be negative, not {getattr(self, name)}")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig(Settings):
    """How a policy is trained.

    Schedules, each a named object with a value per generation:
      visits: root visits at each information set that is searched.
      dispersion_radius: epsilon; large means that the search stays close to P.
      prior_noise: share of the uniform distribution in PUCT's prior, so that actions which P has
        given up are looked at again.
      lcb_width: sigma at one visit, for the root's filter of inferior actions.
      temperature: tau of quantal steps, where `search.root_rule` makes targets of these.
      opponent_prior_visits: K, how many visits P counts for in an in-tree opponent's policy.
      exploration: share of uniform play with which information sets count as reached in the
        average; it decides how much weight a search policy gets where, never what it is.
    Averaging:
      averaging_power: generation g counts g ** averaging_power in the average policy P.
    Views (exact models of games too large to be enumerated; nothing below but `graph` is used):
      sweep_step: eta of a sweep, per value scale.
      sweep_temperature: alpha, in value scales.
    Search:
      search: all other settings of the search; scheduled ones are ignored here. Luck-adjusted
        backups are the default of training.
      most_searches: information sets that a generation searches, about. Where there are more, they
        are drawn in proportion to how likely their own players are to come to them, exploring.
      shards: in how many parts the information sets are searched, each in trees of its own. The
        result depends on it, but not on how many workers search them.
    Models:
      forgetful_values: value worlds as a player does who forgets them (see ExactEvaluator).
      networks: the size of learned models; exact ones do not use them.
      learner: how learned models learn.
      graph: whether models are evaluated over the whole enumerated game at once, on graphs that
        grow with the games played (learned ones), or over the views of the merged game (exact
        ones); by the size of the game if "auto".
    """

    visits: Schedule = Schedule(start=100.0)
    dispersion_radius: Schedule = Schedule(start=0.03, power=-0.5, highest=2.0)
    prior_noise: Schedule = Schedule(start=0.25, power=-0.5, highest=1.0)
    lcb_width: Schedule = Schedule(start=0.3, power=-0.5)
    temperature: Schedule = Schedule(start=0.5, power=-0.5)
    opponent_prior_visits: Schedule = Schedule(start=5.0, power=0.25)
    exploration: Schedule = Schedule(start=0.5, highest=1.0)
    averaging_power: float = 1.0
    sweep_step: Schedule = Schedule(start=2.0, power=-0.5)
    sweep_temperature: Schedule = Schedule(start=0.3, power=-0.7, lowest=0.003)
    search: SearchConfig = SearchConfig(**TRAINING_SEARCH)
    most_searches: int = 4_000
    shards: int = 1
    forgetful_values: bool = True
    networks: NetworkConfig = NetworkConfig()
    learner: LearnerConfig = LearnerConfig()
    graph: GraphKind = "auto"

    def __post_init__(self) -> None:
        """Refuses values that no training can be done with, by name."""
        self.check_types()
        for name in ("shards", "most_searches"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
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

    def for_inputs(self, sample_inputs: int) -> Self:
        """The same with all that goes by the size of H's rows decided: `networks.beliefs`,
        `learner.value_trace` and how far `lcb_width` falls.
        """
        asks = self.networks.asks_for_beliefs(sample_inputs)
        beliefs: Beliefs = "network" if asks else "prior"
        trace = self.learner.value_trace
        if trace is None:
            trace = 0.0 if asks else LONG_TRACE
        least = 0.0 if asks else self.learner.prior_lcb_width
        width = self.lcb_width
        if least > width.lowest:
            highest = None if width.highest is None else max(width.highest, least)
            width = dataclasses.replace(width, lowest=least, highest=highest)
        return dataclasses.replace(
            self,
            networks=dataclasses.replace(self.networks, beliefs=beliefs),
            learner=dataclasses.replace(self.learner, value_trace=trace),
            lcb_width=width,
        )

    def search_config(self, generation: int) -> SearchConfig:
        """The settings of a generation's searches."""
        return dataclasses.replace(
            self.search,
            visits=max(1, round(self.visits.at(generation))),
            dispersion_radius=self.dispersion_radius.at(generation),
            prior_noise=self.prior_noise.at(generation),
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
