"""The suite of conversations: is what was said served to who asks for it?

Dialogues with questions (LoCoMo, BEAM): the share of the evidence that is told within 800 tokens, against the turns
that BM25 ranks first, and the plain sum of BM25 and cosine, each as many as fit into the same room. Cases of decisions
(files as sde-bench has them): the share of a decision's facts in the answer within 400 and 800 tokens. The same cases
asked about something else: how often conversations are brought that have nothing to do with it.
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from accounts.rules.rights import Member
from knowledge.adapters.embedder import current
from knowledge.retrieval.rules.ask import Ask
from sessions_app.actions.begin import Opening, begin_past
from sessions_app.answers.actions.build_answer import BuiltAnswer, build_answer
from sessions_app.answers.rules.packing import CHARACTERS_A_TOKEN
from sessions_app.conversations.actions.upkeep import embed_passages
from sessions_app.conversations.actions.write import keep_conversation
from sessions_app.conversations.rules.context import recipe
from sessions_app.lab.measurements.retrieval import NoSuchSet
from sessions_app.lab.measurements.unrelated import unrelated_figures, unrelated_table
from sessions_app.lab.metrics import conversations
from sessions_app.lab.metrics.conversations import DecisionCase, Dialogue
from sessions_app.lab.metrics.tables import Table
from sessions_app.lab.suites.suite import SuiteOutcome, SuiteRequest, evaluator
from sessions_app.lab.throwaway import throwaway_database
from sessions_app.models import Passage
from sessions_app.transcripts.rules.turn import Turn

DIALOGUES = ("locomo", "beam")
CASES = "cases"
UNRELATED = "unrelated"
BUDGET = 800
BUDGETS = (400, 800)
# As it searches, nothing left out, like the ways it is compared with; and as it answers, where it may say nothing.
WAYS = {"Loam, nothing left out": False, "Loam, as it answers": True}


def evaluate_conversations(wanted: SuiteRequest) -> SuiteOutcome:
    """What was said, served to who asks for it. --sets: locomo, beam, cases=FILE[+DECOYS], unrelated=FILE[+DECOYS]."""
    figures: dict[str, Any] = {}
    tables: list[Table] = []
    shares: dict[str, dict[str, dict[str, float]]] = {}
    for name in wanted.sets or DIALOGUES:
        if name.startswith(f"{CASES}="):
            figures[CASES] = _decisions(*name.removeprefix(f"{CASES}=").split("+"), wanted=wanted)
            tables.append(conversations.case_table(figures[CASES]))
        elif name.startswith(f"{UNRELATED}="):
            figures[UNRELATED] = _unrelated(*name.removeprefix(f"{UNRELATED}=").split("+"), wanted=wanted)
            tables.append(unrelated_table(figures[UNRELATED]))
        elif name in DIALOGUES:
            shares[name] = figures[name] = _dialogues(name, wanted)
        else:
            raise NoSuchSet(
                f"Unknown set '{name}'; available: {', '.join(DIALOGUES)}, {CASES}=FILE, {UNRELATED}=FILE+FILE."
            )
    return SuiteOutcome(figures, [*([conversations.table(shares)] if shares else []), *tables])


# --- dialogues with questions ---------------------------------------------------------------------------------
def _dialogues(name: str, wanted: SuiteRequest) -> dict[str, dict[str, float]]:
    dialogues = _read(name, wanted.data / "memory")
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for number, dialogue in enumerate(dialogues):
        with throwaway_database():
            by = evaluator()
            of_session = _load(dialogue, by, wanted)
            vectors = current().embed([one.text for one in dialogue.utterances])
            for question in dialogue.questions:
                for way, trim in WAYS.items():
                    asked = Ask(question.text, repo=dialogue.name, trim=trim)
                    told = build_answer(ask=asked, max_tokens=BUDGET, by=by, now=wanted.now, include=("conversations",))
                    found[way].append(conversations.recalled(question, dialogue, _served(told, of_session, dialogue)))
                cosine = vectors @ current().embed([question.text])[0]
                for way, ranked in conversations.baselines(dialogue, question, cosine).items():
                    packed = conversations.packed(dialogue, ranked, BUDGET * CHARACTERS_A_TOKEN)
                    found[way].append(conversations.recalled(question, dialogue, packed))
        wanted.progress(name, number + 1, len(dialogues))
    return {
        way: {"turns": float(np.mean([a for a, _ in some])), "text": float(np.mean([b for _, b in some]))}
        for way, some in found.items()
    }


def _served(told: BuiltAnswer, of_session: dict[str, list[int]], dialogue: Dialogue) -> dict[int, str]:
    """The text that was told of each utterance, by its place in the dialogue."""
    served: dict[int, str] = defaultdict(str)
    for one in told.conversations:
        turns = of_session[one.found.ref]
        rows = {line.position: line for line in told.answer.lines[one.found.ref]}
        spans = dict(Passage.objects.in_bulk([line.pk for line in rows.values()]))
        for sentence in one.sentences:
            row = spans[rows[sentence.position].pk]
            span = turns[row.first_turn : row.last_turn + 1]
            for place in span if len(span) == 1 else _said_in(sentence.text, span, dialogue):
                served[place] += f" {sentence.text}"
    return served


def _said_in(sentence: str, places: Sequence[int], dialogue: Dialogue) -> list[int]:
    return [place for place in places if conversations.is_of(sentence, dialogue.utterances[place].text)]


def _load(dialogue: Dialogue, by: Member, wanted: SuiteRequest) -> dict[str, list[int]]:
    """Keep each session of a dialogue; the places of its utterances, by the session's reference."""
    places: dict[Any, list[int]] = defaultdict(list)
    for place, one in enumerate(dialogue.utterances):
        places[one.session].append(place)
    found = {}
    for number, some in enumerate(places.values()):
        turns = [Turn(dialogue.utterances[place].role, dialogue.utterances[place].text) for place in some]
        found[_keep(dialogue.name, turns, len(places) - number, by, wanted)] = some
    _embed_all()
    return found


def _keep(repo: str, turns: Sequence[Turn], days_ago: int, by: Member, wanted: SuiteRequest) -> str:
    """Keep one conversation as a session of that many days ago; its reference."""
    assert by.personal is not None
    at = wanted.now - timedelta(days=days_ago)
    session = begin_past(Opening(repo=repo), [at, at], by.personal, repo, by, wanted.now)
    keep_conversation(session=session, turns=turns, now=wanted.now)
    return session.ref


def _embed_all() -> None:
    while Passage.objects.all().waiting_for_vector(recipe(current().name)).exists():
        embed_passages()


def _read(name: str, folder: Path) -> list[Dialogue]:
    layout = conversations.LAYOUTS[name]
    rows = list(_lines(folder / layout.documents))
    asked = list(_lines(folder / layout.questions))
    return conversations.dialogues(name, rows, asked)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        raise NoSuchSet(f"There is no {path}.")
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())


# --- cases of decisions ---------------------------------------------------------------------------------------
def _decisions(file: str, decoys: str = "", *, wanted: SuiteRequest) -> dict[str, Any]:
    """The shares of facts told, and how often the latest conversation of an amended decision comes first."""
    cases = [conversations.case(row) for row in _lines(wanted.data / file)]
    others = [row["chat"] for row in _lines(wanted.data / decoys)] if decoys else []
    with throwaway_database():
        by = evaluator()
        refs = _load_cases(cases, others, by, wanted)
        figures: dict[str, Any] = {"cases": len(cases), "amended": sum(len(one.chats) > 1 for one in cases)}
        for budget in BUDGETS:
            told = []
            for case in cases:
                asked = Ask(case.question, repo=CASES)
                done = build_answer(ask=asked, max_tokens=budget, by=by, now=wanted.now, include=("conversations",))
                told.append(([refs[one.found.ref] for one in done.conversations], done.text))
            figures[str(budget)] = conversations.case_figures(cases, told)
            wanted.progress(CASES, BUDGETS.index(budget) + 1, len(BUDGETS))
    return figures


def _unrelated(file: str, decoys: str = "", *, wanted: SuiteRequest) -> dict[str, Any]:
    cases = [conversations.case(row) for row in _lines(wanted.data / file)]
    others = [conversations.turns(row["chat"]) for row in _lines(wanted.data / decoys)] if decoys else []
    with throwaway_database():
        return unrelated_figures(cases=cases, others=others, data=wanted.data, now=wanted.now, progress=wanted.progress)


def _load_cases(
    cases: Sequence[DecisionCase], others: Sequence[Any], by: Member, wanted: SuiteRequest
) -> dict[str, tuple[str, int]]:
    """Keep every conversation, those that amend last; which chat of which case each session is."""
    ordered = [(case.id, 0, case.chats[0]) for case in cases]
    ordered += [("", 0, conversations.turns(chat)) for chat in others]
    ordered += [(case.id, n, chat) for case in cases for n, chat in enumerate(case.chats[1:], 1)]
    refs = {}
    for number, (id, n, chat) in enumerate(ordered):
        refs[_keep(CASES, chat, len(ordered) - number, by, wanted)] = (id, n)
    _embed_all()
    return refs
