"""ReBeL (Brown, Bakhtin, Lerer, Gong 2020) for every enumerable two-player zero-sum game.

`run` is the door for training; it needs torch, as do `network`, `learner` and `loop`. Everything
else works without: `public_tree` (what players believe), `subgames` (what follows from it, with an
oracle at the leaves if one likes), `mixture` (which policy is played) and `self_play`.
"""
