"""The formats of judged sets."""

from sessions_app.lab.metrics.qrels import LAYOUTS, OF_RECORD, TITLES, JudgedDocument, Question, make_judged_set
from tests.cases import cases

ROWS = [
    ("cosqa", {"id": "d", "text": "def a(): ..."}, "def a(): ..."),
    ("cacm", {"id": "d", "title": "Sorting", "text": "By merging.", "keywords": ""}, "Sorting\nBy merging."),
    ("cacm", {"id": "d", "title": "Sorting", "text": "", "keywords": ""}, "Sorting"),
    ("gitbugs", {"id": "d", "title": "It hangs", "text": "On start.", "project": "x"}, "It hangs\nOn start."),
    ("til_titles", {"id": "d", "title": "Clear a tag", "body": "Use rm.", "path": "git/d.md"}, "Use rm."),
    ("locomo", {"conv": "c1", "id": "d", "speaker": "Ann", "text": "Hi!"}, "Ann: Hi!"),
]


def set_of(name, documents, questions):
    return make_judged_set(name, LAYOUTS[name], documents, questions)


class TestJudged:
    @cases(("name", "row", "text"), ROWS)
    def test_takes_the_text_that_is_judged(self, name, row, text):
        (documents,) = set_of(name, [row], []).collections.values()
        assert [(document.id, document.text) for document in documents] == [("d", text)]

    def test_knows_a_layout_and_a_title_for_every_set_of_record(self):
        assert set(OF_RECORD) < set(LAYOUTS) == set(TITLES)

    def test_keeps_the_grades(self):
        documents = [{"id": "a", "text": "a"}, {"id": "b", "text": "b"}]
        found = set_of("nl2bash", documents, [{"id": "q", "text": "?", "rels": {"a": 2, "b": 1}}])
        assert found.questions == [Question("q", "?", {"a": 2, "b": 1})]

    def test_drops_grades_of_documents_that_are_not_there_and_questions_without_any(self):
        questions = [
            {"id": "q1", "text": "?", "rels": {"a": 1, "gone": 1}},
            {"id": "q2", "text": "?", "rels": {"gone": 1}},
            {"id": "q3", "text": "?", "rels": {"a": 0}},
            {"id": "q4", "text": "?", "rels": {}},
        ]
        found = set_of("cosqa", [{"id": "a", "text": "a"}], questions)
        assert [(question.id, question.grades) for question in found.questions] == [("q1", {"a": 1})]

    def test_does_not_count_a_bug_report_as_its_own_duplicate(self):
        documents = [{"id": id, "title": id, "text": ""} for id in ("one", "two")]
        questions = [{"id": "one", "text": "one", "rels": {"one": 1, "two": 1}}]
        (question,) = set_of("gitbugs", documents, questions).questions
        assert (question.own, question.grades) == ("one", {"two": 1})

    def test_keeps_conversations_apart(self):
        documents = [{"conv": conv, "id": "t1", "speaker": "Ann", "text": conv} for conv in ("c1", "c2")]
        questions = [
            {"conv": "c2", "id": "q1", "text": "?", "evidence": ["t1"]},
            {"conv": "c2", "id": "q2", "text": "?", "evidence": []},
        ]
        found = set_of("locomo", documents, questions)
        assert found.collections["c2"] == [JudgedDocument("t1", "Ann: c2", "c2")]
        assert [(question.collection, question.grades) for question in found.questions] == [("c2", {"t1": 1.0})]
