"""What the server concludes alone about two notes: only what is certain.

It says *duplicates* of texts that are equal except for case, spaces and marks, and of those in which neither has a
word, a figure, a name or a negation that the other lacks. It says *supersedes* if the newer note announces a change and
repeats every word of the older one, so that nothing differs that could separate two subjects. It leaves everything else
open; `closeness` decides whether that is worth a question. A wrong merge or supersession is a defect, a missed merge is
a question.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from knowledge.judging.rules.code import is_code
from knowledge.judging.rules.differences import announced, differences
from knowledge.judging.rules.reading import Reading, Sentence, read
from knowledge.judging.rules.relations import Cue, CueKind, Reason, Relation, Verdict
from knowledge.judging.rules.swapped import swapped
from knowledge.rules.vocabulary import Kind

SERVER = "server"


@dataclass(frozen=True)
class NoteSide:
    """One note to be judged. `text`: title, body and reasoning. `date`: when its content was learned."""

    text: str
    kind: Kind
    repo: str = ""
    date: datetime | None = None


def judge(new: NoteSide, old: NoteSide, similarity: float) -> Verdict:
    """Return the relation of `new` to `old` as far as the server alone can tell; relation None if it cannot."""
    cues = cues_between(old.text, new.text)
    if not same_ground(new.repo, old.repo):
        return Verdict(None, SERVER, similarity, Reason.OTHER_REPO, cues)
    family = same_family(new.kind, old.kind)
    if family and equal(old.text, new.text):
        return Verdict(Relation.DUPLICATES, SERVER, similarity, Reason.EQUAL_TEXT)
    if not any(cue.kind in (CueKind.CODE, CueKind.LENGTH) for cue in cues):
        before, after = read(old.text), read(new.text)
        if family and not cues and _same_words(old.text, new.text):
            return Verdict(Relation.DUPLICATES, SERVER, similarity, Reason.SAME_WORDS)
        if _is_newer(new, old) and _gives_up(after, before):
            return Verdict(Relation.SUPERSEDES, SERVER, similarity, Reason.CHANGE_ANNOUNCED, cues)
    return Verdict(None, SERVER, similarity, Reason.CLOSE, cues)


def cues_between(old: str, new: str) -> tuple[Cue, ...]:
    """Return the differences between two texts, strong cues first. A text that is code or too long is a cue by
    itself.
    """
    if equal(old, new):
        return ()
    if is_code(old) or is_code(new):
        return (Cue(CueKind.CODE, False),)
    before, after = read(old), read(new)
    if not (before.complete and after.complete):
        return (Cue(CueKind.LENGTH, False),)
    found = differences(before, after)
    if any(cue.strong for cue in found):
        return found
    return (*swapped(_sequence(old), _sequence(new)), *found)


# Two texts differ only in a value if the shorter one has no other words than the longer one, and this share of those.
# 13 of 266 changed facts by five authors do (from .7 on 16), none of 121 siblings ("Prometheus job `ingest` … 9102",
# "`mover` … 9104"; from .7 on one), and no two of the near notes among the 1,871 (from .7 on none). An agent that says
# that two such notes hold beside each other is asked again; from .7 on, one that deposits the one is asked about the
# other.
BUT_A_VALUE, MOSTLY_BUT_A_VALUE = 0.8, 0.7
_VALUES = frozenset({CueKind.NUMBER, CueKind.UNIT, CueKind.VERSION})


def value_cues(old: str, new: str, cues: Iterable[Cue], least: float = BUT_A_VALUE) -> tuple[Cue, ...]:
    """Return the strong differences between two texts if they are one value and hardly anything else ("Timeout of
    C-FIND: 15 s", "150 s"): these are hardly two subjects. Empty for any other two.
    """
    strong = tuple(cue for cue in cues if cue.strong)
    if not strong or not all(cue.kind in _VALUES for cue in strong):
        return ()
    shorter, longer = sorted((read(old).words, read(new).words), key=len)
    return strong if shorter <= longer and len(shorter) >= max(1, least * len(longer)) else ()


# Advice and the warning of it read alike, and are two insights.
_FAMILIES = (
    frozenset({Kind.SOLUTION, Kind.PATTERN, Kind.WORKFLOW}),
    frozenset({Kind.CONTEXT, Kind.DEPENDENCY}),
    frozenset({Kind.DECISION}),
    frozenset({Kind.PITFALL}),
)


def same_family(one: Kind, other: Kind) -> bool:
    """Return whether two kinds may be merged: a PITFALL only with a PITFALL, a DECISION only with a DECISION; CONTEXT,
    which agents use if they choose no kind, with any kind that tells how something is done.
    """
    if Kind.CONTEXT in (one, other):
        return not {one, other} & {Kind.PITFALL, Kind.DECISION} or one is other
    return any(one in family and other in family for family in _FAMILIES)


def same_ground(one: str, other: str) -> bool:
    """Return False if both repositories are set and differ: what holds in one need not hold in another."""
    return not (one and other and one != other)


def is_local(one: NoteSide, other: NoteSide) -> bool:
    """Return whether one note is about its own repository and the other is not: it names that repository ("checkout
    uses Redis", in acme/checkout), and the other does not.
    """
    return any(_names(a.text, a.repo) and not _names(b.text, a.repo) for a, b in ((one, other), (other, one)))


def _names(text: str, repo: str) -> bool:
    name = _spaced(repo.rpartition("/")[2])
    return bool(name) and f" {name} " in f" {_spaced(text)} "


def _spaced(text: str) -> str:
    """Return the letters and digits of a text, in words, in lower case."""
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.casefold()).split())


# Marks around a word that mean nothing. Within a word, or before a digit, they do ("-5", ".env", "C++", "!=").
_BEFORE = "`*_\"'“”‘’(["
_AFTER = "`*_\"'“”‘’)].,;:!?"


def _words(text: str) -> list[str]:
    """Return the words in order, without the marks around them; plain words in lower case."""
    found = (word.lstrip(_BEFORE).rstrip(_AFTER) for word in text.split())
    return [_plain(word) for word in found if word]


def _plain(word: str) -> str:
    """Return a plain word in lower case, without the s of its plural; signs, names and single letters unchanged."""
    return word.lower().removesuffix("s") if word.isalpha() and len(word) > 1 else word


def equal(one: str, other: str) -> bool:
    """Return whether the words are equal in the same order, ignoring marks around them; in code, whether all characters
    except spaces are equal.
    """
    if is_code(one) or is_code(other):
        return one.split() == other.split()
    return _words(one) == _words(other)


def says_again(new: NoteSide, old: NoteSide) -> bool:
    """Return whether a note has the same words as another one, ignoring marks around them and whether it has a
    title.
    """
    if not (same_ground(new.repo, old.repo) and same_family(new.kind, old.kind)):
        return False
    if is_code(new.text) or is_code(old.text):
        return equal(new.text, old.text)
    lines, others = ({_line(line) for line in side.text.split("\n")} - {()} for side in (new, old))
    return lines == others


# With one of these cues a note that has all words of another one may still say something else.
_SAYS_OTHERWISE = frozenset({CueKind.NEGATION, CueKind.CHANGE, CueKind.CODE, CueKind.LENGTH})


def repeats(new: str, old: str) -> bool:
    """Return whether a text says nothing that another one does not: it has no word, figure, name or path of its own,
    and denies nothing. The server cannot recognise a repetition in other words.
    """
    cues = cues_between(old, new)
    if any(cue.strong or cue.kind in _SAYS_OTHERWISE for cue in cues):
        return False
    before, after = read(old), read(new)
    known = after.names <= before.names and after.paths <= before.paths
    return known and after.words <= before.words and after.figures <= before.figures


# From this cosine on a note may repeat another one in other words: "We support Android from version 7 up" has .71 with
# "The minimum Android version is 7". It does if it has this share of the words that the other one has and the kept one
# lacks.
REWORDED, OF_ITS_OWN = 0.7, 0.75
# The cosine for another one without words of its own.
NEARLY_EQUAL = 0.9


def says_what_was_rejected(new: str, rejected: str, kept: str, similarity: float) -> bool:
    """Return whether a note repeats a statement that a lead has rejected in favour of `kept`: it reads like it, nothing
    in it contradicts it, and it has the words that set it apart. If wrongly true, a note waits for a lead; if wrongly
    false, it comes first.
    """
    if equal(new, rejected):
        return True
    if similarity < REWORDED or any(cue.strong for cue in cues_between(rejected, new)):
        return False
    before, after, standing = read(rejected), read(new), read(kept)
    own = (before.words | before.figures) - standing.words - standing.figures
    if not own:
        return similarity >= NEARLY_EQUAL
    return len(own & (after.words | after.figures)) >= OF_ITS_OWN * len(own)


def _line(text: str) -> tuple[str, ...]:
    """Return the words of a line; its first word is not a name."""
    return tuple(word.lower() if at == 0 else word for at, word in enumerate(_words(text)))


_ARTICLES = frozenset({"a", "an", "the"})


def _same_words(one: str, other: str) -> bool:
    """Return whether the words are equal in the same order, without articles. Order counts: of 6,100 sentences of SICK,
    six contradictions have the content words of their original and differ only in the order or in an "off".
    """
    return _sequence(one) == _sequence(other)


def _sequence(text: str) -> list[str]:
    return [word for word in _words(text) if word not in _ARTICLES]


# The longest note, in sentences, that is replaced as a whole. A longer one says several things, and a change of one
# does not replace it.
MOST_REPLACED = 2


def _gives_up(after: Reading, before: Reading) -> bool:
    """Return whether the newer text announces a change and repeats everything that the older one says."""
    if not announced(after) or announced(before) or len(before.sentences) > MOST_REPLACED:
        return False
    repeated = before.words <= after.words and before.figures <= after.figures and before.paths <= after.paths
    return repeated and _one_sentence_is_about(before, after.sentences)


def _one_sentence_is_about(before: Reading, sentences: Iterable[Sentence]) -> bool:
    """Return whether the sentence that announces the change speaks of most of what the older text says."""
    return any(
        sentence.changes and 2 * len(before.words & sentence.words) > len(before.words) for sentence in sentences
    )


def _is_newer(new: NoteSide, old: NoteSide) -> bool:
    return new.date is not None and old.date is not None and new.date > old.date
