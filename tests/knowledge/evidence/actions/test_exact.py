"""What was copied into a question is found as it stands, in whichever file, at whichever line."""

import gzip
import io
import lzma
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from backports import zstd

from accounts.rules.guard.detection import masked
from knowledge.evidence.actions import locate, probe
from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.actions.search import EvidenceAnswer
from knowledge.evidence.adapters import streams
from knowledge.evidence.adapters.files import FileScan
from knowledge.evidence.adapters.grep import Located
from knowledge.evidence.models import KnowledgeCluster, Search, Source
from knowledge.evidence.rules.confidence import LOCATED
from knowledge.evidence.rules.reuse import ReuseMode
from tests.knowledge.evidence.made_documents import word

Ask = Callable[..., EvidenceAnswer]
LINE = "2026-03-03 04:11:09 ERROR shipment WB00412207 held: code 9027 needs a licence"


def log(number: int = 40_000, at: int = 31_339, line: str = LINE) -> str:
    """A log in which every line is like the others but one, `at` counted from 1."""
    lines = [f"2026-03-03 04:11:{n % 60:02d} INFO shipment WB{500_000 + n:08d} released" for n in range(number)]
    lines[at - 1] = line
    return "\n".join(lines) + "\n"


def first(answer: EvidenceAnswer) -> tuple[str, bool]:
    one = answer.cited[0]
    return one.path, "WB00412207" in one.text


class TestAnExactTerm:
    @pytest.mark.parametrize("mode", [ReuseMode.FAST, ReuseMode.DEEP])
    def test_is_cited_at_its_line_of_a_log_with_its_neighbours(self, ask: Ask, files: Path, mode: ReuseMode) -> None:
        (files / "gateway.log").write_text(log())
        cited = ask("what happened to shipment WB00412207", mode).cited[0]
        assert cited.path == "gateway.log"
        assert cited.start_line <= 31_339 <= cited.end_line <= cited.start_line + 8
        assert cited.text.split("\n")[31_339 - cited.start_line] == LINE

    @pytest.mark.parametrize(
        "question", ["why did WB00412207 fail", "where does WB00412207 come from", "wo steht WB00412207"]
    )
    def test_is_cited_though_no_file_has_another_word_of_the_question(
        self, ask: Ask, files: Path, question: str
    ) -> None:
        (files / "gateway.log").write_text(log(900, 600))
        answer = ask(question)
        assert first(answer) == ("gateway.log", True)
        assert answer.confidence >= LOCATED

    def test_is_looked_up_while_archives_are_opened(
        self, ask: Ask, files: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = locate.locate_exact

        def slowly(inquiry: Inquiry, source: Source, found: FileScan | None) -> Located | None:
            for _ in found.files if found else ():
                time.sleep(0.02)
            return real(inquiry, source, found)

        monkeypatch.setattr(probe, "locate_exact", slowly)
        (files / "gateway.log").write_text(log(900, 600))
        for number in range(9):
            with zipfile.ZipFile(files / f"a{number}.zip", "w") as held:
                held.writestr("note.txt", "nothing of it")
        assert first(ask("what happened to shipment WB00412207")) == ("gateway.log", True)

    def test_is_not_cited_beside_what_has_the_other_words_alone(self, ask: Ask, files: Path) -> None:
        (files / "gateway.log").write_text(log(900, 600))
        (files / "logged.md").write_text("# What is logged\n\nEvery release that failed is logged when it was held.\n")
        (files / "bill.md").write_text("# Bills\n\nWB00412207 was paid twice.\n")
        answer = ask("when was the held release WB00412207 logged")
        assert {one.path for one in answer.cited} == {"gateway.log", "bill.md"}

    @pytest.mark.parametrize("name", ["gateway.log", "gateway.log.gz", "gateway.docx"])
    def test_in_several_parts_is_one_wherever_it_stands(self, ask: Ask, files: Path, name: str) -> None:
        token = "8f3c1d77-0b52-4e0f-9a6d-51c2f7e0aa19"
        text = log(300, 200, LINE.replace("WB00412207", token))
        data = {"log": text.encode(), "gz": gzip.compress(text.encode()), "docx": word(*text.splitlines()[150:250])}
        (files / name).write_bytes(data[name.rpartition(".")[2]])
        assert token in ask(f"who changed {token}").cited[0].text

    def test_in_several_parts_is_found_in_a_file_too_large_to_be_read_whole(
        self, ask: Ask, files: Path, books: Source
    ) -> None:
        token = "8f3c1d77-0b52-4e0f-9a6d-51c2f7e0aa19"
        (files / "gateway.log").write_text(log(20_000, 15_000, LINE.replace("WB00412207", token)))
        books.largest_file = 100_000
        books.save()
        assert token in ask(f"who changed {token}").cited[0].text

    def test_that_stands_everywhere_is_no_place(self, ask: Ask, files: Path) -> None:
        (files / "gateway.log").write_text("2026-03-03 04:11:09 INFO edge-3 released\n" * 200)
        assert ask("why did edge-3 fail in Portugal").cited == []

    def test_is_found_in_a_file_too_large_to_be_read_whole(self, ask: Ask, files: Path, books: Source) -> None:
        (files / "gateway.log").write_text(log(90_000, 88_888))
        assert (files / "gateway.log").stat().st_size > books.largest_file - 1_000_000
        books.largest_file = 1_000_000
        books.save()
        cited = ask("WB00412207").cited[0]
        assert cited.start_line <= 88_888 <= cited.end_line

    def test_is_not_needed_to_find_a_line_of_a_huge_file(
        self, ask: Ask, files: Path, books: Source, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The words of a question are looked for in it, too, if no exact term has been found."""
        line = "2026-03-03 04:11:09 ERROR upstream billing-core answered 503, circuit breaker opened"
        lines = [f"2026-03-03 04:11:{n % 60:02d} INFO request routed ms={500 + n % 9}" for n in range(40_000)]
        lines[31_338] = line
        (files / "gateway.log").write_text("\n".join(lines))
        books.largest_file = 1_000_000
        books.save()
        monkeypatch.setattr(locate, "MOST_BESIDE_EXACT", 1_000_000)
        cited = ask("what happened when billing-core answered 503").cited[0]
        assert line in cited.text and cited.start_line <= 31_339 <= cited.end_line
        (files / "code.md").write_text("# ERR-70991\n\nThe upstream is down.\n")
        reasons = [one["reason"] for one in ask("ERR-70991 upstream billing-core").skipped]
        assert reasons == ["only exact terms were looked up in it: too large"]

    @pytest.mark.parametrize("kind", ["huge", "long", "packed"])
    def test_of_three_letters_is_found_in_a_file_that_is_not_read_whole(
        self, ask: Ask, files: Path, books: Source, kind: str
    ) -> None:
        line = "2026-03-03 04:11:09 ERROR UPS reports a fault, switched to bypass"
        lines = [f"2026-03-03 04:11:{n % 60:02d} INFO groups start up on upstream {500 + n % 9}" for n in range(40_000)]
        lines[31_338] = line
        name, text = ("old.log.gz", gzip.compress("\n".join(lines).encode())) if kind == "packed" else ("new.log", b"")
        (files / name).write_bytes(text or "\n".join(lines).encode())
        books.largest_file = 1_000_000 if kind == "huge" else books.largest_file
        books.save()
        answer = ask("what happened to the UPS")
        assert line in [*answer.cited, *answer.nearest][0].text
        line_31_339 = [*answer.cited, *answer.nearest][0]
        assert line_31_339.start_line <= 31_339 <= line_31_339.end_line

    def test_that_is_common_keeps_no_large_file_from_being_searched(
        self, ask: Ask, files: Path, books: Source, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lines = [f"2026-03-03 04:11:{n % 60:02d} INFO edge-01 routed ms={500 + n % 9}" for n in range(40_000)]
        lines[31_338] = "2026-03-03 04:11:09 ERROR edge-01 ran out of descriptors"
        (files / "gateway.log").write_text("\n".join(lines))
        (files / "old.log.gz").write_bytes(gzip.compress("\n".join(lines[:20_000]).encode()))
        books.largest_file = 1_000_000
        books.save()
        monkeypatch.setattr(locate, "MOST_BESIDE_EXACT", 1_000_000)
        answer = ask("which descriptors did edge-01 run out of")
        assert any("ran out of descriptors" in one.text for one in answer.cited)
        assert answer.skipped == []
        assert {one.path: one.exact for one in answer.ranked}["old.log.gz"] == 0

    def test_is_found_though_a_long_file_ranks_low(self, ask: Ask, files: Path) -> None:
        settings = [f"PARAM_{number}_TIMEOUT = {number}" for number in range(60_000)]
        settings[30_000] = "CUSTOMS_RETRY_LIMIT = 7"
        (files / "constants.txt").write_text("\n".join(settings))
        for number in range(5):
            (files / f"note-{number}.md").write_text("# Customs\n\nThe limit of a retry is set by customs.\n")
        answer = ask("CUSTOMS_RETRY_LIMIT")
        assert (answer.cited[0].path, answer.ranked[0].path) == ("constants.txt", "constants.txt")
        assert "CUSTOMS_RETRY_LIMIT = 7" in answer.cited[0].text

    @pytest.mark.parametrize("name", ["old.tar", "old.tar.gz", "old.tgz", "old.tar.zst"])
    def test_is_found_in_a_tar(self, ask: Ask, files: Path, name: str) -> None:
        """A packed one is unpacked once for all its members."""
        texts = {f"logs/{n}.log": log(20_000, 15_000, LINE if n == 7 else "INFO all is well") for n in range(9)}
        (files / name).write_bytes(tar(texts, name))
        cited = ask("what happened to WB00412207").cited[0]
        assert (cited.path, LINE in cited.text) == (f"{name}!/logs/7.log", True)
        assert cited.start_line <= 15_000 <= cited.end_line

    @pytest.mark.parametrize("kind", ["gz", "zst", "zip", "utf-16"])
    def test_is_found_in_packed_and_other_texts(self, ask: Ask, files: Path, kind: str) -> None:
        text = log(20_000, 15_000)
        name = {"gz": "old.log.gz", "zst": "old.log.zst", "zip": "old.zip", "utf-16": "old.txt"}[kind]
        if kind == "zip":
            with zipfile.ZipFile(files / name, "w", zipfile.ZIP_DEFLATED) as held:
                held.writestr("logs/gateway.log", text)
        else:
            packed = {"gz": gzip.compress, "zst": zstd.compress}.get(kind)
            (files / name).write_bytes(packed(text.encode()) if packed else text.encode("utf-16"))
        cited = ask("what happened to WB00412207").cited[0]
        assert cited.path == ("old.zip!/logs/gateway.log" if kind == "zip" else name)
        assert cited.start_line <= 15_000 <= cited.end_line
        assert LINE in cited.text

    def test_is_found_without_ripgrep(self, ask: Ask, files: Path, settings: Any) -> None:
        settings.LOAM_RIPGREP = "/nowhere/rg"
        (files / "gateway.log").write_text(log())
        cited = ask("what happened to shipment WB00412207").cited[0]
        assert cited.start_line <= 31_339 <= cited.end_line

    def test_is_not_found_within_a_longer_one(self, ask: Ask, files: Path) -> None:
        (files / "gateway.log").write_text(log(100, 50, LINE.replace("WB00412207", "WB004122071")))
        answer = ask("shipment WB00412207")
        assert answer.cited == []
        assert "No file has `WB00412207`" in answer.content


def tar(texts: dict[str, str], name: str) -> bytes:
    """A tar of these texts by name, packed as its own name says."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as held:
        for path, text in texts.items():
            one = tarfile.TarInfo(path)
            one.size = len(text.encode())
            held.addfile(one, io.BytesIO(text.encode()))
    pack = gzip.compress if name.endswith("gz") else zstd.compress if name.endswith("zst") else bytes
    return pack(made.getvalue())


class TestATable:
    def test_gives_a_row_with_its_header(self, ask: Ask, files: Path) -> None:
        rows = [f"WB{400_000 + n:08d},Fjordline,{n},NO" for n in range(20_000)]
        rows[17_755] = "WB00417755,Marlow Instruments,12,IE"
        (files / "shipments.csv").write_text("\n".join(["shipment,consignee,weight_kg,country", *rows]) + "\n")
        cited = ask("which consignee has shipment WB00417755").cited[0]
        assert (cited.start_line, cited.end_line) == (17_757, 17_757)
        assert cited.text == "shipment,consignee,weight_kg,country\nWB00417755,Marlow Instruments,12,IE"


class TestWhatLooksLikeASecret:
    ASKED = 'the code "0x7F3A19" in the log'

    def test_is_looked_for_as_it_stands_and_kept_nowhere(self, ask: Ask, files: Path) -> None:
        (files / "plant.log").write_text("2026-02-02 02:41:54 ERROR controller lost, code 0x7F3A19, stroke fixed\n")
        assert masked(self.ASKED) != self.ASKED
        answer = ask(self.ASKED)
        assert [one.path for one in answer.cited] == ["plant.log"]
        assert answer.cluster is None
        assert not KnowledgeCluster.objects.exists()
        assert not Search.objects.filter(text__contains="7F3A19").exists()

    def test_is_not_taken_for_another_one(self, ask: Ask, files: Path) -> None:
        (files / "plant.log").write_text("2026-02-02 02:41:54 ERROR controller lost, code 0x7F3A19, stroke fixed\n")
        ask(self.ASKED)
        other = ask(self.ASKED.replace("7F3A19", "DEAD5EED"))
        assert not other.reused and "0x7F3A19" not in other.content


class TestWhatIsNotUnpacked:
    def test_is_named_where_nothing_is_found(self, ask: Ask, files: Path) -> None:
        (files / "old.log.xz").write_bytes(lzma.compress(b"code PX-XZ-30"))
        assert {"path": "old.log.xz", "reason": "its format is not read"} in ask("PX-XZ-30").skipped


class TestWhatToolsWrote:
    @pytest.mark.parametrize("mode", [ReuseMode.FAST, ReuseMode.DEEP])
    @pytest.mark.parametrize("names", [["app.min.js"], [f"bundle-{number}.js" for number in range(30)]])
    def test_do_not_silence_the_file_that_answers(
        self, ask: Ask, files: Path, mode: ReuseMode, names: list[str]
    ) -> None:
        asked = "which maxmemory policy is set for the redis cache of the booking service"
        (files / "web").mkdir()
        for number in range(40):
            (files / f"set-{number}.md").write_text(f"# Set {number}\n\nA set of the booking service.\n")
        for name in names:
            repeated = f"var {name[:8]}=1;" + f"{asked} " * 2_000
            (files / "web" / name).write_text(repeated * (4 if len(names) == 1 else 1))
        answer = ask(asked, mode)
        assert [one.path for one in answer.cited][:1] == ["redis/memory.md"]
        assert "allkeys-lru" in answer.content
        assert not any(one.path.startswith("web/") for one in answer.cited)

    def test_is_not_cited_unless_it_is_asked_for(self, ask: Ask, files: Path) -> None:
        (files / "web").mkdir()
        (files / "web" / "package-lock.json").write_text('{"redis": {"maxmemory": "allkeys"}, "memory": "redis"}')
        (files / "web" / "app.min.js").write_text("redis=memory;" * 9_000)
        (files / "web" / "bundle.js").write_text("function redis(memory){return maxmemory};" * 9_000)
        answer = ask("redis maxmemory")
        assert {one.path for one in answer.cited} == {"redis/memory.md"}
        named = ask("what does package-lock.json say of redis maxmemory")
        assert named.cited[0].path == "web/package-lock.json"

    def test_is_left_out_as_git_ignores_it(self, ask: Ask, files: Path) -> None:
        (files / "out").mkdir()
        (files / "out" / "report.md").write_text("# Redis\n\nThe redis maxmemory of the report.\n")
        (files / ".gitignore").write_text("out/\n")
        assert "out/report.md" not in {file.path for file in ask("redis maxmemory").ranked}


class TestAHostileArchive:
    def test_is_named_and_harms_nothing_else(self, ask: Ask, files: Path) -> None:
        (files / "bomb.gz").write_bytes(gzip.compress(b"\0" * 200_000_000))
        inner = gzip.compress(b"redis")
        with zipfile.ZipFile(files / "nested.zip", "w", zipfile.ZIP_DEFLATED) as held:
            held.writestr("inner.gz", inner)
            held.writestr("../../escape.md", "redis maxmemory escaped")
            held.writestr("zeros.txt", b"0" * 100_000_000)
        (files / "broken.zip").write_bytes(b"PK\x03\x04 not an archive")
        began = time.monotonic()
        answer = ask("redis maxmemory-policy allkeys")
        assert time.monotonic() - began < 6
        assert answer.cited[0].path == "redis/memory.md"
        reasons = {one["path"]: one["reason"] for one in answer.skipped}
        assert set(reasons) == {"bomb.gz", "nested.zip!/inner.gz", "nested.zip!/zeros.txt", "broken.zip"}
        assert not (files.parents[1] / "escape.md").exists()

    def test_of_many_members_keeps_nothing_else_from_being_searched(self, ask: Ask, files: Path) -> None:
        with zipfile.ZipFile(files / "a-many.zip", "w") as held:
            for number in range(20_000):
                held.writestr(f"{number}.txt", "")
        (files / "z.log.gz").write_bytes(gzip.compress(b"one line\nE-41823 label printer paused\nanother\n"))
        began = time.process_time()
        answer = ask("why did E-41823 fail")
        assert time.process_time() - began < 6
        assert [one.path for one in answer.cited] == ["z.log.gz"]
        assert {one["path"] for one in answer.skipped} == {"a-many.zip"}

    def test_whose_table_of_contents_is_too_large_is_named(
        self, ask: Ask, files: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(streams, "MOST_TABLE", 1_000)
        with zipfile.ZipFile(files / "many.zip", "w") as held:
            for number in range(100):
                held.writestr(f"{number}.txt", "redis")
        answer = ask("redis maxmemory-policy allkeys")
        assert answer.cited[0].path == "redis/memory.md"
        assert answer.skipped == [{"path": "many.zip", "reason": "it has too many members"}]

    def test_of_a_tar_is_named_and_harms_nothing_else(self, ask: Ask, files: Path) -> None:
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w") as held:
            for name, kind in (("link.md", tarfile.SYMTYPE), ("hard.md", tarfile.LNKTYPE), ("null", tarfile.CHRTYPE)):
                one = tarfile.TarInfo(name)
                one.type, one.linkname = kind, "/etc/passwd"
                held.addfile(one)
            for name, text in (("../../escape.md", b"redis maxmemory escaped"), ("inner.tgz", b"redis")):
                one = tarfile.TarInfo(name)
                one.size = len(text)
                held.addfile(one, io.BytesIO(text))
        (files / "odd.tar").write_bytes(made.getvalue())
        (files / "cut.tar.gz").write_bytes(gzip.compress(made.getvalue())[:-40])
        (files / "bomb.tar.gz").write_bytes(gzip.compress(tar({"zeros.txt": "0" * 100_000_000}, "x.tar")))
        (files / "empty.tar").write_bytes(b"")
        (files / "noise.tar").write_bytes(b"not a tar at all" * 99)
        # Its first header claims a name of 4 GB.
        large = tarfile.TarInfo("long")
        large.type, large.size = tarfile.GNUTYPE_LONGNAME, 4 << 30
        (files / "large.tar.gz").write_bytes(gzip.compress(large.tobuf(tarfile.GNU_FORMAT)))
        # And this one that it ends before it begins, for ever.
        back = bytearray(tarfile.TarInfo("back").tobuf(tarfile.GNU_FORMAT))
        back[124:136] = b"\xff" * 10 + b"\xfc\x00"
        back[148:156] = b" " * 8
        back[148:156] = f"{sum(back[:512]):06o}\0 ".encode()
        (files / "back.tar").write_bytes(bytes(back) + b"\0" * 2048)
        began = time.monotonic()
        answer = ask("redis maxmemory-policy allkeys")
        assert time.monotonic() - began < 6
        assert answer.cited[0].path == "redis/memory.md"
        reasons = {one["path"]: one["reason"] for one in answer.skipped}
        odd = {f"odd.tar!/{name}" for name in ("link.md", "hard.md", "null", "inner.tgz")}
        broken = {"cut.tar.gz", "bomb.tar.gz", "empty.tar", "noise.tar", "large.tar.gz", "back.tar"}
        assert odd | broken <= set(reasons)
        assert not (files.parents[1] / "escape.md").exists()
