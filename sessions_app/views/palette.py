"""Go to: pages, acts, insights and skills by a few letters: a page, and behind Ctrl-K a part of every page."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from accounts.authentication import PageRequest
from accounts.models import Membership
from knowledge.models import Anchor, Insight
from knowledge.querysets.text_search import containing
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
    ("Skills", "skills:skills"),
    ("New skill", "skills:new"),
    ("Import skills", "skills:import"),
    ("Sessions", "sessions:sessions"),
    ("Surfaced to me", "sessions:surfaced"),
    ("Friction", "sessions:friction"),
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


@login_required
@require_GET
def go(request: PageRequest) -> HttpResponse:
    text = request.GET.get("q", "").strip()[:200].replace("\0", "")
    words = text.lower().split()
    found = [(label, name) for label, name in PLACES if all(word in label.lower() for word in words)]
    places = [
        (label, reverse(name), KEYS.get(name, ""), KEY_WORDS.get(KEYS.get(name, ""), "")) for label, name in found
    ]
    member = request.member
    visible = Insight.objects.visible_to(member)
    named = list(visible.called(text.upper()).only("ref", "title")) if text else []
    others = containing(visible, Anchor.objects.all(), text).exclude(pk__in=[row.pk for row in named])
    # A command one of whose words begins as typed is meant; the others come after what was searched.
    first = [place for place in places if text and f" {text}".lower() in f" {place[0]}".lower()]
    context = {
        "text": text,
        "commands": first,
        "places": [place for place in places if place not in first],
        "insights": [*named, *others.order_by("-created_at", "-pk").only("ref", "title")[:FOUND]] if text else [],
        "people": list(Membership.objects.people_of(member, text)[:FOUND]) if text else [],
        "skills": list(
            Skill.objects.visible_to(member).with_words(text).select_related("team").order_by("name")[:FOUND]
        )
        if text
        else [],
    }
    return render(request, "sessions_app/_go_found.html" if request.htmx else "sessions_app/go.html", context)
