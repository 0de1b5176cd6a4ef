"""By which words a decision is told: a table of ways, in the order they are tried.

English, and the plainest forms of German, French, Spanish and Portuguese. After SAME's decision extraction (explicit
markers, or verbs of choosing with a reason within 200 characters), with a subject asked for. Most ways are somebody's
own ("I", "we", or a sentence without subject); a planner, a library or "they" may choose what they like. What is told
without a person (a passive, "X rather than Y") is as often how something behaves, so it must pass more traps.
"""

import re
from dataclasses import dataclass

from sessions_app.rules.decision_verbs import (
    ABSENT,
    ADVERB,
    ASIDE,
    CHOOSE,
    CHOOSING,
    CHOSE,
    COLON,
    CONTRAST,
    DID,
    DO,
    FINITE,
    LABEL,
    NOT,
    PREFER,
    REVIEWED,
    SAID_SO,
    SAKE,
    SHAPED,
    SO_DID,
    SUBJECT,
    SUITED,
    UNABLE,
    WE,
    WILL,
)
from sessions_app.rules.wording import wording


@dataclass(frozen=True)
class Way:
    """A way to say that something was decided.

    `marked` ones need no reason; `own` ones have the assistant as their subject; `strict` ones take for a reason only
    what is worded as one, not whatever the next sentence says, `plainly` ones not even a clause behind a colon. `item`:
    only as an item of a list. `deaf`: traps that are not asked, as their words are part of this way.
    """

    name: str
    regex: re.Pattern[str]
    marked: bool = False
    own: bool = True
    strict: bool = False
    plainly: bool = False
    item: bool = False
    deaf: frozenset[str] = frozenset()


WAYS = (
    Way("label", wording(rf"^\W*{LABEL}\s*(?:\#?\d+\s*)?(?:\([^)]{{0,40}}\)\s*)?{COLON}"), marked=True),
    Way("the decision:", wording(rf"\b(?:my|our|the|final)\s+(?:decision|choice|call){COLON}"), marked=True),
    Way("verdict", wording(rf"^\W*(?:verdict|resolution)\s*{COLON}(?!{REVIEWED}\b)")),
    Way(
        "decided",
        wording(rf"{SUBJECT}(?:decided|resolved)\s+(?:to|on|against|that|not\s+to|in\s+favou?r\s+of|upon)\b"),
    ),
    Way(
        "it was decided",
        wording(
            r"\bit\s+was\s+(?:decided|agreed)\s+(?:to|that|not\s+to|against)\b|"
            r"\b(?:the|my|our|an?|one)\s+(?:\w+\s+)?(?:decision|choice)(?:\s+\w+){0,2}\s+(?:was|is)\s+(?:to|against|not\s+to)\b"
        ),
        own=False,
    ),
    Way("chose", wording(rf"{SUBJECT}{CHOSE}\b")),
    Way("choosing", wording(rf"{SUBJECT}{CHOOSING}(?=\s)")),
    Way("will choose", wording(rf"{WILL}{CHOOSE}\b")),
    Way(
        "will shape",
        wording(
            rf"{WILL}(?:put|place|move|make|store|split|extract|name|set|treat|write|base)\s+(?=.*?\b(?:because|since|so\s+that|as)\b)"
        ),
        strict=True,
    ),
    Way(
        "accept",
        wording(rf"{WE}\s+(?:accept(?:ed|ing)?|(?:can\s+)?live\s+with|tolerate)\s+(?:the|an?|that)\b"),
        strict=True,
    ),
    Way("prefer", wording(rf"{WE}\s+{PREFER}\b")),
    Way(
        "decided, German",
        wording(
            r"\b(?:(?:ich|wir)\s+haben?|haben?\s+(?:ich|wir))\b[^.!?]{0,160}\b"
            r"(?:entschieden|gewählt|festgelegt|geeinigt|verzichtet|verworfen|belassen|abgelehnt)\b"
        ),
    ),
    Way(
        "entscheiden, German",
        wording(r"\b(?:ich|wir)\s+(?:entscheiden?|nehmen?|wählen?|bleiben?\s+bei|setzen?\s+auf|verzichten?)\b"),
    ),
    Way(
        "decided, French",
        wording(r"\b(?:j['’]ai|nous\s+avons|on\s+a)\s+(?:choisi|décidé|opté|retenu|préféré|écarté)\b"),
    ),
    Way(
        "decided, Spanish and Portuguese",
        wording(
            r"\b(?:decidimos|decidí|he\s+decidido|hemos\s+decidido|elegimos|elegí|optamos|opté|preferí|preferimos|descarté|"
            r"descartamos|escolhemos|escolhi|decidi|descartei)\b"
        ),
    ),
    Way(
        "it is",
        wording(
            r"^\W*(?:(?:then|so|ok(?:ay)?|right|alright)[,\s]+)?"
            r"(?!that|this|what|here|there|as|where|how|which|because|if|when)\S.{1,60}?\s+it\s+is\b"
            r"(?:,?\s+then)?(?=\s*[:;,—–])"
        ),
        deaf=SUITED,
    ),
    Way(
        "as agreed",
        wording(
            rf"^\W*(?:as\s+(?:agreed|discussed|requested|(?:you|we)(?:['’]ve|\s+have)?\s+{SAID_SO})|"
            r"(?:as\s+)?per\s+your\s+\w+|at\s+your\s+request)\b,?\s+(?=\w)"
        ),
        deaf=SUITED,
    ),
    Way("using", wording(rf"{WE}\s+using\b")),
    Way(
        "left as it was",
        wording(
            rf"{SUBJECT}(?:left|leaving|kept|keeping)\s+(?!(?:it|that|this|them|those|these)\s+(?:alone|as))[^.!?;:]{{2,80}}?"
            r"\b(?:alone|as\s+(?:is|it\s+was|they\s+were)|unchanged|untouched|in\s+place)\b"
        ),
    ),
    # "Lodash I left in, because": what it is about stands first.
    Way(
        "object first",
        wording(
            r"^\W*(?!(?:so|then|now|here|when|if|because|since|that|what|which|as|and|but|this\s+time|before|after)\b)"
            rf"[^,;:.!?—]{{2,60}}\s{WE}\s+(?:{CHOSE}|left|put|moved|made|set|removed)\b"
            r"(?![^,;:—]*\b(?:is|are|was|were|fails?|does|did|has|had|breaks?|works?|returns?|prints?)\b)"
        ),
        strict=True,
    ),
    Way(
        "is the one",
        wording(
            rf"\bis\s+(?:the\s+one|what|something|where)\s+(?:that\s+)?{WE}\s+(?:{CHOSE}|{CHOOSING}|{PREFER}|use|keep|left)\b"
        ),
    ),
    Way("will not", wording(rf"{NOT}\s+(?!{UNABLE}\b)\w+"), strict=True, deaf=frozenset({"unreal"})),
    Way(
        "deliberately",
        wording(
            rf"{WE}\s+(?:deliberately|intentionally|consciously|purposely)\s+\w+|"
            r"^\W*(?:deliberately|intentionally|on\s+purpose)[,:]?\s+\w+|"
            rf"^\W*(?:{ASIDE}|kept|unchanged|not\s+\w+)\b[^.!?;]{{0,60}}?\b"
            r"(?:on\s+purpose|deliberately|intentionally|by\s+design)\b"
        ),
        deaf=frozenset({"not yet"}),
    ),
    Way(
        "no",
        wording(
            rf"^\W*(?:(?:hence|therefore|for\s+now)[,\s]+)?no\s+(?!{ABSENT}\b)\w+"
            r"(?![^.!?;:]*\b(?:found|yet|either|exists?|detect\w*|coverage|cover\w*|needed|matched)\b)"
        ),
        strict=True,
        plainly=True,
    ),
    Way(
        "there will be no",
        wording(
            rf"\bthere\s+(?:will\s+be|is\s+(?:deliberately|intentionally))\s+no\s+(?!{ABSENT}\b)|\bthere\s+won['’]t\s+be\s+an?y?\b|"
            r"^\W*nothing\s+(?:is|gets|will\s+be)\s+\w+ed\b"
        ),
        strict=True,
    ),
    Way(
        "shaped",
        wording(
            rf"(?:^\W*(?:[\w ]{{1,20}}[,:]\s+)?|[,;—–:]\s*(?:so\s+|and\s+|but\s+)?|\b(?:and|so|but)\s+)"
            rf"{WE}\s+(?:(?:gone|went)\s+ahead\s+and\s+)?{SHAPED}\s+(?=.*?\b(?:because|since|so\s+that|as)\b)|"
            rf"^\W*(?:took(?!\s+(?:a\s+look|care|over|place|me)\b)|left|made|put|moved|named|split|pinned|extracted|set|stored|inlined|vendored)\s+(?!off\b|over\b|to\b|for\b|behind\b)(?=.*?\b(?:because|since|so\s+that)\b)"
        ),
        strict=True,
    ),
    Way(
        "reason first",
        wording(
            r"^\W*(?:because|since|given\s+(?:that|how)|as\s+(?!you|I\b|we\b|an?\b|expected|before|mentioned|noted|said|usual|"
            r"part|for\b|soon|long|far|such|of\b|always|with|well|discussed|per\b))\b[^!?;:]{5,160}?,\s+"
            rf"(?:{WE}|\b(?:I|we)(?:['’]ll|\s+will){ADVERB})\s+(?!(?:can|could|should|need|must|have|might|would|may|know|see|"
            rf"get|will|only|want|fix|update|start|wait|ask|proceed|continue|do|re-?run|search|stop|show|keep\s+\w+ing)\b|{UNABLE}\b)\w+"
        ),
        strict=True,
    ),
    Way(
        "so did",
        wording(
            rf"(?:[,;—–]\s*(?:and\s+)?so|which\s+is\s+why|that(?:['’]s|\s+is)\s+why)\s+{WE}\s+"
            rf"(?:(?:gone|went)\s+ahead\s+and\s+)?{SO_DID}\b"
        ),
        strict=True,
    ),
    Way("for the sake of", wording(rf"^\W*{SAKE}\b[^.!?;:]{{0,80}}?[,\s]\s*{WE}\s+{SO_DID}\b"), strict=True),
    Way(
        "why this",
        wording(r"^\W*why\s+[^?:.!]{2,60}?\s(?:over|instead\s+of|rather\s+than|not)\s[^?:.!]{2,40}(?=\s*[:—–])"),
    ),
    Way("my reasoning", wording(r"^\W*(?:my|our)\s+(?:reasoning|rationale|argument)\s+(?:for|behind)\s+\w")),
    Way(
        "one choice",
        wording(r"^\W*(?:one|an?|another)\s+(?:\w+\s+)?(?:choice|decision)\b(?:\s+\w+){0,4}\s*[:—–]\s+(?=\S)"),
        strict=True,
    ),
    Way("made sense", wording(r"\bit\s+(?:made|makes)\s+(?:more\s+)?sense\s+(?:not\s+)?to\s+\w+"), strict=True),
    # --- told without a person --------------------------------------------------------------------------------
    Way(
        "therefore",
        wording(
            r"(?:[,;]\s*|^\W*|\band\s+)(?:therefore|thus|hence|which\s+is\s+why|that(?:['’]s|\s+is)\s+why|for\s+that\s+reason)[,\s]+"
            r"(?:no\s+\w+|(?:the|our|all|each|every)\s+[^.!?;:]{2,60}?\b(?:now|sits?|lives?)\b)"
        ),
        own=False,
        strict=True,
    ),
    Way(
        "was chosen",
        wording(
            r"(?:\b(?:was|were|has\s+been|have\s+been|and|but|(?:is|are)\s+(?:therefore|deliberately|intentionally))|"
            r"\b(?:is|are)(?=\s+(?:ruled|rejected|turned|deferred|postponed|replaced)\b))\s+(?:(?:also|therefore)\s+)*"
            rf"(?:{ASIDE}|chosen|picked|preferred|replaced\s+(?:by|with)|set\s+to|limited\s+to|capped\s+at|"
            r"left\s+(?:alone|untouched|unchanged|as\s+\w+|in\s+place))\b"
        ),
        own=False,
        strict=True,
    ),
    Way(
        "stays",
        wording(
            r"^\W*[^,;:.!?—]{2,60}?\s(?:stays?|remains?)\b(?!\s+(?:held|empty|full|locked|open|red|green|idle|stuck|high|low|slow|null|"
            r"true|false|the\s+same|behind|unset|blank|hidden|pending|connected|alive|up|down|zero|unclear|unknown|to)\b)"
            r"(?=[^.!?]*?\b(?:because|since|so\s+that)\b)"
        ),
        own=False,
        strict=True,
    ),
    Way(
        "not worth it",
        wording(
            r"\b(?:(?:is|are)(?:n['’]t|\s+not)\s+worth\s+(?!mention|noting|knowing)\w+|(?:is|would\s+be)\s+overkill)\b"
        ),
        own=False,
        strict=True,
        deaf=frozenset({"unreal", "not yet"}),
    ),
    Way(
        "for now",
        wording(
            r"^\W*(?:for\s+now,?\s+(?!nothing|no\b|the\s+(?:test|build|error))\S+|only\s+\S+(?:\s+\S+){0,4}?\s+for\s+now\b)"
            r"(?=[^.!?]*\b(?:because|since|so\s+that|as)\b)"
        ),
        own=False,
        strict=True,
    ),
    Way("now, for the sake of", wording(rf"^\W*{SAKE},\s+[^.!?;:]*?\bnow\b"), own=False, strict=True),
    Way(
        "now does",
        wording(r"\bnow\s+\w+s\b(?=[^.!?]{2,160}?\b(?:rather\s+than|instead\s+of)\b)"),
        own=False,
        strict=True,
    ),
    Way(
        "is not done",
        wording(
            r"\b(?:is|are|will\s+be)\s+(?:(?:deliberately|intentionally|therefore)\s+)?not\s+(?:migrated|carried\s+over|"
            r"supported|cached|retried|exposed|indexed|versioned|translated|encrypted|logged|copied|ported|backfilled|touched)\b"
        ),
        own=False,
        strict=True,
    ),
    Way(
        "on purpose",
        wording(
            rf"\b(?:(?:is|are|was|were|stays?|remains?|kept|left)\b[^.!?;:]{{1,50}}?\b(?:on\s+purpose|deliberately|intentionally)|"
            rf"(?:{ASIDE}|kept|unchanged|untouched)\s+(?:on\s+purpose|deliberately|intentionally)|"
            rf"(?:deliberately|intentionally)\s+(?:{ASIDE}|kept|unchanged|untouched|not\s+\w+))\b"
        ),
        own=False,
        strict=True,
    ),
    Way(
        "won",
        wording(
            r"\bwon\b(?!['’])(?=\s*[:;,—–]|\s+(?:out|over|against|because|since|here|by|hands)\b)|\blost\s+(?:out\s+)?to\b|"
            r"\bcame\s+out\s+(?:ahead|on\s+top)\b|\bchoice\s+fell\s+on\b|"
            r"\b(?:my|our)\s+(?:pick|choice|preference)\b[^.!?;:]{0,40}?\s(?:is|was)\b"
        ),
        own=False,
    ),
)

# Verbs of doing are decisions only against something else, and with a reason.
AGAINST = (
    Way(
        "did, against",
        wording(rf"(?:{SUBJECT}{DID}|{WE}\s+(?!need)(?:{DO}|\w{{2,}}ed))\b(?=.*?(?:{CONTRAST}))"),
        strict=True,
    ),
    Way(
        "against, did",
        wording(
            r"\b(?:rather\s+than|instead\s+of|as\s+opposed\s+to)\b[^.!?,]{2,120}?,?\s+"
            rf"{WE}\s+(?!(?:can|could|should|need|must|have|might|would|may|get|see)\b)\w+"
        ),
        strict=True,
    ),
    Way("will do, against", wording(rf"{WILL}(?=\w+\b.*?(?:{CONTRAST}))"), strict=True),
    Way(
        "is, against",
        wording(
            r"\b(?:is|are|stays?|remains?|lives?|goes|(?<![.\w])go|gets?|runs?|happens)\b"
            r"(?=(?:(?!\b(?:so|because|since|which|that)\b|\s[-—–]\s)[^.!?;:]){2,120}?\b(?:rather\s+than|instead\s+of|and\s+not)\b)|"
            r"\b(?:goes|(?<![.\w])go|stays?|lives?|runs?)\b(?=[^.!?]{2,80}?,\s*not\s+(?:to|in|on|by|with|from|at)\b)"
        ),
        own=False,
        strict=True,
    ),
    # "Sessions in Redis, not in cookies: …", an item of a list of notes.
    Way("note", wording(rf"^\W*(?:(?!{FINITE}\b)[^.!?:;,]){{2,80}}?(?={CONTRAST})"), own=False, strict=True, item=True),
    # "Conflict handling → last write wins, not first": the form of a note.
    Way("arrow", wording(rf"^\W*\w[\w\ -]{{2,40}}?\s*(?:→|=>|->)\s+(?=.*?(?:{CONTRAST}))"), strict=True),
    Way(
        "against, others",
        wording(
            r"\b(?:statt|anstatt|anstelle|und\s+nicht|plutôt\s+que|et\s+non|au\s+lieu\s+d[e']|en\s+lugar\s+de|"
            r"en\s+vez\s+de|em\s+vez\s+de|y\s+no|e\s+não)\b"
        ),
        strict=True,
    ),
)

# A heading or the line above a list under which each item was decided.
DECIDED = wording(
    r"^\W*(?:(?:notes?\s+on|key|main|design|technical|architectur\w+|important|final|implementation|other|our|my|the|\d+)\s+)*"
    r"(?:decisions?|choices|entscheidungen|décisions|decisiones|decisões)"
    r"(?:\s+(?:made|taken|so\s+far|log|(?:I|we)(?:['’]ve)?\s+(?:made|took)|along\s+the\s+way|"
    r"and\s+(?:reasons?|rationale|trade-?offs)|here|in\s+this\s+\w+|getroffen|prises|tomadas))*\W*$"
)
# Those under which an item was decided if it comes with its reason.
PUT_ASIDE = wording(
    r"^\W*(?:(?:what|things)\s+(?:(?:that\s+)?(?:I|we)\s+)?(?:did\s+not|didn['’]t|do\s+not|don['’]t|left|won['’]t|will\s+not)\b.*|"
    r"(?:not|un|deliberately\s+not|intentionally\s+not)\s*(?:changed|touched|included|fixed|addressed|covered)|"
    r"left\s+(?:out|alone|as\s+(?:is|they\s+are))|skipped|declined|won['’]t\s+fix|out\s+of\s+scope|non-?goals|"
    r"(?:deliberately|intentionally)\s.*|design\s+notes)\W*$"
)
# And those under which nothing is decided yet, or what is told is how things are.
UNDECIDED = wording(
    r"^\W*(?:.*\b(?:options?|alternatives?|questions?|needed|pending|open|considered|possibilities|pros|cons|proposals?|"
    r"proposed|recommend\w*|ideas|suggest\w*|examples?|tbd|findings?|issues?|problems?|bugs?|root\s+cause|risks?|concerns?|"
    r"before|currently|current\s+\w+|offene?|opciones|pendientes)\b.*)$"
)
# The columns of a table in which decisions stand, and that of their reasons.
DECIDED_COLUMN = wording(r"^\W*(?:decisions?|decided|choices?|entscheidung|décision|decisión)\W*$")
REASON_COLUMN = wording(
    r"^\W*(?:why|reasons?|rationale|because|reasoning|motivation|justification|warum|begründung|grund|pourquoi|raison|"
    r"por\s+qué|razón|motivo)\W*$"
)
