"""Whether letters read like words: the pairs of neighbours in words and names, against those a machine draws.

`_PAIRS` holds, for each letter as a line, how surprising each letter behind it is: bits, from 0 to 9. Counted over the
35,000 different words of 500 Python files, of notes and of the catalogues of 13 European languages. The mean of words
and identifiers of ten letters is below 4.8 in .99, that of letters drawn from an alphabet above 4.9 in .95.
"""

import re

_PAIRS = (
    "65448758586343959343567867",
    "36673889369377379447499969",
    "39673893484588289563599977",
    "37652678378666479556588968",
    "56445668686453757234767577",
    "48773479299488389465499869",
    "47772754399565479346489969",
    "28772899378566369564578959",
    "56454659876452368544859795",
    "28952889496675388745478986",
    "37772787395466379544466859",
    "37752779387367379755579959",
    "25872789399657339857489979",
    "47443537496675479743568968",
    "66547757685442559345455788",
    "39773785498488359354489959",
    "68767787787467767567076887",
    "37552768386656369544568967",
    "48473785395667447742487966",
    "38672784298677469355587958",
    "45564759576443649343688888",
    "27871889298687489777689979",
    "28663894297684379457798759",
    "57463677398657639662779759",
    "45464566476444438644776866",
    "36772978387665479765576945",
)
_COSTS = {chr(97 + a) + chr(97 + b): int(cost) for a, row in enumerate(_PAIRS) for b, cost in enumerate(row)}
# Bits. Of identifiers of ten letters and more about one in a thousand lies above it.
UNREADABLE = 5.0
# With fewer pairs the mean says nothing.
FEWEST_PAIRS = 6
_LETTERS = re.compile("[a-z]{2,}")


def surprise(value: str) -> float:
    """Return the mean bits of its pairs of letters, in any case; 0 if they are too few to tell."""
    costs = [_COSTS[run[at : at + 2]] for run in _LETTERS.findall(value.lower()) for at in range(len(run) - 1)]
    return sum(costs) / len(costs) if len(costs) >= FEWEST_PAIRS else 0.0


def is_unreadable(value: str) -> bool:
    """Whether no word or identifier has such letters beside each other."""
    return surprise(value) >= UNREADABLE
