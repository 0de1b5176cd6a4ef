"""The model Insight: its columns, and the changes of its status, each with a line in the log."""

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

# What a session is pointed to when it starts, by name.
ORIENTING = {"pinned": Q(pinned=True), "decided": Q(kind=Kind.DECISION), "stale": Q(trust=Trust.STALE)}

# Drafts for which somebody other than the author has spoken since a lead last reviewed them.
AWAITING_A_LEAD = Q(
    Q(reviewed_at__isnull=True) | Q(reviewed_at__lt=models.F("favoured_at")),
    status=Status.DRAFT.value,
    favoured_at__isnull=False,
)

# Promoted by ratings, and not reviewed by a lead since.
EARNED = Q(
    Q(reviewed_at__isnull=True) | Q(reviewed_at__lt=models.F("earned_at")),
    status=Status.PROMOTED.value,
    earned_at__isnull=False,
)
# Enough people object to it to put it before a lead. Fading alone does not lower `strength` so far.
OBJECTED = Q(status=Status.PROMOTED.value, strength__lte=lifecycle.LEAST_AGAINST_MANY)

# Filters of the list that match few rows.
RARE = {"pinned": Q(pinned=True), "stale": Q(trust=Trust.STALE)}


class Insight(Corroborated, Searchable, Moderated):
    """One lesson of one team. Agents and people refer to it by `ref` (PLAT-42)."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="insights")
    number = models.PositiveIntegerField(editable=False)
    ref = models.CharField(max_length=24, unique=True, editable=False)

    kind = models.CharField(max_length=12, choices=KINDS)
    title = models.CharField(max_length=200)
    body = models.TextField()
    reasoning = models.TextField(blank=True)
    # Questions that it answers, in the words of those who ask. They are only searched, never shown in an answer.
    questions = ArrayField(models.CharField(max_length=LONGEST_QUESTION), default=list, db_default=[], blank=True)
    repo = models.CharField(max_length=200, blank=True)
    stability = models.CharField(max_length=10, choices=STABILITIES, default=Stability.STABLE)
    provenance = models.JSONField(default=list, blank=True)

    source_type = models.CharField(max_length=12, choices=choices(Source), default=Source.AGENT)
    source_date = models.DateTimeField(null=True, blank=True)
    source_url = models.URLField(max_length=500, blank=True)
    author = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="insights")
    # The owner. Setting it makes no revision, as the content stays. Its index holds only rows that have one.
    owner = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False, editable=False
    )
    token = models.ForeignKey(ApiToken, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    session_key = models.CharField(max_length=80, blank=True, editable=False)

    status = models.CharField(max_length=12, choices=STATUSES, default=Status.DRAFT)
    strength = models.FloatField(default=decay.INITIAL)
    strength_at = models.DateTimeField()
    pinned = models.BooleanField(default=False)
    # When a person last confirmed it. Of two insights that oppose each other the newer one comes first, unless the
    # older was confirmed after it came.
    confirmed_at = models.DateTimeField(null=True, blank=True, editable=False)
    trust = models.CharField(max_length=12, choices=choices(Trust), default=Trust.UNKNOWN)
    corroboration_count = models.PositiveIntegerField(default=1, editable=False)
    # The number of people who said it, the author included: the confidence is based on it. Many of the deposits that
    # `corroboration_count` counts may be of one person.
    people = models.PositiveIntegerField(default=1, db_default=1, editable=False)
    last_corroborated_at = models.DateTimeField(null=True, blank=True, editable=False)
    # When somebody other than the author last rated it helpful or said the same.
    favoured_at = models.DateTimeField(null=True, editable=False)
    # When ratings promoted it, for leads to review.
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
    # Words of merged texts that it does not have itself, so that it is found by them too.
    heard = ArrayField(models.CharField(max_length=200), default=list, editable=False)

    fades_at = models.DateTimeField(null=True, editable=False)
    # Stored without a vector: it is compared with other insights once it has one.
    unweighed = models.BooleanField(default=False, editable=False)
    topic = models.ForeignKey("Topic", null=True, blank=True, on_delete=models.SET_NULL, related_name="insights")
    # Whether queries may return it; defined once, for the database and its indexes.
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
            # For the newest rows of several teams, and of rare filters: read in order until a page is full.
            models.Index(fields=["-created_at", "-id"], name="insight_newest"),
            models.Index(fields=["repo", "-created_at", "-id"], name="insight_newest_of_repo"),
            *(
                models.Index(fields=["-created_at", "-id"], name=f"insight_newest_{name}", condition=condition)
                for name, condition in RARE.items()
            ),
            models.Index(
                fields=["owner", "-created_at", "-id"], name="insight_owned", condition=Q(owner__isnull=False)
            ),
            # Read by every page of the inbox, for the count next to the queue.
            models.Index(fields=["-created_at", "-id"], name="insight_awaiting_lead", condition=AWAITING_A_LEAD),
            models.Index(fields=["-created_at", "-id"], name="insight_earned", condition=EARNED),
            models.Index(fields=["fades_at", "id"], name="insight_objected", condition=OBJECTED),
            # For counts over whole teams, by index-only scans.
            models.Index(
                fields=["team", "topic", "kind", "status"],
                include=["id", "retrievable", "superseded_by", "forgotten_at", "quarantined_at"],
                name="insight_counted",
            ),
            # All vectors of a team together, with the columns that a search by vector filters on (docs/decisions/0033).
            models.Index(
                fields=["team", "kind"],
                include=["id", "embedding", "forgotten_at", "quarantined_at"],
                name="insight_measured",
                condition=Q(retrievable=True),
            ),
            models.Index(fields=["embedded_by"], name="insight_embedded_by"),
            models.Index(fields=["session_key"], name="insight_of_session"),
            # What a session is pointed to when it starts on a repository: few rows each, however large the table is.
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
            # For comparing all superseded rows of a team, if HNSW finds too few (`superseded_near`).
            models.Index(fields=["team"], name="insight_superseded", condition=Q(superseded_by__isnull=False)),
            GinIndex(fields=["lexemes"], name="insight_lexemes", fastupdate=False),
            # People search for parts of words, paths and references in lists; agents never do.
            GinIndex(OpClass(SEARCHED_TEXT, name="gin_trgm_ops"), name="insight_text"),
            HnswIndex(
                name="insight_near",
                fields=["embedding"],
                m=16,
                ef_construction=200,
                opclasses=["halfvec_cosine_ops"],
                condition=Q(retrievable=True),
            ),
            # Finds the successor of a superseded insight for a question in outdated words.
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
        """When it was learned; if nobody said when, when it was stored."""
        return self.source_date or self.created_at

    @property
    def by_person(self) -> bool:
        return self.source_type in (Source.HUMAN, Source.SAID)

    @property
    def standing(self) -> str:
        """Its status, or `superseded`, since the status of a superseded insight does not count."""
        return vocabulary.SUPERSEDED if self.superseded_by_id else self.status

    @property
    def needs_reviewer(self) -> bool:
        """Whether a change needs a second person: it is promoted, in a team that requires one."""
        return self.status == Status.PROMOTED and not self.superseded_by_id and self.team.second_reviewer

    @property
    def shown(self) -> bool:
        """Whether reads may show it."""
        return self.forgotten_at is None and self.quarantined_at is None

    @property
    def is_current(self) -> bool:
        """Whether it can replace another one: it is neither superseded nor archived itself."""
        return not self.superseded_by_id and self.status != Status.ARCHIVED

    @property
    def is_questioned(self) -> bool:
        """Whether it is in an open pair about a replacement or a contradiction."""
        opened = {"state": "open", "question__in": ("supersession", "contradiction")}
        return any(pairs.filter(**opened).exists() for pairs in (self.pairs_as_a, self.pairs_as_b))

    @property
    def confidence(self) -> str:
        return vocabulary.confidence(self.people)

    def confidence_for(self, member: Member) -> str:
        """Return the confidence shown to this member: by the number of people who said it. For its author, the author's
        own corroborations count too, each wording once: who works alone has nobody else to confirm an insight.
        """
        if self.author_id != member.user_id or self.corroboration_count == self.people:
            return self.confidence
        own = self.corroborations.all().merged().filter(user_id=self.author_id).values_list("body", flat=True)
        wordings = {frozenset(_WORD.findall(said.casefold())) for said in [self.body, *own]}
        return vocabulary.confidence(self.people - 1 + len(wordings))

    def effective_strength(self, now: datetime) -> float:
        """Return the strength that is left by now, 0–100."""
        days = (now - self.strength_at).total_seconds() / 86_400
        return decay.effective(self.strength, days, *self.decay_inputs)

    @property
    def decay_inputs(self) -> tuple[Status, Stability, bool, Kind]:
        """The arguments of the rules of decay."""
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
        """Set fields, increase the revision and write the log line with the values before and after.

        If the half-life changes, it starts with the strength that is left, unless `changes` sets the strength. `also`:
        what changed besides the fields (anchors), before and after, for the log line.
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
        """Change the row as `change` does, but save nothing; return the changed columns and the log line. A caller that
        changes many rows saves them together, in one transaction.
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
        """Set when the strength will fall below the next threshold."""
        self.fades_at = lifecycle.fades_at(self.strength, self.strength_at, *self.decay_inputs)

    def confirm(self, *, by: Member, at: datetime) -> None:
        """Set when a person confirmed it. A request with a token is an agent's, and changes nothing."""
        if by.token_id is None:
            self.confirmed_at = at
            self.save(update_fields=["confirmed_at"])

    def fade(self, *, by: Member, at: datetime) -> bool:
        """Move it down one status if its strength has fallen below the threshold; return whether it was moved."""
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
        """Supersede it by `successor`: it is kept with its history, but no longer retrieved."""
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
        """Set the status by hand. Deprecated, it keeps its strength; otherwise it gets that of a raised one."""
        left = self.effective_strength(at)
        strength = left if status is Status.DEPRECATED else lifecycle.raised_by_hand(left)
        self._move(status, strength, verb, by=by, at=at, why=why)
        self.earned_at = None
        self.save(update_fields=["earned_at"])

    def set_owner(self, owner: User | None, *, by: Member, at: datetime, why: str = "") -> None:
        """Set or remove the owner."""
        self.owner = owner
        self.save(update_fields=["owner"])
        line = f"{self.ref} " + (f"is owned by {owner.username}" if owner else "has no owner")
        self.note(verb="owner set", line=line, by=by, at=at, why=why)

    def take_number(self, prefix: str, number: int) -> None:
        """Set its permanent reference; `number` comes from the team's `take_numbers`."""
        self.number, self.ref = number, f"{prefix}-{number}"

    def note(self, *, verb: str, line: str, by: Member, at: datetime, **more: Any) -> None:
        LogEntry.write(team_id=self.team_id, subject=self.ref, verb=verb, line=line, by=by, at=at, **more)


def plain(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values as JSON, with times as ISO text."""
    return {k: v.isoformat() if isinstance(v, datetime) else v for k, v in values.items()}
