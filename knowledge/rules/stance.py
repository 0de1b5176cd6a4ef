"""The stance of one text towards another: the same lesson, its contradiction, something else, or not to be told.

Theory of operation. Vectors of value or negation edits lie closer together than those of paraphrases, so similarity
cannot decide. The local judge asks two witnesses: a network over alignment features says what the pair looks like, and
the cues say what speaks against a merge, in words that can be shown. It says *same* only if the network says so and
there is no cue; *contradiction* only if there is a hard cue and the network consents; *unrelated* if the network says
so and no hard cue objects; anything else is *unsure*, which is an answer: a person decides.

So it detects denials, antonyms, switches, reversed preferences and other values. It is not a judge of stance in
general, and abstains where it cannot read: texts that the embedder has cut, and languages other than English.
What was measured, and what it cannot do: docs/decisions/0005-stance-judge.md
"""

import re
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from knowledge.rules.code import is_code
from knowledge.rules.stance_cues import Cue, CueKind, alike, conflicts
from knowledge.rules.stance_features import features
from knowledge.rules.stance_network import CLASSES, Network
from knowledge.rules.stance_reading import read
from knowledge.rules.stance_slots import Akin
from knowledge.rules.stance_words import COMMON_ELSEWHERE, COMMON_ENGLISH


class Stance(StrEnum):
    SAME = "same"
    CONTRADICTION = "contradiction"
    UNRELATED = "unrelated"
    UNSURE = "unsure"


@dataclass(frozen=True)
class Text:
    """What is judged: title, body and reasoning as one text, and its vector if it has one."""

    words: str
    vector: NDArray[np.floating] | None = None


@dataclass(frozen=True)
class Judgement:
    """`confidence` 0–1, of the stance given. `by`: which judge. `reason`: why it is unsure, if it knows."""

    stance: Stance
    confidence: float
    cues: tuple[Cue, ...] = ()
    by: str = "local"
    reason: str = ""


# What the network must give to "same", by cosine, interpolated. Of pairs that people wrote down to be judged almost
# half are the same; of what a team deposits next to nothing is. Below the band of the living model more is asked than
# the pairs alone would have it: of 1,871 titles on distinct things 57 are merged so, and with .80 and .50 at the first
# two it was 73; the developers' choosing half then loses 3 of 29. Asking for .97 and .90 would leave 38, and lose 9.
SAME_AT = ((0.62, 0.95), (0.75, 0.80), (0.83, 0.30), (0.95, 0.25))
# A hard cue is evidence enough to need no majority of the network, only its consent.
CONSENT = 0.33
UNRELATED_AT = 0.5
# From here on, another value in a sentence that is else the same may be its update, and a person is asked: the band of
# the living model. Below it such pairs are siblings more often than not.
NEAR = 0.83
# What looks opposed is dismissed only if the network hardly doubts that it is about something else.
UNRELATED_OPPOSED_AT = 0.95
# Words. Far pairs that are the same have been labelled only among texts this short; of longer ones below NEAR that the
# network took for the same, in 1,000 notes on distinct things, every one was not.
LONGEST_FAR = 60
# Who says the same uses about as many words. Of 1,609 pairs labelled the same (SICK, MRPC, NL2Bash, our own) four have
# a text of more than so many words and another so many times shorter. Of 3,204 abstracts and titles 16 such pairs were
# taken for the same, most of them a title and the abstract of another paper; CACM's nDCG@10 fell by .017, now by .005.
LONGEST_LOPSIDED = 30
LOPSIDED = 2.5
_OPPOSED = frozenset({CueKind.NEGATION, CueKind.SWITCH, CueKind.PREFERENCE, CueKind.ANTONYM})


def judge(a: Text, b: Text, network: Network, akin: Akin) -> Judgement:
    """The local judge. The order of the two does not matter. `akin` is asked only for words in each other's place."""
    if alike(a.words, b.words):
        return Judgement(Stance.SAME, 1.0)
    if is_code(a.words) or is_code(b.words):
        # Other code does something else, however near its vector: both stand, and nobody is asked.
        return Judgement(Stance.UNRELATED, 1.0, (Cue(CueKind.CODE, False, (), ()),))
    if a.vector is None or b.vector is None:
        return Judgement(Stance.UNSURE, 0.0, conflicts(a.words, b.words, akin), reason="no vector")
    cosine = _cosine(a.vector, b.vector)
    reason = unreadable(a.words) or unreadable(b.words)
    if reason and cosine < NEAR:
        # Nothing is done about such a pair, and to look for cues in two pages takes ten times as long as in two lines.
        return Judgement(Stance.UNSURE, 0.0, reason=reason)
    cues = conflicts(a.words, b.words, akin)
    if reason:
        return Judgement(Stance.UNSURE, 0.0, cues, reason=reason)
    row = features(read(a.words), read(b.words), cosine, cues)
    same, contradiction, unrelated = network.probabilities(row[None, :])[0].tolist()
    if not _comparable(len(a.words.split()), len(b.words.split()), cosine):
        same = 0.0
    return _agreed(dict(zip(CLASSES, (same, contradiction, unrelated), strict=True)), cosine, cues)


def _comparable(first: int, second: int, cosine: float) -> bool:
    """Whether texts of so many words are of a kind that has been labelled the same at that cosine."""
    shorter, longer = sorted((first, second))
    if longer > LONGEST_LOPSIDED and longer >= LOPSIDED * shorter:
        return False
    return cosine >= NEAR or longer <= LONGEST_FAR


def _agreed(given: dict[str, float], cosine: float, cues: tuple[Cue, ...]) -> Judgement:
    hard = any(cue.hard for cue in cues)
    if not cues and given[Stance.SAME] >= same_at(cosine):
        return Judgement(Stance.SAME, given[Stance.SAME], cues)
    if hard and given[Stance.CONTRADICTION] >= CONSENT:
        return Judgement(Stance.CONTRADICTION, given[Stance.CONTRADICTION], cues)
    opposed = any(cue.kind in _OPPOSED for cue in cues)
    dismissed = given[Stance.UNRELATED] >= (UNRELATED_OPPOSED_AT if opposed else UNRELATED_AT)
    if dismissed and not hard and not (cues and cosine >= NEAR):
        return Judgement(Stance.UNRELATED, given[Stance.UNRELATED], cues)
    reason = "a cue, and no stance that agrees with it" if cues else "no clear majority"
    return Judgement(Stance.UNSURE, max(given.values()), cues, reason=reason)


def same_at(cosine: float) -> float:
    """What the network must give to "same" at that cosine."""
    return float(np.interp(cosine, [at for at, _ in SAME_AT], [wanted for _, wanted in SAME_AT]))


def _cosine(a: NDArray[np.floating], b: NDArray[np.floating]) -> float:
    """Stored vectors are of half precision, so their length is not quite 1."""
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return float(first @ second / (np.linalg.norm(first) * np.linalg.norm(second) or 1.0))


# --- what cannot be read ----------------------------------------------------------------------------------------
# The embedder reads 256 pieces. As estimated below, of 4,177 notes and sections of runbooks 97 % of those with more are
# over this, and 3 % of those with fewer.
MOST_PIECES = 240.0
PLAIN_LETTERS = 6
LETTERS_A_PIECE = 4
_RUN = re.compile(r"\w+")
_SIGN = re.compile(r"[^\w\s]")


def pieces(text: str) -> float:
    """About how many pieces a tokenizer cuts the text into: words up to six letters stay whole, signs stand alone."""
    long = sum(max(0, len(run) - PLAIN_LETTERS) / LETTERS_A_PIECE + 1 for run in _RUN.findall(text))
    return long + len(_SIGN.findall(text))


# Fewer words than this are taken for English: three words of code have no language.
SHORTEST = 8
# Such a share of another language's small words, and more than of English ones, is that language.
FOREIGN = 0.1
FOREIGN_LETTERS = 0.3
_WORD = re.compile(r"[^\W\d_]+")


def unreadable(text: str) -> str:
    """Why the local judge cannot read a text; empty if it can."""
    if pieces(text) > MOST_PIECES:
        return "too long"
    words = _WORD.findall(text.casefold())
    letters = sum(map(len, words))
    if letters and sum(not letter.isascii() for word in words for letter in word) > FOREIGN_LETTERS * letters:
        return "not English"
    english = sum(word in COMMON_ENGLISH for word in words)
    foreign = sum(word in COMMON_ELSEWHERE for word in words)
    if len(words) >= SHORTEST and foreign > max(english, FOREIGN * len(words)):
        return "not English"
    return ""
