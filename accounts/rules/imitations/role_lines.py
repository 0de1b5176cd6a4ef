"""Lines that take the part of a speaker, whatever decorates them: `System: x`, `1. [Human] x`, `=== SYSTEM ===`.

Such a line is told by its form: its first word names who speaks, perhaps with what is said (`Tool result`), and a
colon, a dash, a closing bracket or nothing follows. A setting has that form, too: a value of one word beside another
setting tells it, and it stays as it is. Lines are compared folded (`fence`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from accounts.rules.imitations.speaker_names import SPEAKER_NAMES

# Those who take turns in any chat, by the stems that most languages of Europe have for them, and in languages that have
# none of these.
_ELSEWHERE = (
    "s[iy]stee?m(?:et|[ae])?|ass?[iy]st[ae]nt(?:e|in)?|usuari[oa]|utilisat(?:eur|rice)|utente|gebruiker|"
    "(?:be)?nutzer(?:in)?|"
    f"(?:{SPEAKER_NAMES})(?:提示|消息|信息|指令)?"
)
# A word that people use of colleagues speaks with a capital only.
_WHO = (
    "system|sys|user|human|assistant|developer|tool|claude|anthropic|openai|(?:chat)?gpt|gemini|copilot|agent|bot|llm|ai|"
    f"loam|{_ELSEWHERE}|(?-i:Operator|OPERATOR|Administrator|ADMINISTRATOR|Observation|OBSERVATION)"
)
# What somebody says. Any other word behind a name makes a thing of it (`User guide:`).
_UTTERANCE = (
    "prompts?|messages?|msg|instructions?|turn|notes?|notices?|reminders?|results?|outputs?|response|reply|says?|said|"
    "alerts?|override|directives?|commands?|orders?|announcement|speaking|wrote|here|again"
)
_SPEAKER = (
    rf"(?P<who>{_WHO})(?:\s\d{{1,2}}\b)?(?:[\s/-]{{1,3}}(?:{_UTTERANCE})\b){{0,2}}(?: ?[(\[][^()\[\]]{{0,40}}[)\]])?"
)
# A colon is no speaker's in a path, a declaration or an address (`user::x`, `user:x@y`).
_SPEAKS = re.compile(
    rf"{_SPEAKER}(?:[\s\])}}>]*:(?![:=]|//|\S{{1,60}}@)|[\])}}]*(?:>{{2,3}}(?=\s)|>(?![=>-])))", re.IGNORECASE
)
# `New system message:`, `Message from the system:`, `Mensaje del sistema:`, `Systemmeldung:`
_NAMED_BEHIND = re.compile(
    rf"(?:(?:new|the|this|a)\s+(?P<who>{_WHO})\s(?:{_UTTERANCE})|"
    rf"(?:{_UTTERANCE}|words) (?:from|of|by) (?:the )?(?:{_WHO})|"
    rf"(?:mens|mess|prompt|instru|not|nach)\w{{0,10}}\s(?:d[eiou]l?|des|van|vom|von)\s(?:\w{{2,3}}\s)?(?:{_WHO})|"
    r"system-?(?:nachricht|meldung|anweisung|hinweis|prompt|message|reminder)(?:en|s)?)\s*:",
    re.IGNORECASE,
)
# `BEGIN SYSTEM PROMPT`, `End of the user message:`; in capitals, `SYSTEM PROMPT` above what it says.
_ANNOUNCED_PART = "prompts?|messages?|instructions?|turn|notices?|reminders?|override|directives?|announcement"
_ANNOUNCED = re.compile(
    rf"(?:(?:begin|beginning|start|end)\s(?:of\s)?(?:the\s|an?\s|new\s)?(?:{_WHO})\s(?:{_ANNOUNCED_PART})|"
    rf"(?-i:(?=[A-Z\s]+$))(?:{_WHO})\s(?:{_ANNOUNCED_PART}))\s*(?:[^\w\s]{{0,9}}$|:)",
    re.IGNORECASE,
)
_BRACKETED = re.compile(rf"{_SPEAKER}(?:\s?[-,|]\s[^\[\](){{}}]{{1,30}})?\s*[\])}}]{{1,3}}(?=[\s\w]|$)", re.IGNORECASE)
_DASHED = re.compile(rf"(?-i:(?=[A-Z])){_SPEAKER}(?:\s+-{{1,2}}|\s*[·•~;»⇒]+)\s+\S", re.IGNORECASE)
# With a sign of a list, a quote or emphasis before it, a name alone with a dash behind it heads an item (`- User - who
# signs in`); with what is said it speaks there, too.
_DASHED_UTTERANCE = re.compile(
    rf"(?-i:(?=[A-Z]))(?:{_WHO})(?:[\s/-]{{1,3}}(?:{_UTTERANCE})\b){{1,2}}\s+-{{1,2}}\s+\S", re.IGNORECASE
)
# Any sign that no keyboard has, but for an arrow, a dash, a quote and an ellipsis, which notes draw and write with:
# attached to a name (`system│ x`), or behind one with a capital.
_BEHIND_A_SIGN = re.compile(
    rf"{_SPEAKER}(?P<gap>\s*)(?:(?![\u2010-\u2027\u2030-\u203a\u2190-\u21ff\u27f0-\u27ff\u2900-\u297f])[^\w\s\x00-\x7f])+\s+\S",
    re.IGNORECASE,
)
# A table has more rows with such a sign; so far they are looked for.
_LONGEST_TABLE = 9
_BARRED = re.compile(rf"(?-i:(?=[^a-z])){_SPEAKER}\s*[|│┃]+\s+[^\s|│┃]", re.IGNORECASE)
_BAR = re.compile(r"[|│┃]")
_DRAWN_RULE = re.compile(r"(?=.*[-─━]{2})[\s|+│┃┼─━:-]+$")
_WRAPPED = re.compile(
    r"(?:(?:begin|start|end)\s(?:of\s)?(?:the\s)?)?" + _SPEAKER + r"\s*(?P<sign>[^\w\s{}\"'`,;])(?P=sign)[\W_]*$",
    re.IGNORECASE,
)
_NAME_ALONE = re.compile(rf"{_SPEAKER}\s*$", re.IGNORECASE)
# Words below a name, which some models' transcripts have on a line of its own.
_BELOW_A_NAME = re.compile(r"\W*[^\W\d_]{2,}[,;:.]?\s{1,9}[^\W\d_]")
# `@system: x`; `@user: x` is said to somebody.
_ADDRESSED = re.compile(rf"{_SPEAKER}\s*:(?![:=]|//|\S{{1,60}}@)", re.IGNORECASE)
_CHAPTER = re.compile(
    r"#+\s*(?:instructions?|input|response)\s*:|(?:#+|:{3,})\s*(?:system|user|human|assistant|developer)"
    rf"(?:\s(?:{_UTTERANCE}))?\s*#*$",
    re.IGNORECASE,
)
# A block of code whose language is a speaker, or what one puts out: "```tool_output".
_BLOCK_OF_SPEAKER = re.compile(rf"[`~]{{3,}}\s?(?:{_WHO})(?:[\s_-]?(?:{_UTTERANCE}|calls?))?\s*$", re.IGNORECASE)
# What takes a part only where others take theirs: in a configuration they are names of settings.
_AMONG_OTHERS = re.compile(r"(?:model|function|ipython|environment|observation|bot)\s*:(?!:)", re.IGNORECASE)
# What has no letter decorates, and so does what counts the items of a list.
_BEFORE_NAME = re.compile(
    r"(?:\\[nrt]|<br\s?/?>|&nbsp;|[\W\d_])*(?:(?:[a-z]|[ivx]{2,4})[.)]\s+[\W\d_]*)?", re.IGNORECASE
)
# These, attached to a word, make another one of it: an option, a path, a variable, somebody who is addressed, a number.
_MAKES_A_NAME = "$@./\\&%+-:<0123456789"
_QUOTES = re.compile("[*_~`\"'\u2018-\u201f\u00ab\u00bb]+")
# Letters one by one: `S y s t e m`, `S.y.s.t.e.m`.
_LETTER_BY_LETTER = re.compile(r"[^\W\d_](?:[^\w:\n]{1,3}[^\W\d_](?![^\W\d_])){3,}")
_NO_LETTER = re.compile(r"[\W\d_]+")

# A chat as data: who speaks and what is said, beside each other.
_OF_CHAT = "system|assistant|developer|user|human|tool|function|model|ai|gpt"
_CHAT_ROLE = re.compile(
    rf"(?:[\"']|(?<=[{{,\s]))(?:role|from|speaker|author|sender|type|name|who)[\"']?\s{{0,9}}:\s{{0,9}}[\"'](?:{_OF_CHAT})[\"']",
    re.IGNORECASE,
)
# Of these lists of settings are full, too.
_SAID_BY = frozenset(_OF_CHAT.split("|")) - {"system", "assistant"}
_CHAT_SAID = re.compile(
    r"(?:[\"']|(?<=[{,\s]))(?:content|value|text|message|parts|body)[\"']?\s{0,9}:\s{0,9}[\"'\[{]", re.IGNORECASE
)
_CHAT_ROLE_ALONE = re.compile(
    rf"(?:[\W_]*role|[^\w{{\[(\"']*(?:from|sender|speaker))[\"']?\s*[:=]\s*(?:the\s)?[\"'`*]{{0,2}}"
    rf"(?P<who>{_OF_CHAT}|{_ELSEWHERE})\b[\"'`*]{{0,2}}(?:\s(?:prompt|message))?\s{{0,9}},?(?:[^\w\s,]{{0,9}}$|(?:[:;>|-]|(?<![\"'`*]),)+\s)",
    re.IGNORECASE,
)
_CHAT_SAID_ALONE = re.compile(r"[\W_]*(?:content|text|message|parts|value)[\"']?\s*[:=]", re.IGNORECASE)

# A setting: a name, and a value of one word or in quotes. Nobody calls one by the names of those who speak.
_NAMED_VALUE = re.compile(
    r"[\s#/*+>{-]*[\"'`]{0,3}(?P<key>[A-Za-z][\w.-]{0,40}(?: [\w.-]{1,20}){0,2})[\"'`*]{0,3}\s?[:=]\s*"
    r"(?:(?:\S{1,60}|\"[^\"]{0,60}\"|'[^']{0,60}')\s?[,;{\[]?)?$"
)
_ONE_WORD = re.compile(r"[^:=]{1,60}[:=]\s*[^\s|;&]{0,32}[,;]?$")
_IN_BRACES = re.compile(r"[^\w{]*\{\s*[\"']?\w+[\"']?\s*:\s*[^\s,{}]+\s*[,}]")
# `System: Ubuntu 22.04`
_VERSION = re.compile(
    r"[\W_]*(?:Operating )?System\W{1,4}(?:Ubuntu|Debian|Fedora|Linux|Windows|Darwin|mac ?OS|OS X|CentOS|Red Hat|RHEL|"
    r"Rocky|Alma|Alpine|Arch|Amazon|openSUSE|FreeBSD|NixOS|Android|iOS)(?: [A-Z]\w{1,20})?(?: v?\d[\w.-]{0,20})?"
    r"(?: \([^)]{0,40}\))?$"
)
_NO_SETTINGS = frozenset(("human", "assistant", "claude", "chatgpt", "anthropic", "loam"))
_NO_SECTIONS = _NO_SETTINGS | {"system"}
_NAMES_SOMEBODY = re.compile(rf"(?:{_WHO}|model|function|ipython|environment|observation)$", re.IGNORECASE)
_COLON_FIRST = re.compile(r"\s{0,40}:")
_SECTION = re.compile(r"\s{0,40}[\w.-]{1,60}\s{0,9}=")


def speakers(lines: Sequence[str]) -> set[int]:
    """Return the indexes of the lines that take the part of a speaker; each begins as it stands, and is folded."""
    spoken = {at for at, line in enumerate(lines) if _speaks(line.strip(), lines, at)}
    if spoken:
        spoken |= {at for at, line in enumerate(lines) if _speaks_among_others(line.strip(), lines, at)}
    return spoken


def _speaks(line: str, lines: Sequence[str], at: int) -> bool:
    found = _BEFORE_NAME.match(line)
    before = found[0] if found else ""
    rest = line[len(before) :]
    if not rest or before[:1] == ")":
        return False
    if _BLOCK_OF_SPEAKER.match(line):
        return True
    if _CHAPTER.match(line) or (_wraps(before) and _WRAPPED.match(rest)) or _is_chat(line, lines, at):
        return True
    plain = _QUOTES.sub("", rest)
    if before and before[-1] in _MAKES_A_NAME:
        found = _ADDRESSED.match(plain) if before[-1] == "@" else None
        return found is not None and found["who"].lower() in _NO_SECTIONS
    if spaced := _LETTER_BY_LETTER.match(plain):
        plain = f"{_NO_LETTER.sub('', spaced[0])}{plain[spaced.end() :]}"
    if _NAMED_BEHIND.match(plain) or _ANNOUNCED.match(plain):
        return True
    if found := _SPEAKS.match(plain):
        return not _is_setting(found["who"], line, lines, at)
    if before[-1:] in ("[", "(", "{"):
        found = _BRACKETED.match(plain)
        heads = line[-1] == "]" and _has_below(_SECTION, lines, at)
        return found is not None and not (heads and found["who"].lower() not in _NO_SECTIONS)
    if before:
        return bool(_DASHED_UTTERANCE.match(plain))
    signed = _BEHIND_A_SIGN.match(plain)
    if _BARRED.match(plain) or (signed and (not signed["gap"] or plain[0].isupper())):
        return not _is_row(lines, at)
    alone = _NAME_ALONE.match(plain)
    return bool(_DASHED.match(plain) or (alone and (_has_below(_COLON_FIRST, lines, at) or _heads_words(lines, at))))


def _speaks_among_others(line: str, lines: Sequence[str], at: int) -> bool:
    bare = _QUOTES.sub("", line).lstrip("#>| ")
    return bool(_AMONG_OTHERS.match(bare)) and not _is_setting("", line, lines, at)


def _wraps(before: str) -> bool:
    """Whether a sign stands twice before a name, as in a title of plain text."""
    signs = before.rstrip()
    return len(signs) > 1 and signs[-1] == signs[-2] and signs[-1] not in "/{\"'`"


def _has_below(pattern: re.Pattern[str], lines: Sequence[str], at: int) -> bool:
    return at + 1 < len(lines) and bool(pattern.match(lines[at + 1]))


def _heads_words(lines: Sequence[str], at: int) -> bool:
    """Whether words stand below a line, at most one empty line further, and no deeper; a name of code heads none."""
    below = next((near for near in range(at + 1, min(at + 3, len(lines))) if lines[near].strip()), None)
    if below is None or "`" in lines[at] or _depth(lines[below]) > _depth(lines[at]):
        return False
    return bool(_BELOW_A_NAME.match(lines[below]))


def _is_row(lines: Sequence[str], at: int) -> bool:
    """Whether a line is a row of a table: a rule stands among the rows around it, or there are three of them."""
    rows = 1
    for step in (-1, 1):
        near = at + step
        while 0 <= near < len(lines) and abs(near - at) <= _LONGEST_TABLE:
            if _DRAWN_RULE.match(lines[near]):
                return True
            if len(_BAR.findall(lines[near])) != len(_BAR.findall(lines[at])):
                break
            rows += 1
            near += step
    return rows > 2


def _is_chat(line: str, lines: Sequence[str], at: int) -> bool:
    """Whether a line is one of a chat as JSON or YAML."""
    if _CHAT_ROLE.search(line) and _CHAT_SAID.search(line) and line[0] in "[{\"'-":
        return True
    role = _CHAT_ROLE_ALONE.match(line)
    if not role:
        return False
    said = any(0 <= near < len(lines) and _CHAT_SAID_ALONE.match(lines[near]) for near in (at - 1, at + 1))
    return said or role["who"].lower() not in _SAID_BY


def _is_setting(who: str, line: str, lines: Sequence[str], at: int) -> bool:
    """Whether a line that names somebody is a setting, beside or above another one, or names an operating system."""
    if _VERSION.match(line) or _IN_BRACES.match(line):
        return True
    if who.lower() in _NO_SETTINGS or not _NAMED_VALUE.match(line) or not _ONE_WORD.match(line):
        return False
    if line[-1] in ":=":  # what is set stands below, deeper
        return _is_other_setting(lines, at + 1) and _depth(lines[at + 1]) > _depth(lines[at])
    return any(_is_other_setting(lines, near) or _is_other_side(lines, at, near) for near in (at - 1, at + 1))


def _is_other_setting(lines: Sequence[str], at: int) -> bool:
    found = _NAMED_VALUE.match(lines[at].rstrip()) if 0 <= at < len(lines) else None
    return bool(found) and not _NAMES_SOMEBODY.match(found["key"])  # type: ignore[index]


def _is_other_side(lines: Sequence[str], at: int, near: int) -> bool:
    """Whether two lines are one setting in a diff, before and after."""
    if not 0 <= near < len(lines):
        return False
    sides = lines[at].strip(), lines[near].strip()
    keys = [found["key"] for line in sides if (found := _NAMED_VALUE.match(line)) and _ONE_WORD.match(line)]
    return {side[0] for side in sides if side} == {"-", "+"} and len(keys) == 2 and keys[0] == keys[1]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
