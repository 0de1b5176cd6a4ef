"""What a page says after an act, with the way to take it back and with what waits then."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from accounts.authentication import PageRequest
from accounts.rules.guard.detection import strip_invisible
from knowledge.forms.insights import UNDO
from knowledge.models import EditProposal, Insight, UndoableAction
from knowledge.review.actions import triage
from knowledge.review.actions.bulk import Done
from knowledge.review.actions.optimistic_lock import Changed
from knowledge.review.actions.recent_actions import record_action
from knowledge.review.rules.triage import AWAITING, COUNTED_UP_TO, Tab
from knowledge.review.rules.version_token import in_words

# What each act made of an insight, and what takes it back (an act of `bulk.undo`).
DONE = {
    "promote": "promoted",
    "deprecate": "deprecated",
    "restore": "restored as draft",
    "leave": "dismissed",
    "pin": "pinned",
    "unpin": "unpinned",
    "validate": "validated",
    "helpful": "rated helpful",
    "forget": "forgotten; erased in 30 days",
    "release": "released with secrets redacted",
    "allow": "released; terms added to the allowlist",
}
REVERTED = ("promote", "deprecate", "restore", "leave", "pin", "unpin", "validate")


def notify(request: HttpRequest, verb: str, done: Done) -> None:
    """One message for what was done, with the way back, and one for what was refused."""
    if done.rows:
        refs = [row.ref for row in done.rows]
        subject = f"{refs[0]}" if len(refs) == 1 else f"{len(refs)} insights"
        undoable(request, f"{subject} {DONE[verb]}.", [step for row in done.rows for step in _back(verb, row)])
    suggested(request, done.suggested)
    if done.refused:
        why = "; ".join(f"{ref}: {refused}" for ref, refused in done.refused[:5])
        messages.warning(request, f"{len(done.refused)} skipped. {why}")


def suggested(request: HttpRequest, rows: Sequence[EditProposal]) -> None:
    """One message for what was suggested instead of done, with the way back."""
    if rows:
        one = rows[0]
        what = f"{one.noun.capitalize()} of {one.insight.ref}" if len(rows) == 1 else f"{len(rows)} changes"
        words = f"{what} suggested: needs another reviewer."
        undoable(request, words, [["withdraw", row.pk] for row in rows])


def saved(request: HttpRequest, made: Insight | EditProposal, *, was: Insight) -> None:
    """A message that an edit was saved, with the way back if it changed anything; or that it was suggested."""
    if isinstance(made, EditProposal):
        suggested(request, [made])
        return
    steps = [["undo edit", made.ref, made.revision]] if made.revision != was.revision else []
    undoable(request, f"{made.ref} saved.", steps)


def report_changed(request: HttpRequest, verb: str, changed: Sequence[Changed]) -> None:
    """One message for each that somebody else changed since it was seen: what they did."""
    for one in changed[:5]:
        lines = " ".join(in_words(line.actor, line.line, line.before, line.after) for line in one.lines)
        words = f"{one.ref} not {DONE[verb].split(';')[0]}: it has changed since you opened the page. {lines}"
        messages.warning(request, strip_invisible(words).text.strip())


# As many as an address bears.
ASKED_AGAIN = 40


def ask_again(verb: str, changed: Sequence[Changed], *, why: str, back: str) -> HttpResponse:
    """To the page that says what an act would do, with what happened meanwhile, and what was typed."""
    some = changed[:ASKED_AGAIN]
    asked = {"verb": verb, "why": why, "back": back, "ref": [one.ref for one in some]}
    seen = [f"{one.ref} {one.mark}" for one in some]
    return redirect(f"{reverse('knowledge:plan')}?{urlencode(asked | {'seen': seen}, doseq=True)}")


def undoable(request: HttpRequest, words: str, steps: Sequence[Sequence[Any]]) -> None:
    """A message with an undo button, and a line among one's recent actions, if there are steps that take it back."""
    extra = ""
    if steps:
        member = request.member  # type: ignore[attr-defined]
        extra = f"{UNDO}{record_action(line=words, steps=steps, by=member, now=timezone.now()).pk}"
    messages.success(request, words, extra_tags=extra)


def undone(request: HttpRequest, words: str, before: UndoableAction | None) -> None:
    """A message of what was undone; with the act before it on the same row, it has the undo button of that one."""
    if before is None:
        messages.success(request, words)
    else:
        messages.success(request, f"{words} Before that: {before.line}", extra_tags=f"{UNDO}{before.pk}")


def listed(request: HttpRequest, words: str) -> None:
    """A message of what nothing takes back, and a line among one's recent actions."""
    member = request.member  # type: ignore[attr-defined]
    record_action(line=words, steps=[], by=member, now=timezone.now())
    messages.success(request, words)


def back(path: str, otherwise: str = "", at: str = "") -> HttpResponse:
    """To the page somebody came from, if it is one of ours. `at`: the part of it to be at."""
    page = own_path(path, otherwise)
    return redirect(f"{urlsplit(page)._replace(fragment='').geturl()}#{at}" if at else page)


def own_path(path: str, otherwise: str = "") -> str:
    """That page if it is one of ours."""
    ours = path.startswith("/") and url_has_allowed_host_and_scheme(path, allowed_hosts=None)
    return path if ours else otherwise or reverse("knowledge:inbox")


def _back(verb: str, row: Insight) -> list[list[Any]]:
    if verb in REVERTED:
        return [["revert", row.ref, row.revision]]
    return [["restore", row.ref]] if verb == "forget" else []


# What the queues are called, and what is in each.
WORDS = {
    Tab.PROPOSED: (
        "Supersessions",
        "Proposed supersessions of promoted or pinned insights, and of drafts that an agent may not supersede:"
        " dissimilar, of another repository, waiting here themselves, or above the daily limit.",
    ),
    Tab.EDITS: ("Suggested edits", "Edits that members and agents suggest. Nothing changes until you approve."),
    Tab.MENTIONS: (
        "Mentions",
        "Suggested edits and pairs in which a comment mentions you, and drafts of yours that others superseded.",
    ),
    Tab.NEW: ("New", "Drafts with positive feedback, and insights that ratings have promoted."),
    Tab.QUOTED: ("Conversations", "Drafts proposed from conversations that were served to several people."),
    Tab.CONTRADICTIONS: ("Contradictions", "Insights that contradict each other."),
    Tab.DUPLICATES: ("Duplicates", "Similar insights: merge what says the same, dismiss what does not."),
    Tab.DECAYING: (
        "Fading",
        "Promoted insights that will soon be deprecated because nobody uses them, or that several people object to.",
    ),
    Tab.STALE: ("Stale", "Insights whose source files have changed."),
    Tab.QUARANTINED: ("Quarantined", "Insights in which a secret was found. They are not served."),
    Tab.VAULT: ("Vault", "Edits of vault files that could not be applied. Nothing was overwritten."),
    Tab.DRAFTS: (
        "Other drafts",
        "Drafts that nobody has reviewed or rated yet.",
    ),
    Tab.SNOOZED: ("Snoozed", "Items hidden until a date, or until the insight is used again."),
}
NOTHING_KEPT: Mapping[str, str] = {}
# What a row says that has become a suggestion.
SUGGESTED = "another reviewer has to approve it."
CHANGED = "it has changed since you opened the page."
# The addresses under which the queues are shown.
QUEUES = ("inbox", "contradictions", "duplicates")


def outcome(request: PageRequest, *, kept: Mapping[str, str] = NOTHING_KEPT) -> HttpResponse:
    """What a script that has taken the rows off the list needs to know: messages, counts, and which rows were not done,
    each with the reason, which stands on the row then.
    """
    answer = render(request, "knowledge/_outcome.html", {**counts_now(request), "kept": kept.items()})
    answer["X-Rows-Kept"] = " ".join(kept)
    return answer


def counts_now(request: PageRequest) -> dict[str, Any]:
    """The counts for the page that asks by HTMX: those of the queues only if it shows them."""
    shown = re.split("[?#]", request.htmx.current_url_abs_path or "", maxsplit=1)[0]
    now_waiting = triage.counts(by=request.member, now=timezone.now())
    with_tabs = shown in {reverse(f"knowledge:{name}") for name in QUEUES}
    return {**counts_context(now_waiting, None), "with_tabs": with_tabs}


def counts_context(counts: Mapping[Tab, int], chosen: Tab | None) -> dict[str, Any]:
    """The counts as pages show them; `places`: where the sum of all stands in every page's navigation."""
    return {
        "tabs": [(one.value, WORDS[one][0], _counted(counts[one]), one is chosen) for one in Tab],
        "waiting": _counted(sum(counts[one] for one in AWAITING)),
        "places": ("inbox-count", "inbox-count-small"),
    }


def _counted(count: int) -> str:
    return f"{COUNTED_UP_TO}+" if count > COUNTED_UP_TO else str(count)
