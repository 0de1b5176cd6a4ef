"""Invisible characters go; those a script or an emoji needs stay. They are written as escapes, to be seen here."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.rules.guard import invisible
from accounts.rules.guard.detection import find_secrets, strip_invisible
from tests.cases import cases

STRIPPED = [
    ("zero-width space in a word", "pass\u200bword", "password", {"zero width": 1}),
    ("joiners between Latin letters", "a\u200db\u200cc\u2060d\ufeffe", "abcde", {"zero width": 4}),
    ("byte order mark", "\ufeff# Title", "# Title", {"zero width": 1}),
    ("soft hyphen", "co\xadoperate", "cooperate", {"soft hyphen": 1}),
    ("reversed text", "access\u202enimda\u202c level", "accessnimda level", {"direction": 2}),
    ("isolates", "\u2066// check\u2069", "// check", {"direction": 2}),
    ("message in tags", "hi" + "".join(chr(0xE0000 + ord(c)) for c in "leak"), "hi", {"tag": 4}),
    ("message in selectors", "😀\ufe0f\ufe01\U000e0101\U000e0120", "😀\ufe0f", {"variation selector": 3}),
    ("selector behind a letter", "a\ufe0f", "a", {"variation selector": 1}),
    ("two joiners between emoji", "👩\u200d\u200d💻", "👩💻", {"zero width": 2}),
    ("joiner behind a selector that goes", "a\ufe0f\u200d💻", "a💻", {"variation selector": 1, "zero width": 1}),
    ("filler that looks like nothing", "a\u3164b\u115f", "ab", {"zero width": 2}),
    ("controls", "a\x07b\x08c\x7fd\x9fe", "abcde", {"control": 4}),
    ("terminal colours", "\x1b[1;31merror\x1b[0m", "error", {"control": 2}),
    ("link of a terminal", "\x1b]8;;https://a.test\x07here", "here", {"control": 1}),
    ("lone surrogate", "a\ud800b", "ab", {"surrogate": 1}),
    ("musical format", "a\U0001d173b", "ab", {"format": 1}),
]
KEPT = [
    ("line feed and tab", "a\n\tb"),
    ("NUL, for the door to refuse", "a\x00b"),
    ("Persian with a non-joiner", "می\u200cخواهم"),
    ("Hindi with a joiner", "क\u094d\u200dष"),
    ("Sinhala with a joiner", "ශ\u0dca\u200dරී"),
    ("Mongolian selector", "ᠠ\u180b"),
    ("family", "👨\u200d👩\u200d👧\u200d👦"),
    ("rainbow flag", "🏳\ufe0f\u200d🌈"),
    ("profession with skin tone", "👩🏽\u200d💻"),
    ("heart", "❤\ufe0f and ☎\ufe0e and ‼\ufe0f"),
    ("keycap", "1\ufe0f\u20e3"),
    ("flag of Wales", "🏴" + "".join(chr(0xE0000 + ord(c)) for c in "gbwls") + "\U000e007f"),
    ("flag of letters", "🇩🇪"),
    ("ideograph with a selector", "葛\U000e0100"),
    ("Arabic number sign, which is seen", "\u0600١٢"),
    ("letters not composed", "cafe\u0301 and café"),
    ("spaces of other widths", "1\u00a0000\u2009km"),
    ("icon of a font", "\ue0b0 main"),
]


class TestInvisibleCharacters:
    @cases(("why", "text", "clean", "removed"), STRIPPED, ids=[row[0] for row in STRIPPED])
    def test_are_removed_and_counted(self, why: str, text: str, clean: str, removed: dict[str, int]):
        stripped = strip_invisible(text)
        assert (stripped.text, stripped.removed) == (clean, removed)

    @cases(("why", "text"), KEPT, ids=[why for why, _ in KEPT])
    def test_stay_where_they_are_needed(self, why: str, text: str):
        stripped = strip_invisible(text)
        assert (stripped.text, stripped.removed) == (text, {})

    @cases("end", ["\r\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029"])
    def test_of_line_ends_become_line_feeds_without_being_counted(self, end: str):
        stripped = strip_invisible(f"a{end}b")
        assert (stripped.text, stripped.removed) == ("a\nb", {})

    def test_cannot_hide_a_secret(self):
        key = "AKIA" + "QWERTYUIOP\u200bASDFGH"
        assert find_secrets(key) == []
        assert [f.pattern for f in find_secrets(strip_invisible(key).text)] == ["AWS access key"]


HIDDEN = "\u200b\u200c\u200d\ufe0f\ufe0e\u202e\u00ad\U000e0061\U000e0101\x1b\r\x00\ud800"
VISIBLE = "aé1❤👩💻🏴葛मی \n[m"


class TestEveryText:
    @given(st.one_of(st.text(), st.text(alphabet=HIDDEN + VISIBLE, max_size=30)))
    @settings(deadline=None)
    def test_is_clean_after_one_stripping(self, text: str):
        once = strip_invisible(text).text
        assert strip_invisible(once).text == once
        assert strip_invisible(once).removed == {}

    @given(st.text())
    @settings(deadline=None)
    def test_can_be_stored_afterwards(self, text: str):
        strip_invisible(text).text.encode("utf-8")

    @given(st.text(alphabet=st.characters(categories=["L", "N", "P", "Zs"]), max_size=60))
    @settings(deadline=None)
    def test_of_letters_numbers_and_punctuation_stays_as_it_is(self, text: str):
        kept = "".join(c for c in text if c not in "\u115f\u1160\u3164\uffa0")
        assert strip_invisible(text).text == kept

    @cases("part", [*HIDDEN, "\x1b[", "\x1b]8", "❤\ufe0f", "🏴\U000e0067"])
    def test_takes_linear_time(self, part: str):
        text = part * (100_000 // len(part))
        start = time.process_time()
        strip_invisible(text)
        assert time.process_time() - start < 1.0


class TestTheFirstLook:
    def test_finds_whatever_would_be_changed(self) -> None:
        """Each character there is, and each form of several: what the first look does not find is returned as it is."""
        each = "".join(map(chr, range(1, 0x110000)))
        changed = {*invisible._SUSPECT.findall(each), *invisible._LINE_ENDS.findall(each)}
        assert len(changed) > 500
        assert changed == {*invisible._ANY.findall(each)}
        for form in (*invisible._FLAGS.split("|"), "\x1b[1m", "\x1b]0;title\x07", "\r\n"):
            assert invisible._ANY.search(form)
