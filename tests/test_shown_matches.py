"""Our bot wins every match that a page shows, outside of its 95% interval."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pages import PAGES, blocks, commands, inline

from nash_ismcts_spiel import cli

OURS = "nash_ismcts"
RECORDS = ("docs/results/",)
"""Pages of results tell what was measured, won or lost."""

QUICK = "README.md"


def shown() -> dict[tuple[str, ...], str]:
    """The commands of matches with our bots, and a page of each."""
    found: dict[tuple[str, ...], str] = {}
    for page in reversed(PAGES):  # the README comes first there, and has the last word
        fenced = [words for block in blocks(page) if block.language == "sh"
                  for words in commands(block.text)]  # fmt: skip
        for program, *words in [*fenced, *inline(page)]:
            if program == "nash-ismcts" and words[0] == "match" and not page.startswith(RECORDS):
                players = words[words.index("--players") + 1].split(",")
                if OURS in players:
                    found[tuple(words)] = page
    return found


MATCHES = shown()


def test_the_readme_shows_matches() -> None:
    assert QUICK in MATCHES.values()


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(words, marks=[] if page == QUICK else [pytest.mark.slow])
        for words, page in MATCHES.items()
    ],
    ids=" ".join,
)
def test_our_bot_wins(
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for block in blocks(MATCHES[words]):
        if block.title is not None:  # a module of the page
            (tmp_path / block.title).write_text(block.text)
    monkeypatch.chdir(tmp_path)
    assert cli.main([*words, "--json"]) == 0
    pairings = json.loads(capsys.readouterr().out)["pairings"]
    ours = [one for one in pairings if one["players"][0] == OURS]
    assert ours and all(one["players"][1] != OURS for one in pairings)
    for one in ours:
        assert one["mean"][0] > one["half_width"][0], one
