"""A person against bots, hand after hand: whose move it is, what the person sees, and the score.

The person is shown what the game shows to its seat. What a bot thought (its mix, its beliefs, the
hidden events) is told when the hand is over, and not before. A move may be taken back: the same
deal and the same answers of the bots come again where the same moves are made, and the hand no
longer counts. The score is the person's mean utility per hand, in the game's units, with a 95%
confidence interval (normal approximation).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from nash_ismcts_spiel.games import SupportedGame
from nash_ismcts_spiel.games.hand import Hand
from nash_ismcts_spiel.match import half_width_95
from nash_ismcts_spiel.page.drawings import draw, event_name
from nash_ismcts_spiel.page.inspection import MOST_SECONDS, Inspection
from nash_ismcts_spiel.page.views import hidden_states

BotMaker = Callable[[int, int], Any]
"""(seat, seed) -> a bot."""

Json = dict[str, Any]


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    """What a bot decided.

    Attributes:
      policy: (action, probability), its mix.
      action: what it drew.
    """

    policy: list[tuple[int, float]]
    action: int


@dataclasses.dataclass(slots=True)
class Score:
    """What the person has won.

    Attributes:
      won: utility of each hand that counts.
      not_counted: hands in which a move was taken back, or which were left.
    """

    won: list[float] = dataclasses.field(default_factory=list)
    not_counted: int = 0

    def view(self) -> Json:
        """As plain data; the interval is None before the second hand."""
        width = half_width_95(np.array(self.won)) if self.won else math.nan
        return {
            "hands": len(self.won),
            "mean": sum(self.won) / len(self.won) if self.won else None,
            "half_width": None if math.isnan(width) else width,
            "not_counted": self.not_counted,
        }

    def words(self) -> str:
        """In one line."""
        view = self.view()
        left = f"; {self.not_counted} not counted" if self.not_counted else ""
        if not self.won:
            return f"score: no hand yet{left}"
        interval = "" if view["half_width"] is None else f" ± {view['half_width']:.2f} (95%)"
        hands = "hand" if len(self.won) == 1 else "hands"
        return f"score: {view['mean']:+.2f}{interval} per hand over {len(self.won)} {hands}{left}"


class Table:
    """Where a person plays.

    Attributes:
      game: the game.
      seat: where the person sits in this hand.
      number: of the hand, from 1 on.
      score: of all hands.
    """

    def __init__(
        self,
        game: SupportedGame,
        make_bot: BotMaker,
        inspection: Inspection,
        seat: int | None = None,
        seed: int = 0,
    ) -> None:
        """Deals the first hand.

        Args:
          game: the game.
          make_bot: makes the bots of the other seats.
          inspection: tells beliefs afterwards.
          seat: where the person sits; None changes seats after each hand.
          seed: of deals and bots.

        Raises:
          ValueError: there is no such seat.
        """
        if seat is not None and not 0 <= seat < game.num_players:
            raise ValueError(
                f"{game.name} has seats 0 to {game.num_players - 1}, there is no seat {seat}"
            )
        self.game = game
        self.score = Score()
        self.number = 0
        self._fixed_seat = seat
        self._seed = seed
        self._inspection = inspection
        self._make_bot = make_bot
        self._bots: dict[int, Any] = {}
        self._taken_back = False
        self.deal()

    @property
    def over(self) -> bool:
        """Whether the hand is over."""
        return self._hand.over

    def deal(self) -> None:
        """The next hand; one that is under way is left, and does not count."""
        if self.number and not self.over and not self._taken_back:
            self.score.not_counted += 1
        self.number += 1
        fixed, seats = self._fixed_seat, self.game.num_players
        self.seat = (self.number - 1) % seats if fixed is None else fixed
        self._hand = Hand(self.game)
        self._taken_back = False
        self._answers: dict[tuple[int, ...], Answer] = {}
        for bot in self._bots.values():
            bot.restart()
        self._go_on()

    def move(self, action: int) -> None:
        """The person's move.

        Raises:
          ValueError: it is not legal, or the hand is over.
        """
        if self.over:
            raise ValueError("the hand is over")
        self._hand.apply(action)
        self._go_on()

    @property
    def can_undo(self) -> bool:
        """Whether the person has made a move in this hand."""
        return bool(self._hand.moves_of(self.seat))

    def undo(self) -> None:
        """Takes the person's last move back, and what came after it.

        Raises:
          ValueError: there is none.
        """
        moves = self._hand.moves_of(self.seat)
        if not moves:
            raise ValueError("there is no move of yours to take back")
        if not self._taken_back:
            self.score.not_counted += 1
            if self.over:
                self.score.won.pop()
        self._taken_back = True
        self._hand.take_back(moves[-1])

    def view(self) -> Json:
        """What the person sees."""
        hand, seen = self._hand, self._hand.shown_to(self.seat)
        return {
            "game": self.game.name,
            "number": self.number,
            "seat": self.seat,
            "players": self.game.num_players,
            "drawing": draw(self.game.name, seen),
            "text": seen.text,
            "moves": [] if hand.over else [[each.action, each.name] for each in hand.options()],
            "can_undo": self.can_undo,
            "taken_back": self._taken_back,
            "over": hand.over,
            "won": hand.returns[self.seat] if hand.over else None,
            "score": self.score.view(),
            "words": self.score.words(),
        }

    def afterwards(self) -> Json:
        """What happened, and what the bots thought: each decision with its mix and its beliefs.

        Raises:
          ValueError: the hand is not over.
        """
        if not self.over:
            raise ValueError("what the bot thought is told when the hand is over")
        history, name = self._hand.history, self.game.name
        events = [
            event_name(name, event.mover, event.action, event.name) for event in self._hand.events()
        ]
        decisions = []
        for count in range(len(history)):
            answer = self._answers.get(tuple(history[:count]))
            if answer is not None:
                decisions.append(self._decision(history[:count], answer))
        return {"events": events, "history": history, "decisions": decisions}

    def _decision(self, history: list[int], answer: Answer) -> Json:
        hand = Hand(self.game, history)
        names = {option.action: option.name for option in hand.options()}
        with self._inspection.lock:
            self._inspection.bound_memory()
            try:
                number = hand.observe(self._inspection.graph, MOST_SECONDS)
                beliefs = hidden_states(self._inspection, number)
            except (ValueError, TimeoutError):  # no world was found in time
                beliefs = {"kind": "unknown", "rows": []}
        return {
            "seat": hand.mover,
            "history": history,
            "drawing": draw(self.game.name, hand.shown_to(hand.mover)),
            "mix": [[names[action], share] for action, share in answer.policy],
            "chose": names[answer.action],
            "beliefs": beliefs,
        }

    def _go_on(self) -> None:
        """Chance and bots move until the person has to, or the hand is over."""
        hand = self._hand
        while not hand.over:
            history = hand.history
            if hand.is_chance:
                # By the place in the hand, so that what is taken back is dealt again.
                hand.deal(np.random.default_rng([self._seed, self.number, len(history)]))
            elif hand.mover == self.seat:
                return
            else:
                answer = self._answers.get(tuple(history))
                if answer is None:
                    answer = Answer(*hand.ask(self._bot(hand.mover)))
                    self._answers[tuple(history)] = answer
                hand.apply(answer.action)
        if not self._taken_back:
            self.score.won.append(hand.returns[self.seat])

    def _bot(self, seat: int) -> Any:
        if seat not in self._bots:
            self._bots[seat] = self._make_bot(seat, self._seed + seat)
        return self._bots[seat]
