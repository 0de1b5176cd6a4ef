"""Moderation in the admin: the same verbs as the API's, the same log lines."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import LogEntry, User
from accounts.rules.rights import Member
from knowledge.admin.insights import InsightAdmin
from knowledge.evidence.models import Search
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind as Verdict
from knowledge.models import Insight, Query, Signal, Topic
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from tests.factories import make_insight
from tests.knowledge.library import LESSONS

LISTS = ("insight", "lexicon", "term", "receipt", "query", "signal", "corroboration", "pair", "topic", "editproposal")
LIST = "admin:knowledge_insight_changelist"
CHANGE = "admin:knowledge_insight_change"


@pytest.fixture
def admin(client: Client, db: None) -> Client:
    client.force_login(User.objects.create_superuser("root", "root@example.com", "roots-own-password"))
    return client


def form(row: Insight, **over: Any) -> dict[str, Any]:
    """The change form as the page would send it."""
    fields = {name: getattr(row, name) for name in ("kind", "title", "body", "reasoning", "repo", "stability")}
    anchors = {"anchors-TOTAL_FORMS": 0, "anchors-INITIAL_FORMS": 0}
    return {**fields, "tags": ", ".join(row.tags), "as_read": row.revision, **anchors, **over}


class TestAdmin:
    @pytest.mark.parametrize("name", LISTS)
    def test_lists_with_search(self, admin: Client, bob: Member, name: str) -> None:
        make_insight(bob, tags=["locks"], idempotency_key="once")
        address = reverse(f"admin:knowledge_{name}_changelist")
        assert admin.get(address).status_code == 200
        assert admin.get(address, {"q": "locks"}).status_code == 200

    def test_names_columns_as_the_pages_do_and_sorts_by_them(self, admin: Client, bob: Member) -> None:
        rows = [make_insight(bob, body=f"Lesson {n} of the handbook.") for n in range(2)]
        page = admin.get("/admin/knowledge/insight/").content.decode()
        headings = {words.strip() for words in re.findall(r">\s*([A-Z][A-Za-z ]+?)\s*</a>", page)}
        assert {"Reference", "Corroborations", "Created"} <= headings
        assert not {"Ref", "Corroboration count", "Created at"} & headings
        assert re.search(rf"field-kind[^>]*>\s*{rows[0].kind.capitalize()}\s*<", page)
        assert re.search(rf'field-ref[^>]*>\s*<a href="/admin/knowledge/insight/{rows[0].pk}/change/', page)
        place = list(InsightAdmin.list_display).index("ref") + 1
        for order, found in ((f"{place}", rows), (f"-{place}", rows[::-1])):
            listed = admin.get(f"/admin/knowledge/insight/?o={order}").context["cl"].result_list
            assert [row.ref for row in listed] == [row.ref for row in found]

    def test_saves_an_edit_through_the_action(self, admin: Client, bob: Member) -> None:
        row = make_insight(bob, tags=["locks"])
        admin.post(reverse(CHANGE, args=[row.pk]), form(row, title="Guard long ALTERs", tags="locks, release"))
        row = Insight.objects.get(pk=row.pk)
        line = LogEntry.objects.get(subject=row.ref, verb="edited")
        assert (row.title, row.tags, row.revision) == ("Guard long ALTERs", ["locks", "release"], 2)
        assert line.after["title"] == "Guard long ALTERs"

    def test_refuses_an_edit_of_what_somebody_else_has_changed(self, admin: Client, bob: Member) -> None:
        row = make_insight(bob)
        sent = form(row, title="Mine")
        admin.post(reverse(CHANGE, args=[row.pk]), form(row, title="Theirs"))
        answer = admin.post(reverse(CHANGE, args=[row.pk]), sent)
        assert answer.status_code == 412
        assert Insight.objects.get(pk=row.pk).title == "Theirs"

    def test_deposits_a_new_one_through_the_action(self, admin: Client, bob: Member) -> None:
        new = {"team": bob.teams[0].id, "kind": "CONTEXT", "title": "", "body": "The rota is in the wiki."}
        teams = {team.slug: team.id for team in bob.teams}
        sent = {**new, "team": teams["platform"], "reasoning": "", "repo": "", "stability": "stable", "tags": "rota"}
        sent |= {"anchors-TOTAL_FORMS": 0, "anchors-INITIAL_FORMS": 0}
        admin.post(reverse("admin:knowledge_insight_add"), sent)
        row = Insight.objects.get()
        assert (row.ref, row.title, row.source_type) == ("PLAT-1", "The rota is in the wiki", "human")
        assert row.tags == ["rota"]
        assert row.embedding is not None

    def test_promotes_in_bulk_and_says_what_was_refused(self, admin: Client, bob: Member) -> None:
        rows = [make_insight(bob, body=f"Lesson number {n} about deployments.") for n in range(3)]
        sent = {"action": "promote", "_selected_action": [row.pk for row in rows]}
        admin.post(reverse(LIST), {**sent, "_selected_action": [rows[0].pk]})
        answer = admin.post(reverse(LIST), sent, follow=True).content.decode()
        assert set(Insight.objects.values_list("status", flat=True)) == {"promoted"}
        assert "cannot be promoted" in answer
        assert LogEntry.objects.filter(verb="promoted").count() == 3

    def test_shows_nobodys_personal_insights(self, admin: Client, bob: Member) -> None:
        row = make_insight(bob, body="My private note on salaries.", team="personal")
        assert "salaries" not in admin.get(reverse(LIST)).content.decode()
        assert admin.get(reverse(CHANGE, args=[row.pk])).status_code == 302

    def test_deletes_nothing(self, admin: Client, bob: Member) -> None:
        row = make_insight(bob)
        assert admin.post(reverse("admin:knowledge_insight_delete", args=[row.pk]), {"post": "yes"}).status_code == 403

    def test_renders_hostile_words_as_words(self, admin: Client, bob: Member) -> None:
        make_insight(bob, title="<script>alert(1)</script>", tags=["<img src=x onerror=alert(1)>"])
        page = admin.get(reverse(LIST)).content.decode()
        assert "<script>alert(1)" not in page
        assert "&lt;script&gt;alert(1)" in page


class TestTopics:
    CHANGE = "admin:knowledge_topic_change"
    LIST = "admin:knowledge_topic_changelist"

    def test_keep_the_name_that_is_typed(self, admin: Client, bob: Member) -> None:
        topic = make_insight(bob).topic
        assert topic is not None
        admin.post(reverse(self.CHANGE, args=[topic.pk]), {"label": "Migrations"})
        topic.refresh_from_db()
        assert (topic.label, topic.named) == ("Migrations", True)
        assert LogEntry.objects.get(verb="renamed").why == "moderated"

    def test_merge_into_the_largest(self, admin: Client, bob: Member) -> None:
        one, more, other = (
            make_insight(bob, body=body) for body in (LESSONS["beat"], LESSONS["beat"] + " Always.", LESSONS["cors"])
        )
        Insight.objects.filter(pk=more.pk).update(superseded_by=None, topic=one.topic)
        chosen = [topic.pk for topic in Topic.objects.all()]
        assert (
            "merged: 1"
            in admin.post(
                reverse(self.LIST), {"action": "merge_topics", "_selected_action": chosen}, follow=True
            ).content.decode()
        )
        assert set(Insight.objects.values_list("topic", flat=True)) == {one.topic_id}
        assert Topic.objects.get(pk=other.topic_id).merged_into_id == one.topic_id

    def test_of_a_person_are_not_shown(self, admin: Client, bob: Member) -> None:
        topic = make_insight(bob, team="personal").topic
        assert topic is not None
        assert topic.label not in admin.get(reverse(self.LIST)).content.decode()
        assert admin.get(reverse(self.CHANGE, args=[topic.pk])).status_code == 302


class TestAQuestion:
    def test_is_named_nowhere_by_its_words(self, admin: Client, bob: Member) -> None:
        row = make_insight(bob)
        asked = retrieve(ask=Ask(text="a kestrel of a question"), by=bob, now=timezone.now())
        query = Query.objects.get(pk=asked.query_id)
        rate(refs=[row.ref], verdict=Verdict.HELPFUL, by=bob, now=timezone.now(), query_id=asked.query_id)
        Signal.objects.update(question="")  # a rating's own copy is the team's to know
        for path in (
            reverse("admin:knowledge_query_change", args=[query.pk]),
            reverse("admin:knowledge_query_changelist"),
            reverse("admin:knowledge_signal_change", args=[Signal.objects.get(kind="helpful").pk]),
        ):
            answer = admin.get(path)
            assert answer.status_code == 200
            assert "kestrel" not in answer.content.decode()
        assert "kestrel" not in str(Search(text="a kestrel of a question"))
