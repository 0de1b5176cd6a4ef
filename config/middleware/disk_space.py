"""Refuse writes with 507 on a nearly full disk. Reads are still answered, and logins, which reading needs."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

from accounts.adapters.disk_space import lacking_room
from accounts.rules.refused import Refused
from config.errors import answer_refused

READING = ("GET", "HEAD", "OPTIONS")
# Reads that have a body, and signing in and out; the rows that these write are few and small.
READS = {"api:query", "api:why-not", "api:surface", "api:evidence-search"}
READS |= {"account_login", "account_logout", "mfa_authenticate", "admin:login", "admin:logout"}


class NoRoom(Refused):
    code = "no_room"
    status = 507


class RoomMiddleware:
    """Refuses before the view is called. MCP's tools pass through here as REST calls."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        if request.method in READING or (request.resolver_match and request.resolver_match.view_name in READS):
            return None
        lack = lacking_room()
        if not lack:
            return None
        return answer_refused(
            request, NoRoom(f"{lack} Nothing was written. Writes are accepted again once there is space.")
        )
