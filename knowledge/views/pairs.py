"""What is done to several pairs at once, by a script that has taken their rows off the list."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.authentication import PageRequest
from knowledge.forms.queues import PairsForm
from knowledge.review.proposals.actions.settle_pairs import SettledPairs, settle_pairs
from knowledge.views import notices

DONE = {"dismiss": "dismissed", "merge": "merged", "keep": "resolved"}


@login_required
@require_POST
def settle_many(request: PageRequest) -> HttpResponse:
    """Dismiss several pairs, or keep a side of each: one message, one undo."""
    form = PairsForm(request.POST)
    if not form.is_valid() or not form.choices:
        messages.error(request, "Not resolved: choose an action and select pairs.")
        return notices.back(request.POST.get("back", ""))
    how = form.cleaned_data["how"]
    done = settle_pairs(how=how, choices=form.choices, by=request.member, now=timezone.now())
    _notify(request, how, done)
    if request.htmx and request.POST.get("part"):
        kept = {str(number): refused.in_full for number, refused in done.refused.items()}
        return notices.outcome(request, kept=kept | dict.fromkeys(map(str, done.suggested), notices.SUGGESTED))
    return notices.back(form.cleaned_data["back"])


def _notify(request: PageRequest, how: str, done: SettledPairs) -> None:
    if done.pairs:
        one = done.pairs[0]
        subject = f"{one.a.ref} and {one.b.ref}:" if len(done.pairs) == 1 else f"{len(done.pairs)} pairs"
        notices.undoable(request, f"{subject} {DONE[how]}.", [["reopen", pair.pk] for pair in reversed(done.pairs)])
    notices.suggested(request, list(done.suggested.values()))
    if done.refused:
        why = "; ".join(dict.fromkeys(str(refused) for refused in [*done.refused.values()][:5]))
        messages.warning(request, f"{len(done.refused)} skipped. {why}")
