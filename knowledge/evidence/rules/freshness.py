"""Which files a saved answer has not covered, and whether one of them may answer better.

A file is uncovered if it is new, if its size or times differ, or if the search that made the answer left it out. Most
uncovered files have nothing to do with the question. Only a file that shares enough of its words, or that speaks of a
cited file ("supersedes ADR 21"), is worth a search. The threshold is low on purpose: a search too many costs a second,
one too few gives an outdated answer.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from knowledge.evidence.rules import windows
from knowledge.evidence.rules.keywords import Keywords
from knowledge.evidence.rules.scope import SearchScope
from knowledge.evidence.rules.windows import Finder

# The share of the question's words, each counted alike, in the best window of a file or in its path. Not fitted: a
# third is one word of three; below it a question of six words would be searched again for any file that has one of
# them.
SHARED = 1 / 3
_NUMBERED = re.compile(r"^(?:([a-z]+)[-_ ]?)?0*(\d{1,6})(?=\D|$)", re.IGNORECASE)
# The names in prose of a file whose name is only a number.
_SERIES = "adr|rfc|pep|decision|proposal|dr|no"
_TAKES_PLACE = "supersed(?:es|ing)|replac(?:es|ing)|obsoletes|deprecates|amends|ersetzt|remplace|reemplaza|заменяет"
# A file that says of itself, near its top, that it is replaced: "Status: superseded by 0009".
_IS_REPLACED = re.compile(
    r"\b(?:(?:superseded|replaced|obsoleted)[ -]by|ersetzt durch|remplacée? par|reemplazad[oa] por|замен[её]н\w* на)\b"
    r"(?P<what>[^\n]{1,200})",
    re.IGNORECASE,
)
TOP = 1_500
Pattern = re.Pattern[str]


def uncovered(
    now: Mapping[str, object],
    then: Mapping[str, object],
    *,
    asked: Sequence[SearchScope],
    covered: SearchScope | None,
) -> Iterator[str]:
    """Yield the paths that are `asked` for now, and were not there in the same state, or not `covered`, then (None: all
    were).
    """
    for path, facts in now.items():
        known = then.get(path) == facts and (covered is None or covered.takes(path))
        if not known and all(scope.takes(path) for scope in asked):
            yield path


def may_answer(path: str, text: str, keywords: Keywords, cited: Collection[str]) -> bool:
    """Return whether a file may answer a question whose answer so far cites files of these paths."""
    if speaks_of(text, cited):
        return True
    alike = dict.fromkeys((*keywords.words, *keywords.identifiers), 1.0)
    whole = f"{path}\n{text}"
    hits = Finder(keywords).hits(whole)
    in_path = {word for hit in hits if hit.at < len(path) for word in hit.words}
    best = windows.best(text, _moved(hits, len(path) + 1), keywords, alike, 1)
    found = in_path | (best[0].words if best else frozenset())
    return len(found) >= SHARED * max(1, len(alike))


def _moved(hits: Sequence[windows.TermHit], by: int) -> list[windows.TermHit]:
    return [windows.TermHit(hit.at - by, hit.words) for hit in hits if hit.at >= by]


def speaks_of(text: str, cited: Collection[str]) -> bool:
    """Return whether a text names one of these files: by its name, or by its number as ADRs are named."""
    return any(re.search(name, text, re.IGNORECASE) for path in cited for name in _names(path))


def is_numbered(path: str) -> bool:
    """Return whether a file is one of a series, as ADRs and RFCs are: its name begins with a number, or a word
    and one.
    """
    return _NUMBERED.match(path.rpartition("/")[2]) is not None


def successor_pattern(path: str) -> Pattern:
    """Return a pattern, for ripgrep and Python alike, of a text that says that it replaces a file."""
    named = rf"[^\n]{{0,120}}?(?:{'|'.join(f'(?:{name})' for name in _names(path))})"
    bare = rf"|\W{{0,6}}(?:{number})" if (number := _number(path)) else ""
    return re.compile(rf"\b(?:{_TAKES_PLACE})\b(?:{named}{bare})", re.IGNORECASE | re.MULTILINE)


def successors_named(path: str, text: str, paths: Collection[str]) -> list[str]:
    """Return the `paths` in the same folder that the top of a file names as its replacement."""
    told = _IS_REPLACED.search(text[:TOP])
    if told is None:
        return []
    folder = path.rpartition("/")[0]
    beside = (one for one in paths if one != path and one.rpartition("/")[0] == folder)
    return [one for one in beside if _is_named(one, told["what"])]


def _is_named(path: str, text: str) -> bool:
    number = _number(path)
    patterns = [*_names(path), *([rf"^\W{{0,6}}(?:{number})"] if number else [])]
    return any(re.search(one, text, re.IGNORECASE | re.MULTILINE) for one in patterns)


def _number(path: str) -> str:
    """Return a pattern of a file's number standing alone: with the zeros of its name ("Supersedes 0003"), or at the end
    of the statement, because "replaces 12 workers" is about something else; "" for a file without a number.
    """
    numbered = _NUMBERED.match(path.rpartition("/")[2])
    if numbered is None:
        return ""
    digits = numbered[0][len(numbered[0].rstrip("0123456789")) :]
    return rf"{digits}\b" if digits.startswith("0") else rf"{digits}(?:[.,;\])]|$)"


def _names(path: str) -> list[str]:
    """Return patterns of a file's names in prose."""
    name = path.rpartition("/")[2]
    stem = name.rpartition(".")[0] or name
    found = [rf"\b{re.escape(name)}\b"]
    if len(stem) > 8 and not stem.isalpha():
        found.append(rf"\b{re.escape(stem)}\b")
    if numbered := _NUMBERED.match(stem):
        series = re.escape(numbered[1]) if numbered[1] else _SERIES
        found.append(rf"\b(?:{series})\.?[\s#_-]*0*{numbered[2]}\b")
    return found
