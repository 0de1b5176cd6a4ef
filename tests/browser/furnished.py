"""Rows for every page of ours, and the addresses of all pages."""

from dataclasses import replace
from datetime import timedelta

from django.utils import timezone

from accounts.actions.preferences import state
from accounts.models import Preference
from accounts.rules.rights import Member
from knowledge.evidence.models import Source
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.actions.standing import restore_standing
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import EditProposal, Insight, Pair, Query, Topic
from knowledge.review.actions import combine, settle
from knowledge.review.actions.inbox_state import assign, snooze
from knowledge.rules.vocabulary import Kind, Status, Trust
from sessions_app.actions.annotations import annotate
from sessions_app.actions.end import SessionWords, end
from sessions_app.answers.actions.surface import surface
from sessions_app.conversations.actions.propose import propose_passages
from sessions_app.conversations.actions.share import share
from sessions_app.models import AgentSession, ServedPassage
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import NOW
from tests.factories import as_agent, make_cluster, make_insight, make_insights, make_proposal, make_skill
from tests.sessions_app.sitting import FAILED, PASSED, begin, sit, stop

GUARD = "Run the `lock_timeout` guard before a long ALTER TABLE, or every reader waits behind it."
CODE = "Set it for the session:\n\n```sql\nSET lock_timeout = '3s'; -- " + "long " * 60 + "\n```\n\n> It was an outage."


def furnish(alice: Member, bob: Member) -> Insight:
    """Something in every queue and on every page; the insight that has all a page can show, and what may burst it."""
    now = timezone.now()
    make_insight(
        alice, title="A cache key names its tenant", body="Or one customer sees another's data.", repo="acme/web"
    )
    team = next(team.id for team in alice.teams if team.slug == "platform")
    make_cluster(team, content=CODE)
    make_skill(alice, description="How to release. " + "z" * 300, instructions=CODE)
    make_skill(alice, name="draft-one", live=False)
    stop(sit(alice, now, FAILED, PASSED), alice, now, summary=CODE, pending=["w" * 300])
    sit(alice, now, branch="b" * 150, prompt="p" * 180)
    converse(alice, bob)
    surface(prompt="Why do readers wait behind a long ALTER TABLE?", by=alice, now=now)
    state(key="test_runner", value="v" * 300, category="approach", by=alice, now=now)
    row = make_insight(
        alice,
        kind=Kind.PITFALL,
        title="Guard before ALTER TABLE " + "x" * 150,
        body=f"{GUARD}\n\n{CODE}\n\n{'y' * 10_000}",
        reasoning="A waiting ALTER blocks *everybody* behind it.",
        tags=["locks", "t" * 60, *(f"tag-{n}" for n in range(200))],
        files=["db/" + "deep/" * 40 + "migrate.py"],
        symbols=["run_guard"],
        repo="acme/" + "r" * 120,
        provenance=[{"path": "db/migrate.py", "sha256": "ab" * 32}],
    )
    fill_queues(row, alice, bob)
    annotate(text="Deploy " + "a" * 70, team="platform", by=alice, now=now)
    restore_standing(team="platform", username="bob", by=alice, now=now, why=CODE)
    Source.objects.create(team_id=team, slug="runbooks", name="Runbooks " + "n" * 60, path="runbooks", created_at=now)
    return row


def converse(alice: Member, bob: Member) -> None:
    """A conversation of Bob's of more than a page, shared, with what may burst it; some of it was served and read."""
    said = [
        Turn("user" if n % 2 else "assistant", f"Step {n}: <b>readers</b> wait behind a long ALTER. {'w' * 300}")
        for n in range(120)
    ]
    share(repo="acme/talk", team="platform", turns=SharedTurns.ALL, by=bob, now=timezone.now())
    session = begin(bob, timezone.now(), repo="acme/talk").session
    by = replace(bob, session=session.key)
    end(
        name=session.key,
        words=SessionWords(transcript=[*said, Turn("tool", f"Edit {'d/' * 90}a.py")]),
        by=by,
        now=timezone.now(),
    )
    passage = session.passages.filter(speaker="agent").order_by("position")[0]
    for member in (alice, alice, bob):
        asked = Query.objects.create(team_id=member.home_id, user_id=member.user_id, at=timezone.now(), text="why")
        ServedPassage.objects.create(query=asked, passage=passage, helpful=True)
    propose_passages(now=timezone.now())


def fill_queues(row: Insight, alice: Member, bob: Member) -> None:
    """One or two in each queue of the inbox, `row` among the new ones; something was merged into it."""
    now = timezone.now()
    rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=as_agent(bob), now=now)
    said = make_insight(bob, title="The same in other words", body=f"{GUARD} Really.")
    combine.merge(ref=said.ref, into=row.ref, by=alice, now=now)
    again = make_insight(bob, body="Beat runs once, or jobs fire twice.", tags=["beat"])
    rate(refs=[again.ref], verdict=SignalKind.HELPFUL, by=as_agent(alice), now=now)
    a, b, c, d, fading, stale, held = make_insights(
        alice,
        NOW,
        *(
            {"title": f"{word} run the guard", "body": f"{word} run the guard before a long ALTER. " + "z" * 300}
            for word in ("Always", "Never", "Sometimes", "Often", "Rarely", "Once", "Twice")
        ),
    )
    settle.report(a=a.ref, b=b.ref, reason="One of them is wrong. " + "q" * 200, by=bob, now=now)
    Pair.between(c, d, question="duplicate", reason="alike", by=alice, at=now, similarity=0.91)
    soon = {"strength": 25.0, "strength_at": now, "fades_at": now + timedelta(days=9)}
    Insight.objects.filter(pk=fading.pk).update(status=Status.PROMOTED, **soon)
    changed = [{"path": "db/" + "s" * 200 + ".py", "sha256": "ab" * 32, "seen": "cd" * 32}]
    Insight.objects.filter(pk=stale.pk).update(trust=Trust.STALE, provenance=changed)
    Insight.objects.filter(pk=held.pk).update(quarantined_at=now, body="password = hunter2hunter2")
    make_proposal(row, bob, now, title="Guard " + "t" * 120, body="Another text. " + "w" * 300, note="n" * 200)
    put_off = make_insight(alice, body="The ledger is audited in May.")
    snooze(items=[put_off.ref], until=now + timedelta(days=3), by=alice, now=now)
    assign(items=[row.ref, put_off.ref], assignee="me", by=alice, now=now)


def every_page(ref: str) -> list[str]:
    """The address of each page, with what it shows; `ref` is of the insight that `furnish` returned."""
    session = AgentSession.objects.order_by("pk")[0].ref
    # Of which something was said: by its name it is not found where every word was spoilt.
    spoken = AgentSession.objects.filter(passages__isnull=False).order_by("pk").first()
    talk = spoken.ref if spoken else session
    preference = Preference.objects.order_by("pk")[0].pk
    topic = Topic.objects.order_by("created_at")[0].pk
    suggested = EditProposal.objects.order_by("pk")[0].pk
    return [
        "/?tab=new",
        "/contradictions/",
        "/duplicates/",
        "/?tab=quoted",
        "/?tab=decaying",
        "/?tab=stale",
        "/?tab=quarantined",
        "/?tab=new&tag=nothing",
        f"/?tab=new&at={ref}",
        "/?tab=drafts",
        "/?tab=edits",
        "/?tab=snoozed",
        f"/proposals/{suggested}/",
        f"/proposals/{suggested}/edit/",
        f"/insights/{ref}/propose/",
        f"/inbox/snooze/?ref={ref}",
        f"/inbox/assign/?ref={ref}",
        f"/inbox/plan/?verb=promote&ref={ref}",
        f"/inbox/plan/?verb=forget&ref={ref}",
        f"/insights/{ref}/near/",
        "/topics/",
        f"/topics/{topic}/",
        "/insights/import/",
        "/insights/?pinned=true",
        "/insights/",
        f"/insights/?at={ref}&cols=kind&cols=tags&cols=repo&cols=author&cols=strength&cols=fades",
        "/insights/?rank=agent&q=readers+wait+behind+a+long+ALTER&kind=PITFALL",
        "/insights/?rank=agent&q=apple+pie",
        "/insights/?q=apple+pie",
        "/insights/new/",
        f"/insights/bulk-edit/?ref={ref}&back=/insights/",
        "/actions/",
        "/standing/",
        f"/insights/{ref}/",
        f"/insights/{ref}/edit/",
        "/skills/",
        "/skills/platform/release/",
        "/skills/platform/draft-one/",
        "/skills/platform/release/edit/",
        "/skills/new/",
        "/skills/import/",
        "/sessions/",
        f"/sessions/{session}/",
        "/sessions/?conversation=kept",
        f"/sessions/{talk}/conversation/",
        f"/sessions/{talk}/conversation/?q=nothing",
        f"/sessions/{talk}/conversation/insight/?passage=0&passage=1",
        f"/sessions/{talk}/conversation/forget/",
        "/settings/sharing/?repo=acme/talk&team=platform&turns=all",
        "/sessions/open/",
        "/sessions/surfaced/",
        "/friction/",
        "/dashboard/",
        "/dashboard/questions/",
        "/dashboard/ratings/",
        "/dashboard/contradictions/",
        "/dashboard/annotations/",
        "/preferences/",
        f"/preferences/{preference}/",
        "/settings/",
        "/go/?q=release",
        "/evidence/",
        "/evidence/clusters/",
        "/evidence/clusters/C1/",
        "/activity/?team=platform",
        "/teams/platform/terms/",
        "/teams/platform/invitations/",
        "/connect/",
        "/tokens/",
        "/teams/",
        "/teams/platform/",
        "/accounts/password/change/",
        "/accounts/2fa/",
        "/accounts/logout/",
    ]
