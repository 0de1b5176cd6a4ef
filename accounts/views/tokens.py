"""Pages of one's tokens."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.actions.tokens import issue_token, revoke_token
from accounts.authentication import PageRequest
from accounts.forms import TokenForm
from accounts.models import ApiToken


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def tokens(request: PageRequest) -> HttpResponse:
    """One's own tokens; a POST makes one and shows its secret, in this answer and never again."""
    member, now = request.member, timezone.now()
    form = TokenForm(request.POST or None, member=member)
    issued = form.attempt(issue_token, **form.token(now), by=member, now=now) if form.is_valid() else None
    if issued:
        form = TokenForm(member=member)
    rows = ApiToken.objects.visible_to(member).prefetch_related("teams").order_by("-created_at")
    context = {
        "form": form,
        "issued": issued,
        "tokens": [(token, token.state(now)) for token in rows],
    }
    return render(request, "accounts/token_list.html", context)


@login_required
@require_POST
def revoke(request: PageRequest, token_id: int) -> HttpResponse:
    token = revoke_token(token_id=token_id, by=request.member, now=timezone.now())
    messages.success(request, f"Token “{token.name}” revoked. It can no longer be used.")
    return redirect("accounts:tokens")
