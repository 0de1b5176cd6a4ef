from knowledge.evidence.rules.briefing import BriefingPassage, brief, heading_above, not_found, split, summary
from knowledge.evidence.rules.keywords import extract

TEXT = (
    "# Redis is out of memory\n\nThe server refuses writes. Always find the biggest keys first, because one key is"
    " usually to blame.\n\n- Run `redis-cli --bigkeys` on the replica.\n- Never run KEYS.\n\n"
    "```\nredis-cli info memory\n```\n"
)


def briefed(question: str = "redis biggest keys memory", text: str = TEXT):  # type: ignore[no-untyped-def]
    keywords = extract(question)
    rarity = dict.fromkeys(keywords.words, 2.0)
    return brief([BriefingPassage(1, "redis.md:1-9", "Redis", text, 0.9)], keywords, rarity)


class TestBrief:
    def test_says_nothing_that_no_file_says(self) -> None:
        lines = [line for line in briefed().content.split("\n") if line.startswith("- ")]
        assert lines
        for line in lines:
            assert line.removeprefix("- ").removesuffix(" [1]").strip("`") in TEXT

    def test_cites_every_line_and_ends_with_the_places(self) -> None:
        content = briefed().content
        assert all(line.endswith("[1]") for line in content.split("\n") if line.startswith("- "))
        assert content.endswith("Sources:\n[1] `redis.md:1-9`")

    def test_finds_rules_in_the_evidence(self) -> None:
        patterns = briefed().patterns
        assert 3 <= len(patterns) <= 5
        assert any(one.startswith("Never") or one.startswith("Run") for one in patterns)

    def test_does_not_repeat_itself(self) -> None:
        content = briefed(text="Find the biggest redis keys now.\n\n" * 5).content
        assert content.count("Find the biggest") == 1

    def test_adds_what_stands_beside_it_in_the_first_passage_where_little_is_told(self) -> None:
        """The answer need not repeat the question's words."""
        text = "# On call\n\nPrimary: Ines until 30 November, then Tomasz. Call the lead after 20 minutes.\n"
        content = briefed("who is on call in December", text).content
        assert "then Tomasz." in content and "Call the lead" in content

    def test_is_worded_as_the_confidence_allows(self) -> None:
        passages = [BriefingPassage(1, "redis.md:1-9", "Redis", TEXT, 0.9)]
        keywords = extract("redis memory")
        sure, unsure = (brief(passages, keywords, {"redi": 1.0}, of).content for of in (0.9, 0.55))
        assert "may answer" not in sure
        assert unsure.startswith("*This may answer it")

    def test_says_where_nothing_was_found(self) -> None:
        told = not_found(3_079, ["python", "team"], ["a.md:1-3"], ["E-9999"])
        assert told.startswith("Not found in 3,079 files of python, team.\nNo file has `E-9999`.")
        assert "Nearest passages, which do not seem to answer it:\n- `a.md:1-3`" in told


class TestSentences:
    def test_are_lines_of_lists_and_code_and_sentences_of_prose(self) -> None:
        assert split(TEXT) == [
            "The server refuses writes.",
            "Always find the biggest keys first, because one key is usually to blame.",
            "Run `redis-cli --bigkeys` on the replica.",
            "Never run KEYS.",
            "`redis-cli info memory`",
        ]

    def test_are_lines_of_logs_and_rows_of_tables(self) -> None:
        log = "2026-03-03 04:11:09 INFO one\n2026-03-03 04:11:10 ERROR two"
        rows = "zone | kg | price\nzone: 1 | kg: 5 | price: 3\nzone: 2 | kg: 5 | price: 4"
        assert split(log) == log.split("\n")
        assert split(rows) == rows.split("\n")

    def test_end_in_other_scripts_too(self) -> None:
        assert split("Ключ у дежурного. Ёлка тоже.") == ["Ключ у дежурного.", "Ёлка тоже."]
        assert split("森さんに連絡する。夜間は警備室。") == ["森さんに連絡する。", "夜間は警備室。"]

    def test_are_without_the_marks_of_code(self) -> None:
        assert split("Do this:\n```\nmake\n```\nThen wait.\n") == ["Do this:", "`make`", "Then wait."]

    def test_of_a_summary_say_most_of_what_was_asked(self) -> None:
        assert summary(TEXT, extract("bigkeys replica"), {"bigkey": 3.0, "replica": 3.0}).startswith("Run")


class TestHeading:
    def test_is_the_nearest_above(self) -> None:
        text = "# One\n\ntext\n\nTwo\n===\n\nmore\n\ndef three():\n    pass\n"
        assert heading_above(text, text.index("text")) == "One"
        assert heading_above(text, text.index("more")) == "Two"
        assert heading_above(text, text.index("pass")) == "def three()"
        assert heading_above("plain", 3) == ""
