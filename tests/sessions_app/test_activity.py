"""The activity page: what it finds in the log, what it links, how it is paged and exported."""

import csv
import io
from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.actions.refusals import log_attempt
from accounts.models import LogEntry, Team, User
from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.review.actions.curate import edit, leave
from knowledge.views.listing import PAGE
from sessions_app.rules.activity import cursor
from tests.conftest import NOW
from tests.factories import make_insight, make_skill
from tests.pages import HTMX, Faults, signed_in

PAGE_OF = "/activity/"


def text(answer: Any) -> str:
    page: str = answer.content.decode()
    assert answer.status_code == 200, page[:500]
    assert Faults(page).found == []
    return page


def exported(answer: Any) -> list[dict[str, str]]:
    assert answer.status_code == 200
    data = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(data)))


def write(team: Team | int, line: str, by: Member, at: datetime = NOW, **more: Any) -> LogEntry:
    team_id = team if isinstance(team, int) else team.pk
    return LogEntry.write(team_id=team_id, line=line, by=by, at=at, **{"verb": "edited", **more})


class TestFilters:
    @pytest.fixture(autouse=True)
    def lines(self, platform: Team, alice: Member, bob: Member) -> None:
        write(platform, "Alpha changed", alice, NOW - timedelta(days=3), verb="renamed", subject="PLAT-7")
        write(platform, "Beta changed", bob, NOW, why="because of the gamma_ray", subject="skill:release")
        write(alice.personal.id, "Delta changed", alice, NOW - timedelta(days=1))  # type: ignore[union-attr]

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("", "Alpha Beta Delta"),
            ("q=alpha", "Alpha"),
            ("q=GAMMA", "Beta"),
            ("q=gamma%25ray", ""),
            ("q=changed+eta", "Beta"),
            ("q=%22Beta+changed%22", "Beta"),
            ("who=bob", "Beta"),
            ("who=nobody", ""),
            ("verb=renamed", "Alpha"),
            ("ref=plat-7", "Alpha"),
            ("ref=release", "Beta"),
            ("team=platform", "Alpha Beta"),
            (f"since={NOW:%Y-%m-%d}", "Beta"),
            (f"until={NOW - timedelta(days=1):%Y-%m-%d}", "Alpha Delta"),
            (f"since={NOW - timedelta(days=1):%Y-%m-%d}&until={NOW - timedelta(days=1):%Y-%m-%d}", "Delta"),
            ("via=pages&who=alice", "Alpha Delta"),
            ("via=agents&who=alice", ""),
        ],
    )
    def test_narrow_to_what_fits(self, query: str, found: str, alice_user: User) -> None:
        answer = signed_in(alice_user).get(f"{PAGE_OF}?{query}")
        page = answer.content.decode()
        assert [word for word in ("Alpha", "Beta", "Delta") if f"{word} changed" in page.split("<tbody>")[-1]] == (
            found.split()
        )

    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("since=yesterday", "From"),
            ("until=9999-12-31", "To"),
            ("since=2026-02-01&until=2026-01-01", "To"),
            ("team=mobile", "Team"),
            ("via=owls", "Through"),
            ("after=nonsense", "After"),
            (f"q={'x' * 401}", "Text"),
        ],
    )
    def test_name_the_field_of_a_bad_value(self, query: str, field: str, alice_user: User) -> None:
        client = signed_in(alice_user)
        assert f"<p>{field}: " in text(client.get(f"{PAGE_OF}?{query}"))
        assert client.get(f"{PAGE_OF}export/?{query}").status_code == 400

    def test_are_kept_as_a_view(self, alice_user: User) -> None:
        client = signed_in(alice_user)
        form = {"page": "activity", "query": "who=bob&verb=edited&after=x", "name": "Bob", "team": "platform"}
        answer = client.post("/filters/", form)
        assert answer.url.startswith("/activity/?who=bob&verb=edited&saved=")
        assert "Bob" in text(client.get(answer.url))


class TestObjects:
    def test_that_are_named_are_links_where_the_reader_may_see_them(
        self, platform: Team, bob_user: User, alice: Member, charlie: Member
    ) -> None:
        row, theirs = make_insight(alice), make_insight(charlie, body="Of the mobile team.")
        write(platform, f"{row.ref} merged into {theirs.ref}, not XY-99", alice, subject=row.ref)
        page = text(signed_in(bob_user).get(f"{PAGE_OF}?q=merged"))
        assert page.count(f'href="/insights/{row.ref}/"') == 2
        assert f"/insights/{theirs.ref}/" not in page and "/insights/XY-99/" not in page

    def test_of_every_kind_lead_to_their_page(self, alice_user: User, alice: Member, platform: Team) -> None:
        skill = make_skill(alice)
        page = text(signed_in(alice_user).get(f"{PAGE_OF}?ref={skill.name}"))
        assert f'href="/skills/platform/{skill.name}/"' in page


class TestChanges:
    def test_are_shown_on_demand(self, alice_user: User, alice: Member) -> None:
        row = make_insight(alice, title="Old words")
        edit(ref=row.ref, changes={"title": "New words"}, revision=row.revision, by=alice, now=NOW, why="typo")
        line = LogEntry.objects.filter(subject=row.ref).latest("pk")
        client = signed_in(alice_user)
        table = text(client.get(f"{PAGE_OF}?ref={row.ref}"))
        assert f'href="/activity/{line.pk}/"' in table and "<del>Old</del>" not in table
        page = text(client.get(f"/activity/{line.pk}/"))
        assert "<del>Old</del><ins>New</ins>" in page and "typo" in page
        part = client.get(f"/activity/{line.pk}/", **HTMX).content.decode()
        assert "<ins>New</ins>" in part and "<html" not in part

    def test_of_something_deleted_are_what_it_was(self, alice_user: User, alice: Member, platform: Team) -> None:
        line = write(platform, "Filter deleted", alice, before={"name": "CI"})
        assert "<del>CI</del>" in text(signed_in(alice_user).get(f"/activity/{line.pk}/"))

    def test_are_no_strangers_business(self, charlie_user: User, alice: Member, platform: Team) -> None:
        line = write(platform, "Alpha changed", alice, after={"title": "secret plan"})
        client = signed_in(charlie_user)
        assert client.get(f"/activity/{line.pk}/").status_code == 404
        assert client.get("/activity/999999/").status_code == 404
        assert "Alpha" not in text(client.get(PAGE_OF))
        assert exported(client.get(f"{PAGE_OF}export/")) == []
        assert client.get("/teams/platform/activity/").status_code == 404

    def test_ask_who_is_there(self, alice: Member, platform: Team, client: Any) -> None:
        line = write(platform, "Alpha changed", alice)
        for path in (PAGE_OF, f"{PAGE_OF}export/", f"/activity/{line.pk}/"):
            assert client.get(path).status_code == 302

    def test_are_not_told_of_what_is_withheld(self, alice_user: User, alice: Member, platform: Team) -> None:
        line = write(platform, "Alpha changed", alice, withheld=True)
        client = signed_in(alice_user)
        assert client.get(f"/activity/{line.pk}/").status_code == 404
        assert "Alpha" not in text(client.get(PAGE_OF))

    def test_give_no_reason_about_what_the_reader_may_not_see(
        self, alice_user: User, alice: Member, charlie: Member, platform: Team
    ) -> None:
        own, theirs = make_insight(alice), make_insight(charlie, title="Zebra crossing")
        line = write(platform, "Settled", alice, why="Zebra crossing", after={"against": own.ref})
        client = signed_in(alice_user)
        pages = (f"{PAGE_OF}?cols=why&verb=edited", f"/activity/{line.pk}/")
        assert all("Zebra" in text(client.get(path)) for path in pages)
        LogEntry.objects.filter(pk=line.pk).update(after={"against": theirs.ref})
        assert all("Settled" in (page := text(client.get(path))) and "Zebra" not in page for path in pages)
        assert [row["reason"] for row in exported(client.get(f"{PAGE_OF}export/?verb=edited"))] == [""]
        assert "Settled" not in text(client.get(f"{PAGE_OF}?q=zebra"))


class TestPages:
    @pytest.mark.parametrize("ordering", ["-at", "at"])
    def test_show_every_line_once_forward_and_back(
        self, ordering: str, alice_user: User, alice: Member, platform: Team
    ) -> None:
        LogEntry.objects.all().delete()
        # Many of one moment: the key parts them.
        made = [write(platform, f"Line {i:03}", alice, NOW + timedelta(seconds=i // 40)) for i in range(2 * PAGE + 7)]
        client = signed_in(alice_user)
        wanted = [line.pk for line in (reversed(made) if ordering == "-at" else made)]
        query, seen, context = "", [], None
        for _ in range(3):
            context = client.get(f"{PAGE_OF}?ordering={ordering}{query}").context
            seen += [row.pk for row in context["rows"]]
            query = f"&after={context['older']}".replace("+", "%2B")
        assert seen == wanted and context["older"] == "" and context["total"] == "107"
        back = f"&before={context['newer']}".replace("+", "%2B")
        page = client.get(f"{PAGE_OF}?ordering={ordering}{back}").context
        assert [row.pk for row in page["rows"]] == wanted[PAGE : 2 * PAGE]
        back = f"&before={page['newer']}".replace("+", "%2B")
        first = client.get(f"{PAGE_OF}?ordering={ordering}{back}").context
        assert [row.pk for row in first["rows"]] == wanted[:PAGE] and first["newer"] == ""

    def test_beyond_the_last_line_are_empty(self, alice_user: User, alice: Member, platform: Team) -> None:
        LogEntry.objects.all().delete()
        line = write(platform, "Only one", alice)
        place = cursor(line.at, line.pk).replace("+", "%2B")
        assert "No events" in text(signed_in(alice_user).get(f"{PAGE_OF}?after={place}"))


class TestExport:
    def test_is_what_is_filtered_and_no_formula(self, bob_user: User, alice: Member, platform: Team) -> None:
        write(platform, "=HYPERLINK(1)", alice, why="@SUM(1)", before={"a": 1}, after={"a": 2, "verdict": {"x": 1}})
        write(platform, "Another", alice, verb="renamed")
        [row] = exported(signed_in(bob_user).get(f"{PAGE_OF}export/?verb=edited"))
        assert (row["event"], row["reason"], row["actor"], row["team"]) == (
            "'=HYPERLINK(1)", "'@SUM(1)", "alice", "platform",
        )  # fmt: skip
        assert (row["before"], row["after"]) == ('{"a": 1}', '{"a": 2}')
        line = LogEntry.objects.get(verb="exported")
        assert (line.line, line.actor) == ("1 log line exported", "bob")


def test_hostile_words_of_the_log_stay_words(alice_user: User, alice: Member, platform: Team) -> None:
    line = write(
        platform, "<script>alert(1)</script> \u202edesrever", alice, verb="<b>x</b>",
        subject='"><img src=x>', why="<i>", after={"<u>": "<script>"},
    )  # fmt: skip
    client = signed_in(alice_user)
    for path in (f"{PAGE_OF}?cols=why&cols=object&cols=verb", f"/activity/{line.pk}/"):
        page = text(client.get(path))
        assert "<script>alert" not in page and "<img src=x>" not in page and "\u202e" not in page
        assert "<b>x</b>" not in page and "<u>" not in page


def test_what_was_refused_is_found_by_the_object_it_names(
    alice_user: User, alice: Member, bob: Member, platform: Team
) -> None:
    for ref in ("PLAT-7", "PLAT-71", "XPLAT-7"):
        log_attempt(team_id=platform.pk, line=f"PLAT-90 supersedes {ref}: refused, protected", by=bob, now=NOW)
    page = text(signed_in(alice_user).get(f"{PAGE_OF}?ref=PLAT-7")).split("<tbody>")[-1]
    assert page.count("refused, protected") == 1 and "PLAT-71" not in page
    assert "refused, protected" not in text(signed_in(alice_user).get(f"{PAGE_OF}?ref=.*"))


def test_a_name_of_an_insight_before_it_was_moved_finds_all_of_it(alice_user: User, alice: Member) -> None:
    row = make_insight(alice)
    Insight.objects.get(pk=row.pk).former.create(ref="OLD-5", team_id=row.team_id, number=5, at=NOW)
    write(row.team_id, "Long ago OLD-5", alice, subject="OLD-5")
    page = text(signed_in(alice_user).get(f"{PAGE_OF}?ref={row.ref}"))
    assert "Long ago" in page and f'href="/insights/{row.ref}/"' in page


class TestTheWords:
    def test_say_dismissed_where_the_button_does(self, alice_user: User, alice: Member) -> None:
        row = make_insight(alice)
        leave(ref=row.ref, by=alice, now=NOW)
        page = text(signed_in(alice_user).get("/activity/?verb=dismissed"))
        assert "1 event" in page and ">left<" not in page and '<option value="dismissed">' in page
        [line] = exported(signed_in(alice_user).get("/activity/export/?verb=dismissed"))
        assert line["action"] == "dismissed"
