"""An insight and what anchors it, with the changes one row can undergo, each with its line in the log."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Max, Q
from pgvector.django import HalfVectorField, HnswIndex, SparseVectorField

from accounts.models import ApiToken, LogEntry, Membership, Team, User
from accounts.rules.choices import choices
from accounts.rules.rights import Level, Member, TeamKind
from knowledge.lifecycle.rules import decay, lifecycle
from knowledge.models.anchor import Anchor
from knowledge.models.moderation import Moderated
from knowledge.querysets.insights import InsightQuerySet
from knowledge.querysets.text_search import SEARCHED_TEXT
from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.bm25 import POSITIONS
from knowledge.retrieval.rules.relevance import prose
from knowledge.retrieval.rules.score import Score
from knowledge.rules import vocabulary
from knowledge.rules.draft import searchable
from knowledge.rules.quality import GATE, quality
from knowledge.rules.vectors import half, lexemes, sparse
from knowledge.rules.vocabulary import AnchorKind, Kind, Source, Stability, Status, Trust

if TYPE_CHECKING:
    from knowledge.models.lexicon import Lexicon
    from knowledge.models.signal import Corroboration, Signal

DIMENSIONS = 384
_WORD = re.compile(r"\w+")
# Under which name a corroboration's draft keeps what the insight took of it: the places of its anchors, and the date
# that the insight had before.
TAKEN = "taken"
# What an error is found by again: of a re-telling's anchors they are taken first.
ERRORS = (AnchorKind.ERROR, AnchorKind.MESSAGE)
# The log's verbs by which people, or the sweep, decide on a status.
DECIDED = ("deprecated", "restored", "promoted")
# What `hear` and `index_words` set.
# What is said again with more new words than these, of all, may say something else.
MOST_NEW_WORDS = 0.2
WORD_FIELDS = ["heard", "lexemes", "bm25", "bm25_recipe", "length", "prose"]


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


class Insight(Moderated):
    """One lesson of one team. `ref` (PLAT-42) names it to agents and people alike."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="insights")
    number = models.PositiveIntegerField(editable=False)
    ref = models.CharField(max_length=24, unique=True, editable=False)

    kind = models.CharField(max_length=12, choices=KINDS)
    title = models.CharField(max_length=200)
    body = models.TextField()
    reasoning = models.TextField(blank=True)
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
            models.Index(fields=["team", "kind"], name="insight_kinds_of_team"),
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
    def tags(self) -> list[str]:
        return self._anchored(AnchorKind.TAG)

    @property
    def files(self) -> list[str]:
        return self._anchored(AnchorKind.FILE)

    @property
    def symbols(self) -> list[str]:
        return self._anchored(AnchorKind.SYMBOL)

    @property
    def errors(self) -> list[str]:
        """What the errors say that it is about."""
        return self._anchored(AnchorKind.MESSAGE)

    @property
    def learned_at(self) -> datetime:
        """When what it says was learned, as far as anybody said; else since when it is here."""
        return self.source_date or self.created_at

    @property
    def by_person(self) -> bool:
        return self.source_type == Source.HUMAN

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
        self.save(update_fields=[*changes, *carried, "fades_at", "revision", "updated_at"])
        log = {"before": plain(before | also[0]), "after": plain(changes | also[1])}
        self.note(verb=verb, line=line, by=by, at=at, why=why, **log)

    def schedule_fade(self) -> None:
        """Set when the strength will cross the next threshold, if nothing happens."""
        self.fades_at = lifecycle.fades_at(self.strength, self.strength_at, *self.decay_inputs)

    def receive(self, signal: "Signal", *, by: Member, at: datetime) -> None:
        """Take a signal in: the strength moves, and with it perhaps the status. The caller holds the row."""
        signal.insight = self
        signal.save(force_insert=True)
        favoured = self.take_favour(signal)
        kind = lifecycle.SignalKind(signal.kind)
        # What says nothing says no more for being said often: it takes a rating, or a lead, to lift it.
        lifts = self.says_something or kind is not lifecycle.SignalKind.CORROBORATED
        if not (signal.counts and lifts):
            self.save(update_fields=favoured)
            return
        before = self.effective_strength(at)
        after = lifecycle.strengthened(before, kind, signal.human)
        if kind is lifecycle.SignalKind.UNHELPFUL:
            after = lifecycle.objected(before, after, Status(self.status), *self._objectors(at))
        status = lifecycle.status_after(kind, Status(self.status), before, after)
        given = self.heard_of(row.given for row in self.signals.all().counting())
        tally = lifecycle.tally(given, self.author_id, says_something=self.says_something)
        if status is Status.DRAFT and tally.earns_promotion and self._may_be_promoted(given):
            self._move(Status.PROMOTED, after, "promoted", by=by, at=at, why=tally.why)
            self.earned_at = at
            favoured += ["earned_at"]
        elif status is not Status(self.status):
            self._move(status, after, "revived", by=by, at=at, why=f"{kind}, strength {after:.0f}")
        else:
            self.strength, self.strength_at = after, at
            self.schedule_fade()
            favoured += ["strength", "strength_at", "fades_at"]
        self.save(update_fields=favoured)

    def take_favour(self, signal: "Signal") -> list[str]:
        """Set since when a lead has it to look at, if others speak for it; returns the fields that changed."""
        if not signal.in_favour or (signal.user_id is not None and signal.user_id == self.author_id):
            return []
        self.favoured_at = max(filter(None, (self.favoured_at, signal.at)))
        return ["favoured_at"]

    @property
    def says_something(self) -> bool:
        """Whether it passes the quality gate."""
        return self.quality >= GATE

    def heard_of(self, given: Iterable[lifecycle.Given]) -> list[lifecycle.Given]:
        """Return those of these signals that can speak for it: saying again what says nothing does not."""
        return [one for one in given if self.says_something or one.signal is not lifecycle.SignalKind.CORROBORATED]

    def _objectors(self, at: datetime) -> tuple[int, bool]:
        """How many people object to it, and whether one of them leads the team and says so in person."""
        found = list(self.signals.all().objectors(self, at - lifecycle.OBJECTION_STANDS))
        led = Membership.objects.filter(team_id=self.team_id, level=Level.LEAD)
        in_person = [user for user, human in found if human]
        superusers = User.objects.filter(pk__in=in_person, is_superuser=True)
        lead = led.filter(user__in=in_person).exists() or superusers.exists()
        return len({user for user, _ in found}), lead

    def _may_be_promoted(self, given: Iterable[lifecycle.Given]) -> bool:
        """Whether these signals may promote it: not what a lead has deprecated. In the team of everyone, where anybody
        with an account contributes, it takes two leads of different teams, in person.
        """
        if self._deprecated_by_a_lead():
            return False
        if self.team.kind != TeamKind.EVERYONE:
            return True
        praise = lifecycle.SignalKind.HELPFUL
        people = {one.user for one in given if one.human and one.signal is praise and one.user is not None}
        led = Membership.objects.filter(user__in=people, level=Level.LEAD, team__kind=TeamKind.SHARED)
        teams: dict[int, set[int]] = {}
        for user, team in led.values_list("user_id", "team_id"):
            teams.setdefault(user, set()).add(team)
        return lifecycle.of_two_teams(teams)

    def _deprecated_by_a_lead(self) -> bool:
        """Whether the last decision on its status was a lead's, that it no longer holds. It may be a draft since."""
        decided = LogEntry.objects.filter(team_id=self.team_id, subject=self.ref, verb__in=DECIDED).order_by("-pk")
        last = decided.values_list("verb", "user").first()
        return last is not None and last[0] == Status.DEPRECATED and last[1] is not None

    def merge_in(
        self,
        said: "Corroboration",
        signal: "Signal",
        anchors: Iterable[Anchor],
        *,
        lexicon: "Lexicon",
        by: Member,
        at: datetime,
        why: str = "",
        verdict: dict[str, Any] | None = None,
    ) -> None:
        """Take in a deposit that says the same: nothing of it is lost, this grows stronger. The caller holds the row.

        Its words are kept and searched, its anchors joined; the count, the dates and the strength follow.
        """
        joined = self.join_anchors(self._room_for(anchors, said.user))
        signal.counts = self._is_news(signal)
        before = self.source_date
        # What is about to be replaced is not made the newer of the two by being said again; nor what was said again
        # with a difference or more words: now and then an agent takes "until June" for "until September", and "ask QA"
        # for "ask QA, but not for hotfixes".
        if not self.is_questioned and not (verdict or {}).get("cues") and self._has_words_of(said):
            self.source_date = max(filter(None, (before, said.source_date)), default=None)
        places = [at for at, (kind, value, *_) in enumerate(said.draft.get("anchors", ())) if (kind, value) in joined]
        said.draft[TAKEN] = {"anchors": places, "dated": before.isoformat() if before else None}
        said.insight = self
        said.save(force_insert=True)
        self.index_merged_terms(lexicon, counted=self.words)
        self.corroboration_count += 1
        self.count_people()
        self.last_corroborated_at = at
        counted = ["corroboration_count", "people", "last_corroborated_at", "source_date"]
        self.save(update_fields=[*counted, *WORD_FIELDS])
        line = f"{self.ref} corroborated (×{self.corroboration_count}) from {said.source_type}"
        why = f"{said.title} ({why})" if why else said.title
        after = {"confidence": self.confidence} | ({"verdict": verdict} if verdict else {})
        self.note(verb="corroborated", line=line, by=by, at=at, why=why, after=after)
        self.receive(signal, by=by, at=at)

    def _room_for(self, anchors: Iterable[Anchor], user: User | None) -> list[Anchor]:
        """Those of the anchors of a re-telling by this user that it takes: new ones, errors first."""
        known = set(self.anchors.values_list("kind", "value"))
        told = self.corroborations.all().merged().filter(user=user)
        given = sum(len(one.draft.get(TAKEN, {}).get("anchors", ())) for one in told)
        new = [anchor for anchor in anchors if (anchor.kind, anchor.value) not in known]
        new.sort(key=lambda anchor: anchor.kind not in ERRORS)
        return new[: lifecycle.room_for_anchors(len(known), given)]

    def _has_words_of(self, said: "Corroboration") -> bool:
        """Whether it has nearly all words of what was said."""
        told = set(bm25.terms(said.text))
        return len(told.difference(self.words)) <= MOST_NEW_WORDS * len(told)

    def _is_news(self, signal: "Signal") -> bool:
        """Whether the same user has not said it again within the week."""
        mine = self.signals.filter(kind=signal.kind, user=signal.user, counts=True).order_by("-at")
        last = mine.values_list("at", flat=True).first()
        return lifecycle.signal_counts(lifecycle.SignalKind(signal.kind), last, 0, signal.at)

    def count_people(self) -> None:
        """Set by how many people it was said: its author, and whose corroborations are part of it."""
        others = set(self.corroborations.all().merged().order_by().values_list("user_id", flat=True))
        self.people = 1 + len(others - {self.author_id})

    def split_off(
        self, said: "Corroboration", heir: "Insight", *, lexicon: "Lexicon", by: Member, at: datetime
    ) -> None:
        """Undo `merge_in`: what was said is `heir`, a row of its own, and the strength it gave goes with it."""
        said.part_as(heir)
        self._lose(said, at)
        self._give_back(said)
        self.index_merged_terms(lexicon, counted=self.words)
        self.corroboration_count = max(self.corroboration_count - 1, 1)
        self.count_people()
        counted = ["corroboration_count", "people", "last_corroborated_at", "source_date"]
        self.save(update_fields=[*counted, *WORD_FIELDS])
        line = f"{heir.ref} unmerged from {self.ref}"
        self.note(verb="unmerged", line=line, by=by, at=at, why=said.title, after={"unmerged": heir.ref})

    def _give_back(self, said: "Corroboration") -> None:
        """The dates and the anchors that came with what was said go with it, as far as nobody else has said them."""
        left = list(self.corroborations.all().merged())
        self.last_corroborated_at = max((one.at for one in left), default=None)
        taken = said.draft.get(TAKEN)
        if not taken:
            return
        if said.source_date and self.source_date == said.source_date:
            dated = datetime.fromisoformat(taken["dated"]) if taken["dated"] else None
            self.source_date = max(filter(None, (dated, *(one.source_date for one in left))), default=None)
        others = {(kind, value) for one in left for kind, value, *_ in one.draft.get("anchors", ())}
        for place in taken["anchors"]:
            kind, value, *_ = said.draft["anchors"][place]
            if (kind, value) not in others:
                self.anchors.filter(kind=kind, value=value).delete()

    def _lose(self, said: "Corroboration", at: datetime) -> None:
        """Take the signal back that came with what was said. Else merging and parting again and again would make it
        stronger each time.
        """
        signals = self.signals.filter(kind=lifecycle.SignalKind.CORROBORATED, at=said.at, user=said.user)
        counted = signals.filter(counts=True).count()
        signals.delete()
        self.favoured_at = self.signals.all().by_others().aggregate(last=Max("at"))["last"]
        self.save(update_fields=["favoured_at"])
        if counted and self.says_something:
            left, status = self.effective_strength(at), Status(self.status)
            given = counted * lifecycle.DELTA[lifecycle.SignalKind.CORROBORATED]
            gone = decay.effective(given, (at - said.at).total_seconds() / 86_400, *self.decay_inputs)
            # No one account buries what is promoted, by taking back what found no room at the top either.
            self.strength = lifecycle.objected(left, max(left - gone, 0.0), status, 1, lead=False)
            self.strength_at = at
            self.schedule_fade()
            self.save(update_fields=["strength", "strength_at", "fades_at"])

    def index_merged_terms(self, lexicon: "Lexicon", *, counted: list[str]) -> None:
        """Collect the words of what is merged into it again, and index with them. `counted`: its words so far."""
        self.recollect()
        lexicon.count(removed=[counted], added=[self.words])
        self.index_words(self.words, lexicon.pivot)

    def recollect(self) -> None:
        """Collect again the words of what is merged into it that it does not have itself."""
        said = self.corroborations.all().merged().order_by("at", "pk")
        told = [(row.user_id, bm25.terms(row.text)) for row in said]
        self.heard = lifecycle.heard_words(set(bm25.terms(self.text)), told)

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

    @property
    def text(self) -> str:
        """What is embedded and searched by keyword."""
        return searchable(self.title, self.body, self.reasoning)

    @property
    def words(self) -> list[str]:
        """The terms it is searched by, repeated as often as they occur."""
        return [*bm25.terms(self.text), *self.heard]

    def index_words(self, words: list[str], pivot: float) -> None:
        """Set what keyword search needs; `pivot` is the average length the team's vectors assume."""
        self.lexemes = lexemes(words)
        self.bm25 = sparse(bm25.document_weights(words, pivot))
        self.bm25_recipe = bm25.RECIPE
        self.length = len(words)
        self.prose = prose(self.text)

    def set_vector(self, vector: np.ndarray | None, model: str) -> None:
        """Set the meaning vector, or none: the sweep makes what is missing."""
        self.embedding = None if vector is None else half(vector)
        self.embedded_by = "" if vector is None else model

    def know_anchors(self, anchored: Iterable[str]) -> None:
        """Take the anchors from what a query has brought already ("kind:value"), as a prefetch would."""
        pairs = (text.partition(":") for text in anchored)
        known = [Anchor(insight=self, kind=kind, value=value) for kind, _, value in pairs]
        self._prefetched_objects_cache = {"anchors": known}

    def take_number(self, prefix: str, number: int) -> None:
        """Its name for good; the team's `take_numbers` gave it."""
        self.number, self.ref = number, f"{prefix}-{number}"

    def assess(self, anchors: int) -> Score:
        """Set the quality; what is new and says next to nothing starts weak. `anchors`: how many it has."""
        found = quality(self.title, self.body, self.reasoning, anchors)
        self.quality = found.total
        if self._state.adding and self.quality < GATE:
            self.strength = min(self.strength, decay.WEAK)
        return found

    def join_anchors(self, anchors: Iterable[Anchor]) -> set[tuple[str, str]]:
        """Add those it does not have yet; returns kind and value of each of them."""
        known = set(self.anchors.values_list("kind", "value"))
        new = [anchor.of(self) for anchor in anchors if (anchor.kind, anchor.value) not in known]
        Anchor.objects.bulk_create(new, ignore_conflicts=True)
        return {(anchor.kind, anchor.value) for anchor in new}

    def replace_anchors(self, kinds: Iterable[AnchorKind], anchors: Iterable[Anchor]) -> None:
        """Drop the anchors of `kinds` and put these in their place."""
        self.anchors.filter(kind__in=list(kinds)).delete()
        Anchor.objects.bulk_create([anchor.of(self) for anchor in anchors])

    def note(self, *, verb: str, line: str, by: Member, at: datetime, **more: Any) -> None:
        LogEntry.write(team_id=self.team_id, subject=self.ref, verb=verb, line=line, by=by, at=at, **more)

    def _anchored(self, kind: AnchorKind) -> list[str]:
        return sorted(anchor.value for anchor in self.anchors.all() if anchor.kind == kind)


def plain(values: dict[str, Any]) -> dict[str, Any]:
    """As JSON has it: moments as ISO text."""
    return {k: v.isoformat() if isinstance(v, datetime) else v for k, v in values.items()}
