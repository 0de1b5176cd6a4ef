"""Map exceptions to responses, in one place: RFC 9457 problem documents for agents, pages for people."""

import logging
import sys
from collections.abc import Callable
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from redis.exceptions import RedisError
from rest_framework import exceptions
from rest_framework.permissions import SAFE_METHODS
from rest_framework.views import exception_handler, set_rollback

from accounts.actions.refusals import log_refusal
from accounts.querysets import was_stopped
from accounts.rules.problems import document, flat, of_refused
from accounts.rules.refused import Refused
from accounts.rules.rights import TeamStopped

logger = logging.getLogger("loam.errors")

API = "/api/"
REST = "/api/v1/"


def problem(error: Exception, context: dict[str, Any]) -> HttpResponse | None:
    """Return the response to an exception, for Django REST framework. It is JSON whatever renderer the view has."""
    refused = _refused(error)
    if refused:
        set_rollback()
        _log(refused, context["request"])
        return _answer(_told_of_moves(of_refused(refused), context["request"]), _again(refused))
    if isinstance(error, RequestDataTooBig):
        return _answer(document(413, "The request body is too large."))
    known = exception_handler(error, context)
    if known is None:
        return None
    status = known.status_code
    if isinstance(error, exceptions.ValidationError):
        body = document(status, "The request is invalid.", errors=flat(error.detail))
    else:
        body = _told_of_moves(document(status, str(getattr(error, "detail", error))), context["request"])
    return _answer(body, {k: v for k, v in known.items() if k in ("WWW-Authenticate", "Retry-After", "Allow")})


def _refused(error: Exception) -> Refused | None:
    """Return the refusal, also if the database raised it because writes to the team were stopped during the write."""
    if isinstance(error, DatabaseError) and was_stopped(error):
        return TeamStopped()
    return error if isinstance(error, Refused) else None


def _again(refused: Refused) -> dict[str, str]:
    return {"Retry-After": str(refused.retry_after)} if refused.retry_after else {}


def _told_of_moves(body: dict[str, Any], request: Any) -> dict[str, Any]:
    """Add to a 404 where a team of the caller's has moved to; only its members are told."""
    moved = getattr(getattr(request, "member", None), "moved", ())
    if body["status"] != 404 or not moved:
        return body
    told = " ".join([body["detail"], *(one.sentence for one in moved)])
    return body | {"detail": told, "moved": [{"team": one.slug, "address": one.address} for one in moved]}


def _log(error: Refused, request: Any) -> None:
    """Log a refused write that leads should know of. A failure to log must not change the response."""
    member = getattr(request, "member", None)
    if not error.team_id or not member or request.method in SAFE_METHODS:
        return
    call = f"{request.method} {request.path.removeprefix(REST)}"
    try:
        log_refusal(error=error, call=call, by=member, now=timezone.now())
    except DatabaseError:
        logger.exception("A refused action could not be logged.")


def _answer(body: dict[str, Any], headers: dict[str, str] | None = None) -> HttpResponse:
    answer = as_json(body)
    for name, value in (headers or {}).items():
        answer[name] = value
    return answer


# In seconds. The Retry-After of refusals that have none: allauth limits logins by the minute.
COME_AGAIN = "60"


class RefusedMiddleware:
    """Turns a Refused raised by a page's view into a page; under /api/ nothing is answered in HTML."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path:  # no such address exists, and PostgreSQL would reject it
            return handler404(request)
        answer = self.get_response(request)
        if answer.status_code == 429 and "Retry-After" not in answer:
            answer["Retry-After"] = COME_AGAIN
        return answer

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        refused = _refused(error)
        if refused is None:
            return None
        _log(refused, request)
        answer = answer_refused(request, refused)
        for name, value in _again(refused).items():
            answer[name] = value
        return answer


def answer_refused(request: HttpRequest, error: Refused) -> HttpResponse:
    """Return the refusal in the form for the caller: JSON, a note in the page, or a page."""
    if request.path.startswith(API):
        return as_json(of_refused(error))
    if getattr(request, "htmx", None):
        note = render(request, "_refused_note.html", {"refused": error}, status=error.status)
        note["HX-Retarget"], note["HX-Reswap"] = "#messages", "innerHTML"
        return note
    template = "404.html" if error.status == 404 else "refused.html"
    return render(request, template, {"refused": error, "typed": typed(request)}, status=error.status)


# Limits of the texts of a rejected form that are shown again: their number, and the length of each.
WORTH_KEEPING = 20
MOST_TYPED = 6
# Fields that nobody typed, or that no page shows again.
NOT_TYPED = ("csrfmiddlewaretoken", "back", "next", "query", "seen", "token")


def typed(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the fields and texts of a rejected form, to show them again: the page it was sent from may no longer
    exist.
    """
    found = [
        (name.replace("_", " ").capitalize(), text)
        for name, text in request.POST.items()
        if isinstance(text, str)
        and len(text.strip()) >= WORTH_KEEPING
        and not name.startswith(("initial-", *NOT_TYPED))
        and "password" not in name
    ]
    return found[:MOST_TYPED]


def as_json(body: dict[str, Any]) -> JsonResponse:
    return JsonResponse(body, status=body["status"], content_type="application/problem+json")


def _handler(status: int, detail: str) -> Callable[..., HttpResponse]:
    def handle(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
        if request.path.startswith(API):
            return as_json(document(status, detail))
        return render(request, f"{status}.html", status=status)

    return handle


_senseless = _handler(400, "The request could not be understood.")
_too_large = _handler(413, "The request body is too large.")
handler403 = _handler(403, "You do not have permission to do this.")
handler404 = _handler(404, "Not found.")
_broken = _handler(500, "Internal server error; it was logged.")
_away = _handler(503, "A part of the server (its database or its cache) is not responding. Try again in a few seconds.")


def handler400(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Return 413, not 400, for oversized bodies; Django uses one exception for both."""
    return (_too_large if isinstance(exception, RequestDataTooBig) else _senseless)(request)


# Temporary failures: the database is down, starting or out of connections, or ended one of two transactions in a
# deadlock; the cache is down.
PASSING = (OperationalError, InterfaceError, RedisError)
# In seconds; a restart of PostgreSQL is faster.
BACK_SOON = "5"


def handler500(request: HttpRequest) -> HttpResponse:
    """Return the response to an unhandled exception, in a view or in a middleware."""
    if not isinstance(sys.exception(), PASSING):
        return _broken(request)
    answer = _away(request)
    answer["Retry-After"] = BACK_SOON
    return answer


@csrf_exempt
def no_such_endpoint(request: HttpRequest) -> HttpResponse:
    """Return a problem document for an unknown address under /api/v1/, for any method."""
    return as_json(document(404, "Unknown endpoint."))
