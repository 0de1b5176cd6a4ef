"""The table of sessions: what it is narrowed to, how it is sorted, what leaves as a file."""

import csv
import io
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import LogEntry, User
from accounts.rules.rights import Member
from knowledge.views.listing import PAGE
from sessions_app.models import AgentSession
from tests.conftest import NOW
from tests.pages import Faults, signed_in
from tests.sessions_app.sitting import begin, sit, stop

DAY = timedelta(days=1)


def text(answer: Any) -> str:
    page: str = answer.content.decode()
    assert answer.status_code == 200
    assert Faults(page).found == []
    return page


def exported(answer: Any) -> list[dict[str, str]]:
    assert answer.status_code == 200
    data = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(data)))


def refs(answer: Any) -> list[str]:
    text(answer)
    return [row.ref for row in answer.context["rows"]]


@pytest.fixture
def three(alice: Member, bob: Member) -> dict[str, AgentSession]:
    """Ended with an open handoff, running, and abandoned without one."""
    ended = sit(alice, NOW - 5 * DAY, repo="acme/web", branch="tariffs", agent="codex")
    stop(ended, alice, NOW - 5 * DAY)
    running = begin(bob, NOW, repo="acme/api", branch="main", agent="claude-code").session
    lost = begin(bob, NOW - 2 * DAY, repo="acme/web", agent="cursor").session
    AgentSession.objects.filter(pk=lost.pk).update(state="abandoned")
    return {"ended": ended, "running": running, "lost": lost}


class TestFilters:
    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("", "running lost ended"),
            ("repo=acme/web", "lost ended"),
            ("branch=tariffs", "ended"),
            ("user=alice", "ended"),
            ("user=nobody", ""),
            ("agent=CLAUDE", "running"),
            ("state=live", "running"),
            ("state=abandoned", "lost"),
            ("handoff=yes", "ended"),
            ("handoff=open", "ended"),
            ("handoff=none", "running lost"),
            ("team=platform", "running lost ended"),
            (f"since={NOW - 2 * DAY:%Y-%m-%d}", "running lost"),
            (f"until={NOW - 3 * DAY:%Y-%m-%d}", "ended"),
            ("ordering=repo", "running ended lost"),
            ("ordering=last", "ended lost running"),
            ("ordering=nonsense", "running lost ended"),
        ],
    )
    def test_narrow_and_sort(self, query: str, found: str, three: dict[str, AgentSession], alice_user: User) -> None:
        names = {row.ref: name for name, row in three.items()}
        assert [names[ref] for ref in refs(signed_in(alice_user).get(f"/sessions/?{query}"))] == found.split()

    @pytest.mark.parametrize(
        ("query", "field"),
        [("state=x", "State"), ("team=nope", "Team"), ("since=x", "From"), ("repo=%00", "Repository")],
    )
    def test_name_the_field_of_a_bad_value(self, query: str, field: str, alice_user: User) -> None:
        client = signed_in(alice_user)
        assert f"<p>{field}: " in text(client.get(f"/sessions/?{query}"))
        assert client.get(f"/sessions/export/?{query}").status_code == 400

    def test_are_kept_as_a_view(self, alice_user: User) -> None:
        client = signed_in(alice_user)
        form = {"page": "sessions", "query": "state=live&cols=repo&page=3", "name": "Now", "team": "personal"}
        answer = client.post("/filters/", form)
        assert answer.url.startswith("/sessions/?state=live&cols=repo&saved=")
        assert "Now" in text(client.get(answer.url))

    def test_a_handoff_that_was_taken_over_is_not_open(
        self, three: dict[str, AgentSession], alice_user: User, bob_user: User
    ) -> None:
        signed_in(bob_user).post(f"/sessions/{three['ended'].ref}/acknowledge/")
        client = signed_in(alice_user)
        assert refs(client.get("/sessions/?handoff=open")) == []
        assert refs(client.get("/sessions/?handoff=yes")) == [three["ended"].ref]


def test_columns_are_chosen_and_kept_by_the_filters(three: dict[str, AgentSession], alice_user: User) -> None:
    answer = signed_in(alice_user).get("/sessions/?cols=branch&cols=events")
    page = text(answer)
    assert [column.name for column in answer.context["columns"]] == ["branch", "events"]
    assert 'name="cols" value="branch"' in page and 'name="cols" value="events"' in page


def test_pages_hold_every_session_once(alice: Member, alice_user: User) -> None:
    for n in range(PAGE + 3):
        begin(alice, NOW - timedelta(minutes=n), repo=f"acme/{n}")
    client = signed_in(alice_user)
    first, second = client.get("/sessions/"), client.get("/sessions/?page=2")
    assert first.context["total"] == str(PAGE + 3) and len(refs(first)) == PAGE
    assert len({*refs(first), *refs(second)}) == PAGE + 3


class TestExport:
    def test_is_what_is_filtered(self, three: dict[str, AgentSession], alice_user: User, charlie_user: User) -> None:
        client = signed_in(alice_user)
        [row] = exported(client.get("/sessions/export/?state=ended"))
        assert (row["session"], row["branch"], row["handoff"]) == (three["ended"].ref, "tariffs", "clean")
        assert LogEntry.objects.get(verb="exported").line == "1 session exported"
        assert exported(signed_in(charlie_user).get("/sessions/export/")) == []

    def test_tells_no_prompt_that_its_user_keeps(self, alice: Member, alice_user: User, bob_user: User) -> None:
        User.objects.filter(pk=alice.user_id).update(share_prompts="off")
        begin(alice, NOW, prompt="why is the =kestrel late")
        [own] = exported(signed_in(alice_user).get("/sessions/export/"))
        [others] = exported(signed_in(bob_user).get("/sessions/export/"))
        assert "kestrel" in own["topic"] and others["topic"] == ""

    def test_has_no_formula(self, alice: Member, alice_user: User) -> None:
        begin(alice, NOW, repo="=1+1", branch="@SUM(1)")
        [row] = exported(signed_in(alice_user).get("/sessions/export/"))
        assert (row["repo"], row["branch"]) == ("'=1+1", "'@SUM(1)")


def test_a_visitor_signs_in_first(client: Any) -> None:
    assert [client.get(path).status_code for path in ("/sessions/", "/sessions/export/")] == [302, 302]
