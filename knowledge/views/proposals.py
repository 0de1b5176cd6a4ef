"""Suggested edits: the form, the page and the panel of one, and what is decided on it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.authentication import PageRequest
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member
from knowledge.forms.conflicts import TakeForm
from knowledge.forms.proposals import ApproveForm, DecisionForm, ProposeForm
from knowledge.models import BackgroundJob, EditProposal, Insight
from knowledge.review.actions.inbox_state import EDIT
from knowledge.review.proposals.actions import decide
from knowledge.review.proposals.actions.propose import withdraw
from knowledge.review.rules.proposed_changes import ProposedField, open_conflicts
from knowledge.rules.vocabulary import field_name
from knowledge.views import notices
from knowledge.views.background_jobs import replayed_questions
from knowledge.views.comments import thread
from knowledge.views.item import inbox_planned
from knowledge.views.writing import typed_text

DONE = {
    "approve": "approved",
    "reject": "rejected",
    "request-changes": "sent back for changes",
    "withdraw": "withdrawn",
}
# A refusal of these is about the whole request, and told as anywhere.
ELSEWHERE = (403, 404)


@dataclass(frozen=True)
class ShownChange:
    """One field of a suggestion: as it is and as it would be. `prose`: the text can be rendered, too."""

    label: str
    was: str
    now: str
    prose: bool = False


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def propose(request: PageRequest, ref: str) -> HttpResponse:
    """Suggest an edit of an insight, or revise one's own that is open. What changed meanwhile is shown; no typing is
    lost.
    """
    insight = Insight.objects.visible_to(request.member).whole().filter(ref=ref).first()
    if insight is None:
        raise NotFound
    request.member.require(insight.team_id, Level.CONTRIBUTOR)
    mine = EditProposal.objects.visible_to(request.member).unsettled().filter(proposed_by_id=request.member.user_id)
    there: EditProposal | None = mine.whole().filter(insight=insight, act=EditProposal.Act.EDIT).first()
    context: dict[str, Any] = {"insight": insight, "proposal": there}
    if request.method == "POST":
        form: Any = ProposeForm(request.POST)
        row = form.save(ref=ref, by=request.member, now=timezone.now()) if form.is_valid() else None
        if row:
            messages.success(request, f"Edit of {ref} suggested. A lead decides on it.")
            return redirect("knowledge:proposal", proposal_id=row.pk)
        if form.stale:
            context |= {"stale": True, "changed_since": form.changed_since(insight), "overlaps": form.overlaps(insight)}
            form = form.on_top_of(insight)
    elif there:
        merged = {field.name: field.merged for field in decide.fields_of(there)}
        form = ProposeForm.over(insight, merged, note=there.note)
    else:
        form = ProposeForm.of(insight)
    return render(request, "knowledge/proposal_edit.html", {**context, "form": form, **typed_text(form)})


@login_required
@never_cache
@require_GET
def proposal(request: PageRequest, proposal_id: int) -> HttpResponse:
    """The page of one."""
    row = decide.one_proposal(proposal_id=proposal_id, by=request.member)
    return render(
        request, "knowledge/proposal_detail.html", proposal_panel(row, request.member) | {"here": request.path}
    )


@login_required
@never_cache
@require_GET
def panel(request: PageRequest, proposal_id: int) -> HttpResponse:
    """The panel of one beside the list; without HTMX its page."""
    row = decide.one_proposal(proposal_id=proposal_id, by=request.member)
    if not request.htmx:
        return redirect("knowledge:proposal", proposal_id=row.pk)
    back = notices.own_path(request.GET.get("back", "")[:4_000])
    return render(request, "knowledge/_item_proposal.html", proposal_panel(row, request.member) | {"here": back})


@login_required
@require_POST
def decided(request: PageRequest, proposal_id: int, verb: str) -> HttpResponse:
    """approve, reject, request-changes, comment or withdraw; which one is set by the address."""
    row = decide.one_proposal(proposal_id=proposal_id, by=request.member)
    form = DecisionForm(request.POST)
    page = reverse("knowledge:proposal", args=[row.pk])
    # From a list, whose script has taken the row away.
    in_part = bool(request.htmx and request.POST.get("part"))
    if not form.is_valid():
        return _again(request, row, form, " ".join(str(one) for some in form.errors.values() for one in some), 400)
    try:
        _DO[verb](row.pk, form.cleaned_data, {"by": request.member, "now": timezone.now()})
    except Refused as refused:
        if refused.status in ELSEWHERE:
            raise
        if in_part:
            messages.error(request, f"{row.insight.ref}: {refused.in_full}")
            return notices.outcome(request, kept={str(row.pk): refused.in_full})
        return _again(request, row, form, refused.in_full, refused.status)
    if verb == "comment":
        messages.success(request, "Comment added.")
        return notices.back(form.cleaned_data["back"], otherwise=page)
    notices.undoable(request, f"Suggested {row.noun} of {row.insight.ref} {DONE[verb]}.", [["proposal", row.pk]])
    return notices.outcome(request) if in_part else notices.back(form.cleaned_data["back"], otherwise=page)


@login_required
@require_POST
def mentions_read(request: PageRequest, proposal_id: int) -> HttpResponse:
    """Take it out of one's mentions."""
    row = decide.read_mentions(proposal_id=proposal_id, by=request.member, now=timezone.now())
    messages.success(request, f"{row.insight.ref}: mention marked as read.")
    return notices.back(request.POST.get("back", "")[:4_000], otherwise=reverse("knowledge:proposal", args=[row.pk]))


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def edit_and_approve(request: PageRequest, proposal_id: int) -> HttpResponse:
    """The merged text in a form, to be made into what is approved."""
    row = decide.one_proposal(proposal_id=proposal_id, by=request.member)
    if not decide.may_decide(row, request.member) or row.act != EditProposal.Act.EDIT or row.needs_reviewer:
        return redirect("knowledge:proposal", proposal_id=row.pk)
    start = request.GET.get("start", "")
    context: dict[str, Any] = {"insight": row.insight, "proposal": row, "approving": True, "start": start}
    if request.method == "POST":
        form: Any = ApproveForm(request.POST)
        form.proposal_id = row.pk
        if form.is_valid() and form.save(ref=row.insight.ref, by=request.member, now=timezone.now()):
            notices.undoable(request, f"Suggested edit of {row.insight.ref} approved.", [["proposal", row.pk]])
            return redirect("knowledge:proposal", proposal_id=row.pk)
        if form.stale:
            # Whatever somebody has made of either meanwhile.
            row = decide.one_proposal(proposal_id=proposal_id, by=request.member)
            insight = row.insight
            context |= {"stale": True, "changed_since": form.changed_since(insight), "overlaps": form.overlaps(insight)}
            context |= {"insight": insight, "proposal": row}
            form = form.on_top_of(insight)
            form.data["seen"] = decide.mark_of(row)
    else:
        form = ApproveForm.of_proposal(row, start)
    context |= {**_three_ways(row), "compared": form.conflicts(row.insight)}
    return render(request, "knowledge/proposal_edit.html", {**context, "form": form, **typed_text(form)})


def _three_ways(row: EditProposal) -> dict[str, Any]:
    """The current text and the suggested one, side by side; what is no prose, and what both changed."""
    fields = {one.name: one for one in decide.fields_of(row)}
    current = {name: getattr(row.insight, name) for name in ("title", "body", "reasoning")}
    proposed = {name: fields[name].proposed if name in fields else said for name, said in current.items()}
    others = [one for name, one in fields.items() if name not in current]
    return {
        "current": current,
        "suggested": proposed,
        "other_fields": [_shown(one.name, one.now, one.proposed) for one in others],
        "since": _since_of(fields.values()),
        "in_conflict": _overlaps_of(fields.values()),
    }


def _since_of(fields: Iterable[ProposedField]) -> list[tuple[str, str, str]]:
    """Label, text as the proposer saw it and as it is now, of each field that was changed since."""
    changed = [one for one in fields if one.changed_since]
    return [(field_name(one.name).capitalize(), _text(one.name, one.base), _text(one.name, one.now)) for one in changed]


def _overlaps_of(fields: Iterable[ProposedField]) -> list[tuple[str, str, str]]:
    """Label, current and suggested text of each stretch that both changed differently."""
    return [(field_name(one.name).capitalize(), now, said) for one in fields for now, said in one.conflicts]


def proposal_panel(row: EditProposal, member: Member) -> dict[str, Any]:
    """What the page and the panel of a proposal show: what approving would change, and what changed since."""
    fields = decide.fields_of(row) if row.is_open else []
    mine = row.proposed_by_id == member.user_id
    return {
        "proposal": row,
        "insight": row.insight,
        "seen": decide.mark_of(row),
        "differences": [_shown(one.name, one.now, one.merged) for one in fields] or _as_decided(row),
        "since": _since_of(fields),
        "overlaps": _overlaps_of(fields),
        "conflicting": open_conflicts(fields),
        **thread(row, member),
        "may_decide": decide.may_decide(row, member),
        "may_turn_down": decide.may_turn_down(row, member),
        "may_approve": decide.may_approve(row, member),
        "reviewed_by_another": row.is_open and row.needs_reviewer,
        "no_reviewer": row.is_open and row.needs_reviewer and not decide.other_reviewers(row),
        **_replay(row, member),
        **_planned(row, member),
        "may_revise": row.is_open and mine and member.may(row.team_id, Level.CONTRIBUTOR),
    }


def _planned(row: EditProposal, member: Member) -> dict[str, Any]:
    if not row.is_open:
        return {}
    return inbox_planned(getattr(row, "inbox_state", None), f"{EDIT}{row.pk}", member, row.team_id)


def _replay(row: EditProposal, member: Member) -> dict[str, Any]:
    """The member's last replay of it, for who may decide."""
    if not decide.may_decide(row, member) or row.act != EditProposal.Act.EDIT:
        return {}
    jobs = BackgroundJob.objects.all().shown_to(member).filter(proposal=row, asked_by_id=member.user_id)
    job: BackgroundJob | None = jobs.newest().first()
    outdated = job is not None and job.asked_at < max(row.revised_at, row.insight.updated_at)
    return {"job": job, "outdated": outdated, "replayed": replayed_questions(job, member), "may_replay": True}


def _as_decided(row: EditProposal) -> list[ShownChange]:
    """What was proposed, beside what stood there, of one that is settled."""
    return [_shown(name, row.base[name], said) for name, said in row.changes.items()]


def _shown(name: str, was: Any, now: Any) -> ShownChange:
    return ShownChange(
        field_name(name).capitalize(), _text(name, was), _text(name, now), prose=name in ("body", "reasoning")
    )


def _text(name: str, value: Any) -> str:
    return TakeForm.text_of(name, value)


def _again(request: PageRequest, row: EditProposal, form: DecisionForm, fault: str, status: int) -> HttpResponse:
    """The page as it is now, with the fault and what was typed."""
    fresh = decide.one_proposal(proposal_id=row.pk, by=request.member)
    context = proposal_panel(fresh, request.member) | {"fault": fault, "typed": form.data.get("text", "")[:4_000]}
    return render(request, "knowledge/proposal_detail.html", context, status=status)


def _decision(action: Callable[..., Any]) -> Callable[[int, dict[str, Any], dict[str, Any]], Any]:
    return lambda pk, data, who: action(proposal_id=pk, why=data["text"], seen=data["seen"], **who)


_DO: dict[str, Callable[[int, dict[str, Any], dict[str, Any]], Any]] = {
    "approve": _decision(decide.approve),
    "reject": _decision(decide.reject),
    "request-changes": _decision(decide.request_changes),
    "comment": lambda pk, data, who: decide.comment(proposal_id=pk, text=data["text"], **who),
    "withdraw": lambda pk, data, who: withdraw(proposal_id=pk, **who),
}
