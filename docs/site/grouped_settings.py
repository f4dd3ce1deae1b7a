"""Lists of settings in docstrings as Markdown, group by group.

Classes of settings describe their fields under titles of their own, such as `Budget:`, which are no
sections of a Google-style docstring. Each becomes a title with a list of fields below it.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_KNOWN = ("Args", "Attributes", "Examples", "Raises", "Returns", "Yields")
_FIELD = re.compile(r"  (\w+): (.*)")


def listed(text: str) -> str:
    """A docstring in which groups of fields are lists."""
    lines = text.splitlines()
    made: list[str] = []
    inside = False
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        titled = re.fullmatch(r"(\S.*):", line)
        if titled and titled[1] not in _KNOWN and _FIELD.fullmatch(after):
            inside = True
            made += ["", f"**{titled[1]}**", ""]
        elif inside and (field := _FIELD.fullmatch(line)):
            made.append(f"- `{field[1]}`: {field[2]}")
        elif inside and line.startswith("    "):
            made.append(f"  {line.strip()}")
        else:
            inside = False
            made.append(line)
    return "\n".join(made)


class GroupedSettings(griffe.Extension):
    """Rewrites the docstrings of all classes."""

    def on_class_instance(self, *, cls: griffe.Class, **_: Any) -> None:
        """Called with each class that is read."""
        if cls.docstring is not None:
            cls.docstring.value = listed(cls.docstring.value)
