"""Snooze and assign items of the inbox: a page of its own for what is selected, and the acts."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.authentication import PageRequest
from accounts.rules.refused import Refused
from knowledge.forms.inbox_states import AssignForm, ItemsForm, SnoozeForm, clean_item
from knowledge.models import Insight
from knowledge.review.actions import inbox_state
from knowledge.review.actions.bulk import MOST
from knowledge.review.actions.inbox_state import EDIT, PAIR, StatesChanged, number_of
from knowledge.review.actions.triage import leads
from knowledge.views import notices
from knowledge.views.item import planning
from knowledge.views.queues import matching


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def snooze(request: PageRequest) -> HttpResponse:
    """Ask until when, or snooze."""
    if request.method == "GET":
        return _ask(request, "snooze")
    form = SnoozeForm(request.POST)
    done = form.snooze(by=request.member, now=timezone.now()) if form.is_valid() else None
    if done is None:
        return _at_fault(request, form)
    return _done(request, form, done, f"snoozed {form.words}")


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def unsnooze(request: PageRequest) -> HttpResponse:
    """Ask whether, or bring back."""
    if request.method == "GET":
        return _ask(request, "unsnooze")
    form = ItemsForm(request.POST)
    form.is_valid()
    done = inbox_state.unsnooze(items=form.items, by=request.member, now=timezone.now())
    return _done(request, form, done, "back in the inbox")


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def assign(request: PageRequest) -> HttpResponse:
    """Ask to whom, or assign."""
    if request.method == "GET":
        return _ask(request, "assign")
    form = AssignForm(request.POST)
    done = form.assign(by=request.member, now=timezone.now()) if form.is_valid() else None
    if done is None:
        return _at_fault(request, form)
    name = form.cleaned_data["assignee"]
    who = "you" if name in (inbox_state.ME, request.member.username) else name
    return _done(request, form, done, f"assigned to {who}" if who else "assigned to nobody")


def _ask(request: PageRequest, verb: str) -> HttpResponse:
    """The page for what is selected, or for all that match."""
    back = notices.own_path(request.GET.get("back", "")[:4_000])
    refs = [clean_item(ref) for ref in request.GET.getlist("ref")]
    items = matching(request.member, back) if request.GET.get("all") else list(dict.fromkeys(refs))
    if not items:
        messages.error(request, "Select at least one item.")
        return notices.back(back)
    seen = set(Insight.objects.visible_to(request.member).with_ref(items).values_list("ref", flat=True))
    items = [item for item in items if item in seen or item.startswith((PAIR, EDIT))]
    found = inbox_state.curators(leads(request.member), by=request.member)
    context = {"verb": verb, "refs": items[:MOST], "back": back, "full": len(items) > MOST, "most": MOST}
    return render(request, "knowledge/inbox_states.html", {**context, "planning": planning(found, found)})


def _at_fault(request: PageRequest, form: ItemsForm) -> HttpResponse:
    faults = [str(fault) for some in form.errors.values() for fault in some]
    messages.error(request, " ".join(["Nothing was changed.", *faults]))
    if request.htmx and request.POST.get("part"):
        return notices.outcome(request, kept={number_of(item): " ".join(faults) for item in form.items})
    return notices.back(request.POST.get("back", ""))


def _done(request: PageRequest, form: ItemsForm, done: StatesChanged, words: str) -> HttpResponse:
    """One message for what was done, with its undo, and one for what was refused."""
    if done.items:
        names = list(done.items.values())
        subject = names[0] if len(names) == 1 else f"{len(names)} items"
        notices.undoable(request, f"{subject} {words}.", done.steps)
    _tell_refused(request, done.refused)
    if request.htmx and request.POST.get("part"):
        return notices.outcome(request, kept={number_of(item): fault.in_full for item, fault in done.refused})
    return notices.back(form.cleaned_data.get("back", ""), at=request.POST.get("next", "")[:40])


def _tell_refused(request: PageRequest, refused: list[tuple[str, Refused]]) -> None:
    if refused:
        why = "; ".join(f"{item.replace(':', ' ')}: {fault.in_full}" for item, fault in refused[:5])
        messages.warning(request, f"{len(refused)} skipped. {why}")
