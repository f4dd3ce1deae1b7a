"""The local page over HTTP: on this machine only, and only for who knows its address.

It listens on 127.0.0.1. The address has a random token as its first part; a request with another
one, for another host, or from a page of another origin is refused (403), so that neither other
pages in the browser nor names that were bound to 127.0.0.1 get an answer. The page asks nothing of
any other machine, which its Content-Security-Policy enforces.
"""

from __future__ import annotations

import hmac
import http.server
import importlib.resources
import json
import re
import secrets
import traceback
from collections.abc import Mapping
from typing import Any

import pyspiel

from nash_ismcts_spiel.page.api import Application

LOOPBACK = "127.0.0.1"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page's Content-Security-Policy."""

_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

_KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
_FILES = ("index.html", "page.css", "page.js", "parts.js", "play.js", "inspect.js")
"""What is served, by the part of the path behind the token; the first one with nothing there."""

_MOST_BYTES = 1_000_000
_LENGTH = re.compile("[0-9]{1,7}")
"""Of a question."""

_API = "api/"


class PageServer(http.server.ThreadingHTTPServer):
    """Serves one application.

    Attributes:
      application: who answers.
      token: the secret part of the address.
    """

    daemon_threads = True

    def __init__(self, application: Application, port: int = 0, token: str | None = None) -> None:
        """Listens on 127.0.0.1.

        Args:
          application: who answers.
          port: 0 for any that is free.
          token: the secret part of the address; a new random one if None.

        Raises:
          ValueError: the port does not exist, or cannot be had.
        """
        if not 0 <= port <= 65535:
            raise ValueError(f"--port must be from 0 (any) to 65535, not {port}")
        self.application = application
        self.token = token or secrets.token_urlsafe(24)
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except OSError as error:
            raise ValueError(f"port {port} of {LOOPBACK} cannot be used: {error}") from error

    @property
    def address(self) -> str:
        """The page's address, token included."""
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"

    @property
    def hosts(self) -> tuple[str, str]:
        """What a browser on this machine may call the server."""
        return f"{LOOPBACK}:{self.server_port}", f"localhost:{self.server_port}"


class _Handler(http.server.BaseHTTPRequestHandler):
    """One request."""

    server: PageServer
    server_version = "nash-ismcts"
    sys_version = ""
    timeout = 30.0

    def do_GET(self) -> None:  # noqa: N802  (http.server's name)
        """A file of the page."""
        path = self._allowed()
        if path is None:
            return
        name = path or _FILES[0]
        if name not in _FILES:
            self._refuse(404, "there is no such file")
            return
        kind = f"{_KINDS[name.partition('.')[2]]}; charset=utf-8"
        static = importlib.resources.files("nash_ismcts_spiel.page") / "static"
        self._send(200, kind, (static / name).read_bytes())

    def do_POST(self) -> None:  # noqa: N802
        """A question of the page."""
        path = self._allowed()
        if path is None:
            return
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip()
        size = self.headers.get("Content-Length", "")
        if kind != "application/json":  # which a form of another page cannot send
            self._refuse(415, "questions are application/json")
        elif _LENGTH.fullmatch(size) is None or int(size) > _MOST_BYTES:
            self._refuse(413, f"a question has at most {_MOST_BYTES} bytes")
        elif not path.startswith(_API):
            self._refuse(404, "there is no such question")
        else:
            self._answer(path.removeprefix(_API), self.rfile.read(int(size)))

    def _answer(self, question: str, body: bytes) -> None:
        try:
            found = self.server.application.answer(question, json.loads(body))
        except LookupError as error:
            self._refuse(404, str(error))
        except (ValueError, RecursionError, pyspiel.SpielError) as error:
            self._refuse(400, " ".join(str(error).split()) or type(error).__name__)
        except Exception:  # a fault of ours, which the page must not hide
            traceback.print_exc()
            self._refuse(500, "the server failed; its terminal says why")
        else:
            self._send_json(200, found)

    def _allowed(self) -> str | None:
        """The path behind the token; None if the request was refused."""
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        origins = [f"http://{each}" for each in self.server.hosts]
        site = self.headers.get("Sec-Fetch-Site", "same-origin")
        token, _, path = self.path.partition("?")[0].removeprefix("/").partition("/")
        if host not in self.server.hosts:
            self._refuse(403, "this host is not served")
        elif origin is not None and origin not in origins:
            self._refuse(403, "other origins are not served")
        elif site not in ("same-origin", "none"):
            self._refuse(403, "other sites are not served")
        elif not hmac.compare_digest(token.encode(), self.server.token.encode()):
            self._refuse(403, "the token in the address is wrong or missing")
        else:
            return path
        return None

    def _refuse(self, status: int, message: str) -> None:
        self._send_json(status, {"error": message})

    def _send_json(self, status: int, data: Any) -> None:
        text = json.dumps(data, allow_nan=False)
        self._send(status, "application/json; charset=utf-8", text.encode())

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing: the address is secret, and the terminal is for the person."""
