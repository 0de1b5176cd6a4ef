"""What the teams know about: topics as a list and as a map; renaming and merging them."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import PageRequest
from accounts.models import LogEntry
from accounts.rules.rights import Level
from accounts.views.confirmation import ask_to_confirm
from knowledge.forms.insights import OwnerForm
from knowledge.forms.topics import TopicMergeForm, TopicNameForm
from knowledge.models import BackgroundJob, Insight, Topic
from knowledge.querysets.strength import strongest_first
from knowledge.rules.vocabulary import Status
from knowledge.topics.actions import topics as topic_actions
from knowledge.views.background_jobs import seen_by
from knowledge.views.owners import owner_choices

# A list longer than this is looked through by the team; the map shows as many circles as one can tell apart.
SHOWN = 100
ROWS = 50
LINES = 50
# From so many promoted insights a skill can be distilled (`skills.rules.distilling`).
SEVERAL_PROMOTED = 3
# Of the regroupings that somebody has asked for, the last.
ASKED = 2


@login_required
@require_GET
def topics(request: PageRequest) -> HttpResponse:
    """All topics of one's teams, or of one team, the largest first."""
    team = request.GET.get("team", "")
    chosen = team if any(one.slug == team for one in request.member.teams) else ""
    owner = request.GET.get("owner", "")[:150]
    found = topic_actions.overviews(by=request.member, team=chosen, owner=owner)
    context = {
        "owner": owner,
        "topics": found[:SHOWN],
        "placed": topic_actions.mapped(found, by=request.member),
        "hidden": max(len(found) - SHOWN, 0),
        "count": sum(one.count for one in found),
        "team": chosen,
        "teams": request.member.teams,
        "led": [one for one in request.member.teams if request.member.may(one.id, Level.LEAD)],
        "jobs": seen_by(request, BackgroundJob.Kind.REGROUP)[:ASKED],
    }
    return render(request, "knowledge/topic_list.html", context)


@login_required
@require_GET
def topic(request: PageRequest, topic_id: UUID) -> HttpResponse:
    """One topic with its insights, and what a lead can do with it. One that was merged leads to its heir."""
    found = topic_actions.overview(topic_id=topic_id, by=request.member)
    if found.topic.pk != topic_id:
        return redirect("knowledge:topic", topic_id=found.topic.pk)
    return _page(request, found)


def _page(request: PageRequest, found: topic_actions.Overview, *, status: int = 200, **more: Any) -> HttpResponse:
    """The page of a topic; `more`: what was typed, and why it was not done."""
    member = request.member
    rows = Insight.objects.visible_to(member, only=[found.topic.team_id]).retrievable().of_topic(found.topic.pk)
    may_lead = member.may(found.topic.team_id, Level.LEAD)
    team = next(one.slug for one in member.teams if one.id == found.topic.team_id)
    context = {
        "overview": found,
        "topic": found.topic,
        "rows": strongest_first(rows.whole(), timezone.now())[:ROWS],
        "may_lead": may_lead,
        "promoted": rows.filter(status=Status.PROMOTED).count() if may_lead else 0,
        "several": SEVERAL_PROMOTED,
        "others": _others(request, found, team) if may_lead else [],
        **owner_choices(member, found.topic.team_id, found.topic.owner_id),
        "owner_url": reverse("knowledge:topic-owner", args=[found.topic.pk]),
        "history": list(LogEntry.objects.visible_to(member).about(f"topic {found.topic.pk}")[:LINES]),
        **more,
    }
    return render(request, "knowledge/topic_detail.html", context, status=status)


@login_required
@require_POST
def rename(request: PageRequest, topic_id: UUID) -> HttpResponse:
    """A name that another lead gave meanwhile is shown first."""
    form = TopicNameForm(request.POST)
    if form.is_valid():
        sent = {"by": request.member, "now": timezone.now()}
        done = form.attempt(topic_actions.rename, topic_id=topic_id, **form.cleaned_data, **sent)
        if done:
            messages.success(request, f"Renamed to “{done.label}”. Reclustering keeps the name.")
            return redirect("knowledge:topic", topic_id=done.pk)
    if form.stale:
        return _late(request, topic_id, label=form.cleaned_data["label"])
    words = [" ".join(str(fault) for fault in faults) for faults in form.errors.values()]
    return _again(request, topic_id, words)


@login_required
@require_POST
def merge(request: PageRequest, topic_id: UUID) -> HttpResponse:
    form = TopicMergeForm(request.POST)
    if not form.is_valid():
        return _again(request, topic_id, ["Choose a topic."])
    asked = _asked_to_merge(request, topic_id, form.cleaned_data["into"])
    if asked:
        return asked
    sent = {"by": request.member, "now": timezone.now()}
    kept = form.attempt(topic_actions.merge, topic_id=topic_id, **form.cleaned_data, **sent)
    if form.stale:
        return _late(request, topic_id, into=form.cleaned_data["into"])
    if kept is None:
        return _again(request, topic_id, [str(fault) for fault in form.errors["into"]])
    messages.success(request, f"Merged into “{kept.label}”.")
    return redirect("knowledge:topic", topic_id=kept.pk)


def _asked_to_merge(request: PageRequest, topic_id: UUID, into: UUID) -> HttpResponse | None:
    """Which topic goes into which, before it is done; what is refused anyway is not asked."""
    gone = topic_actions.overview(topic_id=topic_id, by=request.member)
    kept = Topic.objects.visible_to(request.member).filter(pk=into, team_id=gone.topic.team_id).first()
    if kept is None or gone.topic.pk != topic_id or not request.member.may(gone.topic.team_id, Level.LEAD):
        return None
    return ask_to_confirm(
        request,
        title=f"Merge “{gone.topic.label}” into “{kept.label}”?",
        lines=[
            f"{gone.count} insights move to “{kept.label}”.",
            f"“{gone.topic.label}” redirects to it afterwards.",
            "This cannot be undone.",
        ],
        button="Merge topics",
        cancel=reverse("knowledge:topic", args=[topic_id]),
    )


@login_required
@require_POST
def own(request: PageRequest, topic_id: UUID) -> HttpResponse:
    """Say who answers for it."""
    form = OwnerForm(request.POST)
    sent = {"topic_id": topic_id, "by": request.member, "now": timezone.now()}
    done = form.attempt(topic_actions.set_owner, **form.cleaned_data, **sent) if form.is_valid() else None
    if done is None:
        return _again(request, topic_id, [str(fault) for some in form.errors.values() for fault in some])
    said = f"is owned by {done.owner.username}" if done.owner else "has no owner"
    messages.success(request, f"“{done.label}” {said}.")
    return redirect("knowledge:topic", topic_id=done.pk)


def _late(request: PageRequest, topic_id: UUID, **typed: Any) -> HttpResponse:
    """The topic as it is by now, with what happened to it, and what was typed over the name it had."""
    found = topic_actions.overview(topic_id=topic_id, by=request.member)
    merged = found.topic.pk != topic_id
    about = f"topic {topic_id if merged else found.topic.pk}"
    line = LogEntry.objects.visible_to(request.member).about(about).first()
    return _page(request, found, status=412, late=line, merged=merged, typed=typed, was=request.POST.get("was", ""))


def _others(request: PageRequest, found: topic_actions.Overview, team: str) -> list[topic_actions.Overview]:
    """Where it could be merged into, by name."""
    others = topic_actions.overviews(by=request.member, team=team)
    return sorted((one for one in others if one.topic.pk != found.topic.pk), key=lambda one: one.topic.label.lower())


def _again(request: PageRequest, topic_id: UUID, words: list[str]) -> HttpResponse:
    """Back with what was missing; of a topic that is not theirs to see nobody learns even that."""
    get_object_or_404(Topic.objects.visible_to(request.member), pk=topic_id)
    for line in words:
        messages.error(request, line)
    return redirect("knowledge:topic", topic_id=topic_id)
