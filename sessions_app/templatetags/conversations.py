"""What other pages show of conversations: with whom one shares them, where an insight was said, what matches."""

from typing import Any

from django import template

from knowledge.forms.insights import SearchForm
from knowledge.models import Insight
from knowledge.retrieval.actions.retrieve import Retrieved
from sessions_app.conversations.actions.origin import changes_of, origin_of, quotes_of
from sessions_app.conversations.actions.overview import repositories_of
from sessions_app.conversations.actions.search import matches
from sessions_app.conversations.actions.show import served
from sessions_app.forms import TURNS, sharing_teams
from sessions_app.models import Passage

register = template.Library()


@register.inclusion_tag("sessions_app/_sharing.html", takes_context=True)
def session_sharing(context: dict[str, Any]) -> dict[str, Any]:
    """With whom one shares each repository, and the choices there are."""
    request = context["request"]
    return {
        "repositories": repositories_of(by=request.member),
        "teams": list(sharing_teams(request.member).items()),
        "turns": TURNS,
        "csrf_token": context.get("csrf_token"),
    }


@register.inclusion_tag("sessions_app/_origin.html", takes_context=True)
def conversation_of(context: dict[str, Any], insight: Insight) -> dict[str, Any]:
    """The passages that an insight quotes, the conversations that it was deposited in, and what may have changed it."""
    member = context["request"].member
    return {"origin": origin_of(insight, by=member), "changes": changes_of(insight, by=member)}


@register.inclusion_tag("sessions_app/_origin_line.html", takes_context=True)
def quotation_of(context: dict[str, Any], insight: Insight) -> dict[str, Any]:
    """The same for a row of a list: the passages alone, with how often each was served. Two statements."""
    member = context["request"].member
    quotes = quotes_of(insight, by=member)
    found = served(Passage.objects.visible_to(member).filter(pk__in=[row.pk for row in quotes]), member)
    return {"quotes": [(row, found.get(row.pk)) for row in quotes]}


# Filters of the search that conversations know too; with another one set, insights alone are looked for.
KNOWN_FILTERS = {"team", "repo"}


@register.inclusion_tag("sessions_app/_matches.html", takes_context=True)
def conversations_for(context: dict[str, Any], form: SearchForm, answer: Retrieved) -> dict[str, Any]:
    """The conversations that match a search of the insights, and it is noted which were shown."""
    if set(form.active) - KNOWN_FILTERS:
        return {"matches": []}
    member = context["request"].member
    return {"matches": matches(ask=form.ask(), vector=answer.vector, by=member, query_id=answer.query_id)}
