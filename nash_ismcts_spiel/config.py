"""Settings of the search, one frozen dataclass per concern; unknown keys are errors.

Lengths of intervals (`lcb_width`) and the exploration constants are in units of the value scale
(the standard deviation of the game's returns), so that one setting fits games of any stakes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal, Self

from nash_ismcts_spiel.settings import Settings, did_you_mean

Search = Literal["forest", "notes"]
SampleBackup = Literal["expected", "luck_adjusted", "residual"]
Selection = Literal["puct", "ucb"]
PuctDenominator = Literal["one_plus", "max"]
Trees = Literal["by_information_set", "by_node"]
Engine = Literal["native", "reference"]
Spawning = Literal["auto", "always", "when_behind"]
OpponentDispersion = Literal["none", "unseen", "always"]
UnvisitedEvents = Literal["valued", "left_out"]
RootRule = Literal["visits", "expected_visits", "quantal_step"]
SplitActions = Literal["auto", "never", "always"]

MODEL_RADIUS = 0.2
ROLLOUT_RADIUS = 0.05
"""Radii of belief dispersion for learned or exact models, and for rollouts and uniform models."""

FOREST_SETTINGS = (
    "search",
    "visits",
    "split_actions",
    "engine",
    "value_scale",
    "reuse_trees",
    "max_worlds",
)
"""Settings of the search with soft ties; all others are those of the literal search."""

Answering = Literal["tables", "views", "states", "notes"]
"""Searches between which `engines.py` chooses: the forest on an enumerated game, over views where
histories merge, and on live states; and the literal search."""

USUAL_VISITS: Mapping[Answering, int] = {
    "tables": 5_000,
    "views": 1_000,
    "states": 10_000,
    "notes": 200,
}
"""Visits where none are set, by their cost: some 10 ms of CPU for an answer in Leduc poker and over
views, a tenth of a second in large card games. Those of the literal search are visits of the root,
each of which takes many simulations."""

MOST_VISITS = 2_000_000_000
"""Counters of the native engine have 32 bits."""


_MOST = 1e9

RANGES: Mapping[str, tuple[float, float]] = {
    "visits": (1, MOST_VISITS),
    "dispersion_radius": (0.0, 2.0),
    "c_puct": (0.0, _MOST),
    "ucb_exploration": (0.0, _MOST),
    "puct_floor": (1e-6, 1.0 - 1e-6),
    "prior_noise": (0.0, 1.0),
    "prior_temperature": (1e-4, _MOST),
    "opponent_prior_visits": (0.0, _MOST),
    "spawn_depth": (0, 1_000_000_000),
    "lcb_width": (0.0, _MOST),
    "temperature": (1e-6, _MOST),
    "quantal_share": (1e-6, 1.0),
    "parallel_simulations": (1, 1_000_000),
    "value_scale": (1e-100, 1e100),
    "max_worlds": (1, MOST_VISITS),
}
"""What settings may be: beyond, products and quotients of theirs would not be finite. Those that
C++ reads have the same ranges there (`native/search/config.h`).
"""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SearchConfig(Settings):
    """How one search is done.

    Search:
      search: "forest", the search with soft ties, which walks whole games of up to `max_worlds`
        worlds, or nodes where histories merge over views, as in phantom and dark board games (in
        larger ones the forest on live states takes its place, or with models "notes":
        `engines.py`); or "notes", the notes' literal search, whose settings all others are but for
        those of the budget, of actions, of the engine and of housekeeping.
    Budget:
      visits: forest: simulations at each decision point of the log; notes: visits of the root on
        which an answer rests, kept ones included. None goes by which search answers
        (`USUAL_VISITS`).
    Belief dispersion (SAMPLE nodes):
      dispersion_radius: epsilon, L1 radius of the ball round the beliefs h; 0 is A-ISMCTS. Ties are
        broken by P, so None goes by how good that is: 0.2 for learned and exact models, 0.05 for
        rollouts and uniform models, whose P would turn ties into random moves.
      sample_backup: how a SAMPLE node's interval is formed.
    Choice (ACT nodes):
      selection: "puct", or "ucb" (UCB1, which ignores the prior).
      c_puct: c_PUCT, weight of the prior term, in value scales.
      ucb_exploration: weight of UCB1's term, in value scales.
      puct_denominator: 1 + N, or max(puct_floor, N).
      puct_floor: k of max(k, N), between 0 and 1.
      prior_noise: share of the uniform distribution in the prior of the PUCT term only.
      prior_temperature: temperature of the prior of the PUCT term only.
    Opponents:
      trees: whether spawned trees with one root information set are one tree.
      opponent_prior_visits: K, how many mixed visits P counts for in an opponent's policy.
      opponent_dispersion: where an opponent's policy is dispersed like beliefs: nowhere (the note's
        rule), where it moves without having seen our last action (its move is then part of what
        is hidden from us), or at every move.
      spawning: when a simulated player runs a simulation of its own to answer: at every question
        ("always", the note's rule), or only if its tree has been visited no more often than the
        asking node has asked ("when_behind"; its tree then answers by its rule of choice, and a
        player of whom nothing is known yet answers by P). Without the latter, long games cost
        exponentially much: "auto" takes "always" in short games and "when_behind" in long ones.
      spawn_depth: how deep simulated players simulate others; beyond it they act by P.
    World nodes:
      unvisited_events: what a chance outcome or an opponent's action that was never simulated
        counts for in the value of its world: what the models say, where they value worlds, or
        nothing.
    Root:
      lcb_width: sigma at one visit, in value scales; sigma(N) = lcb_width / sqrt(N).
      root_rule: the policy is in proportion to visits N, or to the visits expected where choices
        were mixed (n_mixed MIX + n_pure PN, the same without the noise of draws); or it is P with a
        step towards the quantal response ("quantal_step", for training): P(a)^(1 - d)
        exp(d Q(a) / tau), which is magnetic mirror descent with the uniform policy as its magnet.
      temperature: tau of "quantal_step", in value scales.
      quantal_share: d of "quantal_step"; 1 gives the quantal response itself, and P has no say.
    Actions:
      split_actions: whether an action is chosen as a sequence of sub-actions (P-splitting; by their
        meaning where that is known, else by the digits of the action's number): "always", "never",
        or "auto", where a game has more than 4,096 actions or chance outcomes.
    Engine:
      engine: "native" (C++), or "reference" (the same search in Python, to be read).
      parallel_simulations: how many simulations of one search may wait for rows at once, kept
        apart by virtual loss; 1 is the reference engine's search. Native only.
    Housekeeping:
      value_scale: utility units that count as 1; None takes the game's own.
      reuse_trees: keep what earlier searches of the same match learned of this position.
      max_worlds: size of a bot's graph at which a search ends with what it has found; the next one
        starts with a new graph. Enumerated graphs are not bounded by it.
    """

    search: Search = "forest"
    visits: int | None = None
    dispersion_radius: float | None = None
    sample_backup: SampleBackup = "expected"
    selection: Selection = "puct"
    c_puct: float = 1.0
    ucb_exploration: float = 0.7
    puct_denominator: PuctDenominator = "one_plus"
    puct_floor: float = 0.5
    prior_noise: float = 0.0
    prior_temperature: float = 1.0
    trees: Trees = "by_information_set"
    opponent_prior_visits: float = 0.0
    opponent_dispersion: OpponentDispersion = "unseen"
    spawning: Spawning = "auto"
    spawn_depth: int = 16
    unvisited_events: UnvisitedEvents = "valued"
    lcb_width: float = 0.1
    root_rule: RootRule = "visits"
    temperature: float = 0.1
    quantal_share: float = 1.0
    split_actions: SplitActions = "auto"
    engine: Engine = "native"
    parallel_simulations: int = 1
    value_scale: float | None = None
    reuse_trees: bool = True
    max_worlds: int = 1_000_000

    def __post_init__(self) -> None:
        """Refuses values that no search can be done with, by name."""
        for (name, value), instead in _GONE_VALUES.items():
            if getattr(self, name) == value:
                raise ValueError(f"{name}={value!r} is gone: {instead}")
        self.check_types()
        for name, (low, high) in RANGES.items():
            value = getattr(self, name)
            fits = value is None or low <= float(value) <= high
            _check(self, name, fits, f"from {low:g} to {high:g}")
        single = self.parallel_simulations == 1 or self.engine == "native"
        _check(self, "parallel_simulations", single, "1 with the reference engine")

    def checked(self) -> Self:
        """The same, if it has no setting of the literal search that the forest would ignore.

        Raises:
          ValueError: it has.
        """
        if self.search == "forest":
            for field in dataclasses.fields(self):
                if field.name not in FOREST_SETTINGS and getattr(self, field.name) != field.default:
                    raise ValueError(
                        f"{field.name} is a setting of the literal search: take the bot "
                        "nash_ismcts_notes, or search='notes'"
                    )
        return self

    def with_radius(self, has_policy: bool) -> Self:
        """The same with a radius, chosen by whether P was learned or given."""
        if self.dispersion_radius is not None:
            return self
        radius = MODEL_RADIUS if has_policy else ROLLOUT_RADIUS
        return dataclasses.replace(self, dispersion_radius=radius)

    @property
    def radius(self) -> float:
        """The radius of belief dispersion, once it is known (`with_radius`)."""
        assert self.dispersion_radius is not None
        return self.dispersion_radius

    def with_visits(self, answering: Answering) -> Self:
        """The same with as many visits as the search that answers usually has, if none are set."""
        if self.visits is not None:
            return self
        return dataclasses.replace(self, visits=USUAL_VISITS[answering])

    @property
    def budget(self) -> int:
        """The visits, once they are known (`with_visits`)."""
        assert self.visits is not None
        return self.visits

    def spawning_in(self, is_long: bool) -> Spawning:
        """When simulated players run simulations in a game that is long or not."""
        if self.spawning != "auto":
            return self.spawning
        return "when_behind" if is_long else "always"

    @classmethod
    def gone(cls) -> Mapping[str, tuple[Any, str]]:
        """Settings that there were once."""
        return _GONE

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """A named setting with some fields changed.

        Raises:
          ValueError: no preset has that name, or a change is not a field.
        """
        if name in GONE_BOTS:
            raise ValueError(f"{name} is gone: {GONE_BOTS[name]}")
        if name not in PRESETS:
            raise ValueError(f"unknown preset {name!r}; {did_you_mean(name, PRESETS)}")
        return cls.from_dict({**PRESETS[name], **changes})


PRESETS: Mapping[str, Mapping[str, Any]] = {
    "nash_ismcts": {},
    "nash_ismcts_notes": {"search": "notes"},
    "a_ismcts": {"search": "notes", "dispersion_radius": 0.0},
    "mt_ismcts": {"search": "notes", "dispersion_radius": 0.0, "selection": "ucb"},
}
"""nash_ismcts: soft ties. nash_ismcts_notes: the literal search of the notes. a_ismcts: AlphaZero's
search, no dispersion. mt_ismcts: Cowling et al. 2015, UCB and random games, no prior.
"""

GONE_BOTS: Mapping[str, str] = {"nash_ismcts_play": "take nash_ismcts, which has soft ties"}
"""Presets that there were once, and what replaced them."""

_SOFT = "nash_ismcts has soft ties; see docs/differences.md"
_GONE: Mapping[str, tuple[Any, str]] = {
    "luck_ends": ("coupled", "low ends meet low ends; see docs/differences.md"),
    "hidden_order": ("play", "hidden pieces come in the order of play"),
    "model_radius": (0.2, "set dispersion_radius"),
    "step_size": (5.0, _SOFT),
}
_GONE_VALUES: Mapping[tuple[str, str], str] = {
    ("root_rule", "certain_gain"): _SOFT,
    ("root_rule", "certain_step"): _SOFT,
}
"""Settings, and values of settings, that there were once, and what replaced them."""


def _check(config: SearchConfig, name: str, holds: bool, wanted: str) -> None:
    if not holds:
        raise ValueError(f"{name} must be {wanted}, not {getattr(config, name)!r}")
