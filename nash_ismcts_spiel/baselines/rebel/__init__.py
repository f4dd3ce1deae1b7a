"""ReBeL (Brown, Bakhtin, Lerer, Gong 2020) for every enumerable two-player zero-sum game.

`run` is the door for training; it needs torch, as does `learner`. Everything
else works without: `subgames` (what players believe, and what follows from it, with an
oracle at the leaves if one likes), `play` (which policy is played, as a table and as a bot, game
by game) and `self_play`.

Subgames are cut off as in the paper, after two public states or at the end of a betting round.
Where it differs from the paper and from the authors' code for Liar's Dice:

1. An iteration updates both players, so 512 of them are 1024 of the authors' single updates.
2. The default solver is CFR+, whose average also weighs iteration t by t; "linear_cfr" is theirs.
3. Self-play draws an iteration with its weight in the average, as play does, not uniformly.
4. Public states are derived from the game, and those with the same future share their input to the
   network, which makes it see the last bid of Liar's Dice and the pot and card of Leduc poker.
5. A public card is dealt inside an edge between public states: leaves lie after it, so the network
   is never asked for an average over cards.
6. The network answers for both players at once, and its answers are made zero-sum.
7. Playthroughs that meet in the same belief state share its solution, which changes nothing.
8. Leaves are valued by a running mean of the network's weights.
9. There is no policy network to start subgames from: with an iteration at some microseconds, there
   is nothing to save.
"""
