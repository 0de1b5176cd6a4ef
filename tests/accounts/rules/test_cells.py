"""What a spreadsheet may take for a formula, and what it may not."""

from accounts.rules.cells import as_text, as_typed
from tests.cases import cases

# As agents could write them; each would be computed by Excel, LibreOffice or Google Sheets, in some version and locale.
FORMULAS = {
    "equals": "=1+1",
    "calls a program": "=cmd|'/c calc'!A1",
    "plus": "+1+1",
    "minus": "-1+1",
    "at": "@SUM(A1)",
    "pipe": "|cmd",
    "tab": "\t=1+1",
    "tab and text": "\thello",
    "carriage return": "\r=1+1",
    "line feed": "\n=1+1",
    "blanks": "   =1+1",
    "no-break space": "\u00a0=1+1",
    "ideographic space": "\u3000=1+1",
    "double quote": '"=1+1',
    "quotes and blanks": "' \" =1+1",
    "curly quote": "\u201c=1+1",
    "wide equals": "\uff1d1+1",
    "wide plus": "\uff0b1+1",
    "wide minus": "\uff0d1+1",
    "wide at": "\uff20SUM(A1)",
    "wide pipe": "\uff5ccmd",
    "small equals": "\ufe661+1",
    "superscript plus": "\u207a1",
    "minus sign": "\u22121+1",
    "behind a zero width space": "\u200b=1+1",
    "behind a byte order mark": "\ufeff=1+1",
    "behind a mark of direction": "\u202e=1+1",
    "behind a control character": "\x01=1+1",
}
HARMLESS = ["", "a = b", "1 + 1", "Guard before ALTER", "don't", "'quoted'", "#1", "100 %", "\u2013 a dash", "ümlaut"]


class TestAText:
    @cases("text", FORMULAS.values(), ids=FORMULAS)
    def test_that_could_be_a_formula_has_an_apostrophe(self, text: str) -> None:
        assert as_text(text).startswith("'")
        assert as_text(text)[1:2] not in ("", "'") or text.lstrip().startswith("'")

    @cases("text", HARMLESS)
    def test_that_could_not_is_as_it_was(self, text: str) -> None:
        assert as_text(text) == text

    @cases("text", ["=1", "'=1", "''=1", "- a list\n- of two", '"=1"', "it's", "'", "''", "' ='"])
    def test_comes_back_as_it_was(self, text: str) -> None:
        assert as_typed(as_text(text)) == text

    def test_is_told_apart_from_what_somebody_quoted(self) -> None:
        assert as_typed("'twas so") == "'twas so"

    def test_loses_what_nobody_sees(self) -> None:
        assert as_text("a\u202eb\u200bc\x07") == "abc"
