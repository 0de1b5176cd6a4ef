"""A secret that is stored already."""

from datetime import datetime

import pytest
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.test import Client
from rest_framework.test import APIClient

from accounts.actions.guard_terms import allow_term
from accounts.models import GuardTerm, JobRun, LogEntry, Team, User
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Member
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Anchor, Corroboration, Insight, Query, Signal
from knowledge.retrieval.actions import upkeep
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions.combine import merge
from knowledge.review.actions.forget import forget
from knowledge.review.actions.quarantine import NotQuarantined, release, scan
from sessions_app.actions.start import Opening, start
from sessions_app.models import AgentSession
from skills.models import SkillVersion
from tests.database import changed, contents
from tests.factories import make_insight, make_skill
from tests.knowledge.library import LESSONS, counted, recounted

SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"
LEAKY = f"The kestrel bucket is reached with {SECRET} from the build."


def leak(row: Insight, **over: str) -> Insight:
    """Write past the guard, as an older one would have let it."""
    Insight.objects.filter(pk=row.pk).update(**(over or {"body": LEAKY}))
    upkeep_all()
    return Insight.objects.get(pk=row.pk)


def upkeep_all() -> None:
    """Words and statistics, as if the text had come in by the door."""
    for team_id in Insight.objects.order_by().values_list("team_id", flat=True).distinct():
        upkeep.rebuild_keyword_vectors(team_id=team_id)
    upkeep.recount()


@pytest.fixture
def row(bob: Member, now: datetime) -> Insight:
    return leak(make_insight(bob, now=now, body=LESSONS["beat"], tags=["celery"]))


def statistics_are_true(team: Team) -> None:
    assert counted(team.pk) == recounted(team.pk)


class TestScan:
    def test_takes_what_holds_a_secret_out_of_every_read(
        self, row: Insight, alices_agent: APIClient, bob: Member, platform: Team, now: datetime
    ) -> None:
        assert scan(now=now).counts["quarantined"] == 1
        assert alices_agent.get("/api/v1/insights/PLAT-1/").status_code == 404
        assert alices_agent.get("/api/v1/insights/").json()["results"] == []
        assert retrieve(ask=Ask("kestrel bucket", trim=False), by=bob, now=now).hits == []
        statistics_are_true(platform)

    def test_says_what_it_found_and_where_and_never_what_it_says(self, row: Insight, now: datetime) -> None:
        scan(now=now)
        line = LogEntry.objects.get(verb="quarantined")
        assert (line.line, line.actor) == ("PLAT-1 quarantined", "loam")
        assert "aws" in line.why.lower() and "line 1, column 36" in line.why
        assert SECRET not in line.why

    def test_passes_over_what_is_clean(self, bob: Member, now: datetime) -> None:
        make_insight(bob, now=now, body=LESSONS["beat"], tags=["celery"])
        before = contents()
        counts = scan(now=now).counts
        assert (counts["quarantined"], counts["masked"]) == (0, 0)
        assert counts["scanned"] >= 2
        assert changed(before) == []

    def test_passes_over_what_a_team_has_reviewed(
        self, row: Insight, alice: Member, charlie: Member, now: datetime
    ) -> None:
        theirs = leak(make_insight(charlie, now=now, body=LESSONS["locks"]))
        allow_term(team="platform", term=SECRET, reason="revoked", by=alice, now=now)
        assert scan(now=now).counts["quarantined"] == 1
        assert [r.ref for r in Insight.objects.all().quarantined()] == [theirs.ref]

    def test_twice_is_once(self, row: Insight, now: datetime) -> None:
        scan(now=now)
        before = contents()
        assert scan(now=now).counts["quarantined"] == 0
        assert changed(before) == []

    @pytest.mark.parametrize("place", ["title", "reasoning", "repo", "tag", "error", "said", "draft", "provenance"])
    def test_looks_everywhere(self, bob: Member, alice: Member, now: datetime, place: str) -> None:
        row = make_insight(bob, now=now, body=LESSONS["beat"], tags=["celery"])
        if place in ("title", "reasoning", "repo"):
            leak(row, **{place: f"with {SECRET}"})
        elif place == "tag":
            Anchor.objects.update(value=f"with {SECRET}")
        elif place == "error":
            Anchor.objects.create(insight=row, kind="error", value="0", detail=f"refused {SECRET}")
        elif place == "provenance":
            Insight.objects.update(provenance=[{"path": f"a/{SECRET}", "sha256": "0" * 64}])
        else:
            merge(ref=make_insight(alice, body=LESSONS["locks"]).ref, into=row.ref, by=alice, now=now)
            said = Corroboration.objects.get()
            changes = {"draft": {**said.draft, "error": SECRET}} if place == "draft" else {"body": LEAKY}
            Corroboration.objects.update(**changes)
        assert scan(now=now).counts["quarantined"] == 1

    def test_masks_what_must_not_be_lost(self, alice: Member, bob: Member, now: datetime) -> None:
        row = make_insight(bob, now=now, body=LESSONS["beat"])
        asked = retrieve(ask=Ask("celery beat"), by=alice, now=now)
        rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=alice, now=now, query_id=asked.query_id, reason="so")
        Query.objects.update(text=LEAKY, ask={"text": LEAKY, "files": [LEAKY]})
        Signal.objects.update(reason=LEAKY, question=LEAKY)
        LogEntry.objects.filter(verb="deposited").update(why=LEAKY, before={"body": LEAKY})
        assert scan(now=now).counts["masked"] >= 6
        assert SECRET not in str(contents())
        assert Signal.objects.filter(reason__contains="[SECRET]").exists()
        assert LogEntry.objects.get(verb="deposited").before == {"body": LEAKY.replace(SECRET, "[SECRET]")}


class TestRelease:
    def test_masks_it_and_lets_it_out(
        self, row: Insight, alice: Member, bob: Member, platform: Team, now: datetime
    ) -> None:
        scan(now=now)
        done = release(ref="PLAT-1", by=alice, now=now, why="rotated")
        assert done.body == LEAKY.replace(SECRET, "[SECRET]")
        upkeep.embed_waiting()
        assert [h.insight.ref for h in retrieve(ask=Ask("kestrel bucket"), by=bob, now=now).hits] == ["PLAT-1"]
        assert SECRET not in str(contents())
        assert scan(now=now).counts["quarantined"] == 0
        statistics_are_true(platform)

    def test_as_it_is_makes_it_a_reviewed_term(
        self, row: Insight, alice: Member, platform: Team, now: datetime
    ) -> None:
        scan(now=now)
        assert release(ref="PLAT-1", by=alice, now=now, why="an example", mask=False).body == LEAKY
        term = GuardTerm.objects.get()
        assert (term.term, term.reason, term.added_by_id, term.team_id) == (
            SECRET, "an example", alice.user_id, platform.pk
        )  # fmt: skip
        assert scan(now=now).counts["quarantined"] == 0
        statistics_are_true(platform)

    def test_masks_what_was_merged_into_it(self, alice: Member, bob: Member, platform: Team, now: datetime) -> None:
        row = make_insight(bob, now=now, body=LESSONS["beat"])
        merge(ref=make_insight(alice, body=LESSONS["locks"]).ref, into=row.ref, by=alice, now=now)
        Corroboration.objects.update(body=LEAKY)
        Insight.objects.filter(ref="PLAT-2").delete()
        scan(now=now)
        done = release(ref="PLAT-1", by=alice, now=now)
        assert SECRET not in str(contents())
        assert "kestrel" in done.heard and Corroboration.objects.get().body == LEAKY.replace(SECRET, "[SECRET]")

    def test_is_a_leads_act(self, row: Insight, bob: Member, charlie: Member, now: datetime) -> None:
        with pytest.raises(NotAllowed):
            release(ref="PLAT-1", by=bob, now=now)
        scan(now=now)
        for stranger in (bob, charlie):
            with pytest.raises(NotFound):
                release(ref="PLAT-1", by=stranger, now=now)

    def test_of_what_is_in_no_quarantine_is_refused(self, row: Insight, alice: Member, now: datetime) -> None:
        with pytest.raises(NotQuarantined):
            release(ref="PLAT-1", by=alice, now=now)

    def test_may_be_forgetting_instead(self, row: Insight, alice: Member, bob: Member, now: datetime) -> None:
        scan(now=now)
        with pytest.raises(NotFound):
            forget(ref="PLAT-1", why="a key", by=bob, now=now)
        assert forget(ref="PLAT-1", why="a key", by=alice, now=now).forgotten_at == now


class TestTheDoors:
    def test_by_command_looks_into_every_app(self, alice: Member, bob: Member, now: datetime) -> None:
        make_skill(alice, now)
        SkillVersion.objects.update(instructions=LEAKY)
        opening = Opening(repo="acme/web", team="platform", prompt="go on")
        AgentSession.objects.filter(pk=start(opening=opening, by=bob, now=now).session.pk).update(prompt=LEAKY)
        call_command("scan")
        assert SECRET not in str(contents())
        assert "[SECRET]" in SkillVersion.objects.get().instructions

    def test_by_command_is_recorded(self, row: Insight, capsys: pytest.CaptureFixture[str]) -> None:
        call_command("scan")
        assert "1 insights put into quarantine" in capsys.readouterr().out
        run = JobRun.objects.get(name="knowledge.scan")
        assert (run.outcome, run.counts["quarantined"]) == ("done", 1)

    def test_of_the_admin_shows_it_masked_and_releases(self, row: Insight, client: Client, now: datetime) -> None:
        client.force_login(User.objects.create_superuser("chief", password="a-long-password-1"))
        scan(now=now)
        listed = "/admin/knowledge/quarantined/"
        for path in (listed, f"{listed}{row.pk}/change/"):
            page = client.get(path).content.decode()
            assert SECRET not in page
        assert "with [SECRET] from the build" in page and "column 36" in page
        assert LEAKY[:12] not in client.get("/admin/knowledge/insight/").content.decode()
        client.post(listed, {"action": "release_masked", "_selected_action": [row.pk]})
        assert Insight.objects.get().quarantined_at is None

    def test_of_the_admin_shows_staff_only_what_they_lead(
        self, row: Insight, client: Client, bob_user: User, now: datetime
    ) -> None:
        scan(now=now)
        User.objects.filter(pk=bob_user.pk).update(is_staff=True)
        bob_user.user_permissions.set(permissions())
        client.force_login(bob_user)
        assert "PLAT-1" not in client.get("/admin/knowledge/quarantined/").content.decode()

    def test_of_the_api_releases(self, row: Insight, alices_agent: APIClient, now: datetime) -> None:
        scan(now=now)
        answer = alices_agent.post("/api/v1/insights/PLAT-1/release/", {"reason": "rotated"})
        assert (answer.status_code, "[SECRET]" in answer.json()["body"]) == (200, True)


def permissions() -> list[object]:
    return list(Permission.objects.filter(content_type__app_label="knowledge"))
