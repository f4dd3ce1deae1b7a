"""What the site has beside the pages: sources that pages link to, and the help of the commands.

Pages link to sources as these lie in the repository, which every git host follows:
`[act_node.py](../nash_ismcts_spiel/search/act_node.py)`. For each file that is meant by a link and
is no page, the site gets one with its text, and the link is turned to that. Markdown from outside
of docs, such as the README, becomes a page whose own links are followed in the same way; a folder
becomes a list of its files. A link to what is not there is a warning, and fails the build.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound

sys.path.insert(0, str(Path(__file__).parent))

from links import links, meant  # noqa: E402  (a neighbour, and no package)

_LOG = logging.getLogger("mkdocs.hooks.sources")
_PAGES = "source/"
"""Where pages of sources lie in the site."""

_COMMANDS = "reference/command_line.md"
_HEAD = "---\nhide: [toc]\nsearch: {exclude: true}\n---\n\n"
_FENCE = "`" * 8


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds a page for each file that is linked to, and for those that these link to."""
    root = _root(config)
    waiting = [
        (f"docs/{file.src_uri}", file.content_string) for file in files.documentation_pages()
    ]
    while waiting:
        origin, text = waiting.pop()
        for path in _sources(origin, text, files, root):
            whole = root / path
            content = _content(whole, path)
            name = _page_of(path, whole.is_dir())
            if content is None:
                name = _PAGES + path  # what is no text is copied as it is
                files.append(File.generated(config, name, content=whole.read_bytes()))
                continue
            within = InclusionLevel.NOT_IN_NAV
            files.append(File.generated(config, name, content=_HEAD + content, inclusion=within))
            waiting.append((_origin_of(name), content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turns links to sources to their pages, and adds the help of the commands to its page."""
    here = page.file.src_uri
    origin = _origin_of(here)
    made, done = "", 0
    for link in links(markdown):
        target = link["target"]
        path = meant(origin, target)
        if path is None:
            continue
        there = _place(path, files, _root(config))
        if there is None:
            _LOG.warning("%s links to %s, which is not there", origin, target)
            continue
        anchor = target[target.find("#") :] if "#" in target else ""
        if there.startswith(_PAGES) and anchor.startswith("#L"):
            anchor = anchor.replace("#L", "#__codelineno-0-")
        made += markdown[done : link.start("target")]
        made += posixpath.relpath(there, posixpath.dirname(here) or ".") + anchor
        done = link.end("target")
    made += markdown[done:]
    return made + _help() if here == _COMMANDS else made


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Tells MkDocs of the lines of sources, which it does not find among the anchors itself."""
    if page.file.src_uri.startswith(_PAGES) and page.present_anchor_ids is not None:
        page.present_anchor_ids.update(re.findall(r'id="(__codelineno-[\d-]+)"', html))
    return html


def _root(config: MkDocsConfig) -> Path:
    return Path(config.docs_dir).parent


def _page_of(path: str, is_folder: bool) -> str:
    """The page of a file or folder of the repository."""
    return f"{_PAGES}{path}/index.md" if is_folder else f"{_PAGES}{path}.md"


def _origin_of(page: str) -> str:
    """Whence the links of a page are meant, as a path in the repository."""
    if not page.startswith(_PAGES):
        return f"docs/{page}"
    return page.removeprefix(_PAGES).removesuffix(".md")  # `folder/index` for a folder


def _place(path: str, files: Files, root: Path) -> str | None:
    """Where the site has a file of the repository; None if it is not there."""
    if path.startswith("docs/"):
        file = files.get_file_from_path(path.removeprefix("docs/"))
        if file is not None and file.inclusion is not InclusionLevel.EXCLUDED:
            return str(file.src_uri)
    whole = root / path
    if path.startswith("..") or not whole.exists():
        return None
    page = _page_of(path, whole.is_dir())
    return _PAGES + path if files.get_file_from_path(_PAGES + path) is not None else page


def _sources(origin: str, text: str, files: Files, root: Path) -> Iterator[str]:
    """The files and folders that a page links to and that the site does not have yet."""
    for link in links(text):
        path = meant(origin, link["target"])
        there = None if path is None else _place(path, files, root)
        if path is not None and there is not None and files.get_file_from_path(there) is None:
            yield path


def _content(whole: Path, path: str) -> str | None:
    """A file or folder as Markdown; None if it is no text."""
    if whole.is_dir():
        names = sorted(f"{item.name}/" if item.is_dir() else item.name for item in whole.iterdir())
        shown = [name for name in names if not name.startswith((".", "__pycache__"))]
        lines = [f"- `{name}`" if name.endswith("/") else f"- [{name}]({name})" for name in shown]
        return f"# `{path}`\n\n" + "\n".join(lines) + "\n"
    try:
        text = whole.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None
    if whole.suffix == ".md":
        return text
    if whole.suffix == ".ipynb":
        return f"# `{path}`\n\n" + "\n\n".join(_cells(text))
    return f'# `{path}`\n\n{_FENCE} {_language(whole.name)} linenums="1"\n{text}\n{_FENCE}\n'


def _cells(notebook: str) -> Iterator[str]:
    """The cells of a notebook, without what they printed."""
    for cell in json.loads(notebook)["cells"]:
        text = "".join(cell["source"])
        is_code = cell["cell_type"] == "code"
        yield f"{_FENCE} python\n{text}\n{_FENCE}" if is_code else text


def _language(name: str) -> str:
    try:
        return str(get_lexer_for_filename(name).aliases[0])
    except ClassNotFound:
        return "text"


def _help() -> str:
    """The help of every command, as its parser prints it."""
    from nash_ismcts_spiel.cli.main import make_parser  # for the page that needs it

    with mock.patch.dict(os.environ, COLUMNS="84"):
        parser = make_parser()
        (commands,) = (
            action for action in parser._actions if isinstance(action, argparse._SubParsersAction)
        )
        return "".join(
            f"\n## nash-ismcts {name}\n\n```text\n{command.format_help()}```\n"
            for name, command in commands.choices.items()
        )
