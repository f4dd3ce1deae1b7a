"""Runs the code of one page, step after step, in one process and in the present folder.

Reads the steps from standard input as JSON, and writes a line of JSON for each to the file that is
given: what it printed, and what went wrong. It stops where something does. Python blocks see what
the blocks before them defined, unless the page says that each is a program of its own.
"""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import sys
import traceback
from typing import Any
from unittest import mock


def run_command(words: list[str]) -> None:
    """A command of nash-ismcts; those that talk to a person are left at once."""
    from nash_ismcts_spiel import cli

    with contextlib.ExitStack() as stack:
        if words[0] in ("inspect", "play"):
            from nash_ismcts_spiel.page.server import PageServer

            left = mock.patch.object(PageServer, "serve_forever", side_effect=KeyboardInterrupt)
            stack.enter_context(left)
            stack.enter_context(mock.patch("webbrowser.open", return_value=True))
            stack.enter_context(mock.patch("sys.stdin", io.StringIO("q\n")))
        code = cli.main(words)
    if code != 0:
        raise RuntimeError(f"exit code {code}")


def run(step: dict[str, Any], names: dict[str, Any]) -> None:
    """One step."""
    if step["kind"] == "python":
        exec(compile(step["text"], step["where"], "exec"), names)
    elif step["kind"] == "script":
        with mock.patch.object(sys, "argv", step["words"]):
            runpy.run_path(step["words"][0], run_name="__main__")
    else:
        run_command(step["words"])


def main() -> None:
    """Runs the steps."""
    names: dict[str, Any] = {"__name__": "__main__"}
    sys.path.insert(0, "")
    with open(sys.argv[1], "w", encoding="utf-8") as results:
        for step in json.load(sys.stdin):
            printed, error = io.StringIO(), None
            if step["alone"]:
                names = {"__name__": "__main__"}
            with contextlib.redirect_stdout(printed):
                try:
                    run(step, names)
                except BaseException:
                    error = traceback.format_exc()
            results.write(json.dumps({"printed": printed.getvalue(), "error": error}) + "\n")
            results.flush()
            if error is not None:
                break


if __name__ == "__main__":
    main()
