"""Pages on which a team marks days on the time axis of its dashboard."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from accounts.authentication import PageRequest
from accounts.views.confirmation import ask_to_confirm
from sessions_app.actions.annotations import (
    annotate,
    change_annotation,
    one_annotation,
    remove_annotation,
)
from sessions_app.forms import AnnotationForm, NewAnnotationForm


@login_required
@require_http_methods(["GET", "POST"])
def add_annotation(request: PageRequest) -> HttpResponse:
    """Mark a day; what is at fault stands beside what was typed."""
    form = NewAnnotationForm(request.POST or None, member=request.member)
    sent = {"by": request.member, "now": timezone.now()}
    done = form.attempt(annotate, **form.cleaned_data, **sent) if form.is_valid() else None
    if done:
        messages.success(request, "Annotation added.")
        return redirect("sessions:dashboard")
    return render(request, "sessions_app/annotation_edit.html", {"form": form})


@login_required
@require_http_methods(["GET", "POST"])
def edit_annotation(request: PageRequest, annotation_id: int) -> HttpResponse:
    """Change its day or text. What somebody else made of it meanwhile is shown first; no typing is lost."""
    row = one_annotation(annotation_id=annotation_id, by=request.member)
    form = AnnotationForm(request.POST) if request.method == "POST" else AnnotationForm.of(row)
    sent = {"annotation_id": annotation_id, "by": request.member, "now": timezone.now()}
    done = form.attempt(change_annotation, **form.cleaned_data, **sent) if form.is_valid() else None
    if done:
        messages.success(request, "Annotation saved.")
        return redirect("sessions:dashboard")
    if form.stale:
        context = {"form": form.on_top_of(row), "annotation": row, "meanwhile": row}
        return render(request, "sessions_app/annotation_edit.html", context, status=412)
    return render(request, "sessions_app/annotation_edit.html", {"form": form, "annotation": row})


@login_required
@require_POST
def drop_annotation(request: PageRequest, annotation_id: int) -> HttpResponse:
    """Take it from the time axis, once that was confirmed."""
    row = one_annotation(annotation_id=annotation_id, by=request.member)
    asked = ask_to_confirm(
        request,
        title="Remove the annotation?",
        lines=[str(row), f"It disappears from the charts of {row.team.name}. The activity log keeps it."],
        button="Remove",
        cancel=reverse("sessions:dashboard"),
    )
    if asked:
        return asked
    remove_annotation(annotation_id=annotation_id, by=request.member, now=timezone.now())
    messages.success(request, "Annotation removed.")
    return redirect("sessions:dashboard")
