"""Types of the compiled module. Its policies are float64 arrays with one entry per action.

See native/worlds/ for what the parts of a graph mean. Numbers that are not rows of a graph are
refused by IndexError; a graph that another thread makes grow, by RuntimeError. Tables and columns
are made on first use and are not to be replaced.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Generic, Literal, SupportsIndex, TypeAlias, TypeVar, final, overload

import numpy as np
import numpy.typing as npt

_T = TypeVar("_T")
Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int32]
Longs: TypeAlias = npt.NDArray[np.int64]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Numbers: TypeAlias = Sequence[int] | Ints

class Game:
    """What a graph is made of: states in C++ or in Python, see `python_game`."""

    name: Final[str]
    num_players: Final[int]
    perfect_information: Final[bool]
    has_information_states: Final[bool]
    has_own_view: Final[bool]
    needs_gil: Final[bool]
    def sampled_value_scale(self) -> float: ...
    def estimated_worlds(self, probes: int) -> float: ...

def python_game(
    pyspiel_game: Any,
    name: str,
    num_players: int,
    perfect_information: bool,
    has_information_states: bool,
) -> Game: ...

@final
class SplitGame(Game):
    """A game whose actions are chosen digit by digit, see native/worlds/split_game.h.

    Codes are given by their lengths, one per event, and their digits end to end; chance is not
    split if it has none.
    """

    def __init__(
        self,
        inner: Game,
        action_lengths: Ints,
        action_digits: Ints,
        outcome_lengths: Ints,
        outcome_digits: Ints,
    ) -> None: ...
    def split(self, history: Sequence[int]) -> list[int]: ...
    def whole(self, history: Sequence[int]) -> tuple[list[int], list[int]]: ...

class _Column(Generic[_T]):
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, row: SupportsIndex, /) -> _T: ...
    @overload
    def __getitem__(self, rows: slice, /) -> list[_T]: ...
    def __iter__(self) -> Iterator[_T]: ...
    def __contains__(self, value: object, /) -> bool: ...
    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]: ...

@final
class IntColumn(_Column[int]):
    def take(self, rows: npt.NDArray[np.integer[Any]]) -> Ints: ...

@final
class LongColumn(_Column[int]):
    def take(self, rows: npt.NDArray[np.integer[Any]]) -> Longs: ...

@final
class FloatColumn(_Column[float]):
    def take(self, rows: npt.NDArray[np.integer[Any]]) -> Floats: ...

@final
class Worlds:
    kind: IntColumn
    player: IntColumn
    information_set: IntColumn
    parent: IntColumn
    last_action: LongColumn
    depth: IntColumn
    first_edge: IntColumn
    edge_count: IntColumn
    utility_row: IntColumn
    view: IntColumn
    unseen: IntColumn
    edge_child: IntColumn
    edge_action: LongColumn
    edge_probability: FloatColumn
    utilities: FloatColumn
    def __len__(self) -> int: ...

@final
class InformationSets:
    player: IntColumn
    view: IntColumn
    first_world: IntColumn
    first_action: IntColumn
    action_count: IntColumn
    hidden: IntColumn
    within_action: IntColumn
    action: LongColumn
    own_next: IntColumn
    def __len__(self) -> int: ...

@final
class SampleNodes:
    information_set: IntColumn
    world: IntColumn
    first_branch: IntColumn
    branch_count: IntColumn
    edge: IntColumn
    target: IntColumn
    def __len__(self) -> int: ...

class NoWorldFoundError(ValueError): ...

class Graph:
    worlds: Worlds
    information_sets: InformationSets
    samples: SampleNodes
    buried: IntColumn
    def __init__(self, game: Game) -> None: ...
    enumerated: Final[bool]
    def enumerate_worlds(self, limit: int) -> None: ...
    def resolve(self) -> None: ...
    def child(self, world: int, edge: int) -> int: ...
    def follow(self, history: Sequence[int]) -> int: ...
    def history(self, world: int) -> list[int]: ...
    def view_along(self, history: Sequence[int], player: int, to_move: bool) -> int: ...
    def set_of_view(self, view: int) -> int: ...
    def find_view(self, player: int, view: int, seconds: float | None = None) -> int: ...
    def offer(self, player: int, view: int, history: Sequence[int]) -> int: ...
    def offered(self, information_set: int) -> list[int]: ...
    def hidden(self, information_set: int) -> int: ...
    def branch(self, sample: int, branch: int) -> int: ...
    def own_next(self, information_set: int, action: int) -> int: ...
    def unseen(self, world: int, player: int) -> bool: ...
    def prior_weights(self, sample: int) -> list[float]: ...
    def uniform_policy(self, information_set: int) -> list[float]: ...
    def whole_actions(self, information_set: int) -> list[tuple[int, list[int]]]: ...
    def worlds_of(self, information_set: int) -> list[int]: ...
    def path_to(self, world: int) -> list[tuple[int, int]]: ...
    def by_exchange(self, information_set: int) -> bool: ...
    def ask(self, information_set: int) -> None: ...
    def shown_views(self) -> Ints: ...
    def log(self, view: int) -> list[tuple[int, str]]: ...
    def of_log(self, player: int, entries: Sequence[tuple[int, str]]) -> int: ...
    def view_hash(self, view: int) -> int: ...
    num_views: Final[int]

class Board:
    """See native/worlds/board.h."""

    def __init__(self, rows: int, columns: int, planes: int) -> None: ...
    def add_steps(
        self,
        start: int,
        width: int,
        row: int,
        column: int,
        marks: Sequence[tuple[int, int, int, int, int]],
        lengths: Sequence[int],
    ) -> None:
        """`marks` are (offset, plane, down, right, viewer)."""

class Tensors:
    """See native/worlds/tensors.h; rows are made anew each time."""

    def __init__(
        self, game: Game, slots: int, observations: bool = False, board: Board | None = None
    ) -> None: ...
    set_inputs: Final[int]
    sample_inputs: Final[int]
    actions: Final[int]
    pieces: Final[int]
    def sets(self, graph: Graph, information_sets: Numbers) -> npt.NDArray[np.float32]: ...
    def samples(self, graph: Graph, sample_nodes: Numbers) -> npt.NDArray[np.float32]: ...

def most_drawn(graph: Graph) -> int: ...

class CompiledGraph:
    def __init__(self, graph: Graph) -> None: ...
    num_players: Final[int]
    num_worlds: Final[int]
    num_actions: Final[int]
    def expected_utilities(self, policy: Floats) -> Floats: ...
    def own_reach(self, policy: Floats) -> Floats: ...
    def reach(self, policy: Floats, player: int) -> tuple[Floats, Longs]: ...
    def beliefs(self, policy: Floats) -> Floats: ...
    def best_response(self, policy: Floats, player: int) -> tuple[float, Ints]: ...
    def deviations(self, policy: Floats) -> tuple[list[float], list[float]]: ...
    def exact_rows(self, graph: Graph, policy: Floats, forgetful: bool) -> Rows: ...

@final
class MergedGame:
    """A game with its histories merged, see native/worlds/merged_game.h.

    `key` is "observation" or "information_state". A policy is one float64 per action of each view;
    view v has the entries first_action[v] to first_action[v + 1]. `report` is told now and then
    which fraction is done.
    """

    def __init__(
        self, game: Game, key: str, max_nodes: int, report: Callable[[float], None] | None = None
    ) -> None: ...
    num_players: Final[int]
    num_nodes: Final[int]
    num_views: Final[int]
    num_actions: Final[int]
    first_action: Final[Longs]
    def view(self, number: int) -> tuple[int, str, list[int], list[int], list[int]]: ...
    def terminal_histories(self) -> float: ...
    def expected_utilities(self, policy: Floats) -> list[float]: ...
    def best_response(
        self,
        policy: Floats,
        player: int,
        max_entries: int,
        max_information_sets: int,
        report: Callable[[float], None] | None = None,
    ) -> tuple[float, int]: ...

def merged_ismcts(
    game: MergedGame,
    simulations: int,
    exploration: float,
    seed: int,
    report: Callable[[float], None] | None = None,
) -> Floats: ...

@final
class MergedSweeps:
    """Mirror descent over views, see native/exact/merged_sweeps.h; arrays are [A]."""

    def __init__(self, game: MergedGame) -> None: ...
    def sweep(self, step: float, temperature: float, weight: float) -> None: ...
    def average_policy(self) -> Floats: ...
    def action_values(self, policy: Floats) -> Floats: ...
    def state(self) -> tuple[Floats, Floats, Floats]: ...
    def restore(self, logits: Floats, values: Floats, sums: Floats) -> None: ...

@final
class MergedCfr:
    """CFR+ over views, see native/exact/merged_cfr.h; used by two threads, a RuntimeError."""

    def __init__(self, game: MergedGame) -> None: ...
    def run(self, iterations: int) -> None: ...
    def average_policy(self) -> Floats: ...
    iterations: Final[int]

class CfrSolver:
    def __init__(self, graph: CompiledGraph, variant: str) -> None: ...
    def run(self, iterations: int) -> None: ...
    def average_policy(self) -> Floats: ...
    def current_policy(self) -> Floats: ...
    iterations: Final[int]

class SmoothUct:
    def __init__(
        self, graph: CompiledGraph, exploration: float, eta: float, gamma: float, decay: float
    ) -> None: ...
    def run(self, episodes: int, generator: np.random.Generator) -> None: ...
    def average_policy(self) -> Floats: ...
    iterations: Final[int]

class OutcomeSampling:
    def __init__(self, graph: CompiledGraph, exploration: float) -> None: ...
    def run(self, episodes: int, generator: np.random.Generator) -> None: ...
    def average_policy(self) -> Floats: ...
    iterations: Final[int]

class Config:
    def __init__(self, settings: dict[str, Any]) -> None: ...
    @staticmethod
    def names() -> list[str]: ...

@final
class TableArena:
    """An enumerated game with the views of its decision points, see native/forest/table_arena.h."""

    def __init__(self, graph: Graph) -> None: ...
    num_views: Final[int]
    views: Final[Ints]
    def log(self, information_set: int, longest: int = ...) -> list[int]: ...
    def worlds_of(self, view: int) -> list[int]: ...
    def view_hash(self, view: int) -> int: ...

def world_beliefs(graph: Graph, beliefs: Floats) -> Floats: ...

@final
class TableModels:
    def __init__(
        self,
        arena: TableArena,
        policy: Floats,
        child_values: Floats,
        values: Floats,
        beliefs: Floats,
    ) -> None: ...

@final
class ForestSettings:
    def __init__(
        self,
        value_scale: float,
        regret: float,
        own_share: float,
        others_share: float,
        blend: float,
        first_values: str,
        seed: int,
    ) -> None: ...

@final
class SoftForest:
    """One forest of the search with soft ties, see native/forest/forest.h."""

    def __init__(
        self, arena: TableArena, models: TableModels, settings: ForestSettings
    ) -> None: ...
    simulations: Final[int]
    temperature: Final[float]
    def think(
        self, view: int, player: int, visits: int | None, seconds: float | None = None
    ) -> int: ...
    def found(self, information_set: int) -> tuple[Floats, Floats, Longs]: ...

def forest_everywhere(
    arena: TableArena,
    models: TableModels,
    settings: ForestSettings,
    visits: int,
    longest_log: int = ...,
    report: Callable[[int], object] | None = None,
) -> Floats: ...

@final
class StateForest:
    """One search where nothing is enumerated, see native/forest/state_forest.h."""

    def __init__(self, graph: Graph, information_set: int, scale: float, seed: int) -> None: ...
    def run(self, visits: int, seconds: float | None = None) -> int: ...
    def found(self, actions: Sequence[int] = ...) -> tuple[list[int], list[float]] | None: ...

@final
class WorldDraws:
    """Worlds of an information set as histories, see native/worlds/world_draws.h."""

    def __init__(self, graph: Graph, information_set: int, seed: int) -> None: ...
    def next(self) -> list[int]: ...

@final
class ViewArena:
    """A merged game as a search over views walks it, see native/forest/view_arena.h."""

    def __init__(self, game: MergedGame, candidates: Sequence[Sequence[int]]) -> None: ...
    standard_view: Final[Ints]
    standard_action: Final[Ints]
    alike: Final[Ints]
    view: Final[Ints]
    first_edge: Final[Longs]
    child: Final[Ints]
    first_parent: Final[Longs]
    parent: Final[Ints]
    parent_action: Final[Ints]
    def nodes_of_look(self, look: int) -> list[int]: ...
    def look_of_view(self, view: int) -> int: ...
    def look(self, node: int, player: int) -> int: ...

@final
class ViewModels:
    """P over views and what follows from it, see native/forest/view_models.h."""

    def __init__(self, arena: ViewArena, policy: Floats) -> None: ...
    regret: Final[float]
    values: Final[Floats]
    reach: Final[Floats]
    shares: Final[Floats]
    child_values: Final[Floats]
    def log(self, arena: ViewArena, view: int) -> list[int]: ...

@final
class ViewForest:
    """One forest of the search over views, see native/forest/view_forest.h."""

    def __init__(self, arena: ViewArena, models: ViewModels, settings: ForestSettings) -> None: ...
    simulations: Final[int]
    temperature: Final[float]
    def think(
        self, look: int, player: int, visits: int | None, seconds: float | None = None
    ) -> int: ...
    def found(self, view: int) -> tuple[Floats, Floats, Longs]: ...

def forest_at_views(
    arena: ViewArena,
    models: ViewModels,
    settings: ForestSettings,
    visits: int,
    views: Sequence[int],
    report: Callable[[int], object] | None = None,
) -> Floats: ...

class Rows:
    def __init__(self) -> None: ...
    def put_sets(
        self, graph: Graph, ids: Ints, policy: Floats, value: Floats, child_values: Floats
    ) -> None: ...
    def put_samples(
        self, graph: Graph, ids: Ints, beliefs: Floats, child_values: Floats
    ) -> None: ...
    def put_world_values(self, graph: Graph, values: Floats) -> None: ...
    has_information_set: Final[Bytes]
    has_policy: Final[Bytes]
    has_sample: Final[Bytes]
    def put_lookahead(
        self, graph: Graph, policy: Floats, value: Floats, beliefs: Floats
    ) -> None: ...
    policy: Final[Floats]
    value: Final[Floats]
    child_values: Final[Floats]
    beliefs: Final[Floats]
    sample_values: Final[Floats]
    world_values: Final[Floats]

class RowSource:
    def set_row(
        self, graph: Graph, information_set: int, arrival: int = -1
    ) -> tuple[list[float], float, list[float]]: ...
    def policy_row(self, graph: Graph, information_set: int) -> list[float]: ...
    def beliefs(self, graph: Graph, sample: int) -> list[float]: ...

def uniform_rows(value: float) -> RowSource: ...
def prior_beliefs() -> RowSource: ...
def rollout_rows(worlds: int, most_games: int, seed: int) -> RowSource: ...
def draw_world(graph: Graph, information_set: int, seed: int) -> int: ...

class Walk:
    def __init__(self, seed: int) -> None: ...
    def next(self, graph: Graph, information_set: int) -> int: ...

class Pools:
    def __init__(self) -> None: ...
    def clear(self) -> None: ...
    def keep(self, information_sets: list[int]) -> None: ...
    def next(self, graph: Graph, information_set: int) -> list[int]: ...
    def first(self, graph: Graph, information_set: int) -> int: ...

class Search:
    def __init__(self, config: Config, parallel_simulations: int = 1) -> None: ...
    def begin(
        self,
        graph: Graph,
        information_sets: int | Ints,
        visits: int,
        generator: np.random.Generator,
        seconds: float | None = None,
        max_worlds: int | None = None,
    ) -> None: ...
    def keep(self, information_set: int, earlier_root: int) -> None: ...
    def forget(self) -> None: ...
    def found_at(self, rows: Rows, information_set: int) -> dict[str, Any] | None: ...
    stopped_by: Final[Literal["visits", "seconds", "worlds"]]
    policies: Final[Floats]
    simulations: Final[int]
    num_nodes: Final[int]
    num_trees: Final[int]

def advance(
    graph: Graph, rows: Rows, source: RowSource | None, searches: Sequence[Search], budget: int
) -> tuple[list[bool], Ints, Ints]: ...
def look_ahead(graph: Graph, information_sets: Ints, moves: int, most_worlds: int) -> None: ...

class TargetSums:
    def __init__(self) -> None: ...
    def blend_into(self, graph: Graph, prior_games: float, rows: Rows) -> None: ...
    visits: Final[Longs]
    action_values: Final[Floats]
    action_weights: Final[Floats]
    branch_weights: Final[Floats]
    piece_first: Final[Longs]
    piece_values: Final[Floats]
    piece_weights: Final[Floats]

class Games:
    """Games that are played many at once, see native/play/games.h."""

    def __init__(
        self, explorer: int, explore: float, others_explore: float, trace: float = 0.0
    ) -> None: ...
    def start(self, games: int) -> None: ...
    def advance(self, graph: Graph, own: Rows, others: Rows, seed: int) -> Ints: ...
    def add_values(self, graph: Graph, rows: Rows, sums: TargetSums) -> None: ...
    def add_hidden(self, graph: Graph, rows: Rows, groups: Ints, sums: TargetSums) -> int: ...
    def put_world_values(self, graph: Graph, rows: Rows) -> None: ...
    def decisions(self, graph: Graph) -> Ints: ...
    def visits(self, graph: Graph) -> Longs: ...
    over: Final[bool]
    num_worlds: Final[int]

class PublicGame:
    def __init__(self, graph: CompiledGraph, states: Ints, slots: Ints) -> None: ...
    num_states: Final[int]
    width: Final[int]
    parent: Final[Ints]
    depth: Final[Ints]
    after_chance: Final[Bytes]
    chance: Final[Floats]
    mass: Final[Floats]

class Subgame:
    def __init__(self, game: PublicGame, root: int, depth: int, stop_at_chance: bool) -> None: ...
    root: Final[int]
    num_leaves: Final[int]
    actions: Final[Ints]

class SubgameBatch:
    def __init__(self, subgames: Sequence[Subgame], beliefs: Floats, method: str) -> None: ...
    def __len__(self) -> int: ...
    num_leaves: Final[int]
    first_leaf: Final[Longs]
    leaf_states: Final[Ints]
    def leaf_beliefs(self) -> Floats: ...
    def update(self, player: int, values: Floats) -> None: ...
    def run(self, iterations: int) -> None: ...
    def current_policy(self, index: int) -> Floats: ...
    def average_policy(self, index: int) -> Floats: ...
    def root_values(self) -> Floats: ...
