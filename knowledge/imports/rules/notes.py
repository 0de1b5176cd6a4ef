"""A note that somebody wrote for themselves, read as drafts of insights.

A note is a Markdown text, with front matter or without, or a JSON object with such a text in it. Its title is the
one it names, else its first heading, else its file's name; its tags are the ones it names and the folders it lies
in. A record of an architecture decision, told by its headings, becomes a DECISION whose reasoning is what it says
under Context and Consequences. A long note becomes one draft for each of its sections, because one vector for twenty
subjects finds none.

What cannot be read as a note is Unusable, with the reason in words. Nothing here fails in any other way, whatever
the text is.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import PurePosixPath
from typing import Any

from knowledge.imports.rules import front_matter
from knowledge.imports.rules.headings import Section, first_heading, plain, sections
from knowledge.rules.draft import LONGEST_QUESTION, MOST_QUESTIONS, Draft, clean_paths, clean_tags
from knowledge.rules.vocabulary import Kind, Source, Stability

# What the database and the API hold; a longer title is cut, of the others the first are kept.
LONGEST_TITLE = 200
LONGEST_BODY = 20_000
LONGEST_TAG = 60
LONGEST_NAME = 200
LONGEST_PATH = 400
LONGEST_URL = 500
MOST_ANCHORS = 50


# What the keys of imported notes begin with. They are looked up for every importer, so no caller may choose such a key.
KEYS = "import:"


class UnusableNotes(ValueError):
    """This is no note, or none that can be kept; the text says why."""


@dataclass(frozen=True)
class Note:
    """What was read: where it lies ("" where that is not said), and its drafts, at least one."""

    path: str
    drafts: list[Draft]

    def key(self, draft: Draft) -> str:
        """A draft's idempotency key: the same for the same words in the same place, for the same team."""
        said = "\0".join((draft.team, self.path, draft.title, draft.body, draft.reasoning))
        return f"{KEYS}{hashlib.sha256(said.encode()).hexdigest()}"


def from_markdown(text: str, *, path: str, kind: Kind = Kind.CONTEXT) -> Note:
    """A Markdown file; `path` is relative to the folder of notes, `kind` for a note that says none. Raises Unusable."""
    return Note(path, _read({}, text, path, kind))


def from_json(line: str, *, kind: Kind = Kind.CONTEXT) -> Note:
    """A JSON object: {body or text, title?, tags?, topic?, kind?, path?, id?, …}; or a memory as mem0 exports it
    ({memory, id, categories, …}), or an entity of the MCP reference server's. Raises Unusable.
    """
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise UnusableNotes("not valid JSON") from None
    if not isinstance(row, dict):
        raise UnusableNotes("not a JSON object")
    named = _entity({str(name).lower(): value for name, value in row.items()})
    text = next(
        (named[name] for name in ("body", "text", "content", "memory") if isinstance(named.get(name), str)), None
    )
    if text is None:
        raise UnusableNotes("no text: neither 'body' nor 'text'")
    path = _text(named, "path", "id")
    return Note(path, _read(named, text, path, kind))


def _entity(named: dict[str, Any]) -> dict[str, Any]:
    """A line of the MCP reference server's memory file: an entity with what was observed of it; else as it is."""
    if named.get("type") == "relation" and "relationtype" in named:
        raise UnusableNotes("a relation between two entities; only their observations are imported")
    if named.get("type") != "entity" or not isinstance(named.get("observations"), list):
        return named
    name, observed = _text(named, "name"), _words(named["observations"])
    body = observed[0] if len(observed) == 1 else "\n".join(f"- {one}" for one in observed)
    return {"id": name, "title": name, "tags": _words(_text(named, "entitytype")), "body": body}


def _read(named: Mapping[str, Any], text: str, path: str, kind: Kind) -> list[Draft]:
    try:
        meta, body = front_matter.split(text.replace("\r\n", "\n"))
    except front_matter.BadFrontMatter as error:
        raise UnusableNotes(str(error)) from None
    meta = {**meta, **{name: value for name, value in named.items() if value not in (None, "", [])}}
    title, body = _title(_text(meta, "title"), body, path, _text(meta, "name"))
    if not body.strip():
        raise UnusableNotes("it has only a title" if text.strip() else "empty")
    drafts = _parts(_draft(meta, title, _described(meta, body), path, kind))
    for draft in drafts:
        _check(path, draft)
    return drafts


def _draft(meta: Mapping[str, Any], title: str, body: str, path: str, kind: Kind) -> Draft:
    decision = _decision(body)
    reasoning = _text(meta, "reasoning", "rationale", "why")
    word = _text(meta, "kind", "type").lower()
    said = _KINDS.get(word)
    if said is None or (said is Kind.DECISION and word != said.lower() and not reasoning):
        said = Kind.DECISION if decision else kind  # somebody's "adr" is one if it says why
    if said is Kind.DECISION and decision and not reasoning:
        body, reasoning = decision.position, decision.reasoning
    return Draft(
        kind=said,
        title=_clipped(title),
        body=body.strip(),
        reasoning=reasoning,
        tags=_tags(meta, path),
        files=_some(clean_paths(_words(meta.get("files"))), LONGEST_PATH),
        symbols=_some(_words(meta.get("symbols")), LONGEST_NAME),
        questions=_some(_words(meta.get("questions")), LONGEST_QUESTION)[:MOST_QUESTIONS],
        repo=_text(meta, "repo")[:LONGEST_NAME],
        stability=_stability(_text(meta, "stability")),
        source_type=Source.IMPORT,
        source_date=_moment(_first(meta, "source_date", "date", "created", "created_at")) or _dated(body),
        source_url=_url(_text(meta, "source_url", "url", "link", "source")),
    )


def _described(meta: Mapping[str, Any], body: str) -> str:
    """The body under the description that stands in the front matter: of a SKILL.md the sentence that says most."""
    description = _text(meta, "description", "summary")
    return body if description in body else f"{description}\n\n{body.strip()}"


def _check(path: str, draft: Draft) -> None:
    texts = (path, draft.title, draft.body, draft.reasoning, draft.repo, *draft.tags, *draft.files, *draft.symbols)
    texts += tuple(draft.questions)
    if any("\0" in text for text in texts):
        raise UnusableNotes("it contains NUL characters")
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        raise UnusableNotes("it contains an unpaired surrogate") from None
    if draft.kind is Kind.DECISION and not draft.reasoning.strip():
        raise UnusableNotes("a decision without reasoning")
    longest = max(len(draft.body), len(draft.reasoning))
    if longest > LONGEST_BODY:
        raise UnusableNotes(f"{longest:,} characters without a heading to split at; the limit is {LONGEST_BODY:,}")


# --- titles -------------------------------------------------------------------------------------------------
_NAMELESS = {"readme", "index"}


def _title(given: str, body: str, path: str, name: str) -> tuple[str, str]:
    """The title, and the body without the heading that says it.

    A given title stands, unless it is the file's name; the first heading goes if it repeats it. Else the first heading
    is the title, if it is of level one; else `name`, else the file's name.
    """
    given = "" if given == PurePosixPath(path).name else plain(given)
    heading = first_heading(body)
    if heading is None:
        return given or name or _file_title(path), body
    at, height, words = heading
    if given and _letters(words) != _letters(given):
        return given, body
    lines = body.split("\n")
    return given or words or _file_title(path), "\n".join(lines[:at] + lines[at + height :])


def _letters(title: str) -> str:
    return re.sub(r"[\W_]+", "", title.lower())


def _file_title(path: str) -> str:
    """`git/undo-last_commit.md` → "undo last commit"; of a README the folder's name."""
    file = PurePosixPath(path)
    name = file.parent.name if file.stem.lower() in _NAMELESS and file.parent.name else file.stem
    return re.sub(r"[-_\s]+", " ", name).strip()


def _clipped(title: str) -> str:
    title = " ".join(title.split())
    if len(title) <= LONGEST_TITLE:
        return title
    return title[: LONGEST_TITLE - 1].rsplit(" ", 1)[0] + "…"


# --- decisions ----------------------------------------------------------------------------------------------
# Headings of Nygard's and MADR's templates for architecture decision records.
_DECIDED = re.compile(r"^decision(?!\s+drivers)\b", re.IGNORECASE)
_FRAME = re.compile(r"^(?:status|context)\b", re.IGNORECASE)
_REASON = re.compile(
    r"^(?:context|consequences|rationale|reason|why\b|decision drivers|considered options|alternatives|pros and cons)",
    re.IGNORECASE,
)
_STATUS = re.compile(r"^status\b", re.IGNORECASE)
_OVER = re.compile(r"^\W*(superseded|deprecated|rejected)\b", re.IGNORECASE)


@dataclass(frozen=True)
class NoteDecision:
    """What was decided, and why, both with their headings."""

    position: str
    reasoning: str


def _decision(body: str) -> NoteDecision | None:
    """The two halves of an architecture decision record; None for any other text.

    Raises Unusable for one whose status says that it no longer holds: imported, it would be read as the team's mind.
    """
    cut = sections(body, 2)
    reasons = [part.text for part in cut if _REASON.match(part.heading)]
    if not reasons or not any(_DECIDED.match(part.heading) for part in cut):
        return None
    if not any(_FRAME.match(part.heading) for part in cut):
        return None
    for part in cut:
        over = _STATUS.match(part.heading) and _OVER.match(part.inside.strip())
        if over:
            raise UnusableNotes(f"a superseded or rejected decision: {over[1].lower()}")
    position = "\n".join(part.text for part in cut if not _REASON.match(part.heading))
    return NoteDecision(position.strip("\n"), "\n".join(reasons).strip("\n"))


# --- long notes ---------------------------------------------------------------------------------------------
# Past this a note speaks of several things (SAME's chunks begin at the same size). The embedder reads the first
# thousand characters or so: of a note twice as long it would know the beginning only.
SPLIT_ABOVE = 6_000
# A section shorter than this ("## Licence: MIT") says nothing by itself and stays with its neighbour.
SHORTEST_PART = 300
DEEPEST_SPLIT = 3


def _parts(draft: Draft) -> list[Draft]:
    """A draft for each section of a long note, titled "note: section". A decision is one thing and stays whole."""
    if draft.kind is Kind.DECISION or len(draft.body) <= SPLIT_ABOVE:
        return [draft]
    return [
        replace(draft, title=_clipped(f"{draft.title}: {part.heading}" if part.heading else draft.title), body=body)
        for part in _split(draft.body, 2)
        if (body := part.inside)
    ]


def _split(body: str, level: int) -> list[Section]:
    found: list[Section] = []
    for part in _joined(sections(body, level)):
        if len(part.text) <= SPLIT_ABOVE or level == DEEPEST_SPLIT:
            found.append(part)
            continue
        for inner in _split(part.text, level + 1):
            name = inner.heading if inner.heading != part.heading else ""
            found.append(Section(": ".join(filter(None, (part.heading, name))), inner.text))
    return found


def _joined(parts: Sequence[Section]) -> list[Section]:
    """Sections too short to stand alone go with the one that follows; the last ones with the one before."""
    found: list[Section] = []
    for part in parts:
        if found and len(found[-1].text) < SHORTEST_PART:
            short = found.pop()
            part = Section(short.heading or part.heading, f"{short.text}\n{part.text}")
        found.append(part)
    if len(found) > 1 and len(found[-1].text) < SHORTEST_PART:
        last = found.pop()
        found[-1] = Section(found[-1].heading, f"{found[-1].text}\n{last.text}")
    return found


# --- what a note says of itself -----------------------------------------------------------------------------
# Other people's words for our kinds.
_KINDS = {
    "adr": Kind.DECISION,
    "runbook": Kind.WORKFLOW,
    "playbook": Kind.WORKFLOW,
    "howto": Kind.WORKFLOW,
    "how-to": Kind.WORKFLOW,
    "gotcha": Kind.PITFALL,
    "fix": Kind.SOLUTION,
    "convention": Kind.PATTERN,
} | {kind.value.lower(): kind for kind in Kind}
# Of a list of words that came as one string, so much is read.
_LONGEST_LIST = 5_000
# Folders that say that notes lie in them, not what about.
_SHELVES = {"doc", "docs", "content", "notes", "pages", "src"}
_COMMA = re.compile(r"(?:(?<!\s)\s+)?[,;]\s*")
_DATE_LINE = re.compile(r"^\W{0,4}date\W{1,4}(\d{4}-\d{2}-\d{2})\b", re.IGNORECASE | re.MULTILINE)


def _stability(word: str) -> Stability:
    word = word.strip().lower()
    return Stability(word) if word in set(Stability) else Stability.STABLE


def _tags(meta: Mapping[str, Any], path: str) -> list[str]:
    """The tags it names, its topic, and the folders above it, outermost first."""
    named = [
        word
        for name in ("tags", "tag", "keywords", "topic", "category", "categories")
        for word in _words(meta.get(name))
    ]
    folders = PurePosixPath(path).parts[:-1] if "/" in path else ()
    above = [part for part in folders if part.lower() not in _SHELVES | {"..", ".", "/"}]
    return _some(clean_tags([*(word.lstrip("#") for word in named), *above]), LONGEST_TAG)


def _some(values: Iterable[str], longest: int) -> list[str]:
    return [value for value in dict.fromkeys(values) if 0 < len(value) <= longest][:MOST_ANCHORS]


def _words(value: Any) -> list[str]:
    """A list of strings as it is, a string cut at its commas; what else is in a list is left out."""
    if isinstance(value, str):
        return [word for word in _COMMA.split(value[:_LONGEST_LIST].strip().strip("[]")) if word]
    return [str(item).strip() for item in value if isinstance(item, str | int)] if isinstance(value, list) else []


def _first(meta: Mapping[str, Any], *names: str) -> Any:
    return next((meta[name] for name in names if meta.get(name)), None)


def _text(meta: Mapping[str, Any], *names: str) -> str:
    """The first of these that is a string or a number."""
    values = (meta.get(name) for name in names)
    return next((str(value).strip() for value in values if isinstance(value, str | int | float) and value), "")


def _url(text: str) -> str:
    good = re.fullmatch(r"https?://[^\s<>\"]+", text)
    return text if good and len(text) <= LONGEST_URL else ""


def _moment(value: Any) -> datetime | None:
    """A date or an ISO text as a moment, UTC where it names no zone; None for anything else, and for absurd years."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, tzinfo=UTC)
    if not isinstance(value, datetime) or not 1970 <= value.year < 2200:
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _dated(body: str) -> datetime | None:
    """The `Date: 2017-06-30` that decision records have as a line of their own."""
    found = _DATE_LINE.search(body)
    return _moment(found[1]) if found else None
