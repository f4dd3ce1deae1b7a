"""Nash-ISMCTS in one file, to be read from top to bottom by somebody who knows MCTS.

Poker players mix: who never bluffs is exploited. A search round a policy P looks for the best
action, and so destroys the mix of even a perfect P. Two cures, with exact models of P:
1. `NotesSearch`: many trees, in which values are intervals, because beliefs may be wrong by a
   radius. Intervals that overlap are ties, and P breaks ties. Radius 0 is AlphaZero's search.
2. `SoftForest`: soft ties, in one forest in which all players learn and beliefs follow what is
   played: better than P with more visits. Two players, sum zero, who see when the other moves.
"""

import argparse
import math
import random

import numpy as np
import pyspiel


class World:
    """A full history. Views are what players know; the mover's is its information set, `info`."""

    def __init__(self, state, prior, path=()):
        self.player, self.path = state.current_player(), path  # worlds, and edges to their children
        self.children, self.views, self.info = [], [], None
        if state.is_terminal():
            self.value = np.array(state.returns())
            return
        if not state.is_chance_node():
            self.views = [(player, state.information_state_string(player)) for player in (0, 1)]
            self.info = self.views[self.player]
        events = prior[self.info[1]] if self.info else state.chance_outcomes()
        self.chances = np.maximum([p for _, p in events], 1e-9)  # so that Bayes' rule always works
        for edge, (action, _) in enumerate(events):
            self.children.append(World(state.child(action), prior, (*path, (self, edge))))
        self.value = self.chances @ [child.value for child in self.children]  # V [players]

    def likelihood(self, player, policy):
        """How likely chance and all but `player` make this world by a policy."""
        moves = [(w, edge) for w, edge in self.path if w.player != player]
        return math.prod((policy[w.info] if w.info else w.chances)[edge] for w, edge in moves)


class Models:
    """A little game with P = {information state: [(action, probability)]}; all models are exact."""

    def __init__(self, game, prior, scale=None):
        worlds, self.worlds = [World(game.new_initial_state(), prior)], {}  # the latter by view
        for row, world in enumerate(worlds):  # which grow
            world.row, world.after = row, len(worlds) + np.arange(len(world.children))
            worlds += world.children
            for view in world.views:
                self.worlds.setdefault(view, []).append(world)
        self.values = np.array([world.value for world in worlds])  # V(w) [worlds, players]
        self.scale = scale or np.std([world.value for world in worlds if not world.children])  # sc
        self.prior = {world.info: world.chances for world in worlds if world.info}  # P(a)
        self.beliefs, self.rows, self.after, self.q, self.regret = {}, {}, {}, {}, 1e-9
        for info, here in ((info, self.worlds[info]) for info in self.prior):
            self.beliefs[info] = share([w.likelihood(info[0], self.prior) for w in here])  # H(w)
            self.rows[info] = np.array([world.row for world in here])
            self.after[info] = np.array([world.after for world in here])  # wa [worlds, actions]
            q = self.q[info] = self.beliefs[info] @ self.values[self.after[info], info[0]]  # Vc(a)
            gain = (max(q) - self.prior[info] @ q) / 2 / self.scale
            self.regret += gain * sum(w.likelihood(None, self.prior) for w in here)  # g


def share(weights):
    """Weights that sum to 1."""
    return np.asarray(weights) / np.sum(weights)


class NotesSearch:
    """Many trees, one for each information set; its player thinks of worlds as [low, high]."""

    def __init__(self, models, visits, seed, radius):
        self.models, self.visits, self.radius = models, visits, radius
        self.dice, self.n = random.Random(seed), {}  # N(a), by tree and information set
        self.values = {info: models.values[:, [info[0], info[0]]] for info in models.prior}

    def answer(self, info):
        """What is played at an information set, in its own tree."""
        simulations = [self.act(info, info) for _ in range(self.visits)]
        return simulations[-1][1]

    def act(self, tree, info):
        """One simulation from here; gives the edge that was chosen, and how often each was."""
        prior, n = self.models.prior[info], self.n.get((tree, info), 0.0)
        # ACT: PUCT. Intervals that overlap the best one are tied with it, and P decides.
        low, high = self.q(tree, info) + self.models.scale * prior * np.sqrt(np.sum(n)) / (1 + n)
        mix = share(prior * (high >= max(low)))
        edge = self.dice.choices(range(len(mix)), mix)[0]
        # SAMPLE: a world is drawn from H. The player forgets it where it moves again.
        world = self.dice.choices(self.models.worlds[info], self.models.beliefs[info])[0]
        self.visit(tree, world.children[edge])
        self.n[tree, info] = n + mix  # not the draw, but its chances: n_mixed MIX + n_pure PN
        self.values[tree][self.models.rows[info]] = self.q(tree, info) @ share(n + mix)
        return edge, share(n + mix)

    def visit(self, tree, world):
        """On to the end. Others do not know what this player knows: they think in their trees."""
        if world.player == tree[0]:
            self.act(tree, world.info)
        elif world.children:
            played = world.chances
            edge = self.dice.choices(range(len(played)), played)[0]
            if world.info:
                edge, played = self.act(world.info, world.info)
            self.visit(tree, world.children[edge])
            self.values[tree][world.row] = played @ self.values[tree][world.after]

    def q(self, tree, info):
        """Q(a), [low, high]: extremes of SAMPLE's mean if H is wrong by the radius (L1)."""
        h, values = self.models.beliefs[info], self.values[tree][self.models.after[info]] * (-1, 1)
        order = np.argsort(values, 0)  # [worlds, actions, ends]; half the radius leaves the worst
        moved = np.diff(np.minimum(np.cumsum(h[order], 0), self.radius / 2), axis=0, prepend=0.0)
        gained = np.sum(moved * (np.max(values, 0) - np.sort(values, 0)), 0)  # and joins the best
        return (np.tensordot(h, values, 1) + gained).T * ((-1,), (1,))


class SoftForest:
    """One forest, in which every player on the path of a simulation learns."""

    def __init__(self, models, visits, seed):
        self.models, self.visits, self.dice = models, visits, random.Random(seed)
        # The leash x = alpha / sc, which visits shorten: visits x^2 = 1.4 (1 / g + 1 / x).
        self.alpha = models.scale * max(np.roots([visits, 0, -1.4 / models.regret, -1.4]).real)
        self.policy = dict(models.prior)  # pi(a)
        self.q, self.n = dict.fromkeys(models.prior, 0.0), dict.fromkeys(models.prior, 0)  # Qbar, N
        self.values, self.seen = models.values.copy(), np.zeros(len(models.values))  # v(w)

    def answer(self, info):
        """Thinks at each decision point up to here, also where the other one moved; gives pi."""
        here = self.models.worlds[info][0]
        for point in [*(world for world, _ in here.path if world.info), here]:
            view, mean = point.views[info[0]], {}
            for count in range(self.visits):
                world = self.draw(view)
                if self.dice.random() < 0.5:  # the chain: what the other may think that we hold
                    world = self.draw(self.draw(world.views[1 - view[0]]).views[view[0]])
                self.simulate(world)
                mean[world.info] = mean.get(world.info, 0.0) + (count + 1) * self.policy[world.info]
            self.policy |= {mover: share(total) for mover, total in mean.items()}
        return self.policy[info]

    def draw(self, view):
        """A world, by H(w) rho(w): rho is how much likelier pi makes it than P does."""
        worlds = self.models.worlds[view]
        return self.dice.choices(worlds, [w.likelihood(view[0], self.policy) for w in worlds])[0]

    def simulate(self, world):
        """One pass to the end of the game; then all who moved learn, the last one first."""
        if world.info:
            self.seen[world.row] = 1.0
            chances = 0.8 * self.policy[world.info] + 0.2 / len(world.children)
            self.simulate(self.dice.choices(world.children, chances)[0])
            self.learn(world.info)
        elif world.children:
            self.simulate(self.dice.choices(world.children, world.chances)[0])
            self.values[world.row] = world.chances @ self.values[world.after]

    def learn(self, info):
        """Soft ties, and v of all worlds that were seen here."""
        models, rows, after = self.models, self.models.rows[info], self.models.after[info]
        h = models.beliefs[info] * self.seen[rows]  # 0 where a world was not seen
        played = [world.likelihood(info[0], self.policy) for world in models.worlds[info]]
        h_rho = sum(h) * share(played * (h > 0))  # H rho / R
        # Q(a) = Vc(a) + sum over seen w of [H rho / R v(wa) - H V(wa)]: unseen worlds cancel.
        change = h_rho @ self.values[after, info[0]] - h @ models.values[after, info[0]]
        self.n[info] += 1
        self.q[info] += (models.q[info] + change - self.q[info]) / self.n[info] ** 0.7
        tilt = np.exp((self.q[info] - max(self.q[info])) / self.alpha)
        self.policy[info] = share(models.prior[info] * tilt)  # pi ~ P exp(Qbar / alpha)
        self.values[rows[h > 0]] = self.policy[info] @ self.values[after[h > 0]]


def policy_everywhere(game, prior, visits, seed, radius=None, scale=None):
    """What is played if each information set is searched afresh; by soft ties without a radius."""
    models, policy = Models(game, prior, scale), {}
    for number, info in enumerate(models.prior):
        settings = models, visits, 1000 * seed + number
        search = SoftForest(*settings) if radius is None else NotesSearch(*settings, radius)
        pairs = zip(prior[info[1]], search.answer(info), strict=True)
        policy[info[1]] = [(action, float(p)) for (action, _), p in pairs]
    return policy


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Exploitability of searches of Kuhn poker.")
    parser.add_argument("--seed", type=int, default=0, help="of all searches (default: 0)")
    parser.add_argument("--visits", type=int, nargs="+", default=[10, 100, 1000], help="of each")
    args, game = parser.parse_args(), pyspiel.load_game("kuhn_poker")
    print(f"{'exploitability (NashConv / 2)':30}", *(f"{n:>5} visits" for n in args.visits))
    for iterations in (100, 10, 0):
        solver = pyspiel.CFRSolver(game)
        for _ in range(iterations):
            solver.evaluate_and_update_policy()
        prior = solver.tabular_average_policy().policy_table()
        print(f"P: CFR's average after {iterations}: {pyspiel.exploitability(game, prior):.4f}")
        for name, radius in (("AlphaZero", 0.0), ("intervals", 0.2), ("soft ties", None)):
            policies = (policy_everywhere(game, prior, n, args.seed, radius) for n in args.visits)
            print(f"  {name:28}", *(f"{pyspiel.exploitability(game, p):12.4f}" for p in policies))
