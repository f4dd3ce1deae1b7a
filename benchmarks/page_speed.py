"""How long the page of `nash-ismcts inspect` waits for an answer when a slider is moved.

A position is searched again and again over HTTP, on this machine, with another dispersion radius
each time; the view is that of the root. Shown are the median and the largest time of an answer, as
wall time and as CPU time of the server. The aim is half a second in Leduc poker at 1,000 visits.
The last line of the output is a JSON object.

    python -m benchmarks.page_speed
    python -m benchmarks.page_speed --game phantom_ttt --history 0,4 --checkpoint pretrained
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import threading
import time
from collections.abc import Sequence

from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.models import Evaluator, RolloutEvaluator
from nash_ismcts_spiel.page.api import Application, Start
from nash_ismcts_spiel.page.inspection import Inspection
from nash_ismcts_spiel.page.server import LOOPBACK, PageServer
from nash_ismcts_spiel.page.table import Table
from nash_ismcts_spiel.registry import checkpoint_evaluator


def main(argv: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    arguments = _arguments(argv)
    game = support(arguments.game)
    evaluator: Evaluator = RolloutEvaluator(seed=0)
    if arguments.checkpoint is not None:
        evaluator = checkpoint_evaluator(arguments.checkpoint, game)
    history = [int(event) for event in arguments.history.split(",") if event]
    began = time.perf_counter()
    inspection = Inspection(game, evaluator, SearchConfig())
    started = time.perf_counter() - began
    with PageServer(Application(inspection, _no_table, Start())) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        walls, cpus = [], []
        for change in range(arguments.changes):
            asked = {
                "history": history, "visits": arguments.visits, "radius": 0.05 * (change % 20),
                "seed": 0, "steps": [],
            }  # fmt: skip
            wall, cpu = time.perf_counter(), time.process_time()
            _ask(server, asked)
            walls.append(time.perf_counter() - wall)
            cpus.append(time.process_time() - cpu)
        server.shutdown()
    found = {
        "game": game.name, "models": arguments.checkpoint or "rollouts",
        "visits": arguments.visits, "changes": arguments.changes, "start_seconds": started,
        "median_seconds": statistics.median(walls), "largest_seconds": max(walls),
        "median_cpu_seconds": statistics.median(cpus), "largest_cpu_seconds": max(cpus),
    }  # fmt: skip
    print(
        f"{game.name}, {found['models']}, {arguments.visits} visits, {len(walls)} changes:\n"
        f"wall  median {found['median_seconds']:.3f} s, largest {found['largest_seconds']:.3f} s\n"
        f"CPU   median {found['median_cpu_seconds']:.3f} s, "
        f"largest {found['largest_cpu_seconds']:.3f} s"
    )
    print(json.dumps(found))


def _ask(server: PageServer, asked: dict[str, object]) -> None:
    connection = http.client.HTTPConnection(LOOPBACK, server.server_port)
    path, kind = f"/{server.token}/api/inspect", {"Content-Type": "application/json"}
    connection.request("POST", path, json.dumps(asked), kind)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    if answer.status != 200:
        raise ValueError(body.decode())


def _no_table() -> Table:
    raise ValueError("nothing is played here")


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time of the page's answers.")
    parser.add_argument("--game", default="leduc_poker")
    parser.add_argument("--history", default="0,3", help="the position (default 0,3)")
    parser.add_argument("--checkpoint", help="models (default: rollouts)")
    parser.add_argument("--visits", type=int, default=1000)
    parser.add_argument("--changes", type=int, default=40)
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
