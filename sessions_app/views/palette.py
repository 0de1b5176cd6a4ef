"""Go to: pages, acts, insights, skills, sessions and people by a few letters: a page, and behind Ctrl-K a part of every
page.
"""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from accounts.authentication import PageRequest
from accounts.models import Membership
from accounts.rules.rights import Member
from knowledge.models import Anchor, Insight
from knowledge.querysets.text_search import containing
from knowledge.review.actions.triage import leads
from sessions_app.actions.history import session_rows, veiled
from sessions_app.models import AgentSession
from skills.models import Skill

# What one can go to or do, by the words it is looked for with; those that a key does too say which.
PLACES = (
    ("Inbox", "knowledge:inbox"),
    ("Insights", "knowledge:insights"),
    ("New insight", "knowledge:new"),
    ("Recent actions: undo", "knowledge:actions"),
    ("Contributor standing: restore", "knowledge:standings"),
    ("Import notes", "knowledge:bring-in"),
    ("Topics", "knowledge:topics"),
    ("Skills: publish or retire", "skills:skills"),
    ("New skill", "skills:new"),
    ("Import skills", "skills:import"),
    ("Sessions", "sessions:sessions"),
    ("Surfaced to me", "sessions:surfaced"),
    ("Recurring errors", "sessions:friction"),
    ("Dashboard", "sessions:dashboard"),
    ("Activity: audit log", "sessions:activity"),
    ("Evidence: search files", "evidence:evidence"),
    ("Preferences: add preference", "accounts:preferences"),
    ("Teams: invite members", "accounts:teams"),
    ("Tokens: create or revoke", "accounts:tokens"),
    ("Connect an agent", "sessions:connect"),
    ("Settings: theme (light, dark), density, keyboard shortcuts", "accounts:settings"),
    ("Change password", "account_change_password"),
    ("Two-factor authentication", "mfa_index"),
    ("Sign out", "account_logout"),
)
KEYS = {"knowledge:insights": "/", "knowledge:inbox": "?"}
KEY_WORDS = {"/": "focuses the search there", "?": "lists the keyboard shortcuts there"}
# Of each sort so many: more is a search.
FOUND = 6
# Sessions are looked for among so many of the last.
RECENT_SESSIONS = 2_000
# How what is typed says that a person is meant, and the command that names a skill.
PERSON, PUBLISH = "@", "publish"


@login_required
@require_GET
def go(request: PageRequest) -> HttpResponse:
    text = request.GET.get("q", "").strip()[:200].replace("\0", "")
    words = text.lower().split()
    found = [(label, name) for label, name in PLACES if all(word in label.lower() for word in words)]
    places = [
        (label, reverse(name), KEYS.get(name, ""), KEY_WORDS.get(KEYS.get(name, ""), "")) for label, name in found
    ]
    # A command one of whose words begins as typed is meant; the others come after what was searched.
    first = [place for place in places if text and f" {text}".lower() in f" {place[0]}".lower()]
    context = {
        "text": text,
        "commands": first,
        "places": [place for place in places if place not in first],
        **_people(request.member, text),
        **({} if not text or text.startswith(PERSON) else _things(request.member, text)),
    }
    return render(request, "sessions_app/_go_found.html" if request.htmx else "sessions_app/go.html", context)


def _people(member: Member, text: str) -> dict[str, Any]:
    """Whom one shares a team with, by letters of their name, also as `@name`; all of them of a bare `@`."""
    found = Membership.objects.people_of(member, text.removeprefix(PERSON))
    return {"people": list(found[:FOUND]) if text else []}


def _things(member: Member, text: str) -> dict[str, Any]:
    """Insights, skills and sessions with these words, and the skills that a command publishes."""
    visible = Insight.objects.visible_to(member)
    named = list(visible.called(text.upper()).only("ref", "title"))
    others = containing(visible, Anchor.objects.all(), text).exclude(pk__in=[row.pk for row in named])
    skills = Skill.objects.visible_to(member).select_related("team").order_by("name")
    command, _, rest = text.lower().partition(" ")
    publishing = PUBLISH.startswith(command) and len(command) > 2
    to_publish = skills.to_publish(leads(member)).filter(name__icontains=rest.strip()) if publishing else skills.none()
    return {
        "insights": [*named, *others.order_by("-created_at", "-pk").only("ref", "title")[:FOUND]],
        "skills": list(skills.with_words(text)[:FOUND]),
        "to_publish": list(to_publish[:FOUND]),
        "sessions": _sessions(member, text),
    }


def _sessions(member: Member, text: str) -> list[AgentSession]:
    """By its reference, else the last seen with these words."""
    rows = session_rows(by=member)
    named = rows.named(text.upper()) if text.upper().startswith("S-") else rows.none()
    found = list(named.select_related("user")) or list(
        rows.containing(text, member, RECENT_SESSIONS).select_related("user").last_seen()[:FOUND]
    )
    return veiled(found, member)
