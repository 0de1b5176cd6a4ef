"""What is done to one insight from its own page. Each is one call; what was done is told, with the way back."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.authentication import PageRequest
from accounts.rules.rights import TeamKind
from accounts.views.confirmation import ask_to_confirm
from knowledge.forms.insights import CombineForm, MoveForm, OwnerForm, RateForm, ReasonForm
from knowledge.lifecycle.actions.rate import rate as give
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import EditProposal, Insight
from knowledge.review.actions import bulk, combine
from knowledge.review.actions.curate import set_owner
from knowledge.review.actions.move import MovePlan, plan_move
from knowledge.review.actions.move import move as move_to
from knowledge.review.actions.revert import revert as take_back
from knowledge.review.proposals.actions import accept
from knowledge.review.proposals.actions.suggest import combine_or_suggest
from knowledge.views import notices


@login_required
@require_POST
def curated(request: PageRequest, ref: str, verb: str) -> HttpResponse:
    """promote, deprecate, leave, restore, pin or unpin; which one is set by the address."""
    why, marks = _why(request), {ref: request.POST.get("seen", "")[:80]}
    done = bulk.act(verb=verb, refs=[ref], by=request.member, now=timezone.now(), why=why, marks=marks)
    if done.changed:
        return notices.ask_again(verb, done.changed, why=why, back=reverse("knowledge:insight", args=[ref]))
    notices.notify(request, verb, done)
    return redirect("knowledge:insight", ref=ref)


@login_required
@require_POST
def validate(request: PageRequest, ref: str) -> HttpResponse:
    """It still holds."""
    return curated(request, ref, "validate")


@login_required
@require_POST
def owner(request: PageRequest, ref: str) -> HttpResponse:
    """Say who answers for it."""
    form = OwnerForm(request.POST)
    sent = {"ref": ref, "by": request.member, "now": timezone.now()}
    was = Insight.objects.visible_to(request.member).filter(ref=ref).values_list("owner__username", flat=True).first()
    done = form.attempt(set_owner, **form.cleaned_data, **sent) if form.is_valid() else None
    if done is None:
        return _again(request, ref, " ".join(str(fault) for some in form.errors.values() for fault in some))
    said = f"is owned by {done.owner.username}" if done.owner else "has no owner"
    notices.undoable(request, f"{ref} {said}.", [["owner back", ref, form.cleaned_data["owner"], was or ""]])
    return redirect("knowledge:insight", ref=ref)


@login_required
@require_POST
def combined(request: PageRequest, ref: str, verb: str) -> HttpResponse:
    """merge into another, supersede by another, or reinstate; which one is set by the address."""
    form = CombineForm(request.POST)
    if not form.is_valid() or (verb != "reinstate" and not form.cleaned_data["other"]):
        return _again(
            request, ref, "Enter the reference of the other insight, for example PLAT-7.", to="knowledge:near"
        )
    data = form.cleaned_data
    sent: dict[str, Any] = {"ref": ref, "by": request.member, "now": timezone.now(), "why": data["why"]}
    home, at = f"/insights/{ref}/", request.POST.get("next", "")[:40]
    if verb == "reinstate":
        combine.reinstate(**sent)
    else:
        made = combine_or_suggest(act=verb, other=data["other"], **sent)
        if isinstance(made, EditProposal):
            notices.suggested(request, [made])
            return notices.back(data["back"], otherwise=home, at=at)
    words = {
        "merge": f"{ref} merged into {data['other']}; its text is kept there.",
        "supersede": f"{ref} superseded by {data['other']}.",
        "reinstate": f"{ref} restored.",
    }
    notices.undoable(request, words[verb], [] if verb == "reinstate" else [["reinstate", ref]])
    return notices.back(data["back"], otherwise=home, at=at)


@login_required
@require_POST
def unmerge(request: PageRequest, ref: str, corroboration: int) -> HttpResponse:
    """What was merged into it is a row of its own again."""
    now = timezone.now()
    row = combine.unmerge(ref=ref, corroboration=corroboration, by=request.member, now=now, why=_why(request))
    messages.success(request, f"{row.ref} unmerged.")
    return redirect("knowledge:insight", ref=ref)


@login_required
@require_POST
def accept_retelling(request: PageRequest, ref: str, corroboration: int) -> HttpResponse:
    """A re-telling in other words counts as agreement."""
    accept.accept_retelling(ref=ref, corroboration=corroboration, by=request.member, now=timezone.now())
    notices.undoable(request, f"Corroboration of {ref} accepted.", [["retelling", ref, corroboration]])
    return notices.back(f"/insights/{ref}/", at="corroborations")


@login_required
@require_POST
def accept_link(request: PageRequest, pair_id: int) -> HttpResponse:
    """Two belong together, as an agent stated."""
    pair = accept.accept_link(pair_id=pair_id, by=request.member, now=timezone.now())
    notices.undoable(request, f"Link of {pair.a.ref} and {pair.b.ref} accepted.", [["link", pair.pk]])
    return notices.back(request.POST.get("back", ""), otherwise=f"/insights/{pair.a.ref}/", at="related")


@login_required
@require_POST
def move(request: PageRequest, ref: str) -> HttpResponse:
    """To another team, where it has another reference; first who could read it there and what goes along is shown."""
    form = MoveForm(request.POST)
    if not form.is_valid():
        return _again(request, ref, "Choose a team.")
    data: dict[str, Any] = form.cleaned_data
    plan = plan_move(ref=ref, team=data["team"], by=request.member)
    asked = ask_to_confirm(
        request,
        title=f"Move {ref} to {plan.there.name}?",
        lines=_consequences(plan),
        button=f"Move to {plan.there.name}",
        cancel=reverse("knowledge:insight", args=[ref]),
        harmless=not plan.wider,
    )
    if asked:
        return asked
    row = move_to(ref=ref, team=data["team"], by=request.member, now=timezone.now(), why=data["why"])
    words = f"{ref} moved to {row.team.name} as {row.ref}."
    notices.undoable(request, words, [["move back", row.ref, row.revision]])
    return redirect("knowledge:insight", ref=row.ref)


def _consequences(plan: MovePlan) -> list[str]:
    """What a move does, in words."""
    here, there = plan.insight.team.name, plan.there.name
    said = [
        f"{plan.readers} {_people(plan.readers)} of {there} will be able to read it and get it in answers; "
        f"{plan.wider} of them cannot read it now{': ' + ', '.join(plan.named) if plan.named else ''}.",
    ]
    if plan.there.kind is not TeamKind.EVERYONE:
        said.append(f"Members of {here} who are not in {there} will no longer be able to read it.")
    if plan.corroborations or plan.ratings:
        along = [_count(n, noun) for n, noun in ((plan.corroborations, "merged text"), (plan.ratings, "rating")) if n]
        said.append(f"{' and '.join(along)} {'goes' if plan.corroborations + plan.ratings == 1 else 'go'} along.")
    said.append(f"Questions and names of other members stay in {here}.")
    if plan.insight.author:
        said.append(f"It stays {plan.insight.author.username}’s insight: its author is shown.")
    if plan.older:
        said.append(f"What it superseded goes along: {', '.join(row.ref for row in plan.older[:10])}.")
    if plan.demoted:
        said.append(f"It arrives as a draft, because you are not a lead of {there}.")
    if plan.pairs:
        said.append(f"{_count(plan.pairs, 'open pair')} with insights that stay will be dismissed.")
    return [*said, "You can undo this from your recent actions until somebody changes it there."]


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _people(count: int) -> str:
    return "member" if count == 1 else "members"


@login_required
@require_POST
def rate(request: PageRequest, ref: str) -> HttpResponse:
    """Helpful or not: a person's word counts three times an agent's."""
    form = RateForm(request.POST)
    if not form.is_valid():
        return _again(request, ref, "Choose helpful or unhelpful.")
    data = form.cleaned_data
    verdict = SignalKind(data["verdict"])
    rated = give(refs=[ref], verdict=verdict, by=request.member, now=timezone.now(), reason=data["why"])
    words = "stronger" if verdict is SignalKind.HELPFUL else "weaker"
    said = f"Rating saved: {ref} is {words}." if rated[0].counted else f"You have already rated {ref} this way."
    messages.success(request, said)
    return redirect("knowledge:insight", ref=ref)


@login_required
@require_POST
def revert(request: PageRequest, ref: str) -> HttpResponse:
    """Take back its last change, if nothing came after the revision that is on the page."""
    given = request.POST.get("revision", "")
    revision = int(given) if given.isdecimal() and len(given) < 10 else 0
    take_back(ref=ref, revision=revision, by=request.member, now=timezone.now())
    messages.success(request, f"Reverted: {ref}.")
    return redirect("knowledge:insight", ref=ref)


def _why(request: PageRequest) -> str:
    form = ReasonForm(request.POST)
    return str(form.cleaned_data["why"]) if form.is_valid() else ""


def _again(request: PageRequest, ref: str, words: str, to: str = "knowledge:insight") -> HttpResponse:
    """Back with what was missing; of an insight that is not theirs to see nobody learns even that."""
    get_object_or_404(Insight.objects.visible_to(request.member), ref=ref)
    messages.error(request, words)
    return redirect(to, ref=ref)
