"""Topics as people see them."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.jobs.actions.run_background import run
from knowledge.models import BackgroundJob, Insight, Topic
from tests.factories import make_insight
from tests.knowledge.test_views import text
from tests.pages import Faults, signed_in

GUARD = "Run the lock_timeout guard before a long ALTER TABLE, or every reader waits behind it."
APPLES = "Apples keep best in a dark and cool cellar, away from potatoes."


def two(by: Member) -> tuple[Topic, Topic]:
    one, other = make_insight(by, body=GUARD), make_insight(by, body=APPLES)
    assert one.topic
    assert other.topic
    assert one.topic_id != other.topic_id
    return one.topic, other.topic


class TestTopics:
    def test_are_a_map_and_a_list_that_say_the_same(self, bob_user: User, alice: Member) -> None:
        for topic in two(alice):
            page = text(signed_in(bob_user).get("/topics/"))
            assert page.count(f'href="/topics/{topic.pk}/"') == 2
            assert Faults(page).found == []
            # Named by its title: a label of its own would say other words than those that are cut in the circle.
            assert f'<a href="/topics/{topic.pk}/">' in page and f"<title>{topic.label}, 1 insight</title>" in page

    def test_teach_when_there_are_none_and_hide_those_of_others(self, charlie_user: User, alice: Member) -> None:
        topic, _ = two(alice)
        client = signed_in(charlie_user)
        assert "No topics" in text(client.get("/topics/"))
        assert client.get(f"/topics/{topic.pk}/").status_code == 404
        assert client.post(f"/topics/{topic.pk}/rename/", {"label": "Mine"}).status_code == 404

    def test_need_a_bounded_number_of_statements(
        self, alice_user: User, alice: Member, django_assert_max_num_queries: Any
    ) -> None:
        two(alice)
        client = signed_in(alice_user)
        client.get("/topics/")
        with django_assert_max_num_queries(7):
            client.get("/topics/")

    def test_bear_hostile_names(self, alice_user: User, alice: Member) -> None:
        topic, _ = two(alice)
        Topic.objects.filter(pk=topic.pk).update(label="<script>alert(1)</script>\u202e")
        for path in ("/topics/", f"/topics/{topic.pk}/"):
            page = text(signed_in(alice_user).get(path))
            assert "<script>alert" not in page
            assert Faults(page).found == []


class TestTopic:
    def test_is_renamed_by_a_lead(self, alice_user: User, bob_user: User, alice: Member) -> None:
        topic, _ = two(alice)
        path = f"/topics/{topic.pk}/rename/"
        assert signed_in(bob_user).post(path, {"label": "Locks"}).status_code == 403
        page = text(signed_in(alice_user).post(path, {"label": "Locks"}, follow=True))
        assert "Renamed to “Locks”" in page
        topic.refresh_from_db()
        assert (topic.label, topic.named) == ("Locks", True)

    def test_lists_first_what_is_strongest_by_now(self, alice_user: User, alice: Member) -> None:
        """A strength that was higher at first may have faded below another."""
        now = timezone.now()
        old, new = make_insight(alice, body=GUARD), make_insight(alice, body=APPLES)
        Insight.objects.filter(pk=old.pk).update(strength=70, strength_at=now - timedelta(days=300))
        Insight.objects.filter(pk=new.pk).update(strength=50, strength_at=now, topic=old.topic)
        page = text(signed_in(alice_user).get(f"/topics/{old.topic_id}/"))
        assert page.index(f"insight-row-{new.pk}") < page.index(f"insight-row-{old.pk}")

    def test_says_what_is_wrong_with_a_name(self, alice_user: User, alice: Member) -> None:
        topic, _ = two(alice)
        page = text(signed_in(alice_user).post(f"/topics/{topic.pk}/rename/", {"label": " "}, follow=True))
        assert "This field is required" in page

    def test_is_merged_and_leads_to_its_heir(self, alice_user: User, alice: Member) -> None:
        one, other = two(alice)
        client = signed_in(alice_user)
        into = {"into": str(other.pk)}
        assert f"into “{other.label}”?" in text(client.post(f"/topics/{one.pk}/merge/", into))
        assert client.get(f"/topics/{one.pk}/").status_code == 200
        done = client.post(f"/topics/{one.pk}/merge/", {**into, "confirmed": "1"})
        assert done.url == f"/topics/{other.pk}/"
        assert client.get(f"/topics/{one.pk}/").url == f"/topics/{other.pk}/"
        page = text(client.get(f"/topics/{other.pk}/"))
        assert "lock_timeout" in page
        assert "Apples" in page


class TestGroupingAnew:
    def test_is_asked_by_a_lead_done_by_the_worker_and_told(
        self, alice_user: User, bob_user: User, alice: Member
    ) -> None:
        two(alice)
        assert signed_in(bob_user).post("/topics/regroup/", {"team": "platform"}).status_code == 403
        client = signed_in(alice_user)
        for _ in range(2):  # asked twice is asked once
            assert client.post("/topics/regroup/", {"team": "platform"}).status_code == 302
        assert "queued" in text(client.get("/topics/"))
        run(clock=timezone.now)
        page = text(client.get("/topics/"))
        assert "2 topics; 0 insights moved." in page
        assert BackgroundJob.objects.count() == 1
        assert Faults(page).found == []
