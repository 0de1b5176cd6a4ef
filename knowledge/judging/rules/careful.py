"""What the server concludes alone about two notes: next to nothing, and that with certainty.

It says *duplicates* of texts that are equal but for case, spaces and marks, and of those in which neither has a word, a
figure, a name or a negation that the other lacks. It says *supersedes* where the newer note announces a change, and
repeats every word of the older one: nothing that could tell two subjects apart differs. Anything else it leaves open;
whether that is worth a question, `closeness` tells. A swallowed contradiction or a false supersession is a defect, a
missed merge is a question.
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
    """What `new` is to `old`, by the server alone; relation None where it cannot tell."""
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
    """What two texts differ in, strong cues first; that one is code or too long is a cue by itself."""
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


# Two texts differ in a value alone if the shorter one has no other words than the longer one, and so much of those. Of
# 266 changed facts by five authors 13 do (from .7 on 16), of 121 siblings ("Prometheus job `ingest` … 9102", "`mover` …
# 9104") none (one), of the near notes among the 1,871 no two (no two). Who says that such two hold beside each other is
# asked again; who deposits the one is asked about the other from .7 on.
BUT_A_VALUE, MOSTLY_BUT_A_VALUE = 0.8, 0.7
_VALUES = frozenset({CueKind.NUMBER, CueKind.UNIT, CueKind.VERSION})


def value_cues(old: str, new: str, cues: Iterable[Cue], least: float = BUT_A_VALUE) -> tuple[Cue, ...]:
    """The strong ones of the differences between two texts, where these are one value and hardly anything else
    ("Timeout of C-FIND: 15 s", "150 s"): hardly two subjects. Empty for any other two.
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
    """Whether two kinds may be merged: a PITFALL only with a PITFALL, a DECISION only with a DECISION; CONTEXT, which
    is what agents choose when they do not choose, with anything that tells how it is done.
    """
    if Kind.CONTEXT in (one, other):
        return not {one, other} & {Kind.PITFALL, Kind.DECISION} or one is other
    return any(one in family and other in family for family in _FAMILIES)


def same_ground(one: str, other: str) -> bool:
    """False where both repositories are set and differ: what holds in one need not in another."""
    return not (one and other and one != other)


def is_local(one: NoteSide, other: NoteSide) -> bool:
    """Return whether a note is about the repository that it is of, and the other is not: it names that repository
    ("checkout uses Redis", in acme/checkout), and the other does not.
    """
    return any(_names(a.text, a.repo) and not _names(b.text, a.repo) for a, b in ((one, other), (other, one)))


def _names(text: str, repo: str) -> bool:
    name = _spaced(repo.rpartition("/")[2])
    return bool(name) and f" {name} " in f" {_spaced(text)} "


def _spaced(text: str) -> str:
    """Its letters and digits, in words, of any case."""
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.casefold()).split())


# Marks around a word that mean nothing; within it, or before a digit, they do ("-5", ".env", "C++", "!=").
_BEFORE = "`*_\"'“”‘’(["
_AFTER = "`*_\"'“”‘’)].,;:!?"


def _words(text: str) -> list[str]:
    """The words in order, without what stands around them; of plain ones the case does not count."""
    found = (word.lstrip(_BEFORE).rstrip(_AFTER) for word in text.split())
    return [_plain(word) for word in found if word]


def _plain(word: str) -> str:
    """A plain word in lower case, without the s of its plural; signs, names and single letters as they are."""
    return word.lower().removesuffix("s") if word.isalpha() and len(word) > 1 else word


def equal(one: str, other: str) -> bool:
    """Whether the words are equal in the same order, whatever stands around them; in code, equal characters except
    spaces.
    """
    if is_code(one) or is_code(other):
        return one.split() == other.split()
    return _words(one) == _words(other)


def says_again(new: NoteSide, old: NoteSide) -> bool:
    """Whether a note is the very words of another one, whatever stands around them and whether it has a title."""
    if not (same_ground(new.repo, old.repo) and same_family(new.kind, old.kind)):
        return False
    if is_code(new.text) or is_code(old.text):
        return equal(new.text, old.text)
    lines, others = ({_line(line) for line in side.text.split("\n")} - {()} for side in (new, old))
    return lines == others


# In these a note that has all words of another one may say something else all the same.
_SAYS_OTHERWISE = frozenset({CueKind.NEGATION, CueKind.CHANGE, CueKind.CODE, CueKind.LENGTH})


def repeats(new: str, old: str) -> bool:
    """Whether a text says nothing that another one does not: it has no word, figure, name or path of its own, and
    denies nothing. One that says the same in other words does not repeat it, as far as the server can tell.
    """
    cues = cues_between(old, new)
    if any(cue.strong or cue.kind in _SAYS_OTHERWISE for cue in cues):
        return False
    before, after = read(old), read(new)
    known = after.names <= before.names and after.paths <= before.paths
    return known and after.words <= before.words and after.figures <= before.figures


# From this cosine on a note may say what another one says in other words: "We support Android from version 7 up" beside
# "The minimum Android version is 7" .71. With so much of what that one has and the kept one has not, it does.
REWORDED, OF_ITS_OWN = 0.7, 0.75
# ... and where that has nothing of its own, from this one on.
NEARLY_EQUAL = 0.9


def says_what_was_rejected(new: str, rejected: str, kept: str, similarity: float) -> bool:
    """Whether a note says again what a lead has rejected in favour of `kept`: it reads like it, nothing in it speaks
    against it, and it has what set it apart. A wrong yes has a note wait for a lead, a wrong no has it come first.
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
    """The words of a line; how it begins is not a name."""
    return tuple(word.lower() if at == 0 else word for at, word in enumerate(_words(text)))


_ARTICLES = frozenset({"a", "an", "the"})


def _same_words(one: str, other: str) -> bool:
    """Whether the words are equal in the same order, without articles. Of 6,100 sentences of SICK, a contradiction has
    the content words of its original in six, told apart by their order or by an "off" alone.
    """
    return _sequence(one) == _sequence(other)


def _sequence(text: str) -> list[str]:
    return [word for word in _words(text) if word not in _ARTICLES]


# A note longer than this says several things; a change of one of them does not replace it.
MOST_REPLACED = 2


def _gives_up(after: Reading, before: Reading) -> bool:
    """Whether the newer text announces a change, and says again everything that the older one says."""
    if not announced(after) or announced(before) or len(before.sentences) > MOST_REPLACED:
        return False
    repeated = before.words <= after.words and before.figures <= after.figures and before.paths <= after.paths
    return repeated and _one_sentence_is_about(before, after.sentences)


def _one_sentence_is_about(before: Reading, sentences: Iterable[Sentence]) -> bool:
    """The sentence that announces the change speaks of most of what the older text says."""
    return any(
        sentence.changes and 2 * len(before.words & sentence.words) > len(before.words) for sentence in sentences
    )


def _is_newer(new: NoteSide, old: NoteSide) -> bool:
    return new.date is not None and old.date is not None and new.date > old.date
