"""Compose the handoff of a session from what was recorded while it ran.

An end, a checkpoint and a recovery use the same composition; they differ in what was recorded. A handoff separates four
things: the *agent's own words* (from a checkpoint or an end), the recorded *facts* (events, deposits, the
transcript), the *interpretation*, which rules derive from the facts and which may be wrong, and the estimated
*completeness*.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sessions_app.handoffs.rules.last_state import RecordedEvent, changes, edits, last_failure, last_runs, since_commit
from sessions_app.rules.vocabulary import EventKind

# The number of files and topics that a handoff lists, as in SAME.
MOST_FILES = 20
MOST_TOPICS = 8
# At most this many facts of one kind are listed; the number of the others is stated.
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
    """What was read from a transcript: `decisions` are {statement, reasoning, sureness, ref}, `failure` is {command,
    error} of the last command that failed and did not pass later, `uncommitted` the files changed since its last
    commit.
    """

    topics: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    decisions: tuple[dict[str, Any], ...] = ()
    errors: tuple[str, ...] = ()
    asked: str = ""
    asked_last: str = ""
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
    """All that is known of a session. `asked`: its user's first prompt; `asked_last`: the last one that asks for
    something and came after the agent's words; `uncommitted`: None if no client has reported it.
    """

    topic: str = ""
    asked: str = ""
    asked_last: str = ""
    events: Sequence[RecordedEvent] = ()
    questions: Sequence[str] = ()
    deposits: Sequence[Deposit] = ()
    agent_words: AgentWords = field(default_factory=AgentWords)
    transcript: TranscriptFacts = field(default_factory=TranscriptFacts)
    uncommitted: Uncommitted | None = None

    @property
    def trivial(self) -> bool:
        """Whether there is nothing to hand over: no work and no summary. A summary counts only in a session without
        hooks and transcript: its agent has no other way to report work.
        """
        return not (self.worked or (self.agent_words.summary and not self.events and not self.transcript.turns))

    @property
    def worked(self) -> bool:
        """Whether there was an edit, a decision, a failing command, a next step or a blocker."""
        words, transcript = self.agent_words, self.transcript
        left = words.note or words.pending or words.blockers or transcript.next_steps or transcript.blockers
        decided = transcript.decisions or any(one.kind == DECISION for one in self.deposits)
        done = changes(self.events) or transcript.files or last_failure(self.events, transcript.failure)
        return bool(left or decided or done)


@dataclass(frozen=True)
class Composed:
    """The contents of a handoff, as the model names them."""

    completeness: float
    asked: str
    asked_last: str
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
    """Return the handoff of a session. `complete`: its agent ended the session itself."""
    words, transcript = record.agent_words, record.transcript
    paths, known = uncommitted(record)
    asked = words.asked or record.asked or transcript.asked or record.topic
    last = record.asked_last or transcript.asked_last
    return Composed(
        completeness=1.0 if complete else completeness(record),
        asked=asked,
        asked_last="" if _line(last) in _line(asked) else last,
        plan=transcript.plan,
        summary=words.summary,
        note=words.note,
        pending=list(words.pending),
        blockers=list(words.blockers),
        topics=_first(filter(None, [record.topic, *transcript.topics]), MOST_TOPICS),
        decisions=list(transcript.decisions),
        deposits=[{"ref": one.ref, "kind": one.kind, "title": one.title} for one in record.deposits],
        files=files(record),
        facts=facts(record),
        interpretation=interpretation(record),
        failure=last_failure(record.events, transcript.failure),
        next_steps=[step for step in transcript.next_steps if step not in words.pending],
        found_blockers=[what for what in transcript.blockers if what not in words.blockers],
        uncommitted=list(paths),
        uncommitted_known=known,
        last_message=transcript.last_message or words.last_message,
    )


# --- completeness -------------------------------------------------------------------------------------------
# The completeness that each source alone gives. SAME gives a file written by the agent 1, its instance file .4, an
# index of sessions .3. A transcript has nearly everything, but no summary; a checkpoint lacks what came after it.
TRANSCRIPT = 0.8
CHECKPOINT = (0.4, 0.7)
EVENTS = 0.4
DEPOSITS = 0.3
QUESTIONS = 0.2
TOPIC = 0.1
# Without an end by the agent something may always be missing.
MOST_COMPLETE = 0.95


def completeness(record: SessionRecord) -> float:
    """Return the estimated share of a complete handoff that is present, 0–0.95.

    Sources are treated as independent: 1 − Π(1 − worth).
    """
    missing = 1.0
    for worth in _worths(record):
        missing *= 1.0 - worth
    return round(min(1.0 - missing, MOST_COMPLETE), 2)


def _worths(record: SessionRecord) -> Iterable[float]:
    if not record.agent_words.nothing:
        least, most = CHECKPOINT
        yield least + (most - least) * _covered(record)
    yield TRANSCRIPT if record.transcript.turns else 0.0
    yield EVENTS if record.events else 0.0
    yield DEPOSITS if record.deposits else 0.0
    yield QUESTIONS if record.questions else 0.0
    yield TOPIC if record.topic else 0.0


def _covered(record: SessionRecord) -> float:
    """Return the share of the events that came before the checkpoint."""
    at = record.agent_words.at
    if at is None or not record.events:
        return 1.0
    return sum(event.at <= at for event in record.events) / len(record.events)


# --- facts --------------------------------------------------------------------------------------------------
def files(record: SessionRecord) -> list[str]:
    """Return the changed files, the one changed last first."""
    changed = [event.path for event in reversed(edits(record.events))]
    return _first([*changed, *reversed(record.transcript.files)], MOST_FILES)


def facts(record: SessionRecord) -> list[str]:
    """Return the recorded facts, one line each, without the questions, because an agent asks them in its user's
    words.
    """
    lines = [*_changed(record.events), *_checked(record.events), *_committed(record.events), *_errors(record)]
    # By reference only: a copied title would remain after the insight is forgotten.
    lines += [f"Deposited {one.ref} ({one.kind})" for one in record.deposits[:MOST_OF_A_SORT]]
    lines += _more(len(record.deposits), "deposits")
    lines += [f"Noted: {_short(e.command or e.path)}" for e in record.events if e.kind == EventKind.NOTE][-3:]
    if record.transcript.files:
        lines.append(f"Changed, by the transcript: {', '.join(_first(record.transcript.files, MOST_OF_A_SORT))}")
    return lines


def _changed(events: Sequence[RecordedEvent]) -> list[str]:
    counted = Counter(event.path for event in edits(events))
    lines = [f"Edited {path}" + (f" ({n} times)" if n > 1 else "") for path, n in counted.most_common(MOST_OF_A_SORT)]
    return lines + _more(len(counted), "files edited")


def _checked(events: Sequence[RecordedEvent]) -> list[str]:
    """Return the result of the last run of each check."""
    return [
        f"{_name(event)} {event.outcome} (last run {event.at:%Y-%m-%d %H:%M})"
        for event in list(last_runs(events).values())[-MOST_OF_A_SORT:]
        if event.outcome
    ]


def _committed(events: Sequence[RecordedEvent]) -> list[str]:
    commits = [event for event in events if event.kind == EventKind.COMMIT]
    return [f"Committed: {_short(event.command or event.path)}" for event in commits[-MOST_OF_A_SORT:]]


def _errors(record: SessionRecord) -> list[str]:
    """Return the errors whose check did not pass afterwards, each with its number of occurrences."""
    seen = Counter(event.error for event in open_errors(record.events))
    lines = [f"Error, {n} times: {_short(text)}" if n > 1 else f"Error: {_short(text)}"
             for text, n in seen.most_common(MOST_OF_A_SORT)]  # fmt: skip
    return lines + [f"Error, by the transcript: {_short(text)}" for text in record.transcript.errors[:MOST_OF_A_SORT]]


def open_errors(events: Sequence[RecordedEvent]) -> list[RecordedEvent]:
    """Return the events with an error whose check did not pass later."""
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
    """Return what probably follows from the facts, one line each, with the reason."""
    lines = [
        f"It stopped while {_name(event)} was failing."
        for event in last_runs(record.events).values()
        if event.outcome == "failed"
    ][-3:]
    paths, known = uncommitted(record)
    loose = ", ".join(paths[:MOST_OF_A_SORT])
    lines += [f"Probably not committed: {loose} (edited, and no commit was seen since)."] if loose and not known else []
    if not record.agent_words.nothing and record.agent_words.at:
        after = sum(event.at > record.agent_words.at for event in record.events)
        lines += (
            [f"{after} events came after its last word of {record.agent_words.at:%Y-%m-%d %H:%M}."] if after else []
        )
    return lines


def uncommitted(record: SessionRecord) -> tuple[list[str], bool]:
    """Return the uncommitted files, and whether a client reported them and nothing changed since. Otherwise they are
    the files changed since the last recorded commit.

    A transcript has edits and commits in order, so with a transcript, events only add files that it lacks.
    """
    seen = record.uncommitted
    since = [event for event in record.events if seen and event.at > seen.at]
    if seen and not changes(since):
        return list(seen.paths), True
    loose = [event.path for event in reversed(edits(since_commit(record.events)))]
    if seen and len(since_commit(since)) == len(since):
        loose = [*loose, *seen.paths]  # nothing was committed since
    elif record.transcript.turns:
        loose = [
            *reversed(record.transcript.uncommitted),
            *(path for path in loose if path not in record.transcript.files),
        ]
    return _first(loose, MOST_FILES), False


# --- words --------------------------------------------------------------------------------------------------
def _name(event: RecordedEvent) -> str:
    return f"`{_short(event.command, 80)}`" if event.command else f"the {event.kind}"


def _short(text: str, longest: int = 160) -> str:
    line = _line(text)
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _line(text: str) -> str:
    return " ".join(text.split())


def _more(count: int, what: str) -> list[str]:
    return [f"… and {count - MOST_OF_A_SORT} more {what}"] if count > MOST_OF_A_SORT else []


def _first(texts: Iterable[str], most: int) -> list[str]:
    return list(dict.fromkeys(texts))[:most]
