"""Results as plain data, and how they look in notebooks: small HTML tables, all text escaped."""

from __future__ import annotations

import dataclasses
import html
import json
from collections.abc import Iterable, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class Figures:
    """Base of what measurements find; subclasses are frozen dataclasses."""

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return dataclasses.asdict(self)

    def to_json(self) -> str:
        """The fields as one JSON object."""
        return json.dumps(self.as_dict())


def cell(value: object) -> str:
    """A value as it is shown: floats with few digits, None as nothing."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.5f}" if 1e-4 <= abs(value) < 1e4 or value == 0.0 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def html_table(
    caption: str, titles: Sequence[str], rows: Iterable[Sequence[object]], note: str = ""
) -> str:
    """A table for `_repr_html_`; nothing in it is taken for HTML."""
    head = "".join(f"<th>{html.escape(title)}</th>" for title in titles)
    lines = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell(value))}</td>" for value in row) + "</tr>"
        for row in rows
    )
    above = f"<tr>{head}</tr>" if titles else ""
    below = f"<p>{html.escape(note)}</p>" if note else ""
    return f"<table><caption>{html.escape(caption)}</caption>{above}{lines}</table>{below}"


def html_pairs(caption: str, pairs: Iterable[tuple[str, object]]) -> str:
    """A table of names and values."""
    return html_table(caption, (), pairs)
