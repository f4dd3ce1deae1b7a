"""A headless Chromium for tests, driven by the DevTools protocol over a pipe; no other package."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

SECONDS = 60.0
"""How long anything may take."""


def chromium() -> str | None:
    """The browser's program, None if there is none."""
    return next((found for found in map(shutil.which, NAMES) if found is not None), None)


class Page:
    """One page of a browser."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._read, self._number, self._session = b"", 0, ""
        self.errors: list[str] = []
        self.requests: list[str] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._call(f"{domain}.enable")

    def open(self, address: str) -> None:
        self._call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && document.body !== null")

    def run(self, script: str) -> Any:
        """The value of an expression on the page."""
        found = self._call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, script: str) -> Any:
        """Waits until an expression is true, and returns its value."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            if found := self.run(script):
                return found
            time.sleep(0.02)
        raise AssertionError(f"still false: {script}\n{self.run('document.body.innerText')}")

    def press(self, text: str, within: str = "body") -> None:
        """Presses the first enabled button with a text."""
        found = (
            f"[...document.querySelectorAll({json.dumps(within + ' button')})]"
            f".find((each) => !each.disabled && each.textContent === {json.dumps(text)})"
        )
        self.wait(f"{found} !== undefined")
        self.run(f"{found}.click()")

    def picture(self, path: Path, width: int = 1280, height: int = 800) -> None:
        """Writes the page as it looks."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._call("Emulation.setDeviceMetricsOverride", **size)
        found = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=False)
        path.write_bytes(base64.b64decode(found["data"]))

    def _call(self, method: str, **given: Any) -> Any:
        self._number += 1
        message = {"id": self._number, "method": method, "params": given}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + SECONDS
        while True:
            answer = self._next(deadline)
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self._note(answer)

    def _note(self, event: dict[str, Any]) -> None:
        kind, given = event.get("method"), event.get("params", {})
        if kind == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"])
        elif kind == "Runtime.exceptionThrown":
            self.errors.append(str(given["exceptionDetails"]))
        elif kind == "Log.entryAdded" and given["entry"]["level"] == "error":
            self.errors.append(given["entry"]["text"])

    def _next(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._read:
            ready, _, _ = select.select([self._answers], [], [], deadline - time.monotonic())
            more = os.read(self._answers, 1 << 16) if ready else b""
            assert more, "the browser does not answer"
            self._read += more
        text, _, self._read = self._read.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        return found


@contextlib.contextmanager
def browser(profile: Path) -> Iterator[Page]:
    """A page of a new browser that keeps everything in `profile`."""
    program = chromium()
    assert program is not None
    to_browser, commands = os.pipe()
    answers, from_browser = os.pipe()
    # The browser reads commands from file 3 and writes answers to file 4.
    script = f'exec 3<&{to_browser} 4>&{from_browser}; exec "$0" "$@"'
    arguments = [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--remote-debugging-pipe", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", f"--user-data-dir={profile}",
    ]  # fmt: skip
    process = subprocess.Popen(
        ["bash", "-c", script, program, *arguments],
        pass_fds=(to_browser, from_browser),
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(to_browser)
    os.close(from_browser)
    try:
        yield Page(commands, answers)
    finally:
        os.close(commands)
        os.close(answers)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(SECONDS)
