"""`manage.py evaluate`: which suites there are, what it prints and writes, how it fails."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.models import User
from knowledge.models import Insight
from sessions_app.lab.suites.run import SUITES, NoSuchSuite, SuiteRequest, evaluate

NOTES = {
    "git/amend": ("Change the last commit", "`git commit --amend` opens the message again, with what is staged added."),
    "sql/explain": (
        "See the plan of a query",
        "Put `explain analyze` before the select, and read from the inside out.",
    ),
    "css/gap": ("Space between flex items", "`gap` works in flex containers too, no margins on children needed."),
    "vim/macro": ("Repeat a recorded macro", "Record with `qa`, play with `@a`, and again and again with `10@@`."),
}
OWN = Path(__file__).parents[2] / "transcripts"
AWAY = ["Compilers for the ALGOL family on drum machines", "Analogue simulation of chemical plants"]


def lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Two made-up sets in the places and formats of the real ones."""
    folder = tmp_path_factory.mktemp("data")
    notes = [{"id": id, "title": title, "body": body, "path": id} for id, (title, body) in NOTES.items()]
    lines(folder / "corpus/til_jbranchaud.jsonl", notes)
    titles = [{"id": id, "text": title, "rels": {id: 1}} for id, (title, _) in NOTES.items()]
    lines(folder / "retrieval/til_titles.queries.jsonl", titles)
    abstracts = [{"id": str(at), "title": text, "text": ""} for at, text in enumerate(AWAY)]
    lines(folder / "retrieval/cacm.docs.jsonl", abstracts)
    questions = [{"id": str(at), "text": text, "rels": {str(at): 1}} for at, text in enumerate(AWAY)]
    lines(folder / "retrieval/cacm.queries.jsonl", questions)
    return folder


@pytest.fixture(scope="module")
def usual(migrated, django_db_blocker):
    """The test database, with no transaction around: the command moves the connection to another and back."""
    with django_db_blocker.unblock():
        yield connection.settings_dict["NAME"]
        connection.close()


def run(*words):
    out = StringIO()
    call_command("evaluate", *map(str, words), stdout=out, stderr=out)
    return out.getvalue()


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder of vectors that the runs share."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def ran(data, kept, usual):
    """One run of the retrieval suite: what it printed and wrote, and what the usual database held before and after."""
    file = kept / "out" / "figures.json"
    before = Insight.objects.count(), User.objects.count()
    said = run("retrieval", "--data", data, "--sets", "til_titles, cacm", "--json", file, "--cache", kept)
    return said, json.loads(file.read_text()), before, (Insight.objects.count(), User.objects.count())


class TestRetrieval:
    def test_prints_tables(self, ran):
        said = ran[0]
        assert "**nDCG@10, all questions**" in said
        assert "TIL titles (4)" in said

    def test_writes_every_figure_and_what_it_was_made_on(self, ran):
        figures = ran[1]
        assert figures["suite"] == "retrieval"
        assert {"date", "seconds", "machine", "versions", "recipe", "sets"} == set(figures) - {"suite"}
        assert figures["versions"]["vector"]
        assert figures["machine"]["cores"] >= 1
        assert figures["recipe"]["model"].startswith("all-MiniLM-L6-v2@")
        assert list(figures["sets"]) == ["til_titles", "cacm"]
        assert figures["sets"]["til_titles"]["halves"]["all"]["ways"]["loam"]["mrr_10"] > 0.5

    def test_leaves_the_database_as_it_was(self, ran, usual):
        *_, before, after = ran
        assert before == after
        assert connection.settings_dict["NAME"] == usual

    def test_needs_no_model_when_it_has_the_vectors(self, ran, data, kept, settings):
        settings.LOAM_EMBEDDER = "tests.fakes.DownEmbedder"
        said = run("retrieval", "--data", data, "--sets", "cacm", "--cache", kept)
        assert "CACM (2)" in said

    def test_fails_with_one_line_when_a_set_is_missing(self, data, tmp_path, usual):
        with pytest.raises(CommandError, match="has no retrieval/nl2bash") as failure:
            run("retrieval", "--data", data, "--sets", "cacm,nl2bash", "--cache", tmp_path / "cache")
        assert "\n" not in str(failure.value)

    def test_fails_with_one_line_without_an_embedder(self, data, tmp_path, usual, embedder_down):
        with pytest.raises(CommandError, match=embedder_down) as failure:
            run("retrieval", "--data", data, "--sets", "cacm", "--cache", tmp_path / "cache")
        assert "\n" not in str(failure.value)


class TestAbstention:
    def test_prints_both_curves_and_marks_the_products_own_point(self, data, kept, usual):
        file = kept / "abstention.json"
        said = run("abstention", "--data", data, "--json", file, "--cache", kept)
        assert "**Moving the floor (of 100 insights)**" in said
        assert "**A floor on the cosine alone**" in said
        figures = json.loads(file.read_text())
        assert f"| **{figures['floor']:.3f}**".replace("0.", ".") in said
        assert figures["collections"]["til_titles"] == len(NOTES)
        assert figures["collections"]["demo"] >= 80
        assert figures["questions"] == {"known": len(NOTES), "unrelated": len(AWAY)}
        assert figures["loam"]["all"]["found"] == 1.0
        assert figures["loam"]["all"]["nothing"]["demo"] == 1.0

    def test_fails_with_one_line_when_a_set_is_missing(self, tmp_path, usual):
        with pytest.raises(CommandError, match=r"has no retrieval/cacm\.docs\.jsonl"):
            run("abstention", "--data", tmp_path, "--cache", tmp_path)


class TestDecisions:
    def test_measures_the_products_own_transcripts(self, tmp_path, usual):
        said = run("decisions", "--data", OWN, "--json", tmp_path / "figures.json", "--cache", tmp_path)
        assert "**held out: " in said
        assert "The author of the rules wrote the set" in said
        figures = json.loads((tmp_path / "figures.json").read_text())
        assert set(figures["parts"]) == {"tuned on", "held out", "held out, second"}
        for part in figures["parts"].values():
            assert part["decision"]["precision"] >= 0.85
            assert part["file"]["invented"] == 0

    def test_fails_with_one_line_when_a_file_is_missing(self, tmp_path, usual):
        with pytest.raises(CommandError, match=r"has no tuning\.txt"):
            run("decisions", "--data", tmp_path, "--cache", tmp_path)


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labelled")
    words = {"git": "commit branch rebase merge", "css": "grid flex layout margin"}
    titles = [
        {"title": f"How do I {verb} a {word} in {label}?", "label": label}
        for label, some in words.items()
        for word in some.split()
        for verb in ("undo", "make", "find")
    ]
    lines(folder / "corpus/so_titles20.jsonl", titles)
    return folder


class TestTopics:
    def test_prints_the_agreement_and_the_labels(self, labelled, kept, usual):
        file = kept / "topics.json"
        said = run("topics", "--data", labelled, "--sets", "titles", "--json", file, "--cache", kept)
        assert "**Topics against what people called them**" in said
        assert "**The largest topics of titles**" in said
        figures = json.loads(file.read_text())["sets"]["titles"]
        assert (figures["texts"], figures["refused"]) == (24, 0)
        assert figures["ways"]["Loam"]["purity"] > 0.9

    def test_fails_with_one_line_when_a_set_is_missing(self, labelled, tmp_path, usual):
        for sets, why in (("notes", r"has no corpus/til"), ("songs", "Unknown set 'songs'")):
            with pytest.raises(CommandError, match=why):
                run("topics", "--data", labelled, "--sets", sets, "--cache", tmp_path)


class TestSuites:
    def test_are_the_choices_of_the_command(self, data):
        with pytest.raises(CommandError, match="invalid choice: 'nosuch'"):
            run("nosuch", "--data", data)

    def test_say_what_they_measure(self):
        assert all(suite.__doc__ for suite in SUITES.values())

    def test_refuse_a_name_that_is_none(self, data, tmp_path, now):
        wanted = SuiteRequest(data=data, now=now, progress=lambda *step: None)
        with pytest.raises(NoSuchSuite, match="available: retrieval, written, abstention"):
            evaluate(suite="nosuch", wanted=wanted, cache=tmp_path)
