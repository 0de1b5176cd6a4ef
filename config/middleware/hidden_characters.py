"""No page shows characters that turn a line around or that nobody sees, whatever wrote them and wherever they stand."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from accounts.rules.guard.detection import strip_invisible


class Plain:
    """The last net behind the doors, which take none in, and the templates, which show none of a text: a team's name,
    a person's, a line of a file, a row from before the doors knew better.
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
