"""One item of a queue or a list, rendered with all that a decision needs: its own page, and the panel beside a list."""

from collections.abc import Iterable, Mapping, Sequence
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
from knowledge.judging.actions.successions import replaced_by_others
from knowledge.models import Conflict, EditProposal, InboxState, Insight, Pair, Signal
from knowledge.retrieval.actions import beside
from knowledge.retrieval.actions.standings import why_not_first
from knowledge.review.actions import curate, inbox_state, triage, vault_conflicts
from knowledge.review.actions.forget import forget_refusal
from knowledge.review.actions.inbox_state import PAIR
from knowledge.review.actions.offered_acts import BY_QUEUE, acts_of, queue_acts
from knowledge.review.actions.provenance import withhold_names, without_reasons_about_hidden
from knowledge.review.actions.revert import REVERSIBLE
from knowledge.review.rules.triage import Tab
from knowledge.views import notices
from knowledge.views.comments import thread
from knowledge.views.vault_conflicts import sides

# What a page shows of a long history and of a long list of anchors; the API gives all of it.
LINES = 100
# Anybody may say of any number of notes that they belong to one.
MOST_COMPLEMENTING = 20
# By team, the names of those to whom its items may be assigned.
Curators = Mapping[int, Sequence[str]]


@login_required
@never_cache
@require_GET
def insight(request: PageRequest, ref: str) -> HttpResponse:
    """The panel of one insight; without HTMX its page. `tab`: the queue it is looked at in."""
    asked = request.GET.get("tab", "")
    tab = Tab(asked) if asked in BY_QUEUE else None
    row = row_of(request.member, ref, tab)
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
    row = vault_conflicts.one(conflict_id=conflict_id, by=request.member)
    if not request.htmx:
        return redirect(f"{reverse('knowledge:inbox')}?tab=vault&at={row.pk}")
    back = notices.own_path(request.GET.get("back", "")[:4_000])
    return render(request, "knowledge/_item_conflict.html", conflict_panel(row) | {"here": back})


def insight_page(row: Insight, member: Member) -> dict[str, Any]:
    """What the page of an insight shows."""
    prefetch_related_objects([row], "former")
    said = row.corroborations.all().select_related("user", "unmerged_into").order_by("at", "pk")
    touching = Pair.objects.visible_to(member).touching([row]).select_related("a", "b")
    pairs = list(touching.open())
    signals = list(row.signals.all().ratings().newest_first()[:LINES])
    given = withhold_names([*signals, *said[:LINES]], insight=row, by=member)
    history = without_reasons_about_hidden(LogEntry.objects.visible_to(member).about(*row.names())[:LINES], member)
    may_lead = member.may(row.team_id, Level.LEAD)
    replaced = None if may_lead else replaced_by_others(row, member)
    return {
        "insight": row,
        "history": history,
        "revertible": may_lead and bool(history) and history[0].verb in REVERSIBLE,
        "chain": beside.chain(row, by=member),
        "said": given[len(signals) :],
        "signals": given[: len(signals)],
        "standing": triage.standing_of(row),
        "held_back": why_not_first(
            row, [one.a_id if one.b_id == row.pk else one.b_id for one in pairs], timezone.now()
        ),
        "contradictions": [one for one in pairs if one.question == Pair.Question.CONTRADICTION],
        "proposals": [one for one in pairs if one.question == Pair.Question.SUPERSESSION],
        "close": [
            *(one for one in pairs if one.question == Pair.Question.DUPLICATE),
            *touching.complementing()[:MOST_COMPLEMENTING],
        ],
        "suggested": EditProposal.objects.visible_to(member)
        .unsettled()
        .filter(insight=row)
        .order_by("proposed_at", "pk"),
        "acts": acts_of(row, member) or ["reinstate"] * (replaced is not None),
        "replaced": replaced,
        "may_lead": may_lead,
        "may_edit": curate.may_edit(row, member),
        "may_forget": not forget_refusal(row, member),
        "may_rate": member.may(row.team_id, Level.CONTRIBUTOR),
    }


def insight_panel(
    row: Insight, member: Member, tab: Tab | None, why: str | None = None, curators: Curators | None = None
) -> dict[str, Any]:
    """What the panel of an insight shows: of a quarantined one its masked text and nothing else. `why` it waits and the
    `curators`, where they are known.
    """
    if tab is Tab.QUARANTINED:
        triage.mask(row)
        return {"insight": row, "tab": tab, "acts": BY_QUEUE[tab], "quarantined": True}
    context = insight_page(row, member) | {"tab": tab}
    if tab is not None:
        context["acts"] = queue_acts(tab, row, member)
        context["waiting_why"] = triage.explained(tab, [row], now=timezone.now())[0].why if why is None else why
    if not row.superseded_by_id:
        context |= inbox_planned(getattr(row, "inbox_state", None), row.ref, member, row.team_id, curators)
    # A list of its own has the choices in a dialog, once for all rows.
    return context | {"plan_links": tab is None}


# Longer numbers are no id of the database.
LONGEST_ID = 18


def pair_at(at: str, member: Member) -> Pair | None:
    """The pair that an address names, waiting or settled; None if there is none for the member."""
    if not at.isdecimal() or len(at) >= LONGEST_ID:
        return None
    row: Pair | None = Pair.objects.all().panel_of(int(at), member)
    return row


def pair_panel(row: Pair, member: Member, curators: Curators | None = None) -> dict[str, Any]:
    """What the panel of a pair shows."""
    ((_, a, b),) = triage.sides([row], by=member)
    may_settle = all(member.may(side.team_id, Level.LEAD) for side in (row.a, row.b))
    planned = inbox_planned(getattr(row, "inbox_state", None), f"{PAIR}{row.pk}", member, row.a.team_id, curators)
    mine = next((side for side in (row.a, row.b) if not may_settle and replaced_by_others(side, member)), None)
    return {"pair": row, "a": a, "b": b, "may_settle": may_settle, "mine": mine, **thread(row, member), **planned}


def planning(curators: Curators, team_ids: Iterable[int]) -> dict[str, Any]:
    """What the forms of snoozing and assigning need, for items of these teams."""
    names = {name for team in team_ids for name in curators.get(team, ())}
    return {"curators": sorted(names), "first_date": first_date(timezone.localdate())}


def inbox_planned(
    state: InboxState | None, item: str, member: Member, team_id: int, curators: Curators | None = None
) -> dict[str, Any]:
    """How an item stands in the inbox, for who may change it. `curators`: by team, where they are known already."""
    if not member.may(team_id, Level.LEAD):
        return {}
    states = InboxState.objects.all().snoozed(timezone.now(), Signal.objects.all())
    snoozed = state is not None and state.snoozed_at is not None and states.filter(pk=state.pk).exists()
    known = inbox_state.curators([team_id], by=member) if curators is None else curators
    return {"planned_item": item, "plan": state, "snoozed": snoozed, "item_planning": planning(known, [team_id])}


def conflict_panel(row: Conflict) -> dict[str, Any]:
    """What the panel of a conflict shows."""
    return {"conflict": row, "sides": sides(row)}


def row_of(member: Member, ref: str, tab: Tab | None) -> Insight:
    """The insight with all that its panel shows, as one may see it in that queue. Raises NotFound."""
    if tab is Tab.QUARANTINED:
        found = list(Insight.objects.of_teams(triage.leads(member)).quarantined().in_panel().filter(ref=ref))
    else:
        found = Insight.objects.all().panel_of(ref, member)
    if not found:
        raise NotFound
    prefetch_related_objects(found, "anchors")
    return found[0]


def _tab_of(row: Pair) -> Tab:
    return next(tab for tab, question in triage.PAIRS.items() if question == row.question)
