"""What a topic is called: two to four of the words that set it apart, as people write them.

The weights are c-TF-IDF (Grootendorst 2022, BERTopic): all texts of a topic are one document, and a term counts
more, the more often it is there and the less often anywhere. A term counts once for each insight, or the one that
repeats itself would name the topic; more if it is in the title, which says what the body is about, or a tag, which says
so in a word.

Two words that stand side by side (`merge conflict`) are a term of their own, and take the place of their parts where
they make up most of them. Terms are compared by their stems, and shown in their most frequent form.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from math import log

from knowledge.retrieval.rules import bm25
from knowledge.rules.quality import GENERIC


@dataclass(frozen=True)
class Titled:
    """An insight as far as it helps to name its topic."""

    title: str
    body: str
    tags: Sequence[str] = ()


# The stems of one or two words.
Term = tuple[str, ...]

TITLE_WEIGHT = 2.0
BODY_WEIGHT = 1.0
TAG_WEIGHT = 3.0

MOST_TERMS = 4
LEAST_TERMS = 2
# A further term needs this share of the first one's weight, or it is noise.
WORTH_ADDING = 0.45


def labels(topics: Sequence[Sequence[Titled]], taken: Iterable[str] = ()) -> list[str]:
    """A label for each topic, different from all others and from those `taken`; "Untitled" for one whose texts have no
    word to offer.
    """
    read = [_Read(members) for members in topics]
    everywhere: Counter[Term] = Counter()
    for topic in read:
        everywhere.update(topic.counts)
    average = sum(everywhere.values()) / max(len(read), 1)
    gone = set(taken)
    named = []
    for topic in read:
        weights = {term: count * log(1 + average / everywhere[term]) for term, count in topic.counts.items()}
        named.append(_named(topic, weights, gone))
        gone.add(named[-1])
    return named


class _Read:
    """What the members of a topic say: `counts`, weighted, `members`, how many have a term, and how each is written."""

    def __init__(self, members: Sequence[Titled]) -> None:
        self.counts: Counter[Term] = Counter()
        self.members: Counter[Term] = Counter()
        self.forms: defaultdict[Term, Counter[str]] = defaultdict(Counter)
        for member in members:
            self._add(member)

    def _add(self, member: Titled) -> None:
        weights: dict[Term, float] = {}
        for text, weight in ((member.body, BODY_WEIGHT), (member.title, TITLE_WEIGHT)):
            for term, form in terms(text):
                weights[term] = weight
                self.forms[term][form] += 1
        for term, form in (pair for tag in member.tags for pair in _tag_terms(tag)):
            weights[term] = TAG_WEIGHT
            # A tag is always small: `http` is written so only if no text writes HTTP.
            self.forms[term][form] += 0
        self.counts.update(weights)
        self.members.update(weights.keys())

    def form(self, term: Term) -> str:
        """As it is written most often; of equals, the shorter, then the first by alphabet."""
        return min(self.forms[term], key=lambda form: (-self.forms[term][form], len(form), form))


# The head of a long text is enough; what comes later is detail.
READ = 2_000
_CODE = re.compile(r"```.*?(?:```|\Z)|^(?: {4}|\t)\S[^\n]*$|https?://\S+|<[^>\n]{1,80}>", re.S | re.M)
# Words, and names like C++, node.js and pre-commit. Anything else ends a phrase.
_WORD = re.compile(r"[^\W\d_]\w*(?:[.-]\w+)*(?:\+\+|#(?!\w))?|\S")

# Verbs and adverbs that notes begin with: they say what is done, not to what.
NOT_A_SUBJECT = """
allow alter append apply assert assign avoid based build calculate call capture cause check choose clear close combine
come compare compute configure connect contain convert copy count create cut declare define delete deploy determine
disable discard display do drop dump edit enable ensure enter exclude execute expand export extract fetch figure fill
find finish force format found generate given grab happen hide ignore import include increase inspect install interact
invoke join jump keep kill launch leave let list load lock log loop lose match mean move navigate open output override
parse pass paste place populate prefer prevent print produce provide pull push put quit raise reach receive recover
reduce refer reference reload rename render repeat replace require reset resolve restart restore retrieve return
reverse revert rewrite run save search select send serve share show skip sort specify split start stop store submit
swap switch take tell toggle track transform trigger turn type unable undo unset upgrade view visit wait walk want
watch wrap yield actual additional another available across already certain correct current custom default difference
directly existing false full important inside instead kind left multiple nice null particular previous quick real
right second separate away command utility vs versus common easiest fully hit long plus programmatically shown via
sometimes special specific third true unique unused upcoming whole extra every entire etc
""".split()  # noqa: SIM905


@cache
def _left_out() -> frozenset[str]:
    return frozenset(bm25.terms(" ".join([*GENERIC, *NOT_A_SUBJECT])))


def terms(text: str) -> Iterator[tuple[Term, str]]:
    """Each word and each pair of neighbours that could be part of a label, with its form in the text."""
    for phrase in _phrases(text):
        read = [(stem, word) for word in phrase if (stem := _stem(word))]
        for stem, word in read:
            yield (stem,), word
        if len(read) == len(phrase):
            for (first, one), (second, other) in pairwise(read):
                if first != second:
                    yield (first, second), f"{one} {other}"


def _tag_terms(tag: str) -> Iterator[tuple[Term, str]]:
    """As `terms`; a tag of two words is a pair whatever the words: `version-control`."""
    words = re.sub(r"[-_]", " ", tag)
    yield from terms(words)
    stems = tuple(bm25.terms(words))
    if len(stems) == 2 and stems[0] != stems[1]:
        yield stems, words


def _phrases(text: str) -> Iterator[list[str]]:
    """The runs of words that no stop word, number or punctuation interrupts."""
    run: list[str] = []
    for word in _WORD.findall(_CODE.sub(" . ", text[:READ]).replace("`", "")):
        if len(word) > 1 and word.lower() not in bm25.STOP_WORDS:
            run.append(word if word.isupper() or not word[1:].islower() else word.lower())
        else:
            yield run
            run = []
    yield run


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    """The stem of a word (of a name like node.js, the whole); empty if it says nothing about a subject."""
    stems = bm25.terms(word.lower() if word.isalpha() else word)
    return "" if not stems or stems[0] in _left_out() else stems[0]


# A pair takes the place of a word if so much of the word's weight is its own: of most merges, `merge conflict`.
PAIR_SHARE = 0.4


def _named(topic: _Read, weights: dict[Term, float], taken: set[str]) -> str:
    """The heaviest words, as many as are worth adding, and more if the label is another topic's.

    A word of a single member comes last: it may be anything.
    """
    alone = {term: topic.members[term] == 1 for term in weights if len(term) == 1}
    words = sorted(alone, key=lambda term: (alone[term], -weights[term], term))
    chosen: list[Term] = []
    for word in words:
        light = alone[word] or weights[word] < WORTH_ADDING * weights[words[0]]
        enough = len(chosen) >= LEAST_TERMS and light
        if (enough or len(chosen) >= MOST_TERMS) and _write_label(topic, chosen) not in taken:
            break
        if not any(_repeats(word[0], stem) for term in chosen for stem in term):
            chosen.append(_pair(topic, word, chosen) or word)
    label = _write_label(topic, chosen) or "Untitled"
    numbered = (f"{label} {number}" for number in range(2, len(taken) + 3))
    return label if label not in taken else next(one for one in numbered if one not in taken)


# `postgres` beside `postgresql`, `zone` beside `timezone` say nothing new; `go` is in many words by chance.
SHORTEST_PART = 4


def _repeats(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) >= SHORTEST_PART and short.removesuffix("e") in long)


def _pair(topic: _Read, word: Term, chosen: Sequence[Term]) -> Term | None:
    """The pair that most of the word's occurrences are part of, if there is one and the other half is not yet said."""
    said = {stem for term in chosen for stem in term}
    pairs = [term for term in topic.counts if len(term) == 2 and word[0] in term and not said.intersection(term)]
    best = max(pairs, key=lambda pair: (topic.counts[pair], pair), default=None)
    if best and topic.members[best] > 1 and topic.counts[best] >= PAIR_SHARE * topic.counts[word]:
        return best
    return None


def _write_label(topic: _Read, terms: Sequence[Term]) -> str:
    return ", ".join(topic.form(term) for term in terms)
