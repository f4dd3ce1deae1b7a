"""What a search found at its root, from the point of view of the player who searched."""

from __future__ import annotations

import dataclasses
import math

from nash_ismcts_spiel.games import InformationKey
from nash_ismcts_spiel.notebook import html_table
from nash_ismcts_spiel.search.interval import Interval
from nash_ismcts_spiel.search.limits import StoppedBy


@dataclasses.dataclass(frozen=True, slots=True)
class SearchResult:
    """The outcome of one search. Utilities are in the game's units.

    Attributes:
      key: the information set that was searched.
      actions: pyspiel's numbers of the legal actions; the order of all tuples. [actions]
      prior: raw P. [actions]
      visits: N. [actions]
      pure_visits: N by pure choices. [actions]
      mean_mixing: MIX, the mean of the mixing distributions; zeros if none was used. [actions]
      pure_count: n_pure.
      mixed_count: n_mixed.
      q: Q interval after each action, Vc where it was never tried. [actions]
      value: Q interval of the root.
      policy_before_filter: visit shares. [actions]
      policy: visit shares of the actions that the confidence filter kept. [actions]
      simulations: simulations run in all trees by this call.
      pondered: those of them that were run at earlier decision points of the log.
      stopped_by: what ended the search: its visits were done, a limit was reached before, or no
        world was found to search in.
    """

    key: InformationKey
    actions: tuple[int, ...]
    prior: tuple[float, ...]
    visits: tuple[int, ...]
    pure_visits: tuple[int, ...]
    mean_mixing: tuple[float, ...]
    pure_count: int
    mixed_count: int
    q: tuple[Interval, ...]
    value: Interval
    policy_before_filter: tuple[float, ...]
    policy: tuple[float, ...]
    simulations: int
    stopped_by: StoppedBy = "visits"
    pondered: int = 0

    def __post_init__(self) -> None:
        """Refuses a policy that nobody can play: values or settings were too large for doubles."""
        if not all(map(math.isfinite, self.policy)):
            raise ValueError(
                f"the search found the policy {self.policy}, which has no probabilities: values of "
                "the game, of its models or of the settings are too large or too small"
            )

    def _repr_html_(self) -> str:
        """The search as a table, for notebooks."""
        columns = zip(self.actions, self.visits, self.q, self.prior, self.policy, strict=True)
        rows = [(str(a), n, q.low, q.high, prior, policy) for a, n, q, prior, policy in columns]
        note = (
            f"value {self.value.low:.4f} to {self.value.high:.4f}; {self.simulations:,} simulations"
            f" in all trees; ended by {self.stopped_by}"
        )
        caption = f"search of player {self.key.player}"
        titles = ("action", "visits", "Q low", "Q high", "prior", "policy")
        return html_table(caption, titles, rows, note)


def nothing_found(
    key: InformationKey, actions: tuple[int, ...], stopped_by: StoppedBy
) -> SearchResult:
    """All that can be said where no world was found in time: any action may do."""
    count = len(actions)
    uniform, zeros = (1.0 / count,) * count, (0,) * count
    nothing = Interval(0.0, 0.0)
    return SearchResult(
        key=key,
        actions=actions,
        prior=uniform,
        visits=zeros,
        pure_visits=zeros,
        mean_mixing=(0.0,) * count,
        pure_count=0,
        mixed_count=0,
        q=(nothing,) * count,
        value=nothing,
        policy_before_filter=uniform,
        policy=uniform,
        simulations=0,
        stopped_by=stopped_by,
    )
