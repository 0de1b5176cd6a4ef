"""Comments on what awaits review: the thread beneath it, and on a pair the form that adds to it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.authentication import PageRequest
from accounts.rules.rights import Level, Member
from knowledge.forms.proposals import CommentForm
from knowledge.models import EditProposal, Pair
from knowledge.review.proposals.actions import comments, mention
from knowledge.views import notices

# So many members are named beside the comment; all can be mentioned.
NAMED = 12


def thread(row: EditProposal | Pair, member: Member) -> dict[str, Any]:
    """What a page shows of the comments on something, and of the form for another."""
    said = list(row.thread(member))
    unread = [one for each in said for one in each.mentions.all() if one.user_id == member.user_id and not one.read_at]
    return {
        # A note stands above as what it is.
        "comments": [one for one in said if one.decision != mention.SUGGESTED],
        "noted": [one for one in said if one.decision == mention.SUGGESTED],
        "mentionable": list(_names(row, member)[:NAMED]),
        "mentioned": bool(unread),
        "may_comment": all(member.may(team_id, Level.CONTRIBUTOR) for team_id in mention.teams_of(row)),
    }


def _names(row: EditProposal | Pair, member: Member) -> Any:
    """Whom the member can mention."""
    return mention.mentionable(row).exclude(user_id=member.user_id).values_list("user__username", flat=True)


@login_required
@require_POST
def on_pair(request: PageRequest, pair_id: int) -> HttpResponse:
    """Say something about a pair."""
    get_object_or_404(Pair.objects.visible_to(request.member), pk=pair_id)
    form = CommentForm(request.POST)
    sent = {"pair_id": pair_id, "by": request.member, "now": timezone.now()}
    done = form.attempt(comments.comment_on_pair, text=form.cleaned_data["text"], **sent) if form.is_valid() else None
    if done:
        messages.success(request, "Comment added.")
    else:
        messages.error(request, " ".join(str(fault) for some in form.errors.values() for fault in some))
    return _back(request, pair_id)


@login_required
@require_POST
def read_on_pair(request: PageRequest, pair_id: int) -> HttpResponse:
    """Take a pair out of one's mentions."""
    row = comments.read_pair_mentions(pair_id=pair_id, by=request.member, now=timezone.now())
    messages.success(request, f"{row.a.ref} and {row.b.ref}: mention marked as read.")
    return _back(request, pair_id)


def _back(request: PageRequest, pair_id: int) -> HttpResponse:
    """To where it was written; of a pair that is on no list, to the pair."""
    return notices.back(request.POST.get("back", "")[:4_000], otherwise=reverse("knowledge:pair-item", args=[pair_id]))
