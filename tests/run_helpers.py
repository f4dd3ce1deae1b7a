"""What tests of runs on disk share: files that are changed together, as no accident does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nash_ismcts_spiel import files
from nash_ismcts_spiel.runs.config import CHECKPOINT, CONFIG, DIGEST, config_text


def rewrite_config(directory: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Changes the settings of a run, and its digests with them."""
    settings = json.loads((directory / CONFIG).read_text())
    del settings[DIGEST]
    change(settings)
    text, digest = config_text(settings)
    (directory / CONFIG).write_text(text)
    numbers, arrays = files.load(directory / CHECKPOINT)
    files.save(directory / CHECKPOINT, files.Checkpoint({**numbers, CONFIG: digest}, arrays))
