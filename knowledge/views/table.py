"""What is done with the table of insights as it is narrowed: export it, edit many of its rows at once."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from accounts.authentication import PageRequest
from knowledge.forms.bulk_edit import BulkEditForm
from knowledge.review.actions import bulk
from knowledge.review.actions.bulk_edit import bulk_edit
from knowledge.review.actions.export_table import INSIGHTS, exported_rows
from knowledge.views import notices
from knowledge.views.insights import narrowed
from knowledge.views.listing import csv_file
from knowledge.views.queues import matching


@login_required
@require_GET
def export(request: PageRequest) -> HttpResponseBase:
    """A CSV file of the insights that the address narrows to."""
    rows = narrowed(request).whole().order_by("pk")
    return csv_file("insights", exported_rows(INSIGHTS, rows, by=request.member, now=timezone.now()))


@login_required
@require_http_methods(["GET", "POST"])
def edit_many(request: PageRequest) -> HttpResponse:
    """Tags, kind, repository and owner of the selected insights, or of all that match."""
    given = request.POST or request.GET
    back = given.get("back", "")[:4_000]
    refs = matching(request.member, back) if given.get("all") else [ref[:24] for ref in given.getlist("ref")]
    if not refs:
        messages.error(request, "Select insights to edit.")
        return notices.back(back, otherwise="/insights/")
    form = BulkEditForm(request.POST or None)
    if form.is_valid():
        done = bulk_edit(
            refs=refs[: bulk.MOST],
            change=form.change(),
            by=request.member,
            now=timezone.now(),
            why=form.cleaned_data["why"],
        )
        if done.rows:
            count = len(done.rows)
            words = f"{count} insight{'' if count == 1 else 's'} edited: {form.change().words}."
            notices.undoable(request, words, done.steps)
        notices.suggested(request, done.suggested)
        if done.unchanged:
            messages.info(request, f"{done.unchanged} had these values already.")
        if done.refused:
            why = "; ".join(f"{ref}: {refused}" for ref, refused in done.refused[:5])
            messages.warning(request, f"{len(done.refused)} skipped. {why}")
        return notices.back(back, otherwise="/insights/")
    context = {"form": form, "refs": refs[: bulk.MOST], "back": notices.own_path(back, otherwise="/insights/")}
    return render(request, "knowledge/bulk_edit.html", context | {"full": len(refs) > bulk.MOST, "most": bulk.MOST})
