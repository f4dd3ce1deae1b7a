"""What this package does, in one page: out/demo.html, which needs no network to be read.

1. Exploitability against visits, untrained and around a policy (`search_pays.py`).
2. Policy collapse in Kuhn poker, with and without belief dispersion (`policy_collapse.py`).
3. Kuhn poker, learned from nothing, beside an equilibrium (`train_kuhn.py`).
4. Leduc poker, learned from nothing: exploitability over CPU time (`train_leduc.py`).
5. Matches in Leduc poker (`nash-ismcts match`): the bot with the networks of the package against
   uniform play and OpenSpiel's C++ IS-MCTS with as many simulations and the value scale as its
   constant: chips won per game, with a 95% confidence interval. Hands are played in both seatings.

Each is a command of its own, which this script runs and shows as it goes.
"""

import base64
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from absl import app, flags

EXAMPLES = Path(__file__).resolve().parent
PAGE = "demo.html"
PAYS, COLLAPSE, CURVE = "search_pays.png", "policy_collapse.png", "leduc_curve.png"
OPPONENTS = {"uniform": "uniform play", "ismcts_openspiel": "OpenSpiel's IS-MCTS"}

FLAGS = flags.FLAGS
flags.DEFINE_string("out", "out", "Where the page and its plots go.")
flags.DEFINE_bool("curve", True, "Run search_pays.py first; else its plot is there already.")
flags.DEFINE_string("collapse", "30,300,3000", "Visits at which collapse is shown.")
flags.DEFINE_float("seconds", 3.0, "Seconds of training in Kuhn poker.")
flags.DEFINE_integer("generations", 128, "Generations of training in Leduc poker.")
flags.DEFINE_integer("hands", 1000, "Hands of each match, played twice.", lower_bound=2)
flags.DEFINE_integer("visits", 100, "Visits, or simulations, of a search.", lower_bound=2)


def say(step: int, what: str) -> None:
    """Tells at once what begins."""
    print(f"\n[{step}/6] {what}", flush=True)


def run(*arguments: str, show: bool = True) -> str:
    """Runs Python, shows what is printed line by line, and returns it."""
    lines = []
    command = [sys.executable, "-u", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            print(line if show else "", end="", flush=True)
    if process.returncode != 0:
        sys.exit(f"failed: {' '.join(arguments)}")
    return "".join(lines)


def table(text: str, first: str) -> list[list[str]]:
    """The table whose title line begins with `first`: cells stand two spaces apart or more."""
    lines = text.splitlines()
    begins = next(k for k, line in enumerate(lines) if line.strip().startswith(first))
    ends = next((k for k in range(begins, len(lines)) if not lines[k].strip()), len(lines))
    return [re.split(r"\s{2,}", line.strip()) for line in lines[begins:ends]]


def match(opponent: str) -> dict[str, Any]:
    """What the bot won of an opponent, per game."""
    found = run(
        "-m", "nash_ismcts_spiel.cli", "match", "--game=leduc_poker", "--models=pretrained",
        f"--players=nash_ismcts,{opponent}", f"--hands={FLAGS.hands}",
        f"--visits={FLAGS.visits}", "--json", show=False,
    )  # fmt: skip
    pairing = json.loads(found)["pairings"][0]
    mean, half = pairing["mean"][0], pairing["half_width"][0]
    print(f"against {OPPONENTS[opponent]:<20} {mean:+.3f} +- {half:.3f} chips a game", flush=True)
    return {"name": OPPONENTS[opponent], "mean": mean, "half_width": half}


def page(out: Path, kuhn: str, leduc: str, matches: list[dict[str, Any]]) -> Path:
    """Writes the page, with plots inside."""
    from nash_ismcts_spiel.compare.report import environment

    names = (PAYS, COLLAPSE, CURVE)
    plots = [base64.b64encode((out / name).read_bytes()).decode() for name in names]
    pays = json.loads((out / PAYS).with_suffix(".json").read_text())
    ((of_policy, rows),) = json.loads((out / COLLAPSE).with_suffix(".json").read_text()).values()
    template = environment(EXAMPLES).get_template(f"{PAGE}.j2")
    text = template.render(
        pays=pays, median=statistics.median, pays_plot=plots[0],
        of_policy=of_policy, collapse=rows, collapse_plot=plots[1], curve=plots[2],
        kuhn=table(kuhn, "player"), kuhn_found=kuhn.splitlines()[0],
        leduc=table(leduc, "generation"), matches=matches, options=FLAGS,
    )  # fmt: skip
    (out / PAGE).write_text(text, encoding="utf-8")
    return out / PAGE


def main(_: list[str]) -> None:
    """Runs all steps and tells where the page is."""
    out = Path(FLAGS.out)
    if FLAGS.curve:
        say(1, "search pays: exploitability against visits")
        run(str(EXAMPLES / "search_pays.py"), f"--plot={out / PAYS}")
    say(2, "policy collapse in Kuhn poker, which the notes' search shows without dispersion")
    which = ("--games=kuhn_poker", "--radii=0,0.2", "--seeds=3", f"--visits={FLAGS.collapse}")
    run(str(EXAMPLES / "policy_collapse.py"), *which, f"--plot={out / COLLAPSE}")
    say(3, f"Kuhn poker is learned, {FLAGS.seconds:g} seconds")
    kuhn = run(str(EXAMPLES / "train_kuhn.py"), f"--seconds={FLAGS.seconds}")
    say(4, f"Leduc poker is learned, {FLAGS.generations} generations")
    arguments = (f"--generations={FLAGS.generations}", f"--plot={out / CURVE}")
    leduc = run(str(EXAMPLES / "train_leduc.py"), *arguments)
    say(5, f"matches in Leduc poker, {FLAGS.hands} hands each")
    matches = [match(opponent) for opponent in OPPONENTS]
    say(6, "a page of all that")
    print(f"open {page(out, kuhn, leduc, matches).resolve()}")


if __name__ == "__main__":
    app.run(main)
