"""Measure truth: two colleagues' agents learn one after the other, the second in other words, other figures or about
another thing; then a colleague asks. Writes to the database it runs in and never cleans up.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from accounts.rules.rights import Member
from knowledge.judging.actions.deposit import deposit
from knowledge.judging.actions.questions import with_question
from knowledge.judging.actions.record import Deposited
from knowledge.judging.actions.relate import relate
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import curate
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Kind
from sessions_app.lab.metrics.truth import TRUE, BadCase, CaseResult, Question, TruthCase, case, leads

# The older note is from so long ago; the lead promoted it then, in the runs in which it is promoted.
AGO = timedelta(days=60)
QUERY_LENGTH = 3_900

Progress = Callable[[str, int, int], None]


def read_cases(path: Path) -> list[TruthCase]:
    """The cases of a file of JSON Lines. Raises BadCase."""
    try:
        with path.open(encoding="utf-8") as lines:
            return [case(json.loads(line)) for line in lines if line.strip()]
    except (OSError, ValueError) as error:
        raise BadCase(f"{path} holds no cases: {error}") from error


def measure_truth(
    *,
    cases: Sequence[TruthCase],
    lead: Member,
    colleague: Member,
    repo: str,
    promoted: bool,
    answering: bool,
    consulting: bool,
    now: datetime,
    progress: Progress,
) -> list[CaseResult]:
    """What became of each case. Everything older is deposited by the lead first, then all that is newer by the
    colleague, then all is asked, in a `repo` of its own. `promoted`: the lead has promoted the older notes;
    `answering`: the colleague's agent answers what it is asked, truthfully, and relates what is named to it;
    `consulting`: it asked about the subject earlier in the session in which it deposits.
    """
    first: dict[str, str] = {}
    for one in cases:
        first[one.name] = _learn(one.older, one.kind, repo, lead, now - AGO).insight.ref
        if promoted:
            curate.promote(ref=first[one.name], by=lead, now=now - AGO, why="It held.")
    second: dict[str, Deposited] = {}
    asked: set[str] = set()
    for number, one in enumerate(cases, start=1):
        agent = replace(colleague, session=f"truth-{number}")
        if consulting:
            for question in one.questions[-1:]:
                _references_in_order(question, repo, agent, now)
        done = _learn(one.newer, one.newer_kind, repo, agent, now)
        if first[one.name] in [near["ref"] for near in done.asking]:
            asked.add(one.name)
        second[one.name] = _answered(one, done, first[one.name], agent, now) if answering else done
        progress("learning", number, len(cases))
    told = []
    for number, one in enumerate(cases, start=1):
        older, done = first[one.name], second[one.name]
        newer = done.insight.ref
        right = tuple(
            leads(question, _references_in_order(question, repo, lead, now), older, newer) for question in one.questions
        )
        told.append(CaseResult(one, newer == older, older in done.superseded, one.name in asked, right))
        progress("asking", number, len(cases))
    return told


def _learn(text: str, kind: Kind, repo: str, by: Member, at: datetime) -> Deposited:
    return deposit(draft=Draft(kind=kind, body=text, repo=repo, reasoning="", source_date=at), by=by, now=at)


def _answered(one: TruthCase, done: Deposited, older: str, by: Member, now: datetime) -> Deposited:
    """The agent says the truth of the note the case is about, and that any other it is asked about is about something
    else. Of notes that are only named to it it says which one it repeats or replaces, and nothing of the others.
    """
    truth = TRUE[one.label]
    statements = [Statement(near["ref"], truth if near["ref"] == older else Relation.UNRELATED) for near in done.asking]
    if not done.asking and truth in (Relation.DUPLICATES, Relation.SUPERSEDES):
        named = with_question(done, by=by, now=now).near
        statements = [Statement(older, truth) for near in named if near.ref == older]
    if not statements:
        return done
    return relate(ref=done.insight.ref, statements=statements, by=by, now=now)


def _references_in_order(question: Question, repo: str, by: Member, now: datetime) -> list[str]:
    """The references an answer holds, in the order it tells them: those served, then those named beside them."""
    answer = retrieve(ask=Ask(question.text[:QUERY_LENGTH], repo=repo), by=by, now=now)
    return [hit.insight.ref for hit in answer.hits] + [
        near.insight.ref for hit in answer.hits for near in hit.related if not near.served
    ]
