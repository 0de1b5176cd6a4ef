"""Webhooks: leads register addresses for a team's events; a sweep delivers and retries."""

import json
import logging
import secrets
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import QuerySet

from accounts.adapters.webhook_transport import Unreachable, fault_of, webhook_transport
from accounts.models import Delivery, LogEntry, Membership, Webhook
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member
from accounts.rules.webhooks import AGAINST, LONGEST_URL, VERBS, Event, signature

logger = logging.getLogger("loam.webhooks")

# The most addresses for one team.
MOST = 20
# Log lines older than this are not delivered: the sweep was down for a week.
LOOK_BACK = timedelta(days=7)
# How long delivered and abandoned events can be looked up.
KEEP = timedelta(days=30)
# Attempts in one run, each of which may take several waits of five seconds; the next minute's run continues.
BATCH = 50
# Seconds for one run: fifty slow receivers would keep the worker busy for twelve minutes.
WITHIN = 120.0
# An attempt that has not ended by then has died with its process.
LEASE = timedelta(minutes=10)
# The address may belong to the person who added it. So a webhook, like an invitation, ends when that person no longer
# leads the team.
NO_LEAD = "Stopped: who added it no longer leads the team. A lead removes it and adds it again."


class BadWebhook(Refused):
    code = "invalid"
    detail = "The webhook was not added."


@dataclass(frozen=True)
class Added:
    """The webhook, and its secret, which is shown once."""

    webhook: Webhook
    secret: str


@dataclass(frozen=True)
class DeliveryStats:
    """One run's deliveries: created, delivered, and failed this time."""

    made: int
    arrived: int
    failed: int


def webhooks_of(*, by: Member) -> QuerySet[Webhook]:
    """Return the webhooks of the teams the member leads, with the state of their deliveries."""
    led = [team.id for team in by.teams if by.may(team.id, Level.LEAD)]
    rows = Webhook.objects.visible_to(by).filter(team_id__in=led).with_state(Delivery.objects.all())
    found: QuerySet[Webhook] = rows.select_related("team", "created_by").order_by("-pk")
    return found


def add_webhook(*, team: str, url: str, events: Sequence[str], by: Member, now: datetime) -> Added:
    """Send these events to that address from now on. Only for leads.

    Raises NoSuchTeam on `team`, NotAllowed, BadWebhook on `url` or `events`.
    """
    access = by.named(team)
    by.require(access.id, Level.LEAD)
    faults = _faults(url, events)
    if faults:
        raise BadWebhook(errors=faults)
    secret = secrets.token_urlsafe(32)
    with transaction.atomic():
        others = Webhook.objects.visible_to(by).filter(team_id=access.id).select_for_update(no_key=True)
        if url in [one.url for one in others]:
            raise BadWebhook(errors={"url": ["A webhook for this address already exists: remove it first."]})
        if len(others) >= MOST:
            raise BadWebhook(errors={"url": [f"A team has at most {MOST} webhooks."]})
        row = Webhook(team_id=access.id, url=url, events=sorted(set(events)), secret=secret)
        row.add(by=by, at=now)
    return Added(row, secret)


def remove_webhook(*, webhook_id: int, by: Member, now: datetime) -> None:
    """Remove a webhook: nothing more is sent to it. Only for leads. Raises NotFound, NotAllowed."""
    with transaction.atomic():
        row = Webhook.objects.visible_to(by).filter(pk=webhook_id).select_for_update(no_key=True).first()
        if row is None:
            raise NotFound
        by.require(row.team_id, Level.LEAD)
        row.remove(by=by, at=now)


def deliver(*, clock: Callable[[], datetime]) -> DeliveryStats:
    """Create the deliveries of new events, and attempt those that are due, each outside any transaction."""
    now = clock()
    Delivery.objects.all().ended_before(now - KEEP).delete()
    ends = time.monotonic() + WITHIN
    made = 0
    for webhook in Webhook.objects.filter(team__moved_to="").select_related("team"):
        try:
            with transaction.atomic():
                made += _enlist(webhook, now)
        except (OperationalError, InterfaceError):
            raise
        except Exception:
            logger.exception("Nothing is enlisted for webhook %s", webhook.pk)
    arrived = failed = 0
    # An address that has just failed is not tried again in this run: each attempt may take fifteen seconds, and the
    # events of all others would wait.
    away: set[int] = set()
    for _ in range(BATCH):
        taken = _take(clock(), away) if time.monotonic() < ends else None
        if taken is None:
            break
        if _attempt(taken, clock):
            arrived += 1
        else:
            failed += 1
            # An abandoned delivery was not attempted, or will not be attempted again.
            if not taken.gave_up_at:
                away.add(taken.webhook_id)
    return DeliveryStats(made, arrived, failed)


# --- adding -------------------------------------------------------------------------------------------------
def _faults(url: str, events: Sequence[str]) -> dict[str, list[str]]:
    faults = {}
    wrong = fault_of(url) if len(url) <= LONGEST_URL else f"At most {LONGEST_URL} characters."
    if wrong:
        faults["url"] = [wrong]
    if not events or set(events) - set(Event):
        faults["events"] = [f"Choose from {', '.join(Event)}."]
    return faults


# --- telling ------------------------------------------------------------------------------------------------
def _enlist(webhook: Webhook, now: datetime) -> int:
    """Create the deliveries of log lines that have none. A repeated call creates none."""
    since = max(webhook.created_at, now - LOOK_BACK)
    verbs = [verb for verb, event in VERBS.items() if event in webhook.events]
    lines = LogEntry.objects.filter(team_id=webhook.team_id, verb__in=verbs).once_a_pair()
    rows = [
        Delivery(webhook=webhook, entry=line, event=VERBS[line.verb], due_at=now)
        for line in lines.without_delivery(Delivery.objects.filter(webhook=webhook), since).order_by("pk")
    ]
    return len(Delivery.objects.bulk_create(rows, ignore_conflicts=True))


def _take(now: datetime, away: Collection[int]) -> Delivery | None:
    with transaction.atomic():
        rows = (
            Delivery.objects.all()
            .due(now, without=away)
            .select_related("webhook__team", "webhook__created_by", "entry__user")
        )
        row: Delivery | None = rows.first()
        if row:
            row.take(at=now, lease=LEASE)
    return row


def _attempt(row: Delivery, clock: Callable[[], datetime]) -> bool:
    """Return whether the delivery succeeded: any status of 2xx."""
    if row.entry.withheld:
        row.failed_for_good(at=clock(), told="The event is withheld.")
        return False
    if not Membership.objects.has_lead(row.webhook.team_id, row.webhook.created_by):
        row.failed_for_good(at=clock(), told=NO_LEAD)
        return False
    try:
        body = json.dumps(_message(row)).encode()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Loam",
            "Loam-Event": row.event,
            "Loam-Delivery": str(row.pk),
            "Loam-Signature": signature(row.webhook.secret, at=int(clock().timestamp()), body=body),
        }
        status = webhook_transport().post(row.webhook.url, body, headers)
    except Unreachable as error:
        end = row.failed_for_good if error.for_good else row.failed
        end(at=clock(), told=str(error))
        return False
    except Exception as error:
        # An unexpected failure at one address must not block the events of all others.
        logger.exception("Delivery %s to webhook %s failed", row.pk, row.webhook_id)
        row.failed(at=clock(), told=f"{type(error).__name__}: sending failed.")
        return False
    if 200 <= status < 300:
        row.arrived(at=clock(), told=f"{status}")
        return True
    row.failed(at=clock(), told=f"{status}")
    return False


def _message(row: Delivery) -> dict[str, object]:
    """Return what happened to what, and where it can be read. It contains no text of the insight, which only members
    may read.
    """
    entry, team = row.entry, row.webhook.team
    page = f"{settings.PUBLIC_URL}/insights/{entry.subject}/" if row.event != Event.HANDED_OVER else None
    return {
        "id": row.pk,
        "event": row.event,
        "at": entry.at.isoformat(),
        "team": team.slug,
        "subject": entry.subject,
        "refs": [entry.subject, *([entry.after[AGAINST]] if AGAINST in entry.after else [])],
        "url": page,
        "by": entry.user.username if entry.user else None,
    }
