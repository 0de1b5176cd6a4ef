"""Extract the next steps and the blockers at the end of a transcript.

Only what the assistant says is read, and the to-do list that its tool keeps. Of the last few turns, the latest one that
names steps has the list: earlier steps are done by then, or named again. Steps are in a list under a heading or a line
like "Next steps:", after such a lead, in open boxes, or in a sentence that says "Next I'll …". An offer ("Would you
like me to …?") is no plan.
"""

import re
from collections.abc import Iterator, Sequence

from sessions_app.transcripts.rules.blocks import LONGEST_SENTENCE, Block, TurnSentence, blocks, sentences
from sessions_app.transcripts.rules.turn import ASSISTANT, USER, Turn

# The number of the assistant's last turns that are searched for a plan (SAME: three). If the session was cut off while
# its tools ran, more texts are searched, because agents say little between tools.
LAST_SPOKEN, LAST_SPOKEN_BETWEEN_TOOLS = 3, 12

_AHEAD = r"(?:(?:the\s+)?next\s+(?:time|session|day|sprint|round)|tomorrow|later|the\s+rest|you|whoever\s+\w+\s+\w+)"
_STEPS = (
    r"(?:(?:the\s+|my\s+|our\s+|possible\s+|suggested\s+)?next(?:\s+(?:steps?|up|actions?|tasks?|time|session))?|up\s+next|"
    r"(?:what(?:['’]s|\s+is)\s+)?(?:still\s+)?(?:next|left|missing|open|outstanding|remaining|to\s+do|to\s+be\s+done)"
    r"(?:\s+(?:to\s+do|for\s+\w+(?:\s+\w+)?|work|steps?|tasks?|items?|points?|is|are))*|still|to-?dos?|follow[\s-]?ups?|"
    r"(?:still\s+)?on\s+(?:my|the|our)\s+list(?:\s+for\s+\w+(?:\s+\w+)?)?|what\s+I(?:['’]d|\s+would)\s+do\s+next|"
    r"(?:work|tasks?|steps?|things?|items?)\s+(?:left|remaining)|yet\s+to\s+do|coming\s+up|"
    r"(?:not|un)\s*(?:yet\s+)?(?:done|finished)(?:\s+yet)?|pending(?:\s+\w+)?|action\s+items|"
    rf"deferred|postponed|first\s+thing\s+tomorrow|before\s+(?:merging|release|the\s+release|we\s+\w+)|not\s+(?:implemented|tested)(?:\s+yet)?|(?:plan\s+)?(?:for\s+)?{_AHEAD}|(?:the\s+)?plan\s+for\s+(?:the\s+)?\w+|when\s+you\s+(?:come\s+back|resume)|"
    r"nächste[rn]?\s+schritte?|(?:noch\s+)?(?:offen|zu\s+tun)|als\s+nächstes|"
    r"prochaines?\s+étapes?|(?:reste\s+)?à\s+faire|"
    r"próxim[oa]s?\s+(?:pasos?|passos?|etapas?)|pendientes?|(?:queda\s+)?por\s+hacer)"
)
UNDER = re.compile(rf"^\W*{_STEPS}\W*$", re.IGNORECASE)
LEAD = re.compile(rf"^\W*{_STEPS}[*_]*\s*(?:[:：]|—|–)[*_]*\s+(?P<what>\S.*)$", re.IGNORECASE | re.DOTALL)
_ME = r"(?:I(?:['’]ll|['’]d|\s+will|\s+would|['’]m\s+going\s+to|\s+need\s+to)|we(?:['’]ll|\s+will|\s+need\s+to))"
# The words before a next step.
SENTENCE = re.compile(
    r"^\W*(?:(?:now|then)\s+)?(?:"
    rf"next,?\s+{_ME}|tomorrow,?\s+{_ME}|then\s+(?:I|we)(?:['’]ll|\s+will)(?!\s+(?:leave|stop|wait)\b)|(?:I|we)(?:['’]ll|\s+will)\s+continue\s+with|"
    r"(?:the\s+|my\s+)?next\s+(?:step|thing|up)\s+(?:is|would\s+be)(?:\s+to)?|(?:I|we)\s+still\s+(?:need|have)\s+to|"
    r"up\s+next\s+(?:is|are|comes?)|after\s+that\s+comes?|"
    r"(?:the\s+)?only\s+(?:thing|work|step)s?\s+(?:left|missing|remaining)\s+(?:is|are)(?:\s+to)?|"
    r"(?:what(?:['’]s|\s+is)\s+)?(?:still\s+)?(?:left|missing|open|outstanding|remaining)(?:\s+(?:to\s+do|work|step|task))?\s+(?:is|are)|"
    r"(?:all\s+that(?:['’]s|\s+is)|all)\s+left\s+(?:to\s+do\s+)?is(?:\s+to)?|"
    r"I\s+was\s+about\s+to|I\s+stopped\s+(?:right\s+)?(?:before|at)|(?:I|we)(?:['’]ve|\s+have)\s+yet\s+to|"
    r"(?:resume|pick\s+up|continue)\s+(?:with|at|from)|(?:I|we)\s+plan\s+to|"
    r"what\s+(?:still\s+)?remains(?:\s+to\s+be\s+done)?\s+(?:is|are)(?:\s+to)?|(?:still|it)\s+(?:remains|needs|has)\s+to|"
    r"to\s+finish\s+(?:this|it)[^,.;:]{0,30}?,?\s+we\s+(?:still\s+)?need|"
    r"als\s+nächstes\s+(?:werde\s+ich|muss\s+ich|kommt)|es\s+fehl(?:t|en)\s+noch|(?:noch\s+)?offen\s+(?:ist|sind)(?:\s+noch)?|"
    r"ensuite,?\s+je\s+vais|il\s+reste\s+à|a\s+continuación\s+voy\s+a|(?:todavía\s+)?falta(?!n?\s+de\b))\s+(?P<what>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
# Sentences that say as a whole what is to be done: about something, or that nobody has come to it.
_MADE = (
    r"(?:written|added|updated|implemented|wired(?:\s+up)?|run|tested|covered|documented|migrated|done|finished|deployed|"
    r"released|translated|built|fixed|ported|reviewed|connected|handled|cleaned(?:\s+up)?|removed|renamed|verified|measured|"
    r"started|touched|tried|checked|published|merged|pushed|enabled|backfilled)"
)
WHOLE = (
    re.compile(
        rf"^\W*(?:and\s+)?(?:but\s+)?(?:I|we)(?:\s+have\s+not|\s+haven['’]t|['’]ve\s+not|\s+did\s+not|\s+didn['’]t)\s+(?:yet\s+)?"
        rf"(?:{_MADE}|write|add|update|run|test|get\s+to|got(?:ten)?\s+(?:around\s+)?to)\b[^.!?]*(?:\byet\b|\bget\s+to\b)[^.!?]*\W*$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^\W*(?!(?:it|this|that|he|she|there|which|who|nothing|nobody)\b)(?:[\w`./-]+\s+){{1,8}}?(?:is|are)\s+not\s+(?:yet\s+{_MADE}|{_MADE}\s+yet)\W*$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^\W*(?!(?:it|this|that|he|she|there|which|who|nothing|nobody|users?|you)\b)(?:[\w`./-]+\s+){1,8}?still\s+(?:"
        rf"(?:needs?|has|have)\s+to\s+be\s+\w+|needs?\s+(?:an?|some|{_MADE})\b|(?:is|are)\s+(?:missing|to\s+do|to\s+be\s+\w+)\b)[^!?]*$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^\W*(?!(?:it|this|that|which|who|connection|the\s+(?:door|connection|file|socket|issue|port|window|ticket|decision|question|next)\b))"
        r"(?:[\w`./-]+\s+){1,6}?(?:(?:is|are)\s+still\s+(?:open|missing|outstanding|pending|to\s+do)|remains?\s+to\s+be\s+(?:done|written|tested)|"
        r"(?:comes?|is)\s+next)\W*$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^\W*there(?:['’]s|\s+is|\s+are)\s+still(?:\s{5,}+|\s++[^.!?\s][^.!?]{2,79}?\s++)to\s+(?:do|write|add|fix|wire|test|\w+e)\W*$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^\W*(?:so\s+)?only\s+(?!if\b|when\b)(?:[\w`./-]+\s+){1,8}?(?:is|are)\s+(?:left|missing|outstanding)\W*$",
        re.IGNORECASE,
    ),
)
# An item that says that it is to do.
TO_DO = re.compile(
    r"^\W*(?:(?:to-?do|fixme)\b[*_]*[:：]?|(?:open|pending|missing)[*_]*[:：][*_]*)\s+(?P<what>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
# "I'll continue with the parser next."
NEXT_LAST = re.compile(rf"^\W*{_ME}\s++(?P<what>[^.!?\s](?:[^.!?]*?[^.!?\s])?)\s++next\W*$", re.IGNORECASE)
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
    r"waiting\s+(?:on|for)|(?<!n['’]t\s)(?<!not\s)(?:have|has|must|need)\s+(?:to\s+)?wait\s+(?:on|for)|(?:can['’]?t|cannot|can\s+not|unable\s+to)\s+(?:continue|proceed|go\s+on|finish)\b)",
    re.IGNORECASE,
)
# Waiting for one of these is no step.
AWAITED = re.compile(
    r"\b(?:wait|waiting)\s+(?:on|for)\s+(?:(?:the|its?|this|that|a|all)\s+)*"
    r"(?:tests?|builds?|commands?|outputs?|servers?|process\w*|containers?|results?|ci|it|them|page|element|\d+)\b",
    re.IGNORECASE,
)
UNREAL = re.compile(
    r"\b(?:if|would|could|might|may|when|whenever|until\s+then|no\s+longer|not\s+blocked|nothing)\b", re.I
)
NOTHING = re.compile(
    r"^\W*(?:none|nothing(?:\s+\w+){0,3}|no(?:\s+\w+)?|n/?a|keine?|aucune?s?|ningun[oa]s?|nada)\W*$", re.IGNORECASE
)
DONE = re.compile(r"^\W*(?:✅|✔|☑|~~|\(done\)|done\b|\[[xX]\])|(?:\(done\)|✅|✔)\W*$", re.IGNORECASE)
OFFER = re.compile(
    r"\b(?:would\s+you\s+like|do\s+you\s+want|shall\s+I|should\s+I|let\s+me\s+know|want\s+me\s+to|if\s+you(?:['’]d)?\s+(?:like|want|prefer))\b",
    re.IGNORECASE,
)
# Words before several steps in one line.
_STILL = re.compile(r"^\W*(?:and\s+)?(?:(?:I|we)\s+still\s+(?:need|have)\s+to|then|after\s+that)\s+", re.IGNORECASE)
_SEVERAL = re.compile(
    r"\s*;\s+(?:then\s+)?|,\s+(?:and\s+)?(?:then|after\s+that)\s+|,\s+and\s+(?=(?:an?|the|add|write|run)\b)|\s+and\s+then\s+"
)
# A line that lists things, each of at most this many words; a longer one is a clause.
LONGEST_THING = 5
_CLAUSE = re.compile(
    r"^(?:or|so|which|because|since|as|but|if|to|when|while|who|where|not|though|i|we|it|otherwise)\b", re.IGNORECASE
)

_WORD = re.compile(r"[^\W\d_]{2}")
_CODE = re.compile(r"`[^`]*`")

_TODO_TOOL = re.compile(
    r"\A\s*(?:⏺\s*)?(?:TodoWrite|update_plan|todo_write|update_todo_list|TaskList|Update Todos)\b", re.I
)
_TODO = re.compile(
    r"^[^\S\n]*+(?:[-*⎿][^\S\n]*+)*+(?:\[(?P<word>pending|in_progress|completed|done| |x|X|-|~)\]|(?P<box>[☐☑☒✔✅]))\s+"
    r"(?P<what>\S.*)$",
    re.MULTILINE,
)
_TODO_JSON = re.compile(
    r"\{[^{}]*?\"(?:content|step)\"\s*:\s*\"(?P<what>[^\"]{1,400})\"[^{}]*?\"status\"\s*:\s*\"(?P<word>\w+)\"[^{}]*\}"
)
OPEN = frozenset({"pending", "in_progress", " ", "~", "-", "☐"})


def planned(turns: Sequence[Turn]) -> list[str]:
    """Return the steps in the latest turn that names any; otherwise the open items of a tool's to-do list."""
    spoken = 0
    most = LAST_SPOKEN_BETWEEN_TOOLS if turns and turns[-1].role not in (USER, ASSISTANT) else LAST_SPOKEN
    for turn in reversed(turns):
        steps = _of(turn) if spoken < most or _keeps_a_list(turn) else None
        if steps:
            return steps
        if steps == [] and _keeps_a_list(turn):
            return []
        spoken += turn.role == ASSISTANT
        if turn.role == USER:
            most = LAST_SPOKEN
    return []


def _keeps_a_list(turn: Turn) -> bool:
    return turn.role not in (USER, ASSISTANT) and bool(_TODO_TOOL.match(turn.text))


def _of(turn: Turn) -> list[str]:
    if turn.role == ASSISTANT:
        return list(_steps(turn.text))
    return _todo(turn.text) if _keeps_a_list(turn) else []


def names_steps(text: str) -> bool:
    """Return whether an assistant's text says what is to be done next."""
    return any(True for _ in _steps(text))


def blocked(turns: Sequence[Turn]) -> list[str]:
    """Return the blockers that the last turns name."""
    spoken = [turn for turn in turns if turn.role == ASSISTANT][-LAST_SPOKEN:]
    for turn in reversed(spoken):
        found = list(_blockers(turn.text))
        if found:
            return found
    return []


def _todo(text: str) -> list[str]:
    """Return the open items of a tool's to-do list."""
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
        elif block.item and (marked := TO_DO.match(block.shown)):
            yield block.said[marked.start("what") :]
        else:
            yield from _led(block)


def _listed(block: Block) -> Iterator[str]:
    if not DONE.search(block.said) and not NOTHING.match(block.said):
        yield block.said


def _led(block: Block) -> Iterator[str]:
    """Yield the steps named in a sentence; a sentence that ends in a colon leads a list, and is no step."""
    for sentence in sentences(block):
        shown = block.shown[sentence.start : sentence.end]
        if shown.rstrip().endswith((":", "?")) or len(shown) > LONGEST_SENTENCE:
            continue
        match = LEAD.match(shown) or NEXT_LAST.match(shown) or SENTENCE.match(shown)
        if match:
            said = block.said[sentence.start + match.start("what") : sentence.start + match.end("what")]
            yield from (part for part in _parts(said) if _says_a_step(part))
        elif any(whole.match(shown) for whole in WHOLE) and not UNREAL.search(shown):
            yield block.said[sentence.start : sentence.end]


def _says_a_step(part: str) -> bool:
    """Return whether the part names a step: "Pending pods: 14 → 0" and "Remaining: `spike-iso20022`" do not."""
    return bool(_WORD.search(_CODE.sub("", part))) and not NOTHING.match(part)


def _parts(said: str) -> Iterator[str]:
    """Yield the steps that one line names."""
    for part in _SEVERAL.split(said):
        things = re.split(r",\s+(?:and\s+)?", part.rstrip(" ."))
        if len(things) > 1 and all(len(one.split()) <= LONGEST_THING and not _CLAUSE.match(one) for one in things):
            yield from things
        else:
            yield _STILL.sub("", part)


def _blockers(text: str) -> Iterator[str]:
    for block in blocks(text):
        if block.item and BLOCKERS.match(block.heading):
            yield from _listed(block)
            continue
        for sentence in sentences(block):
            if sentence.end - sentence.start <= LONGEST_SENTENCE:
                yield from _blocker(block, sentence)


def _blocker(block: Block, sentence: TurnSentence) -> Iterator[str]:
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
