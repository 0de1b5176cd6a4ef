"""The words of decisions: labels, eleven patterns, and the words that exclude a sentence.

A pattern includes its subject: "I" or "we", or none at the beginning of a sentence ("Went with gRPC"). Decisions worded
otherwise are found by searching the conversation: of the finds of fifty patterns, two in three were no decisions.
"""

import re
from dataclasses import dataclass

from sessions_app.transcripts.rules.wording import wording

# --- labels: no reason is asked for -------------------------------------------------------------------------
COLON = r"[*_]*+\s*+(?::|：|—|–|->|→)[\s*_]*+(?=\S)(?!whether\b)"
LABEL = wording(
    r"^\W*(?:(?:(?:final|key|design|technical|architectur\w+|my|our|the)\s+)*(?:decision(?:\s+made)?|decided)|"
    r"entscheidung|entschieden|beschluss|décision|decisión|decisão|decisione|besluit|adr(?:[\s-]?\d+)?)"
    rf"\s*+(?:\#?\d++\s*+)?(?:\([^)]{{0,40}}\)\s*+)?{COLON}"
)
# The heading of a decision record, whose paragraphs are decisions; and a heading, or the line above a list, of which
# each item is a decision.
RECORD = wording(r"^\W*(?:\d+\W+)?(?:decision(?:\s+outcome)?|entscheidung|décision|decisión|decisão)\W*$")
DECIDED = wording(
    r"^\W*(?:(?:key|main|design|technical|architectur\w+|implementation|our|my|the|\d+)\s+)*"
    r"(?:decisions?|entscheidung(?:en)?|décisions?|decision(?:es)?|decisões)"
    r"(?:\s+(?:made|taken|so\s+far|log|outcome|(?:I|we)(?:['’]ve)?\s+(?:made|took)|along\s+the\s+way|"
    r"and\s+(?:reasons?|rationale|trade-?offs)|here|in\s+this\s+\w+|getroffen|prises|tomadas))*\W*$"
)
# A heading of undecided items, or of statements on how things are.
UNDECIDED = wording(
    r"^\W*(?:.*\b(?:options?|alternatives?|questions?|pending|open|considered|possibilities|pros|cons|proposals?|proposed|"
    r"recommend\w*|ideas|suggest\w*|examples?|tbd|findings?|issues?|problems?|bugs?|root\s+cause|risks?|concerns?|before|"
    r"currently|offene?|opciones|pendientes)\b.*)$"
)
# The columns of a table that have decisions, and those that have their reasons.
DECIDED_COLUMN = wording(r"^\W*(?:decisions?|decided|entscheidung|décision|decisión)\W*$")
REASON_COLUMN = wording(
    r"^\W*(?:why|reasons?|rationale|because|reasoning|motivation|justification|warum|begründung|grund|pourquoi|raison|"
    r"por\s+qué|razón|motivo)\W*$"
)

# --- patterns -----------------------------------------------------------------------------------------------
_ADVERB = (
    r"(?:\s+(?:then|also|therefore|finally|ultimately|deliberately|explicitly|consciously|intentionally|both|all|have|"
    r"now))*"
)
_WE = rf"\b(?:I|we)(?:['’]ve)?{_ADVERB}\s+"
_NOBODY = r"^\W*(?:(?:so|then|and|instead|agreed|in\s+the\s+end|ultimately|finally|therefore|after\s+all)[,:]?\s+)?"
_SUBJECT = rf"(?:{_WE}|{_NOBODY})"
_WILL = rf"(?:\b(?:I|we)(?:['’]ll|\s+will){_ADVERB}\s+|\blet['’]s\s+)"
_AGAINST = r"(?=[^.!?]*?\b(?:instead\s+of|rather\s+than|as\s+opposed\s+to|and\s+not)\b)"


@dataclass(frozen=True)
class DecisionPattern:
    """A way to say that something was decided. With a reason near it, the decision is worth a draft."""

    name: str
    regex: re.Pattern[str]


PATTERNS = (
    DecisionPattern(
        "decided",
        wording(rf"{_SUBJECT}(?:decided|resolved)\s+(?:to|on|upon|against|that|not\s+to|in\s+favou?r\s+of)\b"),
    ),
    DecisionPattern(
        "it was decided",
        wording(
            r"\bit\s+was\s+(?:decided|agreed)\s+(?:to|that|not\s+to|against)\b|"
            r"\b(?:the|my|our)\s+(?:final\s+)?(?:decision|choice)\s+(?:was|is)\s+(?:to|against|not\s+to|that)\b"
        ),
    ),
    DecisionPattern("chose", wording(rf"{_SUBJECT}(?:chose|chosen|picked|opted\s+(?:for|to|against|not\s+to))\b")),
    DecisionPattern(
        "went with", wording(rf"{_SUBJECT}(?:(?:went|gone|stuck)\s+with|settled\s+(?:on|for)|standardi[sz]ed\s+on)\b")
    ),
    DecisionPattern("agreed", wording(rf"{_WE}agreed\s+(?:on|to|that|not\s+to)\b")),
    DecisionPattern(
        "rejected",
        wording(
            rf"(?:{_SUBJECT}|\b(?:I|we)\b[^.!?;:]{{1,90}}?\b(?:but|and)\s+)(?:rejected|ruled\s+out|turned\s+down|deferred)\b"
        ),
    ),
    DecisionPattern(
        "did, against", wording(rf"{_WE}(?:used|use|kept|keep|left|leave|made|put|stored?|\w{{3,}}ed)\b{_AGAINST}")
    ),
    DecisionPattern("will do, against", wording(rf"{_WILL}(?=\w){_AGAINST}")),
    DecisionPattern(
        "will keep", wording(rf"{_WILL}(?:go\s+with|stick\s+(?:with|to)|stay\s+(?:with|on)|standardi[sz]e\s+on|keep)\b")
    ),
    DecisionPattern(
        "will not",
        wording(
            r"\b(?:I|we)\s+(?:will\s+not|won['’]t)\s+(?:support|add|change|touch|use|migrate|cache|introduce|rename|ship|"
            r"store|retry|expose|log|split|build)\b"
        ),
    ),
    DecisionPattern(
        "others",
        wording(
            r"\b(?:wir|ich)\b[^.!?]{1,80}?\bentschieden\b|\b(?:j['’]ai|nous\s+avons|on\s+a)\s+(?:choisi|décidé)\b|"
            r"\b(?:decidimos|decidí|elegimos|elegí|optamos\s+por|optei\s+por|escolhemos)\b"
        ),
    ),
)

# --- what speaks against it ---------------------------------------------------------------------------------
# Anywhere in what is said, up to the end of the pattern.
_UNREAL = (
    r"\b(?:could|might|may|would|should|perhaps|maybe|possibly|probably|suppose|imagine|assum(?:e|ing)|alternatively|"
    r"hypothetically|ideally|whether|unless|what\s+if|were\s+to|recommend\w*|propose|proposal|suggestion|leaning|"
    r"considering|thinking\s+(?:of|about)|I\s+think|it\s+depends)\b|\b(?:I|we)['’]d\s+\w|"
    r"\b(?:könnten?|würden?|sollten?|wenn|falls|vielleicht|podr[ií]a(?:mos)?|deber[ií]a(?:mos)?|quizás?|tal\s+vez)\b|"
    r"\bpourr(?:ait|ions)\b|\bdevr(?:ait|ions)\b|\bpeut-être\b"
)
_REPORTED = (
    r"\b(?:said|says|saying|claim(?:s|ed)|wrote|writes|mention(?:s|ed)|state[sd]|reads:|according\s+to|asked|suggest(?:s|ed)|"
    r"proposed|documented|they|the\s+(?:adr|readme|docs?|record|ticket|thread|commit|team|authors?|maintainers?))\b"
)
_HISTORY = (
    r"\b(?:originally|previously|historically|initially|at\s+first|back\s+then|at\s+the\s+time|years?\s+ago|months?\s+ago|"
    r"last\s+(?:year|month|week|spring|summer|autumn|winter)|upstream|in\s+(?:19|20)\d\d)\b"
)
_EXAMPLE = (
    r"\b(?:for\s+(?:example|instance|simplicity)|e\.g\.|such\s+as|in\s+this\s+example|template|zum\s+beispiel|par\s+exemple|"
    r"por\s+ejemplo)"
)
AGAINST = wording("|".join((_UNREAL, _REPORTED, _HISTORY, _EXAMPLE)))
# In a clause before the pattern, or negating it: "because we chose …", "have not decided to …".
IN_CLAUSE = wording(
    r"\b(?:if|once|before|until|when|whenever|after|since|because|where|how|why|what|whose|that|which|while|although|"
    r"reason|as\s+soon\s+as|now\s+that|in\s+case)\b[^,;:—]*$|"
    r"\b(?:not|never|nothing|nobody|haven['’]t|hasn['’]t|didn['’]t|don['’]t|yet\s+to|still\s+to|need\s+to|want\s+to|unable\s+to)\b"
    r"[^,;:]{0,40}$"
)
QUESTION = wording(r"\?[\s*_)\"”’»]*$|^\W*[¿]")
# Advice in spite of its label: to "you", or on a condition.
ADVICE = wording(r"^\W*(?:if|consider|when|unless)\b|\byour?s?\b")
BY_MISTAKE = wording(r"\b(?:by\s+(?:mistake|accident)|accidentally|mistakenly)\b")
# How the assistant goes about its own work (reads, runs, tries something) is no decision.
WORK = wording(
    r"^\W*(?:\w+\s+){0,3}?(?:first|quick|quickly|grep|rg|look(?:ing)?\s+(?:at|for|into|through)|(?:read|check|inspect|search|"
    r"list|open|verify|confirm|describe|explain|clarify|review|focus|break|walk)(?:ing)?\b|explor\w+|debugg\w+|print\s+statements?|breakpoints?|"
    r"start(?:ing)?\s+(?:with|by|from)|try|trying|(?:re-?)?run(?:ning)?\s+(?:the|it)|trac(?:e|ing)|investigat\w+|in\s+mind|an\s+eye|"
    r"you\b|(?:looking|going|working|digging|trying|thinking)\b|(?:it|this|things)\s+(?:simple|short|brief|going)|(?:sub-?)?agents?\b)"
)
