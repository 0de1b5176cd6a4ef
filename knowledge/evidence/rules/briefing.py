"""A briefing without a language model: sentences of the evidence itself, each with its place.

It says nothing that no file says. Sentences are chosen by the question's words they have, weighted by rarity, and by
not repeating each other (maximal marginal relevance); commands and code lines are kept whole. Patterns are the
evidence's own rules: its sentences that say what to do, or never to do, and why.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from knowledge.evidence.rules import windows
from knowledge.evidence.rules.keywords import Keywords
from knowledge.evidence.rules.rows import is_log_line
from knowledge.evidence.rules.scope import ending
from knowledge.retrieval.rules import bm25

MOST_SENTENCES = 7
FEWEST_SENTENCES = 4
FEWEST_PATTERNS, MOST_PATTERNS = 3, 5
# The share of a sentence that may have been said before.
REPEATED = 0.7
# The least number of words of a sentence that is quoted for its place beside the answer: a salutation has fewer.
LEAST_WORDS = 2
LONGEST_SENTENCE = 400
# The number of sentences behind the best one whose figures are quoted.
BESIDE = 2

# Blanks before a line of code, and before one that goes on below a list's mark.
CODE, DEEP = 4, 3

# A figure ("3.5", an address), ">=" and "#1234" mark no item.
_BULLET = re.compile(r"^\s*(?:[-*+•](?:\s+|$)|(?:\d+[.)](?=\s|$)|>(?!=)|#{1,6}(?=\s|$)|\|)\s*)")
_HEADING = re.compile(r"\s*#{1,6}(?:\s|$)")
# A number in brackets is a file's own reference, and would look like one of the briefing's.
_REFERENCE = re.compile(r"\[(\d{1,3})\]_?(?!\()")
# No sentence ends with "e.g." or "z.B.".
_ENDS = re.compile(r"(?<=[.!?])(?<![\s(]\w\.\w\.)\s+(?=[A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ`\"'(«„¿¡])|(?<=[。！？])(?=.)")
_ADVICE = re.compile(
    r"\b(must|never|always|should|because|otherwise|instead|before|after|unless|only|avoid|prefer|make sure|do not"
    r"|don't|need|requires?|if|when|so that|to (?:find|list|see|check|get|avoid|make|remove|stop|start|show))\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"^(?:run|use|set|add|remove|check|call|open|stop|start|restart|wait|take|keep|write|list|find|sort|delete|move|"
    r"put|ask|read|look|drop|create|rotate|verify|confirm|note|begin|turn|pin|install|restore|copy)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class BriefingPassage:
    """Evidence as the briefing sees it: its number in the list, its place in words, its text; `is_table`: rows below
    their header, which is the heading.
    """

    number: int
    place: str
    heading: str
    text: str
    score: float
    is_table: bool = False


@dataclass(frozen=True)
class Briefing:
    content: str
    patterns: tuple[str, ...]


@dataclass(frozen=True)
class _Sentence:
    text: str
    passage: int
    worth: float
    words: frozenset[str]
    order: int
    is_row: bool = False


# From this confidence on an answer is given as one; below, as a possible one.
SURE = 0.75
UNSURE_LINE = "*This may answer it; read the lines before you rely on them.*"


def not_found(
    files: int,
    sources: Sequence[str],
    places: Sequence[str],
    absent: Sequence[str] = (),
    unnamed: Sequence[str] = (),
) -> str:
    """Return the text if no passage answers: where it was searched, which words occur nowhere, which passages are
    nearest and which names of the question they lack.
    """
    named = ", ".join(sources[:3]) + (f" and {len(sources) - 3} more" if len(sources) > 3 else "")
    lines = [f"Not found in {files:,} files of {named}." if sources else "Not found: there is no source to search."]
    if absent:
        lines.append(f"No file has {', '.join(f'`{term}`' for term in absent)}.")
    if places:
        lacks = f"do not name {' or '.join(f'`{name}`' for name in unnamed)}" if unnamed else "do not seem to answer it"
        lines += ["", f"Nearest passages, which {lacks}:", *(f"- `{place}`" for place in places)]
    return "\n".join(lines)


def brief(
    passages: Sequence[BriefingPassage],
    keywords: Keywords,
    rarity: Mapping[str, float],
    sure: float = 1.0,
    outdated: tuple[int, str] | None = None,
    superseded: Mapping[int, int] | None = None,
) -> Briefing:
    """Return the extractive briefing, in Markdown, worded as the confidence allows. `outdated`: the number of a
    passage, and a sentence of it that a newer one contradicts; it is not stated as current. `superseded`: number → that
    of the passage whose file says that it replaces this one's.
    """
    sentences = [one for passage in passages for one in _sentences(passage, keywords, rarity)]
    if outdated is not None:
        number, said = outdated[0], frozenset(bm25.terms(outdated[1]))
        sentences = [one for one in sentences if one.passage != number or not said or not said <= one.words]
    chosen = _with_context(_chosen(sentences, MOST_SENTENCES), sentences)
    lines = [] if sure >= SURE else [UNSURE_LINE, ""]
    for passage in passages:
        mine = sorted((one for one in chosen if one.passage == passage.number), key=lambda one: one.order)
        if mine:
            title = passage.heading or passage.place
            newer = (superseded or {}).get(passage.number)
            lines.append(f"**{title}** [{passage.number}]" + (f", superseded by [{newer}]:" if newer else ""))
            lines += [f"- {_without_references(one.text)} [{passage.number}]" for one in mine]
            lines.append("")
    return Briefing("\n".join([*lines, sources(passages)]), _patterns(sentences))


def _without_references(text: str) -> str:
    """Return a sentence with its own numbers in brackets put into parentheses."""
    return _REFERENCE.sub(r"(\1)", text)


def sources(passages: Sequence[BriefingPassage]) -> str:
    """Return the list at the end of a briefing: numbers and places."""
    return "\n".join(["Sources:", *(f"- `{one.place}` [{one.number}]" for one in passages)])


def summary(text: str, keywords: Keywords, rarity: Mapping[str, float], *, is_table: bool = False) -> str:
    """Return the sentence, or the row, of an evidence that says most of what was asked."""
    found = _sentences(BriefingPassage(1, "", "", text, 1.0, is_table), keywords, rarity)
    return max(found, key=lambda one: (one.worth, -one.order)).text if found else _cut(text.strip())


# In these files lines like `def …` are examples, or prose.
_PROSE = frozenset(
    [".md", ".markdown", ".rst", ".txt", ".adoc", ".org", ".html", ".htm", ".docx", ".odt", ".pdf", ".eml"]
) | {""}
_CODE_HEADING = re.compile(r"\s*(?:async def|def|class|func|fn|(?:export )?function)\s+\w+")
_FENCE = re.compile(r"^[ \t]*```", re.MULTILINE)


def heading_above(text: str, start: int, path: str = "") -> str:
    """Return the Markdown, reStructuredText or code heading above a place; "" if there is none near. Headings within a
    fence are examples and do not count.
    """
    above = text[max(0, start - 6_000) : start + 200].split("\n")
    reach = text[max(0, start - 6_000) : start].count("\n")
    is_code = ending(path) not in _PROSE
    is_fenced = len(_FENCE.findall(text[:start])) % 2 == 1
    for at in range(min(reach + 1, len(above) - 1), -1, -1):
        line = above[at].lstrip("\f")
        if _FENCE.match(line):
            is_fenced = not is_fenced if at < reach else is_fenced
            continue
        if is_fenced:
            continue
        if re.match(r"#{1,6}\s+\S", line):
            return line.lstrip("# ").strip()[:120]
        if at + 1 < len(above) and re.fullmatch(r"([=\-~^*+#])\1{2,}\s*", above[at + 1]) and line.strip():
            return line.strip()[:120]
        if is_code and _CODE_HEADING.match(line):
            return line.strip().rstrip(":{ ")[:120]
    return ""


def _sentences(passage: BriefingPassage, keywords: Keywords, rarity: Mapping[str, float]) -> list[_Sentence]:
    found = []
    wanted = set(keywords.words)
    rows = [_cut(line.strip()) for line in passage.text.split("\n")[1:]] if passage.is_table else None
    for order, text in enumerate(split(passage.text) if rows is None else rows):
        words = bm25.terms(text)
        if not words:
            continue
        has = set(words)
        worth = sum(rarity.get(word, 0.0) for word in has & wanted)
        worth += sum(rarity.get(name, 0.0) for name in keywords.identifiers if name in text.lower())
        worth += 0.3 * bool(_ORDER.match(text)) + 0.2 * bool(_ADVICE.search(text)) + 0.2 * ("`" in text)
        worth /= (1 + len(words) / 30) ** 0.5
        is_row = rows is not None or is_log_line(text) or text.count(" | ") > 1
        found.append(_Sentence(text, passage.number, worth * (0.5 + passage.score / 2), frozenset(has), order, is_row))
    return found


def split(text: str) -> list[str]:
    """Return the sentences of prose, also those of a list or a docstring that span several lines, and the lines of
    logs, tables and code; without list marks and headings.
    """
    found: list[str] = []
    paragraph: list[str] = []
    lines = [*text.split("\n"), ""]
    indent, code, before = 0, _begins_in_code(lines), ""
    for line in lines:
        is_fence = line.strip().startswith("```")
        code = code != is_fence
        marked = _BULLET.match(line)
        bare = (line[marked.end() :] if marked else line).strip()
        cells = line.count(" | ") > 1 or (" | " in line and "`" not in line) or _COLUMNS.search(bare) is not None
        is_heading = _HEADING.match(line) is not None
        alone = code or is_fence or is_log_line(line) or cells or is_heading or line.lstrip().startswith("|")
        at = len(line) - len(line.lstrip())
        goes_on = bool(paragraph) and not marked and (at == indent or at <= DEEP)
        goes_on = goes_on and (windows.may_be_prose(bare) or windows.is_wrapped(before, bare))
        goes_on = goes_on and not _is_next_item(before, bare)
        reads = goes_on or at < CODE or bool(marked) or windows.reads_as_prose(bare)
        if alone or not bare or not goes_on:
            found += _ENDS.split(" ".join(paragraph)) if paragraph else []
            paragraph = []
        if _RULE.fullmatch(bare):
            bare = ""
        if bare and not alone and reads:
            paragraph.append(bare)
            indent = len(line) - len(bare) if marked else at
        elif bare and not is_heading and not line.lstrip().startswith("```"):
            found += [f"`{bare}`"] if code and "`" not in bare else _ENDS.split(_COLUMNS.sub(" ", bare))
        before = line.rstrip()
    return [_cut(one.strip()) for one in found if len(one.strip()) > 3]


def _cut(text: str) -> str:
    """Return a sentence or row; of a long one the beginning, up to the end of a word."""
    if len(text) <= LONGEST_SENTENCE:
        return text
    words, blank, _ = text[: LONGEST_SENTENCE + 1].rpartition(" ")
    return f"{words} …" if blank else f"{text[:LONGEST_SENTENCE]}…"


# The blanks between the columns of a table, and the lines around one or below a title.
_COLUMNS = re.compile(r"(?<=\S) {3,}(?=\S)")
_RULE = re.compile(r"[=+|~^*_ -]{4,}")


def _is_next_item(before: str, bare: str) -> bool:
    """Return whether a line is an item of its own below another: it begins like one, and its first word had
    room above.
    """
    room = windows.FILLED - len(before) - 1
    return bool(bare) and (bare[0].isupper() or bare[0].isdigit()) and len(bare.split(maxsplit=1)[0]) <= room


def _begins_in_code(lines: Sequence[str]) -> bool:
    """Return whether a text cut out of another begins within a fence: a fence that names its language opens."""
    fences = [line.strip() for line in lines if line.strip().startswith("```")]
    named = next((at for at, fence in enumerate(fences) if fence.strip("`")), None)
    if named is not None:
        return named % 2 == 1
    before = lines[: next((at for at, line in enumerate(lines) if line.strip().startswith("```")), 0)]
    told = [line for line in before if line.strip()]
    return len(fences) % 2 == 1 and bool(told) and sum(map(windows.may_be_prose, told)) < len(told) / 2


def _chosen(sentences: Sequence[_Sentence], most: int) -> list[_Sentence]:
    chosen: list[_Sentence] = []
    for one in sorted(sentences, key=lambda s: (-s.worth, s.passage, s.order)):
        if len(chosen) == most:
            break
        if one.worth > 0 and not any(_repeats(one, other) for other in chosen):
            chosen.append(one)
    return chosen


def _with_context(chosen: list[_Sentence], sentences: list[_Sentence]) -> list[_Sentence]:
    """Return the chosen sentences, with the neighbours of the first passage's best sentence, following ones first, if
    few of them say anything of the question: an answer need not repeat its words. In a log these are the line before
    and the one after; in a table the rows below its header, if only the header has the words.
    """
    first = [one for one in sentences if one.passage == 1]
    best = next((one for one in chosen if one.passage == 1), None)
    at = best.order if best else -1
    if best is not None and best.is_row:
        beside = [one for one in first if abs(one.order - at) == 1 and one not in chosen]
        return [*chosen, *(beside if is_log_line(best.text) else _below_header(best, first, chosen))]
    # The figure that is asked for often follows the sentence that names it: "the interval of checks. It defaults to
    # 2000 ms."
    beside = [one for one in first if one not in chosen and 0 < one.order - at <= BESIDE and _has_figure(one)]
    told = [*chosen, *beside] if best is not None else list(chosen)
    for one in sorted(first, key=lambda one: (abs(one.order - at), -one.order)):
        if len(told) >= FEWEST_SENTENCES:
            break
        if len(one.words) >= LEAST_WORDS and not any(_repeats(one, other) for other in told):
            told.append(one)
    return told


# The number of rows quoted below a header that has the question's words.
MOST_ROWS = 3


def _below_header(row: _Sentence, passage: Sequence[_Sentence], chosen: Sequence[_Sentence]) -> list[_Sentence]:
    """Return the rows below a header, if none of them is chosen; nothing below another row."""
    before = max((one for one in passage if one.order < row.order), key=lambda one: one.order, default=None)
    if before is None or before.is_row:
        return []
    below = list(takewhile(lambda one: one.is_row, (one for one in passage if one.order > row.order)))
    return [] if any(one in chosen for one in below) else below[:MOST_ROWS]


def _has_figure(one: _Sentence) -> bool:
    return any(letter.isdigit() for letter in one.text)


def _repeats(one: _Sentence, other: _Sentence) -> bool:
    """Return whether a sentence says little that another has not said. A title has the words of the text below it, and
    a new figure counts as new; but every row has its own figures.
    """
    new = frozenset() if one.is_row else one.words - other.words
    figures = any(letter.isdigit() for word in new for letter in word)
    return not figures and len(one.words & other.words) >= REPEATED * len(one.words)


def _patterns(sentences: Sequence[_Sentence]) -> tuple[str, ...]:
    """Return 3–5 sentences that advise, filled up with the best others if the evidence advises little."""
    advice = [one for one in sentences if _ORDER.match(one.text) or _ADVICE.search(one.text)]
    best = _chosen([one for one in advice if len(one.words) >= 4], MOST_PATTERNS)
    if len(best) < FEWEST_PATTERNS:
        others = [one for one in sentences if one not in best and len(one.words) >= 3]
        best = _chosen([*best, *others], FEWEST_PATTERNS)
    return tuple(one.text for one in best)
