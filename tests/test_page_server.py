"""The local page over HTTP: who gets an answer, what a browser may do, and what is refused."""

from __future__ import annotations

import http.client
import json
import re
import socket
from collections.abc import Iterator
from importlib import resources
from typing import Any

import page_helpers
import pytest

from nash_ismcts_spiel import cli
from nash_ismcts_spiel.page.server import PageServer

STATIC = resources.files("nash_ismcts_spiel.page") / "static"
ASKED = {"history": [0, 3], "visits": 50, "radius": 0.2, "seed": 0, "steps": []}


@pytest.fixture(scope="module")
def server() -> Iterator[PageServer]:
    with page_helpers.served("leduc_poker", models="<b>models</b>") as server:
        yield server


def request(
    server: PageServer,
    method: str,
    path: str,
    body: Any = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, Any, dict[str, str]]:
    """The status, the body (from JSON if it is that) and the headers of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    given = {"Content-Type": "application/json"} if method == "POST" else {}
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    connection.request(method, path, data, {**given, **(headers or {})})
    answer = connection.getresponse()
    text, found = answer.read().decode(), dict(answer.getheaders())
    connection.close()
    is_json = found["Content-Type"].startswith("application/json")
    return answer.status, json.loads(text) if is_json else text, found


def ask(server: PageServer, question: str, given: Any = None, **headers: str) -> tuple[int, Any]:
    path = f"/{server.token}/api/{question}"
    return request(server, "POST", path, {} if given is None else given, headers)[:2]


def test_it_listens_on_the_loopback_only(server: PageServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert server.socket.family == socket.AF_INET


def test_the_page_and_its_files_are_served(server: PageServer) -> None:
    status, text, headers = request(server, "GET", f"/{server.token}/")
    assert status == 200
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    for name in re.findall(r'(?:src|href)="([\w.]+)"', text):
        assert request(server, "GET", f"/{server.token}/{name}")[0] == 200
    for source in ("page.js", "inspect.js", "play.js"):
        text = (STATIC / source).read_text(encoding="utf-8")
        for name in re.findall(r'from "\./([\w.]+)"', text):
            assert request(server, "GET", f"/{server.token}/{name}")[0] == 200


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["/", "/wrong/", "/wrong/api/setup", "//", "/%2e%2e/"])
def test_a_wrong_or_missing_token_is_refused(server: PageServer, method: str, path: str) -> None:
    status, body, _ = request(server, method, path, {} if method == "POST" else None)
    assert status == 403
    assert "token" in body["error"]


def test_tokens_are_long_and_never_the_same() -> None:
    with page_helpers.served("kuhn_poker") as first, page_helpers.served("kuhn_poker") as second:
        assert first.token != second.token
        assert len(first.token) >= 32
        assert f"/{first.token}/" in first.address


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_other_hosts_and_origins_are_refused(server: PageServer, headers: dict[str, str]) -> None:
    assert ask(server, "setup", **headers)[0] == 403
    assert request(server, "GET", f"/{server.token}/", headers=headers)[0] == 403


def test_the_own_origin_is_served(server: PageServer) -> None:
    for host in server.hosts:
        assert ask(server, "setup", Host=host, Origin=f"http://{host}")[0] == 200


def test_every_answer_forbids_what_the_page_does_not_need(server: PageServer) -> None:
    for path in (f"/{server.token}/", "/wrong/"):
        headers = request(server, "GET", path)[2]
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy and "http" not in policy and "*" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"


def test_the_sources_set_text_and_never_markup() -> None:
    for source in ("page.js", "parts.js", "inspect.js", "play.js"):
        text = (STATIC / source).read_text(encoding="utf-8")
        for wrong in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert wrong not in text, (source, wrong)
        assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text)
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.findall(r"<script(?![^>]*src=)|\son\w+=|style=|https?://", page)


def test_only_json_is_taken_as_a_question(server: PageServer) -> None:
    path = f"/{server.token}/api/setup"
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert request(server, "POST", path, b"{}", {"Content-Type": kind})[0] == 415
    assert request(server, "POST", path, b"{")[0] == 400
    assert request(server, "POST", path, b"[]")[0] == 400
    assert request(server, "POST", path, b"[" * 100_000)[0] == 400
    for size in ("1000001", "-1", "x", "\xb2", "9" * 5000):  # refused before anything is read
        assert request(server, "POST", path, None, {"Content-Length": size})[0] == 413


def test_there_are_no_other_paths(server: PageServer) -> None:
    for path in ("api.py", "../server.py", "static/page.js", "page.js/", "api/setup"):
        assert request(server, "GET", f"/{server.token}/{path}")[0] == 404
    assert ask(server, "answer")[0] == 404
    assert ask(server, "__class__")[0] == 404
    assert request(server, "PUT", f"/{server.token}/", b"")[0] == 501


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"visits": 0}, "visits must be a whole number from 1"),
        ({"visits": 10**9}, "visits must be"),
        ({"visits": True}, "visits must be"),
        ({"visits": "9"}, "visits must be"),
        ({"radius": -0.1}, "radius must be a number from 0 to 2"),
        ({"radius": None}, "radius must be"),
        ({"radius": "x"}, "radius must be"),
        ({"seed": -1}, "seed must be"),
        ({"history": [0, 0]}, "0 is not legal in leduc_poker"),
        ({"history": [0.5]}, "event must be"),
        ({"history": "0,3"}, "history must be a list"),
        ({"steps": [["jump", 1]]}, "a step is"),
        ({"steps": [1]}, "a step is"),
        ({"steps": "x"}, "steps must be"),
    ],
)
def test_wrong_questions_are_refused_in_words(
    server: PageServer, change: dict[str, Any], words: str
) -> None:
    status, body = ask(server, "inspect", {**ASKED, **change})
    assert (status, words in body["error"]) == (400, True), body


def test_numbers_that_json_does_not_know_are_refused(server: PageServer) -> None:
    body = json.dumps({**ASKED, "radius": float("nan")}).encode()
    status, answer, _ = request(server, "POST", f"/{server.token}/api/inspect", body)
    assert (status, "radius" in answer["error"]) == (400, True)


def test_a_fault_of_ours_is_told(
    server: PageServer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(server.application, "answer", lambda *_: 1 / 0)
    assert ask(server, "setup") == (500, {"error": "the server failed; its terminal says why"})
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_questions_of_a_whole_hand(server: PageServer) -> None:
    assert ask(server, "setup")[1]["models"] == "<b>models</b>"
    answer = ask(server, "inspect", ASKED)[1]
    assert answer["search"]["visits"] == 50
    assert ask(server, "inspect", {**ASKED, "history": [0]})[1]["search"] is None
    assert len(ask(server, "sweep", ASKED)[1]["rows"]) > 5
    assert ask(server, "sweep", {**ASKED, "history": []})[0] == 400
    view = ask(server, "table")[1]
    assert ask(server, "afterwards")[0] == 400
    assert ask(server, "undo")[0] == 400
    assert ask(server, "move", {"action": 99})[0] == 400
    while not view["over"]:
        view = ask(server, "move", {"action": view["moves"][0][0]})[1]
    assert ask(server, "move", {"action": 0})[1] == {"error": "the hand is over"}
    assert ask(server, "afterwards")[1]["decisions"]
    assert ask(server, "deal")[1]["number"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("inspect --game no_such_game", "unknown game 'no_such_game'"),
        ("inspect --game leduc_poker --history 0,0", "0 is not legal in leduc_poker"),
        ("inspect --game leduc_poker --history x", "--history must be numbers and commas"),
        ("inspect --game leduc_poker --visits 0", "--visits must be from 1 to 20000"),
        ("inspect --game leduc_poker --seed -1", "--seed must not be negative"),
        ("inspect --game leduc_poker --checkpoint no/such/run", "no/such/run"),
        ("inspect --game leduc_poker --dispersion-radius 3", "dispersion_radius must be from 0"),
        ("inspect --game kuhn_poker --no-browser --port 70000", "--port must be from 0"),
        ("play --game kuhn_poker --seat 2", "--seat must be from 0 to 1, not 2"),
        ("play --game kuhn_poker --hands 0", "--hands must be positive"),
        ("play --game kuhn_poker --web --hands 3", "--hands is for the terminal"),
    ],
)
def test_wrong_commands_are_refused_in_one_line(
    arguments: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments.split()) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1


def test_a_port_that_is_taken_is_named(
    server: PageServer, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = f"inspect --game kuhn_poker --no-browser --port {server.server_port}"
    assert cli.main(arguments.split()) == 2
    assert f"port {server.server_port} of 127.0.0.1 cannot be used" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["inspect", "play"])
def test_help_has_examples_and_defaults(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main([command, "--help"])
    assert left.value.code == 0
    text = capsys.readouterr().out
    assert "examples:" in text and "(default" in text and "--no-browser" in text


@pytest.mark.parametrize("arguments", ["inspect --game kuhn_poker", "play --game kuhn_poker --web"])
def test_commands_serve_until_they_are_interrupted(
    arguments: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []

    def interrupted(self: PageServer, poll_interval: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("webbrowser.open", lambda address: not opened.append(address))
    monkeypatch.setattr(PageServer, "serve_forever", interrupted)
    assert cli.main(arguments.split()) == 0
    assert opened and opened[0] in capsys.readouterr().out
    assert cli.main([*arguments.split(), "--no-browser"]) == 0
    assert len(opened) == 1
