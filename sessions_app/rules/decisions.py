"""Decisions that an assistant took in a transcript: what was decided, why, and where it said so.

Only the assistant's own prose is read (`rules/turn`): nothing a user, a tool, a quotation or a piece of code says is
taken for its decision, so that text put before an agent cannot plant one. A sentence is a decision when it is marked as
one ("Decision: …", an item under the heading "Decisions"), or when it says in one of the WAYS that "I" or "we"
chose something, or left it, and a reason is within reach; and when no TRAP speaks against it (a question, a condition,
an option, something reported). What is told without a person must pass more of them. Of a table the rows are decisions
if it says so. The tables of words are in `rules/decision_words`, `_traps` and `_reasons`.

The reason is the clause behind its connective, before or after; else a clause behind a colon or a dash; else a next
sentence that gives one; of what is marked, whatever comes next in the paragraph. A decision said twice is one, with the
fuller reason; one that is taken back ("on second thought", "Y instead of X") is gone.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from knowledge.rules.bm25 import terms
from sessions_app.rules import decision_reasons as reasons
from sessions_app.rules import decision_traps as traps
from sessions_app.rules import decision_words as words
from sessions_app.rules.decision_traps import Trap
from sessions_app.rules.decision_words import Way
from sessions_app.rules.passages import LONGEST_SENTENCE, Block, Sentence, blocks, plain, sentences
from sessions_app.rules.turn import ASSISTANT, Turn, recent


class Sureness(StrEnum):
    """High: with its reason. Medium: marked as a decision, and no reason was given."""

    HIGH = "high"
    MEDIUM = "medium"


@dataclass(frozen=True)
class Where:
    """The turn (from 0) in the transcript as it came, the line in it (from 1), and when it was said, if known."""

    turn: int
    line: int
    at: str = ""


@dataclass(frozen=True)
class Decision:
    """What was decided, in the assistant's words, without Markdown; `reasoning` is empty when none was in reach."""

    statement: str
    reasoning: str
    where: Where
    sureness: Sureness


# What a session's digest can carry; a day's work rarely holds ten. The latest are kept.
MOST = 30


def extract(turns: Sequence[Turn]) -> list[Decision]:
    """The decisions of a transcript in the order they were taken, each once. The text is as hostile as its author."""
    standing: list[Decision] = []
    for at, turn in recent(turns):
        if turn.role != ASSISTANT:
            continue
        for block in blocks(turn.text):
            where = Where(at, block.line, turn.at)
            for found in _in_block(block, where):
                standing = _with(standing, found, block.said)
    return standing[-MOST:]


@dataclass(frozen=True)
class _Said:
    """A sentence that says a decision: how, and where in the block what it decides begins."""

    sentence: Sentence
    way: Way
    start: int
    end: int


def _in_block(block: Block, where: Where) -> Iterator[Decision]:
    if block.columns:
        yield from _in_row(block, where)
        return
    parts = sentences(block)
    if block.item and words.DECIDED.match(block.heading):
        if parts and not _question(block, parts[0]):
            yield from _marked(block, parts, 0, parts[0].start, where)
        return
    if words.UNDECIDED.match(block.heading):
        return
    if block.item and words.PUT_ASIDE.match(block.heading):
        yield from _aside(block, parts, where)
        return
    for number, sentence in enumerate(parts):
        said = _said(block, sentence)
        if said is None:
            continue
        if said.way.marked:
            yield from _marked(block, parts, number, said.end, where)
        else:
            yield from _reasoned(block, parts, number, said, where)


def _in_row(block: Block, where: Where) -> Iterator[Decision]:
    """A row of a table of decisions: the column of reasons apart, what its cells say one after the other."""
    cells = dict(zip(block.columns, block.cells, strict=False))
    why = [cell for column, cell in cells.items() if words.REASON_COLUMN.match(column)]
    said = [cell for column, cell in cells.items() if cell and not words.REASON_COLUMN.match(column)]
    told = any(map(words.DECIDED_COLUMN.match, block.columns)) and any(why)
    if (told or words.DECIDED.match(block.heading)) and not any(cell.endswith("?") for cell in said):
        yield from _decision(": ".join(said), " ".join(why), where)


def _aside(block: Block, parts: Sequence[Sentence], where: Where) -> Iterator[Decision]:
    """An item under a heading that says what was left: a decision if its reason stands with it."""
    if parts and not _question(block, parts[0]):
        cut = _cut(block, parts[0], parts[0].start)
        why = cut[1] if cut else _following(block, parts, 0, any_will_do=False)
        if why:
            yield from _decision(cut[0] if cut else block.said[parts[0].start : parts[0].end], why, where)


def _question(block: Block, sentence: Sentence) -> bool:
    return block.shown[sentence.start : sentence.end].rstrip(' *_)"”’»').endswith("?")


def _said(block: Block, sentence: Sentence) -> _Said | None:
    """The first way in which the sentence says a decision that no trap speaks against."""
    if sentence.end - sentence.start > LONGEST_SENTENCE:
        return None
    shown = block.shown[sentence.start : sentence.end]
    for way in (*words.WAYS, *words.AGAINST):
        if way.item and not block.item:
            continue
        match = way.regex.search(shown)
        if match is None:
            continue
        said = _Said(sentence, way, sentence.start + match.start(), sentence.start + match.end())
        if _trapped(shown, match, way) is None:
            return said
    return None


def _trapped(shown: str, match: re.Match[str], way: Way) -> str | None:
    """The name of the trap that speaks against it. What stands as its reason, before it or behind, is not asked."""
    what = traps.OBJECT.match(shown, match.end())
    if not way.marked and what and traps.WORK.match(what[0]):
        return "work"
    asked = traps.TRAPS if way.own else (*traps.TRAPS, *traps.OF_OTHERS)
    for trap in asked:
        if trap.name in way.deaf or (way.marked and trap.name not in traps.OF_LABELS):
            continue
        if trap.regex.search(_part(shown, match, trap)):
            return trap.name
    return None


def _part(shown: str, match: re.Match[str], trap: Trap) -> str:
    begin = _behind_reason(shown, match) if trap.name in traps.NOT_OF_REASONS else 0
    if trap.outside:
        return shown[begin : max(begin, match.start())]
    if trap in traps.OF_OTHERS:
        why = reasons.REASON.search(shown, match.end()) or reasons.CLAUSE.search(shown, match.end())
        return shown[: why.start()] if why else shown
    return shown[begin : match.end()] if trap.before else shown


def _behind_reason(shown: str, match: re.Match[str]) -> int:
    """Where what was decided begins, if its reason stands before it: "it would race, so I …"."""
    if reasons.WITHIN.search(shown, 0, match.start()):
        return match.start()
    return max(
        (so.end() for so in reasons.SO.finditer(shown, 0, match.end()) if so.start() <= match.start()), default=0
    )


# The shortest that says what was decided ("Redis"), and what is kept of a sentence and of its reason.
SHORTEST = 5
LONGEST_STATEMENT = 300
LONGEST_REASON = 400
# A reason further away than this is one of something else (SAME: 200 characters).
REACH = 200


def _marked(block: Block, parts: Sequence[Sentence], number: int, start: int, where: Where) -> Iterator[Decision]:
    """What follows the mark, and whatever the paragraph says next as its reason."""
    sentence = parts[number]
    cut = _cut(block, sentence, start)
    if cut is None:
        following = _following(block, parts, number, any_will_do=True)
        cut = (block.said[start : sentence.end], following)
    yield from _decision(*cut, where)


def _reasoned(block: Block, parts: Sequence[Sentence], number: int, said: _Said, where: Where) -> Iterator[Decision]:
    """The sentence and its reason; nothing without one in reach."""
    cut = _cut(block, said.sentence, said.sentence.start, said) or _concluded(block, parts, number)
    if cut is None:
        following = _following(block, parts, number, any_will_do=not said.way.strict)
        cut = (block.said[said.sentence.start : said.sentence.end], following)
    statement, why = cut
    if number and reasons.POINTS_BACK.match(block.shown[said.end : said.sentence.end]):
        statement = f"{block.said[parts[number - 1].start : parts[number - 1].end].strip()} {statement.strip()}"
    if re.search(r"\w\w", why):
        yield from _decision(statement, why, where)


def _cut(block: Block, sentence: Sentence, start: int, said: _Said | None = None) -> tuple[str, str] | None:
    """Statement and reason of one sentence that holds both; `said`: how it says the one."""
    begin = said.end if said else start
    whole = reasons.REASON_IS.match(block.shown[start : sentence.end])
    if whole:
        return block.said[start:][slice(*whole.span("what"))], block.said[start:][slice(*whole.span("why"))]
    shown = block.shown[: sentence.end]
    reason = reasons.REASON.search(shown, begin)
    if reason and reason.start() - begin <= REACH:
        statement, why = block.said[start : reason.start()], block.said[reason.start() : sentence.end]
        return statement, reasons.MERE.sub("", why)
    if said and (before := _before(block, sentence, said)):
        return before
    if said and said.way.plainly:
        return None
    clause = reasons.CLAUSE.search(shown, begin)
    if clause and len(block.said[clause.end() : sentence.end].split()) >= 3:
        return block.said[start : clause.start()], block.said[clause.end() : sentence.end]
    return None


# Where a sentence goes on with its subject, when no comma parts it from its reason.
MINE = re.compile(r"(?<=\s)(?:I|we)\b")


def _before(block: Block, sentence: Sentence, said: _Said) -> tuple[str, str] | None:
    """Statement and reason where the reason stands first: "since it is unread, I dropped it", "…, so I dropped it"."""
    shown, after = block.shown[sentence.start : sentence.end], said.end
    within = reasons.WITHIN.search(block.shown, sentence.start, said.start)
    if within:
        return block.said[said.start : sentence.end], block.said[slice(*within.span("why"))]
    early, comma = reasons.EARLY.match(shown), shown.rfind(", ", 0, after - sentence.start)
    if early and comma > 0:
        why = reasons.MERE.sub("", block.said[sentence.start : sentence.start + comma].lstrip(" *_-"))
        return block.said[sentence.start + comma + 2 : sentence.end], why
    if early and (mine := MINE.search(shown, early.end(), after)):
        return block.said[sentence.start + mine.start() : sentence.end], shown[: mine.start()]
    so = next((match for match in reasons.SO.finditer(shown) if match.start() <= after - sentence.start), None)
    if so and len(shown[: so.start()].split()) >= 3:
        return block.said[sentence.start + so.end() : sentence.end], block.said[sentence.start :][: so.start()]
    return None


def _concluded(block: Block, parts: Sequence[Sentence], number: int) -> tuple[str, str] | None:
    """Statement and reason where the sentence begins with "That's why": the sentence before it is the reason."""
    sentence = parts[number]
    therefore = reasons.THEREFORE.match(block.shown[sentence.start : sentence.end])
    if not therefore or not number:
        return None
    before = parts[number - 1]
    return block.said[sentence.start + therefore.end() : sentence.end], block.said[before.start : before.end]


def _following(block: Block, parts: Sequence[Sentence], number: int, *, any_will_do: bool) -> str:
    """The next sentence of the block, if it gives the reason."""
    if number + 1 >= len(parts):
        return ""
    after = parts[number + 1]
    shown, said = block.shown[after.start : after.end], block.said[after.start : after.end]
    if _question(block, after) or not (reasons.NEXT.search(shown) or (any_will_do and not traps.GOES_ON.match(shown))):
        return ""
    return reasons.MERE.sub("", reasons.LABEL_OF_REASON.sub("", said))


def _decision(statement: str, why: str, where: Where) -> Iterator[Decision]:
    statement, why = plain(statement, LONGEST_STATEMENT), plain(why, LONGEST_REASON)
    if len(statement) >= SHORTEST:
        yield Decision(statement, why, where, Sureness.HIGH if why else Sureness.MEDIUM)


# --- each once ----------------------------------------------------------------------------------------------
# Two wordings are one decision when so many of the shorter one's words are the longer one's too.
SAME = 0.7
# Fewer words in common are chance.
FEWEST_IN_COMMON = 3


def _with(standing: list[Decision], new: Decision, said: str) -> list[Decision]:
    """What stands after one more decision: said before, it is one; what it takes back goes."""
    kept = [old for old in standing if not _takes_back(new, said, old)]
    for at, old in enumerate(kept):
        if _same(old, new):
            fuller = new if len(new.reasoning) > len(old.reasoning) and not old.reasoning else old
            kept[at] = replace(fuller, where=old.where)
            return kept
    return [*kept, new]


def _same(one: Decision, other: Decision) -> bool:
    a, b = set(terms(one.statement)), set(terms(other.statement))
    common = len(a & b)
    return common >= min(FEWEST_IN_COMMON, len(a), len(b)) and common >= SAME * min(len(a), len(b))


def _takes_back(new: Decision, said: str, old: Decision) -> bool:
    """Whether the new one ends the old one: by a cue and the same subject, or by naming what it chose."""
    before = set(terms(old.statement))
    if reasons.TAKEN_BACK.search(said) and len(before & set(terms(new.statement))) >= 2:
        return True
    instead = reasons.INSTEAD.search(new.statement)
    named = set(terms(instead["what"])) if instead else set()
    chosen = set(terms(reasons.INSTEAD.sub("", old.statement)))
    return len(named) >= 2 and named <= chosen
