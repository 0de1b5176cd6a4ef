"""`manage.py import_notes`: what it asks for, what it prints, how it fails."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from knowledge.models import Insight

pytestmark = pytest.mark.django_db


@pytest.fixture
def notes(tmp_path):
    path = tmp_path / "notes.jsonl"
    path.write_text("".join(json.dumps({"body": f"Note {n} says something."}) + "\n" for n in range(3)) + "{\n" * 8)
    return path


@pytest.fixture(autouse=True)
def offline(settings):
    """Without a model rows wait for the sweep, which is all one to the command."""
    settings.LOAM_EMBEDDER = "tests.fakes.DownEmbedder"


def run(*words, **options):
    out = StringIO()
    call_command("import_notes", *map(str, words), stdout=out, stderr=out, **options)
    return out.getvalue()


class TestImportNotes:
    def test_imports_as_the_first_lead_and_reports(self, notes, alice_user, bob_user):
        said = run(notes, "--team", "platform")
        assert said.splitlines()[-1] == "3 created, 0 unchanged, 8 skipped."
        assert "skipped, not valid JSON: line 4, line 5, line 6, line 7, line 8 and 3 more" in said
        assert "3 are embedded later by the sweep" in said
        assert set(Insight.objects.values_list("author__username", flat=True)) == {"alice"}

    def test_names_all_that_was_skipped_when_asked_to(self, notes, alice_user):
        assert "line 11" in run(notes, "--team", "platform", verbosity=2)

    def test_imports_as_somebody(self, notes, alice_user, bob_user):
        run(notes, "--team", "platform", "--user", "bob", "--kind", "pattern")
        assert set(Insight.objects.values_list("author__username", "kind")) == {("bob", "PATTERN")}

    def test_only_says_what_would_happen(self, notes, alice_user):
        assert "3 would be created" in run(notes, "--team", "platform", "--dry-run")
        assert Insight.objects.count() == 0

    @pytest.mark.parametrize(
        ("words", "line"),
        [
            (["--team", "nosuch"], "There is no team 'nosuch'"),
            (["--team", "platform", "--user", "nobody"], "There is no account 'nobody'."),
            (["--team", "platform", "--user", "charlie"], "You have no team 'platform'."),
        ],
    )
    def test_fails_with_one_line(self, notes, alice_user, charlie_user, words, line):
        with pytest.raises(CommandError, match=line) as failure:
            run(notes, *words)
        assert "\n" not in str(failure.value)

    def test_fails_with_one_line_on_a_path_that_is_not_there(self, tmp_path, alice_user):
        with pytest.raises(CommandError, match="No such folder or file"):
            run(tmp_path / "nowhere", "--team", "platform")

    def test_fails_for_a_team_without_a_lead(self, notes, bob_user):
        with pytest.raises(CommandError, match="name an account with --user"):
            run(notes, "--team", "platform")
