"""The table of skills, and restoring an earlier version."""

import csv
import io
from typing import Any

import pytest

from accounts.models import LogEntry, User
from accounts.rules.rights import Member
from skills.actions import author
from skills.models import Skill, SkillUse
from skills.rules.sheet import Triggers
from tests.conftest import NOW
from tests.factories import make_skill
from tests.pages import Faults, signed_in

RELEASE = "/skills/platform/release/"


def text(answer: Any, status: int = 200) -> str:
    page: str = answer.content.decode()
    assert answer.status_code == status, page[:300]
    assert Faults(page).found == []
    return page


def exported(answer: Any) -> list[dict[str, str]]:
    assert answer.status_code == 200
    data = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(data)))


@pytest.fixture
def three(alice: Member, bob: Member, platform: Any) -> None:
    """Published and served, a draft by Bob, and retired."""
    served = make_skill(alice, name="release")
    SkillUse.objects.create(skill=served, version=served.live, via="answer", at=NOW)
    make_skill(bob, name="deploy", live=False)
    make_skill(alice, name="review")
    author.retire(name="review", by=alice, now=NOW)


class TestFilters:
    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("ordering=name", "deploy release review"),
            ("ordering=-name", "review release deploy"),
            ("ordering=-served", "release review deploy"),
            ("status=retired", "review"),
            ("author=bob", "deploy"),
            ("used=yes", "release"),
            ("used=never&ordering=name", "deploy review"),
            ("q=deploy", "deploy"),
            ("trigger=no-such-trigger", ""),
            ("team=platform&ordering=name", "deploy release review"),
        ],
    )
    def test_narrow_and_sort(self, query: str, found: str, three: None, alice_user: User) -> None:
        answer = signed_in(alice_user).get(f"/skills/?{query}")
        text(answer)
        assert [row.name for row in answer.context["rows"]] == found.split()

    def test_find_a_trigger_of_what_is_live_or_being_written(self, alice: Member, alice_user: User) -> None:
        make_skill(alice, name="release", triggers=Triggers.made(tags=["ci"], files=["importer/**"]))
        make_skill(alice, name="deploy", triggers=Triggers.made(tags=["cd"]))
        sent = {"team": "platform", "revision": None, "by": alice, "now": NOW}
        author.edit(name="deploy", changes={"triggers": Triggers.made(tags=["cd", "cider"])}, **sent)  # type: ignore[arg-type]
        client = signed_in(alice_user)
        for trigger, found in (("CI", ["deploy", "release"]), ("porter/", ["release"]), ("cider", ["deploy"])):
            answer = client.get("/skills/", {"trigger": trigger, "ordering": "name"})
            assert [row.name for row in answer.context["rows"]] == found

    @pytest.mark.parametrize(("query", "field"), [("status=x", "Status"), ("used=x", "Served"), ("team=nope", "Team")])
    def test_name_the_field_of_a_bad_value(self, query: str, field: str, alice_user: User) -> None:
        client = signed_in(alice_user)
        assert f"<p>{field}: " in text(client.get(f"/skills/?{query}"))
        assert client.get(f"/skills/table/?{query}").status_code == 400

    def test_are_kept_as_a_view(self, alice_user: User) -> None:
        form = {"page": "skills", "query": "used=never", "name": "Unused", "team": "platform"}
        client = signed_in(alice_user)
        answer = client.post("/filters/", form)
        assert answer.url.startswith("/skills/?used=never&saved=") and "Unused" in text(client.get(answer.url))


class TestExport:
    def test_is_what_is_filtered(self, three: None, alice_user: User, charlie_user: User) -> None:
        [row] = exported(signed_in(alice_user).get("/skills/table/?status=published"))
        assert (row["name"], row["served"], row["author"]) == ("release", "1", "alice")
        assert LogEntry.objects.get(verb="exported").line == "1 skill exported"
        assert exported(signed_in(charlie_user).get("/skills/table/")) == []

    def test_has_no_formula(self, alice: Member, alice_user: User) -> None:
        make_skill(alice, name="release", description="=HYPERLINK(1)")
        assert exported(signed_in(alice_user).get("/skills/table/"))[0]["description"] == "'=HYPERLINK(1)"


class TestRestore:
    @pytest.fixture(autouse=True)
    def versions(self, alice: Member, platform: Any) -> None:
        """Version 1 with a file, a live version 2 without, and a draft 3."""
        make_skill(alice, name="release", instructions="First text.", live=False)
        self._edit(alice, {}, {"run.sh": b"echo one"})
        author.publish(name="release", by=alice, now=NOW)
        self._edit(alice, {"instructions": "Second text."}, {})
        author.publish(name="release", by=alice, now=NOW)
        self._edit(alice, {"instructions": "Third text."}, None)

    def _edit(self, by: Member, changes: dict[str, Any], files: dict[str, bytes] | None) -> None:
        author.edit(name="release", team="platform", changes=changes, files=files, revision=None, by=by, now=NOW)

    def test_shows_the_difference_and_writes_a_new_version(self, alice_user: User) -> None:
        client = signed_in(alice_user)
        assert f"{RELEASE}versions/1/restore/" in text(client.get(RELEASE))
        page = text(client.get(f"{RELEASE}versions/1/restore/"))
        assert "Third text." in page and "First text." in page and "attached files" in page
        skill = Skill.objects.get()
        form = {"revision": skill.revision, "why": "the second was wrong"}
        told = text(client.post(f"{RELEASE}versions/1/restore/", form, follow=True))
        assert "Version 1 of release restored as a draft." in told
        skill = Skill.objects.get()
        assert skill.live is not None and skill.ahead is not None
        assert (skill.live.number, skill.ahead.number) == (2, 4)
        assert skill.ahead.instructions.strip() == "First text." and set(skill.ahead.files) == {"run.sh"}
        assert [one.instructions.strip() for one in skill.versions.order_by("number")] == [
            "First text.", "Second text.", "Third text.", "First text.",
        ]  # fmt: skip
        line = LogEntry.objects.get(verb="restored")
        assert line.line.startswith("Skill release version 1 restored as draft") and line.why == "the second was wrong"

    def test_can_be_undone_by_restoring_what_was_being_written(self, alice_user: User, alice: Member) -> None:
        client = signed_in(alice_user)
        for number in (1, 3):
            client.post(f"{RELEASE}versions/{number}/restore/", {"revision": Skill.objects.get().revision})
        skill = Skill.objects.get()
        assert skill.ahead is not None and skill.ahead.instructions.strip() == "Third text." and not skill.ahead.files
        assert author.publish(name="release", by=alice, now=NOW).live.number == 5  # type: ignore[union-attr]

    def test_of_what_was_changed_meanwhile_shows_the_difference_again(self, alice_user: User, alice: Member) -> None:
        old = Skill.objects.get().revision
        self._edit(alice, {"instructions": "Fourth text."}, None)
        page = text(signed_in(alice_user).post(f"{RELEASE}versions/1/restore/", {"revision": old}), 412)
        assert "Review the difference again" in page and "Fourth text." in page
        assert Skill.objects.get().versions.count() == 3

    def test_takes_a_lead_who_sees_it(self, bob_user: User, charlie_user: User, alice_user: User) -> None:
        for method in ("get", "post"):
            assert getattr(signed_in(bob_user), method)(f"{RELEASE}versions/1/restore/").status_code == 403
            assert getattr(signed_in(charlie_user), method)(f"{RELEASE}versions/1/restore/").status_code == 404
            assert getattr(signed_in(alice_user), method)(f"{RELEASE}versions/9/restore/").status_code == 404
        assert "/restore/" not in text(signed_in(bob_user).get(RELEASE))
        assert Skill.objects.get().versions.count() == 3


def test_a_retired_skill_does_not_say_that_agents_get_it(alice: Member, alice_user: User) -> None:
    make_skill(alice, name="release")
    client = signed_in(alice_user)
    assert "agents get this version" in text(client.get(RELEASE))
    author.retire(name="release", by=alice, now=NOW)
    page = text(client.get(RELEASE))
    assert "agents get" not in page.lower() and "live version" not in page and ">live<" not in page
