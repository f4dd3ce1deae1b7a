"""The page in a headless Chromium: it loads, answers sliders, shows spawned trees, and plays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import browser
import page_helpers
import pytest

from nash_ismcts_spiel.page import table as table_module
from nash_ismcts_spiel.page import views

pytestmark = pytest.mark.skipif(
    browser.chromium() is None,
    reason=f"no browser: none of {', '.join(browser.NAMES)} is installed",
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Page]:
    with browser.browser(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture(autouse=True)
def clean(page: browser.Page) -> Iterator[None]:
    """Nothing goes wrong on the page, and nothing is asked of another machine."""
    page.errors.clear()
    page.requests.clear()
    yield
    assert page.errors == []
    assert page.requests
    assert all(url.startswith(("http://127.0.0.1:", "data:,")) for url in page.requests)


def text(page: browser.Page, selector: str) -> str:
    return str(page.run(f"document.querySelector({json.dumps(selector)}).textContent"))


def slide(page: browser.Page, name: str, value: float) -> None:
    found = f"document.getElementById({json.dumps(name)})"
    page.run(f"{found}.value = '{value}'; {found}.dispatchEvent(new Event('input'))")


def test_the_page_loads_and_choices_collapse_at_radius_0(page: browser.Page) -> None:
    with page_helpers.served("kuhn_poker", page_helpers.kuhn_exact(), history=(0, 1)) as server:
        page.open(server.address)
        page.wait("document.body.dataset.ready && document.querySelector('#place table') !== null")
        assert text(page, "#game") == "kuhn_poker()"
        assert "│ J │" in text(page, "#sight pre")
        slide(page, "radius", 0)
        page.wait("document.querySelector('#place').textContent.includes('(0.4% mixed)')")
        assert "100.0%" in text(page, "#place tbody tr")
        slide(page, "radius", 0.2)
        page.wait("document.querySelector('#place').textContent.includes('(99.9% mixed)')")
        assert "65.6%" in text(page, "#place tbody tr")
        slide(page, "visits", 0)
        page.wait("document.querySelector('#cost').textContent.startsWith('1 visits')")
        page.press("policy by radius")
        page.wait("document.querySelectorAll('#swept tbody tr').length === 10")


def test_a_spawned_tree_is_stepped_into(page: browser.Page) -> None:
    with page_helpers.served("leduc_poker", history=(0, 3), visits=200) as server:
        page.open(server.address)
        page.press("Raise", "#place")
        page.press("K♠", "#place")
        page.press("step into the tree of player 1", "#place")
        page.wait("document.querySelector('#sight-title').textContent === 'What player 1 sees'")
        assert "K♠" in text(page, "#sight pre")
        assert "J♠" in text(page, "#beliefs") and "K♠" not in text(page, "#beliefs")
        assert "tree of player 1" in text(page, "#way")
        page.press("player 0 acts", "#way")
        page.wait("document.querySelector('#sight-title').textContent === 'What player 0 sees'")


def test_a_whole_hand_of_leduc_is_played(page: browser.Page) -> None:
    with page_helpers.served("leduc_poker", tab="play") as server:
        page.open(server.address)
        page.press("Raise", "#moves")
        page.press("undo", "#table")
        page.wait("document.querySelector('#table').textContent.includes('does not count')")
        page.press("Raise", "#moves")
        for _ in range(8):
            page.wait("document.querySelectorAll('#table button:enabled').length > 0")
            if page.run("document.querySelector('#won') !== null"):
                break
            page.press("Call", "#moves")
            page.wait("document.querySelectorAll('#table button:enabled').length > 0")
        assert "the hand is over, you won" in text(page, "#won")
        page.press("tell me", "#afterwards")
        page.wait("document.querySelector('#events') !== null")
        assert "its mix, from which it drew" in text(page, "#afterwards")
        page.press("inspect this search", "#afterwards")
        page.wait("!document.querySelector('#inspect').hidden")
        page.wait("document.querySelector('#place-title').textContent === 'player 1 searches'")
        page.press("Play")
        page.press("next hand", "#table")
        page.wait("document.querySelector('#table-title').textContent.startsWith('Hand 2')")


def test_names_cannot_inject_markup(page: browser.Page, monkeypatch: pytest.MonkeyPatch) -> None:
    evil = "<img src=x onerror='document.title=1'><b>"
    monkeypatch.setattr(views, "action_names", lambda *_: [evil] * 2)
    monkeypatch.setattr(views, "draw", lambda *_: [evil])
    monkeypatch.setattr(views, "event_name", lambda *_: evil)
    monkeypatch.setattr(table_module, "draw", lambda *_: [evil])
    with page_helpers.served("leduc_poker", history=(0, 3), bot=evil, models=evil) as server:
        page.open(server.address)
        page.wait("document.querySelector('#place table') !== null")
        page.press("policy by radius")
        page.wait("document.querySelectorAll('#swept tbody tr').length === 10")
        page.press("Play")
        page.wait("document.querySelector('#moves') !== null")
        for place in ("#about", "#sight pre", "#place", "#swept", "#table pre", "#position"):
            assert evil in text(page, place)
        assert page.run("document.querySelectorAll('img, b:not(.key b)').length") == 0
        assert page.run("document.title") == "leduc_poker() - nash-ismcts"


def test_a_server_that_has_ended_is_told(page: browser.Page) -> None:
    with page_helpers.served("kuhn_poker", history=(0, 1), visits=10) as server:
        page.open(server.address)
        page.wait("document.querySelector('#place table') !== null")
    server.server_close()
    slide(page, "radius", 0.5)
    page.wait("document.querySelector('#error').textContent.includes('does not answer')")
    page.errors.clear()  # the browser's own: the connection was refused


def test_pictures_can_be_taken(page: browser.Page, tmp_path: Path) -> None:
    with page_helpers.served("kuhn_poker", history=(0, 1), visits=10) as server:
        page.open(server.address)
        page.wait("document.querySelector('#place table') !== null")
        page.picture(tmp_path / "page.png")
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")
