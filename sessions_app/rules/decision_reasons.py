"""By which words a decision's reason is found, before it or behind it, and what takes an earlier decision back."""

import re

from sessions_app.rules.wording import wording

# Where a reason begins. What follows may be cut out as the reason; a connective that says only "because" is left out.
REASON = wording(
    r"\b(?:because(?:\s+of)?|since(?!\s+(?:\d|then|when|yesterday|last|the\s+(?:release|deploy|upgrade|start|beginning)))|"
    r"so\s+that|so\s+(?=(?:we|it|they|the|nobody|that|no|a|each|every)\b)|due\s+to|given\s+(?:that|the|how)|thanks\s+to|owing\s+to|"
    r"in\s+order\s+to|to\s+(?:avoid|prevent|keep|make\s+sure|ensure|reduce|stop|allow|let|save)|"
    r"which\s+(?:avoids|keeps|makes|means|lets|gives|saves|allows)|"
    r"(?<=,\s)as\b|as\s+(?!(?:it|they)\s+(?:is|are|was|were)\b\s*(?:[.,;:]|$|on\b|for\b|because|since))(?=(?:it|we|they|there|nobody|nothing)\b)|"
    r"as\s+(?=(?:the|our|its|all|every)\s+(?:[\w-]+\s+){1,6}?(?:does|do|is|are|has|have)\b)|"
    r"(?<=,\s)so\s+(?!I\b|far\b|on\b|let|now\b|is\b|are\b)(?=\w+\s+\w+)|"
    r"otherwise|the\s+reason\s+(?:is|being)|"
    r"weil|damit|denn|sonst|"
    r"parce\s+qu(?:e|['’])|puisqu(?:e|['’])|afin\s+(?:de|que)|"
    r"porque|ya\s+que|puesto\s+que|para\s+que|já\s+que|pois)"
    r"|(?<=,\s)(?:da|car|um)\b|(?<=\s)pour\s+(?:éviter|que)\b"
)
MERE = wording(
    r"^\W*(?:because(?!\s+of)|since|as|given\s+that|weil|da|denn|parce\s+qu(?:e\s|['’])|puisqu(?:e\s|['’])|car|porque|ya\s+que|"
    r"puesto\s+que|já\s+que|pois|the\s+reason\s+(?:is|being)(?:\s+that)?)\s*"
)
# Where a sentence begins with its reason; a comma ends it.
EARLY = wording(
    r"^\W*(?:because|since|given|as\s+(?!you\b|per\b|we\b|agreed|discussed|requested)|"
    r"for\s+(?:consistency|simplicity|speed|performance|safety|clarity|readability|compatibility|security)|"
    r"to\s+(?:keep|avoid|prevent|reduce|stay)|due\s+to|thanks\s+to|weil|da|parce\s+qu|"
    r"puisqu|comme|porque|ya\s+que|como)\b"
)
# Between a reason and what was decided for it: "nobody reads it, so I dropped it".
SO = wording(
    r"[,;—–]\s*(?:and\s+)?(?:so|therefore|thus|hence|which\s+is\s+why|that(?:['’]s|\s+is)\s+why|deshalb|darum|donc|por\s+eso)"
    r"\b[,\s]*|\band\s+(?:therefore|thus|hence)\b[,\s]*"
)
# "It suggests a set, but since nobody uses one, I keep the list": a reason in the middle.
WITHIN = wording(r"\bbut\s+(?:since|because|as|given\s+that)\s+(?P<why>[^;:.!?]{3,200}),\s*$")
# The same at the beginning of a sentence, its reason being the sentence before.
THEREFORE = wording(
    r"^\W*(?:so|therefore|thus|hence|that(?:['’]s|\s+is)\s+why|for\s+that\s+reason|deshalb|darum)\b[,\s]*"
)
# "The reason I chose it is that …", all in one sentence.
REASON_IS = wording(
    r"^\W*(?:the\s+|my\s+|our\s+)?reason\s+(?:why\s+|that\s+)?(?P<what>(?:I|we)\b[^.!?]*?)\s+(?:is|was)\s+(?:that\s+)?(?P<why>\w.*)$"
)
# A sentence that gives the reason of the one before it.
NEXT = wording(
    r"^\W*(?:(?:reason|reasons|why|rationale|grund|begründung|raison|razón|motivo)\b\s*[:：—–]|the\s+reason\b|"
    r"(?:this|that|it|which|they)\s+(?:way|keeps?|avoids?|already|gives?|means|saves?|lets?|makes?|lets|would|was|has|is|also)\b|"
    r"otherwise|because|since)|\b(?:would(?:n['’]t)?|because|otherwise|anyway)\b"
)
LABEL_OF_REASON = wording(
    r"^\W*(?:reason|reasons|why|rationale|grund|begründung|raison|razón|motivo)\b\s*[:：—–]\s*|^\W*the\s+reason\s+(?:is|was)\s+(?:that\s+)?"
)
# "Room over SQLDelight: the team already runs Room": a clause after a colon, a semicolon or a dash.
# The blanks before it are looked through from the first of them only.
CLAUSE = re.compile(r"(?:(?<!\s)\s+)?[:;]\s+|(?:(?<!\s)\s+|\s)[—–-]\s+")

# "I kept that short": what "that" is stands in the sentence before.
POINTS_BACK = wording(r"^\W*(?:\w+\s+){0,2}?(?:it|that|this|them|these|those)\b(?!\s+\w+s?\s+(?:is|are|was)\b)")

# What takes an earlier decision back.
TAKEN_BACK = wording(
    r"\b(?:on\s+second\s+thoughts?|scratch\s+that|changed\s+(?:my|our)\s+mind|after\s+all|no\s+longer|revert(?:ed|ing)?|"
    r"undo(?:ing)?|not\s+any\s*more|is\s+out|are\s+out|doch\s+nicht|finalement|al\s+final)\b"
)
INSTEAD = wording(
    r"\b(?:instead\s+of|rather\s+than|in\s+place\s+of|and\s+not|over|statt|anstatt|plutôt\s+que|en\s+lugar\s+de)\b\s*(?P<what>[^,;:.—–]{3,80})"
)
