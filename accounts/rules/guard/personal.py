"""What personal data looks like: e-mail addresses, telephone and card numbers, and sums of money when asked.

Every pattern has its reserved and documented values, which are nobody's: example.com (RFC 2606), the 555 exchange,
the test cards of the payment services. They stay, or no team could write down how to test a form.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class PersonalPattern:
    """One row: the group `held` (else the whole match) is replaced by `mask` if `is_personal` says so."""

    name: str
    mask: str
    regex: re.Pattern[str]
    is_personal: Callable[[re.Match[str]], bool]

    def span(self, match: re.Match[str]) -> tuple[int, int]:
        return match.span("held" if "held" in self.regex.groupindex else 0)


# --- e-mail --------------------------------------------------------------------------------------------
_EMAIL = re.compile(
    r"(?<![\w.+-])(?P<local>[\w.+-]{1,64})@(?P<domain>(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,6}[A-Za-z]{2,24})"
    r"(?![\w(@-]|\.\w)"
)
# RFC 2606 and 6761: names that are nobody's, kept for documentation and tests.
_RESERVED_DOMAIN = re.compile(r"(?i:(?:.*\.)?(?:example(?:\.(?:com|org|net|edu))?|test|invalid|localhost|local))")
# Nobody's by custom (what manuals write for a domain), or not one person's (lists, and GitHub's stand-in addresses).
_CUSTOMARY_DOMAIN = re.compile(
    r"(?i:(?:your|my|some|other)?-?(?:domain|company|corp|org|host|site|website|server|email|test)\.(?:com|org|net)"
    r"|(?:foo|bar|baz|acme|contoso|[a-z])\.com|(?:lists|groups)\..*|googlegroups\.com|groups\.io|.*\.?noreply\..*)"
)
# Not a person's: machines, roles, and what manuals write where a name belongs.
_NOBODY = re.compile(
    r"(?i:.*no.?reply.*|do.?not.?reply|git|hg|svn|root|ubuntu|debian|ec2-user|vagrant|deploy|ci|bot"
    r"|your.*|(?:my)?[._-]?(?:user\d?|name|username|e?mail)|you|me|foo|bar|foobar|baz|someone|somebody|example"
    r"|(?:info|support|sales|security|abuse|postmaster|webmaster|hello|contact|team|help|admin|office|billing|legal"
    r"|press|privacy|social|dev|test|users)(?:[+_-][\w.+-]{1,40})?)"
)
# Reads like a top-level domain behind an @, but ends a file's or a unit's name: icon@2x.png, getty@tty1.service.
_FILE_ENDING = re.compile(
    r"(?i:png|jpe?g|gif|svg|webp|ico|pdf|[cm]?[jt]sx?|py|rb|md|json|css|html?|ya?ml|toml|zip|tgz|gz|whl|service"
    r"|socket|timer|target|mount|slice|conf|cfg|txt|log|sh|plist|xpi|so|dylib|jar|lock)"
)
# A login on a machine: ssh jane@build.acme.com, jane@build.acme.com:/srv, https://jane@git.acme.com.
_LOGIN_BEFORE = re.compile(r"(?:://\S{0,120}|\b(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id)\b[^\n|;]{0,80})$")
_LOGIN_AFTER = re.compile(r":(?:[~/]|[\w.-]{1,80}(?:/|\.git\b))")
# How far before an address the command that logs in may stand.
BEFORE = 120


def _is_email(match: re.Match[str]) -> bool:
    start, end = match.span()
    return not (
        _RESERVED_DOMAIN.fullmatch(match["domain"])
        or _CUSTOMARY_DOMAIN.fullmatch(match["domain"])
        or _NOBODY.fullmatch(match["local"])
        or _FILE_ENDING.fullmatch(match["domain"].rsplit(".", 1)[-1])
        or _LOGIN_AFTER.match(match.string, end)
        or _LOGIN_BEFORE.search(match.string[max(0, start - BEFORE) : start])
    )


# --- telephone -----------------------------------------------------------------------------------------
_PHONE_INTERNATIONAL = re.compile(r"(?<![\w.+-])\+[1-9]\d{0,2}(?:[ .()/-]{0,2}\d{1,4}){2,6}(?!\w|[.-]\d)")
_PHONE_AMERICAN = re.compile(
    r"(?<![\w.+/-])(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[.-])[2-9]\d\d[.-]\d{4}(?!\w|[./-]\w)"
)
_PHONE_NAMED = re.compile(
    r"(?i:\b(?:phone|telephone|tel|mobile|fax|whatsapp)(?: (?:number|no))?)[.:]{0,2}\s{0,3}"
    r"(?P<held>\(?0?\d[\d ()./-]{5,16}\d)(?!\w)"
)
# E.164 allows 15 digits; with fewer than 7 it is an extension or a quantity.
FEWEST_DIGITS, MOST_DIGITS = 7, 15
# +49 30 123456 has separators; without any, as in +2147483647, it takes 11 digits to be told from a signed number.
FEWEST_GROUPED, FEWEST_PLAIN = 9, 11
# Numbers of films and manuals: the 555 exchange, 123-456-7890, one digit repeated.
_FICTIONAL = re.compile(r"555\d{4}$|1234567|(\d)\1{5}")


def _digits(match: re.Match[str]) -> str:
    held = match["held"] if "held" in match.re.groupindex else match.group()
    return "".join(c for c in held if c.isdigit())


def _is_phone(match: re.Match[str]) -> bool:
    digits = _digits(match)
    fewest = FEWEST_DIGITS
    if match.group().startswith("+"):
        fewest = FEWEST_PLAIN if match.group()[1:] == digits else FEWEST_GROUPED
    return fewest <= len(digits) <= MOST_DIGITS and not _FICTIONAL.search(digits)


# --- cards ---------------------------------------------------------------------------------------------
_CARD = re.compile(r"(?<![\w.+/=-])\d(?:[ -]?\d){12,18}(?![\w/=]|[.-]\w)")
# Prefix and length of the large issuers (ISO/IEC 7812): Visa, Mastercard, American Express, Discover, JCB, Diners.
_ISSUED = re.compile(
    r"4\d{12}(?:\d{3})?(?:\d{3})?|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|6(?:011|5\d\d)\d{12}|35\d{14}|3(?:0[0-5]|[68]\d)\d{11}"
)
# Groups as printed on a card; blanks anywhere else are columns of numbers.
_GROUPS = re.compile(r"\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{4,5}")
# The test cards of the payment services are of few digits (4242…, 4111…, 5555…4444, 3782 822463 10005, 6011 1111…).
_TEST_CARD = re.compile(
    r"(?:42){4}|(\d)\1{5}|0{4}\d{0,4}$|^37828224631|^378734493671|^601111|^30569309|^38520000|^353011|^400000"
)


def luhn(digits: str) -> bool:
    """Whether the check digit is right (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _is_card(match: re.Match[str]) -> bool:
    digits = _digits(match)
    return bool(
        _GROUPS.fullmatch(match.group())
        and _ISSUED.fullmatch(digits)
        and luhn(digits)
        and not _TEST_CARD.search(digits)
    )


# $1 and $12 are parameters of a shell or a statement: a dollar sign needs cents, thousands or a unit behind it.
_MONEY = re.compile(
    r"(?<![\w$])(?:\$ ?(?:\d{1,3}(?:,\d{3}){1,5}|\d{3,12})(?:\.\d{1,2})?|\$ ?\d{1,2}\.\d\d"
    r"|[$€£¥] ?\d{1,12}(?:\.\d{1,2})? ?(?:k|m|bn|million|billion)|[€£¥] ?\d[\d,]{0,20}(?:\.\d{1,2})?)(?!\w)"
    r"|(?<![\w.,])\d[\d,]{0,20}(?:\.\d{1,2})? ?(?:USD|EUR|GBP|CHF|JPY|CAD|AUD|dollars|euros)\b"
)

EMAIL, PHONE, CARD, MONEY = "[EMAIL]", "[PHONE]", "[CARD]", "[MONEY]"
PERSONAL: tuple[PersonalPattern, ...] = (
    PersonalPattern("e-mail address", EMAIL, _EMAIL, _is_email),
    PersonalPattern("card number", CARD, _CARD, _is_card),
    PersonalPattern("phone number", PHONE, _PHONE_INTERNATIONAL, _is_phone),
    PersonalPattern("phone number", PHONE, _PHONE_AMERICAN, _is_phone),
    PersonalPattern("phone number", PHONE, _PHONE_NAMED, _is_phone),
)
SUMS = PersonalPattern("sum of money", MONEY, _MONEY, lambda match: True)
