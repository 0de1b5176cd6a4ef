"""Two insights that have to do with each other: what they are to each other, who said so, and what is still open."""

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

# In the line of a settlement: when the side that was kept had been confirmed before.
CONFIRMED = "confirmed_at"
# What the log says of two once an agent has said it: true also while a lead has yet to decide.
SAID = {
    Relation.DUPLICATES: "{} reported as duplicates",
    Relation.SUPERSEDES: "One of {} reported to supersede the other",  # where it is not known which
    Relation.CONTRADICTS: "{} reported as contradicting",
    Relation.COMPLEMENTS: "{} reported as complementary",
    Relation.UNRELATED: "{} reported as unrelated",
}


class Pair(Discussed):
    """Two insights and how they relate. `a` is the older row of the two.

    `question` is what a person would settle: whether they contradict each other, whether one replaces the other
    (`successor` is the one that would), or what they are at all. A settled pair is kept, so that it is not asked
    about again; `relation` is then what was said. An open one is served with both sides.
    """

    class Question(models.TextChoices):
        CONTRADICTION = "contradiction"
        DUPLICATE = "duplicate"  # undetermined: the same, or an update, or neither
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
    # Which of the two is said to replace the other; empty where none is.
    successor_side = models.CharField(
        max_length=1, blank=True, db_default="", default="", choices=[("a", "a"), ("b", "b")]
    )
    # What was concluded, by whom, and why (`rules/judging/relations.Verdict`).
    verdict = models.JSONField(default=dict, blank=True, db_default=Value({}, models.JSONField()))
    # What somebody said about it in their own words.
    reason = models.TextField(blank=True)
    similarity = models.FloatField(null=True)
    raised_by = models.CharField(max_length=80)
    raised_by_user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    raised_at = models.DateTimeField()
    # Whose agent, or who, said what `relation` says.
    stated_by_user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    settled_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    # A person, or a lead by their token; else the agent that was asked.
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
        """The pair of two insights, asked about once. A new contradiction marks both and is in both histories."""
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
        """Whether it waits for a lead to let one replace the other."""
        return self.state == self.State.OPEN and self.question == self.Question.SUPERSESSION

    @property
    def successor(self) -> Insight | None:
        return {"a": self.a, "b": self.b}.get(self.successor_side)

    @property
    def successor_id(self) -> int | None:
        return {"a": self.a_id, "b": self.b_id}.get(self.successor_side)

    @property
    def other_ref(self) -> str:
        """What its verdict is about: the one that would give way, else the older row."""
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
        """The pair of two under a question, open again, with what was said of it by `by`, and when."""
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
        """The pair by which one is said to replace the other, open."""
        question = cls.Question.SUPERSESSION
        return cls.stated(
            old, successor, question=question, verdict=verdict, reason=reason, successor=successor, by=by, at=at
        )

    def record_verdict(self, verdict: Verdict) -> None:
        """A model could not tell, or was not followed: it is a person's, and not asked again."""
        self.verdict = verdict.as_data()
        self.save(update_fields=["verdict"])

    def propose(self, *, by: Member, at: datetime) -> None:
        """Say in both histories that one is proposed to replace the other."""
        assert self.successor is not None
        old = self.b if self.successor_id == self.a_id else self.a
        for side in (self.a, self.b):
            line = f"{self.successor.ref} proposed to supersede {old.ref}"
            side.note(verb="proposed", line=line, by=by, at=at, why=self.reason, after={"verdict": self.verdict})

    def close(self, relation: Relation, *, by: Member, at: datetime, why: str = "", logged: bool = True) -> None:
        """An agent has said what it is, and it is in effect: settled, until somebody says otherwise. `why`: its note;
        not `logged`: where the histories have a line of the two already.
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
        """Mention the author of the note that gave way, unless they, or their agents, replaced it themselves."""
        assert self.successor is not None
        old = self.b if self.successor_id == self.a_id else self.a
        if old.author is None or old.author_id == by.user_id:
            return
        why = f": {self.reason}" if self.reason else ""
        text = f"{self.successor.ref} in place of {old.ref}{why}"
        self.comment(text, by=by, at=at, mentioned=[old.author], decision=SUPERSEDED)

    def mark(self, *, by: Member, at: datetime, again: bool = False) -> None:
        """Both sides are contradicted, with a line in both histories; `again`: the pair was reopened, so that who did
        that is not taken for who reported it.
        """
        changes = {"trust": Trust.CONTRADICTED.value}
        for side, against in ((self.a, self.b), (self.b, self.a)):
            line = f"{side.ref} contradicted by {against.ref}{' again, the pair being open again' if again else ''}"
            also: tuple[dict[str, Any], dict[str, Any]] = ({}, {AGAINST: against.ref})
            side.change(changes, verb="contradicted", line=line, by=by, at=at, why=self.reason, also=also)

    def say_unlike(self, *, by: Member, at: datetime) -> None:
        """Both histories say that one is said to contradict or to complement the other, with which it has nothing in
        common; neither is marked.
        """
        links = self.relation == Relation.COMPLEMENTS
        verb, said = ("proposed", "complemented") if links else ("contradicted", "contradicted")
        for side, against in ((self.a, self.b), (self.b, self.a)):
            line = f"{side.ref} said to be {said} by {against.ref}, with which it has nothing in common"
            side.note(verb=verb, line=line, by=by, at=at, why=self.reason)

    def unmark(self, *, by: Member, at: datetime) -> None:
        """What nothing open speaks against any more is no longer marked so."""
        changes = {"trust": Trust.UNKNOWN.value}
        for side in (self.a, self.b):
            if side.trust == Trust.CONTRADICTED and not Pair.objects.all().open_about(side).exists():
                side.change(changes, verb="settled", line=f"{side.ref} no longer contradicted", by=by, at=at)

    def settle(
        self, state: str, *, by: Member, at: datetime, resolution: str, scope: str, kept: Insight | None = None
    ) -> None:
        """A lead has decided: close it, with a line in both histories. `kept`: the side that is thereby confirmed; when
        it had been confirmed before is kept in its line, for `unconfirm`.
        """
        if state == self.State.DISMISSED and self.question == self.Question.DUPLICATE:
            # Who said that they belong together was not followed.
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
        """Take back what the settlement confirmed, if nobody has confirmed it since. Before it is reopened."""
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
        """A lead has undone what it led to: settled, and no agent's word changes it any more. What the agent stated is
        no reason of the lead's.
        """
        self.state, self.relation, self.resolution, self.settled_by_lead = self.State.DISMISSED, "", "", True
        self.save(update_fields=["state", "relation", "resolution", "settled_by_lead"])

    def decide(self, by_lead: bool = True) -> None:
        """A lead has acted on the two: what was settled stays so, and no agent's word changes it. Undone with False."""
        self.settled_by_lead = by_lead
        self.save(update_fields=["settled_by_lead"])

    def accept(self, *, by: Member, at: datetime) -> None:
        """A lead agrees that the two belong together, as an agent stated, with a line in both histories."""
        self.decide()
        self._note_acceptance("resolved", "accepted", by=by, at=at)

    def withdraw_acceptance(self, *, by: Member, at: datetime) -> None:
        """Undo `accept`, with a line in both histories."""
        self.decide(False)
        self._note_acceptance("reopened", "not reviewed again", by=by, at=at)

    def _note_acceptance(self, verb: str, became: str, *, by: Member, at: datetime) -> None:
        for side, other in ((self.a, self.b), (self.b, self.a)):
            side.note(verb=verb, line=f"Link of {side.ref} and {other.ref} {became}", by=by, at=at)

    @classmethod
    def decided(cls, gone: Insight, kept: Insight, *, by: Member, at: datetime) -> None:
        """The pair of two of which a lead has let one give way, before anybody asked."""
        a, b = sorted((gone, kept), key=lambda row: row.pk)
        who = {"raised_by": by.actor[:80], "raised_by_user_id": by.user_id or None, "raised_at": at}
        settled = {"state": cls.State.RESOLVED, "settled_by_id": by.user_id or None, "settled_at": at}
        also = {"resolution": f"kept {kept.ref}", "settled_by_lead": True}
        cls.objects.create(a=a, b=b, question=cls.Question.DUPLICATE, **who, **settled, **also)

    @classmethod
    def give_back(cls, row: Insight, heir: Insight, *, by: Member, at: datetime) -> None:
        """Let `row`, which stands again, be proposed to replace what it was before `heir` took that over."""
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
        """Undo `settle`, or with `by_lead` false `close`, with a line in both histories; a contradiction marks both
        again. What a lead has reopened no agent's word settles any more.
        """
        self.state, self.resolution, self.scope = self.State.OPEN, "", ""
        self.settled_by, self.settled_at, self.settled_by_lead = None, None, by_lead
        self.save(update_fields=["state", "resolution", "scope", "settled_by", "settled_at", "settled_by_lead"])
        for side, other in ((self.a, self.b), (self.b, self.a)):
            side.note(verb="reopened", line=f"{self.question} of {side.ref} and {other.ref} reopened", by=by, at=at)
        if self.question == self.Question.CONTRADICTION:
            self.mark(by=by, at=at, again=True)
