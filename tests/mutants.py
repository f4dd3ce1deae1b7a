"""Changes of bytes at random: single bits, pieces that go, come twice or come from elsewhere."""

from __future__ import annotations

import numpy as np

TOKENS = (
    b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1", b"0", b"1e308", b"400", b"null", b"true",
    b"{}", b"[]", b'""', b'"x"', b"[[[[[[[[", b"9" * 40, b"\xff", b"\n", b"2.5", b"-0.0",
    b"[" * 2000, b'{"a":' * 50, b"18446744073709551616", b"1e-400", b"\\ud800", b",", b"}", b":",
)  # fmt: skip
"""What parsers stumble over."""


def flipped(content: bytes, rng: np.random.Generator) -> bytes:
    """One bit is another."""
    at, bit = int(rng.integers(len(content))), 1 << int(rng.integers(8))
    return content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :]


def mutant(content: bytes, rng: np.random.Generator) -> bytes:
    """Some changes, few more often than many."""
    for _ in range(int(rng.geometric(0.6))):
        content = _changed(content, rng)
    return content


def _changed(content: bytes, rng: np.random.Generator) -> bytes:
    if not content:
        return TOKENS[int(rng.integers(len(TOKENS)))]
    first, last = sorted(int(at) for at in rng.integers(len(content) + 1, size=2))
    last = min(last, first + int(rng.geometric(0.1)))
    kind = int(rng.integers(6))
    if kind == 0:
        return flipped(content, rng)
    if kind == 1:  # a piece goes
        return content[:first] + content[last:]
    if kind == 2:  # a piece comes twice
        return content[:last] + content[first:]
    if kind == 3:  # the rest goes
        return content[:last]
    token = TOKENS[int(rng.integers(len(TOKENS)))]
    if kind == 4:
        return content[:first] + token + content[first:]
    # A whole number or word is replaced.
    end = first
    while end < len(content) and content[end : end + 1] not in b',:{}[] "\n':
        end += 1
    return content[:first] + token + content[end:]
