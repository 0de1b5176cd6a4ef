"""Of two insights on one subject, which one an answer leads with, and what is said of the other."""

from typing import Any

from knowledge.judging.rules.relations import Relation
from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.currency import (
    MARGIN,
    RARE_COUNT,
    RARE_SHARE,
    Asked,
    Currency,
    Link,
    Telling,
    currency,
    designations,
    leads,
    link,
)
from tests.cases import cases


def telling(terms: str = "gateway timeout", **over: Any) -> Telling:
    fields = {"learned_at": 1.0, "came_at": 1.0, "confirmed_at": 0.0, "relevance": 0.5, **over}
    return Telling(terms=frozenset(terms.split()), **fields)


def asked(terms: str, documents: int = 1_000, **df: int) -> Asked:
    return Asked(terms.split(), documents, df)


class TestLeads:
    """The newer one, but for two things that speak for the older one."""

    NEW = telling("gateway timeout 422", learned_at=2.0, came_at=2.0)
    OLD = telling("gateway timeout 429", relevance=0.9)

    def test_the_newer_one(self) -> None:
        assert leads(self.NEW, self.OLD, asked("gateway timeout"))

    @cases(("confirmed", "newer"), [(0.0, True), (1.5, True), (2.0, True), (2.1, False)])
    def test_not_over_what_a_person_has_confirmed_since_it_came(self, confirmed: float, newer: bool) -> None:
        old = telling(confirmed_at=confirmed)
        assert leads(self.NEW, old, asked("gateway timeout")) is newer
        assert leads(self.NEW, old, asked("gateway timeout"), stated=True) is newer

    def test_by_when_it_came_not_when_it_was_learned(self) -> None:
        imported = telling(learned_at=2.0, came_at=9.0)
        assert leads(imported, telling(confirmed_at=5.0), asked("gateway"))

    @cases(
        ("question", "newer"),
        [("429", False), ("422", True), ("gateway", True), ("gateway 429", False), ("429 422", True), ("", True)],
    )
    def test_not_over_the_sibling_that_the_question_names(self, question: str, newer: bool) -> None:
        assert leads(self.NEW, self.OLD, asked(question)) is newer

    @cases(
        ("text", "newer"),
        [
            ("The gateway timeout of packages/legacy", False),
            ("The gateway timeout of legacy_api", False),
            ("The gateway timeout for Legacy customers", False),
            ("The gateway timeout of legacy customers", True),
        ],
    )
    def test_by_a_name_not_by_a_plain_word(self, text: str, newer: bool) -> None:
        """A question about a changed fact uses words of the outdated telling as often as of the current one."""
        old = telling("gateway timeout legacy", relevance=0.9, text=text)
        assert leads(self.NEW, old, asked("legacy gateway")) is newer

    @cases(("word", "newer"), [("check-in", True), ("e-mail", True), ("billing-exporter", False), ("utf-8", False)])
    def test_nor_by_a_plain_word_with_a_hyphen(self, word: str, newer: bool) -> None:
        old = telling(f"gateway timeout {word}", relevance=0.9, text=f"The gateway timeout of {word}")
        assert leads(self.NEW, old, asked(f"{word} gateway")) is newer

    @cases(
        ("question", "ahead", "newer"),
        [
            ("what must a commit in the firmware repo have", 0.05, False),
            ("what must a commit in the firmware repo have", 0.0, True),
            ("what must a commit in the web repo have", 0.05, True),
            ("what must a commit have", 0.05, True),
            ("what do firmware and web commits have", 0.05, True),
            # At the end stands what is said of it, and that is what changes.
            ("does a commit need a sign-off", 0.05, True),
        ],
    )
    def test_not_over_the_one_of_a_frame_that_the_question_asks_for(
        self, question: str, ahead: float, newer: bool
    ) -> None:
        """A plain word tells two notes apart that open alike."""
        web, firmware = "Commits in the web repo need a ticket.", "Commits in the firmware repo need a sign-off."
        new = telling(" ".join(bm25.terms(web)), text=web, learned_at=2.0, came_at=2.0)
        old = telling(" ".join(bm25.terms(firmware)), text=firmware, relevance=0.5 + ahead)
        about = asked(" ".join(bm25.terms(question)), firmwar=200, web=200)
        assert leads(new, old, about) is newer
        assert leads(new, old, about, stated=True)

    def test_not_over_the_service_that_is_named_in_another_form(self) -> None:
        question = "What port is ledger-svc's gRPC on?"
        ledger, quote = "ledger-svc listens for gRPC at 7443.", "quote-svc: gRPC on 7451."
        old = telling(" ".join(bm25.terms(ledger)), relevance=0.9, text=ledger)
        new = telling(" ".join(bm25.terms(quote)), text=quote, learned_at=2.0, came_at=2.0)
        assert not leads(new, old, asked(" ".join(bm25.terms(question))))

    @cases(
        ("question", "beside", "newer"),
        [
            ("gateway legacy", "gateway legacy", True),
            ("gateway legacy", "gateway core", False),
            ("gateway", "gateway core", True),
            # What one telling says in other words is no name of it.
            ("gateway legacy core", "gateway core", True),
        ],
    )
    def test_not_over_the_only_one_of_several_that_has_the_word(self, question: str, beside: str, newer: bool) -> None:
        """Two that others join: a plain word of one telling counts where none of the others has it."""
        old = telling("gateway legacy", relevance=0.9)
        assert leads(telling("gateway"), old, asked(question), beside=frozenset(beside.split())) is newer

    def test_not_over_the_one_that_is_named_though_others_have_the_words_of_its_name(self) -> None:
        old = telling("ledger-svc port", relevance=0.9, text="The port of ledger-svc")
        about = asked("ledger-svc port")
        assert not leads(telling("quote-svc svc port"), old, about, beside=frozenset({"ledger", "svc", "batch"}))

    def test_over_what_it_is_said_to_replace_whatever_the_question_names(self) -> None:
        assert leads(self.NEW, self.OLD, asked("429"), stated=True)

    @cases(("ahead", "newer"), [(-0.3, True), (0.0, True), (MARGIN - 0.01, True), (MARGIN + 0.01, False)])
    def test_unless_the_older_one_is_clearly_more_relevant(self, ahead: float, newer: bool) -> None:
        old = telling("gateway timeout 429", relevance=0.5 + ahead)
        assert leads(self.NEW, old, asked("429")) is newer

    def test_however_relevant_the_older_one_is_where_no_word_tells_them_apart(self) -> None:
        assert leads(self.NEW, telling("gateway timeout", relevance=9.0), asked("gateway timeout"))


class TestPhrases:
    def test_are_words_that_stand_together_in_the_order_they_are_read(self) -> None:
        assert telling(text="Do a rollout restart of consent.").phrases == {
            ("rollout", "restart"),
            ("restart", "consent"),
        }

    def test_of_one_word_are_none(self) -> None:
        assert not telling(text="Restart it.").phrases | telling(text="").phrases


class TestNames:
    ONE, OTHER = telling("gateway deploys legacy"), telling("gateway core")

    @cases(
        ("question", "side"),
        [("legacy", 1), ("core", -1), ("gateway", 0), ("nowhere", 0), ("legacy core", 0), ("legacy legacy core", 0)],
    )
    def test_the_one_that_has_the_word(self, question: str, side: int) -> None:
        named = asked(question).names(self.ONE, self.OTHER)
        assert (named > 0) - (named < 0) == side
        assert asked(question).names(self.OTHER, self.ONE) == -named

    @cases(("count", "counts"), [(RARE_COUNT, True), (RARE_COUNT + 1, False)])
    def test_by_words_that_few_notes_have(self, count: int, counts: bool) -> None:
        assert bool(asked("legacy", documents=10, legacy=count).names(self.ONE, self.OTHER)) is counts

    @cases(("count", "counts"), [(300, True), (301, False)])
    def test_or_a_small_share_of_a_large_team(self, count: int, counts: bool) -> None:
        documents = int(300 / RARE_SHARE)
        assert bool(asked("legacy", documents=documents, legacy=count).names(self.ONE, self.OTHER)) is counts

    def test_the_rarer_word_goes_before(self) -> None:
        assert asked("legacy core", legacy=1, core=20).names(self.ONE, self.OTHER) > 0

    @cases(
        ("word", "same"),
        [("deployment", True), ("deplo", True), ("depl", False), ("depot", False), ("deploys", True), ("12345", False)],
    )
    def test_by_words_that_begin_alike(self, word: str, same: bool) -> None:
        assert bool(asked(word).names(telling("deploys 123456"), telling("core"))) is same

    @cases(
        ("word", "other", "apart"),
        [
            ("billing-exporter", "bill export schema", False),
            ("docs/build", "build doc", False),
            ("billing-exporter", "bill schema", True),
            ("utf-8", "utf 8", True),
            ("read-only", "read", True),
        ],
    )
    def test_not_by_a_compound_whose_words_the_other_one_has(self, word: str, other: str, apart: bool) -> None:
        assert bool(asked(word).names(telling(word), telling(other))) is apart


def pair(other: int = 2, *, question: str = "duplicate", **over: Any) -> Link:
    return Link(**{"pair_id": 1, "other_id": other, "question": question, "open": True} | over)


class TestCurrency:
    """Of the insight 1."""

    PROPOSED = pair(question="supersession", relation=Relation.SUPERSEDES, successor_id=2)
    SUCCESSOR = pair(question="supersession", relation=Relation.SUPERSEDES, successor_id=1)
    SAYS_AGAIN = pair(question="supersession", relation=Relation.SUPERSEDES, successor_id=2, reason="retold")
    SAID_AGAIN = pair(question="supersession", relation=Relation.SUPERSEDES, successor_id=1, reason="retold")
    UNDETERMINED = pair()
    CONTRADICTED = pair(question="contradiction", relation=Relation.CONTRADICTS)

    @cases(
        ("links", "state"),
        [
            ([], Currency.CURRENT),
            ([PROPOSED], Currency.DISPUTED),
            ([SUCCESSOR], Currency.DISPUTED),
            ([UNDETERMINED], Currency.DISPUTED),
            ([CONTRADICTED], Currency.DISPUTED),
            ([SAYS_AGAIN], Currency.OUTDATED),
            ([SAID_AGAIN], Currency.CURRENT),
            ([SAYS_AGAIN, CONTRADICTED], Currency.OUTDATED),
            ([CONTRADICTED, SAYS_AGAIN], Currency.OUTDATED),
            ([SAID_AGAIN, CONTRADICTED], Currency.DISPUTED),
            ([SAID_AGAIN, PROPOSED], Currency.DISPUTED),
        ],
    )
    def test_is_what_is_open_about_it(self, links: list[Link], state: Currency) -> None:
        assert currency(links, 1) is state

    @cases("relation", [None, *Relation])
    def test_is_not_changed_by_what_is_settled(self, relation: Relation | None) -> None:
        assert currency([pair(open=False, relation=relation, successor_id=2)], 1) is Currency.CURRENT


class TestLink:
    @cases(
        ("text", "own", "expected"),
        [
            ("7:1:2:duplicate:open:::0::", 1, Link(7, 2, "duplicate", True)),
            ("7:1:2:duplicate:open:::5::", 2, Link(7, 1, "duplicate", True, claimed_by=5)),
            (
                "7:1:2:supersession:open:supersedes:b:0::",
                1,
                Link(7, 2, "supersession", True, Relation.SUPERSEDES, 2),
            ),
            (
                "7:1:2:supersession:open:supersedes:a:0::",
                1,
                Link(7, 2, "supersession", True, Relation.SUPERSEDES, 1),
            ),
            (
                "7:1:2:contradiction:resolved:contradicts::9:scope:",
                1,
                Link(7, 2, "contradiction", False, Relation.CONTRADICTS, 0, 9, "scope"),
            ),
            (
                "7:1:2:duplicate:open:::5::rejected_before",
                2,
                Link(7, 1, "duplicate", True, claimed_by=5, reason="rejected_before"),
            ),
            ("7:1:2:duplicate:dismissed:unrelated::0::", 2, Link(7, 1, "duplicate", False, Relation.UNRELATED)),
            ("7:1:2:duplicate:resolved:complements::0::", 2, Link(7, 1, "duplicate", False, Relation.COMPLEMENTS)),
        ],
    )
    def test_is_a_pair_as_one_side_sees_it(self, text: str, own: int, expected: Link) -> None:
        assert link(text, own) == expected

    @cases(
        ("text", "state", "proposed", "unrelated"),
        [
            ("7:1:2:supersession:open:supersedes:b:0::", "proposed", True, False),
            ("7:1:2:contradiction:open:contradicts::0::", "open", False, False),
            ("7:1:2:duplicate:open:::0::", "open", False, False),
            ("7:1:2:supersession:resolved:supersedes:b:0::", "settled", False, False),
            ("7:1:2:duplicate:dismissed:unrelated::0::", "settled", False, True),
        ],
    )
    def test_says_how_it_stands(self, text: str, state: str, proposed: bool, unrelated: bool) -> None:
        found = link(text, 1)
        assert (found.state, found.proposed, found.unrelated) == (state, proposed, unrelated)


class TestDecided:
    """Two that both hold are no replacement that was rejected, and no pair without anything to settle."""

    def test_both_hold(self) -> None:
        found = link("7:1:2:supersession:resolved:supersedes:b:9:scope:", 1)
        assert (found.rejected, found.refused, found.dismissed) == (False, False, False)
        assert link("7:1:2:supersession:dismissed:supersedes:b:9:reason:", 1).rejected
        assert not link("7:1:2:duplicate:resolved:::9:scope:", 1).dismissed


class TestDesignations:
    """One of several by its number or letter."""

    @cases(
        ("text", "found"),
        [
            ("The importer stopped with exit code 3, how do I fix it?", {("code", "3")}),
            ("Sensor board rev B: the analog section has an LDO.", {("rev", "b")}),
            ("Step #2 of phase 4a on port 8080", {("step", "2"), ("phase", "4a"), ("port", "8080")}),
            ("Node 18", {("node", "18")}),
            ("It is set to 40, within 30 seconds after 5 tries, with a table of 12 rows and 20% more.", set()),
            ("version 3.9", set()),
            ("Stage lift A goes down to minus 6 metres.", {("lift", "a")}),
            (
                "node 3 has the old kernel, rack 12 is empty, phase 2 was cancelled",
                {("node", "3"), ("rack", "12"), ("phase", "2")},
            ),
        ],
    )
    def test_are_what_and_which(self, text: str, found: set[tuple[str, str]]) -> None:
        assert designations(text) == found

    OLD = telling("importer exit code", text="Importer exit code 3: the checksum differs.")
    NEW = telling("importer exit code", text="Importer exit code 4: a lock is left.", learned_at=2.0, came_at=2.0)

    @cases(
        ("question", "newer"), [("exit code 3?", False), ("exit code 4?", True), ("exit code?", True), ("code 9", True)]
    )
    def test_say_which_sibling_is_asked_for_though_both_are_as_relevant(self, question: str, newer: bool) -> None:
        asking = Asked(question.split(), 1_000, {}, question)
        assert leads(self.NEW, self.OLD, asking) is newer
        assert leads(self.NEW, self.OLD, asking, stated=True), "what has been replaced does not lead"

    def test_of_another_kind_say_nothing(self) -> None:
        other = telling("importer", text="The importer listens on port 9000.", learned_at=2.0)
        assert leads(other, self.OLD, Asked([], 1_000, {}, "exit code 3?"))

    @cases(
        ("question", "df", "newer"),
        [
            ("delete legacy_sku", 1, False),
            ("delete legacy_sku", RARE_COUNT + 1, True),
            ("legacy_sku and db_default", 1, True),
            ("delete the field", 1, True),
        ],
    )
    def test_so_do_codes_of_few_insights(self, question: str, df: int, newer: bool) -> None:
        """Of two that are as relevant, that one is asked for which alone speaks of the code."""
        old = telling("remove field legacy_sku", text="Remove a field in two deploys: legacy_sku went so.")
        new = telling("new field db_default", text="Give a new field a db_default.", learned_at=2.0, came_at=2.0)
        asking = Asked(question.split(), 1_000, {"legacy_sku": df, "db_default": df}, question)
        assert leads(new, old, asking) is newer

    def test_decide_between_known_siblings_before_rare_words_do(self) -> None:
        asking = Asked(["code", "checksum"], 1_000, {"checksum": 2}, "exit code 4 after a checksum?")
        old = telling("importer exit code checksum", text="Importer exit code 3: the checksum differs.")
        assert asking.speaks_of(self.NEW, old)
        assert not asking.speaks_of(old, self.NEW)
        assert Asked(["checksum"], 1_000, {"checksum": 2}, "the checksum?").speaks_of(old, self.NEW)

    @cases(
        ("text", "rejected", "dismissed"),
        [
            ("7:1:2:supersession:dismissed:supersedes:b:5::", True, True),
            ("7:1:2:duplicate:dismissed:::5::", False, True),
            ("7:1:2:duplicate:dismissed:unrelated::5::", False, False),
            ("7:1:2:supersession:dismissed::b:5::", False, False),
            ("7:1:2:supersession:open:supersedes:b:5::", False, False),
        ],
    )
    def test_tells_what_a_lead_has_rejected(self, text: str, rejected: bool, dismissed: bool) -> None:
        found = link(text, 1)
        assert (found.rejected, found.dismissed) == (rejected, dismissed)
