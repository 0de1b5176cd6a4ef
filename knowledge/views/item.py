"""One item of a queue or a list, rendered with all that a decision needs: its own page, and the panel beside a list."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import prefetch_related_objects
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.authentication import PageRequest
from accounts.models import LogEntry
from accounts.rules.refused import NotFound
from accounts.rules.rights import Level, Member
from knowledge.forms.inbox_states import first_date
from knowledge.models import Conflict, EditProposal, InboxState, Insight, Pair, Signal
from knowledge.retrieval.actions.standings import why_not_first
from knowledge.review.actions import conflicts, curate, inbox_state, triage
from knowledge.review.actions.inbox_state import PAIR
from knowledge.review.actions.offered_acts import BY_QUEUE, acts_of, queue_acts
from knowledge.review.actions.provenance import withhold_names, without_reasons_about_hidden
from knowledge.review.actions.revert import REVERSIBLE
from knowledge.review.rules.triage import Tab
from knowledge.views import notices
from knowledge.views.conflicts import sides

# What a page shows of a long history and of a long list of anchors; the API gives all of it.
LINES = 100


@login_required
@never_cache
@require_GET
def insight(request: PageRequest, ref: str) -> HttpResponse:
    """The panel of one insight; without HTMX its page. `tab`: the queue it is looked at in."""
    asked = request.GET.get("tab", "")
    tab = Tab(asked) if asked in BY_QUEUE else None
    row = _row(request.member, ref, tab)
    if not request.htmx:
        return redirect("knowledge:insight", ref=row.ref)
    back = notices.own_path(request.GET.get("back", "")[:4_000])
    return render(request, "knowledge/_item_insight.html", insight_panel(row, request.member, tab) | {"here": back})


@login_required
@never_cache
@require_GET
def pair(request: PageRequest, pair_id: int) -> HttpResponse:
    """The panel of a pair, with both sides."""
    row = get_object_or_404(Pair.objects.visible_to(request.member).with_sides(), pk=pair_id)
    if not request.htmx:
        return redirect(f"{reverse('knowledge:inbox')}?tab={_tab_of(row).value}&at={row.pk}")
    back = notices.own_path(request.GET.get("back", "")[:4_000])
    return render(request, "knowledge/_item_pair.html", pair_panel(row, request.member) | {"here": back})


@login_required
@never_cache
@require_GET
def conflict(request: PageRequest, conflict_id: int) -> HttpResponse:
    """The panel of an edit in the vault that could not be applied."""
    row = conflicts.one(conflict_id=conflict_id, by=request.member)
    if not request.htmx:
        return redirect(f"{reverse('knowledge:inbox')}?tab=vault&at={row.pk}")
    back = notices.own_path(request.GET.get("back", "")[:4_000])
    return render(request, "knowledge/_item_conflict.html", conflict_panel(row) | {"here": back})


def insight_page(row: Insight, member: Member) -> dict[str, Any]:
    """What the page of an insight shows."""
    prefetch_related_objects([row], "former")
    said = row.corroborations.all().select_related("user", "unmerged_into").order_by("at", "pk")
    pairs = list(Pair.objects.visible_to(member).touching([row]).open().select_related("a", "b"))
    signals = list(row.signals.all().ratings().newest_first()[:LINES])
    given = withhold_names([*signals, *said[:LINES]], insight=row, by=member)
    history = without_reasons_about_hidden(LogEntry.objects.visible_to(member).about(*row.names())[:LINES], member)
    may_lead = member.may(row.team_id, Level.LEAD)
    return {
        "insight": row,
        "history": history,
        "revertible": may_lead and bool(history) and history[0].verb in REVERSIBLE,
        "chain": triage.chain(row, by=member),
        "said": given[len(signals) :],
        "signals": given[: len(signals)],
        "standing": triage.standing_of(row),
        "held_back": why_not_first(
            row, [one.a_id if one.b_id == row.pk else one.b_id for one in pairs], timezone.now()
        ),
        "contradictions": [one for one in pairs if one.question == Pair.Question.CONTRADICTION],
        "proposals": [one for one in pairs if one.question == Pair.Question.SUPERSESSION],
        "suggested": EditProposal.objects.visible_to(member)
        .unsettled()
        .filter(insight=row)
        .order_by("proposed_at", "pk"),
        "acts": acts_of(row, member),
        "may_lead": may_lead,
        "may_edit": curate.may_edit(row, member),
        "may_rate": member.may(row.team_id, Level.CONTRIBUTOR),
    }


def insight_panel(row: Insight, member: Member, tab: Tab | None, why: str | None = None) -> dict[str, Any]:
    """What the panel of an insight shows: of a quarantined one its masked text and nothing else. `why` it waits, where
    that is known.
    """
    if tab is Tab.QUARANTINED:
        triage.mask(row)
        return {"insight": row, "tab": tab, "acts": BY_QUEUE[tab], "quarantined": True}
    context = insight_page(row, member) | {"tab": tab}
    if tab is not None:
        context["acts"] = queue_acts(tab, row, member)
        context["waiting_why"] = triage.explained(tab, [row], now=timezone.now())[0].why if why is None else why
        state = InboxState.objects.all().with_item().filter(insight=row).first()
        context |= _planned(state, row.ref, member, row.team_id)
    return context


# Longer numbers are no id of the database.
LONGEST_ID = 18


def pair_at(at: str, member: Member) -> Pair | None:
    """The pair that an address names, waiting or settled; None if there is none for the member."""
    if not at.isdecimal() or len(at) >= LONGEST_ID:
        return None
    row: Pair | None = Pair.objects.visible_to(member).with_sides().filter(pk=at).first()
    return row


def pair_panel(row: Pair, member: Member) -> dict[str, Any]:
    """What the panel of a pair shows."""
    ((_, a, b),) = triage.sides([row], by=member)
    state = InboxState.objects.all().with_item().filter(pair=row).first()
    return {"pair": row, "a": a, "b": b, **_planned(state, f"{PAIR}{row.pk}", member, row.a.team_id)}


def planning(member: Member, team_ids: Iterable[int]) -> dict[str, Any]:
    """What the forms of snoozing and assigning need, for items of these teams."""
    return {
        "curators": inbox_state.curators(team_ids, by=member),
        "first_date": first_date(timezone.localdate()),
    }


def _planned(state: InboxState | None, item: str, member: Member, team_id: int) -> dict[str, Any]:
    """How an item stands in the inbox, for who may change it."""
    if not member.may(team_id, Level.LEAD):
        return {}
    states = InboxState.objects.all().snoozed(timezone.now(), Signal.objects.all())
    snoozed = state is not None and state.snoozed_at is not None and states.filter(pk=state.pk).exists()
    return {"planned_item": item, "plan": state, "snoozed": snoozed, "item_planning": planning(member, [team_id])}


def conflict_panel(row: Conflict) -> dict[str, Any]:
    """What the panel of a conflict shows."""
    return {"conflict": row, "sides": sides(row)}


def _row(member: Member, ref: str, tab: Tab | None) -> Insight:
    if tab is Tab.QUARANTINED:
        rows = Insight.objects.of_teams(triage.leads(member)).quarantined()
    else:
        rows = Insight.objects.visible_to(member)
    row = rows.whole().filter(ref=ref).first()
    if row is None:
        raise NotFound
    return row


def _tab_of(row: Pair) -> Tab:
    return next(tab for tab, question in triage.PAIRS.items() if question == row.question)
