"""By which words what only looks like a decision is told: tables, in the order they are tried."""

import re
from dataclasses import dataclass

from sessions_app.rules.wording import wording


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
    Trap("question", wording(r"\?[\s*_)\"”’»]*$|^\W*[¿]"), before=False),
    Trap(
        "unreal",
        wording(
            r"\b(?:could|might|may|would|should|perhaps|maybe|possibly|probably|suppose|supposing|imagine|imagining|assuming|"
            r"assume|alternatively|the\s+alternative|hypothetically|ideally|whether|unless|what\s+if|were\s+to|it\s+depends)\b"
            r"|\b(?:I|we)['’]d\s+\w|\b(?:make|making|made)\s+sure\b"
        ),
    ),
    Trap(
        "proposed",
        wording(
            r"\b(?:simplest|cleanest|easiest|best|right|proper|quickest)\s+(?:\w+\s+)?(?:fix|approach|way|solution|option|"
            r"thing|answer|place)\b|\b(?:recommend|recommendation|propose|proposal|my\s+suggestion|leaning|"
            r"thinking\s+(?:of|about)|considering)\b"
        ),
    ),
    Trap(
        "by mistake", wording(r"\b(?:by\s+(?:mistake|accident)|accidentally|forgot(?:ten)?|mistakenly)\b"), before=False
    ),
    Trap("ticked off", re.compile(r"^[\s*_-]*[✅✔☑❌⚠]")),
    Trap(
        "condition",
        wording(r"\b(?:if|once|before|until|when|whenever|in\s+case|as\s+soon\s+as|now\s+that)\b(?![^,]*,)"),
    ),
    Trap("answer", wording(r"^\W*(?:so\s+|and\s+)?(?:no|yes|yeah|yep|nope)\b\s*[,—–-]")),
    Trap("condition first", wording(r"^\W*(?:if|once|before|until|when|whenever|unless|now\s+that)\b")),
    Trap(
        "option",
        wording(
            r"\b(?:another|one|first|second|third|other|possible|an?)\s+(?:option|alternative|possibility|approach|way)\b|"
            r"^\W*options?\b"
        ),
    ),
    Trap(
        "example",
        wording(
            r"\b(?:for\s+example|for\s+instance|e\.g\.|such\s+as|looks?\s+like\s+this|template|zum\s+beispiel|par\s+exemple|"
            r"por\s+ejemplo)"
        ),
    ),
    Trap(
        "not yet",
        wording(
            r"\b(?:not|never|nothing|no\s+one|nobody|haven['’]t|hasn['’]t|isn['’]t|didn['’]t|don['’]t|yet\s+to|still\s+to|"
            r"need\s+to|needs\s+to|have\s+to|must|want\s+to|unable\s+to)\b[^,;:]{0,40}$"
        ),
        outside=True,
    ),
    Trap(
        "reported",
        wording(
            r"\b(?:said|says|saying|claims?|claimed|wrote|writes|mentions?|mentioned|states?|stated|reads:|according\s+to|"
            r"asked|suggests?|suggested|proposed|documented|the\s+(?:adr|readme|docs?|record|ticket|thread|commit)\b)"
        ),
    ),
    Trap("open", wording(r"\b(?:pending|open|to\s+be\s+(?:made|taken|decided)|undecided|tbd|needed)\b"), before=False),
    Trap("in a reason", wording(r"(?:\b(?:because|where|how|whose)|(?<!s\ )\bwhy)\b[^,;]*$"), outside=True),
    Trap("unreal, German", wording(r"\b(?:könnten?|würden?|sollten?|müssten?|wenn|falls|ob|vielleicht|eventuell)\b")),
    Trap("unreal, French", wording(r"\b(?:pourr(?:ait|ions|iez)|devr(?:ait|ions)|faudrait|si|peut-être)\b")),
    Trap(
        "unreal, Spanish",
        wording(r"\b(?:podr[ií]a(?:mos)?|deber[ií]a(?:mos)?|si|quizás?|tal\s+vez|poder[ií]amos|talvez)\b"),
    ),
)
# Only of what was said before the decision, these belong to a sentence of their own kind and are not asked of a label.
OF_LABELS = frozenset({"question"})
# Nor are these asked of the reason that stands before what was decided: "it would race, so I …".
NOT_OF_REASONS = frozenset(
    {"unreal", "not yet", "reported", "proposed", "unreal, German", "unreal, French", "unreal, Spanish"}
)

# Asked as well of what is told without a person: it may be how something behaves, breaks, or was done by others.
OF_OTHERS = (
    Trap(
        "behaviour",
        wording(
            r"^\W*but\b|\b(?:only\s+thing|bugs?|fail(?:s|ed|ing|ure)?|broken|breaks?|wrong(?:ly)?|problem|issue|root\s+cause|symptoms?|currently|"
            r"at\s+the\s+moment|right\s+now|used\s+to|unfortunately|crash\w*|looks?\s+(?:like|as)|seems?|appears?|notice|"
            r"note\s+that|turns\s+out|impact|effect|means|mistake|actually|expected|argument\s+for|this\s+is|these\s+are|it['’]s|is\s+about|"
            r"error|warning|flagg?ed|complain\w*|missing|stale|unused|lets?\s+me|needs?\s+to|should|can|can['’]t|cannot|could|suspicion|pre-?existing)\b"
        ),
        before=False,
    ),
    Trap(
        "others'",
        wording(
            r"\bby\s+(?:upstream|git|somebody|someone|them|the\s+(?!new\b|same\b)\w+)\b|"
            r"\b(?:in\s+(?:19|20)\d\d|years?\s+ago|last\s+(?:year|month|week|spring|summer|autumn|winter)|back\s+then|"
            r"previous(?:ly)?|originally|historically|upstream|predates?|"
            r"the\s+(?:authors?|maintainers?|customers?|vendors?|team|spec|standard|linter|formatter|compiler|planner|"
            r"optimi[sz]er|runtime|kernel|browser|test|tests|commit))\b"
        ),
        before=False,
    ),
    # "It is safe because rows are copied rather than moved": the contrast is in the reason.
    Trap("aside", wording(r"\b(?:because|since|that|which|where|how|why|what|whose|while|although)\b"), outside=True),
)

# A next sentence that goes on with the work, and gives no reason.
GOES_ON = wording(
    r"^\W*(?:I|I['’]\w+|we|we['’]\w+|let|let['’]s|now|next|then|done|also|(?:all\s+|the\s+)?(?:\w+\s+)?tests?|all|"
    r"everything|actually|wait|hmm|first|here|works?|green|passes|see|please|run|that\s+is\s+(?:done|it|all)|for\s+(?:now|tomorrow))\b"
)

# What is done something with: up to the reason, or the next clause.
OBJECT = wording(r"(?:(?!\b(?:because|since|so|as)\b)[^,;:—])*")
# How the assistant goes about its work is no decision about the work: what is read, run or tried.
WORK = wording(
    r"^\W*(?:\w+\s+){0,3}?(?:first|quick|quickly|grep|rg|ripgrep|finding|look(?:ing)?(?:\s+(?:at|for|into|through))?|"
    r"(?:read|check|inspect|search|list|open)(?:ing)?\s+(?:the|through|for|it|how|what|whether|all)|explor\w+|"
    r"debugg\w+|print\s+statements?|(?:conditional\s+)?breakpoints?|start(?:ing)?\s+(?:with|by|from)|see|try|trying|"
    r"(?:re-?)?run(?:ning)?\s+(?:the|it)|trace|tracing|investigat\w+|verify\w*|confirm\w*|posted|digging|searching|reading\s+(?:on|further|the\s+(?:code|logs?|file))|"
    r"in\s+mind|an\s+eye|[\w-]+\s+skill|(?:sub-?)?agents?\b|parallel|the\s+(?:terminal|shell|browser|editor|server)\s+(?:open|running|up))\b"
)
