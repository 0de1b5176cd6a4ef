"""What leaves by the admin's lists: the rows one sees there, in named columns, as text; never what is out of reads."""

import csv
import io
import json
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from openpyxl import load_workbook

from accounts.actions import preferences, tokens
from accounts.actions.members import enrol, member_of
from accounts.admin import ExportedAdmin, exports
from accounts.admin.exports import Csv, Json, Xlsx
from accounts.models import LogEntry, Membership, Team, User
from accounts.rules.rights import Level, Member, Scope
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight, Pair
from knowledge.models import Signal as Vote
from knowledge.review.actions import combine, curate, settle
from knowledge.review.actions.forget import forget
from knowledge.review.actions.move import move
from knowledge.review.actions.quarantine import scan
from tests.accounts.rules.test_cells import FORMULAS
from tests.browser.furnished import furnish
from tests.conftest import NOW, make_platform, person
from tests.factories import as_agent, make_insight, make_skill
from tests.hostile import spoil
from tests.knowledge.library import LESSONS
from tests.knowledge.review.actions.test_quarantine import SECRET, leak
from tests.pages import signed_in
from tests.sessions_app.mcp.injections import INJECTIONS, broken

PAGES: dict[str, Any] = {
    model._meta.label_lower: page for model, page in admin.site._registry.items() if isinstance(page, ExportedAdmin)
}
FORMATS = {form().get_title(): str(number) for number, form in enumerate((Csv, Xlsx, Json))}
SECRET_WORD = "kestrel"


def address(label: str, name: str = "export") -> str:
    return reverse(f"admin:{label.replace('.', '_')}_{name}")


def asked(label: str, form: str, **more: Any) -> dict[str, Any]:
    """The export's form with every column chosen."""
    rows = PAGES[label].resource_classes[0]
    columns = {f"{rows.__name__.lower()}_{name}": "on" for name in rows.fields}
    return {"resource": "0", "format": FORMATS[form], **columns, **more}


def file(client: Client, label: str, form: str = "csv", query: str = "", **more: Any) -> bytes:
    answer = client.post(f"{address(label)}{query}", asked(label, form, **more))
    assert answer.status_code == 200
    assert answer["Content-Disposition"].startswith("attachment; filename="), answer.content.decode()[:2000]
    return bytes(answer.content)


def table(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def cells(data: bytes) -> list[Any]:
    """Of a workbook, every cell below the header."""
    sheet = load_workbook(io.BytesIO(data)).active
    assert sheet is not None
    return [cell for row in sheet.iter_rows(min_row=2) for cell in row]


def words(client: Client, label: str) -> str:
    """All that leaves of a list, in every format, as one text."""
    found = [file(client, label, form).decode("utf-8-sig") for form in ("csv", "json")]
    return "\n".join([*found, *(str(cell.value) for cell in cells(file(client, label, "xlsx")))])


@pytest.fixture
def superuser(root: Member) -> Client:
    return signed_in(User.objects.get(pk=root.user_id))


# Of each way one; all of them are in the table of the rule.
TRIED = ("calls a program", "plus", "minus", "at", "pipe", "tab", "carriage return", "blanks", "curly quote", "wide at")


Cast = tuple[Team, User, User]


@pytest.fixture(scope="module")
def cast(module_db: None) -> Cast:
    platform = make_platform()
    return platform, person("alice", platform, Level.LEAD), person("bob", platform)


@pytest.fixture
def platform(cast: Cast, db: None) -> Team:
    return cast[0]


@pytest.fixture
def alice_user(cast: Cast, db: None) -> User:
    return cast[1]


@pytest.fixture
def bob_user(cast: Cast, db: None) -> User:
    return cast[2]


@pytest.fixture(scope="class")
def stocked(cast: Cast) -> Iterator[None]:
    """Something of everything, in a team that is shared; for the tests of a class."""
    alice, bob = (member_of(user=user) for user in cast[1:])
    with transaction.atomic():
        row = furnish(alice, bob)
        rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=bob, now=NOW, reason="It was so.")
        preferences.state(key="editor", value="vim", category="general", team="platform", by=alice, now=NOW)
        yield
        transaction.set_rollback(True)


@pytest.mark.usefixtures("stocked")
class TestEveryList:
    def test_that_a_moderator_would_take_away_can_be(self) -> None:
        assert set(PAGES) == {
            "accounts.logentry",
            "accounts.membership",
            "accounts.preference",
            "knowledge.insight",
            "knowledge.pair",
            "knowledge.signal",
            "knowledge.topic",
            "skills.skill",
        }

    def test_offers_it_and_these_formats(self, superuser: Client) -> None:
        for label in PAGES:
            shown = superuser.get(address(label, "changelist")).content.decode()
            assert address(label) in shown and 'value="export_selected"' in shown, label
            form = superuser.get(address(label)).context["form"]
            assert [name for _, name in form.fields["format"].choices[1:]] == ["csv", "xlsx", "json"]

    def test_writes_what_it_has_in_every_format(self, superuser: Client) -> None:
        for label in PAGES:
            as_csv = table(file(superuser, label))
            as_json = json.loads(file(superuser, label, "json"))
            columns = list(PAGES[label].resource_classes[0].fields)
            # Each export of the log has one line more to tell: of the export before it.
            assert as_csv and len(as_json) >= len(as_csv), label
            assert list(as_csv[0]) == columns == list(as_json[0]), label
            assert len(cells(file(superuser, label, "xlsx"))) >= len(columns) * len(as_csv)

    def test_has_no_tag_of_a_speaker_as_json(self, superuser: Client, alice: Member) -> None:
        row = make_insight(
            alice, body="Fine.\n" + "\n".join(INJECTIONS), questions=[one[:190] for one in INJECTIONS[:5]]
        )
        document = file(superuser, "knowledge.insight", "json").decode()
        assert broken(document) == []
        assert row.body in [one["body"] for one in json.loads(document)] and "<system-reminder>" in row.body

    def test_leaves_no_cell_that_a_spreadsheet_computes(self, superuser: Client) -> None:
        wrong = []
        for name in TRIED:
            assert spoil(FORMULAS[name]) > 100
            for label in PAGES:
                texts = [text for row in table(file(superuser, label)) for text in row.values()]
                wrong += [(name, label, text) for text in texts if computes(text)]
                assert any(text.startswith("'") for text in texts) or label == "accounts.membership", (name, label)
        spoil(*(FORMULAS[name] for name in TRIED))
        for label in PAGES:
            book = cells(file(superuser, label, "xlsx"))
            wrong += [("in a book", label, cell.value) for cell in book if cell.data_type == "f"]
            wrong += [("in a book", label, cell.value) for cell in book if computes(str(cell.value or ""))]
        assert wrong == []

    def test_says_in_the_log_of_each_team_who_took_how_many(self, superuser: Client) -> None:
        for label in PAGES:
            LogEntry.objects.filter(verb="exported").delete()
            rows = table(file(superuser, label))
            lines = LogEntry.objects.filter(verb="exported").select_related("team")
            told = {line.team.slug: line.after["rows"] for line in lines}
            assert told == {slug: sum(row["team"] == slug for row in rows) for slug in {row["team"] for row in rows}}
            assert {(line.actor, line.after["format"]) for line in lines} == {("root", "csv")}


def computes(text: str) -> bool:
    """Whether a spreadsheet could, told otherwise than the rule does."""
    bare = text.strip(' \t\r\n\u00a0\u3000"\u201c')
    wide = unicodedata.normalize("NFKC", bare[:1]).replace("\u2212", "-")
    return text[:1] in ("\t", "\r", "\n") or (wide != "" and wide in "=+-@|")


HELD = f"The {SECRET_WORD} bucket is reached with {SECRET} from the build."


@pytest.fixture(scope="class")
def hidden(cast: Cast) -> Iterator[dict[str, list[Any]]]:
    """As `hide` says; for the tests of a class."""
    with transaction.atomic():
        yield hide(*(member_of(user=user) for user in cast[1:]))
        transaction.set_rollback(True)


def hide(alice: Member, bob: Member) -> dict[str, list[Any]]:
    """What must not leave, with the word in it: the keys by list. Of each list something else may."""
    titles = ["Plain", "Plain", *[SECRET_WORD] * 4, "Kept"]
    plain, other, held, gone, moved, heir, kept = (
        make_insight(alice, title=f"{word} {n}", body=lesson)
        for n, (word, lesson) in enumerate(zip(titles, LESSONS.values(), strict=True))
    )
    voice = as_agent(bob)
    settle.report(a=plain.ref, b=other.ref, reason="so", by=alice, now=NOW)
    rate(refs=[plain.ref], verdict=SignalKind.HELPFUL, by=voice, now=NOW, reason="it was so")
    for row in (held, gone, moved):
        settle.report(a=plain.ref, b=row.ref, reason="so", by=alice, now=NOW)
        rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=voice, now=NOW, reason=SECRET_WORD)
    combine.supersede(ref=kept.ref, by_ref=heir.ref, by=alice, now=NOW)
    for row in (held, heir):
        leak(row, body=HELD)
    scan(now=NOW)
    forget(ref=gone.ref, by=alice, now=NOW, why="asked")
    move(ref=moved.ref, team="personal", by=alice, now=NOW)
    make_skill(alice)
    preferences.state(key="editor", value="vim", category="general", team="platform", by=alice, now=NOW)
    return {
        "knowledge.insight": [held.pk, gone.pk, moved.pk, heir.pk],
        "knowledge.pair": list(Pair.objects.exclude(a=plain, b=other).values_list("pk", flat=True)),
        "knowledge.signal": list(Vote.objects.exclude(insight__in=[plain, other, kept]).values_list("pk", flat=True)),
        **_of_bob(bob),
    }


def _of_bob(bob: Member) -> dict[str, list[Any]]:
    """What is his own."""
    mine = make_insight(bob, team="personal", title=SECRET_WORD, body=f"My own {SECRET_WORD}.")
    skill = make_skill(bob, team="personal", name=SECRET_WORD, description=f"{SECRET_WORD} How to.")
    own = preferences.state(key="runner", value=SECRET_WORD, category="general", team="personal", by=bob, now=NOW)[0]
    tokens.issue_token(name=SECRET_WORD, scopes=[Scope.READ], by=bob, now=NOW)
    Team.objects.filter(pk=bob.home_id).update(slug=f"personal-{SECRET_WORD}")
    home = {"team_id": bob.home_id}
    return {
        "knowledge.topic": [mine.topic_id],
        "skills.skill": [skill.pk],
        "accounts.preference": [own.id],
        "accounts.membership": list(Membership.objects.filter(**home).values_list("pk", flat=True)),
        "accounts.logentry": list(LogEntry.objects.filter(**home).values_list("pk", flat=True)),
    }


class TestWhatIsOutOfEveryRead:
    def test_is_in_no_file(self, superuser: Client, hidden: dict[str, list[Any]]) -> None:
        for label in PAGES:
            assert len(hidden[label]) > 0, label
            assert table(file(superuser, label)), label
            found = words(superuser, label)
            assert SECRET_WORD not in found, label
            assert SECRET not in found, label

    def test_is_in_no_file_when_its_key_is_sent(self, superuser: Client, hidden: dict[str, list[Any]]) -> None:
        for label in PAGES:
            chosen = {"export_items": [str(key) for key in hidden[label]]}
            assert table(file(superuser, label, **chosen)) == [], label
            some = PAGES[label].model.objects.exclude(pk__in=hidden[label])
            seen = PAGES[label].model._default_manager.filter(pk__in=some).values_list("pk", flat=True)
            both = {"export_items": [*chosen["export_items"], *(str(key) for key in seen)]}
            assert SECRET_WORD not in file(superuser, label, **both).decode(), label

    def test_is_not_found_by_asking_for_it(self, superuser: Client, hidden: dict[str, list[Any]]) -> None:
        for label in PAGES:
            assert table(file(superuser, label, query=f"?q={SECRET_WORD}")) == [], label

    def test_is_not_named_as_what_took_the_place_of_another(
        self, superuser: Client, hidden: dict[str, list[Any]]
    ) -> None:
        kept = next(row for row in table(file(superuser, "knowledge.insight")) if row["title"].startswith("Kept"))
        assert kept["superseded_by"] == ""

    def test_is_not_listed_either_as_the_other_side_of_a_pair(
        self, superuser: Client, hidden: dict[str, list[Any]]
    ) -> None:
        for name in ("knowledge.pair", "knowledge.signal", "knowledge.formerref", "knowledge.corroboration"):
            assert SECRET_WORD not in superuser.get(address(name, "changelist")).content.decode(), name

    def test_is_no_secret_digest_or_address_of_anybody(self) -> None:
        columns = {name for page in PAGES.values() for name in page.resource_classes[0].fields}
        assert not columns & {
            "token", "digest", "secret", "email", "password", "prefix", "embedding", "embedded_by", "session_key",
            "before", "after", "heard", "lexemes", "bm25", "provenance", "withheld",
        }  # fmt: skip


def staff(*codenames: str) -> Client:
    user, _ = User.objects.get_or_create(username="sam", is_staff=True)
    enrol(user=user)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return signed_in(user)


class TestWho:
    def test_may_not_see_the_list_takes_nothing_away(
        self, client: Client, alice_user: User, hidden: dict[str, list[Any]]
    ) -> None:
        strangers = (client, signed_in(alice_user), staff("view_group"))
        for label in PAGES:
            lines = LogEntry.objects.count()
            for who in strangers:
                for answer in (who.get(address(label)), who.post(address(label), asked(label, "csv"))):
                    assert answer.status_code in (302, 403), label
                    assert "attachment" not in answer.get("Content-Disposition", "")
            assert LogEntry.objects.count() == lines

    def test_may_see_it_takes_away_what_it_shows(self, hidden: dict[str, list[Any]]) -> None:
        for label in PAGES:
            client = staff(f"view_{label.partition('.')[2]}")
            rows = table(file(client, label))
            assert rows and SECRET_WORD not in str(rows), label
            assert {line.actor for line in LogEntry.objects.filter(verb="exported")} == {"sam"}


class TestAnExport:
    LABEL = "knowledge.insight"

    @pytest.fixture
    def rows(self, alice: Member) -> list[Insight]:
        return [make_insight(alice, body=LESSONS[name], tags=[name, "x"], files=["a.py"]) for name in ("beat", "cors")]

    def test_is_narrowed_as_the_list_is(self, superuser: Client, rows: list[Insight]) -> None:
        curate.promote(ref=rows[0].ref, by=member_of(user=User.objects.get(username="alice")), now=NOW)
        for query in ("?status__exact=promoted", "?q=Celery", f"?q={rows[0].ref}"):
            assert [row["ref"] for row in table(file(superuser, self.LABEL, query=query))] == [rows[0].ref], query

    def test_has_what_a_person_writes_as_it_is_typed(self, superuser: Client, rows: list[Insight]) -> None:
        found = {row["ref"]: row for row in table(file(superuser, self.LABEL))}[rows[0].ref]
        assert (found["body"], found["tags"], found["files"]) == (LESSONS["beat"], "beat, x", "a.py")
        assert (found["team"], found["status"], found["author"]) == ("platform", "draft", "alice")
        assert found["created_at"] == "2026-11-21T12:00:00Z"

    def test_has_the_columns_that_were_chosen(self, superuser: Client, rows: list[Insight]) -> None:
        form = {"resource": "0", "format": FORMATS["csv"], "insightrows_ref": "on", "insightrows_kind": "on"}
        answer = superuser.post(address(self.LABEL), {**form, "insightrows_embedding": "on"})
        assert [*table(answer.content)[0]] == ["ref", "kind"]
        assert LogEntry.objects.get(verb="exported").after["columns"] == ["ref", "kind"]

    def test_of_the_ticked_rows_goes_by_the_same_form(self, superuser: Client, rows: list[Insight]) -> None:
        ticked = {"action": "export_selected", "_selected_action": [rows[1].pk]}
        page = superuser.post(address(self.LABEL, "changelist"), ticked)
        assert "Export 1 selected item" in " ".join(page.content.decode().split())
        found = table(file(superuser, self.LABEL, export_items=[rows[1].pk]))
        assert [row["ref"] for row in found] == [rows[1].ref]

    def test_of_all_rows_over_the_pages_is_the_lists(self, superuser: Client, rows: list[Insight]) -> None:
        ticked = {"action": "export_selected", "_selected_action": [rows[1].pk], "select_across": "1"}
        answer = superuser.post(address(self.LABEL, "changelist") + "?q=Celery", ticked)
        assert (answer.status_code, answer["Location"]) == (302, address(self.LABEL) + "?q=Celery")

    @pytest.mark.parametrize("sent", ["nonsense", "-1", "9" * 40, "", "1 OR 1=1"])
    def test_of_keys_that_are_none_is_no_file(self, sent: str, superuser: Client, rows: list[Insight]) -> None:
        answer = superuser.post(address(self.LABEL), asked(self.LABEL, "csv", export_items=[sent]))
        assert answer.status_code == 200
        assert "attachment" not in answer.get("Content-Disposition", "") or table(answer.content) == []

    def test_of_a_filter_that_is_none_is_the_list(self, superuser: Client, rows: list[Insight]) -> None:
        answer = superuser.get(address(self.LABEL) + "?created_at__gte=nonsense")
        assert (answer.status_code, answer["Location"]) == (302, address(self.LABEL, "changelist") + "?e=1")

    def test_of_no_column_and_of_no_format_says_so(self, superuser: Client, rows: list[Insight]) -> None:
        for form in ({"resource": "0", "format": "0"}, {**asked(self.LABEL, "csv"), "format": "7"}):
            answer = superuser.post(address(self.LABEL), form)
            assert "Content-Disposition" not in answer
            assert answer.context["form"].errors

    def test_of_more_than_a_cell_holds_says_so(self, superuser: Client, alice: Member) -> None:
        make_skill(alice, instructions="x" * 40_000)
        longest = max((str(cell.value) for cell in cells(file(superuser, "skills.skill", "xlsx"))), key=len)
        assert (len(longest), "truncated" in longest[-100:]) == (32_767, True)
        assert table(file(superuser, "skills.skill"))[0]["instructions"] == "x" * 40_000

    def test_is_bounded_and_says_how(self, superuser: Client, rows: list[Insight], monkeypatch: Any) -> None:
        monkeypatch.setattr(exports, "MOST_ROWS", 1)
        answer = superuser.post(address(self.LABEL), asked(self.LABEL, "csv"))
        assert "more than 1 rows" in answer.content.decode()
        assert not LogEntry.objects.filter(verb="exported").exists()

    def test_asks_no_more_for_more_rows(self, superuser: Client, alice: Member, rows: list[Insight]) -> None:
        with CaptureQueriesContext(connection) as few:
            file(superuser, self.LABEL)
        for lesson in ("locks", "cache", "pool"):
            make_insight(alice, body=LESSONS[lesson], tags=[lesson])
        with CaptureQueriesContext(connection) as more:
            file(superuser, self.LABEL)
        assert len(more) <= len(few)
