"""The reader of English for all rules that compare texts: sentences with their figures, names, words and negations.

It reads by pattern, not grammar. A wrong reading costs a question, never a fact, because nothing is merged or replaced
on account of a pattern alone. The few word lists are closed classes (negators, units). There is no list of tools or
synonyms, because a word that a list lacks would be misread.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from knowledge.retrieval.rules import bm25

_UNITS = {
    "ms": ("time", 0.001), "millisecond": ("time", 0.001), "s": ("time", 1.0), "sec": ("time", 1.0),
    "second": ("time", 1.0), "min": ("time", 60.0), "minute": ("time", 60.0), "h": ("time", 3600.0),
    "hour": ("time", 3600.0), "day": ("time", 86_400.0), "week": ("time", 604_800.0), "month": ("time", 2_592_000.0),
    "year": ("time", 31_536_000.0), "b": ("size", 1.0), "byte": ("size", 1.0), "kb": ("size", 2.0**10),
    "kib": ("size", 2.0**10), "mb": ("size", 2.0**20), "mib": ("size", 2.0**20), "gb": ("size", 2.0**30),
    "gib": ("size", 2.0**30), "tb": ("size", 2.0**40), "tib": ("size", 2.0**40), "%": ("share", 1.0),
    "percent": ("share", 1.0), "mm": ("length", 1e-3), "cm": ("length", 1e-2), "km": ("length", 1e3),
    "mile": ("length", 1609.344), "mg": ("mass", 1e-3), "kg": ("mass", 1e3), "gallon": ("volume", 3.785411784),
}  # fmt: skip
_PREFIXES = {"nano": 1e-9, "micro": 1e-6, "milli": 1e-3, "centi": 1e-2, "": 1.0, "kilo": 1e3, "mega": 1e6, "giga": 1e9}
_BASES = {"second": "time", "metre": "length", "meter": "length", "gram": "mass", "litre": "volume", "liter": "volume"}
_UNITS |= {
    prefix + base: (dimension, factor) for base, dimension in _BASES.items() for prefix, factor in _PREFIXES.items()
}
_UNITS |= {f"{prefix}byte": _UNITS[f"{prefix[0]}b"] for prefix in ("kilo", "mega", "giga", "tera")}
_NUMBERS = dict(zip("two three four five six seven eight nine ten eleven twelve".split(), range(2, 13), strict=True))  # noqa: SIM905
_NUMBERS |= {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
_TIMES = {"hundred": 100, "thousand": 1_000, "k": 1_000, "million": 1_000_000}
# "One" is a number before a unit ("one hour") and mostly a pronoun elsewhere.
_COUNTED = "|".join(unit for unit in _UNITS if len(unit) > len("min"))
_SPELLED = re.compile(
    rf"\b(?P<digits>{'|'.join(_NUMBERS)}|a(?= hundred| thousand)|one(?=[ -](?:hundred|thousand|{_COUNTED})s?\b)"
    rf"|\d{{1,15}}(?!\d))"
    rf"(?:[ -]?(?P<times>{'|'.join(_TIMES)}))?\b",
    re.IGNORECASE,
)
_NEGATORS = frozenset(
    "not no never none nobody nothing neither nor without cannot avoid avoids avoiding stop stopped forbidden".split()  # noqa: SIM905
)
# "Instead of X", "rather than X": the words that follow are rejected.
_TURNS_DOWN = frozenset({("instead", "of"), ("rather", "than"), ("no", "longer")})
# "Unless X", "apart from X": the words that follow are excepted.
_EXCEPTS = frozenset("unless except excepting excluding barring".split())  # noqa: SIM905
_EXCEPTS_TOO = frozenset(
    {("apart", "from"), ("aside", "from"), ("other", "than"), ("save", "for"), ("but", "not"), ("only", "if"),
     ("only", "when")}
)  # fmt: skip
_IDLE = frozenset({("not", "only"), ("not", "just"), ("no", "matter"), ("not", "necessarily"), ("no", "more")})
# The prefix of the dimension of a unit without a figure, as in "told in seconds".
UNIT_OF = "unit of"
# The value of a switch, as in "set it to NO".
VALUE = "NO"
# The words that follow state a condition or a reason: a "not" among them denies nothing.
_SUPPOSES = frozenset("otherwise else unless if because or".split())  # noqa: SIM905
# The number of content words after a negator, within the clause, that are denied.
REACH = 5
CHANGED = re.compile(
    r"\b(?:no longer|not any ?more|any ?more|until recently|as of (?=\w)|since (?=v?\d)"
    r"|(?<!be )(?<!being )(?<!is )(?<!are )(?<!was )(?<!were )(?<!get )used to (?=\w)"
    r"|(?:switched|moved|migrated|changed|raised|lowered|renamed|upgraded|downgraded|bumped)\b[^.;\n]{0,80}?\bto\b"
    r"|(?:was|were|been|is|are|got) (?:replaced|removed|retired|dropped|deprecated|superseded|discontinued)"
    r"|replaced by|replaces|deprecated|superseded|instead of (?=\w)|now (?=\w)|from now on)\b",
    re.IGNORECASE,
)

_CODE_BLOCK = re.compile(r"```.*?(?:```|\Z)|^(?: {4}|\t)\S[^\n]*$", re.S | re.M)
# A paragraph, an item or a heading begins a sentence; a line that was only wrapped does not. "2 a.m." ends one only
# where a capital follows, "e.g." never.
_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bcf\.)(?:(?<!\b[^\W\d_]\.[^\W\d_]\.)|(?=\s+[A-Z]))\s+"
    r"|;|:\s|\n\s*\n|\n(?=\s*(?:[-*#>|]|\d+\.))|\s—\s"
)
_UNIT = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_SCAN = re.compile(
    rf"""(?P<rate>(?<![\w.])(?P<per>\d[\d,_]*(?:\.\d+)?)[\s-]?(?P<rated>[^\W\d_]{{1,12}}/(?:{_UNIT}))(?![\w/*-]|\.\w))
    |(?P<path>(?<![\w.@~*/-])(?:\.{{0,2}}/)?(?:[\w.@~*-]++/)++[\w.*-]*+)
    |(?P<version>\bv?\d+(?:\.\d+){{2,}}[\w.+-]*\b|\bv\d+\b)
    |(?P<number>(?<![\w.])(?P<digits>\d[\d,_]*(?:\.\d+)?)(?:[\s-]?(?P<unit>{_UNIT})s?)?(?![\w%]))
    |(?P<word>[^\W_][\w'’]*(?:[.:@\#=+-]+\w+)*)
    |(?P<stop>[,()\[\]])""",
    re.VERBOSE | re.IGNORECASE,
)
_NAME = re.compile(r"[\d_.:@#=]|(?<=[a-z])[A-Z]|^[A-Z]{2,}s?$")
# The largest number of sentences read; later ones are not needed to know what a text is about.
MOST_SENTENCES = 60
# The largest number of characters read. A longer text is not for a rule to compare.
LONGEST = 8_000


@dataclass(frozen=True)
class Sentence:
    """The features of a sentence.

    `figures`: dimension and value ("time:30"). `names`: identifiers and proper names in lower case. `paths`. `words`:
    stems. `denied`: the stems that a negation takes back. `changes`: the words that announce a change. `counted`: each
    figure with the word before or after it, as in "Node 16" and "16 workers". `exceptions`: the words that leave
    something out ("unless"). `subjects`: the stems before a negation in its clause. `written`: each figure and stem as
    the text has it ("30 days", "approved"), to show and never to compare.
    """

    text: str
    figures: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()
    changes: tuple[str, ...] = ()
    counted: frozenset[tuple[str, str]] = frozenset()
    exceptions: tuple[str, ...] = ()
    subjects: tuple[frozenset[str], ...] = ()
    written: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def content(self) -> frozenset[str]:
        """Everything the sentence says, to be compared with another one."""
        return self.words | self.figures


@dataclass(frozen=True)
class Reading:
    """A text with its sentences."""

    sentences: tuple[Sentence, ...]
    complete: bool = True

    @cached_property
    def figures(self) -> frozenset[str]:
        return self._all("figures")

    @cached_property
    def names(self) -> frozenset[str]:
        return self._all("names")

    @cached_property
    def paths(self) -> frozenset[str]:
        return self._all("paths")

    @cached_property
    def words(self) -> frozenset[str]:
        return self._all("words")

    @cached_property
    def denied(self) -> frozenset[str]:
        return self._all("denied")

    @cached_property
    def counted(self) -> frozenset[tuple[str, str]]:
        return frozenset().union(*(sentence.counted for sentence in self.sentences))

    @cached_property
    def written(self) -> dict[str, str]:
        """Each figure and stem as first written."""
        return {what: text for one in reversed(self.sentences) for what, text in one.written.items()}

    def _all(self, name: str) -> frozenset[str]:
        return frozenset().union(*(getattr(sentence, name) for sentence in self.sentences))


@lru_cache(maxsize=256)
def read(text: str) -> Reading:
    """Return the sentences of a text, without code blocks. Linear in its length; the last 256 results are cached."""
    plain = _CODE_BLOCK.sub("\n\n", text[:LONGEST]).replace("`", "").replace("’", "'")
    plain = _SPELLED.sub(_in_digits, plain)
    parts = [" ".join(part.split()).lstrip("-*#>| \t") for part in _SENTENCE_END.split(plain)]
    found = [_sentence(part) for part in parts if part]
    kept = tuple(sentence for sentence in found if sentence.words or sentence.figures)
    return Reading(kept[:MOST_SENTENCES], len(text) <= LONGEST and len(kept) <= MOST_SENTENCES)


def figures_by_dimension(figures: Iterable[str]) -> dict[str, set[str]]:
    """Return the figures by dimension: {"time": {"time:30"}, "unit of time": {"unit:second"}}. Figures of two
    dimensions are never compared.
    """
    found: dict[str, set[str]] = {}
    for figure in figures:
        found.setdefault(_dimension(figure), set()).add(figure)
    return found


def _dimension(figure: str) -> str:
    dimension, _, value = figure.partition(":")
    return f"{UNIT_OF} {_UNITS[value][0]}" if dimension == "unit" else dimension


def _sentence(text: str) -> Sentence:
    written: dict[str, str] = {}
    spelled: dict[str, str] = {}
    names: set[str] = set()
    paths: set[str] = set()
    words: set[str] = set()
    denied: set[str] = set()
    counted: set[tuple[str, str]] = set()
    thing, number = "", ""
    reach, last, supposed = 0, "", False
    exceptions: list[str] = []
    clause: list[str] = []
    subjects: list[frozenset[str]] = []
    for at, match in enumerate(_SCAN.finditer(text)):
        kind, token = match.lastgroup, match.group()
        if kind == "stop":
            reach, thing, number = 0, "", ""
            clause = []
            continue
        lower = token.lower()
        exceptions += [lower] * (lower in _EXCEPTS) + [f"{last} {lower}"] * ((last, lower) in _EXCEPTS_TOO)
        stems, figure = [], ""
        if kind == "path":
            paths.add(lower.rstrip("./"))
            stems = bm25.terms(token)
        elif kind == "version":
            figure = f"version:{lower.removeprefix('v')}"
        elif kind == "rate":
            figure = f"rate:{_plain(match['per'])} {match['rated'].lower()}"
        elif match["digits"]:
            figure = _figure(match["digits"], match["unit"] or "")
        elif len(lower) > len("min") and lower.removesuffix("s") in _UNITS and (last, lower) != ("the", "second"):
            figure = f"unit:{lower.removesuffix('s')}"
        elif token != VALUE and _denies(last, lower):
            reach, last = 0 if supposed else REACH, lower
            subjects += [frozenset(clause)] * bool(clause and not supposed)
            continue
        else:
            if (last, lower) in _IDLE:
                reach = 0
            stems = bm25.terms(token)
            if _is_name(token, at):
                names.add(lower)
                values = re.findall(r"=(\d{1,9})\b", token)
                written = {f"count:{int(value)}": value for value in values} | written
        said = [*stems, *([figure] if figure else [])]
        if figure and not figure.startswith("unit:"):
            counted.update({(thing, figure)} if thing else ())
            number, thing = figure, ""
        elif stems:
            counted.update({(stems[-1], number)} if number else ())
            number, thing = "", stems[-1]
        words.update(stems)
        clause += stems
        if len(stems) == 1:
            spelled.setdefault(stems[0], lower)
        if figure:
            written.setdefault(figure, token)
        if reach and said:
            denied.update(said)
            reach -= 1
        last, supposed = lower, supposed or lower in _SUPPOSES
    changes = tuple(dict.fromkeys(" ".join(found.lower().split()) for found in CHANGED.findall(text)))
    return Sentence(
        text,
        frozenset(written),
        frozenset(names),
        frozenset(paths),
        frozenset(words),
        frozenset(denied),
        changes,
        frozenset(counted),
        tuple(dict.fromkeys(exceptions)),
        tuple(subjects),
        spelled | written,
    )


def _in_digits(match: re.Match[str]) -> str:
    """ "Two hundred" and "30k" as 200 and 30000; a figure by itself as it stands."""
    digits, times = match["digits"].lower(), match["times"]
    if digits.isdigit() and not times:
        return match.group()
    value = int(digits) if digits.isdigit() else _NUMBERS.get(digits, 1)
    return str(value * _TIMES[times.lower()] if times else value)


def _denies(last: str, word: str) -> bool:
    if (last, word) in _IDLE:
        return False
    return word in _NEGATORS or word.endswith("n't") or (last, word) in _TURNS_DOWN


def _figure(digits: str, unit: str) -> str:
    """Return a figure by its dimension and value. One without a unit is compared as written, because 3.1 and 3.10 may
    be versions.
    """
    plain = _plain(digits)
    if not unit:
        return f"count:{plain}"
    dimension, factor = _UNITS[unit.lower()]
    return f"{dimension}:{float(plain) * factor:.12g}"


def _plain(digits: str) -> str:
    return digits.replace(",", "").replace("_", "")


def _is_name(token: str, at: int) -> bool:
    return bool(_NAME.search(token)) or (at > 0 and token[:1].isupper() and len(token) > 1)
