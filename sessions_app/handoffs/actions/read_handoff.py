"""Read a handoff: its text as this member may see it, with the calls of the interface it is read through."""

from functools import partial

from accounts.rules.fence import inert_line
from accounts.rules.rights import Member
from knowledge.models import Insight
from sessions_app.answers.actions.fences import fence_for
from sessions_app.answers.rules.calls import Interface
from sessions_app.answers.rules.fence import Fence
from sessions_app.conversations.rules.choose import choose
from sessions_app.conversations.rules.excerpts import lines
from sessions_app.handoffs.rules.handoff_text import BUDGET, HandoffText, HandoffView, tell
from sessions_app.models import Handoff, Passage
from sessions_app.rules.vocabulary import SessionState

# The number of a conversation's latest passages from which sentences are chosen, at .35 ms each, because a session's
# start waits for it.
MOST_READ = 100


def text_of(
    handoff_id: int, *, by: Member, via: Interface = Interface.REST, budget: int = BUDGET
) -> HandoffText | None:
    """Return the text of one handoff within `budget` tokens; None without a budget, or if the member may not see it."""
    row = Handoff.objects.visible_to(by).whole().filter(pk=handoff_id).first() if budget else None
    if row is None:
        return None
    return telling(redact_for(row, by), by=by, fence=fence_for(by), via=via, budget=budget)


def redact_for(handoff: Handoff, by: Member) -> Handoff:
    """Return the handoff, unsaved, as the member may see it: without insights that have been forgotten or quarantined
    since it was written, and without the prompts of a user who does not share them.
    """
    hidden = Insight.objects.hidden().with_ref(sorted(handoff.refs)).values_list("ref", flat=True)
    return handoff.without(set(hidden) if handoff.refs else set()).for_reader(by)


def telling(
    handoff: Handoff, *, by: Member | None, fence: Fence, via: Interface, budget: int = BUDGET, own: bool = False
) -> HandoffText:
    """Return the text of a handoff that `redact_for` has prepared for `by`; `own`: for the session itself, which
    continues. One statement, for the conversation, if session and user are loaded; none without `by`, as in lists.
    """
    session = handoff.session
    same = {name: getattr(handoff, name) for name in _SAME}
    told = HandoffView(
        ref=session.ref,
        who=session.user.username,
        branch=session.branch,
        open=handoff.acknowledged_at is None,
        live=session.state == SessionState.LIVE,
        own=own,
        **same,
    )
    return tell(told, fence=fence, via=via, budget=budget, excerpt=partial(_excerpt, session.pk, by) if by else None)


def _excerpt(session_id: int, by: Member, told: str, room: int) -> list[str]:
    """Return the lines of a session's conversation that add most to `told`, as far as the member may read it, without
    the sentences in `told`.
    """
    rows = Passage.objects.visible_to(by).of_session(session_id).only("position", "speaker", "text")
    latest = list(rows.order_by("-position")[:MOST_READ])[::-1]
    return lines([one for one in choose(latest, told, room) if inert_line(one.text) not in told]).splitlines()


_SAME = (
    *(
        "state",
        "as_of",
        "asked",
        "asked_last",
        "plan",
        "summary",
        "note",
        "pending",
        "next_steps",
        "blockers",
        "found_blockers",
    ),
    *("failure", "uncommitted", "uncommitted_known", "files", "decisions", "deposits", "last_message", "continues"),
)
