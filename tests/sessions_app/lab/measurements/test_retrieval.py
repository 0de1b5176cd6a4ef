"""Evaluation, on sets made up here: that it measures the product, and that a worse product measures worse."""

import json
from dataclasses import replace

import pytest

from knowledge.adapters.embedder import EmbedderDown
from knowledge.models import Insight, Lexicon
from knowledge.retrieval.actions import retrieve
from sessions_app.lab.measurements import retrieval as module
from sessions_app.lab.measurements.retrieval import NoSuchSet, known_probes, load, read_set, retrieval, unrelated_probes
from sessions_app.lab.metrics.baselines import WAYS
from sessions_app.lab.metrics.qrels import JudgedDocument, JudgedSet, Question
from sessions_app.lab.metrics.ranked_lists import held_out

pytestmark = pytest.mark.django_db

TEXTS = {
    "bread": "Let the dough rise overnight in the fridge; the crust gets darker and the crumb more open.",
    "bike": "A squeaking chain wants oil on the rollers, wiped off from the outside after a minute.",
    "tent": "Pitch the tent with its narrow end into the wind, and tie the guy ropes low.",
    "piano": "Practise slowly with a metronome, hands apart first, and raise the tempo by four beats a day.",
    "tomato": "Pinch out the side shoots of cordon tomatoes once a week, and water the roots, never the leaves.",
    "knife": "Sharpen a kitchen knife at fifteen degrees on a wet stone, then strop it on leather.",
}
ASKED = {
    "bread": "how do I bake a loaf with a better crust",
    "bike": "noise from the chain when I cycle",
    "tent": "camping in a storm",
    "piano": "learn a difficult piece on the keyboard",
    "tomato": "gardening: pruning side shoots",
    "knife": "blunt blade in the kitchen",
}


def quiet(what, done, total):
    pass


def small_set(**over):
    documents = [JudgedDocument(id, text) for id, text in TEXTS.items()]
    questions = [Question(f"q-{id}", text, {id: 1.0}) for id, text in ASKED.items()]
    return JudgedSet(**{"name": "small", "collections": {"": documents}, "questions": questions, **over})


def measured(alice, now, **over):
    return retrieval(judged=small_set(**over), by=alice, now=now, progress=quiet)


class TestReadSet:
    def test_reads_both_files(self, tmp_path):
        (tmp_path / "retrieval").mkdir()
        (tmp_path / "retrieval/cosqa.docs.jsonl").write_text(json.dumps({"id": "1", "text": "def a(): ..."}) + "\n")
        row = {"id": "q", "text": "a", "rels": {"1": 1}}
        (tmp_path / "retrieval/cosqa.queries.jsonl").write_text(json.dumps(row) + "\n")
        found = read_set(data=tmp_path, name="cosqa")
        assert found == JudgedSet("cosqa", {"": [JudgedDocument("1", "def a(): ...")]}, [Question("q", "a", {"1": 1})])

    def test_says_which_file_is_missing(self, tmp_path):
        with pytest.raises(NoSuchSet, match=r"has no retrieval/cosqa\.docs\.jsonl"):
            read_set(data=tmp_path, name="cosqa")

    def test_says_which_sets_there_are(self, tmp_path):
        with pytest.raises(NoSuchSet, match="'nosuch'; available: cosqa, nl2bash"):
            read_set(data=tmp_path, name="nosuch")

    @pytest.mark.parametrize("line", ["{", '{"text": "a"}'])
    def test_says_when_a_file_is_something_else(self, tmp_path, line):
        (tmp_path / "retrieval").mkdir()
        for name in ("docs", "queries"):
            (tmp_path / f"retrieval/cosqa.{name}.jsonl").write_text(line + "\n")
        with pytest.raises(NoSuchSet, match="not in its format"):
            read_set(data=tmp_path, name="cosqa")


class TestLoad:
    def test_searches_the_text_itself_with_no_title_added(self, alice, now):
        texts = ["# A heading\n\nAnd a line.", "  `code` first. Then more.  ", "x" * 300]
        documents = [JudgedDocument(str(at), text) for at, text in enumerate(texts)]
        loaded = load(name="texts", documents=documents, by=alice, now=now, progress=quiet)
        assert loaded.altered == 0
        rows = Insight.objects.visible_to(loaded.by).order_by("pk")
        assert [row.text for row in rows] == [text.strip() for text in texts]

    def test_counts_what_the_guard_refuses_and_strips(self, alice, now):
        documents = [
            JudgedDocument("key", "The key is AKIAIOSFODNN7" + "ABCDEFG."),
            JudgedDocument("hidden", "In\u200bvisible."),
            JudgedDocument("plain", "Plain."),
        ]
        loaded = load(name="texts", documents=documents, by=alice, now=now, progress=quiet)
        assert (loaded.refused, loaded.altered) == (1, 1)
        assert [document.id for document in loaded.documents] == ["hidden", "plain"]

    def test_sees_nothing_but_its_own_team(self, alice, now):
        first = load(name="one", documents=[JudgedDocument("a", "Apples.")], by=alice, now=now, progress=quiet)
        second = load(name="two", documents=[JudgedDocument("b", "Pears.")], by=alice, now=now, progress=quiet)
        assert first.by.team_ids != second.by.team_ids
        assert list(Insight.objects.visible_to(second.by).values_list("body", flat=True)) == ["Pears."]

    def test_weighs_by_the_true_average_length(self, alice, now):
        loaded = load(name="one", documents=small_set().collections[""], by=alice, now=now, progress=quiet)
        lexicon = Lexicon.objects.get(team_id=loaded.by.team_ids[0])
        assert lexicon.pivot == lexicon.average

    def test_does_not_go_on_without_an_embedder(self, alice, now, embedder_down):
        with pytest.raises(EmbedderDown):
            load(name="one", documents=[JudgedDocument("a", "Apples.")], by=alice, now=now, progress=quiet)


class TestRetrieval:
    def test_gives_every_way_by_half(self, alice, now):
        found = measured(alice, now)
        assert (found["documents"], found["refused"], found["altered"]) == (6, 0, 0)
        halves = found["halves"]
        held = sum(held_out(f"q-{id}") for id in ASKED)
        assert {half: one["questions"] for half, one in halves.items()} == {
            "held_out": held,
            "choosing": 6 - held,
            "all": 6,
        }
        for one in halves.values():
            assert set(one["ways"]) == {*WAYS, "loam", "served"}
            assert set(one["ways"]["loam"]) == {"ndcg_10", "mrr_10", "recall_10", "recall_100"}
        json.dumps(found)

    def test_finds_by_meaning_what_shares_no_word(self, alice, now):
        ways = measured(alice, now)["halves"]["all"]["ways"]
        assert ways["loam"]["recall_10"] == 1.0
        assert ways["bm25"]["recall_10"] < 1.0

    def test_tells_a_broken_ranking(self, alice, now, monkeypatch):
        whole = measured(alice, now)["halves"]["all"]["ways"]

        def backwards(**asked):
            found = retrieve.ranked(**asked)
            return replace(found, refs=found.refs[::-1])

        monkeypatch.setattr(module, "ranked", backwards)
        broken = measured(alice, now)["halves"]["all"]["ways"]
        assert broken["loam"]["ndcg_10"] < whole["loam"]["ndcg_10"] - 0.2
        assert broken["cosine"] == whole["cosine"]

    def test_serves_nothing_to_a_question_it_does_not_answer(self, alice, now):
        questions = [Question("q", "cheapest flight to Lisbon in May", {"bread": 1.0})]
        ways = measured(alice, now, questions=questions)["halves"]["all"]["ways"]
        assert ways["loam"]["recall_10"] == 1.0
        assert ways["served"]["recall_10"] == 0.0

    def test_does_not_let_a_document_answer_its_own_question(self, alice, now):
        twin = "A chain that squeaks needs oil on its rollers; wipe the outside after a minute or two."
        documents = [JudgedDocument(id, text) for id, text in TEXTS.items()] + [JudgedDocument("bike 2", twin)]
        questions = [Question("bike 2", twin, {"bike": 1.0}, own="bike 2")]
        judged = {"collections": {"": documents}, "questions": questions}
        ways = measured(alice, now, **judged)["halves"]["all"]["ways"]
        assert {way: one["mrr_10"] for way, one in ways.items()} == dict.fromkeys(ways, 1.0)
        assert Insight.objects.filter(status="archived").count() == 0

    def test_searches_within_the_conversation_only(self, alice, now):
        # The same turn in both: found in the wrong one, it would be no answer, for ids repeat.
        turn = "Ann: I have started to bake bread with a sour dough."
        collections = {
            "c1": [JudgedDocument("t1", turn, "c1"), JudgedDocument("t2", "Bo: My tent blew away in the storm.", "c1")],
            "c2": [JudgedDocument("t1", "Ann: We bought a piano.", "c2"), JudgedDocument("t2", turn, "c2")],
        }
        questions = [
            Question("q1", "what does Ann bake", {"t1": 1.0}, "c1"),
            Question("q2", "what does Ann bake", {"t2": 1.0}, "c2"),
        ]
        found = measured(alice, now, collections=collections, questions=questions)
        assert found["documents"] == 4
        ways = found["halves"]["all"]["ways"]
        assert {way: one["mrr_10"] for way, one in ways.items()} == dict.fromkeys(ways, 1.0)

    def test_tells_how_far_it_is(self, alice, now):
        told = []
        retrieval(judged=small_set(), by=alice, now=now, progress=lambda *step: told.append(step))
        assert told[0] == ("small: documents", 6, 6)
        assert told[1:] == [("small: questions", done, 6) for done in range(1, 7)]


class TestProbes:
    @pytest.fixture
    def loaded(self, alice, now):
        return load(name="small", documents=small_set().collections[""], by=alice, now=now, progress=quiet)

    def test_know_whether_the_answer_was_served(self, loaded, now):
        questions = [*small_set().questions, Question("q-odd", ASKED["bread"], {"tent": 1.0})]
        probes = known_probes(questions=questions, loaded=loaded, now=now, progress=quiet)
        *known, odd = probes
        assert all(probe.found for probe in known)
        assert odd.answered
        assert not odd.found
        assert {probe.searched for probe in probes} == {6}

    def test_measure_what_the_floor_is_set_against(self, loaded, now):
        questions = [Question("q1", ASKED["tomato"], {}), Question("q2", "cheapest flight to Lisbon in May", {})]
        near, away = unrelated_probes(questions=questions, by=loaded.by, now=now, progress=quiet)
        assert (near.answered, away.answered) == (True, False)
        assert near.evidence > near.cosine > away.cosine
