"""A table in the admin: looked at first, with what is wrong by row and field; then deposited, once."""

import json
import random
import string
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission
from django.core import signing
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.actions.members import enrol
from accounts.models import LogEntry, User
from accounts.rules.rights import Member
from knowledge.admin.imports import SALT, STEP
from knowledge.imports.rules.sheet import LARGEST, MOST_ROWS, PASSED_OVER, READ
from knowledge.models import Insight
from tests.database import changed, contents
from tests.factories import make_insight
from tests.hostile import SCRIPTS, UNSEEN
from tests.knowledge.library import LESSONS
from tests.knowledge.review.actions.test_quarantine import SECRET
from tests.pages import signed_in
from tests.test_admin_exports import file as exported

IMPORT = "/admin/knowledge/insight/import/"
TABLE = (
    "kind,title,body,reasoning,tags\n"
    f'PITFALL,One beat,"{LESSONS["beat"]}",,"celery, beat"\n'
    f'solution,Origins,"{LESSONS["cors"]}",,\n'
    "DECISION,One queue,We use one queue.,,\n"
    f"CONTEXT,The key,The bucket is reached with {SECRET} from the build.,,\n"
    "RUMOUR,Hearsay,They say so.,,\n"
    f"CONTEXT,Many tags,Tags may be long.,,{'t' * 61}\n"
)
# Without what a request leaves that comes with a session.
OF_A_REQUEST = {"django_session"}


@pytest.fixture
def superuser(root: Member, platform: Any) -> Client:
    return signed_in(User.objects.get(pk=root.user_id))


def send(client: Client, data: str | bytes = TABLE, team: str = "platform", name: str = "table.csv") -> Any:
    data = data.encode() if isinstance(data, str) else data
    return client.post(IMPORT, {"team": team, "file": SimpleUploadedFile(name, data)})


def lines(answer: Any) -> dict[int, tuple[str, dict[str, list[str]]]]:
    return {line.number: (line.fate, line.errors) for line in answer.context["lines"]}


def confirm(client: Client, answer: Any) -> Any:
    return client.post(IMPORT, {"planned": answer.context["planned"]})


class TestThePreview:
    def test_names_the_row_and_the_field_of_each_fault(self, superuser: Client) -> None:
        answer = send(superuser)
        told = lines(answer)
        assert {number: (fate, list(errors)) for number, (fate, errors) in told.items()} == {
            2: ("ready", []),
            3: ("ready", []),
            4: ("refused", ["reasoning"]),
            5: ("refused", ["body"]),
            6: ("refused", ["kind"]),
            7: ("refused", ["tags"]),
        }
        page = answer.content.decode()
        assert "Import 2 rows" in page
        assert "Nothing is stored yet." in page

    def test_stores_nothing(self, superuser: Client) -> None:
        superuser.get(IMPORT)
        before = contents()
        send(superuser)
        assert set(changed(before)) <= OF_A_REQUEST

    def test_carries_no_secret_neither_shown_nor_sealed(self, superuser: Client) -> None:
        answer = send(superuser, f"kind,title,body\nCONTEXT,{SECRET},a\nCONTEXT,fine,b is so\n{SECRET},c,d\n")
        assert SECRET not in answer.content.decode()
        assert SECRET not in json.dumps(signing.loads(answer.context["planned"], salt=SALT))

    def test_knows_what_was_imported_before(self, superuser: Client) -> None:
        confirm(superuser, send(superuser))
        answer = send(superuser)
        assert [fate for fate, _ in lines(answer).values()] == ["already there"] * 2 + ["refused"] * 4
        assert answer.context["planned"] == ""
        assert "Import 0" not in answer.content.decode()

    def test_shows_hostile_words_as_words(self, superuser: Client) -> None:
        said = [{"kind": "CONTEXT", "title": text[:190], "body": f"{text} {UNSEEN}"} for text in SCRIPTS]
        said += [{"kind": text, "body": "b", text: text} for text in SCRIPTS]
        said += [{"kind": text, "body": [text], "tags": [{text: text}], "stability": text} for text in SCRIPTS]
        page = send(superuser, json.dumps(said), name="t.json").content.decode()
        for alive in ("<script>window.hit", "<svg onload", "<img src=x", "<iframe"):
            assert alive not in page
        assert not set(page) & set(UNSEEN)
        assert "&lt;script&gt;window.hit" in page

    @pytest.mark.parametrize("odd", ["\ud800", "\x00", "[" * 800 + "]" * 800, SECRET, "\u202e", "\U000e0041"])
    def test_bears_what_is_no_text(self, odd: str, superuser: Client) -> None:
        said: list[Any] = [{"kind": "CONTEXT", "body": "b", odd: "x"}]
        said += [{"kind": "CONTEXT", "title": "t", "body": "b", **{name: odd}} for name in READ]
        said += [{"kind": "CONTEXT", "body": "b", name: odd} for name in PASSED_OVER]
        said.append({"kind": "CONTEXT", "body": "nested", "title": json.loads(odd) if odd[0] == "[" else odd})
        answer = send(superuser, json.dumps(said))
        assert lines(answer)[1][0] == "refused"
        assert len(lines(answer)) == len(said)
        assert SECRET not in answer.content.decode()
        if answer.context["planned"]:
            assert confirm(superuser, answer).status_code == 200


class TestTheImport:
    def test_deposits_what_passed_and_tells_of_every_row(self, superuser: Client, root: Member) -> None:
        answer = confirm(superuser, send(superuser))
        assert [fate for fate, _ in lines(answer).values()] == ["inserted"] * 2 + ["refused"] * 4
        one, two = Insight.objects.order_by("pk")
        assert (one.ref, one.kind, one.title, {*one.tags}) == ("PLAT-1", "PITFALL", "One beat", {"celery", "beat"})
        assert (two.kind, two.source_type, two.author_id, two.status) == ("SOLUTION", "import", root.user_id, "draft")
        assert one.embedding is not None
        assert LogEntry.objects.get(subject="PLAT-1", verb="deposited").actor == "root"
        page = answer.content.decode()
        assert "PLAT-1" in page and "PLAT-2" in page

    def test_strengthens_what_is_there(self, superuser: Client, bob: Member) -> None:
        there = make_insight(bob, kind="PITFALL", title="One beat", body=LESSONS["beat"])
        answer = confirm(superuser, send(superuser))
        assert lines(answer)[2][0] == "merged"
        there.refresh_from_db()
        assert there.corroboration_count == 2

    def test_confirmed_twice_stores_once(self, superuser: Client) -> None:
        answer = send(superuser)
        confirm(superuser, answer)
        again = confirm(superuser, answer)
        assert [fate for fate, _ in lines(again).values()][:2] == ["already there"] * 2
        assert Insight.objects.count() == 2

    def test_of_many_rows_goes_on_from_step_to_step(self, superuser: Client) -> None:
        said = [f"CONTEXT,Lesson number {n} of the handbook says {n * 37} things." for n in range(STEP + 3)]
        answer = confirm(superuser, send(superuser, "\n".join(["kind,body", *said, f"CONTEXT,{SECRET}"])))
        assert f"{STEP} of {len(said)} rows imported" in answer.content.decode()
        answer = confirm(superuser, answer)
        told = lines(answer)
        assert [*told] == list(range(2, len(said) + 3))
        assert told[len(said) + 2][0] == "refused"
        assert {fate for fate, _ in told.values()} <= {"inserted", "merged", "refused"}
        assert answer.context.get("planned") is None

    def test_takes_back_what_was_exported(self, superuser: Client, bob: Member) -> None:
        rows = [make_insight(bob, body=body) for body in (LESSONS["beat"], "- a list\n- of two", "=1+1 is no formula")]
        for form in ("csv", "json"):
            data = exported(superuser, "knowledge.insight", form)
            answer = send(superuser, data)
            assert {fate for fate, _ in lines(answer).values()} == {"already there"}, form
        data = data.replace(b"- of two", b"- of three")
        told = lines(confirm(superuser, send(superuser, data)))
        assert sorted(fate for fate, _ in told.values()) in (
            ["already there", "already there", "inserted"],
            ["already there", "already there", "merged"],
        )
        assert Insight.objects.get(pk=rows[1].pk).body == "- a list\n- of two"

    def test_of_another_person_or_hour_or_hand_is_refused(self, superuser: Client, alice: Member) -> None:
        planned = send(superuser).context["planned"]
        other = User.objects.create_superuser("other", password="others-own-password")
        enrol(user=other)
        for client, sent in ((signed_in(other), planned), (superuser, planned[:-1] + "x"), (superuser, "nonsense")):
            answer = client.post(IMPORT, {"planned": sent}, follow=True)
            assert "Upload the file again" in answer.content.decode()
        assert Insight.objects.count() == 0

    def test_of_the_largest_file_fits_the_confirmation(self, superuser: Client) -> None:
        """What no compression makes smaller, up to the last byte."""
        rng, letters = random.Random(7), string.ascii_letters + "äöüßéèêλμπжшщ漢字"
        rows = ["kind,body\n"]
        while sum(len(row.encode()) for row in rows) < LARGEST - 20_000:
            rows.append("CONTEXT," + " ".join("".join(rng.choices(letters, k=5)) for _ in range(2_400)) + "\n")
        answer = send(superuser, "".join(rows))
        assert {fate for fate, _ in lines(answer).values()} == {"ready"}
        assert len(answer.context["planned"]) < settings.DATA_UPLOAD_MAX_MEMORY_SIZE - 50_000


class TestTheForm:
    def test_offers_shared_teams_and_nobodys_own(self, superuser: Client, bob: Member) -> None:
        page = superuser.get(IMPORT).content.decode()
        assert 'value="platform"' in page
        assert "personal" not in page
        assert "<code>PITFALL</code>" in page

    @pytest.mark.parametrize("team", ["personal", "personal-1", "nonsense", ""])
    def test_takes_no_other_team(self, team: str, superuser: Client, bob: Member) -> None:
        for name in (team, f"personal-{bob.user_id}"):
            answer = send(superuser, team=name)
            assert list(answer.context["form"].errors) == ["team"]

    @pytest.mark.parametrize(
        ("data", "said"),
        [
            (b"", "empty"),
            (b"PK\x03\x04 a workbook full of macros", "Save the sheet as CSV"),
            ("kind,body\nCONTEXT,\xe9\n".encode("latin-1"), "not UTF-8"),
            (b"title,tags\na,b\n", "has no column"),
            (b"kind,body\n", "no rows after the header"),
            (b"kind,body\n" + b"CONTEXT,b\n" * (MOST_ROWS + 1), f"the limit is {MOST_ROWS}"),
            (b"x" * (LARGEST + 1), f"the limit is {LARGEST:,}"),
        ],
    )
    def test_says_what_is_wrong_with_a_file(self, data: bytes, said: str, superuser: Client) -> None:
        before = contents()
        answer = send(superuser, data)
        assert said in str(answer.context["form"].errors["file"])
        assert set(changed(before)) <= OF_A_REQUEST

    def test_is_for_those_who_may_add(self, client: Client, alice_user: User, platform: Any) -> None:
        for who in (client, signed_in(alice_user), _staff("view_insight")):
            before = contents()
            for answer in (who.get(IMPORT), send(who), who.post(IMPORT, {"planned": "x"})):
                assert answer.status_code in (302, 403)
            assert set(changed(before)) <= OF_A_REQUEST

    def test_gives_staff_the_teams_they_lead_and_no_other(self, alice_user: User, mobile: Any) -> None:
        client = _staff("view_insight", "add_insight", who=alice_user)
        page = client.get(IMPORT).content.decode()
        assert 'value="platform"' in page
        assert 'value="mobile"' not in page and 'value="everyone"' not in page
        assert list(send(client, team="mobile").context["form"].errors) == ["team"]

    def test_is_linked_from_the_list_for_whoever_may(self, superuser: Client) -> None:
        listed = reverse("admin:knowledge_insight_changelist")
        assert IMPORT in superuser.get(listed).content.decode()
        assert IMPORT not in _staff("view_insight").get(listed).content.decode()


def _staff(*codenames: str, who: User | None = None) -> Client:
    user = who or User.objects.create_user("sam", password="sams-own-password")
    user.is_staff = True
    user.save()
    enrol(user=user)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return signed_in(user)
