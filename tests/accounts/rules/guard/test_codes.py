"""PINs, and codes that are given out several at a time: numbers that only what is said of them tells from others."""

from accounts.rules.guard.detection import find_secrets, redact_secrets
from tests.cases import cases


class TestAPin:
    @cases(
        ("text", "pin"),
        [
            ("The vendor card opens with PIN 581943, then hold the key.", "581943"),
            ("Host-PIN 7305, only for moderators", "7305"),
            ("user PIN is 40917725, SO PIN 66103982", "66103982"),
            ("the pin for the plotter is 0364, I think", "0364"),
            ("pin code: `508214`", "508214"),
            ("Die PIN der Karte lautet 90217", "90217"),
            ("p11tool --login --set-pin=730158 --list", "730158"),
            ("softhsm2-util --init-token --so-pin 73016622", "73016622"),
            ("passcode 40718 for the igate", "40718"),
        ],
    )
    def test_is_found(self, text: str, pin: str) -> None:
        assert pin not in redact_secrets(text)[0]

    @cases(
        "text",
        [
            "Set the PIN to 4 to 12 digits.",
            "PIN 1234 is the default, PIN 0000 on older ones",
            "Connect pin 1047 of the connector to ground.",
            "pin 13 is the LED, pin: 7 the buzzer",
            "Pin the nightly to 20261104.",
            "pinned: 20261104",
            "The PIN was revised in PIN 2024, section 3.",
            "pin the image to 4.19.22",
            "PIN_4711 = 8",
            "spin 4711 times",
            "PIN attempts: 3, PIN length: 6",
            "pin: 2026-11-04",
        ],
    )
    def test_is_no_number_of_something_else(self, text: str) -> None:
        assert find_secrets(text) == []


class TestCodesToRecover:
    @cases(
        ("text", "codes"),
        [
            ("Recovery codes of the registrar:\n7kd2p-x94mq\nq8w3r-t5y6u\n", ["7kd2p-x94mq", "q8w3r-t5y6u"]),
            ("backup codes: 55018234, 90217744 and 13380957", ["55018234", "90217744", "13380957"]),
            ("Your emergency scratch codes are:\n  40718823\n  90315527\n", ["40718823", "90315527"]),
            ("2FA backup codes (three left):\n- 4071 8823\n- 9031 5527\n", ["4071 8823", "9031 5527"]),
            (
                "| recovery code | used |\n|---|---|\n| ab12-cd34 | no |\n| ef56-gh78 | yes |",
                ["ab12-cd34", "ef56-gh78"],
            ),
            ("Codes de secours : 40718823 90315527", ["40718823", "90315527"]),
        ],
    )
    def test_are_found_one_and_all(self, text: str, codes: list[str]) -> None:
        masked = redact_secrets(text)[0]
        assert [code for code in codes if code in masked] == []

    def test_of_a_disk_are_eight_groups(self) -> None:
        text = "Key ID 6EB2B66E, recovery key:\n" + "-".join(["357343", "582641", "523624", "581072"] * 2)
        assert "357343" not in redact_secrets(text)[0]

    @cases(
        "text",
        [
            "Recovery codes are printed in the safe.",
            "The backup code handles 404, 500 and 503.",
            "Recovery codes have 8 digits, 10 of them are made.",
            "Backup codes were renewed on 2026-11-04 and 2026-11-12.",
            "recovery code paths: read-write, write-back",
            "Recovery codes: see runbook-12 and runbook-14.",
            "Error codes 10060001 and 10060002 are retried.",
        ],
    )
    def test_are_no_other_numbers(self, text: str) -> None:
        assert find_secrets(text) == []


class TestALogin:
    @cases(
        "text", ["I had to log in as root with marsh-Lantern-7342 today", "logged in as svc-ci using Ib1sMeadow_4471."]
    )
    def test_with_a_password_is_found(self, text: str) -> None:
        assert find_secrets(text) != []

    @cases(
        "text",
        ["Log in as root with the deploy key.", "logged in as ops with ed25519-sk", "log in as admin using kerberos5"],
    )
    def test_with_something_else_is_none(self, text: str) -> None:
        assert find_secrets(text) == []


class TestTheIdOfAKey:
    def test_alone_is_no_secret(self) -> None:
        assert find_secrets('"private_key_id": "6cd05341667cbec5db358cafe970dc5378a4abf0" names the key') == []
