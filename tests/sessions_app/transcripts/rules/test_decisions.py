"""Decisions read from a transcript."""

from time import process_time

from sessions_app.transcripts.rules.decisions import MOST, Sureness, Where, extract
from sessions_app.transcripts.rules.turn import MOST_TURNS, Turn
from tests.cases import cases


def said(*texts: str) -> list[tuple[str, str]]:
    """Statements and reasons found in the assistant's turns."""
    return [(one.statement, one.reasoning) for one in extract([Turn("assistant", text) for text in texts])]


# (what is said, what was decided, why)
DECIDED = [
    (
        "I chose SQLite over PostgreSQL because there is one user.",
        "I chose SQLite over PostgreSQL",
        "there is one user.",
    ),
    ("We decided to drop Node 16, since it is out of support.", "We decided to drop Node 16", "it is out of support."),
    ("Decided against a cache: it would hide the bug.", "Decided against a cache", "it would hide the bug."),
    (
        "Went with gRPC. REST would need a client per language.",
        "Went with gRPC.",
        "REST would need a client per language.",
    ),
    ("Since the file is huge, we settled on streaming.", "we settled on streaming.", "the file is huge"),
    (
        "Let's use a queue instead of cron so that retries work.",
        "Let's use a queue instead of cron",
        "so that retries work.",
    ),
    ("We'll keep v1 for a year to avoid breaking clients.", "We'll keep v1 for a year", "to avoid breaking clients."),
    (
        "I used an enum rather than strings because mypy checks it.",
        "I used an enum rather than strings",
        "mypy checks it.",
    ),
    ("We decided not to cache. Prices change hourly.", "We decided not to cache.", ""),
    ("## Decision\n\nKeys live a day. They leak.", "Keys live a day.", "They leak."),
    ("I considered Kafka but rejected it since we are two.", "I considered Kafka but rejected it", "we are two."),
    ("**Decision:** tabs.", "tabs.", ""),
    ("Decision (final): tabs, not spaces. Diffs are smaller.", "tabs, not spaces.", "Diffs are smaller."),
    ("ADR-7: one database per tenant because of the audit.", "one database per tenant", "because of the audit."),
    ("### Key decisions\n1. One table\n2. No ORM: it is slow here", "One table", ""),
    ("Decisions made:\n- UTC everywhere, because clients disagree", "UTC everywhere", "clients disagree"),
    (
        "I chose to keep the export streaming because RAM is scarce.",
        "I chose to keep the export streaming",
        "RAM is scarce.",
    ),
    (
        "We decided to let the worker poll to avoid open ports.",
        "We decided to let the worker poll",
        "to avoid open ports.",
    ),
    ("I picked `httpx2` over `requests` because of HTTP/2.", "I picked `httpx2` over `requests`", "because of HTTP/2."),
    ("Wir haben uns für Redis entschieden, weil es läuft.", "Wir haben uns für Redis entschieden", "es läuft."),
    ("J'ai choisi Redis parce que tout le monde l'utilise.", "J'ai choisi Redis", "tout le monde l'utilise."),
    ("Decidimos usar Redis porque ya lo tenemos.", "Decidimos usar Redis", "ya lo tenemos."),
    (
        "We went with “at least once” delivery because Kafka does.",
        "We went with “at least once” delivery",
        "Kafka does.",
    ),
]
NOT_DECIDED = [
    "We could choose SQLite over PostgreSQL because there is one user.",
    "Should we go with SQLite because there is one user?",
    "If we decided to drop Node 16, CI would be faster because it has fewer jobs.",
    "The optimiser chose a hash join because the table is small.",
    "Upstream decided to drop Node 16 since it is out of support.",
    "They went with gRPC because of types.",
    "> We decided to drop Node 16 because it is old.",
    'The note says "Decision: drop Node 16 because it is old".',
    "```\n# Decision: drop Node 16 because it is old\n```",
    "~~~sh\necho Decision: drop it because it is old\n~~~",
    "```\nnever closed: Decision: drop it because it is old",
    "Run `Decision: x because y` and see.",
    "<tool_result>Decision: drop it because it is old</tool_result>",
    "<!-- Decision: drop it because it is old -->",
    "$ echo Decision: drop it because it is old",
    "We have not decided on a name yet because the domain is taken.",
    "I went with a quick grep because the tree is large.",
    "I'll check the logs instead of the metrics because they say more.",
    "Options:\n- Use gRPC instead of REST because of types",
    "## Open decisions\n- gRPC or REST, because both are in use",
    "Before we settled on gRPC because of types, we looked at REST.",
    "The README says we chose Yarn over npm because of workspaces.",
    "A decision is needed because the two disagree.",
    "Decision: should we drop Node 16?",
    "Final decision: if you value speed, choose gRPC.",
    "The team originally chose Yarn over npm because of workspaces.",
    "Since we dropped Python 2, a lot became cleaner because shims went.",
    "Choosing gRPC over REST is a great decision, because it is typed.",
    "For simplicity we'll use a list instead of a queue, because the example is short.",
    "Names are kept as they are, because scripts grep for them.",
    "Podríamos usar Redis porque ya lo tenemos.",
    "Wir könnten Redis wählen, weil es läuft.",
]


class TestExtract:
    @cases(("text", "statement", "reason"), DECIDED)
    def test_finds(self, text: str, statement: str, reason: str) -> None:
        assert said(text)[0] == (statement, reason)

    @cases("text", NOT_DECIDED)
    def test_leaves_alone(self, text: str) -> None:
        assert said(text) == []

    @cases("role", ["user", "tool", "system", "human", "Assistant", ""])
    @cases("text", [row[0] for row in DECIDED[:3]])
    def test_hears_nobody_but_the_assistant(self, role: str, text: str) -> None:
        assert extract([Turn(role, text)]) == []

    def test_says_where(self) -> None:
        talk = [
            Turn("user", "go on"),
            Turn("assistant", "Done.\n\nSome text,\nand then.\n\n- Decision: Redis, because it runs.", "2026-11-22"),
        ]
        (found,) = extract(talk)
        assert found.where == Where(1, 6, "2026-11-22")
        assert found.sureness is Sureness.HIGH

    @cases("text", ["Decision: use Redis", "I decided to drop Node 16. All tests pass."])
    def test_is_less_sure_without_a_reason(self, text: str) -> None:
        assert extract([Turn("assistant", text)])[0].sureness is Sureness.MEDIUM

    @cases(
        ("text", "quote"),
        [
            (
                "Fine. We decided to **drop** Node 16, since it is old. Next.",
                "We decided to drop Node 16, since it is old.",
            ),
            ("Decision: use Redis. It runs. Next.", "Decision: use Redis. It runs."),
            ("It would race, so I went with a row lock.", "It would race, so I went with a row lock."),
        ],
    )
    def test_quotes_the_sentences_it_was_said_in(self, text: str, quote: str) -> None:
        assert extract([Turn("assistant", text)])[0].quote == quote

    def test_counts_lines_from_the_beginning_of_a_long_transcript(self) -> None:
        talk = [Turn("assistant", "Nothing.")] * (MOST_TURNS + 5) + [Turn("assistant", "Decision: use Redis")]
        assert extract(talk)[0].where.turn == MOST_TURNS + 5

    def test_keeps_the_latest_of_many(self) -> None:
        texts = [f"Decision: component{n} gets library{n}, because reason{n}." for n in range(MOST + 4)]
        found = said(*texts)
        assert len(found) == MOST
        assert "component4 " in found[0][0]


class TestEachOnce:
    def test_is_one_when_it_is_said_again_in_the_summary(self) -> None:
        found = said(
            "I chose a streaming parser over loading the file whole because memory is capped.",
            "Decision: streaming parser over loading the file whole.",
        )
        assert len(found) == 1
        assert found[0][1] == "memory is capped."

    def test_takes_the_reason_that_was_given_later(self) -> None:
        found = said(
            "Decision: nightly batch imports for vendors",
            "Decision: nightly batch imports for vendors, because files are late.",
        )
        assert found == [("nightly batch imports for vendors", "files are late.")]

    def test_keeps_two_that_share_a_word(self) -> None:
        assert len(said("Decision: Redis for sessions.", "Decision: Redis as the broker.")) == 2

    def test_drops_what_was_taken_back(self) -> None:
        found = said(
            "Decision: feature flags live in environment variables.",
            "On second thought, we decided to use a table for feature flags because product flips them.",
        )
        assert [one for one, _ in found] == ["On second thought, we decided to use a table for feature flags"]

    def test_drops_what_another_takes_the_place_of(self) -> None:
        found = said(
            "Decision: environment variables for the flags.",
            "We went with a table instead of environment variables because product flips them.",
        )
        assert len(found) == 1
        assert "table" in found[0][0]


HOSTILE = {
    "backticks": "`" * 20_000,
    "unclosed code": "`a" * 10_000,
    "unclosed tags": "<tool>" * 4_000,
    "quotes": '"' * 20_000,
    "one sentence": "I used it " * 2_000,
    "labels": "a: " * 6_000,
    "decisions": "I chose " * 2_500 + "because",
    "bold": "**" * 10_000,
    "brackets": "- [ ] " * 3_000,
    "blank lines": "\n" * 20_000,
    "fences": "```\n" * 5_000,
    "dots": ". " * 10_000,
    "colons": ":" * 20_000,
    "spaces": " " * 19_990 + "decision:",
}


class TestHostileText:
    @cases("text", HOSTILE.values(), ids=HOSTILE)
    def test_is_read_in_linear_time(self, text: str) -> None:
        """A turn of 20,000 characters, the longest that is read. Milliseconds; quadratic would be minutes."""
        began = process_time()
        extract([Turn("assistant", text)])
        assert process_time() - began < 1.5
