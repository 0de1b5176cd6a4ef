"""Every address and every bulk action of the admin, found by looking: closed to anyone who has no business there.

What is registered tomorrow is here tomorrow.
"""

from typing import Any

import pytest
from django.contrib import admin
from django.test import Client, RequestFactory
from django.urls import NoReverseMatch, reverse

from accounts.actions.members import enrol, member_of
from accounts.models import User
from accounts.rules.rights import Level
from tests.browser.furnished import furnish
from tests.conftest import make_platform, person
from tests.database import changed, contents
from tests.pages import signed_in

# What a visitor's request leaves behind, whatever it asks for.
VISITED = {"django_session", "shared_cache"}


def addresses() -> list[str]:
    """Of every registered list: each of its addresses that has a name, on the first row there is."""
    found = []
    for page in admin.site._registry.values():
        for pattern in page.get_urls():
            if not pattern.name:
                continue
            first = page.model._default_manager.order_by("pk").values_list("pk", flat=True).first()
            try:
                found.append(reverse(f"admin:{pattern.name}", kwargs=dict.fromkeys(pattern.pattern.converters, first)))
            except NoReverseMatch:
                if first is not None:
                    raise
    return found


def actions(user: User) -> list[tuple[str, str, Any]]:
    """Of every list the bulk actions it has for a superuser, with the key of a row."""
    request = RequestFactory().get("/admin/")
    request.user = user
    found = []
    for page in admin.site._registry.values():
        opts = page.model._meta
        listed = reverse(f"admin:{opts.app_label}_{opts.model_name}_changelist")
        first = page.model._default_manager.order_by("pk").values_list("pk", flat=True).first()
        found += [(listed, name, first) for name in page.get_actions(request) if first is not None]
    return found


@pytest.fixture(scope="module")
def people(module_db: None) -> tuple[User, User]:
    """A superuser and a team's lead, in a team that has something on every page: furnished once for all."""
    platform = make_platform()
    alice, bob = person("alice", platform, Level.LEAD), person("bob", platform)
    furnish(member_of(user=alice), member_of(user=bob))
    return User.objects.create_superuser("root", password="roots-own-password"), alice


@pytest.fixture
def stocked(people: tuple[User, User], db: None) -> User:
    return people[0]


@pytest.fixture(params=["visitor", "lead", "staff"])
def stranger(request: pytest.FixtureRequest, people: tuple[User, User], client: Client, db: None) -> Client:
    """Nobody; a team's lead, who is no staff; staff who may do nothing."""
    if request.param == "visitor":
        return client
    if request.param == "lead":
        return signed_in(people[1])
    user = User.objects.create_user("sam", password="sams-own-password", is_staff=True)
    enrol(user=user)
    return signed_in(user)


class TestEveryDoor:
    def test_is_found(self, stocked: User) -> None:
        found, acts = addresses(), {name for _, name, _ in actions(stocked)}
        assert len(found) > 100
        assert {reverse("admin:knowledge_insight_import"), reverse("admin:knowledge_insight_export")} <= set(found)
        assert {"export_selected", "promote", "forget", "erase", "revoke", "merge_topics"} <= acts

    def test_is_closed_to_a_stranger(self, stranger: Client) -> None:
        before = contents()
        wrong = []
        for path in addresses():
            for answer in (stranger.get(path), stranger.post(path, {"post": "yes", "format": "0", "resource": "0"})):
                wrong += [] if answer.status_code in (302, 403, 404) else [(path, answer.status_code)]
        assert wrong == []
        assert set(changed(before)) <= VISITED

    def test_does_nothing_for_a_stranger(self, stranger: Client, stocked: User) -> None:
        before = contents()
        wrong = []
        for path, name, key in actions(stocked):
            answer = stranger.post(path, {"action": name, "_selected_action": [str(key)], "post": "yes"})
            wrong += [] if answer.status_code in (302, 403) else [(path, name, answer.status_code)]
        assert wrong == []
        assert set(changed(before)) <= VISITED

    def test_answers_a_superuser(self, stocked: User) -> None:
        client = signed_in(stocked)
        wrong = []
        for path in addresses():
            status = client.get(path).status_code
            wrong += [] if status in (200, 302, 403, 405) else [(path, status)]
        assert wrong == []
