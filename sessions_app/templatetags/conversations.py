"""What other pages show of conversations: with whom one shares them, where an insight was said, which match a search."""

from typing import Any

from django import template

from knowledge.models import Insight
from sessions_app.conversations.actions.origin import origin_of
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


@register.inclusion_tag("sessions_app/_origin.html", takes_context=True)
def conversation_of(context: dict[str, Any], insight: Insight) -> dict[str, Any]:
    """The passages that an insight quotes, and the conversations that it was deposited in."""
    return {"origin": origin_of(insight, by=context["request"].member)}


@register.inclusion_tag("sessions_app/_origin_line.html", takes_context=True)
def quotation_of(context: dict[str, Any], insight: Insight) -> dict[str, Any]:
    """The same for a row of a list: the passages alone."""
    return {"origin": origin_of(insight, by=context["request"].member)}
