"""A person can be forgotten."""

from dataclasses import replace
from datetime import datetime
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts.actions.anonymise import StillLeads
from accounts.actions.guard_terms import allow_term
from accounts.actions.members import set_level
from accounts.actions.tokens import issue_token
from accounts.models import ApiToken, LogEntry, Team, User
from accounts.rules.refused import NotFound
from accounts.rules.rights import Level, Member
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Corroboration, Insight, Query, Receipt, Signal
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import curate
from knowledge.review.actions.combine import merge
from knowledge.review.actions.settle import report
from sessions_app.actions.capture import Report, capture
from sessions_app.actions.end import SessionWords, end
from sessions_app.actions.forget_person import forget_person
from sessions_app.actions.start import Opening, start
from sessions_app.answers.actions.surface import surface
from sessions_app.handoffs.actions.acknowledge import acknowledge
from sessions_app.models import AgentSession, Handoff, SessionEvent
from sessions_app.transcripts.rules.turn import Turn
from sessions_app.vault.actions.vault import export
from skills.models import Skill
from tests.conftest import member_of, person
from tests.database import changed, contents
from tests.factories import as_agent, make_insight, make_skill
from tests.knowledge.library import LESSONS

NAME = "zebedee"
MAIL = "zebedee@loam.example"


@pytest.fixture
def zebedee(platform: Team, alice: Member, now: datetime) -> Member:
    """A contributor who has left traces wherever one can."""
    user = person(NAME, platform)
    User.objects.filter(pk=user.pk).update(email=MAIL, first_name="Zebedee", last_name="Quill")
    by = member_of(user=user)
    agent = as_agent(by, "laptop")
    own = make_insight(agent, now=now, body=LESSONS["beat"], team="platform", idempotency_key="k1")
    make_insight(by, now=now, body="My salary is my own.", team="personal")
    theirs = make_insight(alice, now=now, body=f"Ask Zebedee Quill ({MAIL}) for the key. One process, one job.")
    said = make_insight(by, now=now, body=LESSONS["locks"], team="platform")
    merge(ref=said.ref, into=theirs.ref, by=alice, now=now)
    asked = retrieve(ask=Ask("celery beat"), by=agent, now=now)
    for who in (agent, as_agent(by, "desk"), by):
        rate(refs=[theirs.ref], verdict=SignalKind.HELPFUL, by=who, now=now)
    rate(refs=[own.ref], verdict=SignalKind.HELPFUL, by=agent, now=now, query_id=asked.query_id)
    report(a=own.ref, b=theirs.ref, reason="so", by=agent, now=now)
    revision = Insight.objects.get(pk=own.pk).revision
    curate.edit(ref=own.ref, changes={"title": "Beat"}, revision=revision, by=agent, now=now)
    set_level(team_slug="platform", username=NAME, level=Level.LEAD, by=alice, now=now)
    by = member_of(user=User.objects.get(pk=user.pk))
    allow_term(team="platform", term="hunter2", reason="so", by=by, now=now)
    issue_token(name="laptop", scopes=["read"], by=by, now=now)
    return by


class TestForgetPerson:
    def test_leaves_no_name_but_in_the_words_of_others(self, zebedee: Member, now: datetime) -> None:
        gone = forget_person(username=NAME, now=now)
        assert gone.named == ["PLAT-2"]
        left = {
            (table, line)
            for table, text in contents().items()
            for line in text.split("\n")
            if NAME in line.lower() or "quill" in line.lower()
        }
        assert {table for table, _ in left} <= {"knowledge_insight", "accounts_logentry", "knowledge_term"}
        assert all("Ask Zebedee Quill" in line or table == "knowledge_term" for table, line in left), left

    def test_erases_their_own_team_and_questions(self, zebedee: Member, now: datetime) -> None:
        forget_person(username=NAME, now=now)
        assert "salary" not in str(contents())
        assert not Team.objects.filter(owner_id=zebedee.user_id).exists()
        assert not Query.objects.filter(user_id=zebedee.user_id).exists()
        assert not Receipt.objects.filter(user_id=zebedee.user_id).exists()
        assert not ApiToken.objects.filter(user_id=zebedee.user_id).exists()

    def test_keeps_what_they_gave_to_others(self, zebedee: Member, alice: Member, now: datetime) -> None:
        before = Insight.objects.get(ref="PLAT-1")
        voices = Signal.objects.filter(insight__ref="PLAT-2").values("session_key").distinct().count()
        gone = forget_person(username=NAME, now=now)
        row = Insight.objects.get(ref="PLAT-1")
        assert (row.body, row.strength, row.author) == (before.body, before.strength, None)
        assert Corroboration.objects.get().user is None
        assert Signal.objects.filter(insight__ref="PLAT-2").values("session_key").distinct().count() == voices
        assert not Signal.objects.filter(session_key__in=[f"user:{zebedee.user_id}"]).exists()
        assert {"insights": 2, "personal insights": 1, "corroborations": 1, "ratings": 5}.items() <= gone.counts.items()
        assert {line.actor for line in LogEntry.objects.about("PLAT-1")} == {"somebody"}

    def test_closes_the_account_for_good(self, zebedee: Member, now: datetime) -> None:
        forget_person(username=NAME, now=now)
        user = User.objects.get(pk=zebedee.user_id)
        assert (user.username, user.email, user.is_active) == (f"forgotten-{user.pk}", "", False)
        assert not user.has_usable_password()
        assert LogEntry.objects.get(verb="person forgotten").line == f"Account {user.pk} forgotten"

    def test_is_refused_while_they_alone_lead_a_team(self, alice: Member, now: datetime) -> None:
        before = contents()
        with pytest.raises(StillLeads, match="platform"):
            forget_person(username="alice", now=now)
        with pytest.raises(NotFound):
            forget_person(username="nobody", now=now)
        assert changed(before) == []


class TestTheCommand:
    def test_says_what_is_left_to_do(self, zebedee: Member) -> None:
        out = StringIO()
        call_command("forget_person", NAME, "--yes", stdout=out)
        assert "1 personal insights" in out.getvalue()
        assert "still occurs in the text of PLAT-2" in out.getvalue()

    def test_asks_first(self, zebedee: Member, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("builtins.input", lambda _: "zebede")
        before = contents()
        with pytest.raises(CommandError, match="Nothing was changed"):
            call_command("forget_person", NAME)
        assert changed(before) == []


class TestInEveryApp:
    @pytest.fixture
    def traces(self, zebedee: Member, platform: Team, now: datetime) -> Member:
        """A session with all it keeps, and skills: one of the team's, one of their own."""
        opening = Opening(repo="acme/web", team="platform", machine="zebedees-laptop", prompt="ask zebedee of beat")
        session = start(opening=opening, by=zebedee, now=now).session
        surface(prompt="How does zebedee start celery beat in the cluster?", by=zebedee, now=now)
        SessionEvent.objects.create(session=session, kind="edit", at=now, received_at=now, path="zebedees-laptop.md")
        for team in ("platform", "personal"):
            make_skill(zebedee, now, team=team)
        return zebedee

    def test_handoffs_and_the_vault_have_no_words_of_theirs(
        self, zebedee: Member, alice: Member, tmp_path: Path, now: datetime
    ) -> None:
        typed = "The quagga export must stay below 11.40."
        said = (
            "Decision: the quagga queue has no brokers, because one lost rows. Next steps:\n- rename the quagga table"
        )
        opening = Opening(repo="acme/web", team="platform", prompt=typed)
        session = start(opening=opening, by=zebedee, now=now).session
        capture(name=session.key, reports=[Report("edit", path="src/a.py")], by=zebedee, now=now)
        words = SessionWords(
            summary="Moved the quagga.",
            handoff_note="The quagga waits.",
            pending=["feed the quagga"],
            blockers=["the quagga team"],
            transcript=[Turn("user", typed), Turn("assistant", said), Turn("tool", "Bash: quagga\nE   quagga failed")],
            asked=typed,
            last_message="The quagga is done.",
        )
        end(name=session.key, words=words, by=zebedee, now=now)
        taker = start(opening=Opening(repo="acme/web", team="platform"), by=alice, now=now).session
        by = replace(alice, session=taker.key)
        acknowledge(name=taker.key, handoff_of=session.key, by=by, now=now)
        capture(name=taker.key, reports=[Report("edit", path="src/b.py")], by=by, now=now)
        end(name=taker.key, words=SessionWords(), by=by, now=now)
        assert "feed the quagga" in str(Handoff.objects.get(session=taker).continues)
        forget_person(username=NAME, now=now)
        rows = [*Handoff.objects.values(), *AgentSession.objects.values(), *SessionEvent.objects.values()]
        assert "quagga" not in str([{**row, "deposits": []} for row in rows])
        assert "src/a.py" in str(rows)
        export(shared=tmp_path / "a", personal=tmp_path / "mine", conversations=True)
        pages = "".join(file.read_text() for file in tmp_path.rglob("handoffs/*.md"))
        assert pages and "quagga" not in pages.replace("quagga queue has no brokers", "")

    def test_nothing_says_who_it_was(self, traces: Member, now: datetime) -> None:
        forget_person(username=NAME, now=now)
        assert "laptop" not in str(contents()) and "zebedee of beat" not in str(contents())
        assert "does zebedee start" not in str(contents())
        assert AgentSession.objects.exists() and not SessionEvent.objects.exists()
        assert [skill.author for skill in Skill.objects.all()] == [None]
