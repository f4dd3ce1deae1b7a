"""The games in which whole games and matches are measured: large ones, of every kind."""

from __future__ import annotations

from benchmarks.stored import game_file

LISTED = (
    "bridge(use_double_dummy_result=False)",
    "hearts",
    "spades",
    "euchre",
    "oh_hell",
    "gin_rummy",
    "skat",
    "dou_dizhu",
    "cribbage",
    "crazy_eights",
    "hanabi",
    "battleship",
    "dark_chess",
    "kriegspiel(board_size=4)",
    "rbc",
    "phantom_go",
    "dark_hex(board_size=5)",
    "goofspiel(imp_info=True,num_cards=13)",
    "universal_poker",
    "universal_poker(betting=limit,numPlayers=2,numRounds=4,blind=5 10,firstPlayer=2 1 1 1,"
    "numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,raiseSize=10 10 20 20,"
    "maxRaises=3 4 4 4)",
    "universal_poker(betting=nolimit,bettingAbstraction=fcpa,numPlayers=2,numRounds=4,"
    "blind=50 100,firstPlayer=2 1 1 1,numSuits=4,numRanks=13,numHoleCards=2,"
    "numBoardCards=0 3 1 1,stack=20000 20000)",
    "leduc_poker(players=3)",
    "liars_dice(numdice=4)",
    "tiny_bridge_4p",
)
"""As pyspiel loads them: the three of universal_poker are its default, limit and no-limit hold'em
(fold, call, pot, all in).
"""


def short(name: str) -> str:
    """What a table calls a game."""
    if name.startswith("universal_poker("):
        return "limit hold'em" if "betting=limit" in name else "no-limit hold'em (fcpa)"
    return name


def file_name(name: str) -> str:
    """What a file about a game is called."""
    return game_file(short(name))
