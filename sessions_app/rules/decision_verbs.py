"""The words that ways to say a decision are made of: who says it, verbs of choosing, of leaving and of shaping."""

ADVERB = (
    r"(?:\s+(?:now|also|then|therefore|thus|so|just|still|simply|only|finally|already|instead|both|all|have|has|"
    r"eventually|deliberately|intentionally|consciously|purposely|explicitly))*"
)
WE = rf"\b(?:I|we)(?:['’](?:ve|d|m|re))?(?:\s+(?:am|are|was|were))?{ADVERB}"
# Left out at the beginning of a sentence, or after "So", "In the end", "Caching:" and the like.
NOBODY = (
    r"^\W*(?:(?:so|then|also|and|finally|instead|in\ the\ end|for\ now|therefore|"
    r"agreed|good\s+call|makes\s+sense|fair\s+point|understood|ok|okay|done|(?!re:)\w[\w\ -]{0,30}:)[,\s]+)*"
)
# "I considered X but rejected": the subject is that of the verb before.
SAME = r"\b(?:I|we)\b[^.!?;:]{1,90}?\b(?:but|and)\s+(?:then\s+|so\s+)?"
SUBJECT = rf"(?:{WE}\s+|{NOBODY}|{SAME})"
WILL = (
    rf"(?:\b(?:I|we)(?:['’]ll|\s+will|\s+shall|['’](?:m|re)\s+going\s+to|\s+are\s+going\s+to|"
    rf"\s+am\s+going\s+to){ADVERB}\s+|\blet['’]s\s+|{NOBODY}(?:deliberately\s+)?going\s+to\s+)"
)
# What was put aside is decided no less than what was taken.
ASIDE = (
    r"(?:ruled\s+out|rejected|turned\s+down|dropped|avoided|skipped(?!:?\s*\d|\s+(?:items?|tests?|commits?)\b)|"
    r"declined|deferred|postponed|omitted|"
    r"excluded|left\s+out|taken\s+out)"
)
CHOSE = (
    rf"(?:chose|chosen|picked|selected|preferred|opted\s+(?:for|to|against|not\s+to)|settled\s+(?:on|for)|"
    r"(?:went|gone)\s+(?:with|for)|stuck\s+(?:with|to)|landed\s+on|ended\s+up\s+(?:with|\w+ing)|"
    r"standardi[sz]ed\s+on|agreed\s+(?:on|to)|switched\s+(?:to|from|over)|reverted\s+to|kept|held\s+off|refrained\s+from|"
    r"passed\s+on|did\s+without|took\s+out|limited|capped|dropped\s+the\s+idea|"
    rf"(?:made|took|taken)\s+the\s+decision\s+(?:to|not|against)|{ASIDE})"
)
CHOOSING = (
    r"(?:choosing|picking|selecting|opting\s+for|settling\s+on|going\s+(?:with|for)|sticking\s+(?:with|to)|"
    r"standardi[sz]ing\s+on|switching\s+(?:to|from)|moving\s+(?:to(?!\s+(?:task|step|phase|the\s+next)\b)|from|away)|staying\s+(?:with|on)|"
    r"replacing\s+\S+(?:\s+\S+){0,4}?\s+with|dropping|leaving|keeping|skipping|deferring|declining|omitting|"
    r"limiting|not\s+(?:adding|using|caching|changing|touching|moving|removing|keeping|storing|splitting|supporting|renaming|"
    r"introducing|migrating|bumping|writing|building|shipping|logging|exposing|carrying|copying|retrying))"
)
CHOOSE = (
    r"(?:choose|pick|select|opt\s+for|settle\s+on|go\s+with|go\s+for|stick\s+(?:with|to)|standardi[sz]e\s+on|"
    r"switch\s+(?:to|from)|move\s+(?:to|away)|stay\s+(?:with|on)|adopt|use|keep|leave|skip|avoid|defer|drop|make\s+it)"
)
PREFER = r"(?:prefer|go\s+with|go\s+for|stick\s+(?:with|to)|stay\s+(?:with|on)|ship\s+(?:with|without))"
DID = (
    r"(?:used|using|kept|keeping|made|put|stored|storing|built|wrote|added|moved|replaced|treated|left|leaving|"
    r"implemented|dropped|removed|returned|raised|defined|modell?ed)"
)
DO = r"(?:use|keep|store|treat|leave|return|raise|set|batch|reject|ignore|write|read|send)"
# How something was given its shape, which with a reason is a decision on the shape.
SHAPED = (
    r"(?:put|placed|moved|made|split|extracted|stored|wrote|built|set|modell?ed|named|based|pinned|vendored|inlined|"
    r"wrapped|left(?!\s+(?:it|that|this|them|those|these)\b))"
)
# For the sake of what: a reason without a connective.
SAKE = (
    r"(?:for\s+(?:consistency|simplicity|speed|performance|safety|clarity|readability|compatibility|security)|"
    r"to\s+(?:keep|avoid|prevent|reduce|stay)\b)"
)
# What one does with a piece of work, in the past and in the present, once a reason for it was told.
SO_DID = (
    r"(?:used?|make|made|put|move[ds]?|wrote|write|built|build|stored?|raise[ds]?|returns?|returned|keep|kept|split|"
    r"set|(?:left|leave)(?!\s+(?:it|that|this|them|those|these)\b)|cached?|limit(?:ed)?|wrap(?:ped)?|batch(?:ed)?|reject(?:ed)?|ignored?)"
)
# "rather than", "instead of", "and not": something else was possible, and was not taken.
CONTRAST = (
    r"(?:\b(?:rather\s+than|instead\s+of|as\s+opposed\s+to|in\s+favou?r\s+of|in\s+place\s+of|over(?!\s+(?:time|the\s+(?:past|last|next)|\d|https?|tcp|ssh|and)\b)|and\s+not)\b|"
    r",\s*not\b|\(not\s+[^()]{2,30}\)(?=\s*[:;—–]))"
)
LABEL = (
    r"(?:(?:final|key|design|technical|architectur\w+|my|our|the)\s+)?(?:decisions?(?:\s+made)?|decided|choice|"
    r"(?:chosen|selected)\s+(?:approach|design|solution|option|way)|(?:approach|design|solution|option)\s+(?:taken|chosen)|"
    r"(?:approach|design|way|route|option)\s+(?:I|we)\s+(?:took|chose|picked|went\s+with)|"
    r"entscheidung|entschieden|beschluss|décision|decisión|decisão|decisione|besluit|adr(?:[\s-]?\d+)?)"
)
COLON = r"[*_]*\s*(?::|：|—|–|->|→)[\s*_]*(?=\S)(?!whether\b)"
# What one cannot do, does not know or has merely not come to is not decided against.
UNABLE = (
    r"(?:know|see|find|need|think|have|understand|want|get|believe|expect|remember|mind|sure|yet|able|seen|done|finished|"
    r"certain|aware|blocked|even|only|just|actually|recommend|suggest|notice|like|quite|familiar|run|check|test|look|"
    r"read|verify|miss|break|lose|forget|realise|realize|catch|match|matter|work|be|been|trying|a|the|in|on|to|going|100|fully|entirely|really)"
)
NOT = (
    r"(?:\b(?:I|we)\s+(?:will\s+not|won['’]t|do\s+not|don['’]t|did\s+not|didn['’]t)|"
    r"\b(?:I|we)(?:['’](?:m|re)|\s+(?:am|are))\s+not(?:\s+going\s+to)?|\b(?:I|we)['’]d\s+rather\s+not)"
)
# Nouns that are missing without anybody having left them out.
ABSENT = (
    r"(?:errors?|changes?|problems?|issues?|failures?|warnings?|conflicts?|match(?:es)?|results?|output|diff\w*|callers?|"
    r"references?|usages?|uses?|other|further|more|need|worries|surprises?|regressions?|tests?|one|luck|idea|questions?|"
    r"comments?|response|answer|such|trace|signs?|evidence|hits?|files?|data|rows?|longer|matter|doubt|wonder|way|reason|"
    r"harm|effect|impact|difference|action|code|new|risk|chance|visible|existing|known|real|obvious|remaining|open|"
    r"actual|dice|sessions?|entry|entries|records?|lines?|news|thanks|worse|better|good|additional)"
)
# Verbs of how things are: with one of them a note describes.
FINITE = r"\b(?:is|are|was|were|has|have|had|does|do|did|can|will|returns?|exists?|still|only)"
# What a review comes to, which decides nothing of the work.
REVIEWED = (
    r"(?:approved?|request|the\s+(?:two|prs?|changes?|code|branch)|this\s+(?:pr|change)|ready|good|great|lgtm|safe|"
    r"pass\w*|ship|merge|needs?|mostly|overall|looks?|strong|correct)"
)
SAID_SO = r"(?:asked|agreed|requested|decided|wanted|said|preferred|chose|discussed)"
# Traps that are not asked of what was agreed on with the user.
SUITED = frozenset({"reported", "option"})
