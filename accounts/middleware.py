"""Pages get the same Member that agents get."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from accounts.actions.members import member_of


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
