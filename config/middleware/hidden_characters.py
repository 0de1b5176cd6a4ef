"""Remove characters that reverse a line or are invisible from all pages, no matter who wrote them."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from accounts.rules.guard.detection import strip_invisible


class Plain:
    """The last safeguard, after the interfaces, which accept none in texts, and the templates, which show none: for a
    team's or a person's name, a line of a file, or a row older than these checks.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        if answer.streaming or not answer.headers.get("Content-Type", "").startswith("text/html"):
            return answer
        plain = strip_invisible(answer.content.decode(answer.charset))
        if plain.count:
            answer.content = plain.text
            if "Content-Length" in answer.headers:
                answer.headers["Content-Length"] = str(len(answer.content))
        return answer
