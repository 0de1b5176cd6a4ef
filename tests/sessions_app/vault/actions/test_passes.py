"""A team that arrives in several passes is what it would be after one: the same pages written, the same rows made."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, models, transaction

from accounts.actions import preferences
from accounts.actions.guard_terms import allow_term
from accounts.actions.members import member_of, remove_member, set_level
from accounts.actions.vault import came_by
from accounts.models import ApiToken, GuardTerm, LogEntry, Membership, Preference, Team, User
from accounts.rules.rights import SYSTEM, Level, Member
from knowledge.jobs.actions.audit import audit
from knowledge.judging.actions.deposit import deposit
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind as Verdict
from knowledge.models import Insight, Lexicon, Pair, Receipt, SavedFilter, Topic
from knowledge.retrieval.actions.upkeep import rebuild_keyword_vectors
from knowledge.review.actions import combine, curate, settle
from knowledge.review.actions.forget import forget
from knowledge.review.actions.move import move
from knowledge.topics.actions import topics
from sessions_app.conversations.actions.share import share
from sessions_app.models import AgentSession, Annotation, Handoff, Passage
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.vault.actions.arriving import arriving
from sessions_app.vault.actions.pages import ExportedVault, Passes
from sessions_app.vault.actions.vault import VaultRefused, export, import_vault
from skills.actions import author
from skills.models import Skill
from tests.conftest import NOW, make_platform, person
from tests.database import changed, contents
from tests.factories import as_agent, make_annotation, make_draft, make_insight, make_skill
from tests.sessions_app.conversations.talk import on_day, talk
from tests.sessions_app.sitting import begin, sit, stop
from tests.sessions_app.vaults import lose_everything, make_world, tree

# Versions of rows are told apart by the transactions that wrote them, as they are when people write.
pytestmark = pytest.mark.django_db(transaction=True)
DAY = timedelta(days=1)
# What no vault carries, or what each database makes for itself.
NOT_COMPARED = {"password", "date_joined", "digest", "revoked_at"}
MADE_HERE = (User, Membership, ApiToken)
NAMES = {"User": "username", "Team": "slug", "ApiToken": "prefix", "Insight": "ref", "Skill": "name"}
# In the order of whose ids things are listed, and ties are broken.
ORDERED = (Insight, LogEntry, AgentSession)


def rows() -> dict[str, list[Any]]:
    """Every row of every table, by the names of what it refers to instead of ids."""
    found: dict[str, list[Any]] = {}
    for model in apps.get_models():
        if not model._meta.proxy:
            ordered = model in ORDERED
            mine = [_said(row) for row in model._default_manager.order_by(*(["team__slug"] if ordered else []), "pk")]
            found[model._meta.label] = mine if ordered else sorted(mine, key=repr)
    return found


def _said(row: models.Model) -> dict[str, Any]:
    said = {}
    for column in row._meta.concrete_fields:
        value = getattr(row, column.attname)
        if column.name in NOT_COMPARED or (column.primary_key and not column.is_relation):
            continue
        if column.name == "created_at" and (isinstance(row, MADE_HERE) or getattr(row, "kind", "") == "personal"):
            continue
        if isinstance(row, AgentSession) and column.name == "key" and not value.startswith("vault:"):
            continue  # a session of which there is a conversation alone gets a new one
        if column.name == "session_key" and value.startswith("token:"):
            value = ApiToken.objects.get(pk=value.removeprefix("token:")).prefix
        if column.is_relation:
            value = _named(getattr(row, column.name))
        said[column.name] = value.to_text() if hasattr(value, "to_text") else value
    return said


def _named(other: models.Model | None) -> Any:
    """What tells it from others of its team."""
    if other is None:
        return None
    name = NAMES.get(type(other).__name__)
    if name:
        return getattr(other, name)
    before = type(other)._default_manager.filter(pk__lt=other.pk)
    team = getattr(other, "team_id", None)
    return (type(other).__name__, before.filter(team_id=team).count() if team else before.count())


def _member(name: str) -> Member:
    return member_of(user=User.objects.get(username=name))


def _insight(words: str) -> Insight:
    return Insight.objects.get(body__contains=words)


def change_everything(at: datetime) -> None:
    """Something of all that a vault carries is new, another, or gone."""
    alice, bob = _member("alice"), _member("bob")
    agent = as_agent(bob, "another agent")
    # Insights: new, edited, corroborated, rated, replaced, merged, forgotten, moved in and out.
    new = make_insight(agent, at, body="The exporter reads its licence at every start.", team="platform")
    make_insight(bob, at, body="Long ALTER statements want a lock_timeout of two seconds.", team="platform")
    kept = make_draft(body="Webhooks are retried for a day.", team="platform", idempotency_key="the second pass")
    deposit(draft=kept, by=agent, now=at)
    warm, flaky = _insight("warms itself"), _insight("is flaky")
    changes = {"body": "The cache warms itself since release 13.", "tags": ["cache"], "files": ["cache.py"]}
    curate.edit(ref=warm.ref, changes=changes, revision=warm.revision, by=alice, now=at)
    rate(refs=[flaky.ref], verdict=Verdict.UNHELPFUL, by=bob, now=at)
    combine.supersede(ref=flaky.ref, by_ref=new.ref, by=alice, now=at, why="measured")
    forget(ref=_insight("No deploy on Fridays").ref, why="over", by=alice, now=at)
    move(ref=_insight("short commit messages").ref, team="platform", by=bob, now=at)
    move(ref=_insight("staging proxy").ref, team="everyone", by=alice, now=at)
    Receipt.objects.filter(insight=_insight("Retry the webhook")).delete()
    # Pairs: new, settled otherwise, gone.
    settle.report(a=new.ref, b=_insight("Retry the webhook").ref, reason="start or retry", by=bob, now=at)
    pair = Pair.objects.filter(state="dismissed").order_by("pk").last()
    assert pair
    settle.reopen(pair_id=pair.pk, by=alice, now=at)
    # Topics, preferences, filters, annotations, terms, members, skills.
    topic = Topic.objects.filter(team__slug="platform", named=True).get()
    topics.rename(topic_id=topic.pk, label="Databases and locks", by=alice, now=at)
    preferences.state(key="shell", value="fish", category="general", scope="team", team="platform", by=alice, now=at)
    SavedFilter.objects.filter(team__slug="platform").delete()
    make_annotation(alice, at, text="Second pass")
    allow_term(team="platform", term="sk_test_manual", reason="from the manual", by=alice, now=at)
    GuardTerm.objects.filter(term="sk_test_documentation").delete()
    person("erin", None)
    set_level(team_slug="platform", username="erin", level=Level.READER, by=alice, now=at)
    skill = Skill.objects.get(team__slug="platform")
    make_skill(alice, at, name="second-pass")
    author.edit(
        name=skill.name, team="platform", changes={"description": "Another."}, revision=skill.revision, by=alice, now=at
    )
    # Sessions: a handoff closed, a new one, one gone; a conversation that is new, and one that is gone.
    begin(alice, at)
    stop(sit(bob, at), bob, at, summary="The exporter is done.")
    talk(bob, on_day(20))
    # Lines of the log that are other ones: withheld, said of somebody else, gone.
    lines = LogEntry.objects.filter(team__slug="platform").order_by("pk")
    some = list(lines[:3])
    LogEntry.objects.filter(pk=some[0].pk).update(withheld=True)
    LogEntry.objects.filter(pk=some[1].pk).update(actor="somebody")
    LogEntry.objects.filter(pk=some[2].pk).delete()


def change_again(at: datetime) -> None:
    """What came is gone again, and what nobody is left of."""
    alice = _member("alice")
    move(ref=_insight("reads its licence").ref, team="everyone", by=alice, now=at)
    Annotation.objects.filter(team__slug="platform").delete()
    Preference.objects.filter(team__slug="platform").delete()
    Pair.objects.filter(a__team__slug="platform").delete()
    remove_member(team_slug="platform", username="erin", by=alice, now=at)
    with suppress(Skill.DoesNotExist):
        author.edit(
            name="second-pass",
            team="platform",
            changes={"instructions": "Otherwise."},
            revision=Skill.objects.get(name="second-pass").revision,
            by=alice,
            now=at,
        )
    gone = Handoff.objects.filter(team__slug="platform").order_by("pk").first()
    assert gone
    AgentSession.objects.filter(pk=gone.session_id).delete()
    Passage.objects.filter(session=Passage.objects.order_by("pk").first().session_id).delete()  # type: ignore[union-attr]
    Lexicon.objects.filter(team__slug="platform").update(length=5_000)
    rebuild_keyword_vectors(team_id=Team.objects.get(slug="platform").pk)


@pytest.fixture
def world(db: None) -> datetime:
    make_platform()
    people = {name: person(name, Team.objects.get(slug="platform")) for name in ("alice", "bob")}
    Membership.objects.filter(user=people["alice"], team__slug="platform").update(level=Level.LEAD)
    charlie = person("charlie", Team.objects.create(name="Mobile", slug="mobile", prefix="MOB"))
    at = make_world(_member("alice"), _member("bob"), member_of(user=charlie))
    share(repo="shop", team="platform", turns=SharedTurns.AGENT, by=_member("bob"), now=at)
    talk(_member("bob"))
    return at


@pytest.fixture
def out(tmp_path: Path, world: datetime) -> list[tuple[Path, ExportedVault]]:
    """A vault as three passes left it, and what each has changed."""
    found, passes, folder = [], Passes(), tmp_path / "vault"
    for number, act in enumerate((lambda at: None, change_everything, change_again)):
        act(world + number * DAY)
        done = export(shared=folder, team="platform", conversations=True, passes=passes)
        shutil.copytree(folder, tmp_path / f"{number}")
        found.append((tmp_path / f"{number}", done))
    return found


def pages(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in tree(folder).items() if not name.startswith(".loam/")}


class TestOut:
    def test_writes_what_one_pass_would_have_written(
        self, tmp_path: Path, out: list[tuple[Path, ExportedVault]]
    ) -> None:
        export(shared=tmp_path / "whole", team="platform", conversations=True)
        last, whole = pages(out[-1][0]), pages(tmp_path / "whole")
        # Who was named in an earlier pass alone is in the vault as well.
        people = last.pop("people.md"), whole.pop("people.md")
        assert last == whole
        named = [{line for line in page.splitlines() if not line.startswith(b"people:")} for page in people]
        assert named[0] > named[1]

    def test_says_which_pages_have_changed(self, out: list[tuple[Path, ExportedVault]]) -> None:
        for (before, _), (after, done) in pairwise(out):
            old, new = pages(before), pages(after)
            assert {name for name, sha in done.changed.items() if sha is None} == set(old) - set(new)
            assert {name for name, sha in done.changed.items() if sha} == {
                name for name, data in new.items() if old.get(name) != data
            }
        assert len(out[1][1].changed) < len(pages(out[1][0]))

    def test_renders_no_page_again_that_is_as_it_was(self, tmp_path: Path, world: datetime) -> None:
        passes = Passes()
        export(shared=tmp_path, team="platform", passes=passes)
        done = export(shared=tmp_path, team="platform", passes=passes)
        assert (done.changed, done.written) == ({}, 0)
        insights = Insight.objects.filter(team__slug="platform").count()
        assert len([name for name in passes.stamps.unchanged if name.startswith("insights/")]) == insights

    def test_renders_all_again_when_somebody_has_another_name(self, tmp_path: Path, world: datetime) -> None:
        passes = Passes()
        export(shared=tmp_path / "a", team="platform", passes=passes)
        User.objects.filter(username="bob").update(username="robert")
        export(shared=tmp_path / "a", team="platform", passes=passes)
        export(shared=tmp_path / "b", team="platform")
        assert pages(tmp_path / "a") == pages(tmp_path / "b")


def lived_in() -> None:
    """Another cell, where ids are taken."""
    dora = member_of(user=person("dora", Team.objects.create(name="Mobile", slug="mobile", prefix="MOB")))
    for number in range(3):
        make_insight(dora, NOW, body=f"The canteen closes at {number}.", team="mobile")
    stop(sit(dora, NOW, team="mobile"), dora, NOW)


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


class TestIn:
    @pytest.mark.parametrize("there", [lambda: None, lived_in])
    def test_makes_the_rows_that_one_pass_would_have_made(
        self, out: list[tuple[Path, ExportedVault]], there: Callable[[], None], tmp_path: Path
    ) -> None:
        at = NOW + 9 * DAY
        lose_everything()
        Team.objects.update(last_number=0)
        there()
        with undone():
            import_vault(shared=out[-1][0], team="platform", by=SYSTEM, now=at)
            whole, faults = rows(), audit(now=at)
        in_passes(out, tmp_path / "moving", at)
        found = rows()
        assert {table for table in whole if repr(found[table]) != repr(whole[table])} == set()
        assert audit(now=at) == faults
        # What is written from then on has ids and references that nobody has.
        new = make_insight(_member("alice"), at, body="Written after the move.", team="platform")
        assert new.number > max(Insight.objects.exclude(pk=new.pk).values_list("number", flat=True))
        assert new.pk > max(Insight.objects.exclude(pk=new.pk).values_list("pk", flat=True))

    def test_leaves_nothing_when_it_is_not_ended(self, out: list[tuple[Path, ExportedVault]], tmp_path: Path) -> None:
        lose_everything()
        lived_in()
        before = contents()
        with pytest.raises(VaultRefused, match="is not as it was exported"):
            in_passes([out[0], (out[2][0], out[1][1])], tmp_path / "moving", NOW)
        assert changed(before) == []
        assert not Team.objects.filter(slug="platform").exists()

    def test_is_seen_by_nobody_before_it_is_ended(self, out: list[tuple[Path, ExportedVault]], tmp_path: Path) -> None:
        lose_everything()
        lived_in()
        seen: list[Any] = []

        def look() -> None:
            with other_connection() as cursor:
                cursor.execute("SELECT count(*) FROM accounts_team WHERE slug = 'platform'")
                seen.append(cursor.fetchone()[0])
                # Ids that are given out there meanwhile are not among those kept free.
                cursor.execute("SELECT nextval('knowledge_insight_id_seq')")
                assert cursor.fetchone()[0] > Insight.objects.order_by("pk").last().pk + 1000  # type: ignore[union-attr]

        in_passes(out, tmp_path / "moving", NOW, between=look)
        assert seen == [0, 0, 0]
        assert Team.objects.filter(slug="platform").exists()

    def test_is_known_by_the_stop_it_came_by(self, out: list[tuple[Path, ExportedVault]], tmp_path: Path) -> None:
        assert came_by("platform") == ""
        lose_everything()
        assert came_by("platform") is None
        in_passes(out, tmp_path / "moving", NOW, stop="2026-11-27T12:00:00+00:00")
        assert came_by("platform") == "2026-11-27T12:00:00+00:00"
        with pytest.raises(VaultRefused, match="already"):
            in_passes(out, tmp_path / "again", NOW)

    def test_is_alone(self, out: list[tuple[Path, ExportedVault]], tmp_path: Path) -> None:
        with other_connection() as cursor:
            cursor.execute("SELECT pg_advisory_lock(1819042158)")
            with pytest.raises(VaultRefused, match="Another import"):
                in_passes(out, tmp_path / "moving", NOW)
            # The server may not have noticed yet that the connection is closed when the next test begins.
            cursor.execute("SELECT pg_advisory_unlock(1819042158)")

    def test_takes_nobody_for_who_has_the_name_and_came_between(
        self, out: list[tuple[Path, ExportedVault]], tmp_path: Path
    ) -> None:
        lose_everything()
        person("erin", None)
        with pytest.raises(VaultRefused, match="same names: erin"):
            in_passes(out, tmp_path / "moving", NOW)


def in_passes(
    passes: list[tuple[Path, ExportedVault]],
    folder: Path,
    at: datetime,
    between: Callable[[], None] = lambda: None,
    stop: str = "",
) -> None:
    shutil.copytree(passes[0][0], folder)
    with arriving(shared=folder, team="platform", by=SYSTEM, now=at, progress=lambda done, total: None) as team:
        team.follow({})
        for source, done in passes[1:]:
            between()
            shutil.rmtree(folder)
            shutil.copytree(source, folder)
            team.follow(json.loads(json.dumps(done.changed)))
        between()
        team.stop = stop


@contextmanager
def other_connection() -> Iterator[Any]:
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            yield cursor
    finally:
        other.close()
