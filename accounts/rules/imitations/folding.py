"""A text as a model may read it: look-alike letters and signs of other scripts as the plain ones."""

from __future__ import annotations

import re
import unicodedata

# Letters and signs that a reader takes for a Latin one or for one of ASCII: of other scripts those that have no other
# look in any common font, from the confusables of Unicode (UTS 39), small capitals, and letters in boxes and on flags.
# Compatible forms are folded by NFKC.
_LOOKS = str.maketrans(
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0405\u0406\u0408"
    "\u03bf\u03b1\u03b9\u03ba\u03bd\u03c1\u03c5\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u0251\u0261\u0131"
    "\u1d00\u0299\u1d04\u1d05\u1d07\ua730\u0262\u029c\u026a\u1d0a\u1d0b\u029f\u1d0d\u0274\u1d0f\u1d18\ua7af\u0280"
    "\ua731\u1d1b\u1d1c\u1d20\u1d21\u028f\u1d22"
    "\ua4ee\ua4d0\ua4da\ua4d3\ua4f0\ua4dd\ua4d6\ua4e7\ua4f2\ua4d9\ua4d7\ua4e1\ua4df\ua4e0\ua4f3\ua4d1\ua4e3\ua4e2"
    "\ua4d4\ua4f4\ua4e6\ua4ea\ua4eb\ua4ec\ua4dc"
    "\u13da\u13a9\u13a2\u13ac\u13b7\u13bb\u13aa\u13de\u13a0\u13a1\u0585\u0578\u057d\u0570\u04af\u0475\u04cf\u03c4"
    "\u04c0"
    "\u2039\u276e\u3008\u27e8\u2329\u227a\u02c2\u2044\u2215\u29f8\u2571\u00a6\u2223\u01c0\ua789\u2236\u02d0\u0589\u05c3\u1393\ua4fd\u16ec\u3010\u27e6\u300c\u3011\u27e7\u300d",
    "abekmhopctyxsijhdqwABEKMHOPCTYXSIJoaikvpuABEZHIKMNOPTYXagi"
    "abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPRSTUVWXYZSYTEMHALDRonuhyvltl"
    "<<<<<<<////|||::::::::[[[]]]",
)
_LOOKS |= {code + at: ord("A") + at for code in (0x1F150, 0x1F170, 0x1F1E6) for at in range(26)}
_DASHES = re.compile("[\u2010-\u2015\u2212\u2043\u02d7\u00ad]")


def folded(text: str) -> str:
    """As a model may read it: compatible forms and look-alikes as their plain sign, every dash a hyphen, no accents."""
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text)
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return _DASHES.sub("-", unicodedata.normalize("NFKC", plain).translate(_LOOKS))
