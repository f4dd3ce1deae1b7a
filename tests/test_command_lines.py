"""No command line ends in a traceback."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path

import command_lines
import numpy as np
import pytest

pytest.importorskip("torch")


def fuzz(folder: Path, trials: range) -> Counter[int]:
    """How often command lines ended with each code."""
    lines, ended = command_lines.Lines(folder), Counter[int]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for trial in trials:
            words = lines.draw(np.random.default_rng(trial))
            ended[command_lines.run(words)] += 1
    return ended


def test_sixty_command_lines_have_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = fuzz(tmp_path, range(60))
    assert ended[0] > 0 and ended[2] > 0


@pytest.mark.slow
def test_a_thousand_command_lines_have_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = fuzz(tmp_path, range(60, 1060))
    assert ended.total() == 1000
    print(dict(ended))
