"""The section of the settings page on with whom one shares conversations."""

from typing import Any

from django import template

from sessions_app.conversations.actions.share import sharing_of
from sessions_app.forms import SharingForm

register = template.Library()


@register.inclusion_tag("sessions_app/_sharing.html", takes_context=True)
def session_sharing(context: dict[str, Any]) -> dict[str, Any]:
    """One's rows, and the form for another."""
    request = context["request"]
    return {
        "rows": sharing_of(by=request.member),
        "form": SharingForm(member=request.member, auto_id="sharing_%s"),
        "csrf_token": context.get("csrf_token"),
    }
