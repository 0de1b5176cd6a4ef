"""The words by which a prompt is recognised as small talk, a continuation, a question or a look back."""

import re

# Words of politeness, agreement, greeting or waiting. A prompt of only these and small words, in any order, is small
# talk. A list of phrases would fail for two joined phrases. No word of work is among them.
_SOCIAL = """
ok okay k kk oki okey okie alright aight right yes yep yeah yea ya yup no nope nah n sure surely absolutely definitely
certainly totally exactly precisely indeed agreed agree correct true fine great good nice cool awesome perfect
excellent wonderful amazing brilliant lovely fantastic super superb stellar neat sweet beautiful impressive solid best
better thanks thank thx thnx thankyou ty tysm tyvm cheers ta appreciated appreciate appreciates grateful kudos bravo
congrats congratulations please pls plz sorry apologies pardon excuse welcome np worries worry problem problems hello
hi hey hiya heya yo howdy greetings morning afternoon evening night goodnight bye goodbye cya later soon tomorrow
today tonight weekend lunch coffee break seeya talk lol haha hahaha hehe rofl lmao wow whoa woah oh ah aha ooh hm hmm
hmmm mm mmm uh um er lgtm sgtm wfm ack roger understood understand got gotcha gotya noted ahead continue proceed ship
hang hope hoping wish love loved enjoy enjoyed happy glad pleased excited helpful tons bunch man buddy dude mate
friend pal guys folks team everyone everybody boss sir rock rocks star legend hero genius magic care rest danke dank
dir dankeschön vielen schön bitte gut sehr prima klasse toll genau passt alles klar ja nein jawohl hallo moin guten
tag abend tschüss bis bald morgen gern gerne freut merci beaucoup bien très oui non daccord parfait génial bonjour
bonsoir salut au revoir bonne journée soirée plaisir gracias muchas muy sí vale perfecto genial hola buenos buenas
días tardes noches adiós hasta luego por favor nada obrigado obrigada muito bom tudo olá tchau grazie mille bene molto
ciao prego
"""

# The small words between them. Alone they are no small talk ("what should we do about that?"), and name nothing.
_SMALL = """
y see well so makes make sense sounds sound looks look seems seem feels feel works work worked working job done did do
does doing go going goes carry keep wait hold moment second sec minute bit while let lets think thinking thought know
knew guess suppose believe like liked likes wanted want needed need help helped helps much very really quite pretty
extremely incredibly truly many lot lots again always never just still also too even yet already now then here there
once more most way all everything anything nothing something that thats this these those it its the a an and or but if
of to for from with by at on in as up down out off over about into i im ive id ill me my mine you youre youve youll
your yours u ur we were weve us our he she they them their is are am was be been being have has had having can could
will would shall should may might must dont doesnt didnt isnt wasnt wont cant couldnt wouldnt not how what who when
why where which whatever anyway anyways though because time times day days enough one same thing things first next
take took taking give gave giving say said says tell told mean meant means yourself myself come came back das ist
sieht aus weiter mach machen ich du wir sie es und der die mir dich mich kein keine hat haben war cest c est comme ça
ca je tu vous nous le la les un une et avec de rien si está esta eso el los mit
"""

# Technical words that name nothing: to continue, to repeat, and the objects of any work. The index knows whether the
# team has notes on the other words of a prompt.
_BROAD = """
code file files folder function functions method methods class classes variable variables line lines thing things stuff
error errors bug bugs issue issues problem problems test tests suite data project projects app application program
feature features change changes changed update updates version part parts piece bit idea ideas question questions answer
result results output input value values name names number numbers list lists item items page pages user users text
word words example examples case cases way ways place point detail details step steps task tasks plan plans work works
working worked broken wrong fail fails failed failing better cleaner nicer faster slower simpler clean simple easy hard
big small bigger smaller large new old other others another two three different similar whole entire full complete last
previous current repo repository documentation docs comment comments logic side end start second third option options
approach suggestion instead remaining rest short summary message branch pr review everything green red
like look looks looking check use using used need needs want wants get gets getting put set make makes made find show
happen happens happening help explain tell please try fix improve add remove write run rerun read create do does same
again also once more less maybe perhaps quickly everywhere anywhere finish resume repeat retry redo undo revert start
stop apply implement refactor build rebuild format lint commit push pull merge save open close done earlier above below
discussed described introduced suggested mistake
datei dateien fehler code funktion sache dinge problem besser schritt nächsten
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SOCIAL = _words(_SOCIAL)
SMALL = _words(_SMALL)
BROAD = _words(_BROAD)


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


# A clause that begins with one of these is friendly, on any subject.
FRIENDLY = _words(
    """thanks thank thx thankyou ty cheers kudos great good nice awesome amazing brilliant excellent fantastic lovely
    love loved perfect super congrats congratulations sorry hello hi hey morning hope have enjoy lol haha hahaha wow
    danke vielen merci gracias you appreciate appreciated glad happy"""
)
BEFORE_FRIENDLY = _words("oh ok so ah well i im we really very just do that thats yes yeah")
CLAUSE = re.compile(r"[.!?;,\n]+\s*|(?<!\s)\s+[–—-]\s+")
# An order in the form of a question, and the continuation of a friendly clause that requests something after all.
ASKED_OF_YOU = _re(r"^\W*(?:please\s+)?(?:can|could|would|will)\s+you\b|^\W*(?:kannst|könntest)\s+du\b")
WANTS = _re(r"\b(?:now|please|but|can\s+you|could\s+you|let['’]?s|bitte|jetzt)\b")
QUESTION = _re(
    r"^\W*(?:(?:ok(?:ay)?|thanks|and|so|but|hm+|well|also|btw|question)[\s,.:!]+)*"
    r"(?:how|why|what|which|where|when|who|whose|is|are|was|were|does|do|did|has|have|should|would|will|can\s+(?:we|i|it)|"
    r"could\s+(?:we|i|it)|am|any|wie|warum|wieso|weshalb|was|welche[rsnm]?|wo|wann|wer|gibt|ist|sind|kann|"
    r"comment|pourquoi|quel(?:le)?s?|où|quand|qui|est-ce|cómo|como|por\s+qué|qué|cuál(?:es)?|dónde|cuándo|quién)\b"
)
ASKS = _re(
    r"\?\s*$|\?\s|\b(?:how\s+(?:do|does|should|can|would|to|about|come)|why\s+(?:do|does|is|are|did)|what(?:['’]s|\s+(?:is|"
    r"are|about|would|if))|difference\s+between|trade-?offs?|pros\s+and\s+cons|best\s+(?:way|practice)|alternatives?|"
    r"compare|explain|understand|wonder(?:ing)?|thinking\s+(?:about|of)|considering|curious|tell\s+me|any\s+idea|not\s+sure|"
    r"help\s+me\s+(?:understand|decide|choose)|walk\s+me\s+through|advice|recommend|approach)\b"
)
# A fault that is reported and not asked about: what the team knows of it is relevant.
SYMPTOM = _re(
    r"\b\w*(?:Error|Exception|Traceback|panic)\b\s*[:(]|\b(?:errors?|exceptions?|traceback|panics?|crash(?:es|ed|ing)?|fails?|"
    r"failed|failing|failure|broken|breaks|hangs?|stuck|times?\s+out|timed\s+out|timeouts?|oom\S*|killed|leaks?|leaking|"
    r"slow|deadlocks?|flaky|segfaults?|refused|denied|not\s+found|undefined|unexpected|does\s+not\s+work|doesn['’]t\s+work|"
    r"won['’]t|keeps?\s+\w+ing|bricht|schlägt|fehler\w*)\b"
)
BACK = _re(
    r"\b(?:did\s+we|have\s+we|had\s+we|we\s+(?:decided|agreed|chose|said|did)|previously|earlier|last\s+(?:time|week|month|"
    r"session|sprint|year)|yesterday|recently|remember|remind\s+me|recap|summari[sz]e|lessons?|retrospect\w*|hindsight|"
    r"looking\s+back|went\s+wrong|learn(?:ed|t)|leave\s+off|left\s+off|so\s+far|catch\s+me\s+up|history\s+of|"
    r"haben\s+wir|letzte\s+woche|gestern|zuletzt)\b"
)
# A question for the latest needs no other search words.
RECENT = _re(
    r"\b(?:yesterday|recently|lately|last\s+(?:time|week|month|session|sprint)|leave\s+off|left\s+off|catch\s+me\s+up|"
    r"what(?:['’]s|\s+is|\s+has)\s+(?:new|changed)|this\s+week|gestern|letzte\s+woche|zuletzt)\b"
)
