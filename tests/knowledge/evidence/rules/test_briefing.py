import pytest

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


def told(question: str = "redis biggest keys memory", text: str = TEXT) -> list[str]:
    """The lines of the briefing above its sources."""
    content = briefed(question, text).content.partition("Sources:")[0]
    return [line for line in content.split("\n") if line.startswith("- ")]


class TestBrief:
    def test_says_nothing_that_no_file_says(self) -> None:
        lines = told()
        assert lines
        for line in lines:
            assert line.removeprefix("- ").removesuffix(" [1]").strip("`") in TEXT

    def test_has_no_references_but_its_own(self) -> None:
        assert told("redis split", "The redis split is proposed in [2]_, see [7] and [a](b).\n") == [
            "- The redis split is proposed in (2), see (7) and [a](b). [1]"
        ]

    def test_cites_every_line_and_ends_with_the_places(self) -> None:
        content = briefed().content
        assert all(line.endswith("[1]") for line in content.split("\n") if line.startswith("- "))
        assert content.endswith("Sources:\n- `redis.md:1-9` [1]")

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

    def test_tells_the_sentence_that_answers_below_a_title_of_the_same_words(self) -> None:
        text = "Inventory count 2026\n\nThe yearly count is on Saturday 17 January 2026, from 07:00.\n"
        assert "17 January 2026" in briefed("when is the yearly inventory count", text).content

    def test_tells_a_figure_that_a_line_of_the_same_words_has_not(self) -> None:
        code = BriefingPassage(1, "router.py:6-8", "", "    return cheapest(parcel)[:MAX_HOPS]\n", 0.9)
        notes = BriefingPassage(2, "CHANGES.md:5-6", "2.0", "- MAX_HOPS is 7 (was 4).\n", 0.8)
        keywords = extract("how many hops may a parcel take")
        assert "MAX_HOPS is 7 (was 4). [2]" in brief([code, notes], keywords, {"hop": 3.0, "parcel": 1.0}).content

    def test_adds_what_stands_nearest_to_the_answer(self) -> None:
        text = (
            "Hi all,\n\nThe office is new. The lift is slow.\n\nThe surcharge is 4.2 %. It is due in May each year.\n"
        )
        lines = told("which surcharge", text)
        assert "- It is due in May each year. [1]" in lines
        assert not any("Hi all" in line for line in lines)

    def test_adds_to_a_line_of_a_log_only_its_neighbours(self) -> None:
        log = "\n".join(f"2026-03-03 14:27:0{n} INFO label {n} printed" for n in range(6))
        log = log.replace("label 3 printed", "pick-up refused: PCK-40917 vehicle full")
        assert [line[15:21] for line in told("PCK-40917", log)] == [":27:02", ":27:03", ":27:04"]

    def test_tells_rows_of_a_table_apart_from_its_header(self) -> None:
        table = BriefingPassage(1, "parcels.csv:9-9", "parcel,city", "parcel,city\nP777777,Jena", 0.9, is_table=True)
        content = brief([table], extract("P777777"), {"p777777": 3.0}).content
        assert content.startswith("**parcel,city** [1]\n- P777777,Jena [1]\n\n")

    def test_tells_the_rows_below_a_header_that_has_the_words(self) -> None:
        rows = "Site | Door code | Desk\nHamburg | 4471# | Ms Behrens\nGdansk | 0938# | Mr Nowak"
        text = f"The handbook of all sites.\n\n{rows}\nOslo | 7610# | Ms Lie\nBergen | 5520# | Mr Dahl\n"
        assert told("door code", text) == [f"- {row} [1]" for row in [*rows.split("\n"), "Oslo | 7610# | Ms Lie"]]
        assert told("door code in Gdansk", text) == [f"- {row} [1]" for row in rows.split("\n") if "Hamburg" not in row]

    def test_tells_one_row_of_many_alike(self) -> None:
        rows = "\n".join(f"zone: Zone {n} | up to kg: 10 | price EUR: {n}.3" for n in range(1, 6))
        assert told("price for zone 3 up to 10 kg", rows) == ["- zone: Zone 3 | up to kg: 10 | price EUR: 3.3 [1]"]

    def test_names_what_takes_the_place_of_a_passage(self) -> None:
        old, new = (
            BriefingPassage(n, f"adr/{n}.md:1-3", f"ADR {n}", f"Background jobs run over {queue}.\n", 0.9)
            for n, queue in ((1, "Redis"), (2, "RabbitMQ"))
        )
        content = brief([old, new], extract("background jobs"), {"job": 1.0}, superseded={1: 2}).content
        assert "**ADR 1** [1], superseded by [2]:\n" in content
        assert "**ADR 2** [2]\n" in content

    def test_tells_a_short_sentence_that_says_something_else_in_the_same_words(self) -> None:
        text = "The gateway listens on port 4801 since the migration. Port 4801 is closed.\n"
        assert "Port 4801 is closed." in briefed("which port does the gateway listen on", text).content

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

    def test_says_which_names_of_the_question_the_nearest_passages_do_not_have(self) -> None:
        told = not_found(77, ["team"], ["a.md:1-3"], unnamed=["Kafka", "Brazil"])
        assert "Nearest passages, which do not name `Kafka` or `Brazil`:\n- `a.md:1-3`" in told


class TestSentences:
    def test_are_lines_of_lists_and_code_and_sentences_of_prose(self) -> None:
        assert split(TEXT) == [
            "The server refuses writes.",
            "Always find the biggest keys first, because one key is usually to blame.",
            "Run `redis-cli --bigkeys` on the replica.",
            "Never run KEYS.",
            "`redis-cli info memory`",
        ]

    def test_go_over_the_lines_of_a_list_and_of_a_docstring(self) -> None:
        listed = "- Add ``--rerun`` to display tracebacks of failed\n  attempts that were retried.\n- Nothing else."
        assert split(listed) == [
            "Add ``--rerun`` to display tracebacks of failed attempts that were retried.",
            "Nothing else.",
        ]
        documented = (
            "    def sample(self, population, k):\n"
            "        Chooses k unique elements. Returns a new list that has them while the\n"
            "        population is left as\n        it is.\n\n"
            "        chosen = set(population)\n        return chosen\n"
        )
        assert split(documented) == [
            "def sample(self, population, k):",
            "Chooses k unique elements.",
            "Returns a new list that has them while the population is left as it is.",
            "chosen = set(population)",
            "return chosen",
        ]

    def test_are_lines_of_logs_and_rows_of_tables(self) -> None:
        log = "2026-03-03 04:11:09 INFO one\n2026-03-03 04:11:10 ERROR two"
        rows = "zone | kg | price\nzone: 1 | kg: 5 | price: 3\nzone: 2 | kg: 5 | price: 4"
        assert split(log) == log.split("\n")
        assert split(rows) == rows.split("\n")
        assert split("Item | Limit\nChair | 400 EUR") == ["Item | Limit", "Chair | 400 EUR"]

    def test_are_cut_between_words_where_they_are_long(self) -> None:
        told = split("number " * 100)[0]
        assert told.endswith("number …") and 380 < len(told) <= 402
        assert split("x" * 500) == ["x" * 400 + "…"]

    @pytest.mark.parametrize(
        "line",
        [
            '203.0.113.77 - - [22/Nov/2026:15:31:40 +0000] "POST /admin/export HTTP/1.1" 403 187',
            "3.5 percent of the samples are lost.",
            ">= 3.12 is needed to build it.",
            "#1234 was closed without a fix.",
        ],
    )
    def test_keep_figures_and_signs_that_mark_no_list(self, line: str) -> None:
        assert split(f"{line}\n") == [line]

    def test_end_in_other_scripts_too(self) -> None:
        assert split("Ключ у дежурного. Ёлка тоже.") == ["Ключ у дежурного.", "Ёлка тоже."]
        assert split("森さんに連絡する。夜間は警備室。") == ["森さんに連絡する。", "夜間は警備室。"]

    def test_are_without_the_marks_of_code(self) -> None:
        assert split("Do this:\n```\nmake\n```\nThen wait.\n") == ["Do this:", "`make`", "Then wait."]

    def test_go_on_over_a_name_in_backticks_or_an_address(self) -> None:
        text = "When it is slow, it's\nnecessary to set `limits=1` and\nread https://example.org/?a=b before."
        assert split(text) == [text.replace("\n", " ")]

    def test_are_items_of_their_own_where_the_next_word_had_room(self) -> None:
        text = "Germany 4.90 euros\nAustria 9.90 euros, free from 100 euros\nSwitzerland 19.50 euros\n"
        assert split(text) == text.strip().split("\n")

    def test_keep_the_marks_of_what_is_bold(self) -> None:
        assert split("**Note:** wait\n* one item\n") == ["**Note:** wait", "one item"]

    def test_are_rows_of_a_table_without_its_rules(self) -> None:
        assert split("=====    ====\nClasses    103\nSamples    804414\n=====    ====\n") == [
            "Classes 103",
            "Samples 804414",
        ]

    def test_of_a_passage_that_begins_in_code(self) -> None:
        assert split("make\n```\nThen wait.\n```bash\nls\n```\n") == ["`make`", "Then wait.", "`ls`"]

    def test_of_a_summary_say_most_of_what_was_asked(self) -> None:
        assert summary(TEXT, extract("bigkeys replica"), {"bigkey": 3.0, "replica": 3.0}).startswith("Run")

    def test_go_over_the_end_of_a_full_line_whatever_the_next_has_of_code(self) -> None:
        text = (
            'inter <delay>\n  The "inter" parameter sets the interval between two consecutive health checks\n'
            "  to <delay> milliseconds. If left unspecified, the delay defaults to 2000 ms.\n"
            "  Never, ever, start a fake service on port 81 for the health-checks, because\n"
            "  the option {port} decides (e.g. Nginx answers) which of these is asked first.\n"
        )
        assert split(text) == [
            "inter <delay>",
            'The "inter" parameter sets the interval between two consecutive health checks to <delay> milliseconds.',
            "If left unspecified, the delay defaults to 2000 ms.",
            "Never, ever, start a fake service on port 81 for the health-checks, because the option {port} decides "
            "(e.g. Nginx answers) which of these is asked first.",
        ]

    def test_keep_items_and_rows_apart(self) -> None:
        text = (
            "- The pump of the northern basin is inspected by Ms Fuchs every second Monday of\n"
            "- the month of May\n"
            "| pump | port |\n| a | 80 |\n"
        )
        assert len(split(text)) == 4

    def test_tell_the_figure_that_stands_beside_the_best_one(self) -> None:
        text = "\n\n".join(
            [
                "The interval between two health checks is set by the default of `inter`.",
                "If left unspecified, it is 2000 ms.",
                "Health checks of mail servers take the default interval of their own group.",
                "The default interval of agents counts from the end of two earlier health checks.",
                "Between two probes of a drained backend the default interval of health stays doubled.",
                "Two retries lie between a failed check and the interval that health goes by default.",
                "Slow health checks make the default interval longer for every other probe.",
                "A default interval below one second burdens two small machines with health checks.",
                "Most health checks keep the default interval between reloads of two workers.",
            ]
        )
        question = "What is the default interval between two health checks?"
        keywords = extract(question)
        done = brief([BriefingPassage(1, "a:1", "", text, 0.9)], keywords, dict.fromkeys(keywords.words, 1.0))
        assert "2000 ms" in done.content


class TestHeading:
    def test_is_the_nearest_above(self) -> None:
        text = "# One\n\ntext\n\nTwo\n===\n\nmore\n\ndef three():\n    pass\n"
        assert heading_above(text, text.index("text")) == "One"
        assert heading_above(text, text.index("more")) == "Two"
        assert heading_above(text, text.index("pass"), "a.py") == "def three()"
        assert heading_above("plain", 3) == ""

    def test_is_no_code_in_prose(self) -> None:
        text = "One\n===\n\nFor example:\n\n    def two():\n        pass\n\nafter it\n"
        assert heading_above(text, text.index("after"), "README.rst") == "One"

    def test_is_no_comment_within_a_fence(self) -> None:
        text = "# One\n\n```\n# comment\nmake\n```\n\nafter it\n"
        assert heading_above(text, text.index("make"), "a.md") == "One"
        assert heading_above(text, text.index("after"), "a.md") == "One"
