"""A table of insights: what is read of it, and what is said of a file that is none."""

import json

import pytest

from knowledge.imports.rules import sheet
from knowledge.imports.rules.sheet import LARGEST, MOST_ROWS, UnreadableSheet, read
from tests.cases import cases

HEADER = "kind,title,body,tags\n"


def why(data: bytes) -> str:
    with pytest.raises(UnreadableSheet) as told:
        read(data)
    return told.value.errors["file"][0]


class TestATable:
    def test_is_read_by_the_names_of_its_columns(self) -> None:
        rows = read(b'Body,KIND,Tags,files\n"One,\ntwo",pitfall,"locks, release","a.py\nb.py"\n')
        assert [row.number for row in rows] == [2]
        assert rows[0].said == {
            "kind": "PITFALL",
            "body": "One,\ntwo",
            "tags": ["locks", "release"],
            "files": ["a.py", "b.py"],
            "source": {"type": "import"},
        }

    @cases("delimiter", [",", ";", "\t"])
    def test_may_be_parted_as_excel_parts_it_anywhere(self, delimiter: str) -> None:
        rows = (("kind", "title", "body"), ("CONTEXT", "So", "It is so."))
        text = "".join(f"{delimiter.join(row)}\r\n" for row in rows)
        assert read(text.encode())[0].said["body"] == "It is so."

    def test_numbers_its_rows_as_a_spreadsheet_does(self) -> None:
        rows = read((HEADER + 'CONTEXT,a,"one\ntwo",\n\nCONTEXT,b,three,\n').encode())
        assert [row.number for row in rows] == [2, 4]

    def test_begins_with_a_byte_order_mark_or_without(self) -> None:
        assert read(b"\xef\xbb\xbf" + HEADER.encode() + b"CONTEXT,a,b,\n")[0].said["title"] == "a"

    def test_gives_back_what_an_export_made_harmless(self) -> None:
        assert read(b"kind,body\nCONTEXT,'- one of a list\n")[0].said["body"] == "- one of a list"

    def test_passes_over_what_is_the_memorys_own(self) -> None:
        row = read(b"ref,kind,body,status,strength,author\nPLAT-7,CONTEXT,b,promoted,99,root\n")[0]
        assert (row.ref, set(row.said)) == ("PLAT-7", {"kind", "body", "source"})

    def test_says_where_from_and_when(self) -> None:
        row = read(b"kind,body,source_url,source_date\nCONTEXT,b,https://example.org/,2026-01-02\n")[0]
        assert row.said["source"] == {"type": "import", "url": "https://example.org/", "date": "2026-01-02"}

    def test_names_a_row_that_is_wider_than_its_header(self) -> None:
        rows = read((HEADER + "CONTEXT,a,b,,too,many\nCONTEXT,a,c,\n").encode())
        assert [row.fault for row in rows] == ["It has 6 cells, the header 4.", ""]


class TestJson:
    def test_is_a_list_of_objects(self) -> None:
        data = json.dumps([{"kind": "CONTEXT", "body": "b", "tags": ["x"], "title": None}]).encode()
        assert read(data)[0].said == {"kind": "CONTEXT", "body": "b", "tags": ["x"], "source": {"type": "import"}}

    def test_tells_what_is_no_row(self) -> None:
        data = json.dumps([1, {"kind": "CONTEXT", "body": "b", "idempotency_key": "k"}, {"body": "b"}]).encode()
        assert [row.fault for row in read(data)] == [
            "It is not an object.",
            "Unknown column 'idempotency_key'.",
            "",
        ]

    @cases("value", [5, True, {"a": 1}, ["a"], [[[[]]]]])
    def test_has_texts_and_nothing_else(self, value: object) -> None:
        rows = [{"kind": "CONTEXT", "body": value}, {"kind": "CONTEXT", "body": "b", "tags": [value]}]
        assert [row.fault for row in read(json.dumps(rows).encode())] == [
            "'body' is not a text.",
            "'tags' is not a text.",
        ]

    @cases("ref", [7, ["PLAT-7"], "PLAT-7 or so", "PLAT-7\x00", "\ud800", "plat-7", "X" * 500])
    def test_is_taken_from_an_insight_only_by_its_reference(self, ref: object) -> None:
        said = {"kind": "CONTEXT", "body": "b"}
        rows = read(json.dumps([{**said, "ref": ref}, {**said, "ref": "PLAT-7"}]).encode())
        assert [row.ref for row in rows] == ["", "PLAT-7"]

    @cases("data", [b"{}", b'{"a": [1]}'])
    def test_that_is_no_list_is_refused(self, data: bytes) -> None:
        assert why(data) == "The JSON is not a list of objects."

    def test_that_is_broken_is_refused(self) -> None:
        assert "The JSON is invalid" in why(b'[{"kind": ')
        assert "nested" in why(b"[" * 100_000) or "none" in why(b"[" * 100_000)


class TestAFile:
    @cases(
        ("data", "said"),
        [
            (b"", "empty"),
            (b" \n\n", "empty"),
            (HEADER.encode(), "no rows after the header"),
            (b"PK\x03\x04 a workbook", "Save the sheet as CSV"),
            (b"\xd0\xcf\x11\xe0", "old Excel workbook"),
            ("kind,body\n".encode("utf-16"), "UTF-16"),
            (b"%PDF-1.7", "PDF"),
            (b"kind,body\nCONTEXT,\n" + "é".encode("latin-1"), "not UTF-8: line 3 has the byte 0xE9"),
            (b"kind,body\nCONTEXT,a\0b\n", "NUL"),
            (b"title,tags\na,b\n", "has no column 'kind'"),
            (b"kind,body,colour\nCONTEXT,b,red\n", "Unknown column 'colour'"),
            (b"kind,body,body\nCONTEXT,b,c\n", "'body' occurs twice"),
            (b'kind,body\nCONTEXT,"never closed\n', "Row 2 is not valid CSV"),
            (b"kind,body\nCONTEXT," + b"x" * 140_000, "Row 2 is not valid CSV"),
        ],
    )
    def test_that_is_no_table_is_refused_and_says_why(self, data: bytes, said: str) -> None:
        assert said in why(data)

    def test_has_so_many_rows_and_no_more(self) -> None:
        rows = [f"CONTEXT,t{n},b{n},\n" for n in range(MOST_ROWS + 1)]
        assert len(read((HEADER + "".join(rows[:-1])).encode())) == MOST_ROWS
        assert f"the limit is {MOST_ROWS}" in why((HEADER + "".join(rows)).encode())

    def test_has_so_many_bytes_and_no_more(self) -> None:
        start = b"kind,body\n"
        rows = b"CONTEXT,b\n" * 100
        filler = b"\n" * (LARGEST - len(start) - len(rows))
        assert len(read(start + rows + filler)) == 100
        assert "the limit is" in why(start + rows + filler + b"\n")

    def test_of_an_export_has_no_column_that_is_unknown(self) -> None:
        assert not set(sheet.READ) & set(sheet.PASSED_OVER)
