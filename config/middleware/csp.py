"""Two content security policies: strict for all our pages, and a relaxed one for the admin and the API's page.

Both of those are other people's pages: Unfold evaluates expressions (Alpine), Swagger UI writes styles in line.
"""

from csp.middleware import CSPMiddleware, PolicyParts
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

RELAXED_PREFIXES = ("/admin/", "/api/v1/docs/")


class TwoPolicies(CSPMiddleware):
    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        if request.path.startswith(RELAXED_PREFIXES):
            parts.replace = settings.RELAXED_POLICY
        return parts
