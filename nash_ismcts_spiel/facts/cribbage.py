"""Facts of cribbage. All cards that are played are public, with the starters and the scores. Hidden
are what others have laid away, and what they still hold in the present round, in which who passed
holds no card that it could have played. In a past round everybody has played the whole hand; what
was laid away made up the crib, and with it some of the dealer's points.

Round after round is played again. What was laid away is drawn until the scores are those that the
player was shown when the next round began.
"""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nash_ismcts_spiel.facts.cards import Deal
from nash_ismcts_spiel.facts.log import Look

RANKS = "A23456789TJQK"
SUITS = "CDHS"
CARDS = len(RANKS) * len(SUITS)
PASS = CARDS + CARDS * CARDS
KEPT = 4
FULL = 31
DRAWS = 3000
"""Discards that are tried in a round."""
ATTEMPTS = 50

_EVENT = re.compile(r"(Deal|Choose) (\w\w)|Pass")


class Round(NamedTuple):
    """What a player saw of one round.

    Attributes:
      hand: what it was dealt.
      discard: what it laid away, None if it has not yet.
      starter: the starter, None if there is none yet.
      plays: cards and passes that followed.
      scores: what everybody had when the round began, as it was shown.
    """

    hand: list[int]
    discard: int | None
    starter: int | None
    plays: list[int]
    scores: str


def card_of(name: str) -> int:
    """The number of a card."""
    return RANKS.index(name[0]) + len(RANKS) * SUITS.index(name[1])


def value_of(card: int) -> int:
    """What a card adds to the running total."""
    return min(10, card % len(RANKS) + 1)


def line(text: str, name: str) -> str:
    """A line of what was shown, without its name."""
    return next((row[len(name) :] for row in text.splitlines() if row.startswith(name)), "")


def rounds_of(log: Sequence[Look]) -> list[Round]:
    """The rounds of a log, the present one last."""
    starters: list[int] = []
    plays: list[list[int]] = []
    for found in _EVENT.finditer(line(log[-1].shown, "Actions:")):
        kind, card = found.groups()
        if kind == "Deal":
            starters.append(card_of(card))
            plays.append([])
        else:
            plays[-1].append(PASS if kind is None else card_of(card))
    actions = [look.action for look in log[1:]] + [None]
    rounds: list[Round] = []
    for look, action in zip(log, actions, strict=True):
        if line(look.shown, "Phase: ") == "Card":
            at = len(rounds)
            hand = [card_of(name) for name in line(look.shown, "Hand:").split()]
            starter, played = (starters[at], plays[at]) if at < len(starters) else (None, [])
            rounds.append(Round(hand, action, starter, played, line(look.shown, "Scores:")))
    return rounds


def limits_of(plays: Sequence[int], dealer: int, players: int) -> list[tuple[list[int], int]]:
    """Cards that each player has played, and what a card must count more than if it was kept."""
    played: list[list[int]] = [[] for _ in range(players)]
    limits = [0] * players
    mover, last, total = (dealer + 1) % players, dealer, 0
    passed: set[int] = set()
    for play in plays:
        if play == PASS:
            limits[mover] = max(limits[mover], FULL - total)
            passed.add(mover)
        else:
            played[mover].append(play)
            last, total = mover, total + value_of(play)
        if len(passed) == players or total == FULL:
            mover, total, passed = last, 0, set()
        mover = (mover + 1) % players
    return list(zip(played, limits, strict=True))


def deal_of(this: Round, player: int, dealer: int, players: int) -> Deal:
    """What is known of a round. Holders are what each player keeps, what each lays away, a card
    that goes to the crib at once where three play, and the deck.
    """
    away = (6 if players == 2 else 5) - KEPT
    known: dict[int, list[int]] = {player: this.hand[:KEPT], players + player: this.hand[KEPT:]}
    barred: dict[int, set[int]] = {}
    for other, (played, limit) in enumerate(limits_of(this.plays, dealer, players)):
        if other != player:
            known[other] = played
            if limit and len(played) < KEPT:
                barred[other] = {card for card in range(CARDS) if value_of(card) <= limit}
    cards = set(range(CARDS)) - {this.starter}
    sizes = [KEPT] * players + [away] * players + [int(players == 3)]
    return Deal(cards, [*sizes, len(cards) - sum(sizes)], known, barred)


def after_round(
    state: Any, this: Round, player: int, scores: str | None, rng: np.random.Generator
) -> Any | None:
    """The state after a round that ends with the scores that were shown, or after what is known of
    the last round; None if none was found.
    """
    dealer = int(line(state.observation_string(0), "Dealer: "))
    deal = deal_of(this, player, dealer, state.num_players())
    for hands in itertools.islice(deal.hands(rng), DRAWS):
        after = played(state.clone(), this, player, hands)
        if after is None or scores is None:
            return after
        if not after.is_terminal() and line(after.observation_string(0), "Scores:") == scores:
            return after
    return None


def played(state: Any, this: Round, player: int, held: list[list[int]]) -> Any | None:
    """A state after a round, or after what is known of it; None if it could not be."""
    players = state.num_players()
    kept, laid = held[:players], held[players : 2 * players]
    for cards in [*map(operator.add, kept, laid), held[2 * players]]:
        for card in cards:
            state.apply_action(card)
    for other, cards in enumerate(laid):
        action = this.discard if other == player else laid_away(cards)
        if action is None:
            return state
        state.apply_action(action)
    for event in [] if this.starter is None else [this.starter, *this.plays]:
        if event not in state.legal_actions():
            return None
        state.apply_action(event)
    return state


def laid_away(cards: Sequence[int]) -> int:
    """The action that lays cards away; two are named by rank."""
    if len(cards) == 1:
        return cards[0]
    low, high = sorted(cards, key=lambda card: (card % len(RANKS), card))
    return CARDS + CARDS * low + high


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[Sequence[int]]:
    """Histories that explain a log."""
    rounds = rounds_of(log)
    for _ in range(ATTEMPTS):
        state: Any | None = game.new_initial_state()
        for this, scores in zip(rounds, [*(each.scores for each in rounds[1:]), None], strict=True):
            state = state and after_round(state, this, player, scores, rng)
        if state is not None:
            yield list(state.history())
