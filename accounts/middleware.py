"""Pages get the same Member that agents get."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from accounts.actions.members import member_of
from accounts.actions.turns import turns


class MemberMiddleware:
    """`request.member` for a logged-in person, built when first looked at; None for a visitor."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated:
            user = request.user
            request.member = SimpleLazyObject(lambda: member_of(user=user))  # type: ignore[attr-defined]
        else:
            request.member = None  # type: ignore[attr-defined]
        return self.get_response(request)


class TakesTurns:
    """Gives back at the end of a call the turn that it took (accounts/authentication.py)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        taken: list[int] = []
        request.turns = taken  # type: ignore[attr-defined]
        try:
            return self.get_response(request)
        finally:
            for team_id in taken:
                turns.give_back(team_id)


class Private:
    """Keeps what is one person's out of shared caches, and has browsers ask again: pages of who is signed in, what
    agents are answered, and the pages of signing in. What says otherwise itself is left alone.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        if "Cache-Control" not in answer:
            answer["Cache-Control"] = "private, no-cache"
        return answer
