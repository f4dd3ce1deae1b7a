"""Types of the compiled module. Its policies are float64 arrays with one entry per action."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

class CompiledGraph:
    def __init__(self, graph: Any) -> None: ...
    @property
    def num_players(self) -> int: ...
    @property
    def num_worlds(self) -> int: ...
    @property
    def num_information_sets(self) -> int: ...
    @property
    def num_actions(self) -> int: ...
    def expected_utilities(self, policy: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...
    def own_reach(self, policy: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...
    def reach(
        self, policy: npt.NDArray[np.float64], player: int
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]: ...
    def beliefs(self, policy: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...
    def best_response(
        self, policy: npt.NDArray[np.float64], player: int
    ) -> tuple[float, npt.NDArray[np.int32]]: ...
    def deviations(self, policy: npt.NDArray[np.float64]) -> tuple[list[float], list[float]]: ...

class CfrSolver:
    def __init__(self, graph: CompiledGraph, variant: str) -> None: ...
    def run(self, iterations: int) -> None: ...
    def average_policy(self) -> npt.NDArray[np.float64]: ...
    def current_policy(self) -> npt.NDArray[np.float64]: ...
    @property
    def iterations(self) -> int: ...

class Config:
    dispersion_radius: float
    sample_backup: str
    luck_ends_coupled: bool
    ucb: bool
    c_puct: float
    ucb_exploration: float
    denominator_one_plus: bool
    puct_floor: float
    prior_noise: float
    prior_temperature: float
    trees_by_information_set: bool
    opponent_prior_visits: float
    opponent_dispersion: str
    spawn_depth: int
    unvisited_events_valued: bool
    root_rule: str
    lcb_width: float
    value_scale: float
    one_tree: bool
    utility_sum: float
    def __init__(self) -> None: ...

class Rows:
    def __init__(self) -> None: ...
    def put_sets(
        self,
        graph: Any,
        ids: npt.NDArray[np.int32],
        policy: npt.NDArray[np.float64],
        value: npt.NDArray[np.float64],
        child_values: npt.NDArray[np.float64],
    ) -> None: ...
    def put_samples(
        self,
        graph: Any,
        ids: npt.NDArray[np.int32],
        beliefs: npt.NDArray[np.float64],
        child_values: npt.NDArray[np.float64],
    ) -> None: ...
    def put_world_values(self, graph: Any, values: npt.NDArray[np.float64]) -> None: ...
    def put_exact(
        self,
        graph: Any,
        policy: npt.NDArray[np.float64],
        utilities: npt.NDArray[np.float64],
        weights: Sequence[npt.NDArray[np.float64]],
        trembles: Sequence[npt.NDArray[np.int64]],
        forgetful: bool,
    ) -> None: ...
    def put_lookahead(
        self,
        graph: Any,
        policy: npt.NDArray[np.float64],
        value: npt.NDArray[np.float64],
        beliefs: npt.NDArray[np.float64],
    ) -> None: ...
    @property
    def policy(self) -> npt.NDArray[np.float64]: ...
    @property
    def value(self) -> npt.NDArray[np.float64]: ...
    @property
    def child_values(self) -> npt.NDArray[np.float64]: ...
    @property
    def beliefs(self) -> npt.NDArray[np.float64]: ...
    @property
    def sample_values(self) -> npt.NDArray[np.float64]: ...
    @property
    def world_values(self) -> npt.NDArray[np.float64]: ...

class Search:
    def __init__(self, config: Config, parallel_simulations: int = 1) -> None: ...
    def begin(
        self, graph: Any, information_set: int, visits: int, generator: np.random.Generator
    ) -> None: ...
    def keep(self, information_set: int, earlier_root: int) -> None: ...
    def forget(self) -> None: ...
    def root(self, rows: Rows) -> dict[str, Any]: ...
    @property
    def simulations(self) -> int: ...
    @property
    def num_nodes(self) -> int: ...
    @property
    def num_trees(self) -> int: ...

def advance(
    graph: Any, rows: Rows, searches: Sequence[Search], budget: int
) -> tuple[list[bool], npt.NDArray[np.int32]]: ...
def search_all(
    graph: Any,
    rows: Rows,
    search: Search,
    information_sets: npt.NDArray[np.int32],
    first: int,
    visits: int,
    generator: np.random.Generator,
    budget: int,
    policy: npt.NDArray[np.float64],
) -> int: ...
def prefix_trees(graph: Any, own_next_limit: int) -> dict[str, npt.NDArray[np.int32]]: ...
