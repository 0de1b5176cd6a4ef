"""What pages make of the log and of verdicts: a machine's are data, put into words once; a person's stand as said."""

from html import unescape

import pytest
from django.utils import timezone

from accounts.models import LogEntry, User
from accounts.rules.rights import Member
from knowledge.judging.actions.relate import relate
from knowledge.judging.rules.relations import Cue, CueKind, Reason, Relation, Statement, Verdict
from knowledge.models import Pair
from knowledge.review.actions import curate
from knowledge.review.rules.version_token import in_words
from knowledge.templatetags.diff import changed, log_changes, text_of
from knowledge.templatetags.verdicts import JUDGES, REASONS, WORDS, verdict_words, verdicts_of
from tests.cases import cases
from tests.factories import make_insight
from tests.knowledge.test_views import text
from tests.pages import signed_in

NUMBER = Cue(CueKind.NUMBER, True, ("40",), ("400",))
PATH = Cue(CueKind.PATH, False, ("a.py",))


def verdict(relation: Relation | None, reason: Reason, *cues: Cue, judge: str = "server") -> Verdict:
    return Verdict(relation, judge, 0.9, reason, cues)


class TestVerdictWords:
    @pytest.mark.parametrize(
        ("given", "words"),
        [
            (
                verdict(Relation.DUPLICATES, Reason.EQUAL_TEXT),
                "Duplicates PLAT-9, according to the server. The texts are equal.",
            ),
            (
                verdict(Relation.SUPERSEDES, Reason.CHANGE_ANNOUNCED, NUMBER),
                "Supersedes PLAT-9, according to the server. It repeats the older text with a change. "
                "Different numbers: 40 and 400.",
            ),
            (
                verdict(None, Reason.CLOSE, NUMBER, PATH),
                "Similar to PLAT-9. Whether they agree could not be told from the texts. "
                "Different numbers: 40 and 400. Only one has the path a.py. "
                "A lead can keep one of them, merge them or keep both.",
            ),
            (
                verdict(Relation.CONTRADICTS, Reason.STATED, judge="agent"),
                "Contradicts PLAT-9, according to the depositing agent.",
            ),
            (
                verdict(Relation.UNRELATED, Reason.MODEL, judge="llm:small"),
                "Is unrelated to PLAT-9, according to llm:small. Judged by a language model.",
            ),
            (
                verdict(None, Reason.MODEL_UNSURE, judge="llm:small"),
                "Similar to PLAT-9. The language model was not sure whether they agree. "
                "A lead can keep one of them, merge them or keep both.",
            ),
            (
                verdict(None, Reason.CLOSE, Cue(CueKind.CODE, False)),
                "Similar to PLAT-9. Whether they agree could not be told from the texts. Their code differs. "
                "A lead can keep one of them, merge them or keep both.",
            ),
        ],
    )
    def test_say_what_was_concluded_by_whom_and_why(self, given: Verdict, words: str) -> None:
        assert verdict_words(given.as_data(), "PLAT-9") == words
        assert verdict_words({"ref": "PLAT-9", **given.as_data()}, "PLAT-1") == words

    def test_show_three_differences(self) -> None:
        cues = [Cue(CueKind.NAME, False, (name,)) for name in ("a", "b", "c", "d")]
        told = verdict_words(verdict(None, Reason.CLOSE, *cues).as_data(), "PLAT-9")
        assert "Only one has the name a. Only one has the name b. Only one has the name c. A lead" in told

    def test_list_what_only_one_has(self) -> None:
        cues = [Cue(CueKind.NUMBER, False, ("1,840", "19", "2")), Cue(CueKind.NAME, False, (), ("the",))]
        told = verdict_words(verdict(None, Reason.CLOSE, *cues).as_data(), "PLAT-9")
        assert "Only one has the numbers 1,840, 19 and 2. A lead" in told
        assert "the name" not in told

    @cases("nothing", [None, {}, "same, by local", ["reason"], {"relation": "duplicates"}])
    def test_of_nothing_are_none(self, nothing: object) -> None:
        """Rows of former times hold other words, or none."""
        assert verdict_words(nothing, "PLAT-9") == ""  # type: ignore[arg-type]

    def test_are_there_for_every_relation(self) -> None:
        assert set(WORDS) == set(Relation)
        assert set(JUDGES) == {"server", "agent"} and set(REASONS) <= set(Reason)


class TestTheWordsOfALog:
    """The log keeps a machine's data; a page says what they mean."""

    def test_are_put_into_words_where_they_are_shown(self, alice_user: User, alice: Member, bob: Member) -> None:
        row = make_insight(alice, title="Guard \u200blong ALTERs", body="Always run the guard.", now=timezone.now())
        line = LogEntry.objects.get(subject=row.ref, verb="deposited")
        assert "invisible characters stripped: {" in line.why
        unsure = verdict(None, Reason.CLOSE, NUMBER).as_data()
        LogEntry.objects.filter(pk=line.pk).update(after={"verdicts": [{"ref": "PLAT-9", **unsure}]})
        other = make_insight(bob, body="Never run the guard.")
        Pair.between(row, other, question="contradiction", verdict=unsure, by=alice, at=timezone.now())
        said = "Whether they agree could not be told from the texts. Different numbers: 40 and 400."
        client = signed_in(alice_user)
        assert f"Similar to PLAT-9. {said}" in unescape(text(client.get(f"/insights/{row.ref}/")))
        page = unescape(text(client.get("/contradictions/")))
        assert f"Similar to {row.ref}. {said}" in page
        assert "&#x27;relation&#x27;" not in page and "'relation'" not in page

    def test_of_a_proposal_have_no_data_in_them(self, alice_user: User, alice: Member, bob: Member) -> None:
        """A pair that is near, an agent that says what it is, and a lead who has yet to decide."""
        now = timezone.now()
        old = make_insight(alice, body="Requests to the payment gateway time out after 10 seconds.")
        curate.promote(ref=old.ref, by=alice, now=now)
        new = make_insight(bob, body="Requests to the payment gateway time out after 30 seconds.", now=now)
        unsure = verdict(None, Reason.CLOSE, NUMBER).as_data()
        Pair.between(old, new, question="duplicate", verdict=unsure, by=bob, at=now)
        relate(ref=new.ref, statements=[Statement(old.ref, Relation.SUPERSEDES)], by=bob, now=now)
        assert Pair.objects.get(question="supersession").state == "open"
        curate.pin(ref=old.ref, by=alice, now=now)
        for ref in (old.ref, new.ref):
            page = unescape(text(signed_in(alice_user).get(f"/insights/{ref}/")))
            assert "PLAT-2 proposed to supersede PLAT-1" in page
            assert "According to the depositing agent. Different numbers: 10 seconds and 30 seconds." in page
            assert "reported to supersede" not in page  # the proposal says so
            assert "duplicate of" not in page and "resolved" not in page
            assert "{'" not in page and "'relation'" not in page
            assert page.count(": proposed") == 0
        assert ": pinned" in unescape(text(signed_in(alice_user).get(f"/insights/{old.ref}/")))

    def test_of_a_verdict_are_not_told_as_a_change(self) -> None:
        after = {"superseded_by": "PLAT-2", "verdict": verdict(None, Reason.CLOSE).as_data(), "verdicts": [{}]}
        line = LogEntry(before={"superseded_by": None}, after=after)
        assert changed(line) == [("superseded by", "PLAT-2", None)]
        assert log_changes(line) == [("superseded by", None, "PLAT-2")]
        assert in_words("bob", "it gave way", line.before, after) == "bob: it gave way (superseded by: “” → “PLAT-2”)"

    def test_of_rows_of_data_are_their_fields(self) -> None:
        assert text_of([{"path": "a.py", "sha256": "ab"}, {"path": "b.py"}]) == "path: a.py, sha256: ab, path: b.py"

    def test_of_one_verdict_and_of_several_are_all_told(self, alice: Member) -> None:
        line = LogEntry(after={"verdict": {"reason": "close"}, "verdicts": [{"reason": "model"}, "spoiled"]})
        assert verdicts_of(line) == [{"reason": "close"}, {"reason": "model"}]
        assert verdicts_of(LogEntry(after={})) == verdicts_of(LogEntry(after=[])) == []

    def test_of_a_person_stand_as_they_were_written(self, alice_user: User, alice: Member) -> None:
        row = make_insight(alice)
        curate.pin(ref=row.ref, by=alice, now=timezone.now(), why="same, by and <large>")
        assert ">same, by and &lt;large&gt;<" in text(signed_in(alice_user).get(f"/insights/{row.ref}/"))
