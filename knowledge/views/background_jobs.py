"""Long work asked for on a page, and how far it is: bringing notes in, grouping a team's topics anew."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.authentication import PageRequest
from accounts.rules.refused import NotFound
from knowledge.forms.background_jobs import BringForm
from knowledge.jobs.actions import background
from knowledge.models import BackgroundJob
from knowledge.querysets.background_jobs import BackgroundJobQuerySet

# As many as one looks back for.
SHOWN = 5


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def bring_in(request: PageRequest) -> HttpResponse:
    """Send notes; the worker makes insights of them, and the page tells how far it is, also when one comes back."""
    form = BringForm(request.POST or None, request.FILES or None, member=request.member)
    if form.is_valid():
        sent = {"by": request.member, "now": timezone.now()}
        if form.attempt(background.ask_import, **form.asked(), **sent):
            return redirect("knowledge:bring-in")
    context = {"form": form, "jobs": seen_by(request, BackgroundJob.Kind.IMPORT)[:SHOWN]}
    return render(request, "knowledge/insight_import.html", context)


@login_required
@never_cache
@require_GET
def job(request: PageRequest, job_id: int) -> HttpResponse:
    """How far one is: the part of the page that looks for it."""
    row = seen_by(request).filter(pk=job_id).first()
    if row is None:
        raise NotFound
    if not request.htmx:
        return redirect(_page(row))
    return render(request, "knowledge/_background_job.html", _job_context(row))


@login_required
@require_POST
def stop(request: PageRequest, job_id: int) -> HttpResponse:
    row = background.stop(job_id=job_id, by=request.member, now=timezone.now())
    what = "stopped" if row.over else "stops after the current batch"
    messages.success(request, f"The {NAMES[row.kind]} {what}. Finished work is kept.")
    return redirect(_page(row))


@login_required
@require_POST
def regroup(request: PageRequest) -> HttpResponse:
    """Group the topics of a team one leads anew, now."""
    background.ask_regroup(team=request.POST.get("team", "")[:60], by=request.member, now=timezone.now())
    return redirect(f"{reverse('knowledge:topics')}#regroup")


NAMES = {BackgroundJob.Kind.IMPORT.value: "import", BackgroundJob.Kind.REGROUP.value: "reclustering"}


def seen_by(request: PageRequest, kind: str = "") -> BackgroundJobQuerySet:
    rows: BackgroundJobQuerySet = BackgroundJob.objects.all().shown_to(request.member).newest()
    return rows.filter(kind=kind) if kind else rows


def _page(row: BackgroundJob) -> str:
    return "knowledge:topics" if row.kind == BackgroundJob.Kind.REGROUP else "knowledge:bring-in"


def _job_context(row: BackgroundJob) -> dict[str, Any]:
    return {"job": row, "arrived": row.over}
