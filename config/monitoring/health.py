"""`/healthz`: the process answers. `/readyz`: so do all its dependencies. For load balancers and supervisors."""

from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.monitoring.readiness import parts


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Return 503 if a needed part is down; otherwise 200, with `degraded` if another part is. Callers without the right
    see only the names of parts; the doctor has the details.
    """
    found = parts(now=timezone.now())
    ready = all(part.ok for part in found if part.needed)
    status = "ok" if all(part.ok for part in found) else "degraded"
    shown = {part.name: "ok" if part.ok else "failing" for part in found}
    return JsonResponse({"status": status if ready else "unready", "parts": shown}, status=200 if ready else 503)
