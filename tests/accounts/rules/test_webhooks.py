"""Events, the ladder and the signature."""

import hashlib
import hmac
from datetime import timedelta

from accounts.rules.webhooks import LADDER, VERBS, Event, pause_after, signature


class TestEvents:
    def test_each_have_a_verb_of_the_log(self) -> None:
        assert set(VERBS.values()) == set(Event)


class TestTheLadder:
    def test_waits_longer_each_time_and_ends(self) -> None:
        pauses = [pause_after(attempts) for attempts in range(1, len(LADDER) + 2)]
        assert pauses == [*LADDER, None]
        assert list(LADDER) == sorted(LADDER)
        assert timedelta(days=1) < sum(LADDER, timedelta()) < timedelta(days=3)


class TestASignature:
    def test_is_what_a_receiver_computes(self) -> None:
        expected = hmac.new(b"s3cret", b'1700000000.{"id": 1}', hashlib.sha256).hexdigest()
        assert signature("s3cret", at=1700000000, body=b'{"id": 1}') == f"t=1700000000,v1={expected}"

    def test_differs_by_body_time_and_secret(self) -> None:
        signed = {
            signature(s, at=t, body=b) for s, t, b in [("a", 1, b"x"), ("a", 1, b"y"), ("a", 2, b"x"), ("b", 1, b"x")]
        }
        assert len(signed) == 4
