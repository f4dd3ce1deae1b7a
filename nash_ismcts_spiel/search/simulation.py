"""One simulation: act, draw the hidden state, let the others think, and back up.

A simulation belongs to one tree and so to one player. It runs down from the tree's root until it
meets an own information set that the tree has not evaluated yet, or the end of the game. Where
another player is to move, one whole simulation is run in *that* player's tree, rooted at what that
player would know; only the action it chose comes back. Values never cross from tree to tree.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import CHANCE, TERMINAL
from nash_ismcts_spiel.games.tables import DEAD, MISSING
from nash_ismcts_spiel.models.store import Models
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.search.act_node import ActNode, Choices, act_value, choose
from nash_ismcts_spiel.search.draw import draw
from nash_ismcts_spiel.search.interval import Interval, point
from nash_ismcts_spiel.search.limits import Limits
from nash_ismcts_spiel.search.sample_node import PoolNode, SampleNode, back_up, luck, untried_values
from nash_ismcts_spiel.search.trees import (
    ChanceNode,
    Forest,
    MirrorNode,
    Node,
    OpponentNode,
    TerminalNode,
    Tree,
    event_values,
    new_tree,
)

_NO_ADJUSTMENT = Interval(0.0, 0.0)


class Simulator:
    """Runs simulations in a forest; `simulations` is how many so far, in all trees."""

    def __init__(
        self,
        models: Models,
        forest: Forest,
        config: SearchConfig,
        value_scale: float,
        rng: np.random.Generator,
        limits: Limits,
        pools: _core.Pools,
    ) -> None:
        """Prepares to search `forest` with the given models; `limits` may end a simulation."""
        self.simulations = 0
        self._arrival = MISSING
        self._models = models
        self._graph = models.graph
        self._forest = forest
        self._config = config
        self._spawning = config.spawning_in(models.graph.game.is_long)
        self._value_scale = value_scale
        self._rng = rng
        self._limits = limits
        self._pools = pools

    def simulate(self, tree: Tree, depth: int = 0) -> int:
        """One whole simulation in `tree`; returns the index of the action chosen at its root.

        `depth` counts how many simulated players stand between this one and the searching one.
        """
        self.simulations += 1
        if tree.root.row is None:
            root = tree.root.information_set
            pooled = self._pooled(root)
            self._expand(tree.root, self._pools.first(self._graph, root) if pooled else MISSING)
        return self._act(tree, tree.root, depth)

    def _visit(self, tree: Tree, node: Node, depth: int) -> Interval:
        """Runs the simulation on through `node`; returns its value, updated."""
        self._limits.check(self._graph)
        match node:
            case ActNode():
                if node.row is None:
                    self._expand(node, self._arrival)
                else:
                    self._act(tree, node, depth)
            case SampleNode():
                return self._sample(tree, node, depth)
            case PoolNode():
                return self._draw_from_pool(tree, node, depth)
            case ChanceNode():
                outcome = draw(self._rng, node.probabilities)
                self._visit(tree, self._child(tree, node, outcome), depth)
                node.back_up()
            case OpponentNode():
                self._oppose(tree, node, depth)
            case MirrorNode():
                self._visit(tree, node.act, depth)
                node.back_up()
            case TerminalNode():
                pass
        return node.q

    def _expand(self, node: ActNode, arrival: int = MISSING) -> None:
        """Takes the models of the information set; `arrival` is a world of it, if one was drawn."""
        # A simulation that was given up may have left a node behind that nobody has arrived at.
        if arrival >= 0 and self._graph.worlds.information_set[arrival] != node.information_set:
            arrival = MISSING
        row = self._models.information_set(node.information_set, arrival)
        untried = untried_values(self._models, node.information_set, row, self._config.radius)
        node.expand(row, self._config, untried)
        self._models.bury_new()

    def _act(self, tree: Tree, node: ActNode, depth: int) -> int:
        """The owner chooses by interval PUCT, and the simulation goes on below its action."""
        action, mixing = choose(node, self._config, self._value_scale, self._rng)
        child = node.children[action]
        if child is None:
            child = self._after_action(tree, node, action)
        self._visit(tree, child, depth)
        node.children[action] = child
        node.choices.record(action, mixing)
        node.q = act_value(node.child_values(), node.choices)
        return action

    def _sample(self, tree: Tree, top: SampleNode, depth: int) -> Interval:
        """Draws the hidden pieces of a whole chain, visits the world, and backs up the chain."""
        adjusting = self._config.sample_backup == "luck_adjusted"
        chain: list[tuple[SampleNode, int, Interval]] = []
        node: Node = top
        while isinstance(node, SampleNode):
            self._models.bury_new()
            branch = draw(self._rng, node.beliefs)
            adjustment = luck(node, branch, self._config) if adjusting else _NO_ADJUSTMENT
            child = node.children[branch]
            below = self._below_branch(tree, node, branch) if child is None else child
            if below is not None:  # else the piece is dead: another one is drawn
                chain.append((node, branch, adjustment))
                node = below
        result = self._visit(tree, node, depth)
        self._models.bury_new()
        drawn: Node = node
        for sample, branch, adjustment in reversed(chain):
            sample.children[branch] = drawn
            result = back_up(sample, branch, result, adjustment, self._config)
            drawn = sample
        return result

    def _pooled(self, information_set: int) -> bool:
        """Whether worlds are drawn whole, from a pool.

        Pools hold worlds drawn from the prior, so the models' beliefs have to be that.
        """
        return self._models.compiled_beliefs and self._graph.by_exchange(information_set)

    def _draw_from_pool(self, tree: Tree, node: PoolNode, depth: int) -> Interval:
        """Draws all hidden pieces at once, visits the world, and backs up."""
        worlds = self._pools.next(self._graph, node.information_set)
        drawn = int(self._rng.random() * len(worlds))
        node.grow(len(worlds))
        adjusting = self._config.sample_backup == "luck_adjusted"
        adjustment = luck(node, drawn, self._config) if adjusting else _NO_ADJUSTMENT
        child = node.children[drawn]
        if child is None:
            after = self._graph.child(worlds[drawn], node.action)
            child = self._world_node(tree, after, node.player)
        result = self._visit(tree, child, depth)
        node.children[drawn] = child
        return back_up(node, drawn, result, adjustment, self._config)

    def _oppose(self, tree: Tree, node: OpponentNode, depth: int) -> None:
        """Another player moves: by a simulation in its own tree, by what is known there, or by P.

        With `spawning="when_behind"` the mover's tree answers by its rule of choice, without a new
        simulation, if it has been visited more often than this node has asked; and a mover of whom
        nothing is known yet first answers by P.
        """
        policy = self._models.policy(node.information_set)
        spawned = self._spawn(node) if depth < self._config.spawn_depth else None
        known = 0 if spawned is None else sum(spawned.root.choices.visits)
        always = self._spawning == "always"
        if spawned is None or (not always and known == node.asked == 0):
            action = draw(self._rng, policy)
            choices, prior_visits = Choices.none_of(len(policy)), 1.0
        else:
            if always or known <= node.asked:
                action = self.simulate(spawned, depth + 1)
            else:
                action, _ = choose(spawned.root, self._config, self._value_scale, self._rng)
            choices, prior_visits = spawned.root.choices, self._config.opponent_prior_visits
        self._visit(tree, self._child(tree, node, action), depth)
        node.asked += 1
        values = event_values(node.children, node.expected)
        node.q = act_value(
            children_in_original_tree=values,
            choices_in_spawned_tree=choices,
            prior=policy,
            prior_visits=prior_visits,
            radius=self._opponent_radius(node, values),
        )

    def _opponent_radius(self, node: OpponentNode, values: Sequence[Interval | None]) -> float:
        """How far the opponent's policy may be off: as far as beliefs, where that is asked for.

        A single value cannot be dispersed, and what the mover has seen need not be found out then.
        """
        mode = self._config.opponent_dispersion
        if self._config.radius == 0.0 or sum(v is not None for v in values) <= 1:
            return 0.0
        if mode == "always" or (mode == "unseen" and self._graph.unseen(node.world, node.player)):
            return self._config.radius
        return 0.0

    def _spawn(self, node: OpponentNode) -> Tree:
        """The tree of the player who moves, rooted at what it knows."""
        mover = self._graph.information_sets.player[node.information_set]
        if self._config.trees != "by_node":
            return self._forest.tree(node.information_set, mover)
        if node.spawned is None:
            node.spawned = new_tree(node.information_set, mover)
        return node.spawned

    def _child(self, tree: Tree, node: ChanceNode | OpponentNode, edge: int) -> Node:
        child = node.children[edge]
        if child is None:
            world = self._graph.child(node.world, edge)
            child = node.children[edge] = self._world_node(tree, world, node.player)
        return child

    def _after_action(self, tree: Tree, node: ActNode, action: int) -> Node:
        """What follows an own action: a SAMPLE chain unless nothing that matters is hidden."""
        following = self._graph.own_next(node.information_set, action)
        if following != MISSING:
            self._arrival = MISSING
            return tree.act_node(following, node.player)
        if self._pooled(node.information_set):
            assert node.row is not None
            value = node.row.child_values[action]
            return PoolNode(node.information_set, action, node.player, value)
        target = self._graph.hidden(node.information_set)
        return self._target_node(tree, target, action, node.player)

    def _below_branch(self, tree: Tree, node: SampleNode, branch: int) -> Node | None:
        """What is below a piece; None if it, or one drawn before it, turns out to be dead."""
        target = self._graph.branch(node.sample, branch)
        if target == DEAD:
            return None
        return self._target_node(tree, target, node.action, node.player)

    def _target_node(self, tree: Tree, target: int, action: int, player: int) -> Node:
        """The next SAMPLE node of a chain, or the world after `action` once it is complete."""
        if target >= 0:
            return self._world_node(tree, self._graph.child(target, action), player)
        row = self._models.sample(~target)
        count, targets = len(row.beliefs), self._graph.samples.target
        first = self._graph.samples.first_branch[~target]
        return SampleNode(
            ~target, action, player, row.beliefs, lambda: targets[first : first + count],
            row.child_values[action], [0] * count, [None] * count,
            pieces_alike=self._models.compiled_beliefs,
        )  # fmt: skip

    def _world_node(self, tree: Tree, world: int, player: int) -> Node:
        """A full history, seen by `player`."""
        worlds = self._graph.worlds
        kind, count = worlds.kind[world], worlds.edge_count[world]
        if kind == TERMINAL:
            row = worlds.utility_row[world] * self._graph.game.num_players
            return TerminalNode(point(worlds.utilities[row + player]))
        if kind == CHANCE:
            first = worlds.first_edge[world]
            probabilities = worlds.edge_probability[first : first + count]
            expected = self._expected(world, player)
            return ChanceNode(world, player, probabilities, expected, [None] * count)
        mover = worlds.player[world]
        information_set = worlds.information_set[world]
        self._arrival = world
        if mover == player:
            return tree.act_node(information_set, player)
        utility_sum = self._graph.game.utility_sum
        if self._graph.game.one_tree and utility_sum is not None:
            return MirrorNode(tree.act_node(information_set, mover), utility_sum)
        expected = self._expected(world, player)
        return OpponentNode(world, player, information_set, expected, [None] * count)

    def _expected(self, world: int, player: int) -> list[Interval | None]:
        """What the models say of each event at a world, for as long as it was not simulated."""
        count = self._graph.worlds.edge_count[world]
        if self._config.unvisited_events == "left_out" or self._models.world_values is None:
            return [None] * count
        first = self._graph.worlds.first_edge[world]
        children = self._graph.worlds.edge_child[first : first + count]
        return [point(value) for value in self._models.world_values[children, player].tolist()]
