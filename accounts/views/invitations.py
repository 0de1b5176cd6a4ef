"""Pages of links into a team: a lead makes them, anyone who holds one comes in."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.actions import invitations as actions
from accounts.authentication import INVITATION, PageRequest
from accounts.forms import InvitationForm
from accounts.rules.invitations import digest_of
from accounts.rules.rights import Level
from accounts.views.teams import access_to, team_page


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def invitations(request: PageRequest, slug: str) -> HttpResponse:
    """The team's page again; a POST makes a link and shows it, in this answer and never again."""
    access = access_to(request, slug)
    request.member.require(access.id, Level.LEAD)
    form = InvitationForm(request.POST or None)
    sent = {"by": request.member, "now": timezone.now()}
    made = form.attempt(actions.invite, team_slug=slug, **form.cleaned_data, **sent) if form.is_valid() else None
    if made is None:
        return team_page(request, access, invite=form)
    link = f"{request.build_absolute_uri(reverse('accounts:join'))}?{INVITATION}={made.secret}"
    return team_page(request, access, invited=made.invitation, link=link)


@login_required
@require_POST
def uninvited(request: PageRequest, slug: str, invitation_id: int) -> HttpResponse:
    actions.revoke_invitation(team_slug=slug, invitation_id=invitation_id, by=request.member, now=timezone.now())
    messages.success(request, "Link revoked. Members who joined with it stay.")
    return redirect("accounts:team", slug=slug)


@never_cache
@require_http_methods(["GET", "POST"])
def join(request: PageRequest) -> HttpResponse:
    """What the link offers, to anybody who holds it. A POST comes in."""
    if INVITATION in request.GET:
        return _redirect_without_secret(request)
    digest, now = request.session.get(INVITATION, ""), timezone.now()
    offer = actions.offered(digest=digest, now=now)
    if offer is None:
        return render(request, "accounts/join_over.html", status=404)
    if request.method == "GET" or request.member is None:
        return render(request, "accounts/join.html", {"offer": offer, "may_sign_up": settings.LOAM_INVITED_SIGN_UP})
    joined = actions.join(digest=digest, by=request.member, now=now)
    del request.session[INVITATION]
    messages.success(request, _welcome(joined))
    return redirect("accounts:team", slug=joined.team_slug)


def _redirect_without_secret(request: PageRequest) -> HttpResponse:
    """On without the secret in the address, where a history, a proxy's log or a next page's Referer would show it.

    It is kept for this browser as its digest; one that lets nobody in is not, so that visitors make no sessions.
    """
    digest = digest_of(request.GET[INVITATION])
    if actions.offered(digest=digest, now=timezone.now()):
        request.session[INVITATION] = digest
    else:
        request.session.pop(INVITATION, None)
    onward = redirect("accounts:join")
    onward["Referrer-Policy"] = "no-referrer"
    return onward


def _welcome(joined: actions.JoinedTeam) -> str:
    if joined.new:
        return f"Welcome! You are now a {joined.level} of {joined.team_name}."
    return f"You are already a member of {joined.team_name}, as {joined.level}. Nothing was changed."
