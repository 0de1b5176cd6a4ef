"""Pages of conversations: reading one, forgetting it, and making an insight of what was said in it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods
from django.views.decorators.vary import vary_on_headers

from accounts.authentication import PageRequest
from accounts.rules.refused import NotAllowed
from knowledge.judging.actions.deposit import preview
from sessions_app.conversations.actions.forget import forget_conversation
from sessions_app.conversations.actions.quote import quote, select
from sessions_app.conversations.actions.show import forgettable, readable_session, show_page
from sessions_app.forms import ConversationForm, QuoteForm, chosen


@login_required
@require_GET
@vary_on_headers("HX-Request")
def conversation(request: PageRequest, name: str) -> HttpResponse:
    """What was said in a session, as far as one may read it; HTMX gets the passages alone."""
    row = readable_session(name=name, by=request.member)
    asked = ConversationForm(request.GET).asked()
    context = {
        "session": row,
        "shown": show_page(session=row, by=request.member, **asked),
        "readable": row.team_id in request.member.team_ids,
    }
    part = request.htmx and not request.htmx.history_restore_request
    template = "sessions_app/_conversation.html" if part else "sessions_app/conversation.html"
    return render(request, template, context)


@login_required
@require_http_methods(["GET", "POST"])
def forget(request: PageRequest, name: str) -> HttpResponse:
    """What would be deleted of what was said in a session; a POST deletes it."""
    member = request.member
    row = readable_session(name=name, by=member)
    if request.method == "POST":
        why = request.POST.get("why", "").replace("\0", "")[:400]
        gone = forget_conversation(name=name, why=why, by=member, now=timezone.now())
        messages.success(request, f"Conversation of {row.ref} forgotten: {gone:,} passages.")
        if row.team_id in member.team_ids:
            return redirect("sessions:session", name=row.ref)
        return redirect("sessions:sessions")
    going = forgettable(session=row, by=member)
    if not going.whole and not going.passages:
        raise NotAllowed("Only the session's user or a lead can forget its conversation.")
    return render(request, "sessions_app/conversation_forget.html", {"session": row, "going": going})


@login_required
@require_http_methods(["GET", "POST"])
def quoted(request: PageRequest, name: str) -> HttpResponse:
    """An insight of the passages that were chosen, with what the team knows already beside it; a POST deposits it."""
    member, now = request.member, timezone.now()
    row = readable_session(name=name, by=member)
    posted = request.method == "POST"
    sent = (request.POST if posted else request.GET).getlist("passage")
    selection = select(session=row, positions=chosen(sent), by=member)
    form = QuoteForm(request.POST if posted else None, selection=selection)
    if posted and "save" in request.POST and form.is_valid():
        done = form.attempt(quote, selection=selection, draft=form.draft(), by=member, now=now)
        if done:
            merged = done.outcome == "merged"
            messages.success(
                request,
                f"{done.insight.ref} already says this: corroborated, with a quote from this conversation."
                if merged
                else f"{done.insight.ref} saved with a quote from this conversation.",
            )
            return redirect("knowledge:insight", ref=done.insight.ref)
    context: dict[str, Any] = {"session": row, "selection": selection, "form": form, "preview": None}
    if form.suggested or form.is_valid():
        context["preview"] = form.attempt(preview, draft=form.draft(), by=member, now=now)
    context["back"] = reverse("sessions:conversation", kwargs={"name": row.ref})
    return render(request, "sessions_app/conversation_quote.html", context)
