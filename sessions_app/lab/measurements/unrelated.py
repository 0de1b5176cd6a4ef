"""How often conversations are brought to who asks about something else, by how many conversations there are.

A new team has few of them, and every prompt is asked. So collections of several sizes are made of cases of decisions
and other conversations, each a person's own; each is asked its own question, and texts about something else: what
people ask a search for in a few words, and reports of other projects, which are long.
"""

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from accounts.actions.members import enrol, member_of
from accounts.models import User
from accounts.rules.rights import Member
from knowledge.adapters.embedder import current
from knowledge.retrieval.rules.ask import Ask
from sessions_app.actions.begin import Opening, begin_past
from sessions_app.conversations.actions.find import find
from sessions_app.conversations.actions.upkeep import embed_passages
from sessions_app.conversations.actions.write import keep_conversation
from sessions_app.conversations.rules.answering import ASKED, UNASKED
from sessions_app.conversations.rules.context import recipe
from sessions_app.lab.measurements.retrieval import Progress
from sessions_app.lab.metrics.conversations import DecisionCase
from sessions_app.lab.metrics.tables import Table
from sessions_app.models import Passage
from sessions_app.transcripts.rules.turn import Turn

# (conversations, collections of that many)
SIZES = ((1, 8), (2, 8), (4, 8), (8, 8), (20, 4), (40, 2), (150, 1))
# By name: the file below the folder of data, the fields of its text, and at how many words it is cut.
SOURCES = {
    "SWE-bench": ("grep/swebench_lite.jsonl", ("text",), 60),
    "GitBugs": ("retrieval/gitbugs.docs.jsonl", ("title", "text"), 50),
    "CoNaLa": ("retrieval/conala.queries.jsonl", ("text",), 50),
    "NL2Bash": ("retrieval/nl2bash.queries.jsonl", ("text",), 50),
}
OWN = "own question"
# Of each source to a size, shared out among its collections.
QUESTIONS = 48
SEED = 5
REPO = "unrelated"


def unrelated_figures(
    *, cases: Sequence[DecisionCase], others: Sequence[Sequence[Turn]], data: Path, now: datetime, progress: Progress
) -> dict[str, Any]:
    """Return by size and source how many `texts` were asked, and how many of them were answered: `asked` as a
    question, `unasked` as a prompt. The database is to be an empty one.
    """
    drawn = random.Random(SEED)
    texts = {name: _texts(data / file, fields, words) for name, (file, fields, words) in SOURCES.items()}
    figures: dict[str, Any] = {}
    for number, (size, collections) in enumerate(SIZES):
        counts: dict[str, dict[str, int]] = defaultdict(lambda: {"texts": 0, "asked": 0, "unasked": 0})
        for collection in range(collections):
            case = drawn.choice(cases)
            beside = max(size - len(case.chats), 0)
            chats = [*case.chats, *drawn.sample(others, min(beside, len(others)))][-size:]
            by = _keep(f"unrelated-{size}-{collection}", chats, now)
            some = {name: drawn.sample(of, min(QUESTIONS // collections, len(of))) for name, of in texts.items()}
            for name, asked in {OWN: [case.question], **some}.items():
                for text in asked:
                    _count(counts[name], text, by)
        figures[str(size)] = dict(counts)
        progress(REPO, number + 1, len(SIZES))
    return figures


def unrelated_table(figures: Mapping[str, Mapping[str, Mapping[str, int]]]) -> Table:
    """A row a size: per cent of the texts that brought conversations, as a question and as a prompt."""
    names = [OWN, *SOURCES]
    rows = [[size, *(_cell(counts[name]) for name in names)] for size, counts in figures.items()]
    note = "Per cent of the texts that brought conversations: as a question / as a prompt."
    return Table("Texts about something else, by the number of conversations", ["conversations", *names], rows, note)


def _cell(count: Mapping[str, int]) -> str:
    return " / ".join(f"{100 * count[way] / max(count['texts'], 1):.0f}" for way in ("asked", "unasked"))


def _count(count: dict[str, int], text: str, by: Member) -> None:
    vector = current().embed([text])[0]
    count["texts"] += 1
    for way, floor in (("asked", ASKED), ("unasked", UNASKED)):
        count[way] += bool(find(ask=Ask(text), vector=vector, by=by, floor=floor).found)


def _keep(name: str, chats: Sequence[Sequence[Turn]], now: datetime) -> Member:
    """Keep conversations a day apart, of a person of their own."""
    user = User.objects.create_user(username=name)
    enrol(user=user)
    by = member_of(user=user)
    assert by.personal is not None
    for number, chat in enumerate(chats):
        at = now - timedelta(days=len(chats) - number)
        session = begin_past(Opening(repo=REPO), [at, at], by.personal, REPO, by, now)
        keep_conversation(session=session, turns=chat, now=now)
    while Passage.objects.all().waiting_for_vector(recipe(current().name)).exists():
        embed_passages()
    return by


def _texts(file: Path, fields: Sequence[str], words: int) -> list[str]:
    return [" ".join(" ".join(row[field] for field in fields).split()[:words]) for row in _rows(file)]


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())
