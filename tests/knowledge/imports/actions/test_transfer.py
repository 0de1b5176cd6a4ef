"""Import: from files to rows, once, whatever happens in between."""

import json
import os
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from accounts.rules.refused import NotAllowed
from accounts.rules.rights import Level, NoSuchTeam
from knowledge.adapters.embedder import current
from knowledge.imports.actions import transfer
from knowledge.imports.actions.transfer import NoNotes, import_notes
from knowledge.judging.actions import deposit
from knowledge.lifecycle.rules import decay
from knowledge.models import Insight, Lexicon
from knowledge.retrieval.rules import bm25
from knowledge.rules.vocabulary import Kind, Source
from tests.conftest import NOW, member_of, person

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def embedder(settings, tmp_path):
    """One of its own for each test, so that it counts from nothing."""
    settings.LOAM_EMBEDDER = "tests.counted.CountedEmbedder"
    settings.LOAM_MODELS = tmp_path
    return current().inner


@pytest.fixture
def notes(tmp_path) -> Path:
    """A vault with two good notes, and with everything that is none."""
    root = tmp_path / "vault"
    files = {
        "git/undo.md": "---\ntags: [undo]\ndate: 2024-01-05\n---\n# Undo a commit\n\nUse `git reset --soft HEAD~1`.",
        "ci/cache.markdown": "# Warm the cache\n\nRestore it before the build.",
        "empty.md": "",
        "picture.png": "not really",
        ".obsidian/workspace.md": "# Hidden\n\nBody.",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "binary.md").write_bytes(b"\x00\x01\xff\xfe")
    (root / "latin1.md").write_bytes("# Café".encode("latin-1"))
    return root


def jsonl(tmp_path: Path, *rows: object) -> Path:
    path = tmp_path / "notes.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def run(path, by, **over):
    return import_notes(**{"path": path, "team": "platform", "by": by, "now": NOW, **over})


class TestFolder:
    def test_becomes_insights_with_what_the_notes_say(self, notes, bob):
        done = run(notes, bob)
        assert (done.created, done.unchanged) == (2, 0)
        insight = Insight.objects.get(title="Undo a commit")
        assert insight.body == "Use `git reset --soft HEAD~1`."
        assert insight.tags == ["git", "undo"]
        assert (insight.kind, insight.source_type, insight.author.username) == (Kind.CONTEXT, Source.IMPORT, "bob")
        assert (insight.strength, f"{insight.source_date:%Y-%m-%d}") == (decay.SEEDED, "2024-01-05")
        assert insight.provenance[0]["path"] == "git/undo.md"
        assert insight.embedded_by == "counted@1"

    def test_says_what_it_skipped_and_why(self, notes, bob):
        assert run(notes, bob).skipped == [
            (".obsidian", "hidden"),
            ("binary.md", "binary"),
            ("empty.md", "empty"),
            ("latin1.md", "not UTF-8"),
            ("picture.png", "not Markdown"),
        ]

    def test_is_read_in_one_order(self, notes, bob):
        run(notes, bob)
        assert [row.title for row in Insight.objects.order_by("number")] == ["Warm the cache", "Undo a commit"]

    def test_follows_no_link(self, notes, bob, tmp_path):
        (tmp_path / "secret.md").write_text("# Outside\n\nBody.")
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "more.md").write_text("# Outside too\n\nBody.")
        (notes / "file.md").symlink_to(tmp_path / "secret.md")
        (notes / "folder").symlink_to(tmp_path / "other")
        (notes / "round").symlink_to(notes)
        (notes / "twice.md").symlink_to(notes / "git" / "undo.md")
        (notes / "gone.md").symlink_to(tmp_path / "nowhere.md")
        done = run(notes, bob)
        assert done.created == 2
        assert {name: why for name, why in done.skipped if "link" in why} == {
            "file.md": "a link that points outside the folder",
            "folder": "a link that points outside the folder",
            "gone.md": "a link that points outside the folder",
            "round": "a link: its target is read",
            "twice.md": "a link: its target is read",
        }

    def test_waits_for_no_pipe(self, notes, bob):
        os.mkfifo(notes / "pipe.md")
        assert ("pipe.md", "not a regular file") in run(notes, bob).skipped

    def test_may_be_one_file(self, notes, bob):
        assert run(notes / "git" / "undo.md", bob).created == 1

    def test_may_have_names_that_are_no_text(self, notes, bob):
        (notes / os.fsdecode(b"caf\xe9.md")).write_text("Espresso.")
        assert run(notes, bob).created == 3
        assert Insight.objects.get(body="Espresso.").title == "caf\\xe9"

    def test_skips_a_file_too_large(self, notes, bob, monkeypatch):
        monkeypatch.setattr(transfer, "LARGEST_NOTE", 40)
        assert ("git/undo.md", "larger than 40 bytes") in run(notes, bob).skipped


class TestJsonLines:
    def test_become_insights(self, tmp_path, bob):
        path = jsonl(tmp_path, {"title": "Undo", "body": "Use reset.", "topic": "git"}, {"text": "Use revert."})
        assert run(path, bob).created == 2
        assert Insight.objects.get(title="Undo").tags == ["git"]

    def test_that_cannot_be_read_are_skipped_by_number(self, tmp_path, bob, monkeypatch):
        monkeypatch.setattr(transfer, "LARGEST_NOTE", 100)
        path = jsonl(tmp_path, "{", "", {"title": "No body"}, {"body": "x" * 300}, {"body": "Good."}, "[1]")
        done = run(path, bob)
        assert done.created == 1
        assert done.skipped == [
            ("line 1", "not valid JSON"),
            ("line 3", "no text: neither 'body' nor 'text'"),
            ("line 4", "larger than 100 bytes"),
            ("line 6", "not a JSON object"),
        ]

    def test_with_a_secret_are_skipped_and_spoil_no_other(self, tmp_path, bob):
        key = "AKIA" + "J7QZ3MXK2PLW9RTB"
        done = run(jsonl(tmp_path, {"body": "One."}, {"body": f"export AWS_KEY={key}"}, {"body": "Two."}), bob)
        assert done.created == 2
        ((name, why),) = done.skipped
        assert name == "line 2" and "secret" in why and key not in why
        assert Insight.objects.filter(body__contains=key).count() == 0

    def test_that_say_the_same_in_one_place_are_kept_once(self, tmp_path, bob):
        done = run(jsonl(tmp_path, {"body": "One."}, {"body": "One."}, {"body": "One.", "path": "b.md"}), bob)
        assert done.created == 2
        assert done.skipped == [("line 2", "duplicate text")]

    def test_of_the_wrong_kind_of_file_are_refused(self, tmp_path, bob):
        path = tmp_path / "notes.csv"
        path.write_text("a,b")
        for wrong in (path, tmp_path / "nowhere"):
            with pytest.raises(NoNotes):
                run(wrong, bob)


class TestAgain:
    def test_creates_nothing_and_embeds_nothing(self, notes, bob, embedder):
        run(notes, bob)
        embedded = embedder.texts
        done = run(notes, bob, now=NOW + timedelta(days=1))
        assert (done.created, done.unchanged, embedder.texts) == (0, 2, embedded)

    def test_finds_what_another_member_imported(self, notes, alice, bob):
        run(notes, alice)
        assert run(notes, bob).created == 0

    def test_loses_no_note_to_a_key_that_was_used_in_another_team(self, notes, bob, charlie):
        """The key of a note can be computed from its words and its place."""
        for draft, key in drafts_of(notes):
            deposit.deposit(draft=replace(draft, team="mobile", idempotency_key=key), by=charlie, now=NOW)
        assert run(notes, bob).created == 2

    def test_imports_what_was_changed_or_moved(self, notes, bob):
        run(notes, bob)
        (notes / "git" / "undo.md").write_text("# Undo a commit\n\nUse `git revert`.")
        (notes / "ci" / "cache.markdown").rename(notes / "cache.md")
        assert (done := run(notes, bob)).created == 2
        assert done.unchanged == 0

    def test_with_another_kind_changes_nothing(self, notes, bob):
        run(notes, bob)
        assert run(notes, bob, kind=Kind.PATTERN).created == 0

    def test_for_another_team_imports_there(self, notes, bob):
        run(notes, bob)
        assert run(notes, bob, team="personal").created == 2

    def test_goes_on_after_a_stop(self, tmp_path, bob, monkeypatch):
        monkeypatch.setattr(transfer, "BATCH", 4)
        path = jsonl(tmp_path, *({"body": f"Note {n}."} for n in range(10)))

        def stop(read: int, total: int) -> None:
            if read >= 8:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run(path, bob, progress=stop)
        assert Insight.objects.count() == 8
        done = run(path, bob)
        assert (done.created, done.unchanged) == (2, 8)
        assert sorted(Insight.objects.values_list("body", flat=True)) == sorted(f"Note {n}." for n in range(10))


class TestImport:
    def test_needs_a_contributor_of_the_team(self, notes, bob, charlie, platform):
        with pytest.raises(NoSuchTeam):
            run(notes, charlie)
        reader = member_of(user=person("rita", platform, Level.READER))
        with pytest.raises(NotAllowed):
            run(notes, reader)
        assert Insight.objects.count() == 0

    def test_tells_how_far_it_is(self, tmp_path, bob, monkeypatch):
        monkeypatch.setattr(transfer, "BATCH", 2)
        told = []
        rows = [{"body": f"Note {n}."} for n in range(5)]
        run(jsonl(tmp_path, *rows), bob, progress=lambda read, total: told.append((read, total)))
        assert told == [(2, 5), (4, 5), (5, 5)]

    def test_rehearsed_stores_nothing_and_says_what_it_would(self, notes, bob, embedder):
        done = run(notes, bob, dry_run=True)
        assert (done.created, len(done.skipped), embedder.texts) == (2, 5, 0)
        assert Insight.objects.count() == 0
        run(notes, bob)
        assert run(notes, bob, dry_run=True).unchanged == 2

    def test_without_an_embedder_stores_all_the_same(self, notes, bob, settings):
        settings.LOAM_EMBEDDER = "tests.fakes.DownEmbedder"
        done = run(notes, bob)
        assert (done.created, done.waiting) == (2, 2)
        assert Insight.objects.filter(embedding=None).count() == 2

    def test_weighs_words_by_the_average_length_of_what_came(self, tmp_path, bob, platform, monkeypatch):
        monkeypatch.setattr(transfer, "BATCH", 8)
        text = " ".join(f"word{n}" for n in range(200))
        run(jsonl(tmp_path, *({"title": f"Note {n}", "body": text} for n in range(20))), bob)
        lexicon = Lexicon.objects.get(team=platform)
        insight = Insight.objects.get(title="Note 0")
        assert lexicon.pivot == pytest.approx(insight.length, rel=0.15)
        weights = bm25.document_weights(insight.words, lexicon.pivot)
        stored = dict(zip([i + 1 for i in insight.bm25.indices()], insight.bm25.values(), strict=True))
        assert stored == pytest.approx(weights, rel=1e-3)

    def test_makes_batches_of_drafts_and_cuts_no_note(self):
        def note(drafts):
            return SimpleNamespace(note=SimpleNamespace(drafts=[0] * drafts))

        sizes = [
            [len(item.note.drafts) for item in some]
            for some in transfer._batches([note(n) for n in (30, 30, 30, 100, 1)])
        ]
        assert sizes == [[30, 30, 30], [100], [1]]


class TestMemoryExports:
    def test_takes_memories_as_mem0_exports_them(self, tmp_path, bob):
        path = tmp_path / "mem0.json"
        rows = [{"id": "m1", "memory": "Staging listens on 8443.", "categories": ["staging"], "user_id": "x"}]
        path.write_text(json.dumps({"results": rows}))
        assert run(path, bob).created == 1
        row = Insight.objects.get()
        assert (row.body, row.tags) == ("Staging listens on 8443.", ["staging"])
        assert run(path, bob).unchanged == 1

    def test_takes_the_file_of_the_mcp_reference_server(self, tmp_path, bob):
        path = tmp_path / "memory.json"
        entity = {"type": "entity", "name": "Importer", "entityType": "service", "observations": ["Slow.", "In Go."]}
        relation = {"type": "relation", "from": "Importer", "to": "Queue", "relationType": "reads"}
        path.write_text(f"{json.dumps(entity)}\n{json.dumps(relation)}\n")
        done = run(path, bob)
        row = Insight.objects.get()
        assert (row.title, row.body, row.tags) == ("Importer", "- Slow.\n- In Go.", ["service"])
        assert [why.split(";")[0] for _, why in done.skipped] == ["a relation between two entities"]

    def test_refuses_json_that_is_no_export(self, tmp_path, bob):
        path = tmp_path / "package.json"
        path.write_text('{"name": "web", "version": "1"}')
        assert [why for _, why in run(path, bob).skipped] == ["no text: neither 'body' nor 'text'"]


# Three batches and some; of a thousand nothing else is seen, and it takes a minute.
MANY = 200


class TestAPoisonousNote:
    """In the way of many: each is named with why it is not there, and all the others are."""

    def test_stops_no_import_and_loses_no_other(self, tmp_path, bob, embedder, monkeypatch):
        texts = {
            "NUL characters": {"body": "a\0b"},
            "larger than": {"body": "word " * 250_000},
            "unpaired surrogate": {"body": "\ud800 alone"},
            "secret": {"body": "The bucket is reached with AKIA" + "Z7QF3MXT9WKD2RVB from the build."},
            "no text": {"body": ["a", {"b": 1}]},
            "not a JSON object": [1, 2],
            "front matter": {"body": "---\na: &x [b]\nc: *x\n---\nText."},
            "cannot be read: ZeroDivisionError": {"body": "It fails in reading."},
        }
        failing = ["It fails in preparing.", "It fails in embedding.", "It fails in writing."]
        spoil(monkeypatch, transfer.notes, "from_json", "It fails in reading.")
        spoil(monkeypatch, deposit, "guard_draft", failing[0])
        spoil(monkeypatch, embedder, "embed", failing[1])
        spoil(monkeypatch, deposit.Writer, "write", failing[2])
        rows = [{"body": f"word{n * 3} term{n * 5} name{n * 7}", "id": str(n)} for n in range(MANY)]
        for place, row in enumerate([*texts.values(), *({"body": text} for text in failing)]):
            rows.insert(place * 14 + 7, row)
        done = run(jsonl(tmp_path, *rows), bob)
        assert (done.created, done.whole, Insight.objects.count()) == (MANY, True, MANY)
        named = dict(done.skipped)
        for place, why in enumerate([*texts, *["Internal server error; it was logged"] * 3]):
            assert why in named.pop(f"line {place * 14 + 8}")
        assert named == {}


def drafts_of(notes):
    """What these notes become in the platform team, and under which keys."""
    found = (transfer._file(notes, name, why, Kind.CONTEXT) for name, why in transfer._files(notes))
    for note in (one.note for one in found if one.note):
        for draft in note.drafts:
            yield draft, note.key(replace(draft, team="platform"))


def spoil(monkeypatch, place, name, words):
    """Make it raise where those words are in what it is given."""
    usual = getattr(place, name)

    def spoilt(*given, **more):
        if words in repr(given):
            raise ZeroDivisionError("poison")
        return usual(*given, **more)

    monkeypatch.setattr(place, name, spoilt)
