"""What the header and the side menu link to, and where the reader is."""

from dataclasses import dataclass

from django import template
from django.http import HttpRequest
from django.urls import reverse

register = template.Library()


@dataclass(frozen=True)
class NavItem:
    label: str
    url: str
    current: bool
    counted: bool = False


@register.filter
def navigation(request: HttpRequest) -> list[NavItem]:
    """The main links, the one of this page marked; `counted`: how much waits there is told beside it."""
    items = [
        ("Inbox", reverse("knowledge:inbox")),
        ("Insights", reverse("knowledge:insights")),
        ("Topics", reverse("knowledge:topics")),
        ("Skills", reverse("skills:skills")),
        ("Sessions", reverse("sessions:sessions")),
        ("Evidence", reverse("evidence:evidence")),
        ("Dashboard", reverse("sessions:dashboard")),
    ]
    return [NavItem(label, url, _is_here(request.path, url), counted=label == "Inbox") for label, url in items]


@register.filter
def side_navigation(request: HttpRequest) -> list[NavItem]:
    """What is one's own and of one's teams, in the account's menu. `Admin` only for staff."""
    items = [
        ("Preferences", reverse("accounts:preferences")),
        ("Teams", reverse("accounts:teams")),
        ("Activity", reverse("sessions:activity")),
        ("Tokens", reverse("accounts:tokens")),
        ("Connect", reverse("sessions:connect")),
        ("Settings", reverse("accounts:settings")),
    ]
    if request.user.is_staff:
        items.append(("Admin", reverse("admin:index")))
    return [NavItem(label, url, _is_here(request.path, url)) for label, url in items]


# Pages that are part of another without standing under its address.
INBOX = ("/inbox/", "/contradictions/", "/duplicates/", "/proposals/", "/pairs/", "/conflicts/")
ALSO = {"/sessions/": ("/friction/",)}


def _is_here(path: str, url: str) -> bool:
    return path == "/" or path.startswith(INBOX) if url == "/" else path.startswith((url, *ALSO.get(url, ())))
