"""When, where and with what a comparison was begun."""

from __future__ import annotations

import datetime
import os
import platform

from nash_ismcts_spiel.compare.records import Record
from nash_ismcts_spiel.files import versions


def circumstances() -> Record:
    """Date, versions and machine, as texts."""
    return {
        "begun": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "versions": versions(),
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()}",
    }


def _processor() -> str:
    """The processor's model, as far as the system tells."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            models = [line.partition(":")[2].strip() for line in file if "model name" in line]
        return models[0]
    except (OSError, IndexError):
        return platform.processor() or platform.machine()
