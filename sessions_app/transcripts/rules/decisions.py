"""Extract the decisions that an assistant made in a transcript: what was decided, why, and the quoted words.

Only the assistant's own prose is read (`rules/turn`). What a user, a tool, a quotation or code says is not taken for a
decision, so that a text put before an agent cannot plant one. A sentence is a decision if it is labelled as one
("Decision: …", text under the heading "Decision", a row of a table of decisions), or if one of a few PATTERNS finds "I"
or "we" deciding in it and nothing excludes it (a question, a condition, something reported, a former state). Precision
comes first: other decisions are found by searching the conversation.

The reason is the clause after its connective, before or after the decision; otherwise a clause after a colon or a dash;
otherwise a next sentence that gives one; for labelled text, whatever comes next in the paragraph. Of a decision that is
stated twice, the statement with the fuller reason is kept. A decision that is taken back ("on second thought", "Y
instead of X") is removed.
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
    """High: with its reason, so that it is worth a draft. Medium: without one; it is shown to the next session."""

    HIGH = "high"
    MEDIUM = "medium"


@dataclass(frozen=True)
class Where:
    """The turn (from 0) in the original transcript, the line in it (from 1), and the time, if known."""

    turn: int
    line: int
    at: str = ""


@dataclass(frozen=True)
class Decision:
    """What was decided, in the assistant's words, without Markdown; `reasoning` is "" if none was found.

    `quote`: the original sentences.
    """

    statement: str
    reasoning: str
    where: Where
    sureness: Sureness
    quote: str = ""


# The most that a session's digest holds; a day's work rarely has ten. The latest are kept.
MOST = 30


def extract(turns: Sequence[Turn]) -> list[Decision]:
    """Return the decisions of a transcript in order, each once. The text may be hostile."""
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
    """Yield the decision in a row of a table: the column of reasons separately, the other cells joined."""
    cells = dict(zip(block.columns, block.cells, strict=False))
    why = [cell for column, cell in cells.items() if words.REASON_COLUMN.match(column)]
    said = [cell for column, cell in cells.items() if cell and not words.REASON_COLUMN.match(column)]
    told = any(map(words.DECIDED_COLUMN.match, block.columns)) and any(why)
    if (told or words.DECIDED.match(block.heading)) and not any(cell.endswith("?") for cell in said):
        yield from _decision(": ".join(said), " ".join(why), where, block.said)


def _decides(shown: str) -> int:
    """Return the position where the deciding words of a sentence end; 0 if there are none, or something excludes the
    sentence.
    """
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
    """Return where the decision begins if its reason comes first: "it would race, so I …", "since it races, I …"."""
    before = [so.end() for so in reasons.SO.finditer(shown, 0, end) if so.start() <= start]
    comma = shown.rfind(", ", 0, start + 2)
    if reasons.EARLY.match(shown) and comma > 0:
        before.append(comma + 2)
    return min(max(before, default=0), start)


# The shortest statement ("Redis"), and the lengths to which a sentence, its reason and both together are cut.
SHORTEST = 5
LONGEST_STATEMENT = 300
LONGEST_REASON = 400
LONGEST_QUOTE = 600
# A reason further away than this belongs to something else (SAME: 200 characters).
REACH = 200
# The least number of words after a colon or a dash, or before a "so", that count as a reason.
FEWEST_WORDS = 3


def _labelled(block: Block, parts: Sequence[TurnSentence], number: int, start: int, where: Where) -> Iterator[Decision]:
    """Yield the text after the label, with what the paragraph says next as its reason."""
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
    """Yield the sentence and its reason, if one is near."""
    sentence = parts[number]
    cut = _cut(block, sentence, sentence.start, end) or _before(block, sentence, end)
    if cut is None:
        cut = (block.said[sentence.start : sentence.end], _following(block, parts, number, any_will_do=False))
    yield from _decision(*cut, where, _quoted(block, parts, number, cut[1]))


def _cut(block: Block, sentence: TurnSentence, start: int, begin: int) -> tuple[str, str] | None:
    """Return the statement of a sentence, which begins at `start`, and its reason, which begins after `begin`."""
    shown = block.shown[: sentence.end]
    reason = reasons.REASON.search(shown, begin)
    # "I chose to keep the cache because …": what follows the deciding words directly is the decision.
    if reason and not shown[begin : reason.start()].strip() and reason.group().lower().startswith("to "):
        reason = reasons.REASON.search(shown, reason.end())
    if reason and reason.start() - begin <= REACH:
        return block.said[start : reason.start()], reasons.MERE.sub("", block.said[reason.start() : sentence.end])
    clause = reasons.CLAUSE.search(shown, begin)
    if clause and len(block.said[clause.end() : sentence.end].split()) >= FEWEST_WORDS:
        return block.said[start : clause.start()], block.said[clause.end() : sentence.end]
    return None


def _before(block: Block, sentence: TurnSentence, end: int) -> tuple[str, str] | None:
    """Return the statement and the reason if the reason comes first: "since it is unread, I …", "it is unread,
    so I …".
    """
    shown, said = block.shown[sentence.start : sentence.end], block.said[sentence.start : sentence.end]
    comma = shown.rfind(", ", 0, end - sentence.start)
    if reasons.EARLY.match(shown) and comma > 0:
        return said[comma + 2 :], reasons.MERE.sub("", said[:comma].lstrip(" *_-"))
    so = next((match for match in reasons.SO.finditer(shown) if match.start() <= end - sentence.start), None)
    if so and len(shown[: so.start()].split()) >= FEWEST_WORDS:
        return said[so.end() :], said[: so.start()]
    return None


def _following(block: Block, parts: Sequence[TurnSentence], number: int, *, any_will_do: bool) -> str:
    """Return the next sentence of the block, if it gives the reason."""
    if number + 1 >= len(parts):
        return ""
    after = parts[number + 1]
    shown, said = block.shown[after.start : after.end], block.said[after.start : after.end]
    gives = reasons.NEXT.search(shown) or (any_will_do and not reasons.GOES_ON.match(shown))
    if words.QUESTION.search(shown) or not gives:
        return ""
    return reasons.MERE.sub("", reasons.LABEL_OF_REASON.sub("", said))


def _quoted(block: Block, parts: Sequence[TurnSentence], number: int, why: str) -> str:
    """Return the original sentence, with the next one if that has the reason."""
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
    """Return the decisions after one more: a repeated one is merged, and one that the new one takes back is removed."""
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
    """Return whether the new decision takes the old one back: by a cue and the same subject, or by naming what it
    chose.
    """
    before = set(terms(old.statement))
    if reasons.TAKEN_BACK.search(said) and len(before & set(terms(new.statement))) >= 2:
        return True
    instead = reasons.INSTEAD.search(new.statement)
    named = set(terms(instead["what"])) if instead else set()
    chosen = set(terms(reasons.INSTEAD.sub("", old.statement)))
    return len(named) >= 2 and named <= chosen
