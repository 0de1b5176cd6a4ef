"""Drawn values alone on their line: what a label behind them, or the heading of their list, says that they are."""

import random

from accounts.rules.guard.detection import find_secrets, redact_secrets
from tests.cases import cases


def drawn(length: int, alphabet: str = "0123456789abcdef") -> str:
    return "".join(random.Random(f"label {length} {alphabet}").choices(alphabet, k=length))


FIRST, SECOND = drawn(32), drawn(40)
UUID = "3f1c9a52-7be0-4d86-9a41-0c5de7b1f283"


class TestALabel:
    @cases(
        "text",
        [
            f"{FIRST}  # Datadog app key",
            f"{FIRST} (ingest token)",
            f"- {FIRST} <- Vonage secret",
            f"Datadog app key\n\n```\n{FIRST}\n```",
            f"Mailgun API key\n---------------\n{FIRST}",
            f"PagerDuty integration keys:\n1. {FIRST}\n2. {SECOND}",
            f"## Sending tokens\n- prod: {FIRST}\n- staging: {SECOND}",
            f"Datadog app keys\n{FIRST} prod\n{SECOND} staging",
        ],
    )
    def test_names_a_secret(self, text: str) -> None:
        masked = redact_secrets(text)[0]
        assert FIRST[:8] not in masked
        assert SECOND[:8] not in masked

    @cases(
        "text",
        [
            f"Commit\n{SECOND}",
            f"{SECOND}  # commit that rotates the app key",
            f"{SECOND} Rotate access token",
            f"SHA256 of the token file:\n\n```\n{drawn(64)}\n```",
            f"Checksums\n- linux: {drawn(64)}\n- mac: {FIRST}",
            f"Request id\n{UUID}",
            f"Access token\n{UUID}",
            f"API keys\n- id: {FIRST}",
            f"Public key:\n{drawn(64)}",
            f"Cache keys:\n{FIRST}\n{SECOND}",
            f"API key: rotated in May\n{SECOND} prod",
            f"  private key: (hidden)\npeer: {drawn(43, 'abcdefghijkXYZ0123456789+/')}=",
            f"api_key:\n  secure: {drawn(43, 'abcdefghijkXYZ0123456789+/')}=",
        ],
    )
    def test_names_none(self, text: str) -> None:
        assert find_secrets(text) == []

    def test_is_no_command_whose_output_it_is(self) -> None:
        found = find_secrets(f"$ bundle exec rake secret\n{drawn(128)}")
        assert "secret below its label" not in {one.pattern for one in found}
