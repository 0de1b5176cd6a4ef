"""The lists behind the dashboard: what its numbers of questions, ratings and contradictions are made of."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.authentication import Member, PageRequest
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


@dataclass(frozen=True)
class MeasuredList:
    """One of the lists: its words, its form and table, which rows it finds, what it reads and shows of them."""

    title: str
    about: str
    noun: str
    empty: tuple[str, ...]
    form: type[QuestionListForm | SignalListForm | ContradictionListForm]
    table: RowTable
    found: Callable[..., QuerySet[Any]]
    read: Callable[[QuerySet[Any]], QuerySet[Any]]
    shown: Callable[[list[Any], Member], list[Any]]
    row_template: str


QUESTION_LIST = MeasuredList(
    title="Questions",
    about="Questions of your teams and whether insights answered them. Only your own are shown with their text.",
    noun="question",
    empty=("No questions", "Questions that agents ask are counted here.", "sessions:connect", "Connect an agent"),
    form=QuestionListForm,
    table=QUESTIONS,
    found=question_rows,
    read=lambda found: found.defer("text", "ask", "embedding"),
    shown=told_questions,
    row_template="sessions_app/_question_row.html",
)
RATING_LIST = MeasuredList(
    title="Ratings and uses",
    about="What agents and people said of insights, and when a returned insight was used.",
    noun="event",
    empty=("No ratings", "Agents rate insights they were served; people rate them on their pages."),
    form=SignalListForm,
    table=SIGNALS,
    found=signal_rows,
    read=lambda found: found.defer("embedding").select_related("insight", "user").prefetch_related("insight__former"),
    shown=named_signals,
    row_template="sessions_app/_rating_row.html",
)
CONTRADICTION_LIST = MeasuredList(
    title="Contradictions",
    about="Insights reported as contradicting, open and resolved.",
    noun="contradiction",
    empty=(
        "No contradictions",
        "Contradictions that agents or people report are listed here with how they were resolved.",
    ),
    form=ContradictionListForm,
    table=CONTRADICTIONS,
    found=contradiction_rows,
    read=lambda found: found.select_related("a", "b"),
    shown=lambda rows, member: rows,
    row_template="sessions_app/_contradiction_row.html",
)


@login_required
@require_GET
def measured_list(request: PageRequest, listed: MeasuredList) -> HttpResponse:
    """The rows of one list that the member may see, as the address filters and sorts them."""
    form = listed.form(request.GET, member=request.member)
    context: dict[str, Any] = {
        "form": form,
        "title": listed.title,
        "about": listed.about,
        "noun": listed.noun,
        "empty": listed.empty,
        "row_template": listed.row_template,
        "list_url": request.path,
    }
    if form.is_valid():
        found = listed.found(by=request.member, **form.asked())
        context |= table_page(request, listed.table, found, listed.read(found))
        context |= {"narrowed": any(form.cleaned_data.values())}
        context["rows"] = listed.shown(context["rows"], request.member)
    return render(request, "sessions_app/measured_list.html", context)
