"""What a vault's folder is like after a write that failed halfway."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sessions_app.vault.adapters.folder import UnusableFolder, VaultFolder

LARGE = b"x" * 5_000


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file can grow past so many bytes: the operating system's own refusal, in the middle of a write."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class TestAFullDisk:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> VaultFolder:
        return VaultFolder(tmp_path)

    def test_writes_files_that_their_owner_alone_may_read(self, folder: VaultFolder, tmp_path: Path) -> None:
        folder.write("platform/one.md", b"Ours")
        (written,) = tmp_path.rglob("one.md")
        assert written.stat().st_mode & 0o777 == 0o600

    def test_leaves_no_half_of_a_new_file(self, folder: VaultFolder) -> None:
        with room_for(1_000), pytest.raises(UnusableFolder, match=r"a/page\.md cannot be written: File too large"):
            folder.write("a/page.md", LARGE)
        assert [path for path in folder.root.rglob("*") if path.is_file()] == []

    def test_leaves_the_file_that_was_there(self, folder: VaultFolder) -> None:
        folder.write("page.md", b"before")
        with room_for(1_000), pytest.raises(UnusableFolder):
            folder.write("page.md", LARGE)
        assert [path.name for path in folder.root.iterdir()] == ["page.md"]
        assert folder.read("page.md") == b"before"

    def test_leaves_no_half_of_a_line(self, folder: VaultFolder) -> None:
        folder.append("log", "first\n")
        with room_for(1_000), pytest.raises(UnusableFolder):
            folder.append("log", "y" * 2_000 + "\n")
        folder.append("log", "second\n")
        assert list(folder.lines("log")) == ["first\n", "second\n"]
