"""`nash-ismcts export`: the average policy of a run as JSON, by information state for OpenSpiel's
own tools or by view, or its networks in one small file, for bots.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nash_ismcts_spiel.cli.bars import Work
from nash_ismcts_spiel.cli.parser import describe
from nash_ismcts_spiel.files import replace_file
from nash_ismcts_spiel.games.policies import TablePolicy, ViewTablePolicy
from nash_ismcts_spiel.runs import Run


def add_export(command: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    describe(
        command,
        _export,
        "Writes {information_state_string: {action: probability}} for every information set of all "
        "players; of a training over views, {player: {observation_string: {action: probability}}}; "
        "or, with --models, the networks of learned models.",
        "export --run out/leduc --out leduc.json",
        "export --run out/leduc-learned --models --out leduc.safetensors",
    )
    run: Any = {"dest": "directory", "type": Path, "required": True, "metavar": "DIR"}
    command.add_argument("--run", help="of a training", **run)
    command.add_argument("--out", type=Path, required=True, metavar="FILE", help="to write")
    models = "write the networks instead, for make_bot(..., models=FILE)"
    command.add_argument("--models", action="store_true", help=models)


def _export(arguments: argparse.Namespace) -> None:
    if arguments.models:
        _export_models(arguments.directory, arguments.out)
        return
    with Work("reading the run"):
        run = Run.resume(arguments.directory)
        rows: Mapping[str, object]
        if run.merged is not None:
            rows = ViewTablePolicy(run.merged, run.policy()).rows()
            written = f"{len(run.merged.views)} views"
        else:
            rows = TablePolicy(run.graph, run.policy()).rows
            written = f"{len(rows)} information states"
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    replace_file(arguments.out, (json.dumps(rows, indent=1) + "\n").encode())
    print(f"{written} written to {arguments.out}")


def _export_models(directory: Path, out: Path) -> None:
    models = Run.resume(directory).saved_models()
    from nash_ismcts_spiel.models.networks import saved  # torch, for learned models only

    out.parent.mkdir(parents=True, exist_ok=True)
    saved.save(out, models)
    print(f"the networks of {models.game} written to {out}, {out.stat().st_size:,} bytes")
