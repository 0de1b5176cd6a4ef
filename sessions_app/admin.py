"""Sessions in the Django admin: to look at. What happened, happened; a handoff is its agent's word."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone

from accounts.admin import ReadOnly, SharedOnly
from accounts.models import JobRun
from knowledge.review.actions import triage
from knowledge.views.notices import WORDS
from sessions_app.actions.figures import figures
from sessions_app.models import AgentSession, Claim, CodeIndex, Handoff, Passage, SessionEvent, SessionSharing


@admin.register(AgentSession)
class AgentSessionAdmin(ReadOnly, SharedOnly):
    list_display = ("ref", "repo", "team", "user", "agent", "state", "started_at", "last_seen_at")
    list_filter = ("state", "team", "agent", "started_at")
    search_fields = ("repo", "branch", "user__username", "machine")
    date_hierarchy = "started_at"
    # What its user typed is theirs (`said` and `digest` have it too).
    exclude = ("key", "prompt", "topic", "said", "digest", "checkout")
    list_select_related = ("team", "user")


@admin.register(Handoff)
class HandoffAdmin(ReadOnly, SharedOnly):
    list_display = (
        "session",
        "repo",
        "team",
        "state",
        "completeness",
        "as_of",
        "acknowledged_at",
        "closed_as",
    )
    exclude = ("asked", "asked_last", "topics")
    list_filter = ("state", "team", "as_of")
    search_fields = ("repo", "summary", "note", "session__user__username")
    date_hierarchy = "as_of"
    list_select_related = ("session", "team", "acknowledged_by")


@admin.register(SessionEvent)
class SessionEventAdmin(ReadOnly, SharedOnly):
    team_path = "session__team"
    list_display = ("at", "session", "kind", "path", "outcome", "template", "overcome")
    list_filter = ("kind", "outcome", "overcome", "session__team", "at")
    search_fields = ("path", "command", "error", "session__repo")
    date_hierarchy = "at"
    list_select_related = ("session",)


@admin.register(Claim)
class ClaimAdmin(ReadOnly, SharedOnly):
    list_display = ("path", "repo", "team", "session", "claimed_at", "expires_at")
    list_filter = ("team",)
    search_fields = ("path", "repo")
    list_select_related = ("team", "session")


@admin.register(CodeIndex)
class CodeIndexAdmin(ReadOnly, SharedOnly):
    list_display = ("repo", "team", "commit", "uploaded_by", "uploaded_at")
    list_filter = ("team",)
    search_fields = ("repo",)
    list_select_related = ("team", "uploaded_by")


@admin.register(Passage)
class PassageAdmin(ReadOnly, SharedOnly):
    list_display = ("session", "position", "speaker", "repo", "team", "user", "said_at", "embedded_by")
    list_filter = ("team", "speaker", "said_at")
    search_fields = ("repo", "user__username")
    date_hierarchy = "said_at"
    list_select_related = ("session", "team", "user")
    # Who administers is not always of the team: what was said is for its members to read.
    exclude = ("text", "files", "lexemes", "embedding")


@admin.register(SessionSharing)
class SessionSharingAdmin(ReadOnly, SharedOnly):
    list_display = ("user", "team", "repo", "turns", "changed_at", "waiting")
    list_filter = ("team", "turns")
    search_fields = ("repo", "user__username")
    list_select_related = ("user", "team")


# The days the overview looks back.
SPAN = 30


def overview(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """What the admin's first page tells: what waits for a person, how the month was, what the clock has run."""
    now, member = timezone.now(), request.member  # type: ignore[attr-defined]
    context["title"] = "Overview"
    context["queues"] = [(tab.value, WORDS[tab][0], count) for tab, count in triage.counts(by=member, now=now).items()]
    context["figures"], context["days"] = figures(by=member, now=now, days=SPAN), SPAN
    context["jobs"] = JobRun.objects.all().latest_of_each()
    return context
