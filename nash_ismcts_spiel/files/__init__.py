"""Files: written so that they are whole or not there, read within limits, refused by name.

`docs/files.md` says what the files of a run hold and what is promised of them.
"""

from nash_ismcts_spiel.files.about import file_name, versions
from nash_ismcts_spiel.files.archive import (
    FORMAT,
    Arrays,
    Checkpoint,
    load,
    save,
)
from nash_ismcts_spiel.files.damage import (
    CheckpointError,
    DamagedFileError,
    parse_json,
    read_object,
)
from nash_ismcts_spiel.files.disk import DISK, Disk, make_directories, naming, replace_file
from nash_ismcts_spiel.files.lines import digest_of
from nash_ismcts_spiel.files.lock import LOCK, BusyError, writing

__all__ = [
    "DISK",
    "FORMAT",
    "LOCK",
    "Arrays",
    "BusyError",
    "Checkpoint",
    "CheckpointError",
    "DamagedFileError",
    "Disk",
    "digest_of",
    "file_name",
    "load",
    "make_directories",
    "naming",
    "parse_json",
    "read_object",
    "replace_file",
    "save",
    "versions",
    "writing",
]
