"""Cards, dice, bids and boards in text, drawn from what a game shows to one player.

A drawing reads the player's own strings (`Sight`) and nothing else, so it cannot show more than the
player may know. A game without a drawing, or whose strings are not as expected, is shown as the
game writes it. In the phantom and dark games a point that a player does not know of looks empty to
it; in dark chess a square that it does not see is shaded.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping

from nash_ismcts_spiel.games.hand import CHANCE_MOVES, Sight

_STONES = {"+": "·", "X": "●", "O": "○"}
_HEX = {".": "·", **dict.fromkeys("xyzX", "x"), **dict.fromkeys("opqO", "o")}
"""Hex has letters of its own for stones that are joined to a side."""

_PIECES = dict(zip("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟", strict=True))
_UNSEEN = "▒"


def squares(game: str, sight: Sight) -> list[str]:
    """Noughts and crosses: rows and columns are numbered as in the names of moves."""
    rows = _rows(sight.observation)
    lines = ["    " + "   ".join(str(column) for column in range(len(rows[0])))]
    between = "  ├" + "┼".join(["───"] * len(rows[0])) + "┤"
    lines.append("  ┌" + "┬".join(["───"] * len(rows[0])) + "┐")
    for number, row in enumerate(rows):
        if number:
            lines.append(between)
        lines.append(f"{number} │" + "│".join(f" {_blank(cell)} " for cell in row) + "│")
    lines.append("  └" + "┴".join(["───"] * len(rows[0])) + "┘")
    return [*lines, *_hidden(game)]


def hexagons(game: str, sight: Sight) -> list[str]:
    """Hex: x joins top and bottom, o joins left and right; points are named as in c2."""
    rows = _rows(sight.observation)
    lines = ["   " + " ".join(string.ascii_lowercase[: len(rows[0])])]
    for number, row in enumerate(rows):
        points = " ".join(_HEX[cell] for cell in row)
        lines.append(" " * number + f"{number + 1:>2} {points}")
    lines.append(f"you are {'xo'[sight.player]}: join {_SIDES[sight.player]}")
    return [*lines, *_hidden(game)]


_SIDES = ("top and bottom", "left and right")


def go(game: str, sight: Sight) -> list[str]:
    """Go: black ● moves first; points are named as in c2."""
    lines, said = [], []
    for line in sight.observation.splitlines():
        if found := re.fullmatch(r"( *\d+) ([+XO]+)", line):
            lines.append(f"{found[1]} " + " ".join(_STONES[cell] for cell in found[2]))
        elif re.fullmatch(r" +[A-Z]+", line):
            lines.append("   " + " ".join(line.strip().lower()))
        elif line.strip():
            said.append(line)
    if not lines:
        raise ValueError(sight.observation)
    return [*lines, f"you are {'●○'[sight.player]}", *said, *_hidden(game)]


def chess(game: str, sight: Sight) -> list[str]:
    """Chess: a board in Forsyth-Edwards notation, white at the bottom."""
    text, *below = sight.observation.split("\n")
    *ranks, last = text.split("/")
    sensed = "rbc" in game
    rows = [_squares(rank, sensed)[0] for rank in ranks]
    if not rows or len({len(row) for row in rows}) != 1:
        raise ValueError(sight.observation)
    row, rest = _squares(last, sensed, len(rows[0]))
    rows.append(row)
    files = "  " + " ".join(string.ascii_lowercase[: len(rows[0])])
    lines = [files]
    for number, row in zip(range(len(rows), 0, -1), rows, strict=True):
        lines.append(f"{number} " + " ".join(row) + f" {number}")
    lines.append(files)
    # pyspiel numbers players by colours, black first.
    lines.append(f"you are {('black', 'white')[sight.player]}")
    said = [line.strip() for line in (rest, *below) if line.strip()]
    shaded = [f"{_UNSEEN} is not seen"] if any(_UNSEEN in row for row in rows) else _hidden(game)
    return [*lines, *said, *shaded]


def _squares(rank: str, sensed: bool, width: int | None = None) -> tuple[list[str], str]:
    """The squares of a rank, `width` of them or all, and the text behind them. A number stands for
    so many empty squares and a question mark for one that is not seen; where squares are `sensed`,
    a number for those that are not, and a blank for one that was found empty.
    """
    found: list[str] = []
    many = _UNSEEN if sensed else "·"
    for match in re.finditer(r"\d+|.", rank):
        if len(found) == width:
            return found, rank[match.start() :]
        part = match[0]
        if part.isdigit():
            found += [many] * int(part)
        else:
            found.append({"?": _UNSEEN, " ": "·", **_PIECES}[part])
    return found, ""


def _rows(text: str) -> list[str]:
    """The rows of a board, which the string begins with."""
    rows: list[str] = []
    for line in text.splitlines():
        cells = line.replace(" ", "")
        if not re.fullmatch(r"[.a-zA-Z]+", cells) or (rows and len(cells) != len(rows[0])):
            break
        rows.append(cells)
    if not rows:
        raise ValueError(text)
    return rows


def _blank(cell: str) -> str:
    return " " if cell == "." else cell


def _hidden(game: str) -> list[str]:
    dark = re.search(r"phantom|dark|kriegspiel|rbc", game)
    return ["an empty point may hold a hidden piece"] if dark else []


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
    "tic_tac_toe": squares,
    "phantom_ttt": squares,
    "phantom_ttt_ir": squares,
    "hex": hexagons,
    "dark_hex": hexagons,
    "dark_hex_ir": hexagons,
    "phantom_go": go,
    "chess": chess,
    "dark_chess": chess,
    "kriegspiel": chess,
    "rbc": chess,
}
