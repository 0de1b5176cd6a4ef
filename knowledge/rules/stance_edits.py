"""Made-up pairs to train the local judge on: sentences of real notes, edited so that the label is known.

Conflicts between developers' lessons are not to be had under a licence that lets weights be shipped. So a sentence is
retold in other words (same), turned round, given another value or dropped for something else (contradiction), or said
of another thing or place (unrelated). Every edit gives None where it does not apply. Chance comes from the `rng` that
is passed in, so a training run can be repeated.
"""

import re
from collections.abc import Sequence
from random import Random

from knowledge.rules.stance_words import OPPOSITES, SYNONYMS

# --- sentences --------------------------------------------------------------------------------------------------
_FENCE = re.compile(
    r"```.*?```|^(?: {4}|\t|#|>|\||\*|-)[^\n]*$|\[([^\]]{0,300})\]\([^)]{0,2000}\)", re.DOTALL | re.MULTILINE
)
_ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
SHORTEST, LONGEST = 7, 40


def sentences(body: str) -> list[str]:
    """The plain sentences of a Markdown note, without code, lists and headings; SHORTEST to LONGEST words each."""
    prose = _FENCE.sub(lambda match: match.group(1) or "\n\n", body)
    found = []
    for paragraph in re.split(r"\n\s*\n", prose):
        for sentence in _ENDS.split(" ".join(paragraph.split())):
            if SHORTEST <= len(sentence.split()) <= LONGEST and sentence[-1:] in ".!" and "```" not in sentence:
                found.append(sentence)
    return found


# --- the same in other words --------------------------------------------------------------------------------------
_GROUPS = {word: line.split() for line in SYNONYMS.splitlines() for word in line.split()}
# Synonyms that the readers do not know: the network learns to trust the vector where each side has a word left over.
_UNKNOWN = """
quickly rapidly|often frequently|sometimes occasionally|usually typically|simple straightforward|hard difficult
important crucial|helpful useful|strange odd|clear obvious|certain specific|various several|huge vast|value worth
begin commence|finish conclude|choose select|decide determine|discover uncover|explain describe|keep retain
permit enable|provide supply|receive obtain|require demand|seem appear|try attempt|use leverage|want wish
help assist|gather collect|combine merge|split divide|join connect|hide conceal|reveal expose|see notice|think believe
approach method|area region|benefit advantage|chance opportunity|choice option|detail particular|effect impact
error mistake|example sample|goal aim|idea concept|issue problem|job task|kind type|list series|part piece
place location|point spot|process procedure|purpose intent|reason motive|result outcome|speed pace|step stage
subject topic|team crew|tool utility|machine computer|screen display|line row|column field|folder directory
script program|command instruction|shell terminal|statement expression|feature capability|change modification
version edition|option flag|label tag|page document|link hyperlink|website site|bug defect|log journal
""".replace("\n", "|").split("|")
_OTHERS = {word: group.split() for group in _UNKNOWN for word in group.split()}
_FRAMES = (
    "Note that {}", "Remember: {}", "TIL: {}", "For the record, {}", "We learned that {}", "Keep in mind that {}",
    "{} That is how we do it.", "{} It took us an afternoon to find out.", "As a rule, {}", "Lesson learned: {}",
    "Do not forget: {}", "{} Nothing else worked.", "It is not obvious, but {}", "{} Without that it fails.",
    "{} Do not do it any other way.", "{} We did not know that.",
)  # fmt: skip
_REASON = re.compile(
    r"^(?P<claim>[^,;]{15,}?),? (?P<word>because|since|so that|otherwise|when|if|by) (?P<rest>.{12,})[.]$"
)
_LOOSE = re.compile(
    r"\b(?:also|just|simply|really|actually|very|quite|basically|currently|easily|even) ", re.IGNORECASE
)
_PHRASES = [
    (r"\byou can\b", "it is possible to"), (r"\bwe can\b", "one can"), (r"\byou need to\b", "you have to"),
    (r"\bdo not\b", "don't"), (r"\bdoes not\b", "doesn't"), (r"\bis not\b", "isn't"), (r"\bcannot\b", "can't"),
    (r"\bin order to\b", "to"), (r"\bmake sure\b", "ensure"), (r"\ba lot of\b", "many"), (r"\bthere is\b", "you have"),
    (r"\ballows you to\b", "lets you"), (r"\busing\b", "with"), (r"\bbecause\b", "since"), (r"\bif you\b", "when you"),
    (r"\bfor example\b", "for instance"), (r"\bwhenever\b", "each time"), (r"\ball of the\b", "all"),
    (r"\bthis is\b", "that is"), (r"\bis able to\b", "can"), (r"\bany\b", "some"), (r"\bmust\b", "has to"),
]  # fmt: skip


def retold(text: str, rng: Random) -> str | None:
    """The sentence with synonyms, other phrases, its reason moved to the front, a frame around it or fillers gone."""
    told = text
    for edit in rng.sample((_synonyms, _phrases, _turned, _without_fillers), k=rng.randint(2, 4)):
        told = edit(told, rng) or told
    if rng.random() < 0.35:
        told = rng.choice(_FRAMES).format(told)
    return told if told != text else None


def _synonyms(text: str, rng: Random) -> str | None:
    def other(match: re.Match[str]) -> str:
        group = _GROUPS.get(match.group())
        return rng.choice(group) if group and rng.random() < 0.6 else match.group()

    return re.sub(r"\b[a-z]{3,}\b", other, text)


def _phrases(text: str, rng: Random) -> str | None:
    for pattern, phrase in _PHRASES:
        if rng.random() < 0.7:
            text = re.sub(pattern, phrase, text)
    return text


def _turned(text: str, rng: Random) -> str | None:
    match = _REASON.match(text)
    if not match or match["word"] in ("so that", "otherwise"):
        return None
    return f"{_capital(match['word'])} {match['rest']}, {_small(match['claim'])}."


def _without_fillers(text: str, rng: Random) -> str | None:
    return _capital(_LOOSE.sub("", text))


def reworded(text: str, rng: Random) -> str | None:
    """One or two words exchanged for synonyms that are on no list of the readers."""
    places = [match for match in re.finditer(r"\b[a-z]{3,}\b", text) if len(_OTHERS.get(match.group(), ())) > 1]
    if not places:
        return None
    for place in sorted(rng.sample(places, k=min(len(places), rng.randint(1, 2))), key=lambda match: -match.start()):
        other = rng.choice([word for word in _OTHERS[place.group()] if word != place.group()])
        text = text[: place.start()] + other + text[place.end() :]
    return text


def respelled(text: str, rng: Random) -> str:
    """The same words with other marks around them."""
    return rng.choice((text.rstrip(".!"), text.replace("`", ""), _small(text), text.replace(", ", " - "), text.upper()))


def shortened(text: str, rng: Random) -> str | None:
    """The claim without its reason, or retold without the last part after a comma."""
    match = _REASON.match(text)
    if match and match["word"] in ("because", "since", "so that", "otherwise"):
        return match["claim"] + "."
    head, comma, _ = text.rpartition(", ")
    return f"{head}." if comma and len(head.split()) >= SHORTEST else None


# --- the opposite -------------------------------------------------------------------------------------------------
_IMPERATIVE = re.compile(
    r"^(?:Use|Run|Add|Set|Keep|Put|Create|Make|Call|Pass|Check|Find|List|Print|Search|Delete|Remove|Copy|Display|Show)\b"
)
_AFFIRMS = [
    (r"\bcan\b", "cannot"), (r"\bis\b", "is not"), (r"\bare\b", "are not"), (r"\bwill\b", "will not"),
    (r"\bshould\b", "should not"), (r"\bmust\b", "must not"), (r"\bdoes\b", "does not"), (r"\ballows\b", "forbids"),
    (r"\bwas\b", "was not"), (r"\bhas\b", "does not have"), (r"\bwe need\b", "we do not need"),
    (r"\byou need\b", "you do not need"), (r"\bI use\b", "I never use"), (r"\bwe use\b", "we never use"),
]  # fmt: skip
_DENIES = [(r" not\b", ""), (r"\b[Cc]annot\b", "can"), (r"\bdon't\b", "do"), (r"\bdoesn't\b", "does"),
           (r"\bcan't\b", "can"), (r"\bisn't\b", "is"), (r"\bnever\b", "always")]  # fmt: skip


def negated(text: str, rng: Random) -> str | None:
    """Its denial, or what is affirmed when a denial is taken out."""
    for pattern, change in _DENIES:
        if re.search(pattern, text):
            return re.sub(pattern, change, text, count=1)
    if _IMPERATIVE.match(text):
        return rng.choice(("Never ", "Do not ", "Don't ", "You must not ")) + _small(text)
    applicable = [(pattern, change) for pattern, change in _AFFIRMS if re.search(pattern, text)]
    if not applicable:
        return None
    pattern, change = rng.choice(applicable)
    return re.sub(pattern, change, text, count=1)


_OPPOSITE: dict[str, list[str]] = {}
for _first, _second in OPPOSITES:
    _OPPOSITE.setdefault(_first, []).append(_second)
    _OPPOSITE.setdefault(_second, []).append(_first)


def opposite(text: str, rng: Random) -> str | None:
    """One word exchanged for its antonym."""
    places = [match for match in re.finditer(r"\b[a-z]+\b", text) if match.group() in _OPPOSITE]
    if not places:
        return None
    place = rng.choice(places)
    return text[: place.start()] + rng.choice(_OPPOSITE[place.group()]) + text[place.end() :]


_NUMBER = re.compile(r"(?<![\w.])(\d+)(?![\w.]*\d)")
_VERSION = re.compile(r"\bv?(\d+)\.(\d+)((?:\.\d+)*)\b")


def another_value(text: str, rng: Random) -> str | None:
    """One number or version changed."""
    version = _VERSION.search(text)
    if version:
        bumped = f"{int(version[1]) + rng.choice((0, 1))}.{int(version[2]) + rng.randint(1, 6)}{version[3]}"
        return text[: version.start()] + bumped + text[version.end() :]
    number = _NUMBER.search(text)
    if not number:
        return None
    value = int(number.group())
    changed = rng.choice(
        (value * 10, value * 2, value + rng.randint(1, 9), max(0, value - 1) if value > 1 else value + 3)
    )
    return text[: number.start()] + str(changed) + text[number.end() :]


_NAMED = re.compile(r"(?<=[a-z,] )`?([A-Z][a-zA-Z]{3,}|[a-z]+[_-][a-z_-]+)`?")


def names(text: str) -> list[str]:
    """The named things within a sentence, apart from its first word."""
    return [match.group(1) for match in _NAMED.finditer(text)]


def switched(text: str, rng: Random, others: Sequence[str]) -> str | None:
    """A named thing given up for another one."""
    found = names(text)
    if not found or not others:
        return None
    old, new = rng.choice(found), rng.choice(others)
    if old == new:
        return None
    replaced = text.replace(old, new)
    return rng.choice(
        (
            f"{replaced} We no longer use {old} for that.",
            f"{replaced.rstrip('.')} instead of {old}.",
            f"We switched from {old} to {new}. {replaced}",
            f"{replaced} {old} is deprecated.",
        )
    )


def renamed(text: str, rng: Random, others: Sequence[str]) -> str | None:
    """The same said of another named thing: unrelated, as far as anybody knows."""
    found = names(text)
    if not found or not others:
        return None
    return text.replace(rng.choice(found), rng.choice(others))


_OBJECT = re.compile(r"\b(?:the|per|by|in|as|an|of) ([a-z]{4,12})(?=[ ,.])")


def objects(text: str) -> list[str]:
    """The plain words that stand where a sentence names what it is about."""
    return [match.group(1) for match in _OBJECT.finditer(text)]


def replaced(text: str, rng: Random, others: Sequence[str]) -> str | None:
    """The same said of another plain word."""
    places = list(_OBJECT.finditer(text))
    if not places or not others:
        return None
    place, other = rng.choice(places), rng.choice(others)
    return text[: place.start(1)] + other + text[place.end(1) :] if other != place.group(1) else None


_PLACES = (
    "the billing service", "the search index", "the mobile app", "staging", "production", "the importer", "the admin",
    "the checkout", "the nightly job", "the public API", "the reporting database", "the build agents", "the data team",
)  # fmt: skip


def elsewhere(text: str, rng: Random) -> tuple[str, str]:
    """The sentence said of two places: two lessons."""
    first, second = rng.sample(_PLACES, 2)
    form = rng.choice(("In {}: {}", "For {}, {}", "{1} (in {0})"))
    return form.format(first, text), form.format(second, text)


def _small(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
