"""The dashboard's marks and the rows behind them; annotations."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import LogEntry, User
from accounts.rules.refused import NotAllowed
from accounts.rules.rights import Member
from knowledge.lifecycle.actions.fade import fade
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight, Pair, Query
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import curate, settle
from sessions_app.actions.annotations import BadAnnotation, annotate, change_annotation, remove_annotation
from sessions_app.actions.figures import figures
from sessions_app.models import Annotation
from sessions_app.rules.annotations import MOST_A_DAY
from tests.conftest import agent
from tests.factories import as_agent, make_annotation, make_insight, make_insights
from tests.pages import Faults, signed_in

NOW = timezone.now()
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
HOSTILE = '<script>alert(1)</script>"><svg onload=x>'
CELL = re.compile(r'<td><a href="([^"]+)">([^<]+)</a></td>')
FIGURE = re.compile(r'href="([^"]+)">([A-Za-z ]+)</a></dt>\s*<dd>\s*<span[^>]*>(\d+)</span>')
TOTAL = re.compile(r">(\d+) (?:question|event|contradiction|insight|session)s?\b")
FEWER_THAN_ALL = re.compile(r'<figure class="chart[^"]*"\s+data-chart="([a-z-]+)".*?</figure>', re.DOTALL)


def text(response: Any) -> str:
    return unescape(response.content.decode())


def busy_team(alice: Member, bob: Member) -> list[Insight]:
    """A team that deposits, asks, rates, promotes, lets fade and contradicts itself, over some weeks."""
    bodies = [
        "Celery beat must run as one process, or jobs fire twice.",
        "Run the lock_timeout guard before a long ALTER TABLE.",
        "A cache key names its tenant.",
        "Feature flags are read once per request.",
        "Retries back off exponentially with jitter.",
    ]
    rows = [make_insight(alice, now=NOW - n * DAY, body=body) for n, body in enumerate(bodies)]
    found = retrieve(ask=Ask("celery beat fires twice"), by=as_agent(bob), now=NOW - DAY)
    retrieve(ask=Ask("which wine goes with fish"), by=bob, now=NOW - DAY)
    retrieve(ask=Ask("celery beat fires twice again"), by=alice, now=NOW - 5 * DAY)
    rate(refs=[rows[0].ref], verdict=SignalKind.HELPFUL, by=bob, now=NOW - DAY, query_id=found.query_id)
    rate(refs=[rows[1].ref], verdict=SignalKind.UNHELPFUL, by=bob, now=NOW - 2 * HOUR)
    curate.promote(ref=rows[1].ref, by=alice, now=NOW - HOUR)
    curate.leave(ref=rows[2].ref, by=alice, now=NOW - DAY)
    settle.report(a=rows[3].ref, b=rows[4].ref, reason="They differ.", by=bob, now=NOW - 3 * DAY)
    pair = settle.report(a=rows[0].ref, b=rows[4].ref, reason="They differ.", by=bob, now=NOW - 2 * DAY)
    settle.dismiss(pair_id=pair.pk, by=alice, now=NOW - DAY, why="They do not.")
    old = make_insight(alice, now=NOW - 80 * DAY, body="An old lesson about the old importer of the shop.")
    Insight.objects.filter(pk=old.pk).update(fades_at=NOW - DAY)
    fade(now=NOW)
    return rows


def rows_behind(client: Client, address: str, *, fits: bool = True) -> int:
    """How many rows the list at an address says that it has. `fits`: the member who asks may name its team."""
    page = text(client.get(unescape(address)))
    assert not fits or "Invalid" not in page, address
    found = TOTAL.search(page)
    return int(found[1]) if found else 0


class TestMarks:
    @pytest.mark.parametrize("asked", ["?days=7", "?days=90&team=platform"])
    def test_open_as_many_rows_as_they_count(
        self, asked: str, alice_user: User, charlie_user: User, alice: Member, bob: Member
    ) -> None:
        busy_team(alice, bob)
        client, stranger = signed_in(alice_user), signed_in(charlie_user)
        page = client.get(f"/dashboard/{asked}").content.decode()
        cells = [(address, int(count)) for address, count in CELL.findall(page) if count.isdecimal()]
        numbers = [(address, int(count)) for address, _, count in FIGURE.findall(page)]
        assert {one.split("?")[0] for one, _ in cells} == {
            "/insights/",
            "/activity/",
            "/dashboard/questions/",
            "/dashboard/ratings/",
            "/dashboard/contradictions/",
        }
        assert len(numbers) >= 5
        wrong = [(one, count, rows_behind(client, one)) for one, count in cells + numbers]
        assert [line for line in wrong if line[1] != line[2]] == []
        assert [one for one, _ in cells + numbers if rows_behind(stranger, one, fits=False)] == []

    def test_stand_for_all_that_was_counted(self, alice: Member, bob: Member) -> None:
        busy_team(alice, bob)
        found = figures(by=alice, now=NOW, days=30)
        assert (found.deposited, found.answered, found.asked, found.promoted) == (5, 2, 3, 1)
        assert (sum(found.fades), found.helpful, sum(found.unhelpfuls), sum(found.reviews)) == (1, 1, 1, 2)
        assert found.contradictions_open[-5:] == (0, 1, 2, 1, 1)
        assert len(found.axis) == 30 and found.axis[-1].last == NOW.date()

    def test_of_a_period_leave_out_the_day_before_it(self, alice: Member) -> None:
        start = NOW.replace(hour=0, minute=0, second=0, microsecond=0) - 6 * DAY
        for moment in (start, start - timedelta(microseconds=1)):
            make_insight(alice, now=moment, body=f"A lesson of {moment.isoformat()} about the scheduler.")
        assert figures(by=alice, now=NOW, days=7).deposited == 1
        assert figures(by=alice, now=NOW, days=30).deposited == 2

    def test_of_strength_open_the_insights_that_have_it(self, alice_user: User, alice: Member) -> None:
        rows = make_insights(alice, NOW, *({"body": f"Lesson {n} of the importer and its queue."} for n in range(4)))
        for row, strength, days, status in zip(
            rows, (95.0, 50.0, 50.0, 50.0), (0, 14, 20, 20), ("promoted", "draft", "promoted", "draft"), strict=True
        ):
            moment = NOW - days * DAY
            Insight.objects.filter(pk=row.pk).update(strength=strength, strength_at=moment, status=status)
        page = signed_in(alice_user).get("/dashboard/").content.decode()
        linked = {one: int(n) for one, n in re.findall(r'href="(/insights/\?strength=[^"]+)">(\d+)<', page)}
        assert sum(linked.values()) == 4
        assert all(rows_behind(signed_in(alice_user), one) == count for one, count in linked.items())
        listed = {row["ref"] for row in signed_in_api(alice).get("/api/v1/insights/?strength=90-100").json()["results"]}
        assert listed == {rows[0].ref}

    def test_are_told_with_their_table_to_who_has_no_script(self, alice_user: User, alice: Member, bob: Member) -> None:
        busy_team(alice, bob)
        page = text(signed_in(alice_user).get("/dashboard/"))
        assert Faults(page).found == []
        data = json.loads(re.search(r'<script id="chart-data"[^>]*>(.*?)</script>', page)[1])  # type: ignore[index]
        assert len(data["labels"]) == 30
        for key, body in ((one[1], one[0]) for one in FEWER_THAN_ALL.finditer(page)):
            assert body.count('<th scope="row">') == 30, key
            assert len(data["charts"][key]["series"]) == body.count("data-series")
            assert '<svg class="chart-picture"' in body


def signed_in_api(member: Member) -> APIClient:
    return agent(member)


class TestListsBehind:
    def test_show_the_words_of_ones_own_questions_alone(self, alice_user: User, alice: Member, bob: Member) -> None:
        busy_team(alice, bob)
        page = text(signed_in(alice_user).get("/dashboard/questions/"))
        assert "celery beat fires twice again" in page
        assert "wine" not in page and "bob" not in page
        assert page.count("Question of another member") == 2
        assert Faults(page).found == []

    def test_show_no_question_to_a_stranger(self, charlie_user: User, alice: Member, bob: Member) -> None:
        busy_team(alice, bob)
        for path in ("questions", "ratings", "contradictions"):
            page = text(signed_in(charlie_user).get(f"/dashboard/{path}/"))
            assert "No " in page and "celery" not in page

    def test_show_a_rating_with_what_it_was_for_to_its_team(self, alice_user: User, alice: Member, bob: Member) -> None:
        rows = busy_team(alice, bob)
        page = text(signed_in(alice_user).get(f"/dashboard/ratings/?ref={rows[0].ref}&kind=helpful"))
        assert "1 event" in page and "celery beat fires twice" in page and "bob" in page

    @pytest.mark.parametrize("asked", ["?since=x", "?until=9999-12-31", "?since=2026-02-02&until=2026-02-01"])
    def test_say_what_is_wrong_with_a_filter(self, asked: str, alice_user: User) -> None:
        for path in ("questions", "ratings"):
            assert "Invalid filter" in text(signed_in(alice_user).get(f"/dashboard/{path}/{asked}"))
        asked = "?open_on=9999-12-31"
        assert "Invalid filter" in text(signed_in(alice_user).get(f"/dashboard/contradictions/{asked}"))

    def test_escape_what_agents_wrote(self, alice_user: User, alice: Member, bob: Member) -> None:
        one, two = (make_insight(alice, now=NOW, title=HOSTILE, body=f"{HOSTILE} {n} of them") for n in range(2))
        retrieve(ask=Ask(HOSTILE), by=alice, now=NOW)
        rate(refs=[one.ref], verdict=SignalKind.HELPFUL, by=bob, now=NOW, reason=HOSTILE)
        settle.report(a=one.ref, b=two.ref, reason=HOSTILE, by=as_agent(bob, HOSTILE[:20]), now=NOW)
        for path in ("questions", "ratings", "contradictions"):
            page = signed_in(alice_user).get(f"/dashboard/{path}/").content.decode()
            assert "<script>alert" not in page and "&lt;script&gt;alert" in page, path
            assert Faults(page).found == []


class TestAnnotations:
    def test_are_added_changed_and_removed_by_a_lead(self, alice_user: User, alice: Member) -> None:
        client, today = signed_in(alice_user), NOW.date().isoformat()
        sent = {"day": today, "text": "Release 2.4", "team": "platform"}
        page = text(client.post("/dashboard/annotations/", sent, follow=True))
        assert "Annotation added." in page and page.count("Release 2.4") > 9  # in the list, and in each table
        row = Annotation.objects.get()
        assert (row.team.slug, row.added_by_id) == ("platform", alice.user_id)
        changed = {"day": today, "text": "Release 2.5", "read_at": row.changed_at.isoformat()}
        page = text(client.post(f"/dashboard/annotations/{row.pk}/", changed, follow=True))
        assert "Annotation saved." in page and page.count("Release 2.4") == 1  # as an example
        page = text(client.post(f"/dashboard/annotations/{row.pk}/remove/"))
        assert "Remove the annotation?" in page and Annotation.objects.exists()
        page = text(client.post(f"/dashboard/annotations/{row.pk}/remove/", {"confirmed": "1"}, follow=True))
        assert "Annotation removed." in page and not Annotation.objects.exists()
        verbs = LogEntry.objects.filter(subject=f"annotation {row.pk}").order_by("pk").values_list("verb", flat=True)
        assert list(verbs) == ["annotation added", "annotation changed", "annotation removed"]

    def test_of_another_team_are_not_there(self, charlie_user: User, charlie: Member, alice: Member) -> None:
        row = make_annotation(alice, now=NOW, text="The kestrel release")
        client = signed_in(charlie_user)
        assert "kestrel" not in text(client.get("/dashboard/"))
        for path in ("", "remove/"):
            assert client.post(f"/dashboard/annotations/{row.pk}/{path}", {"confirmed": "1"}).status_code == 404
        assert signed_in_api(charlie).get("/api/v1/annotations/").json() == {"results": []}

    def test_are_marked_by_ci_with_a_token_that_may_write(self, bobs_agent: APIClient, bob: Member) -> None:
        sent = {"text": "Deploy 1742", "team": "platform"}
        first, again = (bobs_agent.post("/api/v1/annotations/", sent) for _ in range(2))
        assert (first.status_code, again.status_code) == (201, 200)
        assert first.json() == again.json()
        assert first.json()["day"] == timezone.now().date().isoformat()
        bobs_agent.post("/api/v1/annotations/", {**sent, "day": "2026-01-05"})
        asked = bobs_agent.get("/api/v1/annotations/?team=platform&since=2026-01-06").json()["results"]
        assert [row["text"] for row in asked] == ["Deploy 1742"] and asked[0]["added_by"] == "bob"
        assert bobs_agent.delete(f"/api/v1/annotations/{first.json()['id']}/").status_code == 204

    def test_of_others_are_a_leads_to_change(self, alice: Member, bob: Member) -> None:
        row = make_annotation(alice, now=NOW)
        with pytest.raises(NotAllowed):
            remove_annotation(annotation_id=row.pk, by=bob, now=NOW)
        bobs = annotate(text="Agents connected", team="platform", by=bob, now=NOW)[0]
        change_annotation(annotation_id=bobs.pk, text="Agents connected", day=NOW.date() - DAY, by=bob, now=NOW)
        remove_annotation(annotation_id=bobs.pk, by=alice, now=NOW)

    def test_changed_by_two_at_once_lose_no_typing(self, alice_user: User, alice: Member, bob: Member) -> None:
        row = make_annotation(bob, now=NOW - HOUR)
        seen = row.changed_at.isoformat()
        change_annotation(annotation_id=row.pk, text="Release 2.4.1", day=row.day, by=bob, now=NOW)
        sent = {"day": row.day.isoformat(), "text": "Release 3", "read_at": seen}
        answer = signed_in(alice_user).post(f"/dashboard/annotations/{row.pk}/", sent)
        assert answer.status_code == 412
        assert "Release 2.4.1" in text(answer) and 'value="Release 3"' in text(answer)

    @pytest.mark.parametrize(
        ("field", "value", "words"),
        [
            ("text", "", "This field is required"),
            ("text", "x" * 81, "80 characters"),
            ("text", "AKIA" + "Z7QF3MXT9WKD2RVB", "AWS"),
            ("day", "2019-12-31", "2020-01-01"),
            ("day", "2999-01-01", "next year"),
            ("day", "tomorrow", "valid date"),
            ("team", "mobile", "valid choice"),
        ],
    )
    def test_with_a_fault_come_back_with_it(self, field: str, value: str, words: str, alice_user: User) -> None:
        sent = {"day": NOW.date().isoformat(), "text": "Release", "team": "platform"} | {field: value}
        assert words in text(signed_in(alice_user).post("/dashboard/annotations/", sent))
        assert not Annotation.objects.exists()

    def test_hold_no_markup(self, alice_user: User, alice: Member) -> None:
        make_annotation(alice, now=NOW, text=HOSTILE)
        page = signed_in(alice_user).get("/dashboard/").content.decode()
        assert "<script>alert" not in page and "\\u003Cscript\\u003E" in page
        assert Faults(page).found == []


class TestAnnotationsOfOne:
    def test_are_so_many_a_day_and_more_of_a_lead(self, alice: Member, bob: Member) -> None:
        for number in range(MOST_A_DAY):
            annotate(text=f"Deploy {number}", team="platform", by=bob, now=NOW)
        with pytest.raises(BadAnnotation, match="not saved") as refused:
            annotate(text="One more", team="platform", by=bob, now=NOW)
        assert refused.value.errors["text"] == ["A contributor adds at most 50 annotations a day; a lead may add more."]
        annotate(text="One more", team="platform", by=alice, now=NOW)
        annotate(text="The day after", team="platform", by=bob, now=NOW + timedelta(days=1, hours=1))


class TestTimeToReview:
    def test_counts_what_people_decided_not_what_agents_or_the_sweep_did(self, alice: Member, bob: Member) -> None:
        """A promotion is a review, as a dismissal is; the second decision on an insight is no first one."""
        one, two, three = (
            make_insight(bob, now=NOW - 10 * HOUR, body=f"Lesson {n} of the importer.") for n in ("a", "b", "c")
        )
        curate.promote(ref=one.ref, by=alice, now=NOW - 8 * HOUR)
        curate.deprecate(ref=one.ref, by=alice, now=NOW)
        curate.leave(ref=two.ref, by=alice, now=NOW - 6 * HOUR)
        curate.promote(ref=three.ref, by=replace(as_agent(alice), scopes=alice.scopes), now=NOW - 9 * HOUR)
        found = figures(by=alice, now=NOW, days=30)
        assert found.review == 3 * HOUR
        assert sum(found.reviews) == 3

    def test_is_of_the_first_decision_even_if_that_was_long_ago(self, alice: Member, bob: Member) -> None:
        row = make_insight(bob, now=NOW - 60 * DAY)
        curate.leave(ref=row.ref, by=alice, now=NOW - 50 * DAY)
        curate.promote(ref=row.ref, by=alice, now=NOW - DAY)
        assert figures(by=alice, now=NOW, days=30).review is None
        assert figures(by=alice, now=NOW, days=90).review == 10 * DAY


def test_contradictions_open_once_are_counted_on_those_days(alice: Member) -> None:
    one, two = (make_insight(alice, now=NOW - 20 * DAY, body=body) for body in ("Keep it on.", "Switch it off."))
    settle.report(a=one.ref, b=two.ref, reason="They differ.", by=alice, now=NOW - 6 * DAY)
    Pair.objects.update(state="dismissed", settled_at=NOW - 3 * DAY)
    found = figures(by=alice, now=NOW, days=30)
    assert found.contradictions_open[-8:] == (0, 1, 1, 1, 0, 0, 0, 0)
    assert found.contradictions == 0 and Query.objects.count() == 0
