"""Decisions that an assistant took in a transcript: what was decided, why, and the words it said so in.

Only the assistant's own prose is read (`rules/turn`): nothing a user, a tool, a quotation or a piece of code says is
taken for its decision, so that text put before an agent cannot plant one. A sentence is a decision when it is labelled
as one ("Decision: …", what stands under the heading "Decision", a row of a table of decisions), or when one of a few
PATTERNS finds "I" or "we" deciding in it and nothing speaks against it (a question, a condition, something reported,
how it was once). Precision comes first: whatever else was decided is found in the conversation itself.

The reason is the clause behind its connective, before or after; else a clause behind a colon or a dash; else a next
sentence that gives one; of what is labelled, whatever comes next in the paragraph. A decision said twice is one, with
the fuller reason; one that is taken back ("on second thought", "Y instead of X") is gone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from knowledge.retrieval.rules.bm25 import terms
from sessions_app.transcripts.rules import decision_reasons as reasons
from sessions_app.transcripts.rules import decision_words as words
from sessions_app.transcripts.rules.blocks import LONGEST_SENTENCE, Block, TurnSentence, blocks, plain, sentences
from sessions_app.transcripts.rules.turn import ASSISTANT, Turn, recent


class Sureness(StrEnum):
    """High: with its reason, so that it is worth a draft. Medium: without one; the next session is told."""

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
    """What was decided, in the assistant's words, without Markdown; `reasoning` is empty when none was in reach.

    `quote`: the sentences it was said in, as they stand.
    """

    statement: str
    reasoning: str
    where: Where
    sureness: Sureness
    quote: str = ""


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


def _in_block(block: Block, where: Where) -> Iterator[Decision]:
    if block.columns:
        yield from _in_row(block, where)
        return
    parts = sentences(block)
    if words.UNDECIDED.match(block.heading):
        return
    if parts and (words.DECIDED if block.item else words.RECORD).match(block.heading):
        label = words.LABEL.match(block.shown[:LONGEST_SENTENCE])
        yield from _labelled(block, parts, 0, label.end() if label else parts[0].start, where)
        return
    for number, sentence in enumerate(parts):
        shown = block.shown[sentence.start : sentence.end]
        label = words.LABEL.match(shown[:LONGEST_SENTENCE])
        if label:
            yield from _labelled(block, parts, number, sentence.start + label.end(), where)
        elif len(shown) <= LONGEST_SENTENCE and (end := _decides(shown)):
            yield from _decisions_of_sentence(block, parts, number, sentence.start + end, where)


def _in_row(block: Block, where: Where) -> Iterator[Decision]:
    """A row of a table of decisions: the column of reasons apart, what its cells say one after the other."""
    cells = dict(zip(block.columns, block.cells, strict=False))
    why = [cell for column, cell in cells.items() if words.REASON_COLUMN.match(column)]
    said = [cell for column, cell in cells.items() if cell and not words.REASON_COLUMN.match(column)]
    told = any(map(words.DECIDED_COLUMN.match, block.columns)) and any(why)
    if (told or words.DECIDED.match(block.heading)) and not any(cell.endswith("?") for cell in said):
        yield from _decision(": ".join(said), " ".join(why), where, block.said)


def _decides(shown: str) -> int:
    """Where the words end by which a sentence says a decision; 0 if it says none, or something speaks against it."""
    if words.QUESTION.search(shown) or words.BY_MISTAKE.search(shown):
        return 0
    for pattern in words.PATTERNS:
        match = pattern.regex.search(shown)
        if match is None:
            continue
        begin = _behind_reason(shown, match.start(), match.end())
        against = words.AGAINST.search(shown, begin, match.end())
        clause = words.IN_CLAUSE.search(shown, begin, max(begin, match.start()))
        if not against and not clause and not words.WORK.match(shown[match.end() :]):
            return match.end()
    return 0


def _behind_reason(shown: str, start: int, end: int) -> int:
    """Where what was decided begins, if its reason stands before it: "it would race, so I …", "since it races, I …"."""
    before = [so.end() for so in reasons.SO.finditer(shown, 0, end) if so.start() <= start]
    comma = shown.rfind(", ", 0, start + 2)
    if reasons.EARLY.match(shown) and comma > 0:
        before.append(comma + 2)
    return min(max(before, default=0), start)


# The shortest that says what was decided ("Redis"), and what is kept of a sentence, of its reason and of both.
SHORTEST = 5
LONGEST_STATEMENT = 300
LONGEST_REASON = 400
LONGEST_QUOTE = 600
# A reason further away than this is one of something else (SAME: 200 characters).
REACH = 200
# So many words behind a colon or a dash, or before a "so", say why.
FEWEST_WORDS = 3


def _labelled(block: Block, parts: Sequence[TurnSentence], number: int, start: int, where: Where) -> Iterator[Decision]:
    """What follows the label, and whatever the paragraph says next as its reason."""
    sentence = parts[number]
    shown = block.shown[start : sentence.end]
    if words.QUESTION.search(shown) or words.ADVICE.search(shown[:LONGEST_SENTENCE]):
        return
    cut = _cut(block, sentence, start, start)
    if cut is None:
        cut = (block.said[start : sentence.end], _following(block, parts, number, any_will_do=True))
    yield from _decision(*cut, where, _quoted(block, parts, number, cut[1]))


def _decisions_of_sentence(
    block: Block, parts: Sequence[TurnSentence], number: int, end: int, where: Where
) -> Iterator[Decision]:
    """The sentence and its reason, if one is in reach."""
    sentence = parts[number]
    cut = _cut(block, sentence, sentence.start, end) or _before(block, sentence, end)
    if cut is None:
        cut = (block.said[sentence.start : sentence.end], _following(block, parts, number, any_will_do=False))
    yield from _decision(*cut, where, _quoted(block, parts, number, cut[1]))


def _cut(block: Block, sentence: TurnSentence, start: int, begin: int) -> tuple[str, str] | None:
    """Statement and reason of one sentence that says the one from `start` and the other behind `begin`."""
    shown = block.shown[: sentence.end]
    reason = reasons.REASON.search(shown, begin)
    # "I chose to keep the cache because …": what follows the deciding words at once is what was decided.
    if reason and not shown[begin : reason.start()].strip() and reason.group().lower().startswith("to "):
        reason = reasons.REASON.search(shown, reason.end())
    if reason and reason.start() - begin <= REACH:
        return block.said[start : reason.start()], reasons.MERE.sub("", block.said[reason.start() : sentence.end])
    clause = reasons.CLAUSE.search(shown, begin)
    if clause and len(block.said[clause.end() : sentence.end].split()) >= FEWEST_WORDS:
        return block.said[start : clause.start()], block.said[clause.end() : sentence.end]
    return None


def _before(block: Block, sentence: TurnSentence, end: int) -> tuple[str, str] | None:
    """Statement and reason where the reason stands first: "since it is unread, I …", "it is unread, so I …"."""
    shown, said = block.shown[sentence.start : sentence.end], block.said[sentence.start : sentence.end]
    comma = shown.rfind(", ", 0, end - sentence.start)
    if reasons.EARLY.match(shown) and comma > 0:
        return said[comma + 2 :], reasons.MERE.sub("", said[:comma].lstrip(" *_-"))
    so = next((match for match in reasons.SO.finditer(shown) if match.start() <= end - sentence.start), None)
    if so and len(shown[: so.start()].split()) >= FEWEST_WORDS:
        return said[so.end() :], said[: so.start()]
    return None


def _following(block: Block, parts: Sequence[TurnSentence], number: int, *, any_will_do: bool) -> str:
    """The next sentence of the block, if it gives the reason."""
    if number + 1 >= len(parts):
        return ""
    after = parts[number + 1]
    shown, said = block.shown[after.start : after.end], block.said[after.start : after.end]
    gives = reasons.NEXT.search(shown) or (any_will_do and not reasons.GOES_ON.match(shown))
    if words.QUESTION.search(shown) or not gives:
        return ""
    return reasons.MERE.sub("", reasons.LABEL_OF_REASON.sub("", said))


def _quoted(block: Block, parts: Sequence[TurnSentence], number: int, why: str) -> str:
    """The sentence as it stands, and the next one if the reason is there."""
    sentence = parts[number]
    further = why and plain(why, LONGEST_REASON) not in plain(
        block.said[sentence.start : sentence.end], LONGEST_SENTENCE
    )
    last = parts[number + 1] if further and number + 1 < len(parts) else sentence
    return block.said[sentence.start : last.end]


def _decision(statement: str, why: str, where: Where, quote: str) -> Iterator[Decision]:
    statement, why = plain(statement, LONGEST_STATEMENT), plain(why, LONGEST_REASON)
    if len(statement) >= SHORTEST:
        sure = Sureness.HIGH if why else Sureness.MEDIUM
        yield Decision(statement, why, where, sure, plain(quote, LONGEST_QUOTE))


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
