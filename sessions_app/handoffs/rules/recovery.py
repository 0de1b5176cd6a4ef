"""What a session leaves behind, put together from what was recorded while it was alive.

The same composition serves an end, a checkpoint and a recovery; they differ in what there is to compose. Four things
are kept apart: what the agent *said* of its work itself (a checkpoint or an end), the *facts* that were recorded
(events, deposits, questions, what the transcript shows), the *interpretation*, which is concluded from them by rule and
may be wrong, and how *complete* the picture is likely to be.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sessions_app.handoffs.rules.last_state import RecordedEvent, changes, edits, last_failure, last_runs, since_commit
from sessions_app.rules.vocabulary import EventKind

# SAME lists as many files and topics in its handoffs.
MOST_FILES = 20
MOST_TOPICS = 8
# What of each other sort is told; the rest is counted.
MOST_OF_A_SORT = 8
DECISION = "DECISION"


@dataclass(frozen=True)
class Deposit:
    ref: str
    kind: str
    title: str


@dataclass(frozen=True)
class AgentWords:
    """The agent's own words at its last checkpoint or its end, and when; `asked` is its user's first prompt."""

    summary: str = ""
    note: str = ""
    pending: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    asked: str = ""
    last_message: str = ""
    at: datetime | None = None

    @property
    def nothing(self) -> bool:
        return not (self.summary or self.note or self.pending or self.blockers)


@dataclass(frozen=True)
class TranscriptFacts:
    """What a transcript told: `decisions` are {statement, reasoning, sureness, ref}, `failure` is {command, error} of
    the last command that failed and did not pass later, `uncommitted` the files changed since its last commit.
    """

    topics: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    decisions: tuple[dict[str, Any], ...] = ()
    errors: tuple[str, ...] = ()
    asked: str = ""
    plan: str = ""
    last_message: str = ""
    failure: dict[str, str] = field(default_factory=dict)
    uncommitted: tuple[str, ...] = ()
    turns: int = 0


@dataclass(frozen=True)
class Uncommitted:
    """What was in no commit when the client looked."""

    paths: tuple[str, ...]
    at: datetime


@dataclass(frozen=True)
class SessionRecord:
    """All that is known of a session. `asked`: its user's first prompt; `uncommitted`: None while nobody has said."""

    topic: str = ""
    asked: str = ""
    events: Sequence[RecordedEvent] = ()
    questions: Sequence[str] = ()
    deposits: Sequence[Deposit] = ()
    said: AgentWords = field(default_factory=AgentWords)
    told: TranscriptFacts = field(default_factory=TranscriptFacts)
    uncommitted: Uncommitted | None = None

    @property
    def trivial(self) -> bool:
        """Whether there is nothing to hand over: no work, and nothing that its agent summed up itself. Of a session
        whose hooks tell what it does, a summary alone is no work; an agent with tools alone has no other way to say.
        """
        return not (self.worked or (self.said.summary and not self.events and not self.told.turns))

    @property
    def worked(self) -> bool:
        """Whether there was an edit, a decision, a failing command, a next step or a blocker."""
        said, told = self.said, self.told
        left = said.note or said.pending or said.blockers or told.next_steps or told.blockers
        decided = told.decisions or any(one.kind == DECISION for one in self.deposits)
        done = changes(self.events) or told.files or last_failure(self.events, told.failure)
        return bool(left or decided or done)


@dataclass(frozen=True)
class Composed:
    """The contents of a handoff, as the model names them."""

    completeness: float
    asked: str
    plan: str
    summary: str
    note: str
    pending: list[str]
    blockers: list[str]
    topics: list[str]
    decisions: list[dict[str, Any]]
    deposits: list[dict[str, str]]
    files: list[str]
    facts: list[str]
    interpretation: list[str]
    failure: dict[str, Any]
    next_steps: list[str]
    found_blockers: list[str]
    uncommitted: list[str]
    uncommitted_known: bool
    last_message: str


def compose(record: SessionRecord, *, complete: bool = False) -> Composed:
    """The handoff of a session. `complete`: its agent ended it and said what it wanted to say."""
    said, told = record.said, record.told
    paths, known = uncommitted(record)
    return Composed(
        completeness=1.0 if complete else completeness(record),
        asked=said.asked or record.asked or told.asked or record.topic,
        plan=told.plan,
        summary=said.summary,
        note=said.note,
        pending=list(said.pending),
        blockers=list(said.blockers),
        topics=_first(filter(None, [record.topic, *told.topics]), MOST_TOPICS),
        decisions=list(told.decisions),
        deposits=[{"ref": one.ref, "kind": one.kind, "title": one.title} for one in record.deposits],
        files=files(record),
        facts=facts(record),
        interpretation=interpretation(record),
        failure=last_failure(record.events, told.failure),
        next_steps=[step for step in told.next_steps if step not in said.pending],
        found_blockers=[what for what in told.blockers if what not in said.blockers],
        uncommitted=list(paths),
        uncommitted_known=known,
        last_message=told.last_message or said.last_message,
    )


# --- completeness -------------------------------------------------------------------------------------------
# What each source alone is worth. SAME gives a file written by the agent 1, its instance file .4, an index of sessions
# .3: a transcript tells nearly all, but in somebody else's words; a checkpoint is the agent's own word until then.
TRANSCRIPT = 0.8
CHECKPOINT = (0.4, 0.7)
EVENTS = 0.4
DEPOSITS = 0.3
QUESTIONS = 0.2
TOPIC = 0.1
# What nobody said at the end may always be missing.
MOST_COMPLETE = 0.95


def completeness(record: SessionRecord) -> float:
    """How much of what a clean handoff would say is likely to be here, 0–0.95.

    Sources are taken as telling of different things, each by its own chance: 1 − Π(1 − worth).
    """
    missing = 1.0
    for worth in _worths(record):
        missing *= 1.0 - worth
    return round(min(1.0 - missing, MOST_COMPLETE), 2)


def _worths(record: SessionRecord) -> Iterable[float]:
    if not record.said.nothing:
        least, most = CHECKPOINT
        yield least + (most - least) * _covered(record)
    yield TRANSCRIPT if record.told.turns else 0.0
    yield EVENTS if record.events else 0.0
    yield DEPOSITS if record.deposits else 0.0
    yield QUESTIONS if record.questions else 0.0
    yield TOPIC if record.topic else 0.0


def _covered(record: SessionRecord) -> float:
    """The share of the events that the checkpoint could speak of."""
    at = record.said.at
    if at is None or not record.events:
        return 1.0
    return sum(event.at <= at for event in record.events) / len(record.events)


# --- facts --------------------------------------------------------------------------------------------------
def files(record: SessionRecord) -> list[str]:
    """The files that were changed, the last changed first."""
    changed = [event.path for event in reversed(edits(record.events))]
    return _first([*changed, *reversed(record.told.files)], MOST_FILES)


def facts(record: SessionRecord) -> list[str]:
    """What was recorded, one line each."""
    lines = [*_changed(record.events), *_checked(record.events), *_committed(record.events), *_errors(record)]
    # By name only: a title written down here would outlive an insight that is forgotten.
    lines += [f"Deposited {one.ref} ({one.kind})" for one in record.deposits[:MOST_OF_A_SORT]]
    lines += _more(len(record.deposits), "deposits")
    lines += [f"Queried: {_short(question)}" for question in _first(record.questions, MOST_OF_A_SORT)]
    lines += [f"Noted: {_short(e.command or e.path)}" for e in record.events if e.kind == EventKind.NOTE][-3:]
    if record.told.files:
        lines.append(f"Changed, by the transcript: {', '.join(_first(record.told.files, MOST_OF_A_SORT))}")
    return lines


def _changed(events: Sequence[RecordedEvent]) -> list[str]:
    counted = Counter(event.path for event in edits(events))
    lines = [f"Edited {path}" + (f" ({n} times)" if n > 1 else "") for path, n in counted.most_common(MOST_OF_A_SORT)]
    return lines + _more(len(counted), "files edited")


def _checked(events: Sequence[RecordedEvent]) -> list[str]:
    """How each check ended, the last time it ran."""
    return [
        f"{_name(event)} {event.outcome} (last run {event.at:%Y-%m-%d %H:%M})"
        for event in list(last_runs(events).values())[-MOST_OF_A_SORT:]
        if event.outcome
    ]


def _committed(events: Sequence[RecordedEvent]) -> list[str]:
    commits = [event for event in events if event.kind == EventKind.COMMIT]
    return [f"Committed: {_short(event.command or event.path)}" for event in commits[-MOST_OF_A_SORT:]]


def _errors(record: SessionRecord) -> list[str]:
    """Errors that were seen and whose check did not pass afterwards, each with how often."""
    seen = Counter(event.error for event in open_errors(record.events))
    lines = [f"Error, {n} times: {_short(text)}" if n > 1 else f"Error: {_short(text)}"
             for text, n in seen.most_common(MOST_OF_A_SORT)]  # fmt: skip
    return lines + [f"Error, by the transcript: {_short(text)}" for text in record.told.errors[:MOST_OF_A_SORT]]


def open_errors(events: Sequence[RecordedEvent]) -> list[RecordedEvent]:
    """Events with an error whose check did not pass later."""
    passed: dict[tuple[str, str], datetime] = {}
    for event in events:
        if event.outcome == "passed":
            passed[event.kind, event.command] = event.at
    return [
        event
        for event in events
        if event.error and not (event.command and event.at <= passed.get((event.kind, event.command), _never(event)))
    ]


def _never(event: RecordedEvent) -> datetime:
    return datetime.min.replace(tzinfo=event.at.tzinfo)


# --- interpretation -----------------------------------------------------------------------------------------
def interpretation(record: SessionRecord) -> list[str]:
    """What follows from the facts if nothing else happened: each line says from what it was concluded."""
    lines = [
        f"It stopped while {_name(event)} was failing."
        for event in last_runs(record.events).values()
        if event.outcome == "failed"
    ][-3:]
    paths, known = uncommitted(record)
    loose = ", ".join(paths[:MOST_OF_A_SORT])
    lines += [f"Probably not committed: {loose} (edited, and no commit was seen since)."] if loose and not known else []
    if not record.said.nothing and record.said.at:
        after = sum(event.at > record.said.at for event in record.events)
        lines += [f"{after} events came after its last word of {record.said.at:%Y-%m-%d %H:%M}."] if after else []
    return lines


def uncommitted(record: SessionRecord) -> tuple[list[str], bool]:
    """The files that are in no commit, and whether that was recorded: a client saw it, and nothing was changed since.
    Else they are those that were changed since the last commit that was seen.

    The transcript tells of edits and commits together, so where there is one, events only add what it does not know.
    """
    seen = record.uncommitted
    since = [event for event in record.events if seen and event.at > seen.at]
    if seen and not changes(since):
        return list(seen.paths), True
    loose = [event.path for event in reversed(edits(since_commit(record.events)))]
    if seen and len(since_commit(since)) == len(since):
        loose = [*loose, *seen.paths]  # nothing was committed since
    elif record.told.turns:
        loose = [*reversed(record.told.uncommitted), *(path for path in loose if path not in record.told.files)]
    return _first(loose, MOST_FILES), False


# --- words --------------------------------------------------------------------------------------------------
def _name(event: RecordedEvent) -> str:
    return f"`{_short(event.command, 80)}`" if event.command else f"the {event.kind}"


def _short(text: str, longest: int = 160) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _more(count: int, what: str) -> list[str]:
    return [f"… and {count - MOST_OF_A_SORT} more {what}"] if count > MOST_OF_A_SORT else []


def _first(texts: Iterable[str], most: int) -> list[str]:
    return list(dict.fromkeys(texts))[:most]
