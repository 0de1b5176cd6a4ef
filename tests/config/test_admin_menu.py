"""The admin's menu leads to everything, and its first page says what waits."""

from datetime import timedelta

from django.contrib import admin
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import JobRun, User
from accounts.rules.rights import Member
from config.admin_menu import MENU
from tests.factories import make_insight


class TestMenu:
    def test_names_every_registered_model_once(self) -> None:
        named = [label for _, rows in MENU for label, _, _ in rows]
        registered = {model._meta.label_lower for model in admin.site._registry}
        assert registered <= set(named)
        assert len(named) == len(set(named))

    def test_shows_staff_what_they_may_see(self, client: Client, db: None) -> None:
        client.force_login(User.objects.create_user("mia", password="mias-own-password", is_staff=True))
        page = client.get(reverse("admin:index")).content.decode()
        assert reverse("admin:accounts_user_changelist") not in page

    def test_leads_a_superuser_everywhere(self, client: Client, db: None) -> None:
        client.force_login(User.objects.create_superuser("root", password="roots-own-password"))
        page = client.get(reverse("admin:index")).content.decode()
        for model in admin.site._registry:
            assert reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist") in page

    def test_begins_with_what_waits_for_a_person(self, client: Client, db: None) -> None:
        client.force_login(User.objects.create_superuser("root", password="roots-own-password"))
        page = client.get(reverse("admin:index")).content.decode()
        assert "Awaiting review" in page
        assert f"{reverse('knowledge:inbox')}?tab=contradictions" in page

    def test_names_queues_as_the_inbox_does(self, client: Client, db: None) -> None:
        client.force_login(User.objects.create_superuser("root", password="roots-own-password"))
        page = client.get(reverse("admin:index")).content.decode()
        assert ">Suggested edits<" in page and ">Other drafts<" in page
        assert ">Edits<" not in page and ">Drafts<" not in page

    def test_shows_the_last_run_of_each_job(self, client: Client, db: None) -> None:
        client.force_login(User.objects.create_superuser("root", password="roots-own-password"))
        overview = reverse("admin:index")
        assert "No job has run yet." in client.get(overview).content.decode()
        now = timezone.now()
        for hours, outcome in ((2, "failed"), (1, "done")):
            at = now - timedelta(hours=hours)
            JobRun.objects.create(name="knowledge.fade", started_at=at, finished_at=at, outcome=outcome)
        page = client.get(overview).content.decode()
        assert "No job has run yet." not in page
        assert page.count('title="knowledge.fade"') == 1
        assert ">done<" in page and ">failed<" not in page

    def test_keeps_what_no_moderator_needs_among_the_internals(self) -> None:
        groups = {title: [label for label, _, _ in rows] for title, rows in MENU}
        assert {label for label in groups["Internals"] if label.startswith("django_celery_beat")} == {
            "django_celery_beat.crontabschedule", "django_celery_beat.intervalschedule",
            "django_celery_beat.clockedschedule", "django_celery_beat.solarschedule",
        }  # fmt: skip

    def test_shows_a_no_as_neutral(self, client: Client, alice: Member) -> None:
        client.force_login(User.objects.create_superuser("root", password="roots-own-password"))
        make_insight(alice)
        page = client.get(reverse("admin:knowledge_insight_changelist")).content.decode()
        assert "close_small" not in page and 'aria-label="No"' in page
