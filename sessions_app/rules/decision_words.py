"""By which words a decision, its reason and what only looks like one are told: tables, in the order they are tried.

English, and the plainest forms of German, French, Spanish and Portuguese. After SAME's decision extraction (explicit
markers, or verbs of choosing with a reason within 200 characters), with a subject asked for: only what "I" or "we" did,
or a sentence without subject, is the assistant's own; a planner, a library or "they" may choose what they like.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Way:
    """A way to say that something was decided. `marked` ones need no reason."""

    name: str
    regex: re.Pattern[str]
    marked: bool = False


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


_ADVERB = (
    r"(?:\s+(?:now|also|then|therefore|thus|so|just|finally|already|instead|both|all|have|has|deliberately|"
    r"intentionally|explicitly|eventually))*"
)
_WE = rf"\b(?:I|we)(?:['’](?:ve|d|m|re))?(?:\s+(?:am|are|was|were))?{_ADVERB}"
# Left out at the beginning of a sentence, or after "So", "In the end", "Caching:" and the like.
_NOBODY = (
    r"^\W*(?:(?:so|then|also|and|finally|instead|in\ the\ end|for\ now|therefore|ok|okay|done|\w[\w\ -]{0,30}:)[,\s]+)*"
)
# "I considered X but rejected": the subject is that of the verb before.
_SAME = r"\b(?:I|we)\b[^.!?;:]{1,90}?\b(?:but|and)\s+(?:then\s+|so\s+)?"
_SUBJECT = rf"(?:{_WE}\s+|{_NOBODY}|{_SAME})"
_WILL = (
    rf"(?:\b(?:I|we)(?:['’]ll|\s+will|\s+shall|['’](?:m|re)\s+going\s+to|\s+are\s+going\s+to|"
    rf"\s+am\s+going\s+to){_ADVERB}\s+|\blet['’]s\s+)"
)
_CHOSE = (
    r"(?:chose|chosen|picked|selected|opted\s+for|opted\s+to|settled\s+on|settled\s+for|went\s+with|"
    r"gone\s+with|stuck\s+with|landed\s+on|ended\s+up\s+(?:with|using)|standardi[sz]ed\s+on|agreed\s+(?:on|to)|"
    r"switched\s+(?:to|from)|ruled\s+out|rejected|dropped|kept|dropped\s+the\s+idea)"
)
_CHOOSING = (
    r"(?:choosing|picking|selecting|opting\s+for|settling\s+on|going\s+(?:with|for)|sticking\s+(?:with|to)|"
    r"standardi[sz]ing\s+on|switching\s+(?:to|from)|moving\s+(?:to|from|away)|staying\s+(?:with|on)|"
    r"replacing\s+\S+(?:\s+\S+){0,4}?\s+with|dropping)"
)
_CHOOSE = (
    r"(?:choose|pick|select|opt\s+for|settle\s+on|go\s+with|go\s+for|stick\s+(?:with|to)|standardi[sz]e\s+on|"
    r"switch\s+(?:to|from)|move\s+(?:to|away)|stay\s+(?:with|on)|adopt|use|keep)"
)
_DID = (
    r"(?:used|using|kept|keeping|made|put|stored|storing|built|wrote|added|moved|replaced|treated|left|leaving|"
    r"implemented|dropped|removed|returned|raised|defined|modell?ed)"
)
_DO = r"(?:use|keep|store|treat|leave|return|raise|set)"
# "rather than", "instead of", "and not": something else was possible, and was not taken.
CONTRAST = (
    r"\b(?:rather\s+than|instead\s+of|as\s+opposed\s+to|in\s+favou?r\s+of|in\s+place\s+of|over|and\s+not|, \s*not)\b"
)
_LABEL = (
    r"(?:(?:final|key|design|architectur\w+|technical|my|our|the)\s+)?(?:decisions?|decided|resolution|verdict|"
    r"entscheidung|entschieden|beschluss|décision|decisión|decisão|decisione|besluit|adr(?:[\s-]?\d+)?)"
)

WAYS = (
    Way(
        "label",
        _re(rf"^\W*{_LABEL}\s*(?:\#?\d+\s*)?(?:\([^)]{{0,40}}\)\s*)?[*_]*\s*(?::|：|—|–|->|→)[\s*_]*(?=\S)"),
        marked=True,
    ),
    Way("decided", _re(rf"{_SUBJECT}(?:decided|resolved)\s+(?:to|on|against|that|not\s+to|in\s+favou?r\s+of|upon)\b")),
    Way("chose", _re(rf"{_SUBJECT}{_CHOSE}\b")),
    Way("choosing", _re(rf"{_SUBJECT}{_CHOOSING}(?=\s)")),
    Way("will choose", _re(rf"{_WILL}{_CHOOSE}\b")),
    Way(
        "decided, German",
        _re(r"\b(?:ich|wir)\s+(?:habe|haben)\b[^.!?]{0,160}\b(?:entschieden|gewählt|festgelegt|geeinigt)\b"),
    ),
    Way("entscheiden, German", _re(r"\b(?:ich|wir)\s+(?:entscheiden?|nehmen?|wählen?|bleiben?\s+bei|setzen?\s+auf)\b")),
    Way("decided, French", _re(r"\b(?:j['’]ai|nous\s+avons|on\s+a)\s+(?:choisi|décidé|opté|retenu|préféré)\b")),
    Way(
        "decided, Spanish and Portuguese",
        _re(
            r"\b(?:decidimos|decidí|he\s+decidido|hemos\s+decidido|elegimos|elegí|optamos|opté|escolhemos|escolhi|decidi)\b"
        ),
    ),
    Way(
        "it is",
        _re(
            r"^\W*(?:(?:then|so|ok(?:ay)?|right|alright)[,\s]+)?(?!that|this|what|here|there|as)\S.{1,60}?\s+it\s+is\b(?=\s*[:;,—–])"
        ),
    ),
    Way("using", _re(rf"{_WE}\s+using\b")),
    Way(
        "left as it was",
        _re(
            rf"{_SUBJECT}(?:left|leaving|kept|keeping)\b[^.!?;:]{{2,80}}?"
            r"\b(?:alone|as\s+(?:is|it\s+was|they\s+were)|unchanged|untouched|in\s+place)\b"
        ),
    ),
)

# Verbs of doing are decisions only against something else, and with a reason.
AGAINST = (
    Way("did, against", _re(rf"(?:{_SUBJECT}{_DID}|{_WE}\s+(?:{_DO}|\w{{2,}}ed))\b(?=.*?(?:{CONTRAST}))")),
    Way("against, did", _re(rf"{CONTRAST}[^.!?]{{2,120}}?,\s+{_WE}\s+{_DID}\b")),
    Way("will do, against", _re(rf"{_WILL}(?=\w+\b.*?(?:{CONTRAST}))")),
    Way(
        "is, against",
        _re(
            r"\b(?:is|are|stays?|remains?|lives?|goes|go|gets?|runs?)\b(?=[^.!?]{2,120}?\b(?:rather\s+than|instead\s+of|and\s+not)\b)"
        ),
    ),
    # "Conflict handling → last write wins, not first": the form of a note.
    Way("arrow", _re(rf"^\W*\w[\w\ -]{{2,40}}?\s*(?:→|=>|->)\s+(?=.*?(?:{CONTRAST}))")),
    Way(
        "against, others",
        _re(
            r"\b(?:statt|anstatt|anstelle|und\s+nicht|plutôt\s+que|et\s+non|au\s+lieu\s+d[e']|en\s+lugar\s+de|"
            r"en\s+vez\s+de|em\s+vez\s+de|y\s+no|e\s+não)\b"
        ),
    ),
)


@dataclass(frozen=True)
class Trap:
    """What makes a sentence something else than a decision. `before`: tried on what stands up to the marker's end,
    `outside`: on what stands before its beginning; else on all of it.
    """

    name: str
    regex: re.Pattern[str]
    before: bool = True
    outside: bool = False


TRAPS = (
    Trap("question", _re(r"\?[\s*_)\"”’»]*$|^\W*[¿]"), before=False),
    Trap(
        "unreal",
        _re(
            r"\b(?:could|might|may|would|should|perhaps|maybe|possibly|probably|suppose|supposing|imagine|imagining|assuming|assume|alternatively|hypothetically|ideally|whether|unless|what\s+if|were\s+to)\b|['’]d\s+(?:probably|rather|say)\b"
        ),
    ),
    Trap("condition", _re(r"\b(?:if|once|before|until|when|whenever|in\s+case|as\s+soon\s+as)\b(?![^,]*,)")),
    Trap("condition first", _re(r"^\W*(?:if|once|before|until|whenever|unless)\b")),
    Trap(
        "option",
        _re(
            r"\b(?:another|one|first|second|third|other|possible|an?)\s+(?:option|alternative|possibility|approach|way)\b|^\W*options?\b"
        ),
    ),
    Trap(
        "example",
        _re(
            r"\b(?:for\s+example|for\s+instance|e\.g\.|such\s+as|looks?\s+like\s+this|template|zum\s+beispiel|par\s+exemple|por\s+ejemplo)"
        ),
    ),
    Trap(
        "not yet",
        _re(
            r"\b(?:not|never|nothing|no\s+one|nobody|haven['’]t|hasn['’]t|isn['’]t|didn['’]t|don['’]t|yet\s+to|still\s+to|need\s+to|needs\s+to|have\s+to|must|want\s+to|unable\s+to)\b[^,;:]{0,40}$"
        ),
        outside=True,
    ),
    Trap(
        "reported",
        _re(
            r"\b(?:said|says|saying|claims?|claimed|wrote|writes|mentions?|mentioned|states?|stated|reads:|according\s+to|asked|suggests?|suggested|proposed|documented|the\s+(?:adr|readme|docs?|record|ticket|thread|commit)\b)"
        ),
    ),
    Trap("open", _re(r"\b(?:pending|open|to\s+be\s+(?:made|taken|decided)|undecided|tbd|needed)\b"), before=False),
    Trap("unreal, German", _re(r"\b(?:könnten?|würden?|sollten?|müssten?|wenn|falls|ob|vielleicht|eventuell)\b")),
    Trap("unreal, French", _re(r"\b(?:pourr(?:ait|ions|iez)|devr(?:ait|ions)|faudrait|si|peut-être)\b")),
    Trap(
        "unreal, Spanish",
        _re(r"\b(?:podr[ií]a(?:mos)?|deber[ií]a(?:mos)?|si|quizás?|tal\s+vez|poder[ií]amos|talvez)\b"),
    ),
)
# Only of what was said before the decision, these belong to a sentence of their own kind and are not asked of a label.
OF_LABELS = frozenset({"question"})

# A next sentence that goes on with the work, and gives no reason.
GOES_ON = _re(
    r"^\W*(?:I|I['’]\w+|we|we['’]\w+|let|let['’]s|now|next|then|done|also|(?:all\s+|the\s+)?(?:\w+\s+)?tests?|all|"
    r"everything|works?|green|passes|see|please|run|that\s+is\s+(?:done|it|all)|for\s+(?:now|tomorrow))\b"
)

# How the assistant goes about its work is no decision about the work: what is read, run or tried.
WORK = _re(
    r"^\W*(?:\w+\s+){0,3}?(?:first|quick|quickly|grep|rg|finding|look(?:ing)?\s+(?:at|for|into|through)|"
    r"(?:read|check|inspect|search|list|open)(?:ing)?\s+(?:the|through|for|it|how|what|whether|all)|explor\w+|"
    r"debugg\w+|print\s+statements?|(?:conditional\s+)?breakpoints?|start(?:ing)?\s+(?:with|by|from)|see|try|trying|"
    r"(?:re-?)?run(?:ning)?\s+(?:the|it)|trace|tracing|investigat\w+|verify\w*|confirm\w*)\b"
)

# A heading or the line above a list under which each item was decided; and those under which nothing is yet.
DECIDED = _re(
    r"^\W*(?:(?:key|main|design|technical|architectur\w+|important|final|implementation|other|our|my|the|\d+)\s+)*"
    r"(?:decisions?|choices|entscheidungen|décisions|decisiones|decisões)"
    r"(?:\s+(?:made|taken|so\s+far|log|i\s+made|we\s+made|and\s+(?:reasons?|rationale|trade-?offs)|getroffen|prises|tomadas))*\W*$"
)

UNDECIDED = _re(
    r"^\W*(?:.*\b(?:options?|alternatives?|questions?|needed|pending|open|considered|possibilities|pros|cons|proposals?|"
    r"ideas|suggestions?|examples?|tbd|offene?|opciones|pendientes)\b.*)$"
)

# Where a reason begins. What follows may be cut out as the reason; a connective that says only "because" is left out.
REASON = _re(
    r"\b(?:because(?:\s+of)?|since(?!\s+(?:\d|then|when|yesterday|last|the\s+(?:release|deploy|upgrade|start|beginning)))|"
    r"so\s+that|so\s+(?=(?:we|it|they|the|nobody|that|no|a|each|every)\b)|due\s+to|given\s+(?:that|the|how)|thanks\s+to|owing\s+to|"
    r"in\s+order\s+to|to\s+(?:avoid|prevent|keep|make\s+sure|ensure|reduce|stop|allow|let|save)|"
    r"which\s+(?:avoids|keeps|makes|means|lets|gives|saves|allows)|"
    r"(?<=,\s)as\b|as\s+(?=(?:it|we|they|there|nobody|nothing)\b)|otherwise|the\s+reason\s+(?:is|being)|"
    r"weil|damit|denn|sonst|"
    r"parce\s+qu(?:e|['’])|puisqu(?:e|['’])|afin\s+(?:de|que)|"
    r"porque|ya\s+que|puesto\s+que|para\s+que|já\s+que|pois)"
    r"|(?<=,\s)(?:da|car|um)\b|(?<=\s)pour\s+(?:éviter|que)\b"
)
MERE = _re(
    r"^\W*(?:because(?!\s+of)|since|as|weil|da|denn|parce\s+qu(?:e\s|['’])|puisqu(?:e\s|['’])|car|porque|ya\s+que|puesto\s+que|já\s+que|pois|the\s+reason\s+(?:is|being)(?:\s+that)?)\s*"
)
# A sentence that gives the reason of the one before it.
NEXT = _re(
    r"^\W*(?:(?:reason|reasons|why|rationale|grund|begründung|raison|razón|motivo)\b\s*[:：—–]|the\s+reason\b|"
    r"(?:this|that|it|which|they)\s+(?:way|keeps?|avoids?|already|gives?|means|saves?|lets?|makes?|lets|would|was|has|is|also)\b|"
    r"otherwise|because|since)|\b(?:would(?:n['’]t)?|because|otherwise|anyway)\b"
)
LABEL_OF_REASON = _re(r"^\W*(?:reason|reasons|why|rationale|grund|begründung|raison|razón|motivo)\b\s*[:：—–]\s*")
# "Room over SQLDelight: the team already runs Room": a clause after a colon, a semicolon or a dash.
CLAUSE = re.compile(r"\s*[:;]\s+|\s+[—–]\s+|\s+-\s+")

# "I kept that short": what "that" is stands in the sentence before.
POINTS_BACK = _re(r"^\W*(?:\w+\s+){0,2}?(?:it|that|this|them|these|those)\b(?!\s+\w+s?\s+(?:is|are|was)\b)")

# What takes an earlier decision back.
TAKEN_BACK = _re(
    r"\b(?:on\s+second\s+thoughts?|scratch\s+that|changed\s+(?:my|our)\s+mind|after\s+all|no\s+longer|revert(?:ed|ing)?|"
    r"undo(?:ing)?|not\s+any\s*more|is\s+out|are\s+out|doch\s+nicht|finalement|al\s+final)\b"
)
INSTEAD = _re(
    r"\b(?:instead\s+of|rather\s+than|in\s+place\s+of|and\s+not|over|statt|anstatt|plutôt\s+que|en\s+lugar\s+de)\b\s*(?P<what>[^,;:.—–]{3,80})"
)
