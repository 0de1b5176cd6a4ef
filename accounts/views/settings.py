"""The page of what one has set for oneself."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.actions.settings import choose
from accounts.authentication import PageRequest
from accounts.forms import SettingsForm
from accounts.rules.settings import SETTINGS


@login_required
@require_http_methods(["GET", "POST"])
def settings(request: PageRequest) -> HttpResponse:
    form = SettingsForm(request.POST or None, initial={one.name: getattr(request.user, one.name) for one in SETTINGS})
    chosen = form.attempt(choose, choices=form.cleaned_data, by=request.member) if form.is_valid() else None
    if chosen:
        messages.success(request, "Settings saved.")
        return redirect("accounts:settings")
    context = {"form": form, "settings": [(form[one.name], one) for one in SETTINGS]}
    return render(request, "accounts/settings.html", context)
