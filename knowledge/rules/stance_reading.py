"""A text as the stance rules read it: tokens in clauses, each affirmed, denied, or neither.

Theory of operation. Two lessons are the same or opposed by what they assert, so every content word gets a sign. A
clause ends at punctuation and at a few conjunctions. Within it a negator denies what follows ("never run two"), some
participles deny what stands before ("X is deprecated"), and a contrast denies its object ("instead of X", "from X to
Y", "no longer X"; such tokens are also `over`: somebody left them behind). Two denials, a condition ("unless", "only
with") or a clause that only supposes or explains ("if X is left open", "because X is") give sign 0: nobody is told to
do X or to leave it, and no conflict may rest on it; nor on a clause that says what goes wrong ("X breaks"). This is
reading by pattern, not grammar; the lists are in `stance_words`.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from knowledge.rules.stance_tokens import Sort, Token, parts, stem, tokens
from knowledge.rules.stance_words import (
    ACTORS,
    BEATS,
    CLAUSE_WORDS,
    CONDITIONS,
    DENIES_SUBJECT,
    DOUBTS,
    ENDS_OBJECT,
    ENDS_OBJECT_PAIRS,
    ENDS_SUBJECT,
    ENDS_SUBJECT_PAIRS,
    EVALUATES,
    FUNCTION,
    INTO,
    LIMITS,
    MODALS,
    MOVES,
    NEGATORS,
    OBJECT_ENDS,
    PASSIVE,
    PERFECT,
    REASONS,
    STOPS,
    SUPPOSES,
    TELLS,
    WITHOUT_OBJECT,
)


@dataclass(frozen=True)
class Reading:
    """A text, read. `content` are the tokens that say something, in order."""

    text: str
    tokens: tuple[Token, ...]

    @cached_property
    def content(self) -> tuple[Token, ...]:
        return tuple(token for token in self.tokens if token.content)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Everything a token of another text may be matched with: keys and the parts of names."""
        found = {token.key for token in self.content}
        for token in self.content:
            if token.sort is Sort.NAME:
                found.update(parts(token.key))
        return frozenset(found)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Every word in lower case, function words included, without punctuation."""
        return tuple(token.text for token in self.tokens if token.sort is not Sort.STOP)

    @cached_property
    def clauses(self) -> tuple[tuple[Token, ...], ...]:
        """The content tokens of each clause that has any."""
        grouped: dict[int, list[Token]] = {}
        for token in self.content:
            grouped.setdefault(token.clause, []).append(token)
        return tuple(tuple(tokens) for tokens in grouped.values())

    def has(self, token: Token) -> bool:
        """Whether this text has that token of another one, whole or, for a name, in part."""
        if token.key in self.keys:
            return True
        return token.sort is Sort.NAME and any(part in self.keys for part in parts(token.key))


# --- signs --------------------------------------------------------------------------------------------------
# "Not only", "no matter": these deny nothing.
_IDLE = {("not", "only"), ("no", "matter"), ("not", "necessarily"), ("or", "not"), ("if", "not")}
_DOUBTS = frozenset(map(stem, DOUBTS))
# A denial reaches this many content words, if no punctuation ends it before.
REACH = 8


# A text of 3,000 characters, the longest that is compared, holds some 150 kB when it is read.
@lru_cache(maxsize=128)
def read(text: str) -> Reading:
    """The text in tokens with clauses and signs. Linear in its length; the last 128 are remembered."""
    found = tokens(text)
    bounds = _clause_bounds(found)
    signed: list[Token] = []
    for clause, (start, end) in enumerate(bounds):
        signed.extend(_signed(found[start:end], clause))
    return Reading(text, tuple(signed))


def _clause_bounds(tokens: list[Token]) -> list[tuple[int, int]]:
    bounds, start = [], 0
    for at, token in enumerate(tokens):
        if token.sort is Sort.STOP or (token.text in CLAUSE_WORDS and at > start):
            bounds.append((start, at))
            start = at
    bounds.append((start, len(tokens)))
    return [(first, last) for first, last in bounds if last > first]


def _signed(clause: list[Token], number: int) -> list[Token]:
    """The tokens of one clause with their signs."""
    texts = [token.text for token in clause]
    words = [token.text for token in clause if token.sort is not Sort.STOP]
    scopes = list(_scopes(texts))
    twice = sum(not left for _, _, left in scopes) > 1
    conditional = twice or bool(CONDITIONS.intersection(words))
    supposed = bool(words) and words[0] in SUPPOSES | REASONS and not _since_when(clause, words[0], number)
    doubt = next((stem(word) for word in words if stem(word) in _DOUBTS), "")
    limited, described = bool(LIMITS.intersection(words)), _described(texts)
    signed = []
    for place, token in enumerate(clause):
        times = sum(count for places, count, _ in scopes if place in places)
        left = any(over for places, _, over in scopes if place in places)
        sign = 1 if times == 0 else -1 if times == 1 else 0
        if supposed or (sign == -1 and conditional and not left):
            sign = 0
        gone, narrow = left and sign == -1, limited or place > described
        signed.append(replace(token, clause=number, sign=sign, over=gone, doubt=doubt, limited=narrow))
    return signed


def _described(words: list[str]) -> int:
    """From where on a clause only says which: the place of its relative pronoun, or its end."""
    for at, word in enumerate(words):
        if word in ("that", "which", "who") and at and words[at - 1] not in TELLS | FUNCTION:
            return at
    return len(words)


def _since_when(clause: list[Token], word: str, number: int) -> bool:
    """Where a sentence begins, "since" gives a time ("since version 8"), and further on a reason."""
    return word == "since" and (number == 0 or clause[0].text in (".", "!", "?", "\n"))


# Which words are denied, how often (twice is neither denied nor affirmed), and whether they were left behind.
Scope = tuple[Collection[int], int, bool]


def _scopes(words: list[str]) -> Iterator[Scope]:
    """What each denial of a clause covers."""
    for at, word in enumerate(words):
        pair = (word, words[at + 1] if at + 1 < len(words) else "")
        if pair in _IDLE or (at and (words[at - 1], word) in _IDLE):
            continue
        left = _left_behind(words, at, pair)
        if left:
            yield left, 1, True
        elif word in DENIES_SUBJECT and "not" not in words[:at]:
            yield _subject(words, at), 1, False
        elif word == "off!":
            turns = words[at - 1] in ("turn", "turned", "turning", "switch", "switched")
            yield (_reach(words, at) if turns and pair[1] not in OBJECT_ENDS else _subject(words, at)), 1, False
        elif word in NEGATORS or (word in STOPS and pair[1].endswith("ing")):
            yield _denied(words, at, pair[1])


def _denied(words: list[str], at: int, following: str) -> Scope:
    """What a negator covers: what follows. A sentence that something is "no longer" so is over as a whole."""
    before = words[at - 1] if at else ""
    if following == "longer" or "anymore" in words or ("any" in words and words[-1] == "more"):
        return (_reach(words, at) if before in ("and", "but") else list(range(len(words)))), 1, True
    related = {"that", "which", "who"}.intersection(words[max(0, at - 3) : at])
    places = _reach(words, at)
    if all(words[place] in FUNCTION for place in places):
        return _subject(words, at), 1, False
    if EVALUATES.intersection(words[at + 1 : at + 4]):
        places = _subject(words, at) + places
    return places, 2 if related else 1, words[at] == "not" and before in (",", "and", "–", "—")


def _reach(words: list[str], at: int) -> list[int]:
    """From there to the REACH-th content word."""
    content = [place for place in range(at + 1, len(words)) if words[place] not in FUNCTION]
    return list(range(at + 1, content[:REACH][-1] + 1)) if content else list(range(at + 1, len(words)))


def _subject(words: list[str], at: int) -> list[int]:
    """What stands before, back to a pronoun: of "with X they are gone", X is not gone."""
    pronouns = [place for place in range(at) if words[place] in ("they", "it", "we", "this")]
    return list(range(pronouns[-1] if pronouns else 0, at))


def _left_behind(words: list[str], at: int, pair: tuple[str, str]) -> list[int]:
    """The places of what the word there says was left behind; none if it says no such thing."""
    word, following = pair
    if pair in _CONTRASTS or pair in ENDS_OBJECT_PAIRS or (word in STOPS and following in ("using", "supporting")):
        return _object(words, at + 2)
    if word in ("over", "to") and _prefers(words, at) and following != "be":
        return _object(words, at + 1)
    if word == "from" and MOVES.intersection(words[max(0, at - 6) : at]) and "to" in words[at:]:
        return list(range(at + 1, at + words[at:].index("to")))
    if word in ("replace", "replacing") and {"by", "with"}.intersection(words[at:]):
        return _object(words, at + 1)
    put = following in INTO and words[at + 2 : at + 3] not in (["favour"], ["favor"])
    if word in ENDS_SUBJECT | ENDS_OBJECT and not put and _passive(words, at):
        return _subject(words, at)
    if word in BEATS and following not in ("by", "with"):
        return _object(words, at + 1)
    if word in ENDS_OBJECT and at and words[at - 1] in ACTORS:
        return _object(words, at + 1)
    if pair in ENDS_SUBJECT_PAIRS and _passive(words, at):
        return _subject(words, at)
    return []


_CONTRASTS = frozenset({("instead", "of"), ("rather", "than"), ("opposed", "to")})


def _object(words: list[str], start: int) -> list[int]:
    """From `start` to the next preposition."""
    end = next((at for at in range(start, len(words)) if words[at] in OBJECT_ENDS and at > start), len(words))
    return list(range(start, end))


def _prefers(words: list[str], at: int) -> bool:
    """ "Prefer X over Y", "prefer X to Y"; not "prefer to wait"."""
    places = [place for place in range(at) if words[place].startswith(("prefer", "choose", "chose", "pick", "favo"))]
    return bool(places) and (words[at] == "over" or (0 < at - places[-1] - 1 <= 5 and words[places[-1]][0] == "p"))


def _passive(words: list[str], at: int) -> bool:
    """ "X was removed", "X is deprecated", "X has ended"; not "X is not deprecated", not "X can be removed"."""
    near = words[max(0, at - 3) : at]
    helped = PASSIVE | PERFECT if words[at] in WITHOUT_OBJECT else PASSIVE
    return bool(helped.intersection(near)) and "not" not in near and not MODALS.intersection(near)
