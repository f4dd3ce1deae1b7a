"""SplitMix64, the generator of compiled code (`native/common/random.h`), for the reference."""

from __future__ import annotations

from collections.abc import Sequence

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def _mix(value: int) -> int:
    value ^= value >> 30
    value = value * 0xBF58476D1CE4E5B9 & _MASK
    value ^= value >> 27
    value = value * 0x94D049BB133111EB & _MASK
    return value ^ (value >> 31)


class SplitMix:
    """Random numbers that are a function of a seed and of a stream's number."""

    def __init__(self, state: int) -> None:
        """Takes the state of 64 bits."""
        self._state = state

    @classmethod
    def stream(cls, seed: int, stream: int) -> SplitMix:
        """The generator of one of many streams, such as that of a view."""
        inner = _mix((stream + _GOLDEN) & _MASK)
        return cls(_mix((_mix((seed + 1) & _MASK) * _GOLDEN + inner) & _MASK))

    def next(self) -> int:
        """64 random bits."""
        self._state = (self._state + _GOLDEN) & _MASK
        return _mix(self._state)

    def uniform(self) -> float:
        """Uniform in [0, 1)."""
        return (self.next() >> 11) * 2.0**-53

    def below(self, count: int) -> int:
        """Uniform in 0 to count - 1."""
        return int(self.uniform() * count)

    def index(self, probabilities: Sequence[float]) -> int:
        """An index, as likely as a distribution says."""
        left = self.uniform()
        for index in range(len(probabilities) - 1):
            left -= probabilities[index]
            if left < 0.0:
                return index
        return len(probabilities) - 1
