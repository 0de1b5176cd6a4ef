"""An insight, with the changes of its status and its place, each with its line in the log."""

import re
from datetime import datetime
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from pgvector.django import HalfVectorField, HnswIndex, SparseVectorField

from accounts.models import ApiToken, LogEntry, Team, User
from accounts.rules.choices import choices
from accounts.rules.rights import Member
from knowledge.lifecycle.rules import decay, lifecycle
from knowledge.models.insight.corroborated import Corroborated
from knowledge.models.insight.searchable import Searchable
from knowledge.models.moderation import Moderated
from knowledge.querysets.insights import InsightQuerySet
from knowledge.querysets.text_search import SEARCHED_TEXT
from knowledge.retrieval.rules.bm25 import POSITIONS
from knowledge.rules import vocabulary
from knowledge.rules.draft import LONGEST_QUESTION
from knowledge.rules.vocabulary import Kind, Source, Stability, Status, Trust

DIMENSIONS = 384
_WORD = re.compile(r"\w+")

KINDS = choices(Kind)
STABILITIES = choices(Stability)
STATUSES = choices(Status)

# By which names a session that starts is pointed to an insight, and which insights those are.
ORIENTING = {"pinned": Q(pinned=True), "decided": Q(kind=Kind.DECISION), "stale": Q(trust=Trust.STALE)}

# Drafts of which somebody other than the author said something good since a lead last looked at them.
AWAITING_A_LEAD = Q(
    Q(reviewed_at__isnull=True) | Q(reviewed_at__lt=models.F("favoured_at")),
    status=Status.DRAFT.value,
    favoured_at__isnull=False,
)

# Promoted by people's ratings, and no lead has looked at it since.
EARNED = Q(
    Q(reviewed_at__isnull=True) | Q(reviewed_at__lt=models.F("earned_at")),
    status=Status.PROMOTED.value,
    earned_at__isnull=False,
)
# As many people object to it as can bring it before a lead: what fades by itself keeps a higher strength in the column.
OBJECTED = Q(status=Status.PROMOTED.value, strength__lte=lifecycle.LEAST_AGAINST_MANY)

# What the list is narrowed to that few rows are.
RARE = {"pinned": Q(pinned=True), "stale": Q(trust=Trust.STALE)}


class Insight(Corroborated, Searchable, Moderated):
    """One lesson of one team. `ref` (PLAT-42) names it to agents and people alike."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="insights")
    number = models.PositiveIntegerField(editable=False)
    ref = models.CharField(max_length=24, unique=True, editable=False)

    kind = models.CharField(max_length=12, choices=KINDS)
    title = models.CharField(max_length=200)
    body = models.TextField()
    reasoning = models.TextField(blank=True)
    # What is asked by those whom it helps, in words of their own: it is searched by them too, and never told.
    questions = ArrayField(models.CharField(max_length=LONGEST_QUESTION), default=list, db_default=[], blank=True)
    repo = models.CharField(max_length=200, blank=True)
    stability = models.CharField(max_length=10, choices=STABILITIES, default=Stability.STABLE)
    provenance = models.JSONField(default=list, blank=True)

    source_type = models.CharField(max_length=12, choices=choices(Source), default=Source.AGENT)
    source_date = models.DateTimeField(null=True, blank=True)
    source_url = models.URLField(max_length=500, blank=True)
    author = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="insights")
    # Who answers for it: none of what it says, so setting it counts no revision. Its index is of those that have one.
    owner = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False, editable=False
    )
    token = models.ForeignKey(ApiToken, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    session_key = models.CharField(max_length=80, blank=True, editable=False)

    status = models.CharField(max_length=12, choices=STATUSES, default=Status.DRAFT)
    strength = models.FloatField(default=decay.INITIAL)
    strength_at = models.DateTimeField()
    pinned = models.BooleanField(default=False)
    # When a person last stood behind it: of two that oppose each other, the newer comes first unless it is older than
    # that.
    confirmed_at = models.DateTimeField(null=True, blank=True, editable=False)
    trust = models.CharField(max_length=12, choices=choices(Trust), default=Trust.UNKNOWN)
    corroboration_count = models.PositiveIntegerField(default=1, editable=False)
    # By how many people it was said, its author included: what the confidence stands on. Of the deposits that say it,
    # `corroboration_count`, many may be one person's.
    people = models.PositiveIntegerField(default=1, db_default=1, editable=False)
    last_corroborated_at = models.DateTimeField(null=True, blank=True, editable=False)
    # When somebody other than its author last found it helpful or said the same.
    favoured_at = models.DateTimeField(null=True, editable=False)
    # When people's ratings promoted it, which a lead is shown.
    earned_at = models.DateTimeField(null=True, editable=False)
    superseded_by = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="supersedes", editable=False
    )

    revision = models.PositiveIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    embedding = HalfVectorField(dimensions=DIMENSIONS, null=True, editable=False)
    embedded_by = models.CharField(max_length=80, blank=True, editable=False)
    lexemes = SearchVectorField(editable=False, null=True)
    bm25 = SparseVectorField(dimensions=POSITIONS, editable=False, null=True)
    bm25_recipe = models.CharField(max_length=40, blank=True, editable=False)
    length = models.PositiveIntegerField(default=0, editable=False)
    prose = models.FloatField(default=1.0, editable=False)
    quality = models.FloatField(default=1.0, editable=False)
    # Words of what was merged into it that it does not have itself: what was said is found by how it was said.
    heard = ArrayField(models.CharField(max_length=200), default=list, editable=False)

    fades_at = models.DateTimeField(null=True, editable=False)
    # It came while there was no vector: whether it says something new is asked when there is one.
    unweighed = models.BooleanField(default=False, editable=False)
    topic = models.ForeignKey("Topic", null=True, blank=True, on_delete=models.SET_NULL, related_name="insights")
    # What a query may return, in one place for the database and its indexes.
    retrievable = models.GeneratedField(
        expression=Q(  # type: ignore[arg-type]
            ~Q(status=Status.ARCHIVED),
            superseded_by__isnull=True,
            quarantined_at__isnull=True,
            forgotten_at__isnull=True,
        ),
        output_field=models.BooleanField(),
        db_persist=True,
    )

    objects = InsightQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team", "number"], name="insight_number_once_a_team"),
            models.CheckConstraint(condition=Q(strength__gte=0, strength__lte=100), name="insight_strength_0_100"),
            models.CheckConstraint(
                condition=~Q(kind=Kind.DECISION) | ~Q(reasoning=""), name="insight_decision_says_why"
            ),
            models.CheckConstraint(condition=~Q(superseded_by=models.F("pk")), name="insight_not_its_own_heir"),
        ]
        indexes = [
            models.Index(fields=["team", "-created_at", "-id"], name="insight_newest_of_team"),
            # The newest of several teams together, and of what few rows have: walked until a page is full.
            models.Index(fields=["-created_at", "-id"], name="insight_newest"),
            models.Index(fields=["repo", "-created_at", "-id"], name="insight_newest_of_repo"),
            *(
                models.Index(fields=["-created_at", "-id"], name=f"insight_newest_{name}", condition=condition)
                for name, condition in RARE.items()
            ),
            models.Index(
                fields=["owner", "-created_at", "-id"], name="insight_owned", condition=Q(owner__isnull=False)
            ),
            # Read by every page of the inbox, for the number beside the queue.
            models.Index(fields=["-created_at", "-id"], name="insight_awaiting_lead", condition=AWAITING_A_LEAD),
            models.Index(fields=["-created_at", "-id"], name="insight_earned", condition=EARNED),
            models.Index(fields=["fades_at", "id"], name="insight_objected", condition=OBJECTED),
            # What is counted of whole teams, read off the index alone.
            models.Index(
                fields=["team", "topic", "kind", "status"],
                include=["id", "retrievable", "superseded_by", "forgotten_at", "quarantined_at"],
                name="insight_counted",
            ),
            # Every vector of a team beside each other, with all that a search asks of a row to measure it
            # (docs/decisions/0033).
            models.Index(
                fields=["team", "kind"],
                include=["id", "embedding", "forgotten_at", "quarantined_at"],
                name="insight_measured",
                condition=Q(retrievable=True),
            ),
            models.Index(fields=["embedded_by"], name="insight_embedded_by"),
            models.Index(fields=["session_key"], name="insight_of_session"),
            # What a session is pointed to when it starts on a repo: a few rows each, whatever the table holds.
            *(
                models.Index(
                    fields=["team", "repo", "-created_at", "-id"],
                    name=f"insight_{name}",
                    condition=condition & Q(retrievable=True),
                )
                for name, condition in ORIENTING.items()
            ),
            models.Index(fields=["fades_at"], name="insight_fades_at", condition=Q(fades_at__isnull=False)),
            models.Index(fields=["id"], name="insight_unweighed", condition=Q(unweighed=True)),
            models.Index(fields=["fades_at"], name="insight_promoted_fading", condition=Q(status="promoted")),
            models.Index(fields=["team"], name="insight_quarantined", condition=Q(quarantined_at__isnull=False)),
            # Where HNSW comes by too few of a team's, all are measured (`superseded_near`).
            models.Index(fields=["team"], name="insight_superseded", condition=Q(superseded_by__isnull=False)),
            GinIndex(fields=["lexemes"], name="insight_lexemes", fastupdate=False),
            # People look for a part of a word, a path or a reference; agents never ask this way.
            GinIndex(OpClass(SEARCHED_TEXT, name="gin_trgm_ops"), name="insight_text"),
            HnswIndex(
                name="insight_near",
                fields=["embedding"],
                m=16,
                ef_construction=200,
                opclasses=["halfvec_cosine_ops"],
                condition=Q(retrievable=True),
            ),
            # A question in the words of what was replaced leads to what replaced it.
            HnswIndex(
                name="insight_near_superseded",
                fields=["embedding"],
                m=16,
                ef_construction=64,
                opclasses=["halfvec_cosine_ops"],
                condition=Q(superseded_by__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.ref} {self.title}"

    @property
    def learned_at(self) -> datetime:
        """When what it says was learned, as far as anybody said; else since when it is here."""
        return self.source_date or self.created_at

    @property
    def by_person(self) -> bool:
        return self.source_type in (Source.HUMAN, Source.SAID)

    @property
    def standing(self) -> str:
        """Its status, or `superseded`: what gave way has none that counts."""
        return vocabulary.SUPERSEDED if self.superseded_by_id else self.status

    @property
    def needs_reviewer(self) -> bool:
        """Whether a change to it takes a second person: promoted, in a team that requires one."""
        return self.status == Status.PROMOTED and not self.superseded_by_id and self.team.second_reviewer

    @property
    def shown(self) -> bool:
        """Whether any read may show it."""
        return self.forgotten_at is None and self.quarantined_at is None

    @property
    def is_current(self) -> bool:
        """Whether it may take another's place: what gave way itself would leave nobody to answer."""
        return not self.superseded_by_id and self.status != Status.ARCHIVED

    @property
    def is_questioned(self) -> bool:
        """Whether another one is proposed to replace it, or it to replace that, or the two contradict each other."""
        opened = {"state": "open", "question__in": ("supersession", "contradiction")}
        return any(pairs.filter(**opened).exists() for pairs in (self.pairs_as_a, self.pairs_as_b))

    @property
    def confidence(self) -> str:
        return vocabulary.confidence(self.people)

    def confidence_for(self, member: Member) -> str:
        """The confidence this member is shown. Others are shown how many people said it; its author's own findings
        count as well for the author, each set of words once: a person who works alone has nobody else to confirm them.
        """
        if self.author_id != member.user_id or self.corroboration_count == self.people:
            return self.confidence
        own = self.corroborations.all().merged().filter(user_id=self.author_id).values_list("body", flat=True)
        wordings = {frozenset(_WORD.findall(said.casefold())) for said in [self.body, *own]}
        return vocabulary.confidence(self.people - 1 + len(wordings))

    def effective_strength(self, now: datetime) -> float:
        """0–100, what is left of the strength by now."""
        days = (now - self.strength_at).total_seconds() / 86_400
        return decay.effective(self.strength, days, *self.decay_inputs)

    @property
    def decay_inputs(self) -> tuple[Status, Stability, bool, Kind]:
        """What decides how fast it fades, as the rules of decay take it."""
        return Status(self.status), Stability(self.stability), self.pinned, Kind(self.kind)

    def change(
        self,
        changes: dict[str, Any],
        *,
        verb: str,
        line: str,
        by: Member,
        at: datetime,
        why: str = "",
        also: tuple[dict[str, Any], dict[str, Any]] = ({}, {}),
    ) -> None:
        """Set fields, count the revision up and write the log line with before and after.

        What changes how fast it fades starts from the strength that is left, unless `changes` sets another.
        `also` is what changed beside the fields (anchors), before and after, for the log line.
        """
        columns, entry = self.prepare_change(changes, verb=verb, line=line, by=by, at=at, why=why, also=also)
        self.save(update_fields=columns)
        entry.save(force_insert=True)

    def prepare_change(
        self,
        changes: dict[str, Any],
        *,
        verb: str,
        line: str,
        by: Member,
        at: datetime,
        why: str = "",
        also: tuple[dict[str, Any], dict[str, Any]] = ({}, {}),
    ) -> tuple[list[str], LogEntry]:
        """Do what `change` does and save nothing; returns the columns that changed and the log line. Who changes many
        rows saves them together, in one transaction.
        """
        before = {name: getattr(self, name) for name in changes}
        left, half_life = self.effective_strength(at), decay.half_life(*self.decay_inputs)
        for name, value in changes.items():
            setattr(self, name, value)
        carried = []
        if "strength" not in changes and decay.half_life(*self.decay_inputs) != half_life:
            self.strength, self.strength_at, carried = left, at, ["strength", "strength_at"]
        self.revision += 1
        self.updated_at = at
        self.schedule_fade()
        log = {"before": plain(before | also[0]), "after": plain(changes | also[1])}
        entry = LogEntry.of(team_id=self.team_id, subject=self.ref, verb=verb, line=line, by=by, at=at, why=why, **log)
        return [*changes, *carried, "fades_at", "revision", "updated_at"], entry

    def schedule_fade(self) -> None:
        """Set when the strength will cross the next threshold, if nothing happens."""
        self.fades_at = lifecycle.fades_at(self.strength, self.strength_at, *self.decay_inputs)

    def confirm(self, *, by: Member, at: datetime) -> None:
        """A person stands behind it as of now. What comes with a token is an agent's word, and changes nothing here."""
        if by.token_id is None:
            self.confirmed_at = at
            self.save(update_fields=["confirmed_at"])

    def fade(self, *, by: Member, at: datetime) -> bool:
        """Let the sweep's rule take it one status down; False when it need not."""
        left = self.effective_strength(at)
        status = lifecycle.faded(Status(self.status), left, self.kind)
        if status is Status(self.status):
            return False
        self._move(status, left, status.value, by=by, at=at, why=f"strength fell to {left:.1f}")
        return True

    def _move(self, status: Status, strength: float, verb: str, *, by: Member, at: datetime, why: str) -> None:
        changes = {"status": status.value, "strength": strength, "strength_at": at}
        self.change(changes, verb=verb, line=f"{self.ref} {verb}", by=by, at=at, why=why)

    def supersede(
        self,
        successor: "Insight",
        *,
        by: Member,
        at: datetime,
        why: str = "",
        verdict: dict[str, Any] | None = None,
    ) -> None:
        """Give way to `successor`: kept, with its history, and out of retrieval at once."""
        line = f"{self.ref} superseded by {successor.ref}"
        self.superseded_by = successor
        self.save(update_fields=["superseded_by"])
        after = {"superseded_by": successor.ref} | ({"verdict": verdict} if verdict else {})
        self.note(verb="superseded", line=line, by=by, at=at, why=why, before={"superseded_by": None}, after=after)

    def reinstate(self, *, by: Member, at: datetime, why: str = "") -> None:
        """Undo a supersession."""
        before = {"superseded_by": self.superseded_by.ref if self.superseded_by else None}
        self.superseded_by = None
        self.save(update_fields=["superseded_by"])
        line = f"{self.ref} reinstated"
        self.note(verb="reinstated", line=line, by=by, at=at, why=why, before=before, after={"superseded_by": None})

    def set_status(self, status: Status, *, verb: str, by: Member, at: datetime, why: str = "") -> None:
        """Move to another status by hand. What goes down keeps the strength it has; what comes up has a new one's."""
        left = self.effective_strength(at)
        strength = left if status is Status.DEPRECATED else lifecycle.raised_by_hand(left)
        self._move(status, strength, verb, by=by, at=at, why=why)
        self.earned_at = None
        self.save(update_fields=["earned_at"])

    def set_owner(self, owner: User | None, *, by: Member, at: datetime, why: str = "") -> None:
        """Set who of the team answers for it."""
        self.owner = owner
        self.save(update_fields=["owner"])
        line = f"{self.ref} " + (f"is owned by {owner.username}" if owner else "has no owner")
        self.note(verb="owner set", line=line, by=by, at=at, why=why)

    def take_number(self, prefix: str, number: int) -> None:
        """Its name for good; the team's `take_numbers` gave it."""
        self.number, self.ref = number, f"{prefix}-{number}"

    def note(self, *, verb: str, line: str, by: Member, at: datetime, **more: Any) -> None:
        LogEntry.write(team_id=self.team_id, subject=self.ref, verb=verb, line=line, by=by, at=at, **more)


def plain(values: dict[str, Any]) -> dict[str, Any]:
    """As JSON has it: moments as ISO text."""
    return {k: v.isoformat() if isinstance(v, datetime) else v for k, v in values.items()}
