"""Personal data is masked; what is reserved, documented, a machine's or a role's stays."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.rules.guard.detection import redact_personal
from accounts.rules.guard.personal import luhn
from tests.cases import cases

PERSONAL = [
    ("ask jane.doe@acmecorp.com first", "ask [EMAIL] first"),
    ("Jane Doe <jane+loam@mail.acmecorp.co.uk>, hello", "Jane Doe <[EMAIL]>, hello"),
    ("mailto:jane@acmecorp.com.", "mailto:[EMAIL]."),
    ("Author: j_doe@acmecorp.io\nReviewed-by: m.roe@acmecorp.io", "Author: [EMAIL]\nReviewed-by: [EMAIL]"),
    ("call +49 30 901820 after nine", "call [PHONE] after nine"),
    ("call +44 (0)20 7946 0018", "call [PHONE]"),
    ("call +491701234987", "call [PHONE]"),
    ("call (212) 736-5000", "call [PHONE]"),
    ("call 212-736-5000.", "call [PHONE]."),
    ("Phone: 030 901820", "Phone: [PHONE]"),
    ("tel. 0170/4389201", "tel. [PHONE]"),
    ("card 4539 5787 6362 1486", "card [CARD]"),
    ("card 4539578763621486, expires", "card [CARD], expires"),
    ("card 3759-876543-21004", "card [CARD]"),
    ("card 5423 1890 4471 2064", "card [CARD]"),
]
STAYS = [
    ("reserved domain", "write to jane@example.com, jane@mail.example.org or jane@acme.test"),
    ("customary domain", "login as bob@email.com or jane@yourdomain.com"),
    ("machine's address", "From: noreply@acmecorp.com, 12345+jane@users.noreply.github.com"),
    ("role", "write to security@acmecorp.com or support+eu@acmecorp.com"),
    ("list", "post to django-users@googlegroups.com"),
    ("git remote", "git clone git@github.com:acme/loam.git"),
    ("login by ssh", "ssh -p 22 jane@build.acmecorp.com"),
    ("copy by ssh", "scp a.txt jane@build.acmecorp.com:/srv/a.txt"),
    ("login in a URL", "https://jane@git.acmecorp.com/loam.git"),
    ("version of a package", "npm install react@18.2.0 @types/node@20.1.0"),
    ("name of an image", "see icon@2x.png and banner@3x.jpg"),
    ("systemd unit", "systemctl start getty@tty1.service"),
    ("decorator", "@app.get('/x')\n@pytest.mark.slow"),
    ("fictional number", "call (212) 555-0147, 555-123-4567 or 123-456-7890"),
    ("largest integer", "from -2147483648 to +2147483647"),
    ("timestamps", "2024-05-01 10:22:33, 20240501102233, 1714558953123456"),
    ("zone", "Tue, 1 May 2024 10:22:33 +0200"),
    ("version", "upgrade 10.200.3000 to 10.201.4000"),
    ("address of a machine", "connect to 192.168.100.200:5432"),
    ("UUID", "3f2a9c1d-0b7e-4c1f-9a2b-123456789012"),
    ("git hash", "9fceb02d0ae598e95dc970b74767f19372d61af8"),
    ("test card", "pay with 4242 4242 4242 4242 or 4111111111111111"),
    ("wrong check digit", "block 4539578763621487"),
    ("long number", "blk_4539578763621486 45395787636214861234567"),
    ("columns of numbers", "4539 57 8763 62 1486 11"),
    ("money, unless asked", "it costs $4,000 or 300 EUR"),
]


class TestPersonalData:
    @cases(("text", "expected"), PERSONAL, ids=[t for t, _ in PERSONAL])
    def test_is_masked(self, text: str, expected: str):
        masked, found = redact_personal(text)
        assert masked == expected
        assert len(found) == expected.count("[")

    def test_is_placed_where_it_was(self):
        _, found = redact_personal("a\n by jane@acmecorp.com, +49 30 901820", field="reasoning")
        assert [(f.pattern, f.line, f.column, f.field) for f in found] == [
            ("e-mail address", 2, 5, "reasoning"),
            ("phone number", 2, 24, "reasoning"),
        ]

    def test_stays_when_the_team_has_reviewed_it(self):
        text = "ask jane@acmecorp.com or m.roe@acmecorp.com"
        assert redact_personal(text, allowed={"jane@acmecorp.com"})[0] == "ask jane@acmecorp.com or [EMAIL]"

    def test_includes_money_when_asked(self):
        text = "it costs $4,000.50, 300 EUR or €3 million"
        assert redact_personal(text)[0] == text
        assert redact_personal(text, money=True)[0] == "it costs [MONEY], [MONEY] or [MONEY]"

    def test_does_not_include_the_parameters_of_a_statement(self):
        text = "VALUES ($1, $2) and awk '{print $12}' at $0"
        assert redact_personal(text, money=True) == (text, [])

    @given(st.text(max_size=400))
    @settings(deadline=None)
    def test_is_masked_once_and_for_all(self, text: str):
        masked, found = redact_personal(text)
        assert (masked == text) == (found == [])
        assert redact_personal(masked) == (masked, [])


class TestOtherData:
    @cases(("why", "text"), STAYS, ids=[why for why, _ in STAYS])
    def test_stays(self, why: str, text: str):
        assert redact_personal(text) == (text, [])


class TestLuhn:
    @cases(("digits", "right"), [("79927398713", True), ("79927398710", False), ("0", True)])
    def test_checks_the_last_digit(self, digits: str, right: bool):
        assert luhn(digits) is right


class TestTime:
    @cases("part", ["a", "1", "a.", "a@", "a@a.", "+1 ", "+1", "1 ", "1-", "tel ", "4539 ", "ssh ", "$1", "-", "\n"])
    def test_is_linear(self, part: str):
        """100 KB of one part repeated; usually below 100 ms."""
        text = part * (100_000 // len(part))
        start = time.process_time()
        redact_personal(text, money=True)
        assert time.process_time() - start < 1.0
