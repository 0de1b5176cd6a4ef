"""Zip archives from strangers: what is in them, or why nothing of them is taken."""

import io
import stat
import zipfile
from collections.abc import Callable

import pytest

from accounts.rules import archive
from accounts.rules.archive import HostileArchive, is_litter, pack, path_fault, unpack
from tests.cases import cases


def zipped(write: Callable[[zipfile.ZipFile], None]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        write(file)
    return out.getvalue()


def entry(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("x")
    info.filename = info.orig_filename = name
    info.external_attr = mode << 16
    return info


class TestPacking:
    def test_is_unpacked_to_the_same(self) -> None:
        files = {"release/SKILL.md": b"A", "release/scripts/run.sh": b"\x00\xff" * 500, "b/ünï.md": b""}
        assert unpack(pack(files)) == files

    def test_gives_the_same_bytes_for_the_same_files(self) -> None:
        assert pack({"a": b"1", "b": b"2"}) == pack({"b": b"2", "a": b"1"})


class TestUnpacking:
    def test_leaves_litter_out(self) -> None:
        files = {"a/SKILL.md": b"A", "__MACOSX/a/._SKILL.md": b"x", "a/.DS_Store": b"x", "a/.git/config": b"x"}
        assert unpack(pack(files)) == {"a/SKILL.md": b"A"}

    def test_passes_folders_over(self) -> None:
        assert unpack(zipped(lambda z: (z.mkdir("a"), z.writestr("a/SKILL.md", "A"))[0])) == {"a/SKILL.md": b"A"}

    @cases(
        "name",
        ["../evil", "a/../../evil", "/etc/passwd", "C:/evil", "C:evil", "a\\..\\evil", "\\\\host\\share", "a//b", "./a",
         "a/./b", "a\nb", "a\x00.md", "a/" * 11 + "b", "x" * 201, "..", ""],
    )  # fmt: skip
    def test_refuses_names_that_are_no_place_inside(self, name: str) -> None:
        data = zipped(lambda z: z.writestr(entry(name), "x"))
        with pytest.raises(HostileArchive):
            unpack(data)

    @cases("mode", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK])
    def test_refuses_links_and_devices(self, mode: int) -> None:
        with pytest.raises(HostileArchive, match="a link or a device"):
            unpack(zipped(lambda z: z.writestr(entry("a/link", mode | 0o777), "/etc/passwd")))

    @pytest.mark.filterwarnings("ignore:Duplicate name")
    @pytest.mark.parametrize("second", ["a/SKILL.md", "A/skill.MD"])
    def test_refuses_a_name_twice(self, second: str) -> None:
        def write(z: zipfile.ZipFile) -> None:
            z.writestr("a/SKILL.md", "x")
            z.writestr(second, "y")

        with pytest.raises(HostileArchive, match="listed twice"):
            unpack(zipped(write))

    def test_refuses_a_bomb_of_one_file(self) -> None:
        bomb = zipped(lambda z: z.writestr("a/SKILL.md", b"\0" * 30_000_000))
        assert len(bomb) < 50_000
        with pytest.raises(HostileArchive, match="unpacks to more than"):
            unpack(bomb)

    def test_refuses_a_bomb_of_many(self) -> None:
        def write(z: zipfile.ZipFile) -> None:
            for n in range(45):
                z.writestr(f"a/{n}", b"\0" * 999_000)

        with pytest.raises(HostileArchive, match="the archive unpacks to more than"):
            unpack(zipped(write))

    def test_does_not_believe_what_an_entry_says_of_its_size(self) -> None:
        data = bytearray(zipped(lambda z: z.writestr("a/SKILL.md", b"\0" * 5_000_000)))
        at = data.rindex(b"PK\x01\x02")
        data[at + 24 : at + 28] = (10).to_bytes(4, "little")
        with pytest.raises(HostileArchive):
            unpack(bytes(data))

    def test_refuses_too_many_entries_before_it_reads_them(self) -> None:
        with pytest.raises(HostileArchive, match="more than 2,000 entries"):
            unpack(pack({f"a/{n}": b"" for n in range(2_001)}))

    def test_refuses_what_is_too_large_or_encrypted_or_oddly_packed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(HostileArchive, match="the limit is"):
            unpack(b"x" * (archive.LARGEST_ARCHIVE + 1))
        data = bytearray(pack({"a": b"x"}))
        at = data.rindex(b"PK\x01\x02")
        data[at + 8] |= 1
        with pytest.raises(HostileArchive, match="encrypted"):
            unpack(bytes(data))

        def odd(z: zipfile.ZipFile) -> None:
            z.writestr("a", "x", zipfile.ZIP_BZIP2)

        with pytest.raises(HostileArchive, match="unsupported compression"):
            unpack(zipped(odd))

    @cases("data", [b"", b"PK", b"nonsense" * 100, pack({"a": b"x" * 5_000})[:-30]])
    def test_refuses_what_is_no_archive(self, data: bytes) -> None:
        with pytest.raises(HostileArchive, match="not a readable zip archive"):
            unpack(data)

    def test_refuses_one_that_is_broken_inside(self) -> None:
        data = bytearray(pack({"a/SKILL.md": bytes(range(256)) * 50}))
        data[60:90] = b"\xff" * 30
        with pytest.raises(HostileArchive):
            unpack(bytes(data))


class TestNames:
    @cases("path", ["SKILL.md", "scripts/run.sh", "a b/c-d_e.f", "ünï/…"])
    def test_that_are_good(self, path: str) -> None:
        assert path_fault(path) == ""

    @cases(("path", "litter"), [(".env", True), ("a/.b/c", True), ("a/b.md", False)])
    def test_that_are_litter(self, path: str, litter: bool) -> None:
        assert is_litter(path) is litter
