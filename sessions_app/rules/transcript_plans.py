"""What was to be done next, and what stood in the way, when a transcript ends.

Only what the assistant says, and the to-do list that its tool keeps. The latest of the last few turns that names any
steps is the list: what an earlier one named is done by then, or named again. Steps stand in a list under a heading or a
line like "Next steps:", behind such a lead, in open boxes, or in a sentence that says "Next I'll …". An offer ("Would
you like me to …?") is no plan.
"""

import re
from collections.abc import Iterator, Sequence

from sessions_app.rules.passages import Block, Sentence, blocks, sentences
from sessions_app.rules.turn import ASSISTANT, USER, Turn

# So many of the assistant's last turns are looked through for a plan (SAME: three).
LAST_SPOKEN = 3

_STEPS = (
    r"(?:(?:the\s+|my\s+|our\s+|possible\s+|suggested\s+)?next(?:\s+(?:steps?|up|actions?|tasks?|time|session))?|"
    r"(?:what(?:['’]s|\s+is)\s+)?(?:still\s+)?(?:next|left|missing|open|outstanding|remaining|to\s+do|to\s+be\s+done)"
    r"(?:\s+(?:to\s+do|for\s+\w+(?:\s+\w+)?|work|steps?|tasks?|items?|is|are))*|still|to-?dos?|follow[\s-]?ups?|"
    r"(?:not|un)\s*(?:yet\s+)?(?:done|finished)(?:\s+yet)?|(?:for\s+)?(?:tomorrow|later|next\s+time)|pending(?:\s+\w+)?|action\s+items|"
    r"nächste[rn]?\s+schritte?|(?:noch\s+)?(?:offen|zu\s+tun)|als\s+nächstes|"
    r"prochaines?\s+étapes?|(?:reste\s+)?à\s+faire|"
    r"próxim[oa]s?\s+(?:pasos?|passos?|etapas?)|pendientes?|(?:queda\s+)?por\s+hacer)"
)
UNDER = re.compile(rf"^\W*{_STEPS}\W*$", re.IGNORECASE)
LEAD = re.compile(rf"^\W*{_STEPS}[*_]*\s*(?:[:：]|—|–)[*_]*\s+(?P<what>\S.*)$", re.IGNORECASE | re.DOTALL)
SENTENCE = re.compile(
    r"^\W*(?:(?:now|then)\s+)?(?:next,?\s+(?:I(?:['’]ll|\s+will|['’]m\s+going\s+to|\s+need\s+to)|we(?:['’]ll|\s+will|\s+need\s+to))|"
    r"(?:the\s+|my\s+)?next\s+(?:step|thing|up)\s+is(?:\s+to)?|(?:I|we)\s+still\s+(?:need|have)\s+to|"
    r"(?:still|it)\s+(?:remains|needs|has)\s+to|als\s+nächstes\s+(?:werde\s+ich|muss\s+ich)|"
    r"ensuite,?\s+je\s+vais|a\s+continuación\s+voy\s+a)\s+(?P<what>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
BLOCKERS = re.compile(
    r"^\W*(?:current\s+|open\s+)?(?:blockers?|blocked(?:\s+(?:on|by))?|blockiert(?:\s+durch)?|bloqué\s+par|bloqueos?|impediments?)\W*$",
    re.IGNORECASE,
)
BLOCKER_LEAD = re.compile(
    r"^\W*(?:blockers?|blocked(?:\s+(?:on|by))?|blockiert(?:\s+durch)?|impediments?)[*_]*\s*[:：][*_]*\s+(?P<what>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
BLOCKED = re.compile(
    r"\b(?:(?:am|is|are|['’]m|['’]re|now|currently|still|get|got)\s+blocked\s+(?:on|by|until)|"
    r"(?:waiting|wait)\s+(?:on|for)|(?:can['’]?t|cannot|can\s+not|unable\s+to)\s+(?:continue|proceed|go\s+on|finish)\b)",
    re.IGNORECASE,
)
# One waits for these by staying where one is.
AWAITED = re.compile(
    r"\b(?:wait|waiting)\s+(?:on|for)\s+(?:(?:the|its?|this|that|a|all)\s+)*"
    r"(?:tests?|builds?|commands?|outputs?|servers?|process\w*|containers?|results?|ci|it|them|page|element|\d+)\b",
    re.IGNORECASE,
)
UNREAL = re.compile(
    r"\b(?:if|would|could|might|may|when|whenever|until\s+then|no\s+longer|not\s+blocked|nothing)\b", re.I
)
NOTHING = re.compile(r"^\W*(?:none|nothing|no(?:\s+\w+)?|n/?a|keine?|aucune?s?|ningun[oa]s?|nada)\W*$", re.IGNORECASE)
DONE = re.compile(r"^\W*(?:✅|✔|☑|~~|\(done\)|done\b|\[[xX]\])|(?:\(done\)|✅|✔)\W*$", re.IGNORECASE)
OFFER = re.compile(
    r"\b(?:would\s+you\s+like|do\s+you\s+want|shall\s+I|should\s+I|let\s+me\s+know|want\s+me\s+to|if\s+you(?:['’]d)?\s+(?:like|want|prefer))\b",
    re.IGNORECASE,
)
# Where one line names several steps.
_STILL = re.compile(r"^\W*(?:and\s+)?(?:I|we)\s+still\s+(?:need|have)\s+to\s+", re.IGNORECASE)
_SEVERAL = re.compile(
    r"\s*;\s+(?:then\s+)?|,\s+(?:and\s+)?then\s+|,\s+and\s+(?=(?:an?|the|add|write|run)\b)|\s+and\s+then\s+"
)

_TODO_TOOL = re.compile(
    r"\A\s*(?:⏺\s*)?(?:TodoWrite|update_plan|todo_write|update_todo_list|TaskList|Update Todos)\b", re.I
)
_TODO = re.compile(
    r"^\s*(?:[-*⎿]\s*)*(?:\[(?P<word>pending|in_progress|completed|done| |x|X|-|~)\]|(?P<box>[☐☑☒✔✅]))\s+"
    r"(?P<what>\S.*)$",
    re.MULTILINE,
)
_TODO_JSON = re.compile(
    r"\{[^{}]*?\"(?:content|step)\"\s*:\s*\"(?P<what>[^\"]{1,400})\"[^{}]*?\"status\"\s*:\s*\"(?P<word>\w+)\"[^{}]*\}"
)
OPEN = frozenset({"pending", "in_progress", " ", "~", "-", "☐"})


def planned(turns: Sequence[Turn]) -> list[str]:
    """The steps that the latest turn with any names; else what a to-do list of a tool has open."""
    spoken = 0
    for turn in reversed(turns):
        steps = _of(turn) if spoken < LAST_SPOKEN or _keeps_a_list(turn) else None
        if steps:
            return steps
        if steps == [] and _keeps_a_list(turn):
            return []
        spoken += turn.role == ASSISTANT
    return []


def _keeps_a_list(turn: Turn) -> bool:
    return turn.role not in (USER, ASSISTANT) and bool(_TODO_TOOL.match(turn.text))


def _of(turn: Turn) -> list[str]:
    if turn.role == ASSISTANT:
        return list(_steps(turn.text))
    return _todo(turn.text) if _keeps_a_list(turn) else []


def blocked(turns: Sequence[Turn]) -> list[str]:
    """What the last turns say that stands in the way."""
    spoken = [turn for turn in turns if turn.role == ASSISTANT][-LAST_SPOKEN:]
    for turn in reversed(spoken):
        found = list(_blockers(turn.text))
        if found:
            return found
    return []


def _todo(text: str) -> list[str]:
    """What a to-do list of a tool has open."""
    matches = [*_TODO.finditer(text), *_TODO_JSON.finditer(text)]
    return [match["what"].strip() for match in matches if (match["word"] or match.groupdict().get("box")) in OPEN]


def _steps(text: str) -> Iterator[str]:
    for block in blocks(text):
        if OFFER.search(block.shown) or block.shown.rstrip(" *_").endswith("?"):
            continue
        if block.box:
            if block.box in OPEN and not DONE.match(block.said):
                yield block.said
        elif block.item and UNDER.match(block.heading):
            yield from _listed(block)
        else:
            yield from _led(block)


def _listed(block: Block) -> Iterator[str]:
    if not DONE.search(block.said) and not NOTHING.match(block.said):
        yield block.said


def _led(block: Block) -> Iterator[str]:
    """Steps named in a sentence; one that ends in a colon leads a list, and is none itself."""
    for sentence in sentences(block):
        shown = block.shown[sentence.start : sentence.end]
        match = LEAD.match(shown) or SENTENCE.match(shown)
        if match and not shown.rstrip().endswith(":"):
            said = block.said[sentence.start + match.start("what") : sentence.end]
            parts = (_STILL.sub("", part) for part in _SEVERAL.split(said))
            yield from (part for part in parts if part.strip(" .") and not NOTHING.match(part))


def _blockers(text: str) -> Iterator[str]:
    for block in blocks(text):
        if block.item and BLOCKERS.match(block.heading):
            yield from _listed(block)
            continue
        for sentence in sentences(block):
            yield from _blocker(block, sentence)


def _blocker(block: Block, sentence: Sentence) -> Iterator[str]:
    shown, said = block.shown[sentence.start : sentence.end], block.said[sentence.start : sentence.end]
    lead = BLOCKER_LEAD.match(shown)
    if lead:
        if not NOTHING.match(lead["what"]):
            yield said[lead.start("what") :]
        return
    match = BLOCKED.search(shown)
    asked = shown.rstrip(" *_").endswith("?")
    if match and not asked and not AWAITED.search(shown) and not UNREAL.search(shown[: match.end()]):
        yield said
