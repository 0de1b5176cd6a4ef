"""What a browser loads to show a page goes over the wire compressed."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

# Pages, style sheets, scripts, drawings. What agents get stays as it is: an ETag that is compared strongly (If-Match)
# does not outlive compression. A page's CSRF token is masked again each time, and Django pads what it compresses by a
# random length: what was typed into a page cannot be guessed by the length of the answer (BREACH).
COMPRESSED = frozenset({"text/html", "text/css", "text/javascript", "application/javascript", "image/svg+xml"})


class Compressed(GZipMiddleware):
    """Compresses whole answers of these types, for anyone who takes them so."""

    def process_response(self, request: HttpRequest, response: Any) -> HttpResponseBase:
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        if response.status_code != 200 or kind not in COMPRESSED:
            return response
        return super().process_response(request, _whole(response) if response.streaming else response)


def _whole(response: Any) -> HttpResponse:
    """A file of ours at once: it is small, and an ASGI server cannot wait for its parts without a thread for each."""
    whole = HttpResponse(b"".join(response.streaming_content), headers=dict(response.headers))
    response.close()
    return whole
