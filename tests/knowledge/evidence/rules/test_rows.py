from knowledge.evidence.rules.keywords import extract
from knowledge.evidence.rules.rows import RowKind, best_rows
from knowledge.evidence.rules.windows import Finder

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
