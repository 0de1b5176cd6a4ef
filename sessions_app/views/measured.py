"""The lists behind the dashboard: what its numbers of questions, ratings and contradictions are made of."""

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.authentication import PageRequest
from knowledge.review.rules.table import RowTable
from knowledge.views.listing import table_page
from sessions_app.actions.measured_rows import (
    contradiction_rows,
    named_signals,
    question_rows,
    signal_rows,
    told_questions,
)
from sessions_app.forms import ContradictionListForm, QuestionListForm, SignalListForm
from sessions_app.rules.measured_tables import CONTRADICTIONS, QUESTIONS, SIGNALS


@login_required
@require_GET
def questions(request: PageRequest) -> HttpResponse:
    """Questions of one's teams, dated and counted; the words of one's own."""
    form = QuestionListForm(request.GET, member=request.member)
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        found = question_rows(by=request.member, **form.asked())
        context |= _page(request, form, QUESTIONS, found, found.defer("text", "ask", "embedding"))
        context["rows"] = told_questions(context["rows"], request.member)
    return render(request, "sessions_app/question_list.html", context)


@login_required
@require_GET
def ratings(request: PageRequest) -> HttpResponse:
    """Ratings and uses of the insights of one's teams."""
    form = SignalListForm(request.GET, member=request.member)
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        found = signal_rows(by=request.member, **form.asked())
        rows = found.defer("embedding").select_related("insight", "user").prefetch_related("insight__former")
        context |= _page(request, form, SIGNALS, found, rows)
        context["rows"] = named_signals(context["rows"], request.member)
    return render(request, "sessions_app/rating_list.html", context)


@login_required
@require_GET
def contradiction_history(request: PageRequest) -> HttpResponse:
    """Contradictions of one's teams, open and settled."""
    form = ContradictionListForm(request.GET, member=request.member)
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        found = contradiction_rows(by=request.member, **form.asked())
        context |= _page(request, form, CONTRADICTIONS, found, found.select_related("a", "b"))
    return render(request, "sessions_app/contradiction_list.html", context)


def _page(request: PageRequest, form: forms.Form, table: RowTable, found: Any, rows: Any) -> dict[str, Any]:
    return table_page(request, table, found, rows) | {"narrowed": any(form.cleaned_data.values())}
