"""The drawing of three trees of one search: the owner's, the opponent's, and hers within his.

Reads nodes of the reference engine. Each box is one tree; what its owner cannot know stands in its
head line. Utilities are those of the box's owner.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.patches import FancyBboxPatch

from benchmarks.algorithm_figures.cases import Case
from benchmarks.algorithm_figures.charts import BLUE, GREEN, VERMILION, WIDTH, new_figure, save
from nash_ismcts_spiel.games.names import action_names
from nash_ismcts_spiel.page.inspection import pieces_of
from nash_ismcts_spiel.search.act_node import ActNode
from nash_ismcts_spiel.search.interval import Interval
from nash_ismcts_spiel.search.sample_node import SampleNode
from nash_ismcts_spiel.search.trees import Forest, OpponentNode

_CARDS = "JQK"
_HEIGHT = 6.3


def trees(path: Path, case: Case, forest: Forest, simulations: int, visits: int) -> None:
    """Draws the way: Alice passes and imagines a queen; Bob bets and imagines a king; she answers.

    Args:
      path: where to.
      case: Alice's position in Kuhn poker, in which she holds the jack.
      forest: the trees that a search of it has grown.
      simulations: in all trees.
      visits: of the root.
    """
    alice = forest.tree(case.root, 0)
    after_pass = _sample(alice.root, 0)
    bob_moves = _opponent(after_pass, _branch(case, after_pass, "Q"))
    bob = forest.tree(bob_moves.information_set, 1)
    after_bet = _sample(bob.root, 1)
    alice_moves = _opponent(after_bet, _branch(case, after_bet, "K"))
    imagined = forest.tree(alice_moves.information_set, 0)
    figure = new_figure(_HEIGHT, None)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0, WIDTH), ylim=(0, _HEIGHT))
    axes.axis("off")
    title = f"One search of Kuhn poker: {visits:,} visits, {len(forest)} trees"
    axes.text(0.12, 6.12, f"{title},\n{simulations:,} simulations", va="top", fontsize=11)
    _box(axes, 3.97, BLUE, "Alice's tree", "knows: her jack", _lines(case, alice.root, after_pass))
    _arrow(axes, 3.97, "her imagined world: Bob has Q, she passed", "only Bob's action")
    head = "knows: his queen, Alice passed; not her jack"
    _box(axes, 1.92, VERMILION, "Bob's tree", head, _lines(case, bob.root, after_bet))
    _arrow(axes, 1.92, "his imagined world: Alice has K, he bet", "only her action")
    head = "knows: K, she passed, Bob bet"
    lines = _lines(case, imagined.root, None)
    _box(axes, 0.3, GREEN, "tree of an Alice with a king", head, lines, 1.19)
    save(figure, path)


def _lines(case: Case, node: ActNode, sample: SampleNode | None) -> list[str]:
    """An ACT node, an action per line, and the SAMPLE node after one of them."""
    names = action_names(case.graph, node.information_set)
    found = [
        f"ACT {name.lower():<5}P {node.mixing_prior[k]:.2f}  N {node.choices.visits[k]:>4}"
        f"  Q {_text(node.child_value(k))}"
        for k, name in enumerate(names)
    ]
    if sample is None:
        return found
    cards = [_CARDS[piece] for piece in pieces_of(case.graph, sample.sample)]
    for k, card in enumerate(cards):
        child = Interval(sample.lows()[k], sample.highs()[k])
        head = f"SAMPLE after {names[sample.action].lower()}:" if k == 0 else ""
        found.append(f"{head:<19}{card} h {sample.beliefs[k]:.2f} Q {_text(child)}")
    return found


def _text(value: Interval) -> str:
    return f"[{value.low:.2f}, {value.high:.2f}]".replace("-", "\N{MINUS SIGN}")


def _sample(node: ActNode, action: int) -> SampleNode:
    child = node.children[action]
    assert isinstance(child, SampleNode)
    return child


def _branch(case: Case, node: SampleNode, card: str) -> int:
    return pieces_of(case.graph, node.sample).index(_CARDS.index(card))


def _opponent(node: SampleNode, branch: int) -> OpponentNode:
    child = node.children[branch]
    assert isinstance(child, OpponentNode)
    return child


def _box(
    axes: Any, bottom: float, colour: str, title: str, head: str, lines: list[str],
    height: float = 1.6,
) -> None:  # fmt: skip
    shape = FancyBboxPatch(
        (0.12, bottom), WIDTH - 0.24, height, boxstyle="round,pad=0,rounding_size=0.08",
        edgecolor=colour, facecolor="white", linewidth=2.2,
    )  # fmt: skip
    axes.add_patch(shape)
    top = bottom + height
    axes.text(0.24, top - 0.07, title, va="top", color=colour, fontweight="bold", fontsize=11)
    axes.text(0.24, top - 0.31, head, va="top", fontsize=10)
    for number, line in enumerate(lines):
        place = top - 0.6 - 0.235 * number
        axes.text(0.24, place, line, va="top", fontsize=9.5, family="monospace")


def _arrow(axes: Any, bottom: float, down: str, up: str) -> None:
    """From the lower edge of a box to the next one, and back."""
    style = {"arrowstyle": "-|>", "lw": 1.6, "color": "black"}
    axes.annotate("", (0.5, bottom - 0.45), (0.5, bottom), arrowprops=style)
    axes.text(0.6, bottom - 0.22, down, va="center", fontsize=9.5)
    axes.annotate("", (WIDTH - 0.3, bottom), (WIDTH - 0.3, bottom - 0.45), arrowprops=style)
    axes.text(WIDTH - 0.4, bottom - 0.22, up, va="center", ha="right", fontsize=9.5)
