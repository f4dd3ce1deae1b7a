"""Looks for inputs that a parser takes wrongly, led by the lines of code that they reach.

    python tests/fuzz/coverage_guided.py PARSER [-max_total_time=60] [FOLDER]

Needs the package atheris, which is not among the dependencies. PARSER is a name of
`parsers.PARSERS`; inputs that reach something new are kept in FOLDER, if it is given, and one that
is a finding is written to the current directory. Such inputs belong into `tests/corpus`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[1]))
with atheris.instrument_imports(include=["nash_ismcts_spiel", "zipfile", "json"]):
    import parsers


def main() -> None:
    """Begins with the seeds of the corpus, and ends at the first finding."""
    name, options = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        for number, content in enumerate(parsers.seeds(name)):
            Path(folder, str(number)).write_bytes(content)
        kept = [word for word in options if not word.startswith("-")]
        flags = [word for word in options if word.startswith("-")]
        atheris.Setup([sys.argv[0], *flags, *kept, folder], lambda data: parsers.parse(name, data))
        atheris.Fuzz()


if __name__ == "__main__":
    main()
