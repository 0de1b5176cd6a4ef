"""The inbox: what waits for a person, and what they do with it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.text import get_text_list
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from accounts.authentication import PageRequest
from accounts.rules.refused import NotFound
from accounts.rules.rights import Member, TeamKind
from knowledge.forms.queues import ActForm, PairForm, PairsForm, QueueForm
from knowledge.models import EditProposal, Pair
from knowledge.retrieval.actions import beside
from knowledge.review.actions import bulk, inbox_state, settle, triage
from knowledge.review.actions.recent_actions import undo_action
from knowledge.review.proposals.actions.settle_pairs import SettledPairs, settle_pairs
from knowledge.review.rules.saved_filters import Listing
from knowledge.review.rules.triage import AWAITING, BECOMES, Tab
from knowledge.views import item, notices, saved
from knowledge.views.queues import matching, queue_items


@login_required
@never_cache
@require_GET
@vary_on_headers("HX-Request")
def inbox(request: PageRequest, tab: str = "") -> HttpResponse:
    """One queue, and how much is in the others. Without a tab it is the first in which something waits."""
    now = timezone.now()
    counts = triage.counts(by=request.member, now=now)
    asked = tab or request.GET.get("tab", "")
    chosen = Tab(asked) if asked in list(Tab) else next((one for one in AWAITING if counts[one]), Tab.NEW)
    form = QueueForm(request.GET, member=request.member)
    form.is_valid()
    curators = inbox_state.curators(triage.leads(request.member), by=request.member)
    context = {
        "tab": chosen,
        "title": notices.WORDS[chosen][0],
        "meaning": notices.WORDS[chosen][1],
        **notices.counts_context(counts, chosen),
        "total": sum(counts[one] for one in AWAITING),
        "form": form,
        "leads": _led(request.member),
        "here": request.get_full_path(),
        **(saved.bar(request, Listing.INBOX) if chosen not in triage.PAIRS else {}),
        **queue_items(request, chosen, curators),
        "planning": item.planning(curators, curators),
    }
    part = request.htmx and not request.htmx.history_restore_request
    return render(request, "knowledge/_inbox_queue.html" if part else "knowledge/inbox.html", context)


def _led(member: Member) -> str:
    """The teams in which one decides, as words."""
    led = [team for team in member.teams if team.id in triage.leads(member)]
    names = [team.name for team in led if team.kind is not TeamKind.PERSONAL]
    own = ["your personal team"] if len(names) < len(led) else []
    return get_text_list([*names, *own], "and")


@login_required
@never_cache
@require_GET
def counts(request: PageRequest) -> HttpResponse:
    """How much waits, for a page that is open meanwhile: what its navigation says, and the queues if it shows them."""
    if not request.htmx:
        return redirect("knowledge:inbox")
    return render(request, "knowledge/_inbox_counts.html", notices.counts_now(request))


@login_required
@require_GET
def plan(request: PageRequest) -> HttpResponse:
    """What an act would do to those chosen, or to all that match, before it is done."""
    form = ActForm(request.GET)
    if not form.is_valid():
        messages.error(request, "Choose an action and select insights.")
        return notices.back(request.GET.get("back", ""))
    verb = form.cleaned_data["verb"]
    refs = matching(request.member, request.GET.get("back", "")) if request.GET.get("all") else form.refs
    planned = bulk.plan(verb=verb, refs=refs[: bulk.MOST], by=request.member, marks=form.marks)
    context = {
        "verb": verb,
        "becomes": BECOMES.get(verb),
        "planned": planned,
        "going": [one for one in planned if not one.hindrance],
        "back": form.cleaned_data["back"] or "/",
        "why": form.cleaned_data["why"],
        "changed": [one for one in planned if one.lines],
        "most": bulk.MOST,
        "full": len(refs) > bulk.MOST,
    }
    return render(request, "knowledge/inbox_plan.html", context)


@login_required
@require_POST
def act(request: PageRequest) -> HttpResponse:
    """Do it, and go back to where it was done from; `next` is the row that is in the front then."""
    form = ActForm(request.POST)
    if not form.is_valid():
        messages.error(request, f"Unknown action “{request.POST.get('verb', '')[:40]}”.")
        return notices.back(request.POST.get("back", ""))
    data = form.cleaned_data
    sent = {"refs": form.refs, "why": data["why"], "marks": form.marks}
    done = bulk.act(verb=data["verb"], **sent, by=request.member, now=timezone.now())
    notices.notify(request, data["verb"], done)
    if request.htmx and request.POST.get("part"):
        notices.report_changed(request, data["verb"], done.changed)
        return notices.outcome(request, kept=_kept(done))
    if done.changed and data["planned"]:
        return notices.ask_again(data["verb"], done.changed, why=data["why"], back=data["back"])
    notices.report_changed(request, data["verb"], done.changed)
    return notices.back(data["back"], at=request.POST.get("next", "")[:40])


def _kept(done: bulk.Done) -> dict[str, str]:
    """The rows that stay in the list, each with why: not done, or suggested to another lead."""
    stay = {ref: refused.in_full for ref, refused in done.refused}
    stay |= {one.ref: notices.CHANGED for one in done.changed}
    return stay | {one.insight.ref: notices.SUGGESTED for one in done.suggested}


@login_required
@require_POST
def undo(request: PageRequest) -> HttpResponse:
    """Take back one of one's recent actions; without an id, the last."""
    given = request.POST.get("action", "")
    action_id = int(given) if given.isdecimal() and len(given) < 18 else None
    if given and action_id is None:
        raise NotFound
    _, done, before = undo_action(action_id=action_id, by=request.member, now=timezone.now())
    # An act on a pair and on its sides gives a row back twice.
    refs = list(dict.fromkeys(row.ref for row in done.rows))
    more = f" and {len(refs) - 5} more" if len(refs) > 5 else ""
    if refs:
        notices.undone(request, f"Undone: {', '.join(refs[:5])}{more}.", before)
    for ref, refused in done.refused[:5]:
        messages.warning(request, f"{ref}: {refused}")
    if request.htmx and request.POST.get("part"):
        return notices.outcome(request)
    return notices.back(request.POST.get("back", ""), at=f"row-{done.rows[0].ref}" if done.rows else "")


@login_required
@require_POST
def settled(request: PageRequest, pair_id: int) -> HttpResponse:
    """Keep one side, keep both in their scopes, merge, or dismiss."""
    form = PairForm(request.POST)
    if not form.is_valid():
        get_object_or_404(Pair.objects.visible_to(request.member), pk=pair_id)
        messages.error(request, "Not resolved: choose an action.")
        return notices.back(request.POST.get("back", ""))
    data = form.cleaned_data
    pair = form.settle(pair_id=pair_id, by=request.member, now=timezone.now())
    if pair is None or data["how"] == "reopen":
        return _changed_pair(request, pair_id, form)
    if isinstance(pair, EditProposal):
        notices.suggested(request, [pair])
        if request.htmx and request.POST.get("part"):
            return notices.outcome(request, kept={str(pair_id): notices.SUGGESTED})
        return notices.back(data["back"], at=f"pair-{pair_id}")
    other = pair.b.ref if data["keep"] == pair.a.ref else pair.a.ref
    words = {
        "dismiss": f"{pair.a.ref} and {pair.b.ref}: dismissed.",
        "scope": f"{pair.a.ref} and {pair.b.ref} both kept, each in its scope.",
        "merge": f"{data['keep']} kept; {other} was merged into it.",
        "keep": f"{data['keep']} kept; {other} is superseded.",
    }
    notices.undoable(request, words[data["how"]], [["reopen", pair.pk]])
    if request.htmx and request.POST.get("part"):
        return notices.outcome(request)
    return notices.back(data["back"], at=request.POST.get("next", "")[:40])


PAIRS_DONE = {"dismiss": "dismissed", "merge": "merged", "keep": "resolved"}


@login_required
@require_POST
def settle_many(request: PageRequest) -> HttpResponse:
    """Dismiss several pairs, or keep a side of each: one message, one undo."""
    form = PairsForm(request.POST)
    if not form.is_valid() or not form.choices:
        messages.error(request, "Not resolved: choose an action and select pairs.")
        return notices.back(request.POST.get("back", ""))
    how = form.cleaned_data["how"]
    done = settle_pairs(how=how, choices=form.choices, by=request.member, now=timezone.now())
    _notify_pairs(request, how, done)
    if request.htmx and request.POST.get("part"):
        kept = {str(number): refused.in_full for number, refused in done.refused.items()}
        return notices.outcome(request, kept=kept | dict.fromkeys(map(str, done.suggested), notices.SUGGESTED))
    return notices.back(form.cleaned_data["back"])


def _notify_pairs(request: PageRequest, how: str, done: SettledPairs) -> None:
    if done.pairs:
        one = done.pairs[0]
        subject = f"{one.a.ref} and {one.b.ref}:" if len(done.pairs) == 1 else f"{len(done.pairs)} pairs"
        notices.undoable(
            request, f"{subject} {PAIRS_DONE[how]}.", [["reopen", pair.pk] for pair in reversed(done.pairs)]
        )
    notices.suggested(request, list(done.suggested.values()))
    if done.refused:
        why = "; ".join(dict.fromkeys(str(refused) for refused in [*done.refused.values()][:5]))
        messages.warning(request, f"{len(done.refused)} skipped. {why}")


def _changed_pair(request: PageRequest, pair_id: int, form: PairForm) -> HttpResponse:
    """The pair as somebody else has left it, what they did, and what was typed, to decide again."""
    pair = get_object_or_404(Pair.objects.visible_to(request.member).with_sides(), pk=pair_id)
    context = {
        **item.pair_panel(pair, request.member),
        "late": form.late,
        "lines": settle.since(pair, form.cleaned_data["seen"], by=request.member) if form.late else [],
        "typed": form.cleaned_data["scope"],
        "here": form.cleaned_data["back"] or f"/{pair.question}s/",
    }
    template = "knowledge/_item_pair.html" if request.htmx else "knowledge/pair_changed.html"
    answer = render(request, template, context, status=form.late.status if form.late else 200)
    if request.htmx:
        answer["HX-Retarget"], answer["HX-Reswap"] = "#item", "innerHTML"
    return answer


@login_required
@require_GET
def near(request: PageRequest, ref: str) -> HttpResponse:
    """What says the most alike, word by word beside it: to merge it there, or to supersede it."""
    row, found = beside.nearest(ref=ref, by=request.member)
    context = {
        "insight": row,
        "near": found,
        "may_lead": row.team_id in triage.leads(request.member),
        "back": request.GET.get("back", ""),
    }
    part = request.htmx and not request.htmx.history_restore_request
    return render(request, "knowledge/_insight_near.html" if part else "knowledge/insight_near.html", context)
