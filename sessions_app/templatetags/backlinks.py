"""What names an insight: other insights and skills."""

from typing import Any

from django import template

from knowledge.models import Insight
from knowledge.retrieval.actions.backlinks import insights_naming
from skills.actions.backlinks import skills_naming

register = template.Library()


@register.inclusion_tag("knowledge/_backlinks.html", takes_context=True)
def backlinks(context: dict[str, Any], insight: Insight) -> dict[str, Any]:
    """Those that the reader may see."""
    member = context["request"].member
    return {
        "naming": insights_naming(insight, by=member),
        "teaching": skills_naming(insight.names(), by=member),
        "insight": insight,
    }
