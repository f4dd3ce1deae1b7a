"""The site: its navigation, its links, its reference, and what makes its build fail."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import logging
import re
import shutil
from pathlib import Path

import browser
import pytest
from pages import PAGES, ROOT, links, meant, without_code

from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.learning import LearnerConfig, TrainingConfig

CONFIG = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
DOCS = [page.removeprefix("docs/") for page in PAGES if page.startswith("docs/")]
PUBLIC = (
    "nash_ismcts_spiel",
    *(
        f"nash_ismcts_spiel/{name}"
        for name in ("baselines", "compare", "games", "learning", "models", "runs", "search")
    ),
    "exploitability",
)
"""Packages of which every public name is in the reference."""


def anchors(text: str) -> set[str]:
    """What links may lead to within a page, by the rule of git hosts, which is the site's too."""
    code = without_code(text)
    found = set(re.findall(r'\bid="([^"]+)"', code))
    for heading in re.finditer(r"^#+ +(\S.*?)[ \t]*$", code, re.M):
        words = re.sub(r"\]\([^)]*\)", "", text[heading.start(1) : heading.end(1)])
        found.add(re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-"))
    return found


def dead_links(page: str) -> list[str]:
    """The links of a page that lead to no file, or to no heading of one."""
    dead = []
    for link in links(PAGES[page].read_text(encoding="utf-8")):
        target = link["target"]
        anchor = target.partition("#")[2]
        path = page if target.startswith("#") else meant(page, target)
        if path is None:
            continue
        there = PAGES.get(path, ROOT / path)
        if not there.exists():
            dead.append(target)
        elif there.suffix == ".md" and anchor and anchor not in anchors(there.read_text()):
            dead.append(target)
    return dead


def test_the_navigation_names_every_page_once() -> None:
    named = re.findall(r"([\w/]+\.md)$", CONFIG.partition("\nnav:\n")[2], re.M)
    assert len(named) > 30
    assert sorted(named) == sorted(DOCS)


def test_the_site_asks_nobody_else() -> None:
    assert not re.findall(r"https?://", CONFIG)
    assert "font: false" in CONFIG and "iframe-worker.js" in CONFIG


@pytest.mark.parametrize("page", list(PAGES))
def test_links_lead_somewhere(page: str) -> None:
    assert dead_links(page) == []


def test_dead_links_are_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = (
        "# One `heading`, two\n\n[right](#one-heading-two) [wrong](#one-heading) `[code](no.md)`\n"
        "[there](../LICENSE) [gone](../no.md) ![picture](no.png) [far](https://a.b/c)\n"
        "[far](games.md#games) [no](games.md#no)\n\n```python\n[code](no.md)\n# no\n```\n"
    )
    (tmp_path / "page.md").write_text(text)
    monkeypatch.setitem(PAGES, "docs/page.md", tmp_path / "page.md")
    assert dead_links("docs/page.md") == ["#one-heading", "../no.md", "no.png", "games.md#no"]


def public_names(package: str) -> list[str]:
    """`__all__` of a package, read from its source."""
    tree = ast.parse((ROOT / package / "__init__.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    raise AssertionError(f"{package} has no __all__")


@pytest.mark.parametrize("package", PUBLIC)
def test_public_names_are_in_the_reference(package: str) -> None:
    text = "\n".join((ROOT / "docs" / page).read_text() for page in DOCS if "reference/" in page)
    named = set(re.findall(r"^::: [\w.]+\.(\w+)$", text, re.M))
    named |= set(re.findall(r"`(\w+)`", text))
    named |= set(re.findall(r"\w+", " ".join(re.findall(r"members: \[(.*)\]", text))))
    assert set(public_names(package)) <= named


@pytest.mark.parametrize("config", [SearchConfig, TrainingConfig, LearnerConfig])
def test_every_setting_is_an_item_of_a_list(config: type) -> None:
    pytest.importorskip("griffe", reason="the extra `docs` is not installed")
    from grouped_settings import listed

    found = listed(inspect.cleandoc(config.__doc__ or ""))
    named = re.findall(r"^- `(\w+)`: \S", found, re.M)
    assert sorted(named) == sorted(field.name for field in dataclasses.fields(config))
    assert re.search(r"^\*\*\w.*\*\*$", found, re.M)


GOOD = "# Home\n\n[code](../package/code.py#L2) [list](../package) [readme](../README.md#top)\n"
"""A page whose links all lead somewhere in the little repository below."""


def build(folder: Path, page: str, other: str | None = None) -> None:
    """Builds a site of one page with our settings and hooks, in a repository of its own.

    Raises:
      mkdocs.exceptions.Abort: there was a warning.
    """
    pytest.importorskip("material", reason="the extra `docs` is not installed")
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    shutil.copytree(ROOT / "docs" / "site", folder / "docs" / "site")
    (folder / "package").mkdir()
    (folder / "package" / "code.py").write_text("# first\nsecond = 2\n")
    (folder / "package" / "raw.bin").write_bytes(b"\xff\xfe")
    (folder / "README.md").write_text("# Top\n\n[home](docs/index.md) [code](package/code.py)\n")
    (folder / "docs" / "index.md").write_text(page)
    if other is not None:
        (folder / "docs" / "other.md").write_text(other)
    settings = CONFIG.partition("\nnav:\n")[0] + "\nnav: [index.md]\n"
    (folder / "mkdocs.yml").write_text(settings)
    build(load_config(str(folder / "mkdocs.yml")))


def test_sources_become_pages(tmp_path: Path) -> None:
    build(tmp_path, GOOD)
    site = tmp_path / "build" / "site"
    home = (site / "index.html").read_text()
    assert 'href="source/package/code.py.html#__codelineno-0-2"' in home
    assert 'href="source/package/index.html"' in home
    assert 'href="source/README.md.html#top"' in home
    code = (site / "source" / "package" / "code.py.html").read_text()
    assert 'id="__codelineno-0-2"' in code and "second" in code
    readme = (site / "source" / "README.md.html").read_text()
    assert 'href="../index.html"' in readme and 'href="package/code.py.html"' in readme
    listed = (site / "source" / "package" / "index.html").read_text()
    assert 'href="code.py.html"' in listed and 'href="raw.bin"' in listed
    assert (site / "source" / "package" / "raw.bin").read_bytes() == b"\xff\xfe"
    scripts = re.findall(r'<(?:script|link)[^>]+(?:src|href)="(http[^"]+)"', home)
    assert scripts == [] and (site / "search" / "search_index.js").exists()


@pytest.mark.parametrize(
    ("added", "other", "words"),
    [
        ("[gone](gone.md)", None, "'gone.md'"),
        ("[gone](../package/gone.py)", None, "'../package/gone.py'"),
        ("[gone](../package/code.py#L9)", None, "'#__codelineno-0-9'"),
        ("[outside](../../etc/hosts)", None, "'../../etc/hosts'"),
        ("[gone](#gone)", None, "'#gone'"),
        ("[gone](../README.md#gone)", None, "'#gone'"),
        ("[absolute](/index.md)", None, "absolute link"),
        ("", "# Not in the navigation", "other.md"),
        ("::: package.code.gone", None, "package.code.gone"),
    ],
)
def test_a_fault_fails_the_build(
    added: str, other: str | None, words: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("mkdocs", reason="the extra `docs` is not installed")
    from mkdocs.exceptions import Abort, BuildError

    with caplog.at_level(logging.WARNING), pytest.raises((Abort, BuildError)):
        build(tmp_path, f"{GOOD}\n{added}\n", other)
    assert words in caplog.text


@pytest.mark.skipif(browser.chromium() is None, reason="there is no browser")
def test_search_works_in_pages_that_are_opened_as_files(tmp_path: Path) -> None:
    build(tmp_path, GOOD + "\nA word that nobody else says: quokka.\n")
    with browser.browser(tmp_path / "profile") as page:
        page.open(f"file://{tmp_path}/build/site/index.html")
        page.run("document.querySelector('[data-md-toggle=search]').click()")
        page.run(
            "{ const field = document.querySelector('.md-search__input'); field.focus();"
            " field.value = 'quokka'; field.dispatchEvent(new Event('keyup', {bubbles: true})); }"
        )
        found = "document.querySelector('.md-search-result__item')"
        assert "quokka" in page.wait(f"{found} && {found}.textContent")
        assert page.errors == []
        assert all(address.startswith(("file:", "data:")) for address in page.requests)
