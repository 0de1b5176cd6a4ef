"""The inbox: what waits for a person, and what they do with it."""

import re
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.text import get_text_list
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from accounts.authentication import PageRequest
from accounts.rules.rights import Member, TeamKind
from knowledge.filters import InsightFilter
from knowledge.forms.insights import ActForm, PairForm, QueueForm
from knowledge.models import Insight, Pair
from knowledge.review.actions import bulk, curate, settle, triage
from knowledge.review.rules.saved_filters import Listing
from knowledge.review.rules.triage import BECOMES, COUNTED_UP_TO, Tab
from knowledge.views import notices, saved
from knowledge.views.conflicts import sides

# One screen and a half: as far as one sees, and so few that the page is there again at once after each act.
PAGE = 20
PAIRS_PAGE = 8

WORDS = {
    Tab.PROPOSED: ("Proposed", "Proposed supersessions of promoted or pinned insights."),
    Tab.NEW: ("New", "Drafts with positive feedback."),
    Tab.QUOTED: ("Conversations", "Drafts proposed from conversations that were served to several people."),
    Tab.CONTRADICTIONS: ("Contradictions", "Insights that contradict each other."),
    Tab.DUPLICATES: ("Duplicates", "Similar insights whose relation is not decided: duplicate, update or unrelated."),
    Tab.DECAYING: ("Decaying", "Promoted insights that will soon be deprecated."),
    Tab.STALE: ("Stale", "Insights whose source files have changed."),
    Tab.QUARANTINED: ("Quarantined", "Insights in which a secret was found. They are not served."),
    Tab.VAULT: ("Vault", "Edits of vault files that could not be applied. Nothing was overwritten."),
}
# The addresses under which the queues are shown.
QUEUES = ("inbox", "contradictions", "duplicates")
# The acts of each queue, in the order of their buttons; the first is what one most often wants.
ACTS = {
    Tab.NEW: ("promote", "deprecate", "leave"),
    Tab.QUOTED: ("promote", "deprecate", "leave"),
    Tab.DECAYING: ("helpful", "deprecate", "leave"),
    Tab.STALE: ("validate", "deprecate"),
    Tab.QUARANTINED: ("release",),
}


@login_required
@never_cache
@require_GET
@vary_on_headers("HX-Request")
def inbox(request: PageRequest, tab: str = "") -> HttpResponse:
    """One queue, and how much is in the others. Without a tab it is the first in which something waits."""
    now = timezone.now()
    counts = triage.counts(by=request.member, now=now)
    asked = tab or request.GET.get("tab", "")
    chosen = Tab(asked) if asked in list(Tab) else next((one for one in Tab if counts[one]), Tab.NEW)
    form = QueueForm(request.GET, member=request.member)
    form.is_valid()
    context = {
        "tab": chosen,
        "title": WORDS[chosen][0],
        "meaning": WORDS[chosen][1],
        **_counts_context(counts, chosen),
        "total": sum(counts.values()),
        "form": form,
        "leads": _led(request.member),
        "here": request.get_full_path(),
        **(saved.bar(request, Listing.INBOX) if chosen not in triage.PAIRS else {}),
        **_waiting(request, chosen),
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
    shown = re.split("[?#]", request.htmx.current_url_abs_path or "", maxsplit=1)[0]
    now_waiting = triage.counts(by=request.member, now=timezone.now())
    context = {
        **_counts_context(now_waiting, None),
        "with_tabs": shown in {reverse(f"knowledge:{name}") for name in QUEUES},
    }
    return render(request, "knowledge/_inbox_counts.html", context)


@login_required
@require_GET
def plan(request: PageRequest) -> HttpResponse:
    """What an act would do to those chosen, or to all that match, before it is done."""
    form = ActForm(request.GET)
    if not form.is_valid():
        messages.error(request, "Choose an action and select insights.")
        return notices.back(request.GET.get("back", ""))
    verb = form.cleaned_data["verb"]
    refs = _matching(request) if request.GET.get("all") else form.refs
    planned = bulk.plan(verb=verb, refs=refs, by=request.member, marks=form.marks)
    context = {
        "verb": verb,
        "becomes": BECOMES.get(verb),
        "planned": planned,
        "going": [one for one in planned if not one.hindrance],
        "back": form.cleaned_data["back"] or "/",
        "why": form.cleaned_data["why"],
        "changed": [one for one in planned if one.lines],
        "most": bulk.MOST,
        "full": len(refs) >= bulk.MOST,
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
    if done.changed and data["planned"]:
        return notices.ask_again(data["verb"], done.changed, why=data["why"], back=data["back"])
    notices.overtaken(request, data["verb"], done.changed)
    return notices.back(data["back"], at=request.POST.get("next", "")[:40])


@login_required
@require_POST
def undo(request: PageRequest) -> HttpResponse:
    """Take back what a message told of."""
    steps = notices.steps_of(request.POST.get("token", ""))
    if not steps:
        messages.error(request, "The time to undo has expired. You can still change the insight on its own page.")
        return notices.back(request.POST.get("back", ""))
    done = bulk.undo(steps=steps, by=request.member, now=timezone.now())
    refs = ", ".join(row.ref for row in done.rows[:5])
    more = f" and {len(done.rows) - 5} more" if len(done.rows) > 5 else ""
    if done.rows:
        messages.success(request, f"Undone: {refs}{more}.")
    for ref, refused in done.refused[:5]:
        messages.warning(request, f"{ref}: {refused}")
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
        return _overtaken(request, pair_id, form)
    words = {
        "dismiss": f"{pair.a.ref} and {pair.b.ref}: dismissed.",
        "scope": f"{pair.a.ref} and {pair.b.ref} both kept, each in its scope.",
        "merge": f"{data['keep']} kept; the other was merged into it.",
        "keep": f"{data['keep']} kept; the other is superseded.",
    }
    notices.undoable(request, words[data["how"]], [["reopen", pair.pk]])
    return notices.back(data["back"], at=request.POST.get("next", "")[:40])


def _overtaken(request: PageRequest, pair_id: int, form: PairForm) -> HttpResponse:
    """The pair as somebody else has left it, what they did, and what was typed, to decide anew."""
    pair = get_object_or_404(Pair.objects.visible_to(request.member).with_sides(), pk=pair_id)
    ((_, a, b),) = triage.sides([pair])
    context = {
        "pair": pair,
        "a": a,
        "b": b,
        "late": form.late,
        "lines": settle.since(pair, form.cleaned_data["seen"], by=request.member) if form.late else [],
        "typed": form.cleaned_data["scope"],
        "here": form.cleaned_data["back"] or f"/{pair.question}s/",
    }
    template = "knowledge/_pair.html" if request.htmx else "knowledge/pair_overtaken.html"
    answer = render(request, template, context, status=form.late.status if form.late else 200)
    if request.htmx:
        answer["HX-Retarget"], answer["HX-Reswap"] = f"#pair-{pair.pk}", "outerHTML"
    return answer


@login_required
@require_GET
def near(request: PageRequest, ref: str) -> HttpResponse:
    """What says the most alike, word by word beside it: to merge it there, or to supersede it."""
    row, found = triage.nearest(ref=ref, by=request.member)
    context = {
        "insight": row,
        "near": found,
        "may_lead": row.team_id in triage.leads(request.member),
        "back": request.GET.get("back", ""),
    }
    part = request.htmx and not request.htmx.history_restore_request
    return render(request, "knowledge/_insight_near.html" if part else "knowledge/insight_near.html", context)


def _waiting(request: PageRequest, tab: Tab) -> dict[str, Any]:
    if tab is Tab.VAULT:
        return _conflicts(request)
    return _pairs(request, tab) if tab in triage.PAIRS else _rows(request, tab)


def _rows(request: PageRequest, tab: Tab) -> dict[str, Any]:
    page = _page(request)
    found = _narrowed(request, tab)
    rows = list(found.whole()[(page - 1) * PAGE : page * PAGE + 1])
    waiting = triage.explained(tab, rows[:PAGE], now=timezone.now())
    barred = {row.ref for row in rows if not curate.may_promote(row, request.member)}
    acts = [verb for verb in ACTS[tab] if verb != "promote" or len(barred) < len(rows)]
    return {"rows": waiting, "acts": acts, "promoted_by_others": barred, "page": page, "more": len(rows) > PAGE}


def _pairs(request: PageRequest, tab: Tab) -> dict[str, Any]:
    page = _page(request)
    found = triage.waiting_pairs(tab, by=request.member).with_sides()
    pairs = list(found[(page - 1) * PAIRS_PAGE : page * PAIRS_PAGE + 1])
    return {"pairs": triage.sides(pairs[:PAIRS_PAGE]), "page": page, "more": len(pairs) > PAIRS_PAGE}


def _conflicts(request: PageRequest) -> dict[str, Any]:
    page = _page(request)
    rows = list(triage.waiting_conflicts(by=request.member).with_insight()[(page - 1) * PAIRS_PAGE :][: PAIRS_PAGE + 1])
    return {"conflicts": [(one, sides(one)) for one in rows[:PAIRS_PAGE]], "page": page, "more": len(rows) > PAIRS_PAGE}


def _narrowed(request: PageRequest, tab: Tab) -> Any:
    rows = triage.waiting(tab, by=request.member, now=timezone.now())
    return InsightFilter(_filters(request.GET), rows).qs


def _filters(given: QueryDict) -> dict[str, str]:
    return {name: str(value) for name, value in given.items() if name in ("team", "kind", "tag", "repo") and value}


def _matching(request: PageRequest) -> list[str]:
    """All that the page which is named shows, on its other pages too."""
    path, _, query = request.GET.get("back", "").partition("?")
    given = QueryDict(query.partition("#")[0])
    tab = given.get("tab", "")
    if path.startswith("/insights/"):
        rows: Any = InsightFilter(given, Insight.objects.visible_to(request.member)).qs.order_by("-created_at", "-pk")
    else:
        queue = Tab(tab) if tab in list(Tab) and tab not in (*triage.PAIRS, Tab.VAULT) else Tab.NEW
        rows = InsightFilter(_filters(given), triage.waiting(queue, by=request.member, now=timezone.now())).qs
    return list(rows.values_list("ref", flat=True)[: bulk.MOST])


def _page(request: PageRequest) -> int:
    given = request.GET.get("page", "1")
    return int(given) if given.isdecimal() and 1 <= int(given) <= 10_000 else 1


def _counts_context(counts: Mapping[Tab, int], chosen: Tab | None) -> dict[str, Any]:
    """The counts as pages show them; `places`: where the sum of all stands in every page's navigation."""
    return {
        "tabs": [(one.value, WORDS[one][0], _counted(counts[one]), one is chosen) for one in Tab],
        "waiting": _counted(sum(counts.values())),
        "places": ("inbox-count", "inbox-count-small"),
    }


def _counted(count: int) -> str:
    return f"{COUNTED_UP_TO}+" if count > COUNTED_UP_TO else str(count)
