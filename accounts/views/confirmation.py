"""A question before an act that cannot simply be undone: the same form again, with what it would do."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

CONFIRMED = "confirmed"
# Sent by the page that asks, or rebuilt by it.
NOT_SENT_ON = ("csrfmiddlewaretoken", CONFIRMED)


def ask_to_confirm(
    request: HttpRequest, *, title: str, lines: Sequence[str], button: str, cancel: str, **context: Any
) -> HttpResponse | None:
    """Return the page that asks, or None when it was asked and the answer is yes. `lines`: what will happen."""
    if request.POST.get(CONFIRMED):
        return None
    sent = [(name, value) for name, values in request.POST.lists() if name not in NOT_SENT_ON for value in values]
    asked = {"title": title, "lines": lines, "button": button, "cancel": cancel, "sent": sent}
    return render(request, "confirm.html", asked | context)
