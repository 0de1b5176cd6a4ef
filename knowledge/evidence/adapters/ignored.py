"""`.gitignore` as Git reads it: of every folder, the nearest one first."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from pathspec import GitIgnoreSpec

NAME = ".gitignore"
LARGEST = 100_000


@dataclass(frozen=True)
class IgnoreFile:
    """The patterns of one `.gitignore`, and the folder it lies in with a slash at its end, "" for the uppermost."""

    folder: str
    spec: GitIgnoreSpec


def read_ignore_file(fd: int, folder: str) -> IgnoreFile | None:
    """The patterns of the opened folder `fd`; None where there are none."""
    try:
        file = os.open(NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=fd)
    except OSError:
        return None
    try:
        text = os.read(file, LARGEST).decode("utf-8", "replace")
        return IgnoreFile(folder, GitIgnoreSpec.from_lines(text.splitlines()))
    except (OSError, ValueError):
        return None
    finally:
        os.close(file)


def is_ignored(path: str, files: Sequence[IgnoreFile]) -> bool:
    """Whether Git would ignore a path; that of a folder ends with a slash."""
    for one in reversed(files):
        told = one.spec.check_file(path[len(one.folder) :]).include
        if told is not None:
            return told
    return False
