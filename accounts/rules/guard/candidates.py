"""Where a value stands that may be a secret: by its looks anywhere, and any value beside what says that one is near.

What is found by its looks has digits or signs, or letters that are beside each other as in no word. Beside a word for
a password, a key or a code, plain words, phrases and numbers are candidates too. `near.py` decides which are secrets.
"""

import re
from collections.abc import Iterator

from accounts.rules.guard.chosen import FUNCTION_WORDS
from accounts.rules.guard.drawn import reads_like_words, surprise
from accounts.rules.guard.features import DRAWN_GROUPS, GROUP, changes_in, plain, shape_of
from accounts.rules.guard.rows import ASCII_LOWER, Extent, words_of
from accounts.rules.guard.vicinity import READ_BEFORE, READ_BEHIND, class_of

# --- by its looks --------------------------------------------------------------------------------------
SHORTEST_NEAR, SHORTEST_LETTERS, SHORTEST_WORD, LONGEST_NEAR = 6, 8, 10, 400
# What quotes, brackets and commas leave of a word, and what the signs of an address leave of it.
_PIECE = re.compile(
    rf"[^\s\"'`<>(){{}}\[\],;|\\\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{{{SHORTEST_NEAR},{LONGEST_NEAR}}}"
)
_PART_OF_ADDRESS = re.compile(rf"[^/?&=:@#]{{{SHORTEST_NEAR},{LONGEST_NEAR}}}")
_NAME_AND_SIGN = re.compile(r"-{0,2}[A-Za-z_][\w.-]{0,60}(?:[:=]{1,2}|=>|->)(?=[^=:])")
_DIGIT = re.compile("[0-9]")
# Numbers, versions, times and measures.
_NUMBERS = re.compile(r"[\d.,:/x%+T_Z-]+[a-zA-Z%]{0,3}|[vV]?\d[\w.]{0,6}")
_BEFORE_VALUE, _CLOSING = ".:=/*~-@", ".:,*~_="
# A pair or a path of so many parts may have a secret among them; base 64 is longer than paths of passwords.
MOST_PARTS, LONGEST_PATH = 4, 40
_JOINING_PARTS = re.compile("[:/]")
# Without a digit: words joined, letters with a sign in them, letters of both cases or that read like no word.
_LETTERED = re.compile(
    r"[A-Za-z]{3,12}(?:[-_.][A-Za-z]{3,12}){2,7}|(?=[\w@-]{0,40}[!#$%^&*~+])[\w!#$%^&*~+@-]{8,40}|[A-Za-z_-]{8,80}",
    re.ASCII,
)
_OF_NAME_PARTS = re.compile("[A-Z_]+|[a-z]+_[a-z_]+")
_INTRODUCED = frozenset("\"'`=:(,")
_INTRODUCED_BY = (": ", "= ", "p ", "d ", "s ")
SHORTEST_UNREADABLE, UNREADABLE_LETTERS, CAPITALS_WITHIN = 12, 4.8, 3


def candidates(text: str) -> Iterator[Extent]:
    """Yield where values stand that may have been drawn or chosen, each once, in time linear in the text."""
    seen: set[Extent] = set()
    for extent in _by_what_is_said(text):
        if extent not in seen:
            seen.add(extent)
            yield extent
    for extent in _by_looks(text):
        if extent not in seen and _is_spoken_of(text, *extent):
            seen.add(extent)
            yield extent


def _is_spoken_of(text: str, start: int, end: int) -> bool:
    """Whether a value found by its looks is drawn, or what opens something is named near it."""
    value = plain(text[start:end])
    shape = shape_of(value)
    drawn = GROUP[shape] in DRAWN_GROUPS or (shape == "c" and end - start >= SHORTEST_DRAWN_OF_ONE)
    if drawn and not (shape == "e" and reads_like_words(value)):
        return True
    return _STEM.search(text[max(0, start - READ_BEFORE) : end + READ_BEHIND].lower()) is not None


def _by_looks(text: str) -> Iterator[Extent]:
    """Yield what has a digit or a sign in it, or no letters of words."""
    at = 0
    # most words are letters: that is asked before any expression is
    for word in text.split():
        if len(word) < SHORTEST_NEAR or word.isalpha():
            continue
        start = text.index(word, at)
        at = start + len(word)
        if _DIGIT.search(word):
            for piece in _PIECE.finditer(text, start, at):
                yield from _with_digits(text, *piece.span())
        elif len(word) >= SHORTEST_WORD:
            for piece in _PIECE.finditer(text, start, at):
                yield from _of_letters(text, *piece.span())


def _with_digits(text: str, start: int, end: int) -> Iterator[Extent]:
    """Yield the value of a name, or the parts of an address, a pair or a path."""
    if not _DIGIT.search(text, start, end):
        return
    scheme = text.find("://", start, end)
    if scheme >= 0:
        for part in _PART_OF_ADDRESS.finditer(text, scheme + 3, end):
            yield from _trimmed(text, *part.span())
        return
    start = _behind_names(text, start, end)
    while start < end and text[start] in _BEFORE_VALUE:
        start += 1
    yield from _trimmed(text, start, end)
    if end - start >= SHORTEST_OF_BASE64 and _ONE_OF_BASE64.fullmatch(text, start, end):
        return
    parts = _JOINING_PARTS.split(text[start:end], MOST_PARTS)
    if 1 < len(parts) <= MOST_PARTS and (":" in text[start:end] or end - start < LONGEST_PATH):
        for each in parts:
            yield from _trimmed(text, start, start + len(each))
            start += len(each) + 1


def _behind_names(text: str, start: int, end: int) -> int:
    while named := _NAME_AND_SIGN.match(text, start, end):
        start = named.end()
    return start


def _trimmed(text: str, start: int, end: int) -> Iterator[Extent]:
    while end > start and text[end - 1] in _CLOSING[:-1]:
        end -= 1
    if end - start >= SHORTEST_NEAR and _DIGIT.search(text, start, end) and not _NUMBERS.fullmatch(text, start, end):
        yield start, end


def _of_letters(text: str, start: int, end: int) -> Iterator[Extent]:
    """Yield a value without a digit, where something introduces it."""
    start = _behind_names(text, start, end)
    while end > start and text[end - 1] in _CLOSING:
        end -= 1
    value = text[start:end]
    if len(value) < SHORTEST_LETTERS or not _LETTERED.fullmatch(value) or _OF_NAME_PARTS.fullmatch(value):
        return
    if text[max(0, start - 1) : start] not in _INTRODUCED and text[max(0, start - 2) : start] not in _INTRODUCED_BY:
        return
    unreadable = len(value) >= SHORTEST_UNREADABLE and surprise(value) >= UNREADABLE_LETTERS
    if (
        not value.isalpha()
        or unreadable
        or changes_in("".join("aA"[c.isupper()] for c in value)) * len(value) > 2 * (CAPITALS_WITHIN - 1)
    ):
        yield start, end


# Before what is asked of a name, a word or a number: no letters of these, nothing that opens.
_STEM = re.compile(
    "pass|pw|secret|token|key|auth|cred|log ?in|user|admin|root|crypt|salt|pin[^a-z]|connect|begin|unlock|mdp|kennw"
    "|schl|zugang|clave|clé|contras|senha|wachtw|has[lł]|heslo|jelsz|l[öo]sen|parol|salasa|adgang|şifre|sifre|парол|ключ|密"
    "|口令|パス|キー|비밀|암호|community|hmac|psk|sasl|pepper|seed|@\\w"
)
SHORTEST_DRAWN_OF_ONE = 12


# --- by what is said beside it -------------------------------------------------------------------------
# In a text in small letters: beginnings of what says that a secret is near, and of what says it if a sign follows.
SAYING = words_of(
    "pass pw secret kennw mdp clave contras senha wachtw hasł haslo heslo jelsz lösen losen salasa adgang şifre sifre"
    " парол パス 비밀 암호 口令 密码 login signin creds credential psk unlock pin phrase recovery backup-code community"
    " rcon wlan wifi wi-fi sudo zugang schlüssel geheim identified otp passkey activation"
)
SAYING_WITH_SIGN = words_of("key token auth licen serial code salt pepper ssid klucz llave chiave ключ")
# So many characters around it; behind the second kind half as many.
REACH_BEFORE, REACH_BEHIND = 60, 120
SHORTEST_SAID = 4
_BETWEEN_BLANKS = re.compile(r"(?<!\S)\S{4,400}(?!\S)")
# A longer one, or one with quotes or brackets in it, is asked in its parts only.
LONGEST_WHOLE = 160
_OF_CODE = re.compile("[\"'`(){}<>]")
# What encloses a value, and what joins it to what is not of it.
_WRAPPING_LEFT, _WRAPPING_RIGHT = "\"'`<>(){}[],;|*«»„“”=:.~→>", "\"'`<>(){}[],;|*«»„“”:.~"
_ENDS_OF_PARTS = r"\s:/@\"'`=&,;|<>(){}\[\]?\\"
_WITHIN_TOKEN = re.compile(rf"(?<![^{_ENDS_OF_PARTS}])[^{_ENDS_OF_PARTS}]{{4,160}}(?![^{_ENDS_OF_PARTS}])")
# A longer word is a token with others behind it.
LONGEST_OF_PHRASE = 20
# Quoted, behind a name to the end of its line, alone on a line.
_PHRASED = re.compile(
    r"(?P<quote>[\"'`])(?P<a>[^\"'`\n]{4,80})(?P=quote)|[«„“](?P<b>[^\n«»„“”]{4,80})[»”“]"
    r"|(?<=[\w\"'\])][:=])[ \t]{0,4}(?P<rest>[^\s\"'`{(<\[$][^\n\"'`;|]{3,60})$"
    r"|^(?P<line>\w{2,16}(?: \w{2,16}){1,5}|[a-z]{3,8}(?: [a-z]{3,8}){11,23})$",
    re.MULTILINE,
)
_NUMBERS_OR_GROUPS = re.compile(
    r"(?<![\w.:/-])(?:\d{4,20}(?![\w:/-]|\.\d)"
    r"|(?=[^\n\d]{0,8}\d)[A-Za-z0-9]{2,8}(?:[ -][A-Za-z0-9]{2,8}){1,15}(?![\w:/-]))"
)
# No path, and so not asked in parts.
SHORTEST_OF_BASE64 = 24
_ONE_OF_BASE64 = re.compile(r"(?:\w{2,12}[:-])?(?=\D*\d)(?=[^A-Z]*[A-Z])(?!/)[A-Za-z0-9+/]+(?<!/)={0,2}")
# Of more than letters, or with a capital or a sign among them.
_SIGNED = re.compile(r"(?=.*[A-Za-z])(?=.*[^A-Za-z.,()-])|.*[a-z][A-Z]|[A-Z]?[a-z]+[-.][A-Z]?[a-z]")
# Right before a plain word that is a value.
_SIGNS_BEFORE_WORD, READ_INTRODUCING = frozenset(("", *"\"'`=>*|«„“:(/@→\n\t")), 30
_INTRODUCING = re.compile(
    r"(?:[:=] {1,12}|\s--?[\w-]{1,30}[ =]|  |\A\s*|,\s\w{2,12} "
    r"|(?i:is|to|war|ist|auf|es|è|à|se|of|with|by|now|was|w|pin|code|\w{0,20}(?:pass|word|wort|pw|secret|token|key|login|phrase))"
    r"\s{1,3}\W?)\Z"
)
# Behind what says it if a sign follows: a sign, a word that links, or a value that is no word.
_SIGN_BEHIND = re.compile(
    r"\w{0,20}[\"'`\])]{0,3}(?: ?(?:[:=]|->)|>| (?:is|to|ist|lautet|war|was|für|for|on|of)\b| [\"'`(])"
    r"|[\w-]{0,20} (?=\S{0,100}[\d!#$*_-])"
)
# Other words that begin so.
_ENDING = re.compile("pass(?:ed|es|ing|e[sr]|age|iv)|pin(?:[abd-mo-z]|n[ei])|author|userna|signal|codec|keyw|keyb")


def _marks(lowered: str) -> Iterator[Extent]:
    """Yield what is to be looked through around each word that says something."""
    for stem in (*SAYING, *SAYING_WITH_SIGN):
        signed = stem in SAYING_WITH_SIGN
        at = lowered.find(stem)
        while at >= 0:
            within = stem == "pin" and lowered[at - 1 : at].isalpha()
            if not within and not _ENDING.match(lowered, at):
                if not signed:
                    yield max(0, at - REACH_BEFORE), at + REACH_BEHIND
                elif _SIGN_BEHIND.match(lowered, at + len(stem)):
                    yield at, at + REACH_BEHIND // 2
            at = lowered.find(stem, at + 20)


def _windows(text: str) -> Iterator[Extent]:
    """Yield the parts of a text around what says that a secret is near, apart from each other."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text.translate(ASCII_LOWER)
    first = last = -1
    for start, end in sorted(_marks(lowered)):
        if first >= 0 and start <= last:
            last = max(last, end)
            continue
        if first >= 0:
            yield first, last
        first, last = start, end
    if first >= 0:
        yield first, last


def _by_what_is_said(text: str) -> Iterator[Extent]:
    """Yield words, phrases, numbers and groups in those parts."""
    for first, last in _windows(text):
        last = min(last, len(text))
        while first and not text[first - 1].isspace() and last - first < LONGEST_NEAR:
            first -= 1
        while last < len(text) and not text[last].isspace() and last - first < 2 * LONGEST_NEAR:
            last += 1
        # what the part's end cuts off is not asked
        cut = last if last < len(text) and text[last] != "\n" else -1
        within = cut if cut >= 0 and not text[cut].isspace() else -1
        for match in _BETWEEN_BLANKS.finditer(text, first, last):
            if match.end() != within:
                yield from _of_token(text, *match.span())
        for match in _PHRASED.finditer(text, first, last):
            start, end = match.span(match.lastgroup or 0)
            words = text[start:end].split()
            phrase = len(words) > 1 and max(map(len, words)) <= LONGEST_OF_PHRASE
            if match.end() != cut and (phrase or (match["rest"] is None and not text[start:end].isalnum())):
                yield start, end
        for match in _NUMBERS_OR_GROUPS.finditer(text, first, last):
            if match.end() != within:
                yield match.span()


def _of_token(text: str, start: int, end: int) -> Iterator[Extent]:
    """Yield what stands between blanks without what encloses it and the names before it, and its parts."""
    whole = start, end
    while start < end and text[start] in _WRAPPING_LEFT:
        start += 1
    while end > start and text[end - 1] in _WRAPPING_RIGHT:
        end -= 1
    behind = _behind_names(text, start, end)
    while behind < end and text[behind] in _WRAPPING_LEFT:
        behind += 1
    if end - behind <= LONGEST_WHOLE and not _OF_CODE.search(text, behind, end):
        yield from _said(text, behind, end)
    if end - behind >= SHORTEST_OF_BASE64 and _ONE_OF_BASE64.fullmatch(text, behind, end):
        return
    parts = [*_WITHIN_TOKEN.finditer(text, *whole)]
    if len(parts) > 1:
        for part in parts:
            yield from _said(text, *part.span())


def _said(text: str, start: int, end: int) -> Iterator[Extent]:
    """Yield a value, unless it is a word that nothing introduces."""
    while end > start and text[end - 1] in _WRAPPING_RIGHT:
        end -= 1
    value = text[start:end]
    if end - start < SHORTEST_SAID or value.isdigit():
        return
    if value.isalpha():
        low = value.lower()
        if low in FUNCTION_WORDS or class_of(low) != ".":
            return
    if (
        text[start - 1 : start] in _SIGNS_BEFORE_WORD
        or _SIGNED.match(value)
        or _INTRODUCING.search(text[max(0, start - READ_INTRODUCING) : start])
    ):
        yield start, end
