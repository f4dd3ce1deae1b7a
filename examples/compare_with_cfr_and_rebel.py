"""Compares training by Nash-ISMCTS with CFR, with sampling methods, and with ReBeL.

Every method gets the same CPU seconds; its policy is measured at the same times by the same exact
best response. The report, `report.html` in --out, opens without a network. A method that is not
there, or does not apply to a game, is named with the reason.

  python examples/compare_with_cfr_and_rebel.py --seconds=10 --seeds=3
"""

import sys
import tempfile
from pathlib import Path

from absl import app, flags
from tqdm import tqdm

from nash_ismcts_spiel.baselines import METHODS
from nash_ismcts_spiel.compare import Study, StudyConfig, write_report
from nash_ismcts_spiel.compare.report import final_figures
from nash_ismcts_spiel.games import support

FLAGS = flags.FLAGS

flags.DEFINE_list("games", ["kuhn_poker", "leduc_poker"], "Games of OpenSpiel.")
flags.DEFINE_list(
    "methods",
    ["nash_ismcts", "rebel", "cfr", "cfr_plus", "external_sampling", "oos", "smooth_uct", "uct"],
    "Methods to compare.",
)
flags.DEFINE_float("seconds", 5.0, "CPU seconds of each run.", lower_bound=0.001)
flags.DEFINE_integer("seeds", 1, "Runs of each method.", lower_bound=1)
flags.DEFINE_string("out", None, "Where to write; a temporary directory by default.")


def main(_: list[str]) -> None:
    """Runs the comparison and prints who is where at the end."""
    known = [method for method in FLAGS.methods if method in METHODS]
    config = StudyConfig(
        games=[support(game).name for game in FLAGS.games],
        methods=known,
        seconds=FLAGS.seconds,
        seeds=FLAGS.seeds,
    )
    directory = Path(FLAGS.out or tempfile.mkdtemp(prefix="comparison-"))
    study = Study.create(directory, config)
    total = len(config.games) * len(known) * config.seeds * config.seconds
    layout = "{l_bar}{bar}| {n:.0f}/{total:.0f} CPU s, {remaining} left"
    with tqdm(total=total, bar_format=layout, file=sys.stderr, leave=False) as bar:
        study.run(bar.set_description, bar.update)

    for game in config.games:
        print(f"{game}: exploitability after {config.seconds:g} CPU seconds")
        found = final_figures(study, game)
        for method in sorted(found, key=found.__getitem__):
            print(f"  {method:<20} {found[method]:.5f}")
        for record in study.records():
            if record["game"] == game and "skipped" in record:
                print(f"  {record['method']:<20} skipped: {record['skipped']}")
        for method in FLAGS.methods:
            if method not in METHODS:
                print(f"  {method:<20} skipped: it is not among the methods of this version")
    print(f"report: {write_report(study)}")


if __name__ == "__main__":
    app.run(main)
