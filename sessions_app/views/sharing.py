"""Pages of with whom one shares conversations: what sharing would show, sharing, unsharing."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from accounts.authentication import PageRequest
from sessions_app.conversations.actions.share import preview, share, share_as_all, unshare
from sessions_app.forms import SharingForm, UnsharingForm
from sessions_app.transcripts.rules.speakers import SharedTurns


@login_required
@require_http_methods(["GET", "POST"])
def sharing(request: PageRequest) -> HttpResponse:
    """What a team would see of one's sessions; a POST shares them."""
    posted = request.method == "POST"
    form = SharingForm(request.POST if posted else request.GET, member=request.member)
    asked = form.asked()
    done = form.attempt(share, **asked, by=request.member, now=timezone.now()) if posted and asked else None
    if done:
        kept = done.row.team_id == request.member.home_id
        messages.success(
            request, f"{form.what} are private." if kept else f"{form.what} are now shared with {form.team_name}."
        )
        return redirect("accounts:settings")
    seen = preview(repo=asked["repo"], turns=SharedTurns(asked["turns"]), by=request.member) if asked else None
    return render(request, "sessions_app/sharing.html", {"form": form, "preview": seen})


@login_required
@require_POST
def unshared(request: PageRequest) -> HttpResponse:
    """Share a repository's sessions, or all, no more; or remove what was set for one."""
    form = UnsharingForm(request.POST)
    if form.is_valid() and form.cleaned_data["as_all"]:
        share_as_all(repo=form.cleaned_data["repo"], by=request.member, now=timezone.now())
        messages.success(request, "Setting removed. What is set for all repositories applies.")
    elif form.is_valid():
        back = unshare(repo=form.cleaned_data["repo"], by=request.member, now=timezone.now())
        messages.success(request, f"Sharing stopped. {back:,} passages are private again.")
    return redirect("accounts:settings")
