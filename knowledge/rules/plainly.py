"""What the log says of a machine's reasons, as a person would say it.

The log keeps what was decided in the words of what decided it, for whoever must find out why. Where a line is shown,
those words are said in plain English; what a person wrote stands as they wrote it. Each table entry is what one part of
the code writes: `rules/dedup.py` of a neighbour, `actions/record.py` of what the guard took out, `rules/lifecycle.py`
of a promotion.
"""

import re
from collections.abc import Callable

# Longer reasons are no machine's: the log's own line is shorter by far.
LONGEST = 8_000

Match = re.Match[str]

# What stands before a reason: the beginning, the reason before it, or the bracket behind a corroboration's title.
_AHEAD = r"(?P<ahead>^|; |(?<= )\()(?:(?P<ref>[A-Z][A-Z0-9]{0,15}-\d{1,12}): )?"
_END = r"(?P<cues> \[[^\n]{0,600}?\])?(?=$|; |\)$)"
_BY = r", by (?P<by>[^\s,;\[\])]{1,80}?)(?=[:,]? |[;,)]|$)"
_ASKED = r"(?P<tail>: queued|, as of a nearer one|, but after a conflict nothing is merged: queued)?"

# Why two could not be told apart (`rules/stance.py`).
UNSURE = {
    "no clear majority": "nobody can tell from the words alone",
    "a cue, and no stance that agrees with it": "they read alike, but differ in a detail",
    "no reason given": "nobody can tell from the words alone",
    "no vector": "the embedder was away, so their meanings could not be compared",
    "too long": "the text is too long to be compared by itself",
    "not English": "it is not in English, which the built-in comparison needs",
}
TAILS = {
    None: "; both stand",
    ": queued": "; a person is asked",
    ", as of a nearer one": "; a nearer one is asked about already",
    ", but after a conflict nothing is merged: queued": "; but it contradicts something too, so a person is asked",
}
# What two texts differ in (`CueKind`).
CUES = {
    "negation": "one denies it",
    "switch": "one gives it up for another thing",
    "preference": "what is preferred",
    "antonym": "opposite words",
    "number": "a number",
    "version": "a version",
    "name": "a name",
    "alternative": "one thing or the other",
    "order": "the order",
    "word": "a word",
    "length": "their length",
    "code": "it is code",
}


def plainly(reason: str) -> str:
    """The reason as it is shown; what no table knows is left as it is."""
    if len(reason) > LONGEST:
        return reason
    for pattern, said in _TABLE:
        reason = pattern.sub(said, reason)
    return reason


def is_machines(reason: str) -> bool:
    """Whether it is in the words of a machine, at least in part: nobody is quoted with them."""
    return plainly(reason) != reason


def _other(found: Match) -> str:
    return found["ref"] or "the other"


def _whole(found: Match, words: str) -> str:
    """The words with what stood before them, who says so, and what the two differ in."""
    given = found.groupdict()
    by = given.get("by") or ""
    model = f", says the language model {by.partition(':')[2]}" if by.startswith("llm:") else ""
    return f"{found['ahead']}{words}{model}{_differing(given.get('cues') or '')}"


# As many kinds of difference as one reads, and the longest words that say something about one.
TOLD = 3
SHORT = 30


def _differing(cues: str) -> str:
    """` [number: 900 / 1800; number: 900s / 1800s]` as ` (what differs: a number, 900 and 1800)`: each kind once, with
    its words if they are few.
    """
    told: dict[str, str] = {}
    for cue in filter(None, cues.strip(" []").split("; ")):
        kind, _, words = cue.partition(": ")
        sides = [side for side in words.split(" / ") if side not in ("", "–")]
        short = len(sides) == 2 and len(words) <= SHORT
        told.setdefault(kind, f"{CUES.get(kind, kind)}{', ' + ' and '.join(sides) if short else ''}")
    some = [*list(told.values())[:TOLD], *(["more"] if len(told) > TOLD else [])]
    return f" (what differs: {'; '.join(some)})" if some else ""


# A language model that leans to one side, and not far enough (`adapters/judge_llm.py`).
_LEANS = re.compile(r"\w+, but only \d\.\d\d sure")


def _unsure(found: Match) -> str:
    why = "it is not sure enough" if _LEANS.fullmatch(found["why"]) else UNSURE.get(found["why"], found["why"])
    return _whole(found, f"it may say the same as {_other(found)}: {why}{TAILS[found['tail']]}")


def _same(found: Match) -> str:
    tail = TAILS[found["tail"]] if found["tail"] else ""
    return _whole(found, f"it says the same as {_other(found)}{tail}")


def _alone(found: Match) -> str:
    alike = f"{_other(found)} reads {float(found['alike']):.0%} alike"
    tail = TAILS[found["tail"]] if found["tail"] else ""
    return _whole(found, f"{alike}, and nothing was there to compare them closer{tail}")


def _held(found: Match) -> str:
    whose = {"pinned": "a pinned one of somebody else's", "draft": "somebody else's draft"}
    what = whose.get(found["held"], f"somebody else's, and {found['held']}")
    return _whole(found, f"it contradicts {_other(found)}, which is {what}: a person is asked")


def _stripped(found: Match) -> str:
    fields = re.findall(r"[\"'](\w{1,40})[\"']: (\d{1,9})", found["fields"])
    count = sum(int(n) for _, n in fields)
    places = " and ".join(f"the {name.replace('_', ' ')}" for name, _ in fields)
    ahead = "; " if found["ahead"] == " " else found["ahead"]
    return f"{ahead}{count:,} invisible character{'s' * (count != 1)} taken out of {places}"


def _promoted(found: Match) -> str:
    return f"{found['n']} signals spoke for it, from {found['sessions']} sessions"


def _table(*rows: tuple[str, Callable[[Match], str]]) -> list[tuple[re.Pattern[str], Callable[[Match], str]]]:
    return [(re.compile(pattern), said) for pattern, said in rows]


_TABLE = _table(
    (rf"{_AHEAD}unsure{_BY}: (?P<why>[^;\[\n]{{1,200}}?){_ASKED}{_END}", _unsure),
    (rf"{_AHEAD}same{_BY}{_ASKED}{_END}", _same),
    (
        rf"{_AHEAD}contradicted{_BY}: superseded{_END}",
        lambda found: _whole(found, f"it contradicts {_other(found)}, and takes its place"),
    ),
    (
        rf"{_AHEAD}contradicted{_BY}, but it is somebody else's and (?P<held>\w{{1,20}}): "
        rf"a contradiction is opened{_END}",
        _held,
    ),
    (rf"{_AHEAD}unrelated{_BY}{_END}", lambda found: f"{found['ahead']}{_other(found)} is about something else"),
    (rf"{_AHEAD}no judge, (?P<alike>\d\.\d\d){_ASKED}{_END}", _alone),
    (
        rf"{_AHEAD}of another repo \((?P<repo>[^)\n]{{1,300}})\){_END}",
        lambda found: _whole(found, f"{_other(found)} is of another repository, {found['repo']}"),
    ),
    (
        rf"{_AHEAD}too far \((?P<alike>-?\d\.\d\d)\){_END}",
        lambda found: _whole(found, f"{_other(found)} is about something else"),
    ),
    (r"(?P<ahead>^|; |(?<= )\(| )invisible characters stripped: (?P<fields>\{[^}\n]{0,400}\})", _stripped),
    (
        r"(?P<ahead>^|; |(?<= )\()redacted: (?P<what>[^;\n]{1,2000})",
        lambda found: f"{found['ahead']}personal data masked: {found['what']}",
    ),
    (
        r"^(?P<n>\d{1,6}) positive signals from (?P<sessions>\d{1,6}) sessions, balance [+-]\d{1,7}$",
        _promoted,
    ),
    (r"^moderated$", lambda found: "done in the admin"),
)
