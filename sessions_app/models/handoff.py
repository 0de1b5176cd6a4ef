"""What a session leaves to the next one."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import models

from accounts.models import Team, User
from accounts.rules.choices import choices
from accounts.rules.rights import Member
from sessions_app.models.session import AgentSession
from sessions_app.querysets.sessions import HandoffQuerySet
from sessions_app.rules.vocabulary import Closed, HandoffState

# In the place of what was forgotten, or is looked at because there may be a secret in it.
HIDDEN = "(no longer shown)"
# What the database puts where the version before writes a row while the two serve side by side.
NOTHING = models.Value([], models.JSONField())


# Verbs of the log.
TAKEN_OVER, REOPENED = "handoff acknowledged", "handoff reopened"
CONTINUED = ("steps", "notes", "blockers")
# What a handoff has from a conversation, as it is when there is none.
TOLD: dict[str, Any] = {
    **dict.fromkeys(("asked", "asked_last", "plan", "last_message"), ""),
    **{name: [] for name in ("topics", "decisions", "next_steps", "found_blockers")},
}
# In the lines of facts that are from it (`handoffs.rules.recovery`).
BY_TRANSCRIPT = ", by the transcript: "
# Of what earlier sessions said must be known, or waited for: more is of work long done.
MOST_NOTES = 3


class Handoff(models.Model):
    """One a session, rewritten by each checkpoint, by the end, or by a recovery.

    `asked` (first), `asked_last` and `topics` are the user's own prompts, which only they see unless they share them.
    `plan`, `summary`, `note`, `pending`, `blockers` and `last_message` are the agent's own words; `facts`, `failure`
    and `files` were recorded; `interpretation`, `next_steps` and `found_blockers` were concluded by rule. `uncommitted`
    was recorded if `uncommitted_known`, else concluded. `continues` are the open steps, notes and blockers of the
    handoffs that its session went on with.
    `as_of` is the moment it speaks of. It is open, and offered to starts, until it is closed: `acknowledged_at` tells
    when, and `closed_as` how.
    """

    session = models.OneToOneField(AgentSession, on_delete=models.CASCADE, related_name="handoff")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="handoffs")
    repo = models.CharField(max_length=200)
    state = models.CharField(max_length=12, choices=choices(HandoffState))
    completeness = models.FloatField()
    as_of = models.DateTimeField()
    written_at = models.DateTimeField()
    summary = models.TextField(blank=True)
    note = models.TextField(blank=True)
    pending = models.JSONField(default=list, blank=True)
    blockers = models.JSONField(default=list, blank=True)
    topics = models.JSONField(default=list, blank=True)
    decisions = models.JSONField(default=list, blank=True)
    deposits = models.JSONField(default=list, blank=True)
    files = models.JSONField(default=list, blank=True)
    facts = models.JSONField(default=list, blank=True)
    interpretation = models.JSONField(default=list, blank=True)
    asked = models.TextField(blank=True, default="", db_default="")
    asked_last = models.TextField(blank=True, default="", db_default="")
    plan = models.TextField(blank=True, default="", db_default="")
    last_message = models.TextField(blank=True, default="", db_default="")
    failure = models.JSONField(default=dict, blank=True, db_default=models.Value({}, models.JSONField()))
    next_steps = models.JSONField(default=list, blank=True, db_default=NOTHING)
    found_blockers = models.JSONField(default=list, blank=True, db_default=NOTHING)
    uncommitted = models.JSONField(default=list, blank=True, db_default=NOTHING)
    uncommitted_known = models.BooleanField(default=False, db_default=False)
    continues = models.JSONField(default=list, blank=True, db_default=NOTHING)
    closed_as = models.CharField(max_length=12, blank=True, default="", db_default="", choices=choices(Closed))
    # A later session of the work item does not close again what was reopened after its start.
    reopened_at = models.DateTimeField(null=True, blank=True)
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    acknowledged_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    acknowledged_in = models.ForeignKey(
        AgentSession, null=True, blank=True, on_delete=models.SET_NULL, related_name="acknowledged"
    )

    objects = HandoffQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(completeness__gte=0, completeness__lte=1), name="handoff_completeness_0_1"
            )
        ]
        indexes = [
            models.Index(
                fields=["team", "repo", "-as_of", "-id"],
                name="handoff_open",
                condition=models.Q(acknowledged_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"handoff of S-{self.session_id}"

    @property
    def closed_how(self) -> str:
        """How it was closed, as a page says it."""
        return (self.closed_as or Closed.TAKEN_OVER).replace("_", " ")

    @property
    def refs(self) -> set[str]:
        """Of the insights it tells of."""
        return {one["ref"] for one in (*self.deposits, *self.decisions) if one.get("ref")}

    def without(self, hidden: Collection[str]) -> "Handoff":
        """The same, unsaved, with nothing in it of these insights but that there was one."""
        self.deposits = [{**one, "title": HIDDEN} if one["ref"] in hidden else one for one in self.deposits]
        self.decisions = [
            {**one, "statement": HIDDEN, "reasoning": ""} if one.get("ref") in hidden else one for one in self.decisions
        ]
        return self

    def for_reader(self, member: Member) -> "Handoff":
        """The same, unsaved, without the user's own prompts unless the reader is that user, or they share them."""
        if not self.session.shows_prompts_to(member):
            self.asked, self.asked_last, self.topics = "", "", []
            # Written before questions of the agent were told from prompts that a hook had asked about.
            self.facts = [line for line in self.facts if not line.startswith("Asked: ")]
        return self

    @classmethod
    def write(
        cls,
        session: AgentSession,
        state: HandoffState,
        contents: dict[str, Any],
        *,
        by: Member,
        at: datetime,
        heard: bool = False,
    ) -> "Handoff":
        """Write the session's handoff, in the place of an earlier one. The caller holds the session's row.

        What was closed was the earlier one, so a new one is open again; unless it says the same (a retry), or is
        `heard`: put together again from what there was when it was closed.
        """
        earlier = cls.objects.filter(session=session).first()
        if earlier and earlier.state == state and earlier.says(contents):
            return earlier
        old = heard and earlier and earlier.acknowledged_at and session.last_seen_at <= earlier.acknowledged_at
        reopened: dict[str, Any] = {"acknowledged_at": None, "acknowledged_by": None, "acknowledged_in": None}
        fresh = {} if old else {**reopened, "closed_as": ""}
        place = {"team_id": session.team_id, "repo": session.repo, "state": state, "written_at": at}
        row, _ = cls.objects.update_or_create(session=session, defaults={**contents, **place, **fresh})
        figure = {"state": str(state), "completeness": row.completeness}
        line = f"{session.ref} left a {state} handoff"
        session.note(verb="handoff written", line=line, by=by, at=at, after=figure)
        return row

    @property
    def open_steps(self) -> dict[str, Any]:
        """What it had left to do, to know and to wait for, for the handoff that continues it; nothing if there was
        nothing. The newest comes first.
        """
        earlier = {name: [one for c in self.continues for one in c.get(name, ())] for name in CONTINUED}
        left = {
            "steps": list(dict.fromkeys([*self.pending, *self.next_steps, *earlier["steps"]])),
            "notes": list(dict.fromkeys([*filter(None, [self.note]), *earlier["notes"]]))[:MOST_NOTES],
            "blockers": list(dict.fromkeys([*self.blockers, *self.found_blockers, *earlier["blockers"]]))[:MOST_NOTES],
        }
        return {"ref": self.session.ref, **left} if any(left.values()) else {}

    def says(self, contents: dict[str, Any]) -> bool:
        """Whether it says this already, whatever moment it is of."""
        return all(getattr(self, name) == value for name, value in contents.items() if name != "as_of")

    def see_uncommitted(self, paths: Collection[str]) -> None:
        """Keep which of its files are still in no commit, of all those of its checkout that are not."""
        its_own = {*self.files, *self.uncommitted}
        left = [path for path in paths if path in its_own]
        if (left, True) != (self.uncommitted, self.uncommitted_known):
            self.uncommitted, self.uncommitted_known = left, True
            self.save(update_fields=["uncommitted", "uncommitted_known"])

    def forget_told(self, digest: dict[str, Any]) -> None:
        """Keep nothing of the conversation: what it was asked, and what `digest` has from its transcript."""
        for name, value in TOLD.items():
            setattr(self, name, type(value)())
        if self.failure.get("command") == digest.get("failure", {}).get("command"):
            self.failure = {}
        self.facts = [line for line in self.facts if BY_TRANSCRIPT not in line and not line.startswith("Asked: ")]
        self.save(update_fields=[*TOLD, "failure", "facts"])

    def forget_words(self) -> None:
        """Keep no words of its session: which files it changed, and what it deposited, is left."""
        for name in ("asked", "asked_last", "plan", "last_message", "summary", "note"):
            setattr(self, name, "")
        for name in ("topics", "pending", "blockers", "decisions", "facts", "interpretation", "continues"):
            setattr(self, name, [])
        self.next_steps, self.found_blockers, self.failure = [], [], {}
        self.save()

    def drop_continued(self, texts: Collection[str]) -> None:
        """Continue none of these steps, notes and blockers."""
        kept = [
            {**one, **{name: [text for text in one.get(name, ()) if text not in texts] for name in CONTINUED}}
            for one in self.continues
        ]
        self.continues = [one for one in kept if any(one[name] for name in CONTINUED)]
        self.save(update_fields=["continues"])

    def turn_provisional(self) -> None:
        self.state = HandoffState.PROVISIONAL
        self.save(update_fields=["state"])

    def close(self, how: Closed, *, session: AgentSession | None, by: Member, at: datetime) -> None:
        """Offer it no more: it was taken over, or is continued, by `session`, or closed by a person. The caller holds
        the row.
        """
        self.acknowledged_at, self.acknowledged_by_id, self.acknowledged_in = at, by.user_id or None, session
        self.closed_as = how
        self.save(update_fields=["acknowledged_at", "acknowledged_by", "acknowledged_in", "closed_as"])
        taker = f"by {session.ref}" if session else f"by {by.username}"
        verb = TAKEN_OVER if how is Closed.TAKEN_OVER else f"handoff {how.replace('_', ' ')}"
        self.session.note(verb=verb, line=f"{self.session.ref}: {verb} {taker}", by=by, at=at)

    def reopen(self, *, by: Member, at: datetime, why: str = "") -> None:
        """Offer it again. The caller holds the row."""
        self.acknowledged_at = self.acknowledged_by = self.acknowledged_in = None
        self.closed_as, self.reopened_at = "", at
        self.save(update_fields=["acknowledged_at", "acknowledged_by", "acknowledged_in", "closed_as", "reopened_at"])
        self.session.note(verb=REOPENED, line=f"{self.session.ref}: {REOPENED}", by=by, at=at, why=why)
