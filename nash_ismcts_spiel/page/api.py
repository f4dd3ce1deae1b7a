"""What the page may ask: questions and answers as plain data, one at a time.

Questions come from a browser, so every number is checked before it is used; what is wrong is a
ValueError with words for the person. The inspecting side knows positions that the person sets up;
the playing side keeps its true state to itself until a hand is over.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

from nash_ismcts_spiel.games.hand import Hand
from nash_ismcts_spiel.page.inspection import Asked, Inspection, Step, StepKind
from nash_ismcts_spiel.page.table import Table
from nash_ismcts_spiel.page.views import position_view, search_view, sweep_view

Json = dict[str, Any]
Tab = Literal["inspect", "play"]

MOST_VISITS = 20_000
"""Of a search on the page."""

_MOST_RADIUS = 2.0
_MOST_EVENTS = 20_000
_MOST_STEPS = 1_000
_MOST_SEED = 2**31


@dataclasses.dataclass(frozen=True, slots=True)
class Start:
    """How the page opens.

    Attributes:
      tab: what is shown first.
      bot: the name of the settings.
      models: where the models come from, in words.
      history: the position that is inspected.
      visits: of its search.
      radius: of its search; None for the default.
      seed: of its search.
    """

    tab: Tab = "inspect"
    bot: str = "nash_ismcts"
    models: str = "random rollouts"
    history: tuple[int, ...] = ()
    visits: int = 1000
    radius: float | None = None
    seed: int = 0


class Application:
    """Answers the page's questions."""

    def __init__(
        self, inspection: Inspection, make_table: Callable[[], Table], start: Start
    ) -> None:
        """Takes what is inspected, and what sets up a table on first use.

        Raises:
          ValueError: the first position is not legal.
        """
        Hand(inspection.game, start.history)
        self._inspection = inspection
        self._make_table = make_table
        self._table: Table | None = None
        self._start = start
        self._answers: Mapping[str, Callable[[Json], Json]] = {
            "setup": self._setup,
            "inspect": self._inspect,
            "sweep": self._sweep,
            "table": lambda _: self._at_table().view(),
            "deal": lambda _: self._after(Table.deal),
            "move": lambda given: self._after(
                lambda table: table.move(_integer(given, "action", 0, 2**62))
            ),
            "undo": lambda _: self._after(Table.undo),
            "afterwards": lambda _: self._at_table().afterwards(),
        }

    def answer(self, question: str, given: Any) -> Json:
        """The answer to a question.

        Raises:
          LookupError: there is no such question.
          ValueError: what is given with it is wrong; the message is for the person.
        """
        if question not in self._answers:
            raise LookupError(f"the page has no question {question!r}")
        if not isinstance(given, dict):
            raise ValueError("a question comes with a JSON object")
        with self._inspection.lock:
            return self._answers[question](given)

    def _setup(self, given: Json) -> Json:
        del given
        start, inspection = self._start, self._inspection
        return {
            **dataclasses.asdict(start),
            "game": inspection.game.name,
            "players": inspection.game.num_players,
            "bayes": inspection.bayes is not None,
            "most_visits": MOST_VISITS,
            "radius": inspection.default_radius if start.radius is None else start.radius,
        }

    def _inspect(self, given: Json) -> Json:
        self._inspection.bound_memory()
        hand = self._hand(given)
        steps = _steps(given.get("steps", []))
        searched = None
        if not hand.over and not hand.is_chance:
            searched = search_view(self._inspection, hand, _asked(given), steps)
        return {"position": position_view(hand), "search": searched}

    def _sweep(self, given: Json) -> Json:
        self._inspection.bound_memory()
        hand = self._hand(given)
        if hand.over or hand.is_chance:
            raise ValueError("nobody is to move in this position")
        return sweep_view(self._inspection, hand, _asked(given))

    def _hand(self, given: Json) -> Hand:
        history = given.get("history", [])
        if not isinstance(history, list) or len(history) > _MOST_EVENTS:
            raise ValueError(f"history must be a list of at most {_MOST_EVENTS} numbers")
        events = [_integer({"event": event}, "event", 0, 2**62) for event in history]
        return Hand(self._inspection.game, events)

    def _at_table(self) -> Table:
        if self._table is None:
            self._table = self._make_table()
        return self._table

    def _after(self, change: Callable[[Table], None]) -> Json:
        table = self._at_table()
        change(table)
        return table.view()


def _asked(given: Json) -> Asked:
    radius: Any = given.get("radius")
    number = isinstance(radius, int | float) and not isinstance(radius, bool)
    if not number or not 0.0 <= radius <= _MOST_RADIUS:  # not a number is in no order
        raise ValueError(f"radius must be a number from 0 to {_MOST_RADIUS:g}, not {radius!r}")
    return Asked(
        visits=_integer(given, "visits", 1, MOST_VISITS),
        radius=float(radius),
        seed=_integer(given, "seed", 0, _MOST_SEED),
    )


def _steps(given: Any) -> list[Step]:
    if not isinstance(given, list) or len(given) > _MOST_STEPS:
        raise ValueError(f"steps must be a list of at most {_MOST_STEPS} steps")
    found = []
    for each in given:
        if not isinstance(each, list) or len(each) != 2 or each[0] not in get_args(StepKind):
            raise ValueError(f"a step is [{' | '.join(get_args(StepKind))}, number], not {each!r}")
        found.append(Step(each[0], _integer({"number": each[1]}, "number", 0, 2**62)))
    return found


def _integer(given: Json, name: str, least: int, most: int) -> int:
    value = given.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"{name} must be a whole number from {least} to {most}, not {value!r}")
    return value
