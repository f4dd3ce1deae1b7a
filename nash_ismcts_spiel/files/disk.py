"""How files are changed: every call of the operating system that writes goes through a `Disk`.

A file is replaced by writing another one beside it, which is flushed to the disk before it takes
the name; then the directory is flushed, so that the new name survives a power cut. Tests put a disk
in place that fails, writes too little, or loses what was not flushed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_AT_ONCE = getattr(os, "O_NONBLOCK", 0)
"""Opening does not wait for the other side of a pipe."""


class Disk:
    """The calls that change files, one method each."""

    def open(self, path: Path, flags: int) -> int:
        """A descriptor of a file or directory."""
        return os.open(path, flags | getattr(os, "O_BINARY", 0), 0o666)

    write = staticmethod(os.write)
    truncate = staticmethod(os.ftruncate)
    sync = staticmethod(os.fsync)
    close = staticmethod(os.close)
    rename = staticmethod(os.replace)
    remove = staticmethod(os.unlink)
    make_directory = staticmethod(os.mkdir)


DISK = Disk()
"""The disk of this machine."""


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors of the operating system say which file they are about: a full disk does not."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def replace_file(path: Path, content: bytes, disk: Disk = DISK) -> None:
    """Writes a file so that readers, and who comes after a power cut, see the old content or the
    new one, never a part.
    """
    temporary = path.with_name(f"{path.name}.new")
    with naming(path):
        try:
            with _new(temporary, disk) as descriptor:
                write_all(descriptor, content, disk)
                disk.sync(descriptor)
            disk.rename(temporary, path)
        except OSError:
            with contextlib.suppress(OSError):  # a full disk gets its room back
                disk.remove(temporary)
            raise
        sync_directory(path.parent, disk)


def append_to_file(path: Path, content: bytes, disk: Disk = DISK) -> None:
    """Adds to the end of a file, which is made if it is not there; nothing is flushed."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    with naming(path), opened(path, flags, disk) as descriptor:
        write_all(descriptor, content, disk)


def truncate_file(path: Path, size: int, disk: Disk = DISK) -> None:
    """Cuts a file off; nothing is flushed."""
    with naming(path), opened(path, os.O_WRONLY, disk) as descriptor:
        disk.truncate(descriptor, size)


def remove_file(path: Path, disk: Disk = DISK) -> None:
    """Removes a file if it is there; nothing is flushed."""
    with naming(path), contextlib.suppress(FileNotFoundError):
        disk.remove(path)


def sync_file(path: Path, disk: Disk = DISK) -> None:
    """Flushes the content of a file."""
    with naming(path), opened(path, os.O_WRONLY, disk) as descriptor:
        disk.sync(descriptor)


def sync_directory(path: Path, disk: Disk = DISK) -> None:
    """Flushes the names in a directory, where the system lets directories be opened."""
    if os.name == "nt":
        return
    with naming(path), opened(path, os.O_RDONLY, disk) as descriptor:
        disk.sync(descriptor)


def make_directories(path: Path, disk: Disk = DISK) -> None:
    """Makes a directory with all above it that are missing, and flushes their names."""
    chain = [path]  # its own name is flushed in any case: who made it may have failed to
    while not path.parent.exists():
        path = path.parent
        chain.append(path)
    for each in reversed(chain):
        with naming(each), contextlib.suppress(FileExistsError):
            disk.make_directory(each)
        with contextlib.suppress(PermissionError):  # a parent that may not be read
            sync_directory(each.parent, disk)


def open_to_read(path: Path) -> IO[bytes]:
    """A regular file; a pipe would be waited for, and a device never ends.

    Raises:
      OSError: there is none.
    """
    descriptor = os.open(path, os.O_RDONLY | _AT_ONCE | getattr(os, "O_BINARY", 0))
    try:
        _refuse_special(path, descriptor)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


@contextlib.contextmanager
def _new(path: Path, disk: Disk) -> Iterator[int]:
    """A file that was made here: a link, or what a killed process left, is taken away first."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with contextlib.ExitStack() as stack:
        try:
            descriptor = stack.enter_context(opened(path, flags, disk))
        except FileExistsError:
            disk.remove(path)
            descriptor = stack.enter_context(opened(path, flags, disk))
        yield descriptor


def _refuse_special(path: Path, descriptor: int) -> None:
    mode = os.fstat(descriptor).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "not a regular file", str(path))


@contextlib.contextmanager
def opened(path: Path, flags: int, disk: Disk) -> Iterator[int]:
    """A descriptor of a regular file or a directory that is closed in the end."""
    descriptor = disk.open(path, flags | _AT_ONCE | getattr(os, "O_CLOEXEC", 0))
    try:
        _refuse_special(path, descriptor)
        yield descriptor
    finally:
        disk.close(descriptor)


def write_all(descriptor: int, content: bytes, disk: Disk) -> None:
    """Writes until nothing is left: the system may take less than it was given."""
    rest = memoryview(content)
    while len(rest) > 0:
        rest = rest[disk.write(descriptor, rest) :]
