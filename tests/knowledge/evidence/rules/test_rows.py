from knowledge.evidence.rules.keywords import extract
from knowledge.evidence.rules.rows import RowKind, best_rows, is_log_line
from knowledge.evidence.rules.windows import Finder
from tests.cases import cases

LOG = "\n".join(
    f"2026-03-{day:02d} 03:00:44 {'ERROR import aborted' if day == 14 else 'INFO import done'}, {day} articles written"
    for day in range(1, 29)
)


def lines(question: str, text: str, kind: RowKind) -> str:
    """The best rows for a question."""
    keywords = extract(question)
    rarity = dict.fromkeys(keywords.words, 1.0)
    window = best_rows(text, Finder(keywords).hits(text), keywords, rarity, 1.0, kind, 1)[0]
    return text[window.start : window.end]


class TestALogLine:
    @cases(
        ("line", "whether"),
        [
            ("2026-03-03 04:11:09 INFO one", True),
            ('203.0.113.77 - - [22/Nov/2026:15:31:40 +0000] "POST /admin HTTP/1.1" 403 187', True),
            ('gate.example.org - alice [22/Nov/2026:15:31:40 +0000] "GET / HTTP/2" 200 5', True),
            ("E1120 09:41:12.004310       1 leaderelection.go:330] lost the lease", True),
            ("ts=2026-11-20T09:41:12Z level=error msg=refused", True),
            ("level=error ts=2026-11-20T09:41:12Z msg=refused", True),
            ("203.0.113.77 is the address of the gateway.", False),
            ("The window is [22/Nov/2026].", False),
        ],
    )
    def test_begins_with_a_time_or_a_level_or_is_of_a_server(self, line: str, whether: bool) -> None:
        assert is_log_line(line) is whether


class TestBestRows:
    def test_of_a_log_tell_of_a_failure_where_others_say_as_much(self) -> None:
        told = lines("what is wrong with the import", LOG, RowKind.LOG)
        assert "ERROR import aborted" in told
        assert len(told.split("\n")) == 7

    def test_of_a_log_are_those_that_say_most(self) -> None:
        assert "2026-03-02" in lines(
            "import done, 2 articles, done", LOG.replace("done, 2 ", "done done, 2 "), RowKind.LOG
        )

    def test_of_a_table_are_in_their_order(self) -> None:
        assert lines("mug", "sku,name\n1,mug\n2,mug ERROR\n", RowKind.TABLE) == "1,mug"
