"""The words that introduce a decision's reason, before or after it, and those that take an earlier decision back."""

import re

from sessions_app.transcripts.rules.wording import wording

# The beginning of a reason. The words after it may become the reason; a connective that means only "because" is left
# out.
REASON = wording(
    r"\b(?:because(?:\s+of)?|since(?!\s+(?:\d|then|when|yesterday|last|the\s+(?:release|deploy|upgrade|start|beginning)))|"
    r"so\s+that|so\s+(?=(?:we|it|they|the|nobody|that|no|a|each|every)\b)|due\s+to|given\s+(?:that|the|how)|thanks\s+to|owing\s+to|"
    r"in\s+order\s+to|to\s+(?:avoid|prevent|keep|make\s+sure|ensure|reduce|stop|allow|let|save)|"
    r"which\s+(?:avoids|keeps|means|lets|saves|allows)|"
    r"(?<=,\s)as\b|as\s+(?=(?:it|we|they|there|nobody|nothing)\b)|otherwise|the\s+reason\s+(?:is|being)|"
    r"weil|damit|denn|sonst|parce\s+qu(?:e|['’])|puisqu(?:e|['’])|afin\s+(?:de|que)|"
    r"porque|ya\s+que|puesto\s+que|para\s+que|já\s+que|pois)"
    r"|(?<=,\s)(?:da|car|um)\b|(?<=\s)pour\s+(?:éviter|que)\b"
)
MERE = wording(
    r"^\W*(?:because(?!\s+of)|since|as|given\s+that|weil|da|denn|parce\s+qu(?:e\s|['’])|puisqu(?:e\s|['’])|car|porque|ya\s+que|"
    r"puesto\s+que|já\s+que|pois|the\s+reason\s+(?:is|being)(?:\s+that)?)\s*"
)
# A reason at the beginning of a sentence; a comma ends it.
EARLY = wording(
    r"^\W*(?:because|since|given|as|due\s+to|thanks\s+to|weil|da|parce\s+qu|puisqu|comme|porque|ya\s+que|como)\b"
)
# Between a reason and the decision: "nobody reads it, so I dropped it".
SO = wording(
    r"[,;—–]\s*(?:and\s+)?(?:so|therefore|thus|hence|which\s+is\s+why|that['’]s\s+why|deshalb|darum|donc|por\s+eso)\b[,\s]*"
)
# A sentence that gives the reason of the one before it.
NEXT = wording(
    r"^\W*(?:(?:reasons?|why|rationale|grund|begründung|raison|razón|motivo)\b\s*[:：—–]|the\s+reason\b|otherwise|because|since|"
    r"(?:this|that|it|which)\s+(?:way|keeps?|avoids?|saves?|lets?|means)\b)|\b(?:would(?:n['’]t)?|because|otherwise)\b"
)
LABEL_OF_REASON = wording(
    r"^\W*(?:reasons?|why|rationale|grund|begründung|raison|razón|motivo)\b\s*[:：—–]\s*|^\W*the\s+reason\s+(?:is|was)\s+(?:that\s+)?"
)
# "Room over SQLDelight: the team already runs Room": a clause after a colon, a semicolon or a dash. The pattern matches
# blanks before it only from the first of them, so that it stays linear.
CLAUSE = re.compile(r"(?:(?<!\s)\s+)?[:;]\s+|(?:(?<!\s)\s+|\s)[—–-]\s+")
# A next sentence that continues with the work and gives no reason.
GOES_ON = wording(
    r"^\W*(?:I|I['’]\w+|we|we['’]\w+|let|let['’]s|now|next|then|done|also|(?:all\s+|the\s+)?(?:\w+\s+)?tests?|all|"
    r"everything|actually|wait|first|here|works?|green|passes|see|please|run|that\s+is\s+(?:done|it|all)|for\s+(?:now|tomorrow))\b"
)
# Words that take an earlier decision back.
TAKEN_BACK = wording(
    r"\b(?:on\s+second\s+thoughts?|scratch\s+that|changed\s+(?:my|our)\s+mind|after\s+all|no\s+longer|revert(?:ed|ing)?|"
    r"undo(?:ing)?|not\s+any\s*more|is\s+out|are\s+out|doch\s+nicht|finalement|al\s+final)\b"
)
INSTEAD = wording(
    r"\b(?:instead\s+of|rather\s+than|in\s+place\s+of|and\s+not|over|statt|anstatt|plutôt\s+que|en\s+lugar\s+de)\b\s*(?P<what>[^,;:.—–]{3,80})"
)
