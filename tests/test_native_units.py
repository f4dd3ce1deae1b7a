"""The C++ tests of the core (tests/native), without sanitizers; `make test-native` adds these."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent / "native"


@pytest.mark.skipif(not (shutil.which("make") and shutil.which("g++")), reason="needs make and g++")
def test_the_core_passes_its_own_tests(tmp_path: Path) -> None:
    command = ["make", "-s", "-j2", "-C", str(TESTS), "run", f"OUT={tmp_path}"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    found = re.search(r"(\d+) tests, 0 failures", run.stdout)
    assert found and int(found[1]) == sum(
        source.read_text(encoding="utf-8").count("\nTEST(") for source in TESTS.glob("*_test.cc")
    )
