"""Two content security policies: a strict one for our pages, and a relaxed one for the admin and the API's page.

The latter are third-party pages: Unfold evaluates expressions (Alpine), Swagger UI uses inline styles.
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
