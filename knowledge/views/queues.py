"""What the queues of the inbox hold: the rows of one page, and the panel of the one that is selected."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.http import QueryDict
from django.utils import timezone

from accounts.authentication import PageRequest
from accounts.rules.rights import Member
from knowledge.filters import InsightFilter
from knowledge.forms.insights import AS_AGENT
from knowledge.models import EditProposal, Insight, Pair
from knowledge.querysets.edit_proposals import EditProposalQuerySet
from knowledge.querysets.insights import InsightQuerySet
from knowledge.review.actions import bulk, triage
from knowledge.review.actions.offered_acts import BY_QUEUE, queue_acts
from knowledge.review.rules.triage import MOST_OF_ONE, Tab
from knowledge.views import item
from knowledge.views.proposals import proposal_panel

# Two screens of rows: acts take rows away without asking for the page again, so it may be long.
PAGE = 50
PAIRS_PAGE = 30
# What the bar of several selected pairs offers, with its name, the usual one first: many suspected duplicates differ in
# a figure, so that merging is not. Who is right in a contradiction is looked at one by one.
PAIR_ACTS = {
    Tab.PROPOSED: (("keep", "Accept"), ("dismiss", "Reject, keep both")),
    Tab.CONTRADICTIONS: (("dismiss", "Dismiss"),),
    Tab.DUPLICATES: (("dismiss", "Dismiss"), ("merge", "Merge")),
}

# What a queue says that is narrowed to the rows of one contributor.
ONLY_BY = dict.fromkeys(triage.PAIRS, "Only pairs raised by") | {
    Tab.EDITS: "Only edits suggested by",
    Tab.MENTIONS: "Only mentions by",
    Tab.NEW: "Only drafts that nobody else supports but",
    Tab.STALE: "Only insights that nobody else reported stale but",
}

# As PAIR_ACTS, of several suggested edits, each of which is decided as it is suggested.
EDIT_ACTS = (("approve", "Approve"), ("reject", "Reject"))


def queue_items(request: PageRequest, tab: Tab, curators: item.Curators) -> dict[str, Any]:
    """The rows of the queue, and the panel of the one that is selected: by `at`, else the first."""
    return {"only_by": ONLY_BY.get(tab, ""), **_queue_items(request, tab, curators)}


def _queue_items(request: PageRequest, tab: Tab, curators: item.Curators) -> dict[str, Any]:
    if tab is Tab.VAULT:
        return _conflicts(request)
    if tab is Tab.EDITS:
        return _edits(request)
    if tab is Tab.MENTIONS:
        return _mentions(request, curators)
    if tab is Tab.SNOOZED:
        return _snoozed(request, curators)
    return (_pairs if tab in triage.PAIRS else _rows)(request, tab, curators)


def _rows(request: PageRequest, tab: Tab, curators: item.Curators) -> dict[str, Any]:
    page, contributor, now = _page(request), _contributor(request), timezone.now()
    if page == 1 and not contributor and not _narrows(request):
        rows = triage.first_waiting(tab, PAGE + 1, by=request.member, now=now)
    else:
        found = _narrowed(request.member, tab, request.GET, page * PAGE + 1)
        rows = list(found.in_queue()[(page - 1) * PAGE : page * PAGE + 1])
    waiting = triage.explained(tab, rows[:PAGE], now=now)
    acts = {row.pk: queue_acts(tab, row, request.member) for row in rows}
    chosen = _chosen(rows[:PAGE], request.GET.get("at", ""), lambda row: row.ref)
    offered = [verb for verb in BY_QUEUE[tab] if any(verb in found for found in acts.values())]
    context = {"rows": [(one, acts[one.insight.pk]) for one in waiting], "bulk_verbs": offered, "page": page}
    context |= {"contributor": contributor, "hidden": []}
    if tab in triage.GROUPED and _asks_hidden(contributor, page, rows):
        left = _narrowing(request.member, request.GET)
        context["hidden"] = triage.hidden_insights(tab, by=request.member, now=now, narrowed=left)
    why = next((one.why for one in waiting if one.insight is chosen), None)
    context |= {"more": len(rows) > PAGE, "chosen": chosen}
    if chosen is None:
        return context
    whole = item.row_of(request.member, chosen.ref, tab)
    return {**context, **item.insight_panel(whole, request.member, tab, why, curators)}


def _pairs(request: PageRequest, tab: Tab, curators: item.Curators) -> dict[str, Any]:
    page, contributor = _page(request), _contributor(request)
    waits = _assigned(request, triage.waiting_pairs(tab, by=request.member, now=timezone.now()))
    if page == 1 and not contributor and not _narrows(request):
        pairs = triage.first_pairs(tab, PAIRS_PAGE + 1, by=request.member, now=timezone.now())
    else:
        shown = triage.shown_rows(waits, contributor)
        pairs = list(shown.in_queue()[(page - 1) * PAIRS_PAGE : page * PAIRS_PAGE + 1])
    at = request.GET.get("at", "") or next((str(pair.pk) for pair in pairs), "")
    chosen = item.pair_at(at, request.member)
    context = {
        "pairs": pairs[:PAIRS_PAGE],
        "page": page,
        "more": len(pairs) > PAIRS_PAGE,
        "hidden": triage.hidden_rows(waits) if _asks_hidden(contributor, page, pairs) else [],
        "contributor": contributor,
        "chosen": chosen,
        "gone": bool(at) and chosen is None,
        "pair_acts": PAIR_ACTS[tab],
    }
    return {**context, **(item.pair_panel(chosen, request.member, curators) if chosen else {})}


def _snoozed(request: PageRequest, curators: item.Curators) -> dict[str, Any]:
    """Insights, pairs and suggested edits in one list, each with until when it is snoozed."""
    found, page = _rows(request, Tab.SNOOZED, curators), _page(request)
    some_edits = _assigned(request, triage.snoozed_proposals(by=request.member, now=timezone.now())).whole()
    edits = list(some_edits[(page - 1) * PAIRS_PAGE : page * PAIRS_PAGE + 1])
    some = _assigned(request, triage.snoozed_pairs(by=request.member, now=timezone.now())).in_queue()
    pairs = list(some[(page - 1) * PAIRS_PAGE : page * PAIRS_PAGE + 1])
    more = found["more"] or len(pairs) > PAIRS_PAGE or len(edits) > PAIRS_PAGE
    context = {**found, "pairs": pairs[:PAIRS_PAGE], "edits": edits[:PAIRS_PAGE], "more": more}
    at = request.GET.get("at", "")
    chosen = next((row for row in (*pairs, *edits) if at == _at(row)), None)
    if chosen is None and found["chosen"] is None:
        chosen = next(iter((*pairs, *edits)), None)
    if isinstance(chosen, EditProposal):
        return {**context, **proposal_panel(chosen, request.member), "chosen": chosen}
    return {**context, **_pair(chosen, request.member, curators)} if chosen else context


def _edits(request: PageRequest) -> dict[str, Any]:
    page, contributor = _page(request), _contributor(request)
    waits = _assigned(request, triage.waiting_proposals(by=request.member, now=timezone.now()))
    context = _proposals(request, triage.shown_rows(waits, contributor))
    hidden = triage.hidden_rows(waits) if _asks_hidden(contributor, page, context["edits"]) else []
    return {**context, "contributor": contributor, "hidden": hidden}


def _proposals(request: PageRequest, found: EditProposalQuerySet) -> dict[str, Any]:
    page = _page(request)
    rows = list(found.whole()[(page - 1) * PAIRS_PAGE : page * PAIRS_PAGE + 1])
    chosen = _chosen(rows[:PAIRS_PAGE], request.GET.get("at", ""), lambda row: str(row.pk))
    context = {"edits": rows[:PAIRS_PAGE], "page": page, "more": len(rows) > PAIRS_PAGE, "chosen": chosen}
    context["decisions"] = EDIT_ACTS
    return {**context, **(proposal_panel(chosen, request.member) if chosen else {})}


def _mentions(request: PageRequest, curators: item.Curators) -> dict[str, Any]:
    """Suggested edits and pairs in one list; `at` names a pair as `pair-7`."""
    page, at, contributor = _page(request), request.GET.get("at", ""), _contributor(request)
    found = _proposals(request, triage.mentions(by=request.member, contributor=contributor))
    some = triage.pair_mentions(by=request.member, contributor=contributor).in_queue()
    pairs = list(some[(page - 1) * PAIRS_PAGE : page * PAIRS_PAGE + 1])
    context = {**found, "pairs": pairs[:PAIRS_PAGE], "more": found["more"] or len(pairs) > PAIRS_PAGE}
    context |= {"contributor": contributor, "hidden": [] if contributor else triage.hidden_mentions(by=request.member)}
    chosen = next((pair for pair in pairs[:PAIRS_PAGE] if f"pair-{pair.pk}" == at), None)
    if chosen is None and found["chosen"] is None:
        chosen = next(iter(pairs), None)
    return {**context, "proposal": None, **_pair(chosen, request.member, curators)} if chosen else context


def _contributor(request: PageRequest) -> str:
    """Whose rows alone are asked for."""
    return _by(request.GET)


def _by(given: QueryDict) -> str:
    return str(given.get("by", ""))[:150].replace("\0", "")


def _asks_hidden(contributor: str, page: int, rows: Sequence[Any]) -> bool:
    """Whether rows of somebody may be left out: they are only beside as many that are listed."""
    return not contributor and (page > 1 or len(rows) >= MOST_OF_ONE)


def _at(row: Pair | EditProposal) -> str:
    """How an address names a pair or a suggested edit in a list of several kinds."""
    return f"edit-{row.pk}" if isinstance(row, EditProposal) else str(row.pk)


def _pair(row: Pair, member: Member, curators: item.Curators) -> dict[str, Any]:
    """The panel of the pair of a row."""
    whole = item.pair_at(str(row.pk), member)
    return {"chosen": row, **item.pair_panel(whole, member, curators)} if whole else {"gone": True}


def _conflicts(request: PageRequest) -> dict[str, Any]:
    page = _page(request)
    rows = list(triage.waiting_conflicts(by=request.member).with_insight()[(page - 1) * PAIRS_PAGE :][: PAIRS_PAGE + 1])
    chosen = _chosen(rows[:PAIRS_PAGE], request.GET.get("at", ""), lambda row: str(row.pk))
    context = {"conflicts": rows[:PAIRS_PAGE], "page": page, "more": len(rows) > PAIRS_PAGE, "chosen": chosen}
    return {**context, **(item.conflict_panel(chosen) if chosen else {})}


def _chosen(rows: Sequence[Any], at: str, name: Callable[[Any], str]) -> Any:
    """The row that is selected; None of an empty list."""
    return next((row for row in rows if name(row) == at), rows[0] if rows else None)


def _narrows(request: PageRequest) -> bool:
    """Whether the address leaves out rows of the queue."""
    return bool(_filters(request.GET) or request.GET.get("owner") or request.GET.get("assigned"))


def _narrowed(member: Member, tab: Tab, given: QueryDict, most: int) -> InsightQuerySet:
    """The rows of a queue that the address leaves, as many as are wanted."""
    left, shown = _narrowing(member, given), triage.shown_insights(tab, _by(given))
    return triage.waiting(tab, by=member, now=timezone.now(), most=most, narrowed=lambda rows: shown(left(rows)))


def _narrowing(member: Member, given: QueryDict) -> triage.Narrowing:
    """What leaves the rows of a queue that the filters of the address say."""
    filters = _filters(given)

    def narrowed(rows: InsightQuerySet) -> InsightQuerySet:
        kept = assigned(rows, given, member)
        found: InsightQuerySet = InsightFilter(filters, kept).qs if filters else kept
        return found

    return narrowed


def _assigned(request: PageRequest, rows: Any) -> Any:
    return assigned(rows, request.GET, request.member)


def assigned(rows: Any, given: Mapping[str, Any], member: Member) -> Any:
    """The rows of a queue narrowed to those `assigned` to the member (`me`) or to `nobody`, and to those of topics that
    the member owns (`owner=me`).
    """
    to = given.get("assigned", "")
    if given.get("owner") == "me":
        rows = rows.of_owner(member.user_id)
    if to not in ("me", "nobody"):
        return rows
    return rows.assigned_to(member.user_id if to == "me" else None)


def _filters(given: QueryDict) -> dict[str, str]:
    return {name: str(value) for name, value in given.items() if name in ("team", "kind", "tag", "repo") and value}


def _page(request: PageRequest) -> int:
    given = request.GET.get("page", "1")
    return int(given) if given.isdecimal() and 1 <= int(given) <= 10_000 else 1


def matching(member: Member, address: str) -> list[str]:
    """References of all that the page of this address shows, on its other pages too: one more than an act takes, if
    there are more.
    """
    path, _, query = address.partition("?")
    given = QueryDict(query.partition("#")[0], mutable=True)
    tab = given.get("tab", "")
    if path.startswith("/insights/"):
        if given.get("rank") != AS_AGENT and given.get("q"):
            given["text"] = given.get("q", "")
        given.pop("q", None)
        rows: Any = InsightFilter(given, Insight.objects.visible_to(member)).qs.order_by("-created_at", "-pk")
    else:
        queue = (
            Tab(tab) if tab in list(Tab) and tab not in (*triage.PAIRS, Tab.VAULT, Tab.EDITS, Tab.MENTIONS) else Tab.NEW
        )
        rows = _narrowed(member, queue, given, bulk.MOST + 1)
    return list(rows.values_list("ref", flat=True)[: bulk.MOST + 1])
