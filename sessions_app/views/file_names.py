"""Files suggested while somebody writes an insight."""

from django.contrib.auth.decorators import login_required
from django.http import JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.authentication import PageRequest
from sessions_app.actions.index import file_names


@login_required
@never_cache
@require_GET
def suggested(request: PageRequest) -> JsonResponse:
    """Paths with `q` in them, of the repository `repo` where one is given: {"files": […]}."""
    typed, repo = (request.GET.get(name, "")[:200].replace("\0", "") for name in ("q", "repo"))
    return JsonResponse({"files": file_names(typed=typed, repo=repo, by=request.member)})
