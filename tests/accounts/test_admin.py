"""The admin administers shared teams, through the actions, and shows nobody's own affairs."""

import re

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from django.urls import reverse
from django_celery_beat.models import PeriodicTask

from accounts.actions.invitations import invite
from accounts.actions.members import member_of
from accounts.actions.preferences import state
from accounts.actions.tokens import issue_token
from accounts.models import ApiToken, LogEntry, Membership, Preference, Team, User, Webhook
from accounts.rules.rights import Level, Member, Scope
from tests.conftest import NOW

LISTS = (
    "user",
    "team",
    "membership",
    "apitoken",
    "invitation",
    "logentry",
    "guardterm",
    "jobrun",
    "preference",
    "webhook",
    "delivery",
)


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root", "root@example.com", "roots-own-password")


@pytest.fixture
def admin(client: Client, root: User) -> Client:
    client.force_login(root)
    return client


class TestAdmin:
    @pytest.mark.parametrize("name", LISTS)
    def test_lists_with_search(self, admin: Client, bob: Member, name: str) -> None:
        address = reverse(f"admin:accounts_{name}_changelist")
        assert admin.get(address).status_code == 200
        assert admin.get(address, {"q": "bob"}).status_code == 200

    @pytest.mark.parametrize("name", ("user", "team", "membership", "guardterm", "preference", "webhook"))
    def test_offers_a_form(self, admin: Client, platform: Team, name: str) -> None:
        assert admin.get(reverse(f"admin:accounts_{name}_add")).status_code == 200

    def test_sends_visitors_to_the_one_login(self, client: Client, db: None) -> None:
        answer = client.get(reverse("admin:login"))
        assert answer.status_code == 302
        assert reverse("account_login") in answer.url

    def test_is_closed_to_people_who_are_not_staff(self, client: Client, alice_user: User) -> None:
        client.force_login(alice_user)
        assert client.get(reverse("admin:accounts_team_changelist")).status_code in (302, 403)

    def test_enrols_a_new_user(self, admin: Client) -> None:
        form = {"username": "dora", "password1": "doras-own-password", "password2": "doras-own-password"}
        admin.post(reverse("admin:accounts_user_add"), {**form, "usable_password": "true"})
        kinds = set(Membership.objects.filter(user__username="dora").values_list("team__kind", flat=True))
        assert kinds == {"everyone", "personal"}

    def test_makes_a_team_through_the_action(self, admin: Client) -> None:
        form = {"name": "Data", "slug": "data", "prefix": "DATA", "colour": "clay"}
        admin.post(reverse("admin:accounts_team_add"), form)
        assert LogEntry.objects.filter(team__slug="data", verb="team created").exists()

    def test_sets_a_level_through_the_action(self, admin: Client, platform: Team, bob_user: User) -> None:
        row = Membership.objects.get(user=bob_user, team=platform)
        admin.post(reverse("admin:accounts_membership_change", args=[row.pk]), {"level": Level.READER})
        row.refresh_from_db()
        assert row.level == Level.READER
        assert LogEntry.objects.filter(team=platform, verb="member set").exists()

    def test_adds_a_webhook_through_the_action_and_shows_its_secret_once(self, admin: Client, platform: Team) -> None:
        form = {"team": platform.pk, "url": "https://203.0.114.9/hook", "events": ["insight.promoted"]}
        assert (
            "public internet"
            in admin.post(reverse("admin:accounts_webhook_add"), {**form, "url": "https://10.0.0.1/"}).content.decode()
        )
        told = admin.post(reverse("admin:accounts_webhook_add"), form, follow=True).content.decode()
        row = Webhook.objects.get()
        assert row.secret in told
        assert row.secret not in admin.get(reverse("admin:accounts_webhook_change", args=[row.pk])).content.decode()
        assert LogEntry.objects.filter(team=platform, verb="webhook added").exists()

    def test_shows_no_personal_team_and_none_of_its_rows(self, admin: Client, bob: Member) -> None:
        issue_token(name="laptop", scopes=[Scope.READ], by=bob, now=NOW)
        personal = Team.objects.get(pk=bob.home_id)
        row = Membership.objects.get(team=personal)
        teams = admin.get(reverse("admin:accounts_team_changelist")).content.decode()
        log = admin.get(reverse("admin:accounts_logentry_changelist")).content.decode()
        assert personal.slug not in teams
        assert "laptop" not in log
        assert admin.get(reverse("admin:accounts_membership_change", args=[row.pk])).status_code == 302
        assert admin.get(reverse("admin:accounts_team_change", args=[personal.pk])).status_code == 302

    def test_revokes_anybodys_token_and_tells_its_owner(self, admin: Client, bob: Member) -> None:
        token = issue_token(name="laptop", scopes=[Scope.READ], by=bob, now=NOW).token
        form = {"action": "revoke", "_selected_action": [token.pk]}
        admin.post(reverse("admin:accounts_apitoken_changelist"), form)
        assert ApiToken.objects.get(pk=token.pk).revoked_at is not None
        assert LogEntry.objects.filter(team_id=bob.home_id, verb="token revoked").exists()

    def test_revokes_a_link_into_a_team_and_shows_no_digest(self, admin: Client, alice: Member) -> None:
        made = invite(team_slug="platform", level=Level.READER, uses=1, days=7, by=alice, now=NOW).invitation
        page = admin.get(reverse("admin:accounts_invitation_change", args=[made.pk])).content.decode()
        assert made.digest not in page
        form = {"action": "revoke", "_selected_action": [made.pk]}
        admin.post(reverse("admin:accounts_invitation_changelist"), form)
        made.refresh_from_db()
        assert made.revoked_at is not None
        assert LogEntry.objects.get(verb="invitation revoked").actor == "root"

    def test_never_shows_the_digest_of_a_token(self, admin: Client, bob: Member) -> None:
        token = issue_token(name="laptop", scopes=[Scope.READ], by=bob, now=NOW).token
        page = admin.get(reverse("admin:accounts_apitoken_change", args=[token.pk])).content.decode()
        assert token.digest not in page

    def test_states_edits_and_forgets_what_a_team_prefers(self, admin: Client, platform: Team) -> None:
        form = {"team": platform.pk, "key": "runner", "value": "jest", "category": "approach", "statement": ""}
        assert admin.post(reverse("admin:accounts_preference_add"), form).status_code == 302
        row = Preference.objects.get()
        at = reverse("admin:accounts_preference_change", args=[row.pk])
        admin.post(at, {"value": "vitest", "category": "approach", "statement": ""})
        row.refresh_from_db()
        assert row.value == "vitest"
        admin.post(reverse("admin:accounts_preference_delete", args=[row.pk]), {"post": "yes"})
        row.refresh_from_db()
        assert row.forgotten_at
        verbs = list(LogEntry.objects.filter(team=platform).order_by("pk").values_list("verb", flat=True))
        assert verbs == ["preference stated", "preference changed", "preference forgotten"]
        assert admin.get(at).status_code == 302

    def test_shows_nobodys_own_preferences(self, admin: Client, bob: Member) -> None:
        row, _ = state(key="tone", value="kestrel", category="communication", by=bob, now=NOW)
        assert "kestrel" not in admin.get(reverse("admin:accounts_preference_changelist")).content.decode()
        for page in ("change", "delete"):
            assert admin.get(reverse(f"admin:accounts_preference_{page}", args=[row.id])).status_code == 302
        form = {"team": bob.home_id, "key": "tone", "value": "loud", "category": "general", "statement": ""}
        assert admin.post(reverse("admin:accounts_preference_add"), form).status_code != 302
        assert Preference.objects.get().value == "kestrel"

    def test_leaves_everyone_and_teams_with_insights_undeleted(self, admin: Client) -> None:
        everyone = Team.objects.get(slug="everyone")
        assert admin.get(reverse("admin:accounts_team_delete", args=[everyone.pk])).status_code == 403


class TestSuperuser:
    def test_leads_every_shared_team_and_reads_no_personal_one(self, root: User, platform: Team, bob: Member) -> None:
        member = member_of(user=root)
        assert member.may(platform.pk, Level.LEAD)
        assert bob.home_id not in member.team_ids


class TestOfLibraries:
    def test_a_second_factor_is_seen_and_taken_away_but_never_what_it_is_made_of(
        self, admin: Client, bob_user: User
    ) -> None:
        one = Authenticator.objects.create(user=bob_user, type="totp", data={"secret": "KESTREL234567"})
        change = reverse("admin:mfa_authenticator_change", args=[one.pk])
        for path in (change, reverse("admin:mfa_authenticator_changelist")):
            page = admin.get(path).content.decode()
            assert "KESTREL" not in page
            assert "bob" in page
        assert admin.get(reverse("admin:mfa_authenticator_add")).status_code == 403
        admin.post(reverse("admin:mfa_authenticator_delete", args=[one.pk]), {"post": "yes"})
        assert not Authenticator.objects.exists()

    @pytest.mark.parametrize(
        "name",
        ["account_emailaddress", "django_celery_beat_crontabschedule", "django_celery_beat_intervalschedule",
         "django_celery_beat_clockedschedule", "django_celery_beat_solarschedule", "django_celery_beat_periodictask"],
    )  # fmt: skip
    def test_forms_wear_what_ours_wear(self, admin: Client, name: str) -> None:
        page = admin.get(reverse(f"admin:{name}_add")).content.decode()
        fields = [tag for tag in re.findall(r"<(?:input|select|textarea)[^>]*>", page) if 'id="id_' in tag]
        fields = [tag for tag in fields if 'type="hidden"' not in tag and "__prefix__" not in tag]
        assert fields
        assert [tag[:120] for tag in fields if "border" not in tag and "appearance-none" not in tag] == []

    def test_a_schedule_is_switched_off(self, admin: Client) -> None:
        task = PeriodicTask.objects.get(name="knowledge.fade")
        form = {"name": task.name, "task": task.task, "crontab": task.crontab_id, "args": "[]", "kwargs": "{}",
                "headers": "{}", "priority": "", "expires_0": "", "expires_1": ""}  # fmt: skip
        answer = admin.post(reverse("admin:django_celery_beat_periodictask_change", args=[task.pk]), form)
        assert answer.status_code == 302, re.findall(r"errorlist.*?</ul>", answer.content.decode(), re.S)
        task.refresh_from_db()
        assert not task.enabled
