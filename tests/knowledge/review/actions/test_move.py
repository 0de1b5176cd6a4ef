"""An insight goes to another team."""

from datetime import datetime, timedelta

import pytest
from rest_framework.test import APIClient

from accounts.actions.guard_terms import allow_term
from accounts.actions.members import create_team, set_level
from accounts.models import LogEntry, Team, User
from accounts.rules.refused import NotAllowed, NotFound, Stale
from accounts.rules.rights import Level, Member, NoSuchTeam
from knowledge.admin.rows import SignalRows, given_here
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.actions.use import open_insight
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import FormerRef, Insight, Pair, Topic
from knowledge.retrieval.actions import upkeep
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import curate
from knowledge.review.actions.combine import merge, supersede, unmerge
from knowledge.review.actions.forget import forget
from knowledge.review.actions.move import NothingMoved, NotThere, PartOfAnother, SecretThere, move, move_back, plan_move
from knowledge.review.actions.provenance import withhold_names
from knowledge.review.actions.settle import report
from knowledge.rules.vocabulary import Trust
from tests.conftest import member_of, person
from tests.database import changed, contents
from tests.factories import as_agent, make_insight
from tests.knowledge.library import LESSONS, counted, recounted

SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"


@pytest.fixture
def web(alice: Member, now: datetime) -> Team:
    """Alice leads it too."""
    return create_team(name="Web", slug="web", prefix="WEB", by=alice, now=now)


@pytest.fixture
def lead(web: Team, alice_user: User) -> Member:
    """Alice, with the new team."""
    return member_of(user=alice_user)


@pytest.fixture
def row(bob: Member, now: datetime) -> Insight:
    return make_insight(bob, now=now, body=LESSONS["beat"], tags=["celery"], idempotency_key="k1")


def statistics_are_true(*teams: Team) -> None:
    for team in teams:
        kept = counted(team.pk)
        assert kept == recounted(team.pk)
        upkeep.recount()
        assert counted(team.pk) == kept


class TestMove:
    def test_gives_it_a_reference_of_the_team(self, row: Insight, lead: Member, now: datetime) -> None:
        make_insight(lead, team="web", body=LESSONS["locks"])
        done = move(ref="PLAT-1", team="web", by=lead, now=now, why="theirs")
        assert (done.ref, done.number, done.team.slug, done.body) == ("WEB-2", 2, "web", LESSONS["beat"])
        assert done.tags == ["celery"]

    def test_is_found_there_and_no_longer_here(self, row: Insight, lead: Member, bob: Member, now: datetime) -> None:
        move(ref="PLAT-1", team="web", by=lead, now=now)
        assert [hit.insight.ref for hit in retrieve(ask=Ask("celery beat"), by=lead, now=now).hits] == ["WEB-1"]
        assert retrieve(ask=Ask("celery beat"), by=bob, now=now).hits == []

    def test_is_found_by_its_old_reference_by_who_may_see_it(
        self, row: Insight, lead: Member, bob: Member, now: datetime
    ) -> None:
        move(ref="PLAT-1", team="web", by=lead, now=now)
        assert open_insight(ref="PLAT-1", by=lead, now=now).ref == "WEB-1"
        assert rate(refs=["PLAT-1"], verdict=SignalKind.HELPFUL, by=lead, now=now)[0].insight.ref == "WEB-1"
        with pytest.raises(NotFound):
            open_insight(ref="PLAT-1", by=bob, now=now)
        assert make_insight(bob, body=LESSONS["locks"]).ref == "PLAT-2"

    def test_keeps_both_statistics_true(
        self, row: Insight, lead: Member, platform: Team, web: Team, now: datetime
    ) -> None:
        make_insight(lead, team="platform", body=LESSONS["locks"])
        move(ref="PLAT-1", team="web", by=lead, now=now)
        statistics_are_true(platform, web)

    def test_takes_its_history_along_and_leaves_a_line(
        self, row: Insight, lead: Member, bob: Member, now: datetime
    ) -> None:
        move(ref="PLAT-1", team="web", by=lead, now=now, why="theirs")
        [line] = LogEntry.objects.visible_to(bob).filter(subject__startswith="PLAT")
        assert (line.line, line.why) == ("PLAT-1 moved to another team", "theirs")
        told = [entry.line for entry in LogEntry.objects.visible_to(lead).about("WEB-1")]
        assert told[0] == "WEB-1 moved here, was PLAT-1"
        assert told[1].startswith("PLAT-1 deposited: ")

    def test_leaves_what_happened_in_a_personal_team_there(self, lead: Member, web: Team, now: datetime) -> None:
        make_insight(lead, team="personal", body="Salaries: see the wiki.")
        own = Insight.objects.get()
        curate.edit(ref=own.ref, changes={"body": LESSONS["beat"]}, revision=1, by=lead, now=now)
        done = move(ref=own.ref, team="web", by=lead, now=now)
        colleague = member_of(user=person("wanda", web))
        assert "Salaries" not in str([
            (entry.line, entry.before) for entry in LogEntry.objects.visible_to(colleague)
        ])  # fmt: skip
        assert LogEntry.objects.visible_to(lead).about(*done.names()).count() == 4

    def test_takes_what_it_superseded_along(
        self, row: Insight, lead: Member, platform: Team, web: Team, now: datetime
    ) -> None:
        heir = make_insight(lead, team="platform", body="Beat: one process, and a lock.")
        supersede(ref="PLAT-1", by_ref=heir.ref, by=lead, now=now)
        with pytest.raises(PartOfAnother):
            move(ref="PLAT-1", team="web", by=lead, now=now)
        assert move(ref=heir.ref, team="web", by=lead, now=now).ref == "WEB-2"
        old = Insight.objects.get(ref="WEB-1")
        assert (old.superseded_by_id, old.body) == (heir.pk, LESSONS["beat"])
        statistics_are_true(platform, web)

    def test_leaves_what_was_merged_to_be_unmerged(self, row: Insight, lead: Member, now: datetime) -> None:
        kept = make_insight(lead, team="platform", body=LESSONS["locks"])
        merge(ref="PLAT-1", into=kept.ref, by=lead, now=now)
        done = move(ref=kept.ref, team="web", by=lead, now=now)
        said = done.corroborations.get()
        assert unmerge(ref=done.ref, corroboration=said.pk, by=lead, now=now).ref == "WEB-1"
        assert Insight.objects.filter(team__slug="platform").count() == 0

    def test_ends_a_question_between_what_goes_and_what_stays(
        self, row: Insight, lead: Member, bob: Member, now: datetime
    ) -> None:
        other = make_insight(lead, team="platform", body=LESSONS["locks"])
        report(a=row.ref, b=other.ref, reason="so", by=lead, now=now)
        done = move(ref=row.ref, team="web", by=lead, now=now)
        assert Pair.objects.get().state == "dismissed"
        assert {done.trust, Insight.objects.get(pk=other.pk).trust} == {Trust.UNKNOWN}
        assert not Pair.objects.visible_to(bob).exists()

    def test_comes_back_under_a_new_number(self, row: Insight, lead: Member, now: datetime) -> None:
        move(ref="PLAT-1", team="web", by=lead, now=now)
        assert move(ref="WEB-1", team="platform", by=lead, now=now).ref == "PLAT-2"
        for ref in ("PLAT-1", "WEB-1", "PLAT-2"):
            assert open_insight(ref=ref, by=lead, now=now).ref == "PLAT-2"
        assert set(FormerRef.objects.values_list("ref", flat=True)) == {"PLAT-1", "WEB-1"}

    def test_that_is_forgotten_goes_by_all_its_names(self, row: Insight, lead: Member, now: datetime) -> None:
        move(ref="PLAT-1", team="web", by=lead, now=now)
        forget(ref="WEB-1", why="so", by=lead, now=now)
        for ref in ("PLAT-1", "WEB-1"):
            with pytest.raises(NotFound):
                open_insight(ref=ref, by=lead, now=now)

    def test_joins_the_topics_there_and_leaves_none_behind(
        self, row: Insight, lead: Member, platform: Team, web: Team, now: datetime
    ) -> None:
        old = make_insight(lead, team="platform", body="Beat: one process, and a lock.")
        supersede(ref="PLAT-1", by_ref=old.ref, by=lead, now=now)
        Insight.objects.update(topic=row.topic)
        Topic.objects.exclude(pk=row.topic_id).delete()
        moved = move(ref=old.ref, team="web", by=lead, now=now)
        assert not Topic.objects.filter(team=platform).exists()
        assert moved.topic and moved.topic.team == web


class TestWhoMay:
    def test_is_a_lead_who_may_write_there(
        self, row: Insight, alice: Member, bob: Member, charlie: Member, mobile: Team, now: datetime
    ) -> None:
        before = contents()
        for by, refused in ((charlie, NotFound), (bob, NotAllowed)):
            with pytest.raises(refused):
                move(ref="PLAT-1", team="everyone", by=by, now=now)
        with pytest.raises(NoSuchTeam):
            move(ref="PLAT-1", team="mobile", by=alice, now=now)
        assert changed(before) == []

    def test_brings_it_as_a_draft_where_they_do_not_lead(self, row: Insight, alice: Member, now: datetime) -> None:
        curate.promote(ref="PLAT-1", by=alice, now=now)
        curate.pin(ref="PLAT-1", by=alice, now=now)
        done = move(ref="PLAT-1", team="everyone", by=alice, now=now)
        assert (done.status, done.pinned) == ("draft", False)

    def test_keeps_it_promoted_where_they_lead(self, row: Insight, lead: Member, now: datetime) -> None:
        curate.promote(ref="PLAT-1", by=lead, now=now)
        assert move(ref="PLAT-1", team="web", by=lead, now=now).status == "promoted"

    def test_does_not_make_anothers_their_own(self, row: Insight, alice: Member, now: datetime) -> None:
        with pytest.raises(NotThere):
            move(ref="PLAT-1", team="personal", by=alice, now=now)
        own = make_insight(alice, team="platform", body=LESSONS["locks"])
        assert move(ref=own.ref, team="personal", by=alice, now=now).team.slug.startswith("personal")

    def test_to_where_it_is_is_refused(self, row: Insight, alice: Member, now: datetime) -> None:
        with pytest.raises(NotThere):
            move(ref="PLAT-1", team="platform", by=alice, now=now)

    def test_past_the_guard_of_the_other_team_is_refused(self, row: Insight, lead: Member, now: datetime) -> None:
        allow_term(team="platform", term=SECRET, reason="revoked", by=lead, now=now)
        body = {"body": f"The key is {SECRET} there."}
        curate.edit(ref="PLAT-1", changes=body, revision=1, by=lead, now=now)
        with pytest.raises(SecretThere):
            move(ref="PLAT-1", team="web", by=lead, now=now)
        allow_term(team="web", term=SECRET, reason="revoked", by=lead, now=now)
        assert move(ref="PLAT-1", team="web", by=lead, now=now).ref == "WEB-1"


class TestTheDoor:
    def test_answers_with_the_moved_one(self, row: Insight, alices_agent: APIClient, bobs_agent: APIClient) -> None:
        answer = alices_agent.post("/api/v1/insights/PLAT-1/move/", {"team": "everyone", "reason": "for all"})
        assert (answer.status_code, answer.json()["ref"][:3]) == (200, "ALL")
        assert bobs_agent.get("/api/v1/insights/PLAT-1/").json()["ref"] == answer.json()["ref"]
        history = bobs_agent.get(f"/api/v1/insights/{answer.json()['ref']}/history/").json()
        assert history[-1]["verb"] == "deposited"

    def test_sends_a_deposit_again_to_nobody_who_may_not_see_it(
        self, row: Insight, lead: Member, bob: Member, web: Team, now: datetime
    ) -> None:
        move(ref="PLAT-1", team="web", by=lead, now=now)
        with pytest.raises(NotFound):
            make_insight(bob, now=now, body=LESSONS["beat"], tags=["celery"], idempotency_key="k1")
        set_level(team_slug="web", username="bob", level=Level.READER, by=lead, now=now)
        bob = member_of(user=User.objects.get(username="bob"))
        replay = make_insight(
            bob, now=now, body=LESSONS["beat"], tags=["celery"], team="platform", idempotency_key="k2"
        )
        assert replay.ref == "PLAT-2"


class TestPrivacy:
    """What was said in one team is not told in another; the verdicts alone go along."""

    @pytest.fixture
    def wanda(self, web: Team) -> Member:
        return member_of(user=person("wanda", web))

    def test_keeps_questions_and_names_in_their_team(
        self, row: Insight, lead: Member, bob: Member, wanda: Member, now: datetime
    ) -> None:
        agent = as_agent(bob)
        asked = retrieve(ask=Ask("why does the payroll beat fire twice"), by=agent, now=now)
        rate(refs=["PLAT-1"], verdict=SignalKind.HELPFUL, by=agent, now=now, query_id=asked.query_id)
        done = move(ref="PLAT-1", team="web", by=lead, now=now + timedelta(minutes=1))
        [told] = withhold_names(done.signals.all().ratings(), insight=done, by=lead)
        assert (told.withheld, told.question, told.user.username) == (False, asked_text(asked), "bob")
        [hidden] = withhold_names(done.signals.all().ratings(), insight=done, by=wanda)
        assert (hidden.withheld, hidden.question, hidden.reason, hidden.user) == (True, "", "", None)
        [exported] = SignalRows().read(done.signals.all().ratings())
        assert not given_here(exported)
        actors = {line.actor for line in LogEntry.objects.visible_to(wanda).about(*done.names())}
        assert "bob" not in str(actors) and "member of another team" in actors

    def test_says_who_will_read_it_and_what_goes_along(
        self, row: Insight, lead: Member, wanda: Member, now: datetime
    ) -> None:
        rate(refs=["PLAT-1"], verdict=SignalKind.HELPFUL, by=lead, now=now)
        plan = plan_move(ref="PLAT-1", team="web", by=lead)
        assert (plan.readers, plan.wider, plan.ratings, plan.demoted) == (2, 1, 1, False)
        assert plan.named == ["wanda"]
        with pytest.raises(NotFound):
            plan_move(ref="PLAT-1", team="web", by=wanda)


def asked_text(answer: object) -> str:
    return "why does the payroll beat fire twice"


class TestMoveBack:
    def test_gives_it_its_reference_status_and_pairs_back(
        self, row: Insight, lead: Member, bob: Member, now: datetime
    ) -> None:
        other = make_insight(lead, team="platform", body=LESSONS["locks"])
        curate.promote(ref="PLAT-1", by=lead, now=now)
        report(a="PLAT-1", b=other.ref, reason="so", by=lead, now=now)
        went = move(ref="PLAT-1", team="everyone", by=lead, now=now)
        assert (went.status, Pair.objects.get().state) == ("draft", "dismissed")
        back = move_back(ref=went.ref, revision=went.revision, by=lead, now=now)
        assert (back.ref, back.team.slug, back.status) == ("PLAT-1", "platform", "promoted")
        assert Pair.objects.get().state == "open"
        assert open_insight(ref=went.ref, by=bob, now=now).ref == "PLAT-1"
        assert "bob" in str({line.actor for line in LogEntry.objects.visible_to(bob).about("PLAT-1")})

    def test_takes_what_it_superseded_back_too(
        self, row: Insight, lead: Member, platform: Team, web: Team, now: datetime
    ) -> None:
        heir = make_insight(lead, team="platform", body="Beat: one process, and a lock.")
        supersede(ref="PLAT-1", by_ref=heir.ref, by=lead, now=now)
        went = move(ref=heir.ref, team="web", by=lead, now=now)
        move_back(ref=went.ref, revision=went.revision, by=lead, now=now)
        assert set(Insight.objects.values_list("ref", flat=True)) == {"PLAT-1", heir.ref}
        statistics_are_true(platform, web)

    def test_is_for_who_moved_it_and_while_nothing_changed(
        self, row: Insight, lead: Member, bob: Member, web: Team, now: datetime
    ) -> None:
        went = move(ref="PLAT-1", team="web", by=lead, now=now)
        wanda = member_of(user=person("wanda", web, Level.LEAD))
        with pytest.raises(NothingMoved):
            move_back(ref=went.ref, revision=went.revision, by=wanda, now=now)
        with pytest.raises(NotFound):
            move_back(ref=went.ref, revision=went.revision, by=bob, now=now)
        changed_since = curate.promote(ref=went.ref, by=lead, now=now)
        with pytest.raises(Stale):
            move_back(ref=went.ref, revision=went.revision, by=lead, now=now)
        assert changed_since.revision != went.revision
