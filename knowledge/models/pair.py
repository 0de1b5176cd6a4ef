"""Pairs of insights: how two insights relate, who said so, and what is still open."""

from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import Q, Value

from accounts.models import LogEntry, User
from accounts.rules.rights import Member
from accounts.rules.webhooks import AGAINST
from knowledge.judging.rules.relations import Relation, Verdict
from knowledge.models.comment import Discussed
from knowledge.models.insight import Insight, plain
from knowledge.querysets.pairs import PairQuerySet
from knowledge.rules.vocabulary import SUPERSEDED, Trust

# Key in the log line of a settlement: when the kept side had been confirmed before.
CONFIRMED = "confirmed_at"
# Log lines about what an agent stated. They are also true while a lead has yet to decide.
SAID = {
    Relation.DUPLICATES: "{} reported as duplicates",
    Relation.SUPERSEDES: "One of {} reported to supersede the other",  # if it is unknown which
    Relation.CONTRADICTS: "{} reported as contradicting",
    Relation.COMPLEMENTS: "{} reported as complementary",
    Relation.UNRELATED: "{} reported as unrelated",
}


class Pair(Discussed):
    """Two insights and how they relate. `a` is the older row.

    `question`: what is to be settled: whether they contradict each other, whether one replaces the other (`successor`),
    or how they relate at all. An open pair is served with both sides. A settled one is kept, so that it is not asked
    about again. `relation`: what was stated or decided.
    """

    class Question(models.TextChoices):
        CONTRADICTION = "contradiction"
        DUPLICATE = "duplicate"  # undetermined: a duplicate, an update, or neither
        SUPERSESSION = "supersession"

    class State(models.TextChoices):
        OPEN = "open"
        DISMISSED = "dismissed"
        RESOLVED = "resolved"

    a = models.ForeignKey(Insight, on_delete=models.CASCADE, related_name="pairs_as_a")
    b = models.ForeignKey(Insight, on_delete=models.CASCADE, related_name="pairs_as_b")
    question = models.CharField(max_length=14, choices=Question)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    relation = models.CharField(
        max_length=12, blank=True, db_default="", default="", choices=[(one.value, one.value) for one in Relation]
    )
    # The side that is said to replace the other; "" for none.
    successor_side = models.CharField(
        max_length=1, blank=True, db_default="", default="", choices=[("a", "a"), ("b", "b")]
    )
    # The verdict: the conclusion, by whom, and why (`judging.rules.relations.Verdict`).
    verdict = models.JSONField(default=dict, blank=True, db_default=Value({}, models.JSONField()))
    # The reason in the words of who stated it.
    reason = models.TextField(blank=True)
    similarity = models.FloatField(null=True)
    raised_by = models.CharField(max_length=80)
    raised_by_user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    raised_at = models.DateTimeField()
    # The user who stated `relation`, in person or through an agent.
    stated_by_user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    settled_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    # Settled by a person, or by a lead's token; otherwise by the agent that was asked.
    settled_by_lead = models.BooleanField(default=False, db_default=False)
    settled_at = models.DateTimeField(null=True)
    resolution = models.TextField(blank=True)
    scope = models.TextField(blank=True)

    objects = PairQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["a", "b", "question"], name="pair_once"),
            models.CheckConstraint(condition=Q(a__lt=models.F("b")), name="pair_older_first"),
        ]

    def __str__(self) -> str:
        return f"{self.question}: {self.a_id} – {self.b_id}"

    @classmethod
    def between(
        cls, one: Insight, other: Insight, *, question: str, reason: str = "", by: Member, at: datetime, **more: Any
    ) -> "Pair":
        """Return the pair of two insights under this question, creating it if needed. A new contradiction marks both
        sides and is logged in both histories.
        """
        a, b = sorted((one, other), key=lambda row: row.pk)
        fields = {
            "reason": reason,
            "raised_by": by.actor[:80],
            "raised_by_user_id": by.user_id or None,
            "raised_at": at,
            **more,
        }
        pair, new = cls.objects.get_or_create(a=a, b=b, question=question, defaults=fields)
        if new and question == cls.Question.CONTRADICTION:
            pair.mark(by=by, at=at)
        return pair

    @property
    def proposed(self) -> bool:
        """Whether it is an open proposal that one side replaces the other."""
        return self.state == self.State.OPEN and self.question == self.Question.SUPERSESSION

    @property
    def successor(self) -> Insight | None:
        return {"a": self.a, "b": self.b}.get(self.successor_side)

    @property
    def successor_id(self) -> int | None:
        return {"a": self.a_id, "b": self.b_id}.get(self.successor_side)

    @property
    def other_ref(self) -> str:
        """The reference its verdict is about: of the side that would be replaced, or else of the older row."""
        return self.b.ref if self.successor_side == "a" else self.a.ref

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN

    @classmethod
    def stated(
        cls,
        one: Insight,
        other: Insight,
        *,
        question: str,
        verdict: Verdict,
        reason: str,
        by: Member,
        at: datetime,
        successor: Insight | None = None,
    ) -> "Pair":
        """Open the pair of two insights under this question, with what `by` states, and return it."""
        a, b = sorted((one, other), key=lambda row: row.pk)
        said = {
            "state": cls.State.OPEN,
            "relation": verdict.relation.value if verdict.relation else "",
            "successor_side": "" if successor is None else "a" if successor.pk == a.pk else "b",
            "verdict": verdict.as_data(),
            "reason": reason,
            "similarity": round(verdict.similarity, 4),
            "stated_by_user_id": by.user_id or None,
        }
        raised = {"raised_by": by.actor[:80], "raised_by_user_id": by.user_id or None, "raised_at": at}
        pair, _ = cls.objects.update_or_create(
            a=a, b=b, question=question, defaults=said, create_defaults={**said, **raised}
        )
        return pair

    @classmethod
    def succession(
        cls, old: Insight, successor: Insight, verdict: Verdict, *, by: Member, at: datetime, reason: str = ""
    ) -> "Pair":
        """Open the pair in which `successor` is said to replace `old`, and return it."""
        question = cls.Question.SUPERSESSION
        return cls.stated(
            old, successor, question=question, verdict=verdict, reason=reason, successor=successor, by=by, at=at
        )

    def record_verdict(self, verdict: Verdict) -> None:
        """Record the verdict of a model that could not decide or was not followed. The pair waits for a person, and no
        model is asked again.
        """
        self.verdict = verdict.as_data()
        self.save(update_fields=["verdict"])

    def propose(self, *, by: Member, at: datetime) -> None:
        """Log in both histories that one side is proposed to replace the other."""
        assert self.successor is not None
        old = self.b if self.successor_id == self.a_id else self.a
        for side in (self.a, self.b):
            line = f"{self.successor.ref} proposed to supersede {old.ref}"
            side.note(verb="proposed", line=line, by=by, at=at, why=self.reason, after={"verdict": self.verdict})

    def close(self, relation: Relation, *, by: Member, at: datetime, why: str = "", logged: bool = True) -> None:
        """Settle the pair by an agent's statement that has taken effect, until somebody says otherwise.

        `why`: the agent's note. `logged`: False if the histories have a line about the two already.
        """
        state = self.State.DISMISSED if relation is Relation.UNRELATED else self.State.RESOLVED
        self._close(state, relation.value, by=by, at=at, relation=relation.value, by_lead=False)
        if logged:
            line = SAID[relation].format(f"{self.a.ref} and {self.b.ref}")
            if relation is Relation.SUPERSEDES and (successor := self.successor) is not None:
                line = f"{successor.ref} reported to supersede {self.other_ref}"
            for side in (self.a, self.b):
                side.note(verb=state, line=line, by=by, at=at, why=why)

    def tell_author(self, *, by: Member, at: datetime) -> None:
        """Mention the author of the replaced note in a comment, unless they or their agents replaced it."""
        assert self.successor is not None
        old = self.b if self.successor_id == self.a_id else self.a
        if old.author is None or old.author_id == by.user_id:
            return
        why = f": {self.reason}" if self.reason else ""
        text = f"{self.successor.ref} in place of {old.ref}{why}"
        self.comment(text, by=by, at=at, mentioned=[old.author], decision=SUPERSEDED)

    def mark(self, *, by: Member, at: datetime, again: bool = False) -> None:
        """Mark both sides as contradicted, and log it in both histories.

        `again`: the pair was reopened, and the person who did that is not the one who reported it.
        """
        changes = {"trust": Trust.CONTRADICTED.value}
        for side, against in ((self.a, self.b), (self.b, self.a)):
            line = f"{side.ref} contradicted by {against.ref}{' again, the pair being open again' if again else ''}"
            also: tuple[dict[str, Any], dict[str, Any]] = ({}, {AGAINST: against.ref})
            side.change(changes, verb="contradicted", line=line, by=by, at=at, why=self.reason, also=also)

    def say_unlike(self, *, by: Member, at: datetime) -> None:
        """Log in both histories that one side is said to contradict or complement the other, with which it has nothing
        in common. Neither side is marked.
        """
        links = self.relation == Relation.COMPLEMENTS
        verb, said = ("proposed", "complemented") if links else ("contradicted", "contradicted")
        for side, against in ((self.a, self.b), (self.b, self.a)):
            line = f"{side.ref} said to be {said} by {against.ref}, with which it has nothing in common"
            side.note(verb=verb, line=line, by=by, at=at, why=self.reason)

    def unmark(self, *, by: Member, at: datetime) -> None:
        """Remove the mark from sides without another open contradiction."""
        changes = {"trust": Trust.UNKNOWN.value}
        for side in (self.a, self.b):
            if side.trust == Trust.CONTRADICTED and not Pair.objects.all().open_about(side).exists():
                side.change(changes, verb="settled", line=f"{side.ref} no longer contradicted", by=by, at=at)

    def settle(
        self, state: str, *, by: Member, at: datetime, resolution: str, scope: str, kept: Insight | None = None
    ) -> None:
        """Close the pair by a lead's decision, and log it in both histories.

        `kept`: the side that the decision confirms. Its previous confirmation is stored in the log line, for
        `unconfirm`.
        """
        if state == self.State.DISMISSED and self.question == self.Question.DUPLICATE:
            # The statement that the two belong together is dropped.
            self.relation = ""
        self._close(state, resolution, by=by, at=at, scope=scope)
        for side, other in ((self.a, self.b), (self.b, self.a)):
            line = f"{self.question} of {side.ref} and {other.ref} {state}"
            change = {}
            if kept is not None and side.pk == kept.pk and by.token_id is None:
                change = {"before": plain({CONFIRMED: kept.confirmed_at}), "after": plain({CONFIRMED: at})}
            side.note(verb=state, line=line, by=by, at=at, why=resolution or scope, **change)
        if kept is not None:
            kept.confirm(by=by, at=at)
        self.read_mentions(by=by, at=at)

    def unconfirm(self) -> None:
        """Undo the confirmation by the settlement, unless somebody has confirmed the side since. Call it before
        `reopen`.
        """
        for side in (self.a, self.b):
            if self.settled_at is not None and side.confirmed_at == self.settled_at:
                lines = LogEntry.objects.filter(subject=side.ref, at=self.settled_at, before__has_key=CONFIRMED)
                for line in lines:
                    before = line.before[CONFIRMED]
                    side.confirmed_at = datetime.fromisoformat(before) if before else None
                    side.save(update_fields=["confirmed_at"])

    def _close(
        self,
        state: str,
        resolution: str,
        *,
        by: Member,
        at: datetime,
        scope: str = "",
        relation: str = "",
        by_lead: bool = True,
    ) -> None:
        self.state, self.resolution, self.scope = state, resolution, scope
        self.relation = relation or self.relation
        self.settled_by_id, self.settled_at, self.settled_by_lead = by.user_id or None, at, by_lead
        fields = ["state", "resolution", "scope", "relation", "settled_by", "settled_at", "settled_by_lead"]
        self.save(update_fields=fields)

    def overrule(self) -> None:
        """Dismiss the pair, because a lead has undone its effect. Statements of agents no longer change it. The agent's
        reason is dropped, as it is not the lead's.
        """
        self.state, self.relation, self.resolution, self.settled_by_lead = self.State.DISMISSED, "", "", True
        self.save(update_fields=["state", "relation", "resolution", "settled_by_lead"])

    def decide(self, by_lead: bool = True) -> None:
        """Record that a lead has acted on the pair, so that statements of agents no longer change it; undo it with
        False.
        """
        self.settled_by_lead = by_lead
        self.save(update_fields=["settled_by_lead"])

    def accept(self, *, by: Member, at: datetime) -> None:
        """Record that a lead accepts an agent's statement that the two belong together, and log it in
        both histories.
        """
        self.decide()
        self._note_acceptance("resolved", "accepted", by=by, at=at)

    def withdraw_acceptance(self, *, by: Member, at: datetime) -> None:
        """Undo `accept`, and log it in both histories."""
        self.decide(False)
        self._note_acceptance("reopened", "not reviewed again", by=by, at=at)

    def _note_acceptance(self, verb: str, became: str, *, by: Member, at: datetime) -> None:
        for side, other in ((self.a, self.b), (self.b, self.a)):
            side.note(verb=verb, line=f"Link of {side.ref} and {other.ref} {became}", by=by, at=at)

    @classmethod
    def decided(cls, gone: Insight, kept: Insight, *, by: Member, at: datetime) -> None:
        """Create the settled pair of two insights of which a lead has replaced one by the other, before
        anybody asked.
        """
        a, b = sorted((gone, kept), key=lambda row: row.pk)
        who = {"raised_by": by.actor[:80], "raised_by_user_id": by.user_id or None, "raised_at": at}
        settled = {"state": cls.State.RESOLVED, "settled_by_id": by.user_id or None, "settled_at": at}
        also = {"resolution": f"kept {kept.ref}", "settled_by_lead": True}
        cls.objects.create(a=a, b=b, question=cls.Question.DUPLICATE, **who, **settled, **also)

    @classmethod
    def give_back(cls, row: Insight, heir: Insight, *, by: Member, at: datetime) -> None:
        """Reopen the proposals of `row`, which is reinstated, that its successor `heir` had taken over."""
        for taken in cls.objects.all().taken_over(row, heir):
            old = taken.b if taken.successor_side == "a" else taken.a
            first = cls.objects.all().of_both(old.pk, row.pk).filter(question=cls.Question.SUPERSESSION).first()
            if taken.is_open:
                taken._close(cls.State.DISMISSED, "", by=by, at=at, by_lead=False)
            if first is None or first.is_open or first.settled_by_lead or not old.is_current:
                continue
            first.state, first.settled_by, first.settled_at = cls.State.OPEN, None, None
            first.save(update_fields=["state", "settled_by", "settled_at"])
            first.propose(by=by, at=at)

    def commented_as(self) -> dict[str, Any]:
        return {"pair_id": self.pk, "team_id": self.a.team_id}

    def note_comment(self, *, by: Member, at: datetime) -> None:
        for side, other in ((self.a, self.b), (self.b, self.a)):
            line = f"Comment on the {self.question} of {side.ref} and {other.ref}"
            side.note(verb="commented", line=line, by=by, at=at)

    def reopen(self, *, by: Member, at: datetime, by_lead: bool = True) -> None:
        """Undo `settle`, or `close` if `by_lead` is false, and log it in both histories; a contradiction marks both
        sides again.

        Statements of agents no longer settle a pair that a lead has reopened.
        """
        self.state, self.resolution, self.scope = self.State.OPEN, "", ""
        self.settled_by, self.settled_at, self.settled_by_lead = None, None, by_lead
        self.save(update_fields=["state", "resolution", "scope", "settled_by", "settled_at", "settled_by_lead"])
        for side, other in ((self.a, self.b), (self.b, self.a)):
            side.note(verb="reopened", line=f"{self.question} of {side.ref} and {other.ref} reopened", by=by, at=at)
        if self.question == self.Question.CONTRADICTION:
            self.mark(by=by, at=at, again=True)
