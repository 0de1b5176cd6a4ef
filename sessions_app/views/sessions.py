"""Pages of what agents did: their sessions, what each left, and what was put beside their prompts."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import PageRequest
from accounts.models import LogEntry, Membership
from accounts.rules.rights import Level
from knowledge.models import Query
from knowledge.review.actions.export_table import exported_rows
from knowledge.review.rules.saved_filters import Listing
from knowledge.views import saved
from knowledge.views.listing import csv_file, require_valid, table_page
from sessions_app.actions.history import (
    exported_sessions,
    one_session,
    session_rows,
    veiled,
    with_handoffs,
    work_items,
)
from sessions_app.conversations.actions.show import show_page
from sessions_app.forms import AGENTS, OpenWorkForm, SessionListForm, SurfacedForm
from sessions_app.handoffs.actions.acknowledge import Action, acknowledge, closable
from sessions_app.models import AgentSession, Claim, SessionEvent, SurfaceDecision
from sessions_app.rules.session_table import SESSIONS

A_PAGE = 30
# People that the filter suggests.
PEOPLE = 200
# Filters that many come for, as links.
QUICK = (("Running", "state=live"), ("Open handoffs", "handoff=open"), ("Abandoned", "state=abandoned"))
# What a page shows of a long session; the first lines tell how it began, the API gives all of it.
EVENTS, QUESTIONS, LINES = 200, 50, 50


@login_required
@require_GET
def sessions(request: PageRequest) -> HttpResponse:
    """Sessions of one's teams, the last heard of first unless asked otherwise."""
    form = SessionListForm(request.GET, member=request.member)
    context: dict[str, Any] = {"form": form, **saved.bar(request, Listing.SESSIONS)}
    if form.is_valid():
        asked = form.asked()
        every = with_handoffs(AgentSession.objects.visible_to(request.member))
        context |= table_page(request, SESSIONS, session_rows(by=request.member, **asked), every)
        veiled(context["rows"], request.member)
        context |= {
            "narrowed": any(asked.values()),
            "people": list(Membership.objects.people_of(request.member, "")[:PEOPLE]),
            "agents": AGENTS,
            "quick": QUICK,
        }
    return render(request, "sessions_app/session_list.html", context)


@login_required
@require_GET
def sessions_export(request: PageRequest) -> HttpResponseBase:
    """A CSV file of the sessions that the address narrows to. Raises BadFilters."""
    form = SessionListForm(request.GET, member=request.member)
    require_valid(form)
    rows = with_handoffs(session_rows(by=request.member, **form.asked())).last_seen()
    table = exported_sessions(request.member)
    return csv_file("sessions", exported_rows(table, rows, by=request.member, now=timezone.now()))


@login_required
@require_GET
def session(request: PageRequest, name: str) -> HttpResponse:
    """One session: what it left to the next, what was said and what happened in it, what it has claimed; one's own
    questions in it.
    """
    now = timezone.now()
    row = one_session(name=name, by=request.member)
    events = SessionEvent.objects.visible_to(request.member).filter(session=row).in_order()
    claims = Claim.objects.visible_to(request.member).filter(session=row).valid(now)
    handoff = getattr(row, "handoff", None)
    context: dict[str, Any] = {
        "session": row,
        "handoff": handoff,
        "events": list(events[:EVENTS]),
        "claims": list(claims.order_by("path")),
        "questions": list(Query.objects.all().asked_by(request.member).of_session(row.key)[:QUESTIONS]),
        "history": LogEntry.objects.visible_to(request.member).filter(team_id=row.team_id).about(row.ref)[:LINES],
        "shown": show_page(session=row, by=request.member),
        "may_take": handoff and request.member.may(row.team_id, Level.CONTRIBUTOR),
        "closable": closable([handoff] if handoff else [], request.member),
    }
    return render(request, "sessions_app/session_detail.html", context)


@login_required
@require_GET
def open_work(request: PageRequest) -> HttpResponse:
    """What is unfinished, by repo: the open handoffs of one's teams; and the ones closed last, to open again."""
    form = OpenWorkForm(request.GET, member=request.member)
    asked = form.asked()
    items, closed = work_items(by=request.member, **asked)
    writable = {team.id for team in request.member.teams if request.member.may(team.id, Level.CONTRIBUTOR)}
    context = {
        "form": form,
        "items": items,
        "closed": closed,
        "narrowed": any(asked.values()),
        "writable": writable,
        "closable": closable([row.handoff for row in (*items, *closed)], request.member),
    }
    return render(request, "sessions_app/open_work.html", context)


# What is said after each act on a handoff.
DONE = {
    Action.TAKE: "The handoff of {} was taken over. It is no longer offered to new sessions.",
    Action.CLOSE: "The handoff of {} was closed. It is no longer offered to new sessions.",
    Action.REOPEN: "The handoff of {} was reopened. It is offered to new sessions.",
}


@login_required
@require_POST
def acknowledged(request: PageRequest, name: str) -> HttpResponse:
    """Take a handoff over, close it, or open it again."""
    said = request.POST.get("action", "")
    action = Action(said) if said in set(Action) else Action.TAKE
    acknowledge(name=name, handoff_of=name, action=action, by=request.member, now=timezone.now())
    messages.success(request, DONE[action].format(name))
    back = request.POST.get("back") == "open"
    return redirect("sessions:open-work") if back else redirect("sessions:session", name=name)


@login_required
@require_GET
def surfaced(request: PageRequest) -> HttpResponse:
    """One's own prompts, and why something was put beside each or not. Nobody else reads them."""
    form = SurfacedForm(request.GET)
    gate = form.cleaned_data["gate"] if form.is_valid() else ""
    mine = SurfaceDecision.objects.all().decided_for(request.member)
    rows = (mine.filter(gate=gate) if gate else mine).newest()
    page = Paginator(rows, A_PAGE).get_page(request.GET.get("page"))
    context = {"form": form, "page": page, "narrowed": bool(gate), "counts": mine.by_gate()}
    return render(request, "sessions_app/surfaced_list.html", context)
