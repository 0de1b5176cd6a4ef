"""The table of insights: what is exported of it, and editing many of its rows."""

import csv
import io
from typing import Any

import pytest

from accounts.models import LogEntry, User
from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.review.actions import bulk
from tests.factories import make_insight
from tests.knowledge.test_inbox import undo_of
from tests.pages import Faults, signed_in


def exported(answer: Any) -> list[dict[str, str]]:
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def text(answer: Any) -> str:
    page: str = answer.content.decode()
    assert Faults(page).found == []
    return page


class TestExport:
    def test_holds_what_is_filtered_and_one_may_see(self, bob_user: User, alice: Member, charlie: Member) -> None:
        make_insight(alice, title="=1+1", body="Run the guard.", tags=["db"], repo="acme/web")
        make_insight(alice, body="Beat runs once.")
        make_insight(charlie, body="Of the mobile team.", tags=["db"])
        [row] = exported(signed_in(bob_user).get("/insights/export/?tag=db"))
        assert (row["ref"], row["title"], row["tags"], row["author"]) == ("PLAT-1", "'=1+1", "db", "alice")
        line = LogEntry.objects.get(verb="exported")
        assert (line.team.slug, line.line, line.actor) == ("platform", "1 insight exported", "bob")

    def test_finds_as_the_search_of_the_page(self, bob_user: User, alice: Member) -> None:
        make_insight(alice, body="Set proxy_read_timeout in nginx.conf.")
        make_insight(alice, body="Beat runs once.")
        assert [row["ref"] for row in exported(signed_in(bob_user).get("/insights/export/?q=ginx"))] == ["PLAT-1"]


class TestBulkEdit:
    def test_changes_tags_kind_and_repository_and_takes_it_back(self, alice_user: User, alice: Member) -> None:
        one = make_insight(alice, tags=["old", "db"], repo="acme/a")
        other = make_insight(alice, body="Beat runs once.", tags=["new"])
        client = signed_in(alice_user)
        address = f"/insights/bulk-edit/?ref={one.ref}&ref={other.ref}&back=/insights/"
        assert "Edit 2 insights" in text(client.get(address))
        form = {"ref": [one.ref, other.ref], "back": "/insights/", "add_tags": "New", "remove_tags": "old"}
        told = text(client.post("/insights/bulk-edit/", form | {"kind": "PITFALL", "repo": "acme/b"}, follow=True))
        assert "2 insights edited: " in told
        found = [(row.tags, row.kind, row.repo) for row in Insight.objects.order_by("pk")]
        assert found == [(["db", "new"], "PITFALL", "acme/b"), (["new"], "PITFALL", "acme/b")]
        client.post("/inbox/undo/", {"action": undo_of(told)})
        found = [(row.tags, row.kind, row.repo) for row in Insight.objects.order_by("pk")]
        assert found == [(["db", "old"], "SOLUTION", "acme/a"), (["new"], "SOLUTION", "")]

    @pytest.mark.parametrize("form", [{}, {"kind": "SONG"}, {"add_tags": "x" * 61}])
    def test_gives_faults_back(self, form: dict[str, str], alice_user: User, alice: Member) -> None:
        row = make_insight(alice)
        page = text(signed_in(alice_user).post("/insights/bulk-edit/", {"ref": row.ref, **form}))
        assert "errorlist" in page or "at least one change" in page

    def test_says_that_there_are_more_only_where_there_are(
        self, alice_user: User, alice: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(bulk, "MOST", 2)
        rows = [make_insight(alice, body=f"Note {word} is here.", repo="acme/few") for word in ("one", "two")]
        address = "/insights/bulk-edit/?all=1&back=/insights/%3Frepo=acme/few"
        page = text(signed_in(alice_user).get(address))
        assert all(f'value="{row.ref}"' in page for row in rows) and "Only the first" not in page
        third = make_insight(alice, body="Note three is here.", repo="acme/few")
        page = text(signed_in(alice_user).get(address))
        assert "Only the first 2 are included" in page and f'value="{rows[0].ref}"' not in page and third.ref in page

    def test_is_refused_row_by_row(self, bob_user: User, charlie_user: User, alice: Member, bob: Member) -> None:
        theirs, own = make_insight(alice), make_insight(bob, body="Beat runs once.")
        form = {"ref": [theirs.ref, own.ref], "add_tags": "x", "back": "/insights/"}
        told = text(signed_in(bob_user).post("/insights/bulk-edit/", form, follow=True))
        assert "1 insight edited: tag x added." in told and f"1 skipped. {theirs.ref}" in told
        assert signed_in(charlie_user).post("/insights/bulk-edit/", form).status_code == 404
        assert Insight.objects.get(pk=theirs.pk).tags == []


class TestGoTo:
    def test_finds_a_reference_a_part_of_a_word_and_people(
        self, bob_user: User, alice: Member, charlie: Member
    ) -> None:
        row = make_insight(alice, title="Timeouts", body="Set it in nginx.conf.")
        make_insight(charlie, title="nginx of the mobile team")
        client = signed_in(bob_user)
        assert f"/insights/{row.ref}/" in text(client.get(f"/go/?q={row.ref.lower()}"))
        found = text(client.get("/go/?q=ginx"))
        assert "Timeouts" in found and "mobile" not in found
        assert "?author=alice" in text(client.get("/go/?q=ali"))
        assert "charlie" not in text(client.get("/go/?q=charl")).replace('value="charl"', "")

    def test_puts_a_command_before_insights_that_only_mention_its_word(self, alice_user: User, alice: Member) -> None:
        make_insight(alice, body="The settings of beat are in the schedule.")
        part = text(signed_in(alice_user).get("/go/", {"q": "settings"}, HTTP_HX_REQUEST="true"))
        assert part.index("/settings/") < part.index("/insights/PLAT-1/")
        assert part.count('href="/settings/"') == 1
        part = text(signed_in(alice_user).get("/go/", {"q": "ings"}, HTTP_HX_REQUEST="true"))
        assert part.index("/insights/PLAT-1/") < part.index("/settings/"), "a part of a word is searched for"


class TestAReference:
    def test_that_is_searched_for_is_the_one_shown(self, alice_user: User, alice: Member) -> None:
        row = make_insight(alice, title="The guard")
        make_insight(alice, title="The beat", body=f"See {row.ref}.")
        answer = signed_in(alice_user).get("/insights/", {"q": row.ref.lower()})
        assert [one.title for one in answer.context["rows"]] == ["The beat", "The guard"]
        assert answer.context["chosen"].ref == row.ref
