"""`nash-ismcts export`: the average policy of a run as JSON, for OpenSpiel's own tools."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from nash_ismcts_spiel.cli.common import Commands
from nash_ismcts_spiel.training import load_policy
from nash_ismcts_spiel.training.checkpoint import replace_file


def add(commands: Commands) -> None:
    """Adds the command."""
    export = commands.add_parser(
        "export",
        help="write the average policy of a run as JSON",
        description="Writes {information_state_string: {action: probability}} for every "
        "information set of all players.",
    )
    export.add_argument("--run", dest="directory", type=Path, required=True, metavar="DIR")
    export.add_argument("--out", type=Path, required=True, metavar="FILE")
    export.set_defaults(run=_export)


def _export(arguments: argparse.Namespace) -> None:
    rows = load_policy(arguments.directory).rows
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    replace_file(arguments.out, (json.dumps(rows, indent=1) + "\n").encode())
    print(f"{len(rows)} information states written to {arguments.out}")
