"""A small world with everything that a vault has to carry, and what it takes to lose it."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.apps import apps
from django.core.management.color import no_style
from django.db import connection

from accounts.actions import preferences
from accounts.actions.guard_terms import allow_term
from accounts.actions.members import member_of
from accounts.models import ApiToken, GuardTerm, LogEntry, Membership, Preference, Team, User
from accounts.rules.rights import Level, Member, TeamKind
from knowledge.judging.actions.deposit import deposit
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind as Verdict
from knowledge.models import FormerRef, Insight, Lexicon, Pair, Query, Receipt, Topic
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import combine, curate, settle
from knowledge.review.actions.forget import forget
from knowledge.review.actions.move import move
from knowledge.review.actions.quarantine import scan
from knowledge.review.actions.saved_filters import save_filter
from knowledge.review.rules.saved_filters import Listing
from knowledge.rules.vocabulary import Kind
from knowledge.topics.actions import topics
from knowledge.topics.actions.regroup import regroup
from sessions_app.actions.end import SessionWords
from sessions_app.actions.end import end as leave
from sessions_app.models import AgentSession
from skills.actions import author
from skills.models import Skill
from tests.conftest import NOW, make_platform, person
from tests.factories import as_agent, make_annotation, make_draft, make_insight, make_skill
from tests.sessions_app.sitting import begin, sit

QUESTIONS = (
    "How do I alter a large table without stopping readers?",
    "deploy freeze on Fridays",
    "why is the cache cold after a restart?",
    "PLAT-1",
    "flaky test of the payment webhook",
)


def member(name: str) -> Member:
    return member_of(user=User.objects.get(username=name))


def lose_everything() -> None:
    """As after `migrate` on an empty database."""
    AgentSession.objects.all().delete()
    for skill in Skill.objects.all():
        Skill.objects.filter(pk=skill.pk).update(live=None, ahead=None, status="draft")
        skill.uses.all().delete()
        skill.delete()
    Pair.objects.all().delete()
    Receipt.objects.all().delete()
    FormerRef.objects.all().delete()
    Query.objects.all().delete()
    Insight.objects.update(superseded_by=None)
    Insight.objects.all().delete()
    Topic.objects.all().delete()
    Lexicon.objects.all().delete()
    for model in (Preference, LogEntry, GuardTerm, Membership, ApiToken):
        model.objects.all().delete()
    Team.objects.exclude(kind=TeamKind.EVERYONE).delete()
    Team.objects.update(last_number=0)
    User.objects.all().delete()


def tree(root: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def answers(by: Member, now: datetime) -> list[Any]:
    """What a member is told. The last digits of a score depend on the place a row has in a vector of them."""
    found = []
    for question in QUESTIONS:
        done = retrieve(ask=Ask(text=question, limit=20), by=by, now=now)
        found.append([(hit.insight.ref, round(hit.score.total, 12), round(hit.similarity, 12)) for hit in done.hits])
    return found


def make_world(alice: Member, bob: Member, charlie: Member) -> datetime:
    """Merges, supersessions, pairs, ratings, topics, what is forgotten, quarantined, moved; returns a moment after."""
    at = NOW - timedelta(days=40)
    agent = as_agent(bob)
    guard = make_insight(
        alice, at, title="Guard long ALTERs", tags=["postgres"], files=["db/migrate.py"], team="platform"
    )
    freeze = make_insight(
        agent, at, kind=Kind.DECISION, body="No deploy on Fridays.", reasoning="Nobody is there.", team="platform"
    )
    old = make_insight(bob, at, body="The cache is warmed by hand after each restart.", team="platform")
    new = make_insight(
        alice, at, body="The cache warms itself since release 12.", symbols=["warm_cache"], team="platform"
    )
    flaky = make_insight(bob, at, body="The webhook test is flaky: it needs a frozen clock.", team="platform")
    retry = make_insight(
        agent,
        at,
        body="Retry the webhook test three times.",
        error="TimeoutError: the webhook did not answer in 30 s",
        team="platform",
    )
    at += timedelta(days=1)
    combine.supersede(ref=old.ref, by_ref=new.ref, by=alice, now=at, why="measured")
    same = make_draft(body="Run the lock_timeout guard before a long ALTER, else all readers wait.", team="platform")
    deposit(draft=same, by=agent, now=at)
    twin = make_insight(bob, at, body="Long ALTER statements want a lock_timeout.", team="platform")
    combine.merge(ref=twin.ref, into=guard.ref, by=alice, now=at)
    pair = settle.report(a=flaky.ref, b=retry.ref, reason="one says clock, one says retry", by=bob, now=at)
    settle.dismiss(pair_id=pair.pk, by=alice, now=at, why="both hold")
    settle.report(a=freeze.ref, b=new.ref, reason="releases on Fridays?", by=bob, now=at)
    at += timedelta(days=1)
    asked = retrieve(ask=Ask(text=QUESTIONS[0]), by=bob, now=at)
    rate(refs=[guard.ref], verdict=Verdict.HELPFUL, by=agent, now=at, query_id=asked.query_id, reason="it held")
    rate(refs=[freeze.ref], verdict=Verdict.UNHELPFUL, by=bob, now=at)
    curate.promote(ref=freeze.ref, by=alice, now=at)
    curate.pin(ref=freeze.ref, by=alice, now=at)
    curate.leave(ref=flaky.ref, by=alice, now=at)
    curate.edit(ref=guard.ref, changes={"tags": ["postgres", "locks"]}, revision=_revision(guard), by=alice, now=at)
    gone = make_insight(bob, at, body="Grandmother's birthday is the ninth of May.", team="platform")
    forget(ref=gone.ref, why="private", by=bob, now=at)
    leak = make_insight(bob, at, body="Nothing to see here, yet.", team="platform")
    Insight.objects.filter(pk=leak.pk).update(body="The key is AKIAIOSFODNN7EXAMPLQ for the bucket of backups.")
    scan(now=at)
    narrowed = {"kind": "PITFALL", "topic": str(guard.topic_id)}
    for name, team in (("Traps", "platform"), ("Mine", "personal")):
        save_filter(listing=Listing.INSIGHTS, name=name, given=narrowed, team=team, by=alice, now=at)
    mine = make_insight(bob, at, body="My own note on the staging proxy.", team="personal")
    make_insight(bob, at, body="I like short commit messages.", team="personal")
    move(ref=mine.ref, team="platform", by=bob, now=at)
    make_insight(charlie, at, body="Charlie's apps are signed on the build machine.", team="mobile")
    _around(alice, bob, at)
    return at + timedelta(days=3)


def _around(alice: Member, bob: Member, at: datetime) -> None:
    regroup(now=at)
    named = Topic.objects.filter(team__slug="platform", merged_into=None).first()
    assert named is not None
    topics.rename(topic_id=named.pk, label="Databases: “locks”", by=alice, now=at)
    allow_term(team="platform", term="sk_test_documentation", reason="from the manual", by=alice, now=at)
    for by, text in ((alice, "Agents connected"), (bob, "Release 2.4 [[PLAT-1]] %% loam: x %%")):
        make_annotation(by, at, text=text)
    skill = make_skill(alice, at)
    author.edit(
        name=skill.name,
        team="platform",
        changes={"instructions": "Otherwise."},
        revision=skill.revision,
        by=alice,
        now=at,
    )
    for key in ("editor", "tests"):
        preferences.state(key=key, value="vim", category="general", scope="team", team="platform", by=alice, now=at)
    kept = Preference.objects.get(key="editor")
    preferences.forget(preference_id=kept.pk, by=alice, now=at)
    session = sit(bob, at).key
    leave(
        name=session,
        words=SessionWords(summary="Half of the importer.", handoff_note="%% loam: note %%"),
        by=bob,
        now=at,
    )
    begin(alice, at)


def _revision(row: Insight) -> int:
    return Insight.objects.get(pk=row.pk).revision


class LaidOut(NamedTuple):
    platform: Team
    alice: User
    bob: User
    at: datetime


@pytest.fixture(scope="module")
def laid_out(module_db: None) -> LaidOut:
    """The world, once for all tests of a module that names this and the fixtures below as its own."""
    platform = make_platform()
    mobile = Team.objects.create(name="Mobile", slug="mobile", prefix="MOB")
    people = person("alice", platform, Level.LEAD), person("bob", platform), person("charlie", mobile, Level.LEAD)
    alice, bob, charlie = (member_of(user=user) for user in people)
    return LaidOut(platform, people[0], people[1], make_world(alice, bob, charlie))


@pytest.fixture
def world(laid_out: LaidOut, db: None) -> datetime:
    """A moment after all of it. Numbers go on from its rows: an import sets them, and that is not undone with it."""
    with connection.cursor() as cursor:
        cursor.execute(" ".join(connection.ops.sequence_reset_sql(no_style(), apps.get_models())))
    return laid_out.at


@pytest.fixture
def platform(laid_out: LaidOut, db: None) -> Team:
    return laid_out.platform


@pytest.fixture
def alice_user(laid_out: LaidOut, db: None) -> User:
    return laid_out.alice


@pytest.fixture
def bob_user(laid_out: LaidOut, db: None) -> User:
    return laid_out.bob
