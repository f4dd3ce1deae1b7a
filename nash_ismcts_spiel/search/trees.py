"""Trees: each belongs to one player and is rooted at what that player knows.

Below an ACT node and its SAMPLE chain stand world nodes, each a full history as the tree's owner
imagines it. A forest holds all trees of a search. With `trees="by_information_set"` trees that
share their root information set are one tree; with `"by_node"` each opponent node has its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from nash_ismcts_spiel.search.act_node import ActNode
from nash_ismcts_spiel.search.interval import Interval, mirrored
from nash_ismcts_spiel.search.sample_node import PoolNode, SampleNode


@dataclasses.dataclass(slots=True)
class TerminalNode:
    """The end of the game.

    Attributes:
      q: the utility of the tree's owner.
    """

    q: Interval


@dataclasses.dataclass(slots=True)
class ChanceNode:
    """A chance event after which the owner does not know more than the game's probabilities.

    Attributes:
      world: the history before the event.
      player: whose tree it is.
      probabilities: of the outcomes, the game's own. [outcomes]
      expected: what the models say of each outcome; None if they do not value it. [outcomes]
      children: what follows each outcome; None where it was never drawn. [outcomes]
      q: the expectation over the outcomes that have a value, which is never dispersed.
    """

    world: int
    player: int
    probabilities: Sequence[float]
    expected: Sequence[Interval | None]
    children: list[Node | None]
    q: Interval = Interval(0.0, 0.0)

    def back_up(self) -> None:
        """Updates Q(n) by the exact probabilities of the outcomes that have a value."""
        low = high = total = 0.0
        values = event_values(self.children, self.expected)
        for probability, value in zip(self.probabilities, values, strict=True):
            if value is not None:
                low += probability * value.low
                high += probability * value.high
                total += probability
        self.q = Interval(low / total, high / total)


@dataclasses.dataclass(slots=True)
class OpponentNode:
    """Another player is to move; what it does is found in a tree of its own.

    Attributes:
      world: the history, as the tree's owner imagines it.
      player: whose tree it is (not who moves).
      information_set: of the player who moves.
      expected: what the models say of each of its actions; None if they do not value it. [actions]
      children: what follows each of its actions; None where it was never seen. [actions]
      q: value for the tree's owner.
      spawned: the mover's tree, with `trees="by_node"` only.
      asked: how often its mover was asked for an action.
    """

    world: int
    player: int
    information_set: int
    expected: Sequence[Interval | None]
    children: list[Node | None]
    q: Interval = Interval(0.0, 0.0)
    spawned: Tree | None = None
    asked: int = 0


@dataclasses.dataclass(slots=True)
class MirrorNode:
    """The other player's ACT node where nothing is hidden and utilities have a fixed sum.

    A tree of the mover's own would be the very same tree, so it is not spawned.

    Attributes:
      act: the mover's decision, from the mover's point of view.
      utility_sum: what both players' utilities add up to.
      q: value for the player above.
    """

    act: ActNode
    utility_sum: float
    q: Interval = Interval(0.0, 0.0)

    def back_up(self) -> None:
        """Turns the mover's value into the value of the player above."""
        self.q = mirrored(self.act.q, self.utility_sum)


Node = ActNode | SampleNode | PoolNode | TerminalNode | ChanceNode | OpponentNode | MirrorNode


def event_values(
    children: Sequence[Node | None], expected: Sequence[Interval | None]
) -> list[Interval | None]:
    """What each event at a world is worth: what the tree found, or else what the models say."""
    return [
        value if child is None else child.q for child, value in zip(children, expected, strict=True)
    ]


@dataclasses.dataclass(slots=True)
class Tree:
    """All that one player thinks of, from one information set on.

    Attributes:
      root: its ACT node there.
      act_nodes: the tree's ACT nodes by information set; the owner forgets the imagined world
        when it acts again, so each information set is one node however it was reached.
    """

    root: ActNode
    act_nodes: dict[int, ActNode]

    def act_node(self, information_set: int, player: int) -> ActNode:
        """The ACT node of an information set, new if the tree has not been there."""
        node = self.act_nodes.get(information_set)
        if node is None:
            node = self.act_nodes[information_set] = ActNode(information_set, player)
        return node


def new_tree(information_set: int, player: int) -> Tree:
    """A tree with nothing but its root."""
    root = ActNode(information_set, player)
    return Tree(root, {information_set: root})


class Forest:
    """The trees of a search, by root information set."""

    def __init__(self) -> None:
        """Starts with no trees."""
        self._trees: dict[int, Tree] = {}

    def __len__(self) -> int:
        """Number of trees that are found by their root information set."""
        return len(self._trees)

    def tree(self, information_set: int, player: int) -> Tree:
        """The tree rooted at an information set, new if there is none."""
        tree = self._trees.get(information_set)
        if tree is None:
            tree = self._trees[information_set] = new_tree(information_set, player)
        return tree

    def keep(self, information_set: int, earlier_root: int) -> None:
        """Forgets all that a search from `information_set` cannot use.

        Its tree is the one that was spawned for it, or the part of the earlier root's tree below
        it, whichever has been visited more: both estimate the same things.
        """
        candidates = [self._trees.get(information_set), self._below(earlier_root, information_set)]
        found = [tree for tree in candidates if tree is not None]
        kept: dict[int, Tree] = {}
        if found:
            kept[information_set] = max(found, key=lambda tree: sum(tree.root.choices.visits))
        pending = list(kept.values())
        while pending:
            for node in _nodes_below(pending.pop().root):
                if not isinstance(node, OpponentNode) or node.information_set in kept:
                    continue
                if node.information_set in self._trees:
                    tree = kept[node.information_set] = self._trees[node.information_set]
                    pending.append(tree)
        self._trees = kept

    def pooled_sets(self) -> list[int]:
        """The information sets whose pools its nodes draw from."""
        return [
            node.information_set
            for tree in self._trees.values()
            for node in _nodes_below(tree.root)
            if isinstance(node, PoolNode)
        ]

    def _below(self, earlier_root: int, information_set: int) -> Tree | None:
        earlier = self._trees.get(earlier_root)
        if earlier is None or information_set not in earlier.act_nodes:
            return None
        root = earlier.act_nodes[information_set]
        below = [node for node in _nodes_below(root) if isinstance(node, ActNode)]
        return Tree(root, {node.information_set: node for node in below})


def _nodes_below(root: ActNode) -> Iterator[Node]:
    """All nodes of a tree from `root` on, each ACT node once."""
    seen: set[int] = set()
    pending: list[Node] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, ActNode):
            if node.information_set in seen:
                continue
            seen.add(node.information_set)
        yield node
        if isinstance(node, MirrorNode):
            pending.append(node.act)
        elif not isinstance(node, TerminalNode):
            pending.extend(child for child in node.children if child is not None)
