"""A disk that fails: errors, short writes, and power cuts that take what was not flushed.

It writes to the real files of a directory, which stand for what the running system sees (the page
cache), and keeps beside them what is on the disk for certain. After a power cut, what was flushed
is there; of what was not, any part may be: single writes whole, in part or not at all; new names,
renames and removals in any order. A flush that has failed leaves the system thinking that all is
written, so a second one does nothing, as on Linux.
"""

from __future__ import annotations

import dataclasses
import errno
import os
from pathlib import Path
from typing import Literal

import numpy as np

from nash_ismcts_spiel.files import Disk

Kind = Literal["cut", "full", "error", "short"]
Operation = Literal["open", "write", "truncate", "sync", "close", "rename", "remove", "make"]


class PowerCut(BaseException):  # noqa: N818  (no error: nothing may catch it)
    """The machine is off."""


@dataclasses.dataclass
class Change:
    """Something that was done to a file's content: bytes at a place, or a new size."""

    at: int
    content: bytes | None
    state: Literal["pending", "flushed", "doomed"] = "pending"

    def apply(self, before: bytes, share: float = 1.0) -> bytes:
        """The content after a part of it has reached the disk."""
        if self.content is None:
            return before[: self.at].ljust(self.at, b"\0")
        part = self.content[: round(share * len(self.content))]
        return before.ljust(self.at, b"\0")[: self.at] + part + before[self.at + len(part) :]


@dataclasses.dataclass
class Rename:
    """A change of names: `old` goes, `new` is the file; either may be missing."""

    old: Path | None
    new: Path | None
    file: int | None


class FaultyDisk(Disk):
    """A disk with one fault, and perhaps a power cut some steps later.

    Attributes:
      steps: calls so far.
      log: what they were.
    """

    def __init__(
        self,
        root: Path,
        rng: np.random.Generator,
        kind: Kind = "cut",
        at: int | None = None,
        then_cut_after: int | None = None,
    ) -> None:
        """Fails at the call of number `at`, if it is given; all below `root` is flushed."""
        self.steps = 0
        self.log: list[Operation] = []
        self._root, self._rng, self._kind, self._at = root, rng, kind, at
        self._cut_at = at if kind == "cut" else None
        if at is not None and then_cut_after is not None:
            self._cut_at = at + then_cut_after
        self._off = False
        self._changes: list[list[Change]] = []
        self._names: dict[Path, int | None] = {}
        for path in sorted(root.rglob("*")):
            self._names[path] = None if path.is_dir() else self._new_file(path.read_bytes())
        self._certain = dict(self._names)
        self._pending: list[Rename] = []
        self._open: dict[int, tuple[Path, int | None]] = {}

    # What the package calls.

    def open(self, path: Path, flags: int) -> int:
        """As the system does; a new name is pending."""
        self._step("open")
        descriptor = super().open(path, flags)
        file = self._names.get(path)
        if flags & os.O_CREAT and file is None:
            file = self._names[path] = self._new_file(b"")
            self._pending.append(Rename(None, path, file))
        elif flags & os.O_TRUNC and file is not None:
            self._changes[file].append(Change(0, None))
        self._open[descriptor] = path, file
        return descriptor

    def write(self, descriptor: int, content: memoryview) -> int:
        """Writes all, or a part if that is the fault; an error comes after a part too."""
        fault = self._step("write", raises=False)
        size = len(content) if fault is None else int(self._rng.integers(1, len(content) + 1))
        file = self._open[descriptor][1]
        assert file is not None
        at = os.fstat(descriptor).st_size  # files are written from start to end
        written = super().write(descriptor, content[:size])
        assert written == size
        self._changes[file].append(Change(at, bytes(content[:size])))
        if fault in ("full", "error"):
            raise self._error(fault)
        return written

    def truncate(self, descriptor: int, size: int) -> None:
        """As the system does; pending."""
        self._step("truncate")
        super().truncate(descriptor, size)
        file = self._open[descriptor][1]
        assert file is not None
        self._changes[file].append(Change(size, None))

    def sync(self, descriptor: int) -> None:
        """What was pending is certain from now on, unless this fails."""
        fault = self._step("sync", raises=False)
        path, file = self._open[descriptor]
        if fault in ("full", "error"):
            for change in self._changes[file] if file is not None else ():
                change.state = "doomed" if change.state == "pending" else change.state
            raise self._error("error")
        if file is None:
            self._settle([each for each in self._pending if _within(each, path)])
            self._pending = [each for each in self._pending if not _within(each, path)]
            return
        for change in self._changes[file]:
            change.state = "flushed" if change.state == "pending" else change.state

    def close(self, descriptor: int) -> None:
        """Never fails; a descriptor must not be left open even without power."""
        del self._open[descriptor]
        super().close(descriptor)

    def rename(self, source: Path, target: Path) -> None:
        """As the system does; pending."""
        self._step("rename")
        super().rename(source, target)
        file = self._names[target] = self._names.pop(source)
        self._pending.append(Rename(source, target, file))

    def remove(self, path: Path) -> None:
        """As the system does; pending."""
        self._step("remove")
        super().remove(path)
        self._names.pop(path, None)
        self._pending.append(Rename(path, None, None))

    def make_directory(self, path: Path) -> None:
        """As the system does; pending."""
        self._step("make")
        super().make_directory(path)
        self._names[path] = None
        self._pending.append(Rename(None, path, None))

    # After a power cut.

    def leave_behind(self, target: Path) -> None:
        """Writes what is on the disk to another directory."""
        self._settle(
            [self._pending[k] for k in self._rng.permutation(len(self._pending))
             if self._rng.random() < 0.5]
        )  # fmt: skip
        for path, file in sorted(self._certain.items()):
            below = [self._root / part for part in path.relative_to(self._root).parents]
            if not all(parent in self._certain or parent == self._root for parent in below):
                continue
            place = target / path.relative_to(self._root)
            if file is None:
                place.mkdir()
            else:
                place.write_bytes(self._content(file))

    def _content(self, file: int) -> bytes:
        content = b""
        for change in self._changes[file]:
            if change.state == "flushed":
                content = change.apply(content)
            elif self._rng.random() < 0.5:
                content = change.apply(content, float(self._rng.choice([0.3, 0.9, 1.0])))
        return content

    def _settle(self, renames: list[Rename]) -> None:
        for each in renames:
            if each.old is not None:
                self._certain.pop(each.old, None)
            if each.new is not None:
                self._certain[each.new] = each.file

    def _new_file(self, content: bytes) -> int:
        self._changes.append([Change(0, content, "flushed")])
        return len(self._changes) - 1

    def _step(self, operation: Operation, raises: bool = True) -> Kind | None:
        if self._off or self.steps == self._cut_at:
            self._off = True
            raise PowerCut
        fault = self._kind if self.steps == self._at else None
        self.steps += 1
        self.log.append(operation)
        if raises and fault in ("full", "error"):
            raise self._error(fault)
        return fault

    def _error(self, fault: Kind) -> OSError:
        number = errno.ENOSPC if fault == "full" else errno.EIO
        return OSError(number, os.strerror(number))


def _within(rename: Rename, directory: Path) -> bool:
    return any(path is not None and path.parent == directory for path in (rename.old, rename.new))
