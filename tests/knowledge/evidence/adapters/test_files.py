"""Nothing outside is read, nothing hangs, and each refusal has a word."""

import os
import socket
import time
from pathlib import Path

import pytest

from knowledge.evidence.adapters import files
from knowledge.evidence.adapters.files import Limits, SourceGone, UnreadableFile, folder_of, read, scan
from knowledge.evidence.rules.scope import SearchScope

LIMITS = Limits(largest=1_000, most=100)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "books" / "sub").mkdir(parents=True)
    (root / "books" / "a.md").write_text("alpha")
    (root / "books" / "sub" / "b.md").write_text("beta")
    (tmp_path / "secret.md").write_text("secret")
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "c.md").write_text("secret")
    return root


def scanned(base: Path, path: str = "books", limits: Limits = LIMITS, *scopes: SearchScope) -> files.FileScan:
    return scan(base, path, scopes=scopes, limits=limits, ends=time.monotonic() + 5)


class TestScan:
    def test_finds_regular_files_below_with_their_sizes(self, base: Path) -> None:
        assert scanned(base).sizes == {"a.md": 5, "sub/b.md": 4}

    def test_says_why_others_are_not_read(self, base: Path, tmp_path: Path) -> None:
        books = base / "books"
        (books / "link.md").symlink_to(tmp_path / "secret.md")
        (books / "folder").symlink_to(tmp_path / "away")
        (books / "loop").symlink_to(books)
        os.mkfifo(books / "pipe")
        (books / "huge.bin").write_bytes(b"x" * 1_001)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(books / "sock"))
            found = scanned(base)
        assert set(found.files) == {"a.md", "sub/b.md", "huge.bin"}  # searched piece by piece
        assert found.skipped == {files.LINK: 3, files.SPECIAL: 2}
        assert found.named == []

    def test_takes_names_with_line_feeds_and_leading_dashes(self, base: Path) -> None:
        for name in ("-e", "--files", "two\nlines.md", " ", "ünïcode.md", "a;rm -rf.md"):
            (base / "books" / name).write_text("x")
        assert {"-e", "--files", "two\nlines.md", " ", "ünïcode.md", "a;rm -rf.md"} < set(scanned(base).files)

    def test_leaves_out_names_that_are_no_text(self, base: Path) -> None:
        (base / "books" / os.fsdecode(b"\xff\xfe.md")).write_text("x")
        assert scanned(base).skipped == {files.NAMELESS: 1}

    def test_stops_at_the_most_files(self, base: Path) -> None:
        found = scanned(base, limits=Limits(1_000, 1))
        assert (len(found.files), found.skipped) == (1, {files.MANY: 1})
        assert found.named == [("sub/b.md", files.MANY)]

    def test_stops_when_time_is_over(self, base: Path) -> None:
        found = scan(base, "books", scopes=(), limits=LIMITS, ends=time.monotonic() - 1)
        assert found.skipped[files.LATE]

    def test_does_not_enter_what_tools_wrote(self, base: Path) -> None:
        (base / "books" / ".git").mkdir()
        (base / "books" / ".git" / "config").write_text("x")
        assert ".git/config" not in scanned(base, "books", LIMITS, SearchScope()).files

    def test_leaves_out_what_git_ignores_as_git_does(self, base: Path) -> None:
        books = base / "books"
        for name in ("debug.log", "kept.log", "build/out.md", "sub/build.md", "sub/debug.log", "sub/local.md"):
            (books / name).parent.mkdir(exist_ok=True)
            (books / name).write_text("x")
        (books / ".gitignore").write_text("*.log\n!kept.log\n/build/\n")
        (books / "sub" / ".gitignore").write_text("local.md\n!debug.log\n")
        found = scanned(base)
        assert set(found.files) == {
            ".gitignore",
            "sub/.gitignore",
            "a.md",
            "kept.log",
            "sub/b.md",
            "sub/build.md",
            "sub/debug.log",
        }
        assert found.skipped == {files.IGNORED: 3}

    def test_takes_what_git_ignores_when_it_is_named(self, base: Path) -> None:
        books = base / "books"
        (books / "logs").mkdir()
        (books / "logs" / "app.log").write_text("x")
        (books / ".gitignore").write_text("logs/\n*.log\n")
        for scope in (SearchScope(paths=("logs/app.log",)), SearchScope(include=("logs/*.log",))):
            assert set(scanned(base, "books", LIMITS, scope).files) == {"logs/app.log"}

    def test_ends_in_folders_too_deep(self, base: Path) -> None:
        deep = base / "books" / Path(*["d"] * (files.DEEPEST + 2))
        deep.mkdir(parents=True)
        (deep / "x.md").write_text("x")
        found = scanned(base)
        assert found.skipped == {files.DEEP: 1}

    @pytest.mark.parametrize("path", ["..", "books/../..", "/etc", "nowhere", "books/a.md", "\0"])
    def test_of_a_folder_that_is_none_says_so(self, base: Path, path: str) -> None:
        with pytest.raises(SourceGone):
            scanned(base, path)

    def test_of_a_link_is_refused(self, base: Path, tmp_path: Path) -> None:
        (base / "away").symlink_to(tmp_path / "away")
        for act in (lambda: scanned(base, "away"), lambda: folder_of(base, "away")):
            with pytest.raises(SourceGone, match="link"):
                act()


class TestRead:
    def test_gives_the_bytes(self, base: Path) -> None:
        assert read(base, "books", "sub/b.md", 100) == b"beta"

    @pytest.mark.parametrize(
        ("path", "why"),
        [
            ("../secret.md", files.OUTSIDE),
            ("../../secret.md", files.OUTSIDE),
            ("sub/../../../secret.md", files.OUTSIDE),
            ("/etc/passwd", files.OUTSIDE),
            ("link.md", files.LINK),
            ("folder/c.md", "not a folder, or a link"),
            ("pipe", files.SPECIAL),
            ("sub", files.SPECIAL),
            ("", files.SPECIAL),
            (".", files.SPECIAL),
            ("gone.md", files.VANISHED),
            ("sub/gone/x.md", files.VANISHED),
            ("a.md/x", "not a folder, or a link"),
            ("huge.bin", files.HUGE),
            ("\0", "embedded null byte"),
            ("x" * 5_000, "file name too long"),
        ],
    )
    def test_says_in_words_why_not(self, base: Path, tmp_path: Path, path: str, why: str) -> None:
        books = base / "books"
        (books / "link.md").symlink_to(tmp_path / "secret.md")
        (books / "folder").symlink_to(tmp_path / "away")
        os.mkfifo(books / "pipe")
        (books / "huge.bin").write_bytes(b"x" * 1_001)
        began = time.monotonic()
        with pytest.raises(UnreadableFile, match=why):
            read(base, "books", path, 1_000)
        assert time.monotonic() - began < 1

    def test_never_opens_a_device_for_real(self, base: Path) -> None:
        with pytest.raises(UnreadableFile, match=files.SPECIAL):
            read(Path("/dev"), "", "zero", 1_000)

    def test_refuses_what_may_not_be_read(self, base: Path) -> None:
        path = base / "books" / "a.md"
        path.chmod(0)
        if os.access(path, os.R_OK):
            pytest.skip("root reads everything")
        with pytest.raises(UnreadableFile, match=files.DENIED):
            read(base, "books", "a.md", 100)

    def test_refuses_a_file_whose_folder_became_a_link_meanwhile(self, base: Path, tmp_path: Path) -> None:
        known = scanned(base).files
        (base / "books" / "sub" / "b.md").unlink()
        (base / "books" / "sub").rmdir()
        (base / "books" / "sub").symlink_to(tmp_path / "away")
        assert "sub/b.md" in known
        with pytest.raises(UnreadableFile):
            read(base, "books", "sub/c.md", 100)
