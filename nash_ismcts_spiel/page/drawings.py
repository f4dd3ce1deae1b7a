"""Cards, dice and bids in text, drawn from what a game shows to one player.

A drawing reads the player's own strings (`Sight`) and nothing else, so it cannot show more than the
player may know. A game without a drawing, or whose strings are not as expected, is shown as the
game writes it. Boards are in `boards.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from nash_ismcts_spiel.games.hand import CHANCE_MOVES, Sight
from nash_ismcts_spiel.page import boards

Draw = Callable[[str, Sight], list[str]]
"""(the game with its parameters, what a player is shown) -> lines of text."""

_RANKS = "JQK"
_SUITS = "♠♥"
_DICE = "⚀⚁⚂⚃⚄⚅"


def draw(game: str, sight: Sight) -> list[str]:
    """Lines of text for what a player is shown.

    Args:
      game: the game as pyspiel writes it, with its parameters.
      sight: what the player is shown.
    """
    for name in re.findall(r"\w+", game):
        if name in _DRAWINGS:
            try:
                return _DRAWINGS[name](game, sight)
            except (ValueError, IndexError, KeyError):
                break  # another version of the game writes its strings in another way
    return sight.text.splitlines()


def event_name(game: str, mover: int, action: int, name: str) -> str:
    """What an event is called: chance outcomes by the card or die where that is known, and moves of
    players with who makes them.

    Args:
      game: the game as pyspiel writes it.
      mover: who moves; CHANCE_MOVES for chance.
      action: the number of the move or outcome.
      name: as the game calls it.
    """
    if mover != CHANCE_MOVES:
        return (
            name if re.match(rf"\[?(P|p|Pl|[Pp]layer[ =:]*){mover}", name) else f"P{mover} {name}"
        )
    words = re.findall(r"\w+", game)
    if "kuhn_poker" in words:
        return _rank(action, _RANKS)
    if "leduc_poker" in words:
        return _leduc_card(game, action)
    if "liars_dice" in words:
        return f"{_die(action + 1)} ({action + 1})"
    if "goofspiel" in words:
        return f"card {action + 1}"
    return name


def cards(names: list[str]) -> list[str]:
    """Cards side by side; an empty name is a card face down."""
    width = max([3, *(len(name) + 2 for name in names)])
    tops, faces, ends = [], [], []
    for name in names:
        tops.append("┌" + "─" * width + "┐")
        faces.append("│" + (name.center(width) if name else "░" * width) + "│")
        ends.append("└" + "─" * width + "┘")
    return [" ".join(row) for row in (tops, faces, ends)] if names else []


def _kuhn(game: str, sight: Sight) -> list[str]:
    del game
    found = re.fullmatch(r"(\d*)([pb]*)", sight.information.split("\n")[0])
    if found is None:
        raise ValueError(sight.information)
    card, moves = found.groups()
    lines = cards([_rank(int(card), _RANKS) if card else ""])
    words = {"p": "pass", "b": "bet"}
    lines.append(f"moves so far: {', '.join(words[move] for move in moves) or 'none'}")
    paid = sight.observation[len(card) :]
    if paid.isdigit():
        lines.append(f"in the pot: {' and '.join(paid)}")
    return lines


def _leduc(game: str, sight: Sight) -> list[str]:
    fields = dict(re.findall(r"\[(\w+):? ?([^\]]*)\]", sight.information))

    def named(card: str) -> str:
        return _leduc_card(game, int(card)) if card.isdigit() else ""

    words = ("fold", "call", "raise")
    bets = [
        [words[int(move)] for move in fields[f"Round{number}"].split()] for number in range(1, 3)
    ]
    public = named(fields.get("Public", ""))
    lines = [
        "in hand" + ("  on the table" if public else ""),
        *cards([named(fields["Private"]), *([public] if public else [])]),
        f"first round: {', '.join(bets[0]) or 'no bets yet'}",
    ]
    if public or bets[1]:
        lines.append(f"second round: {', '.join(bets[1]) or 'no bets yet'}")
    return [*lines, f"pot {fields['Pot']}, money {', '.join(fields['Money'].split())}"]


def _leduc_card(game: str, card: int) -> str:
    if "suit_isomorphism=True" in game:
        return _rank(card, _RANKS)
    return _rank(card // 2, _RANKS) + _SUITS[card % 2]


def _liars_dice(game: str, sight: Sight) -> list[str]:
    found = re.search(r"dice_sides=(\d+)", game)
    sides = int(found[1]) if found else 6
    rolled, *bids = sight.information.split("\n")[0].split()
    dice = [int(die) for die in rolled]
    faces = "  ".join(f"{_die(die)} ({die})" for die in dice)
    lines = [f"your dice: {faces}", f"face {sides} counts as any face"]
    said = ", ".join(_bid(bid) for bid in bids)
    return [*lines, f"bids so far: {said or 'none'}"]


def _bid(bid: str) -> str:
    quantity, dash, face = bid.partition("-")
    return f"{quantity} × {face}" if dash else bid


def _goofspiel(game: str, sight: Sight) -> list[str]:
    del game
    fields = dict(re.findall(r"^([^:\n]+): ?(.*?) *$", sight.information, re.MULTILINE))
    own = f"P{sight.player}"
    turned = fields["Point card sequence"].split()
    played = len(fields["Win sequence"].split())
    now = turned[played:]
    lines = [f"to be won: {now[0] if now else 'nothing more'}", "your hand"]
    lines += cards(fields[f"{own} hand"].split()) or ["  empty"]
    others = sorted(n for n in fields if n.endswith(" hand") and n != f"{own} hand")
    lines += [f"{name}: {fields[name] or 'empty'}" for name in others]
    won = [_winner(each) for each in fields["Win sequence"].split()]
    for card, winner in zip(turned, won, strict=False):
        lines.append(f"  card {card}: {winner}")
    points = fields["Points"].split()
    return [*lines, "points: " + ", ".join(f"P{n} {each}" for n, each in enumerate(points))]


def _winner(number: str) -> str:
    return f"won by P{number}" if int(number) >= 0 else "won by nobody"


def _rank(number: int, ranks: str) -> str:
    """A rank in words where there are three of them, else by its number."""
    return ranks[number] if number < len(ranks) else str(number)


def _die(face: int) -> str:
    return _DICE[face - 1] if 1 <= face <= len(_DICE) else str(face)


_DRAWINGS: Mapping[str, Draw] = {
    "kuhn_poker": _kuhn,
    "leduc_poker": _leduc,
    "liars_dice": _liars_dice,
    "goofspiel": _goofspiel,
    "tic_tac_toe": boards.squares,
    "phantom_ttt": boards.squares,
    "phantom_ttt_ir": boards.squares,
    "hex": boards.hexagons,
    "dark_hex": boards.hexagons,
    "dark_hex_ir": boards.hexagons,
    "phantom_go": boards.go,
    "chess": boards.chess,
    "dark_chess": boards.chess,
    "kriegspiel": boards.chess,
    "rbc": boards.chess,
}
