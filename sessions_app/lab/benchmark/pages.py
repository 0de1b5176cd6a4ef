"""How long a page takes, how many statements it sends and what it weighs: each as a lead of all teams opens it."""

import gzip
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import cache
from time import perf_counter
from typing import Any

from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.actions.members import enrol, member_of
from accounts.models import Membership, Team, User
from accounts.rules.rights import Level
from knowledge.models import Insight, Topic
from sessions_app.adapters.web import Visitor, WebServer
from sessions_app.lab.benchmark.timings import Timings
from sessions_app.lab.corpora import synthetic_activity
from sessions_app.lab.corpora.synthetic_notes import Specimen
from sessions_app.lab.metrics.tables import Table
from sessions_app.models import AgentSession
from skills.models import Skill

# Each page is opened once for so many questions, after it was opened once for nothing.
QUESTIONS_A_TURN = 20
# What a page loads beside itself: style sheets and scripts, no pictures.
PARTS = re.compile(r'<(?:script[^<>]*src|link rel="stylesheet" href)="(/static/[^"]+)"')
GZIP = b"\x1f\x8b"


def prepare(*, teams: Sequence[str], samples: Sequence[Specimen], now: datetime, began: datetime) -> User:
    """Somebody who leads these teams, and what two years leave behind around their insights, written as of `began`."""
    user = User.objects.create(username="lead", is_staff=True)
    for team in Team.objects.filter(slug__in=teams):
        Membership.objects.create(team=team, user=user, level=Level.LEAD)
    enrol(user=user)
    synthetic_activity.leave(by=member_of(user=user), samples=samples, now=now, began=began)
    return user


def pages() -> dict[str, str]:
    """Each page by name, with an address that shows much of what it can."""
    insight = Insight.objects.filter(retrievable=True, signals__isnull=False).order_by("-pk").values("ref", "repo")[0]
    ref, team = insight["ref"], Team.objects.order_by("-last_number")[0].slug
    topic = Topic.objects.order_by("label", "pk").values_list("pk", flat=True)[0]
    skill = Skill.objects.order_by("pk").values_list("name", flat=True)[0]
    session = AgentSession.objects.filter(team__slug=team).order_by("-pk")[0].ref
    inbox, insights = reverse("knowledge:inbox"), reverse("knowledge:insights")
    return {
        "inbox, new": f"{inbox}?tab=new",
        "inbox, tenth page": f"{inbox}?tab=new&page=10",
        "inbox, of one tag": f"{inbox}?tab=new&tag=django",
        "inbox, decaying": f"{inbox}?tab=decaying",
        "inbox, stale": f"{inbox}?tab=stale",
        "inbox, quarantined": f"{inbox}?tab=quarantined",
        "contradictions": reverse("knowledge:contradictions"),
        "duplicates": reverse("knowledge:duplicates"),
        "insights": insights,
        "insights, filtered": f"{insights}?status=promoted&kind=PITFALL&tag=django",
        "insights, of one repository": f"{insights}?repo={insight['repo']}",
        "insights, stale": f"{insights}?stale=true",
        "insights, of one topic": f"{insights}?topic={topic}",
        "insights, by a stranger": f"{insights}?author=asker",
        "search": f"{insights}?q=how+do+I+bound+a+transaction",
        "one insight": reverse("knowledge:insight", args=[ref]),
        "edit it": reverse("knowledge:edit", args=[ref]),
        "compare it": reverse("knowledge:near", args=[ref]),
        "preview of an act": f"{reverse('knowledge:plan')}?verb=promote&all=1&back=/?tab=new",
        "topics": reverse("knowledge:topics"),
        "one topic": reverse("knowledge:topic", args=[topic]),
        "skills": reverse("skills:skills"),
        "one skill": reverse("skills:skill", args=[team, skill]),
        "edit a skill": reverse("skills:edit", args=[team, skill]),
        "sessions": reverse("sessions:sessions"),
        "sessions, oldest first": f"{reverse('sessions:sessions')}?ordering=last",
        "one session": reverse("sessions:session", args=[session]),
        "surfaced": reverse("sessions:surfaced"),
        "friction": f"{reverse('sessions:friction')}?days=90",
        "dashboard": f"{reverse('sessions:dashboard')}?days=90",
        "go to": f"{reverse('sessions:go')}?q=transaction",
        "evidence": reverse("evidence:evidence"),
        "clusters": reverse("evidence:clusters"),
        "preferences": reverse("accounts:preferences"),
        "team": reverse("accounts:team", args=[team]),
        "activity": f"{reverse('sessions:activity')}?team={team}",
        "teams": reverse("accounts:teams"),
        "tokens": reverse("accounts:tokens"),
        "connect": reverse("sessions:connect"),
        "settings": reverse("accounts:settings"),
    }


def time_pages(*, server: WebServer, user: User, questions: int) -> dict[str, dict[str, Any]]:
    """Of each page: milliseconds from outside, statements, kilobytes of itself and of all it loads, over the wire."""
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(user)
    cookie = f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"
    visitor = Visitor(server.port, cookie)
    try:
        turns = max(questions // QUESTIONS_A_TURN, 1)
        weight = cache(lambda part: len(visitor.get(part)[1]))  # pages share most of what they load
        return {name: _timed(visitor, client, path, turns, weight) for name, path in pages().items()}
    finally:
        visitor.close()


def _timed(visitor: Visitor, client: Client, path: str, turns: int, weight: Callable[[str], int]) -> dict[str, Any]:
    visitor.get(path)
    seconds, errors, body = [], 0, b""
    for _ in range(turns):
        begun = perf_counter()
        status, body = visitor.get(path)
        seconds.append(perf_counter() - begun)
        errors += status != 200
    page = _plain(body)
    parts = sum(map(weight, dict.fromkeys(PARTS.findall(page))))
    return {
        **asdict(Timings.of(seconds)),
        "errors": errors,
        "statements": _statements(client, path),
        "page_kb": round(len(page.encode()) / 1000, 1),
        "wire_kb": round((len(body) + parts) / 1000, 1),
    }


def _plain(body: bytes) -> str:
    return (gzip.decompress(body) if body.startswith(GZIP) else body).decode("utf-8", "replace")


def _statements(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        client.get(path)
    return len(captured)


def table(sizes: Sequence[dict[str, Any]]) -> Table:
    """Every page at the largest size."""
    largest = max(sizes, key=lambda one: int(one["insights"]))
    columns = [
        f"page, {largest['insights']:,} insights",
        "p50",
        "p95",
        "errors",
        "SQL",
        "page kB",
        "all kB on the wire",
    ]
    figures = {"p50": ".0f", "p95": ".0f", "errors": "", "statements": "", "page_kb": ".0f", "wire_kb": ".0f"}
    rows = [[name, *(format(one[key], how) for key, how in figures.items())] for name, one in largest["pages"].items()]
    note = (
        "Milliseconds over HTTP, as a lead of all teams opens it. The page as it is written; on the wire all is "
        "compressed, with its style sheet and scripts, which a browser then keeps."
    )
    return Table("Pages", columns, rows, note)
