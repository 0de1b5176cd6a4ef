"""Compress the pages, style sheets, scripts and images that a browser loads."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

# Pages, style sheets, scripts, drawings. Answers to agents are not compressed, because a strongly compared ETag
# (If-Match) does not survive compression. A page's CSRF token is masked differently each time, and Django pads
# compressed pages by a random length, so text typed into a page cannot be guessed from its length (BREACH).
COMPRESSED = frozenset({"text/html", "text/css", "text/javascript", "application/javascript", "image/svg+xml"})


class Compressed(GZipMiddleware):
    """Compresses complete responses of these types, if the client accepts it."""

    def process_response(self, request: HttpRequest, response: Any) -> HttpResponseBase:
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        if response.status_code != 200 or kind not in COMPRESSED:
            return response
        return super().process_response(request, _whole(response) if response.streaming else response)


def _whole(response: Any) -> HttpResponse:
    """Read a static file at once: it is small, and an ASGI server would need a thread for each of its parts."""
    whole = HttpResponse(b"".join(response.streaming_content), headers=dict(response.headers))
    response.close()
    return whole
