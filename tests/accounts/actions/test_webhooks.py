"""Leads say where events are told; what happened is told once, signed, and again until it has arrived."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from rest_framework.test import APIClient

from accounts.actions import webhooks as module
from accounts.actions.sweeps import sweep
from accounts.actions.webhooks import BadWebhook, DeliveryStats, add_webhook, deliver, remove_webhook, webhooks_of
from accounts.adapters.webhook_transport import Unreachable
from accounts.models import Delivery, JobRun, LogEntry, Membership, User, Webhook
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Level, Member
from accounts.rules.webhooks import LADDER, Event, signature
from knowledge.review.actions import curate
from knowledge.review.actions.combine import supersede
from knowledge.review.actions.settle import dismiss, reopen, report
from sessions_app.actions.end import SessionWords, end
from sessions_app.actions.start import Opening, start
from tests.factories import make_insight, make_webhook

PATH = "/api/v1/webhooks/"
GOOD = {"team": "platform", "url": "https://203.0.114.9/hook", "events": ["insight.promoted"]}


class Heard:
    """Instead of the world outside: keeps what it is told, and answers as it is set to."""

    messages: list[tuple[str, bytes, dict[str, str]]] = []
    answer: Any = 200

    def post(self, url: str, body: bytes, headers: dict[str, str]) -> int:
        self.messages.append((url, body, headers))
        if isinstance(self.answer, BaseException):
            raise self.answer
        return int(self.answer)


@pytest.fixture(autouse=True)
def heard(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Heard]]:
    settings.LOAM_OUTSIDE = f"{__name__}.Heard"
    monkeypatch.setattr(module, "webhook_transport", Heard)
    Heard.messages, Heard.answer = [], 200
    yield Heard


def told(heard: type[Heard]) -> list[dict[str, Any]]:
    return [json.loads(body) for _, body, _ in heard.messages]


def run(now: datetime) -> DeliveryStats:
    return deliver(clock=lambda: now)


class TestAWebhook:
    def test_is_a_leads_affair(self, alices_agent: APIClient, bobs_agent: APIClient, charlies_agent: APIClient) -> None:
        assert bobs_agent.post(PATH, GOOD).status_code == 403
        assert charlies_agent.post(PATH, GOOD).json()["errors"] == {"team": ["You have no team 'platform'."]}
        made = alices_agent.post(PATH, GOOD)
        assert made.status_code == 201 and len(made.json()["secret"]) == 43
        assert bobs_agent.get(PATH).json()["results"] == []
        assert [bobs_agent.delete(f"{PATH}{made.json()['id']}/").status_code, Webhook.objects.count()] == [403, 1]
        assert charlies_agent.delete(f"{PATH}{made.json()['id']}/").status_code == 404
        assert alices_agent.delete(f"{PATH}{made.json()['id']}/").status_code == 204
        assert not Webhook.objects.exists()

    def test_shows_its_secret_once_and_leaves_none_in_the_log(self, alices_agent: APIClient) -> None:
        made = alices_agent.post(PATH, {**GOOD, "url": GOOD["url"] + "/kestrel"}).json()
        listed = alices_agent.get(PATH)
        assert listed.json()["results"][0]["url"] == made["url"]
        assert made["secret"] not in listed.content.decode()
        lines = str(list(LogEntry.objects.values()))
        assert "webhook added" in lines and made["secret"] not in lines and "kestrel" not in lines

    @pytest.mark.parametrize(
        ("over", "field"),
        [
            ({"url": "https://127.0.0.1/"}, "url"),
            ({"url": "https://169.254.169.254/latest/meta-data"}, "url"),
            ({"url": "http://example.org/"}, "url"),
            ({"url": "https://x/" + "y" * 500}, "url"),
            ({"events": []}, "events"),
            ({"events": ["insight.read"]}, "events"),
        ],
    )
    def test_with_a_fault_is_refused_by_its_field(self, alice: Member, now: datetime, over: Any, field: str) -> None:
        with pytest.raises(BadWebhook) as refused:
            add_webhook(**{**GOOD, **over}, by=alice, now=now)
        assert list(refused.value.errors) == [field]

    def test_is_added_once_and_not_without_end(
        self, alice: Member, now: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "MOST", 2)
        make_webhook(alice)
        with pytest.raises(BadWebhook, match="not added"):
            make_webhook(alice)
        make_webhook(alice, url="https://203.0.114.8/")
        with pytest.raises(BadWebhook):
            make_webhook(alice, url="https://203.0.114.9/")

    def test_that_is_gone_is_told_nothing(self, alice: Member, bob: Member, now: datetime, heard: type[Heard]) -> None:
        row = make_webhook(alice)
        with pytest.raises(NotAllowed):
            remove_webhook(webhook_id=row.pk, by=bob, now=now)
        curate.promote(ref=make_insight(alice).ref, by=alice, now=now)
        remove_webhook(webhook_id=row.pk, by=alice, now=now)
        assert run(now) == DeliveryStats(0, 0, 0)
        with pytest.raises(NotFound):
            remove_webhook(webhook_id=row.pk, by=alice, now=now)


class TestOfADismissedLead:
    """A webhook, like an invitation, ends with the leadership of its maker: its address is theirs perhaps."""

    @pytest.fixture
    def promoted(self, alice: Member, now: datetime) -> Webhook:
        row = make_webhook(alice)
        curate.promote(ref=make_insight(alice).ref, by=alice, now=now)
        return row

    def test_is_told_nothing_more_and_says_why(self, promoted: Webhook, now: datetime, heard: type[Heard]) -> None:
        Membership.objects.filter(user__username="alice", team__slug="platform").update(level=Level.CONTRIBUTOR)
        assert run(now) == DeliveryStats(1, 0, 1)
        assert heard.messages == []
        [sent] = Delivery.objects.all()
        assert sent.gave_up_at == now
        assert sent.last == "Stopped: who added it no longer leads the team. A lead removes it and adds it again."

    def test_nor_when_the_account_is_closed(self, promoted: Webhook, now: datetime, heard: type[Heard]) -> None:
        User.objects.filter(username="alice").update(is_active=False)
        assert run(now) == DeliveryStats(1, 0, 1)
        assert heard.messages == []

    def test_nor_when_it_is_no_more(self, promoted: Webhook, now: datetime, heard: type[Heard]) -> None:
        Webhook.objects.update(created_by=None)
        assert run(now) == DeliveryStats(1, 0, 1)
        assert heard.messages == []

    def test_goes_on_for_a_superuser(self, promoted: Webhook, now: datetime, heard: type[Heard]) -> None:
        Membership.objects.filter(user__username="alice", team__slug="platform").delete()
        User.objects.filter(username="alice").update(is_superuser=True)
        assert run(now) == DeliveryStats(1, 1, 0)


class TestAnEvent:
    def test_of_each_kind_is_told_once(
        self, alice: Member, now: datetime, heard: type[Heard], charlie: Member, settings: Any
    ) -> None:
        settings.PUBLIC_URL = "https://loam.acme.test"
        a, b, c = (make_insight(alice, body=f"Kestrel number {n} ships on Friday.") for n in range(3))
        curate.promote(ref=a.ref, by=alice, now=now - timedelta(seconds=1))
        make_webhook(alice)
        make_webhook(charlie, team="mobile", url="https://203.0.114.1/")
        curate.promote(ref=b.ref, by=alice, now=now)
        supersede(ref=b.ref, by_ref=c.ref, by=alice, now=now)
        report(a=a.ref, b=c.ref, reason="both cannot be", by=alice, now=now)
        session = start(opening=Opening(repo="acme/web", team="platform"), by=alice, now=now).session
        end(name=session.key, words=SessionWords(summary="kestrel"), by=alice, now=now)
        assert run(now) == DeliveryStats(5, 5, 0)
        assert sorted((one["event"], one["subject"]) for one in told(heard)) == [
            ("contradiction.opened", a.ref),
            ("handoff.left", session.ref),
            ("insight.promoted", b.ref),
            ("insight.promoted", c.ref),  # in its place
            ("insight.superseded", b.ref),
        ]
        assert {one["team"] for one in told(heard)} == {"platform"} and {one["by"] for one in told(heard)} == {"alice"}
        assert f"https://loam.acme.test/insights/{b.ref}/" in [one["url"] for one in told(heard)]
        assert [one["refs"] for one in told(heard) if one["event"] == Event.CONTRADICTED] == [[a.ref, c.ref]]
        assert all(one["refs"][0] == one["subject"] for one in told(heard))
        assert "kestrel" not in str(heard.messages).lower()
        assert run(now) == DeliveryStats(0, 0, 0)

    def test_of_a_pair_that_is_opened_again_is_told_again(
        self, alice: Member, now: datetime, heard: type[Heard]
    ) -> None:
        make_webhook(alice)
        one, other, third = (make_insight(alice, body=f"Kestrel number {n} ships on Friday.").ref for n in range(3))
        pair = report(a=other, b=one, reason="both cannot be", by=alice, now=now)
        dismiss(pair_id=pair.pk, by=alice, now=now)
        reopen(pair_id=pair.pk, by=alice, now=now)
        report(a=one, b=third, reason="nor can these", by=alice, now=now)
        assert run(now).made == 3
        assert [message["refs"] for message in told(heard)] == [[one, other], [one, other], [one, third]]

    def test_is_told_of_the_kinds_that_are_wanted(self, alice: Member, now: datetime, heard: type[Heard]) -> None:
        make_webhook(alice, events=[Event.SUPERSEDED])
        curate.promote(ref=make_insight(alice).ref, by=alice, now=now)
        assert run(now).made == 0

    def test_is_signed_with_the_webhooks_secret(self, alice: Member, now: datetime, heard: type[Heard]) -> None:
        row = make_webhook(alice)
        curate.promote(ref=make_insight(alice).ref, by=alice, now=now)
        run(now)
        url, body, headers = heard.messages[0]
        assert url == row.url
        assert headers["Loam-Signature"] == signature(row.secret, at=int(now.timestamp()), body=body)
        assert headers["Loam-Event"] == "insight.promoted" and row.secret not in str(heard.messages)

    def test_that_was_rolled_back_is_never_told(self, alice: Member, now: datetime, heard: type[Heard]) -> None:
        make_webhook(alice)
        row = make_insight(alice)
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            curate.promote(ref=row.ref, by=alice, now=now)
            raise ZeroDivisionError
        assert run(now) == DeliveryStats(0, 0, 0)

    def test_that_was_withheld_meanwhile_is_not_told(self, alice: Member, now: datetime, heard: type[Heard]) -> None:
        make_webhook(alice)
        row = make_insight(alice)
        curate.promote(ref=row.ref, by=alice, now=now)
        heard.answer = 500
        assert run(now) == DeliveryStats(1, 0, 1)
        LogEntry.objects.about(row.ref).order_by().update(withheld=True)
        assert run(now + timedelta(hours=1)) == DeliveryStats(0, 0, 1)
        assert len(heard.messages) == 1 and Delivery.objects.get().gave_up_at


class TestADelivery:
    @pytest.fixture
    def one(self, alice: Member, now: datetime) -> None:
        make_webhook(alice)
        curate.promote(ref=make_insight(alice).ref, by=alice, now=now)

    @pytest.mark.parametrize("answer", [500, 404, 302, Unreachable("The host name cannot be resolved.")])
    def test_that_fails_climbs_the_ladder_and_is_given_up_at_its_end(
        self, one: None, now: datetime, heard: type[Heard], answer: Any
    ) -> None:
        heard.answer, at = answer, now
        for pause in LADDER:
            assert run(at).failed == 1
            assert run(at + pause - timedelta(seconds=1)) == DeliveryStats(0, 0, 0)
            at += pause
        assert run(at).failed == 1
        row = Delivery.objects.get()
        assert (row.attempts, row.gave_up_at, row.last) == (len(LADDER) + 1, at, str(answer))
        assert run(at + timedelta(days=3)) == DeliveryStats(0, 0, 0)

    def test_arrives_late(self, one: None, now: datetime, heard: type[Heard], alice: Member) -> None:
        heard.answer = 503
        run(now)
        assert [(row.waiting, row.last) for row in webhooks_of(by=alice)] == [(1, "503")]
        heard.answer = 204
        assert run(now + LADDER[0]) == DeliveryStats(0, 1, 0)
        assert [(row.waiting, row.last) for row in webhooks_of(by=alice)] == [(0, "204")]

    def test_to_an_address_that_turned_private_is_given_up(self, one: None, now: datetime, heard: type[Heard]) -> None:
        heard.answer = Unreachable("inside", for_good=True)
        assert run(now).failed == 1
        assert Delivery.objects.get().gave_up_at == now

    def test_that_nobody_foresaw_keeps_nobody_else_waiting(
        self, alice: Member, one: None, now: datetime, heard: type[Heard]
    ) -> None:
        """Not one of the errors that an adapter knows: it fails by itself, and is tried again."""
        heard.answer = UnicodeError("label too long")
        assert run(now).failed == 1
        heard.answer = 200
        assert run(now + LADDER[0]).arrived == 1

    def test_to_an_address_that_is_away_delays_no_other(
        self, alice: Member, now: datetime, heard: type[Heard], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each attempt at one that drips takes fifteen seconds: it has one in a run, from then on after all others."""
        away, well = "https://203.0.114.7/drips", "https://203.0.114.8/"
        for url in (away, well):
            make_webhook(alice, url=url)
        asked: list[str] = []

        def post(self: Heard, url: str, body: bytes, headers: dict[str, str]) -> int:
            asked.append(url)
            if url == away:
                raise Unreachable("It did not answer in time.")
            return 200

        monkeypatch.setattr(heard, "post", post)
        for number in range(3):
            curate.promote(ref=make_insight(alice, body=f"Lesson {number} of three.").ref, by=alice, now=now)
        assert run(now) == DeliveryStats(made=6, arrived=3, failed=1)
        assert (asked.count(away), asked.count(well)) == (1, 3)
        asked.clear()
        curate.promote(ref=make_insight(alice, body="And one later.").ref, by=alice, now=now)
        run(now + timedelta(minutes=1))
        assert asked == [well, away]

    def test_run_ends_in_time_however_slow_the_receivers(
        self, one: None, now: datetime, heard: type[Heard], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("accounts.actions.webhooks.WITHIN", -1)
        assert run(now) == DeliveryStats(1, 0, 0)
        monkeypatch.undo()
        assert run(now).arrived == 1

    def test_whose_process_died_is_taken_up_after_its_lease(self, one: None, now: datetime, heard: type[Heard]) -> None:
        heard.answer = KeyboardInterrupt()
        with pytest.raises(KeyboardInterrupt):
            run(now)
        heard.answer = 200
        assert run(now + timedelta(minutes=9)) == DeliveryStats(0, 0, 0)
        assert run(now + timedelta(minutes=10)) == DeliveryStats(0, 1, 0)

    def test_that_ended_long_ago_is_dropped_and_not_made_again(self, one: None, now: datetime) -> None:
        run(now)
        assert run(now + timedelta(days=31)) == DeliveryStats(0, 0, 0)
        assert not Delivery.objects.exists()

    def test_is_a_job_of_beats(self, one: None, now: datetime) -> None:
        sweep("deliver_webhooks", clock=lambda: now)
        assert JobRun.objects.get().counts == {"made": 1, "arrived": 1, "failed": 0}
