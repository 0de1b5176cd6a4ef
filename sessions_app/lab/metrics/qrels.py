"""Judged sets: documents, questions, and which document answers which question.

Each set lies in two files of JSON Lines. Here is what a row of either means, as plain functions of rows; nothing is
read. A set is one or more collections: a question is asked of one of them, and of nothing else.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True)
class JudgedDocument:
    id: str
    text: str
    collection: str = ""


@dataclass(frozen=True)
class Question:
    """`grades`: document id → grade (> 0) in its collection. `own`: the document it was taken from, no answer to it."""

    id: str
    text: str
    grades: Mapping[str, float]
    collection: str = ""
    own: str = ""


@dataclass(frozen=True)
class Layout:
    """Where a set lies (paths in the data folder), and how its rows are read."""

    documents: str
    questions: str
    document: Callable[[Row], JudgedDocument]
    question: Callable[[Row], Question]


@dataclass(frozen=True)
class JudgedSet:
    """A set. Every question has an answer in its collection."""

    name: str
    collections: Mapping[str, list[JudgedDocument]] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)


def make_judged_set(name: str, layout: Layout, documents: Iterable[Row], questions: Iterable[Row]) -> JudgedSet:
    """The set of these rows. Grades of documents that it does not hold are dropped, then questions without any."""
    collections: dict[str, list[JudgedDocument]] = defaultdict(list)
    for document in map(layout.document, documents):
        collections[document.collection].append(document)
    held = {collection: {document.id for document in some} for collection, some in collections.items()}
    asked = []
    for question in map(layout.question, questions):
        there = held.get(question.collection, set())
        grades = {id: grade for id, grade in question.grades.items() if grade > 0 and id in there}
        grades.pop(question.own, None)
        if grades:
            asked.append(Question(question.id, question.text, grades, question.collection, question.own))
    return JudgedSet(name, dict(collections), asked)


def _text(row: Row) -> JudgedDocument:
    return JudgedDocument(row["id"], row["text"])


def _titled(row: Row) -> JudgedDocument:
    return JudgedDocument(row["id"], f"{row['title']}\n{row['text']}".strip())


def _note(row: Row) -> JudgedDocument:
    """The body only: the titles are the questions."""
    return JudgedDocument(row["id"], row["body"])


def _turn(row: Row) -> JudgedDocument:
    """Who speaks is part of what is said: questions name the speakers."""
    return JudgedDocument(row["id"], f"{row['speaker']}: {row['text']}", row["conv"])


def _graded(row: Row) -> Question:
    return Question(row["id"], row["text"], row["rels"])


def _report(row: Row) -> Question:
    """A bug report that asks for its duplicates is in the collection itself."""
    return Question(row["id"], row["text"], row["rels"], own=row["id"])


def _evidence(row: Row) -> Question:
    """Asked within one conversation; the turns that hold the answer are all as good."""
    return Question(row["id"], row["text"], dict.fromkeys(row["evidence"], 1.0), row["conv"])


def _pair(
    name: str, document: Callable[[Row], JudgedDocument], question: Callable[[Row], Question] = _graded
) -> Layout:
    return Layout(f"retrieval/{name}.docs.jsonl", f"retrieval/{name}.queries.jsonl", document, question)


LAYOUTS = {
    "cosqa": _pair("cosqa", _text),
    "nl2bash": _pair("nl2bash", _text),
    "gitbugs": _pair("gitbugs", _titled, _report),
    "cacm": _pair("cacm", _titled),
    "locomo": Layout("memory/locomo.docs.jsonl", "memory/locomo.questions.jsonl", _turn, _evidence),
    "til_titles": Layout("corpus/til_jbranchaud.jsonl", "retrieval/til_titles.queries.jsonl", _note, _graded),
    "conala": _pair("conala", _text),
}
# The sets of the table of record. CoNaLa (snippets of a line or two) is no kind of text that insights are, and stands
# beside it when it is asked for.
OF_RECORD = ("cosqa", "nl2bash", "gitbugs", "cacm", "locomo", "til_titles")
TITLES = {
    "cosqa": "CoSQA",
    "nl2bash": "NL2Bash",
    "gitbugs": "GitBugs",
    "cacm": "CACM",
    "locomo": "LoCoMo",
    "til_titles": "TIL titles",
    "conala": "CoNaLa",
}
