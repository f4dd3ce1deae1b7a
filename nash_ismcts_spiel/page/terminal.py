"""A table in the terminal: lines are read from standard input, drawings and questions printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nash_ismcts_spiel.page.table import Table

_BAR = 20
"""Characters of a full bar."""

_MANY = 40
"""Moves beyond which names stand side by side."""


class Terminal:
    """Plays hands with a person who types."""

    def __init__(
        self,
        table: Table,
        read: Callable[[str], str] = input,
        write: Callable[[str], object] = print,
    ) -> None:
        """Takes a table, and how lines are read and written."""
        self._table = table
        self._read = read
        self._write = write

    def run(self, hands: int | None = None) -> None:
        """Plays until the person ends it, or so many hands are over."""
        try:
            while self._one_hand():
                self._write(self._table.score.words())
                if hands is not None and self._table.number >= hands:
                    return
                if not self._between_hands():
                    break
                self._table.deal()
        except EOFError:
            self._write("")
        self._write(self._table.score.words())

    def _one_hand(self) -> bool:
        """Plays a hand to its end; False if the person ends it before."""
        table = self._table
        self._write(f"\nhand {table.number} of {table.game.name}, you are player {table.seat}")
        while not table.over:
            view = table.view()
            self._show(view["drawing"])
            self._show(_listed(view["moves"]))
            word = self._read("your move (u: undo, q: quit)> ").strip()
            if word == "q":
                return False
            self._take(word, view["moves"])
        view = table.view()
        self._show(view["drawing"])
        counts = " (not counted: a move was taken back)" if view["taken_back"] else ""
        self._write(f"the hand is over, you won {view['won']:+g}{counts}")
        return True

    def _take(self, word: str, moves: list[list[Any]]) -> None:
        """One line of the person's while it is to move."""
        try:
            if word == "u":
                self._table.undo()
            else:
                self._table.move(moves[_chosen(word, [str(name) for _, name in moves])][0])
        except ValueError as error:
            self._write(str(error))

    def _between_hands(self) -> bool:
        """Asks what next; False to end."""
        while True:
            word = self._read("enter: next hand, w: what the bot thought, u: undo, q: quit> ")
            match word.strip():
                case "":
                    return True
                case "q":
                    return False
                case "w":
                    self._afterwards()
                case "u":
                    if not self._table.can_undo:
                        self._write("there is no move of yours to take back")
                        continue
                    self._table.undo()
                    if not self._one_hand():
                        return False
                    self._write(self._table.score.words())
                case other:
                    self._write(f"{other!r} is none of these")

    def _afterwards(self) -> None:
        told = self._table.afterwards()
        self._write(f"what happened: {', '.join(told['events'])}")
        for decision in told["decisions"]:
            self._write(f"\nplayer {decision['seat']} saw")
            self._show(decision["drawing"])
            self._write(f"its mix, from which it drew {decision['chose']}:")
            self._show([_bar(name, share) for name, share in decision["mix"]])
            rows = decision["beliefs"]["rows"]
            if rows:
                self._write("its beliefs of what was hidden (H, and exact Bayes where known):")
                self._show([_belief(row) for row in rows])

    def _show(self, lines: list[str]) -> None:
        for line in lines:
            self._write(f"  {line}")


def _listed(moves: list[list[Any]]) -> list[str]:
    """Moves with the numbers by which they are chosen; many of them side by side."""
    entries = [f"{number:>3}  {name}" for number, (_, name) in enumerate(moves, 1)]
    if len(entries) <= _MANY:
        return entries
    width = max(map(len, entries)) + 2
    columns = max(1, 100 // width)
    rows = [entries[first : first + columns] for first in range(0, len(entries), columns)]
    return ["".join(entry.ljust(width) for entry in row).rstrip() for row in rows]


def _chosen(word: str, names: list[str]) -> int:
    """Which move is meant: by its number in the list, its name, or a beginning of it.

    Raises:
      ValueError: none or several are.
    """
    if word.isdecimal() and 1 <= int(word) <= len(names):
        return int(word) - 1
    folded = word.casefold()
    exact = [index for index, name in enumerate(names) if name.casefold() == folded]
    begun = [index for index, name in enumerate(names) if name.casefold().startswith(folded)]
    found = exact or (begun if folded else [])
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(f"{word!r} may be {' or '.join(names[index] for index in found)}")
    raise ValueError(f"{word!r} is no move; type a number from 1 to {len(names)} or a name")


def _bar(name: str, share: float) -> str:
    return f"{share:6.1%} {'█' * round(share * _BAR):<{_BAR}} {name}"


def _belief(row: dict[str, Any]) -> str:
    exact = "" if row["bayes"] is None else f" {row['bayes']:6.1%}"
    return f"{row['h']:6.1%}{exact}  {row['name']}"
