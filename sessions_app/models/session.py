"""An agent's session, what happened in it, and what it has claimed; with the changes a session can undergo."""

from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import Q

from accounts.models import ApiToken, LogEntry, Team, User
from accounts.rules.choices import choices
from accounts.rules.rights import Member
from sessions_app.querysets.sessions import AgentSessionQuerySet, ClaimQuerySet, SessionEventQuerySet
from sessions_app.rules.vocabulary import EventKind, HandoffState, SessionState

# What an agent's word at a checkpoint or an end has of the conversation.
SAID_THERE = ("asked", "last_message")


class AgentSession(models.Model):
    """One sitting of one agent on one repo. `key` is the session id, which knowledge rows carry; `ref` its short name.

    It belongs to a team, and anyone who reads that team may read it; only its user's calls are made in it.
    """

    key = models.CharField(max_length=80, unique=True, editable=False)
    # The client's own word for this start, by which a repeated one is known.
    idempotency_key = models.CharField(max_length=200, blank=True, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="agent_sessions")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="agent_sessions")
    token = models.ForeignKey(ApiToken, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    repo = models.CharField(max_length=200)
    branch = models.CharField(max_length=200, blank=True)
    agent = models.CharField(max_length=80, blank=True)
    machine = models.CharField(max_length=120, blank=True)
    # An opaque id of the checkout, which the client makes; with the repo and the user it names the work item.
    checkout = models.CharField(max_length=80, blank=True, default="", db_default="")
    # The agent's own id of the session: a transcript that is found later is known by it.
    agent_session = models.CharField(max_length=200, blank=True, editable=False, default="", db_default="")
    prompt = models.TextField(blank=True)
    # What it is about: set once, by the first prompt of it that is known.
    topic = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=10, choices=choices(SessionState), default=SessionState.LIVE)
    started_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    previous = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="next")
    # The handoff its orientation pointed to: what an acknowledgement without a name means.
    offered = models.ForeignKey("Handoff", null=True, blank=True, on_delete=models.SET_NULL, related_name="offered_to")
    # What its agent said of it last, at a checkpoint or at the end, and what its transcript told, already redacted.
    said = models.JSONField(default=dict, blank=True)
    digest = models.JSONField(default=dict, blank=True)
    # {paths, at}: what differed from the last commit when the client looked last; empty while it has not said.
    uncommitted = models.JSONField(default=dict, blank=True, db_default=models.Value({}, models.JSONField()))
    # The session of its user that has all of its transcript already: it is not stored twice.
    conversation_in = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="+", editable=False
    )
    # Since when its conversation is forgotten: a transcript that is sent again is not kept.
    conversation_forgotten_at = models.DateTimeField(null=True, blank=True, editable=False)

    # When its agent was asked, before it stopped, to deposit what was decided.
    deposit_asked_at = models.DateTimeField(null=True, blank=True, editable=False)
    # When a language model read its conversation, to propose insights.
    read_by_model_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = AgentSessionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "idempotency_key"], condition=~Q(idempotency_key=""), name="session_start_once"
            )
        ]
        indexes = [
            models.Index(fields=["team", "repo"], name="session_live", condition=Q(state=SessionState.LIVE)),
            models.Index(fields=["team", "repo", "-last_seen_at"], name="session_of_repo"),
            models.Index(fields=["team", "-started_at"], name="session_of_team"),
            models.Index(fields=["-last_seen_at", "-id"], name="session_last_seen"),
            models.Index(fields=["last_seen_at"], name="session_silent", condition=Q(state=SessionState.LIVE)),
            models.Index(fields=["user", "agent_session"], name="session_of_agent", condition=~Q(agent_session="")),
        ]

    def __str__(self) -> str:
        return f"{self.ref} {self.repo}"

    @property
    def ref(self) -> str:
        return f"S-{self.pk}"

    def shows_prompts_to(self, member: Member) -> bool:
        """Whether that member may see what its user typed. Its `user` is loaded by the caller."""
        return self.user_id == member.reads_typed_by or self.user.share_prompts == "on"

    def see(self, *, by: Member, at: datetime) -> None:
        """Take a call as a sign of life; an abandoned one comes back, and its recovered handoff is provisional
        again. Of a moment before it was given up the call only tells how long it lived.

        The caller holds the row.
        """
        self.last_seen_at = max(self.last_seen_at, at)
        changed = ["last_seen_at"]
        if self.was_given_up_after(at):
            self.ended_at = self.last_seen_at
            changed += ["ended_at"]
        elif self.state == SessionState.ABANDONED:
            self.state, self.ended_at = SessionState.LIVE, None
            changed += ["state", "ended_at"]
            handoff = getattr(self, "handoff", None)
            if handoff and handoff.state == HandoffState.RECOVERED:
                handoff.turn_provisional()
            self.note(verb="session revived", line=f"{self.ref} resumed", by=by, at=at)
        self.save(update_fields=changed)

    def was_given_up_after(self, at: datetime) -> bool:
        """Whether it is given up, and was later than that moment: what is told of then was delivered late."""
        if self.state != SessionState.ABANDONED:
            return False
        lines = LogEntry.objects.filter(team_id=self.team_id, verb=f"session {SessionState.ABANDONED}").about(self.ref)
        given_up = lines.values_list("at", flat=True).first()
        return given_up is not None and at < given_up

    def close(self, state: SessionState, *, by: Member, at: datetime, why: str = "") -> None:
        """End it, or give it up. The caller holds the row. What it has claimed is free."""
        self.state = state
        self.ended_at = at if state is SessionState.ENDED else self.last_seen_at
        if state is SessionState.ENDED:
            self.last_seen_at = max(self.last_seen_at, at)
        self.save(update_fields=["state", "ended_at", "last_seen_at"])
        self.claims.all().delete()
        self.note(verb=f"session {state}", line=f"{self.ref} {state}", by=by, at=at, why=why)

    @property
    def is_imported(self) -> bool:
        """Whether it is known from a log of the time before Loam alone."""
        return bool(self.digest.get("imported"))

    def mark_imported(self) -> None:
        """Say that it is known from a log alone. The caller has just made it."""
        self.digest = {"imported": True}
        self.save(update_fields=["digest"])

    def prolong(self, *, at: datetime, digest: dict[str, Any]) -> None:
        """A further slice of an imported session: it ended later, and told more. The caller holds the row."""
        self.ended_at = self.last_seen_at = max(self.last_seen_at, at)
        self.digest = {**digest, "imported": True} if not self.conversation_forgotten_at else self.digest
        self.save(update_fields=["ended_at", "last_seen_at", "digest"])

    def set_topic(self, prompt: str) -> bool:
        """Set the topic from an already redacted prompt, unless it has one or is to have none; whether it did."""
        if self.topic or self.conversation_forgotten_at or not prompt.strip():
            return False
        self.topic = " ".join(prompt.split())[:200]
        self.save(update_fields=["topic"])
        return True

    def set_deposit_asked(self, *, at: datetime) -> None:
        """Its agent was asked. The caller holds the row."""
        self.deposit_asked_at = at
        self.save(update_fields=["deposit_asked_at"])

    def set_read_by_model(self, *, at: datetime) -> None:
        """A model has read its conversation as it is now."""
        self.read_by_model_at = at
        self.save(update_fields=["read_by_model_at"])

    def set_agent_session(self, agent_session: str) -> None:
        """Bind it to the agent's own session, by whose id its transcript is found."""
        self.agent_session = agent_session[:200]
        self.save(update_fields=["agent_session"])

    def forget_conversation(self, *, by: Member, at: datetime, passages: int, why: str = "") -> None:
        """Keep nothing of its transcript, and of what was typed, now and later. The caller holds the row, and deletes
        the passages.
        """
        self.digest, self.conversation_forgotten_at, self.prompt, self.topic = {}, at, "", ""
        self.said = {name: text for name, text in self.said.items() if name not in SAID_THERE}
        self.save(update_fields=["digest", "said", "conversation_forgotten_at", "prompt", "topic"])
        self.note_forgotten(by=by, at=at, passages=passages, why=why)

    def set_conversation_in(self, session_id: int | None) -> None:
        """Store which session has its transcript; None: its own does. The caller holds the row."""
        if self.conversation_in_id != session_id:
            self.conversation_in_id = session_id
            self.save(update_fields=["conversation_in"])

    def note_forgotten(self, *, by: Member, at: datetime, passages: int, why: str = "") -> None:
        line = f"{self.ref}: conversation forgotten"
        self.note(verb="conversation forgotten", line=line, by=by, at=at, after={"passages": passages}, why=why)

    def note(self, *, verb: str, line: str, by: Member, at: datetime, **more: Any) -> None:
        LogEntry.write(team_id=self.team_id, subject=self.ref, verb=verb, line=line, by=by, at=at, **more)


class SessionEvent(models.Model):
    """One thing that was done, as a hook reported it; texts are redacted. By `client_id` a retry is known."""

    session = models.ForeignKey(AgentSession, on_delete=models.CASCADE, related_name="events")
    client_id = models.CharField(max_length=80, blank=True)
    kind = models.CharField(max_length=12, choices=choices(EventKind))
    at = models.DateTimeField()
    received_at = models.DateTimeField()
    path = models.CharField(max_length=400, blank=True)
    command = models.TextField(blank=True)
    outcome = models.CharField(max_length=10, blank=True)
    error = models.TextField(blank=True)
    fingerprint = models.CharField(max_length=32, blank=True)
    template = models.TextField(blank=True)
    recipe = models.CharField(max_length=40, blank=True)
    # Whether the same check passed later in the same session.
    overcome = models.BooleanField(default=False)

    objects = SessionEventQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session", "client_id"], condition=~Q(client_id=""), name="session_event_once"
            )
        ]
        indexes = [
            models.Index(fields=["session", "at"], name="event_of_session"),
            models.Index(fields=["at"], name="event_error_at", condition=~Q(fingerprint="")),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.path or self.command[:60]}".strip()


class Claim(models.Model):
    """A file a live session is working on, until it says so no more, ends, or the time runs out. It warns, no more."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    repo = models.CharField(max_length=200)
    path = models.CharField(max_length=400)
    session = models.ForeignKey(AgentSession, on_delete=models.CASCADE, related_name="claims")
    claimed_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    objects = ClaimQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "repo", "path"], name="claim_once")]

    def __str__(self) -> str:
        return self.path
