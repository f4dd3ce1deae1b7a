"""Links in Markdown: where they stand, and which file of the repository they mean."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

_CODE = re.compile(
    r"^[ \t]*(?P<fence>```+|~~~+)[^\n]*\n.*?^[ \t]*(?P=fence)[ \t]*$"  # a block
    r"|(?P<ticks>`+)(?!`)(?:(?!\n\n).)+?(?<!`)(?P=ticks)(?!`)",  # or words within a paragraph
    re.M | re.S,
)
_LINK = re.compile(r"(?:\]\(|^\[[^\]\n]+\]:\s+)<?(?P<target>[^)\s>]+)", re.M)


def without_code(text: str) -> str:
    """A page with spaces where its code stands, so that places stay the same."""
    return _CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def links(text: str) -> Iterator[re.Match[str]]:
    """The links of a page, in order; the group `target` is what each leads to."""
    return _LINK.finditer(without_code(text))


def meant(origin: str, target: str) -> str | None:
    """The file or folder that a link means, without its anchor; None if it leads elsewhere.

    Args:
      origin: the page, as a path in the repository.
      target: as it stands in the page.
    """
    place = target.partition("#")[0]
    if not place or place.startswith("/") or re.match(r"[a-z][a-z0-9+.-]*:", place, re.I):
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(origin), place))
