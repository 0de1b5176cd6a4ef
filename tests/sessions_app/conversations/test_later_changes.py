"""Who changes a decision in passing says little of it. That is looked for from what was decided."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.adapters.embedder import current
from knowledge.judging.actions.deposit import Deposited, deposit
from knowledge.models.insight import DIMENSIONS
from knowledge.retrieval.rules.ask import Ask
from knowledge.rules.draft import Draft
from knowledge.rules.vectors import half
from knowledge.rules.vocabulary import Kind
from sessions_app.actions.capture import Report, capture
from sessions_app.actions.end import SessionWords, end
from sessions_app.answers.actions.conversations import Conversations
from sessions_app.answers.actions.surface import surface
from sessions_app.answers.rules.calls import Interface
from sessions_app.conversations.actions.find import ConversationAnswer, find
from sessions_app.conversations.actions.origin import changes_of
from sessions_app.conversations.actions.passage_rows import or_replies
from sessions_app.conversations.actions.share import share
from sessions_app.conversations.rules.amendments import (
    MOST_WITH_FILE,
    EarlierStatement,
    amendments,
    files_of,
    rare_files,
    statement_at,
    told_of,
)
from sessions_app.conversations.rules.answering import Floor
from sessions_app.conversations.rules.context import SHORT
from sessions_app.conversations.rules.copies import asked_again
from sessions_app.conversations.rules.found import FoundConversation
from sessions_app.conversations.rules.score import ScoredConversation
from sessions_app.conversations.rules.subject import Exchange
from sessions_app.conversations.rules.tool_lines import SaidAt, around
from sessions_app.models import Passage
from sessions_app.querysets.passage_search import LaterSession, PassageLine
from sessions_app.transcripts.rules.speakers import SharedTurns, Speaker
from sessions_app.transcripts.rules.turn import Turn
from tests.cases import cases
from tests.conftest import NOW
from tests.pages import signed_in
from tests.sessions_app.conversations.decisions import ask, turns
from tests.sessions_app.conversations.talk import begin, talk
from tests.sessions_app.conversations.test_search_rules import passages, unit

DECIDED, NEAR, ELSEWHERE, OTHER = unit(1, 0, 0, 0), unit(1, 0.9, 0, 0), unit(0, 1, 0.2, 0), unit(0, 0, 1, 0)


def said(*texts: str, at: int = 0, files: Sequence[str] = ()) -> Exchange:
    """What was decided at the second turn of a conversation of so many turns."""
    rows = [replace(one, vector=DECIDED, files="\n".join(files)) for one in passages(*texts)]
    found = statement_at(ScoredConversation(1, rows), at)
    assert found
    return found


EARLIER = EarlierStatement(DECIDED, NOW, "shop", session=1)


class TestWhatWasSaid:
    @cases(
        "at, positions",
        [
            (0, [0, 1]),  # a request with its reply
            (1, [0, 1]),  # a report with its request
            (2, [2]),  # nothing was replied
        ],
    )
    def test_is_a_request_with_its_reply(self, at: int, positions: list[int]) -> None:
        found = said("Cap it at 4.", "Capped.", "And log it.", at=at)
        assert [one.position for one in found.passages] == positions

    @cases(
        "text, edited, files",
        [
            ("Cap it in kiln/ramp.py.", ["kiln/ramp.py", "kiln/log.py"], ["kiln/ramp.py", "kiln/log.py"]),
            ("Close at 14 m/s, and/or at night.", [], []),
            ("Cap it.", ["kiln/ramp.py"], ["kiln/ramp.py"]),
        ],
    )
    def test_names_files_or_was_followed_by_an_edit(self, text: str, edited: list[str], files: list[str]) -> None:
        assert files_of(said(text, "Done.", files=edited)) == files

    def test_was_done_where_the_next_edit_is(self) -> None:
        rows = [
            replace(one, vector=DECIDED) for one in passages("Cap it.", "I will.", "Start.", "Done.", "Bye.", "Bye.")
        ]
        rows[3] = replace(rows[3], files="kiln/ramp.py")
        rows[5] = replace(rows[5], files="CHANGELOG.md")
        found = statement_at(ScoredConversation(1, rows), 0)
        assert found
        assert files_of(found) == ["kiln/ramp.py"]

    def test_is_not_looked_for_by_a_file_of_every_conversation(self) -> None:
        many = MOST_WITH_FILE + 1
        df = {
            "changelog.md": many,
            "changelog": many,
            "md": many,
            "kiln/ramp.py": 3,
            "kiln": 9,
            "ramp": many,
            "py": many,
        }
        assert rare_files(["CHANGELOG.md", "kiln/ramp.py"], df) == ["kiln/ramp.py"]


def later(session: int, cosine: float, middle: float = 0.1, *, of_file: bool = False) -> LaterSession:
    return LaterSession(session, 3, cosine, middle, of_file)


class TestWhatMayChangeIt:
    @cases(
        "found, sessions",
        [
            ([later(2, 0.6)], [2]),  # stands out in a conversation on other things
            ([later(2, 0.6, middle=0.5)], []),  # is on that all the time
            ([later(2, 0.4)], []),
            ([later(2, 0.4, of_file=True)], [2]),
            ([later(2, 0.2, of_file=True)], []),
            ([later(2, 0.6), later(3, 0.3)], [2]),
            ([later(2, 0.6), later(3, 0.6), later(4, 0.2)], [2, 3]),
            ([later(2, 0.7), later(3, 0.6)], [2]),  # not as likely
            ([later(2, 1.0), later(3, 0.6)], [3]),  # says the same
            ([later(session, 0.6) for session in range(2, 8)], []),  # each day is like the one before
            ([later(session, 0.6, of_file=True) for session in (4, 3, 2)], [2, 3]),
        ],
    )
    def test_stands_out_or_has_the_file(self, found: list[LaterSession], sessions: list[int]) -> None:
        assert [one.session for one in amendments(found)] == sessions

    @cases(
        "before, positions",
        [
            (NEAR, [2, 3, 4, 5]),  # a report, the decision, what was done
            (OTHER, [3, 4, 5]),
        ],
    )
    def test_is_told_with_what_stands_around_it(self, before: np.ndarray, positions: list[int]) -> None:
        vectors = [OTHER, OTHER, before, DECIDED, OTHER, ELSEWHERE, OTHER]
        rows = passages(*[f"turn {number}" for number in range(len(vectors))], vectors=vectors)
        found = told_of(EARLIER, ScoredConversation(2, rows), 3)
        assert found
        assert [one.position for one in found.passages] == positions

    def test_is_not_told_before_it_has_a_vector(self) -> None:
        assert told_of(EARLIER, ScoredConversation(2, passages("No, 5.")), 0) is None


USER, AGENT = Speaker.USER, Speaker.AGENT


def spoken(*speakers: Speaker, minutes: int = 1) -> list[SaidAt]:
    return [SaidAt(n, speaker, NOW + timedelta(minutes=minutes * n)) for n, speaker in enumerate(speakers)]


class TestAnEditThatAHookTold:
    @cases(
        "minute, positions",
        [
            (0.5, [0, 1, 2]),  # after the request: it and the reply
            (1.5, [0, 1, 2]),  # within the reply: it and the request
            (3.5, [3, 4]),
            (9, [3, 4]),
            (-5, [0, 1, 2]),  # before all that is kept of the conversation
        ],
    )
    def test_is_of_the_request_and_the_reply_around_it(self, minute: float, positions: list[int]) -> None:
        talk = spoken(USER, AGENT, AGENT, USER, AGENT)
        assert around(NOW + timedelta(minutes=minute), talk) == positions

    def test_is_of_all_where_no_moment_tells(self) -> None:
        assert around(NOW, spoken(USER, AGENT, USER, AGENT, minutes=0)) == [0, 1, 2, 3]


LABELS = (
    "the label printer in hall 2 prints every label twice since the move",
    "Its queue had two consumers; the old host was still running. I stopped it and removed the unit file.",
    "good. the plant passport has to be on it as well",
    "Added as Code 128 below the crop's name; docs/labels.md says how it is made.",
)
BACKUP = (
    "how long did the restore of the measurements take last week",
    "41 minutes for 11 GB; most of it was building the index on reading(zone, taken_at).",
    "write that into the checklist",
    "It is in ops/checklist.md, with the command.",
)
DECISION = (
    "water pressure collapses when everything opens together. At most 4 zones may be watering at any one time",
    "There is a queue now: MAX_OPEN = 4 zones are open together, the others wait.",
)
CHANGE = (
    "we have the new booster pump since monday, so the line in front of the taps can be shorter. Six after all",
    "OK, six.",
)
LAST = ("the new seal of the pump leaks when the line is that long. back to five", "Five it is.")
TYPES = (
    "mypy fails in web/tiles.py since the upgrade",
    "The stub wants the type of the annotation; I added WithAnnotations in three places.",
)
PLAIN = "how many zones may be watering at once?"
FILE = "irrigation/valves.py"


def talked(by: Member, words: Sequence[Turn], edited: int, file: str = FILE) -> None:
    """A session whose client tells of an edit, after that turn, by its hook alone."""
    me = begin(by)
    at = datetime.fromisoformat(words[edited].at) + timedelta(seconds=20)
    capture(name=me.session, reports=[Report("edit", path=file, at=at)], by=me, now=NOW)
    end(name=me.session, words=SessionWords(transcript=words), by=me, now=NOW)


@pytest.fixture
def decided(alice: Member, bob: Member) -> None:
    """What was decided on the third, among other talk, and some weeks of work that has nothing to do with it."""
    for one in (alice, bob):
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=one, now=NOW)
    talked(alice, turns(3, *LABELS, *DECISION, *BACKUP), 4)
    talk(alice, turns(5, *BACKUP, *TYPES))
    talk(bob, turns(6, *TYPES, *LABELS[:2]))
    talk(bob, turns(8, *LABELS[2:], *BACKUP[:2]))


class TestADecisionThatWasChangedInPassing:
    def test_is_told_as_it_is_now_though_the_change_repeats_nothing_of_it(
        self, decided: None, alice: Member, bob: Member
    ) -> None:
        talked(bob, turns(18, *BACKUP, *CHANGE, *TYPES), 4)
        text = ask(alice, PLAIN, max_tokens=400, include=("conversations",)).text
        assert 0 <= text.find("Six after all") < text.find("At most 4 zones")
        assert "Code 128" not in text

    def test_is_said_before_the_thanks_that_are_embedded_with_it(
        self, decided: None, alice: Member, bob: Member
    ) -> None:
        talked(bob, turns(18, *CHANGE, "good, commit", "Committed."), 0)
        rows = list(Passage.objects.order_by("-pk")[:4])[::-1]
        vector = half(np.resize(DECIDED, DIMENSIONS))
        Passage.objects.filter(pk=rows[2].pk).update(embedding=vector)
        [found] = [
            one
            for one in Passage.objects.all().later(
                alice,
                teams=alice.team_ids,
                repo="shop",
                than=rows[0].said_at - timedelta(minutes=1),
                session=1,
                vector=vector.to_text(),
                any_of="",
                held=0.0,
                short=SHORT,
                whole=True,
            )
            if one.session == rows[0].session_id
        ]
        assert rows[found.position].text in CHANGE

    def test_is_told_alone_where_the_change_is_not_shared(self, decided: None, alice: Member, bob: Member) -> None:
        share(repo="shop", team=bob.personal.slug, turns=SharedTurns.ALL, by=bob, now=NOW)  # type: ignore[union-attr]
        talked(bob, turns(18, *BACKUP, *CHANGE, *TYPES), 4)
        text = ask(alice, PLAIN, max_tokens=400, include=("conversations",)).text
        assert "At most 4 zones" in text
        assert "Six after all" not in text

    def test_is_found_by_its_file_though_nobody_named_it(self, decided: None, alice: Member, bob: Member) -> None:
        talked(bob, turns(18, *BACKUP, *CHANGE, *TYPES), 4)
        rows = Passage.objects.filter(files=[FILE]).order_by("said_at", "position")
        assert [row.text for row in rows] == [*DECISION, *CHANGE]
        slow = "Watering takes till noon because sections wait for each other. How many may be open together?"
        text = ask(alice, slow, max_tokens=400, include=("conversations",), files=[FILE]).text
        assert "Six after all" in text

    def test_is_followed_to_its_last_change(self, decided: None, alice: Member, bob: Member) -> None:
        talked(bob, turns(14, *BACKUP, *CHANGE, *TYPES), 4)
        talked(alice, turns(18, *LABELS[:2], *TYPES, *LAST, *BACKUP[:2]), 4)
        text = ask(alice, PLAIN, max_tokens=400, include=("conversations",)).text
        assert 0 <= text.find("back to five") < text.find("Six after all") < text.find("At most 4 zones")

    def test_is_named_with_its_last_change(self, decided: None, alice: Member, bob: Member) -> None:
        talked(bob, turns(18, *BACKUP, *CHANGE, *TYPES), 4)
        floor = Floor(9, 9, names=Floor(-9, -9, most_named=1))
        vector = current().embed([PLAIN])[0]
        named = find(ask=Ask(PLAIN, repo="shop"), vector=vector, by=alice, floor=floor).named
        assert [one.nearest.text for one in named] == [CHANGE[0], DECISION[0]]

    def test_is_told_to_a_prompt_though_the_change_was_agreed_in_two_words(
        self, decided: None, alice: Member, bob: Member
    ) -> None:
        talked(bob, turns(18, *CHANGE), 0)
        prompt = surface(prompt=PLAIN, by=begin(alice), now=NOW).text
        assert 0 <= prompt.find("Six after all") < prompt.find("At most 4 zones")

    def test_has_no_mark_where_nothing_changed_it(self, decided: None, alice: Member, bob: Member) -> None:
        text = ask(alice, PLAIN, max_tokens=400, include=("conversations",)).text
        assert "At most 4 zones" in text
        assert "which may change it" not in text


ASIDE = ("who looks after the watering zones?", "CODEOWNERS names the irrigation team for irrigation/.")


class TestAQuestionThatIsAskedInSeveralSessions:
    def test_does_not_put_them_on_one_subject(self, alice: Member, bob: Member) -> None:
        for one in (alice, bob):
            share(repo="shop", team="platform", turns=SharedTurns.ALL, by=one, now=NOW)
        talked(alice, turns(3, *ASIDE, *DECISION), 2)
        talk(bob, turns(5, *TYPES))
        talked(bob, turns(17, *CHANGE), 0)
        talk(
            bob,
            turns(
                18,
                *ASIDE,
                "write that into the handbook, people keep asking me",
                "It is in docs/handbook.md now, with a link.",
            ),
        )
        text = ask(alice, PLAIN, max_tokens=400, include=("conversations",)).text
        assert 0 <= text.find("Six after all") < text.find("At most 4 zones")
        assert "docs/handbook.md" not in text

    @cases(
        "speaker, question, reply, after, places",
        [
            (USER, "Who owns  it?", "Ops.", "", {(2, 0), (2, 1)}),  # spaces and case apart
            (USER, "Who owns it?", "Ops.", "Now sort the imports of the tests.", {(2, 0), (2, 1)}),
            (USER, "Who owns it?", "Ops.", "No, we do.", set()),
            (USER, "Who owns it?", "Payments.", "", set()),  # another reply is news
            (USER, "Make it 30.", "Done.", "", set()),  # said again it may be a change
            (AGENT, "Who owns it?", "Ops.", "", set()),
        ],
    )
    def test_counts_beside_one_of_them_alone(
        self, speaker: Speaker, question: str, reply: str, after: str, places: set[tuple[int, int]]
    ) -> None:
        first = [
            line(0, USER, "who owns it?"),
            line(1, AGENT, "ops."),
            line(2, USER, "make it 30."),
            line(3, AGENT, "done."),
        ]
        again = [line(0, speaker, question), line(1, AGENT, reply), *([line(2, USER, after)] if after else [])]
        assert asked_again([*first, *(one._replace(session=2) for one in again)], 1) == places


NOTE = "At most 4 zones are watered at any one time; the others wait in a queue."


class TestAnInsightThatWasChangedInAConversation:
    @pytest.fixture(autouse=True)
    def _changed(self, alice: Member, bob: Member, deposited: Deposited) -> None:
        for one in (alice, bob):
            share(repo="shop", team="platform", turns=SharedTurns.ALL, by=one, now=NOW)
        talk(bob, turns(6, *TYPES, *LABELS[:2]))
        talked(bob, turns(18, *BACKUP, *CHANGE, *TYPES), 4)

    def test_is_told_with_the_change(self, deposited: Deposited, alice: Member) -> None:
        text = ask(alice, PLAIN, max_tokens=400).text
        assert 0 <= text.find(NOTE) < text.find(f"later than {deposited.insight.ref}") < text.find("Six after all")

    def test_is_told_to_a_prompt_with_the_change(self, deposited: Deposited, alice: Member) -> None:
        text = surface(prompt=PLAIN, by=begin(alice), now=NOW).text
        assert 0 <= text.find(NOTE) < text.find(f"later than {deposited.insight.ref}") < text.find("Six after all")

    @cases("shown, told", [("PLAT-1", ["S-2"]), ("PLAT-9", [])])
    def test_brings_the_change_only_where_it_is_shown_itself(self, shown: str, told: list[str]) -> None:
        found = FoundConversation("S-2", "2026-11-18", "bob", "", "", [], {}, after="PLAT-1", for_note=True)
        conversations = Conversations(ConversationAnswer([found]), PLAIN, Interface.REST)
        assert not conversations.have_own
        conversations.leave_out_changes({shown})
        assert conversations.refs == told

    def test_is_told_alone_to_who_may_not_read_the_change(self, alice: Member, bob: Member) -> None:
        share(repo="shop", team=bob.personal.slug, turns=SharedTurns.ALL, by=bob, now=NOW)  # type: ignore[union-attr]
        text = ask(alice, PLAIN, max_tokens=400).text
        assert NOTE in text
        assert "Six after all" not in text

    def test_is_told_alone_once_a_person_has_confirmed_it_since(self, deposited: Deposited, alice: Member) -> None:
        deposited.insight.confirm(by=replace(alice, token_id=None), at=NOW)
        text = ask(alice, PLAIN, max_tokens=400).text
        assert NOTE in text
        assert "later than" not in text

    def test_shows_the_change_on_its_page_to_who_may_read_it(
        self, deposited: Deposited, alice_user: User, bob: Member
    ) -> None:
        def page() -> str:
            return signed_in(alice_user).get(f"/insights/{deposited.insight.ref}/").content.decode()

        assert "Perhaps changed since" in page()
        assert "Six after all" in page()
        share(repo="shop", team=bob.personal.slug, turns=SharedTurns.ALL, by=bob, now=NOW)  # type: ignore[union-attr]
        assert "Perhaps changed since" not in page()
        assert "Six after all" not in page()

    def test_is_not_changed_by_the_rest_of_the_session_that_deposited_it(self, alice: Member, bob: Member) -> None:
        me = begin(bob)
        draft = Draft(
            kind=Kind.PATTERN,
            body="The booster pump starts before a zone opens, so the line in front of the taps holds its pressure.",
            team="platform",
            repo="shop",
            files=["irrigation/pump.py"],
            source_date=datetime.fromisoformat("2026-11-18T09:00:30+00:00"),
        )
        done = deposit(draft=draft, by=me, now=NOW)
        said = "Yes, the pump starts first, so that the line in front of the taps holds; I renamed the constant."
        rest = turns(18, *BACKUP[:2], "so the booster pump starts before a zone opens?", said)
        at = datetime.fromisoformat(rest[3].at)
        capture(name=me.session, reports=[Report("edit", path="irrigation/pump.py", at=at)], by=me, now=NOW)
        end(name=me.session, words=SessionWords(transcript=rest), by=me, now=NOW)
        assert changes_of(done.insight, by=alice) == []

    def test_has_no_panel_without_a_file(self, alice: Member, alice_user: User) -> None:
        draft = Draft(
            kind=Kind.PATTERN, body="Taps drip in hall 4 when the line is long.", team="platform", repo="shop"
        )
        ref = deposit(draft=draft, by=alice, now=NOW).insight.ref
        assert "Perhaps changed since" not in signed_in(alice_user).get(f"/insights/{ref}/").content.decode()

    def test_brings_nothing_to_a_prompt_that_it_has_nothing_to_do_with(self, alice: Member) -> None:
        assert "Six after all" not in surface(prompt="Sort the imports of web/tiles.py.", by=begin(alice), now=NOW).text


@pytest.fixture
def deposited(alice: Member) -> Deposited:
    """What was agreed on the third, as a note on its file."""
    draft = Draft(
        kind=Kind.PATTERN,
        body=NOTE,
        team="platform",
        repo="shop",
        files=[FILE],
        source_date=datetime.fromisoformat("2026-11-03T12:00:00+00:00"),
    )
    return deposit(draft=draft, by=alice, now=NOW)


def line(position: int, speaker: Speaker, text: str) -> PassageLine:
    return PassageLine(position, 1, position, speaker, text, "", None, NOW, 1, 1, 1, "alice", "", "shop", "", False)


class TestWhatIsNamed:
    @cases(
        "text, reply, told",
        [
            ("shall I keep the pause?", line(1, USER, "five is plenty"), 1),
            ("the pause stays as it is", line(1, USER, "fine"), 0),
            ("I would retry ten times.", line(1, USER, "No, ten is far too many."), 1),
            ("is the journal whole?", line(1, AGENT, "and the backup?"), 0),
        ],
    )
    def test_is_the_reply_to_a_question_or_to_a_refused_proposal(
        self, text: str, reply: PassageLine, told: int
    ) -> None:
        assert [one.position for one in or_replies([line(0, AGENT, text), reply], [(1, 0)])] == [told]
