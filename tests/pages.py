"""The pages that readers see, and the code blocks and commands in them."""

from __future__ import annotations

import dataclasses
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs" / "site"))

from links import links, meant, without_code  # noqa: E402  (of the site's own code)

__all__ = [
    "PAGES",
    "ROOT",
    "Block",
    "blocks",
    "commands",
    "inline",
    "links",
    "meant",
    "without_code",
]

_PLACES = ("README.md", "CONTRIBUTING.md", "nash_ismcts_spiel/pretrained/README.md")
PAGES = {
    path.relative_to(ROOT).as_posix(): path
    for path in (*(ROOT / place for place in _PLACES), *sorted((ROOT / "docs").rglob("*.md")))
    if path.name not in ("findings.md", "earlier.md")  # which become part of the page above them
}
"""By their places in the repository."""

_FENCED = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```[ \t]*$", re.M | re.S)
_INLINE = re.compile(r"`([^`\n]+(?:\n[^`\n]+)?)`")


@dataclasses.dataclass(frozen=True)
class Block:
    """A fenced block of a page.

    Attributes:
      language: "python", "sh" and so on.
      title: the file that it is, as in ```python title="my_game.py"; None if it is to be run.
      text: what stands in it.
      line: of the page, where it begins.
      shown: the ```text block right after it, None if there is none.
    """

    language: str
    title: str | None
    text: str
    line: int
    shown: str | None


def blocks(page: str) -> list[Block]:
    """The blocks of a page, in order."""
    text = PAGES[page].read_text(encoding="utf-8")
    found = list(_FENCED.finditer(text))
    made = []
    for place, block in enumerate(found):
        shown = None
        for after in found[place + 1 : place + 2]:
            if after[1] == "text" and not text[block.end() : after.start()].strip():
                shown = after[3]
        title = re.search(r'title="([^"]+)"', block[2])
        line = text.count("\n", 0, block.start()) + 1
        made.append(Block(block[1], title[1] if title else None, block[3], line, shown))
    return made


def commands(script: str) -> Iterator[list[str]]:
    """The commands of a shell block as words, without comments and settings of variables."""
    for line in script.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0], re.S):
            del words[0]
        if words:
            yield [words[0].removeprefix(".venv/bin/"), *words[1:]]


def inline(page: str) -> Iterator[list[str]]:
    """Commands that stand as code within the text of a page."""
    text = _FENCED.sub("", PAGES[page].read_text(encoding="utf-8"))
    for words in _INLINE.findall(text):
        if re.match(r"(\.venv/bin/)?(nash-ismcts \w|make [a-z]|python (-m |\S+\.py))", words):
            yield from commands(words.replace("\n", " "))
