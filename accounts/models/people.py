"""People, teams, tokens and the log."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower

from accounts.querysets import (
    ApiTokenQuerySet,
    GuardTermQuerySet,
    LogQuerySet,
    MembershipQuerySet,
    PreferenceQuerySet,
    TeamQuerySet,
)
from accounts.rules.preferences import LONGEST_KEY, LONGEST_VALUE, Category, Origin
from accounts.rules.rights import Level, Member, Scope, TeamKind
from accounts.rules.settings import Density, Machinery, Theme

# Half a year: what was said about a piece of work is asked for while it is worked on, and insights outlive it.
CONVERSATION_DAYS = 180
MOST_CONVERSATION_DAYS = 3_650
COLOURS = ["moss", "clay", "ochre", "river", "plum", "slate"]


class User(AbstractUser):
    """A person. Their private knowledge is simply the rows of their personal team.

    `inference_due_at` is set by a rating: the sweep then looks what it tells of their preferences.
    """

    inference_due_at = models.DateTimeField(null=True, editable=False)
    # What they have set for themselves (rules/settings).
    theme = models.CharField(max_length=12, choices=[(t.value, t.value) for t in Theme], default=Theme.SYSTEM)
    density = models.CharField(
        max_length=12, choices=[(d.value, d.value) for d in Density], default=Density.COMFORTABLE
    )
    keys = models.CharField(max_length=3, choices=[("on", "on"), ("off", "off")], default="on")
    machinery = models.CharField(max_length=12, choices=[(m.value, m.value) for m in Machinery], default=Machinery.FULL)
    share_prompts = models.CharField(
        max_length=3, choices=[("on", "on"), ("off", "off")], default="off", db_default="off"
    )
    ask_to_deposit = models.CharField(
        max_length=3, choices=[("on", "on"), ("off", "off")], default="on", db_default="on"
    )

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(Lower("email"), condition=~Q(email=""), name="user_email_once"),
        ]
        indexes = [
            models.Index(
                fields=["inference_due_at"], name="user_inference_due", condition=Q(inference_due_at__isnull=False)
            ),
        ]


class Team(models.Model):
    """Every row of knowledge belongs to exactly one team. `prefix` begins its references (`PLAT-42`)."""

    name = models.CharField(max_length=80)
    slug = models.SlugField(max_length=60, unique=True)
    prefix = models.CharField(
        max_length=12,
        unique=True,
        validators=[RegexValidator(r"^[A-Z][A-Z0-9]{1,11}$", "Two to twelve capitals and digits, a letter first.")],
    )
    colour = models.CharField(max_length=12, choices=[(c, c) for c in COLOURS], default=COLOURS[0])
    kind = models.CharField(max_length=10, choices=[(k.value, k.value) for k in TeamKind], default=TeamKind.SHARED)
    owner = models.OneToOneField(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="personal_team", editable=False
    )
    last_number = models.PositiveIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    # After so many days the passages of conversations that are the team's are deleted.
    conversation_days = models.PositiveSmallIntegerField(
        default=CONVERSATION_DAYS,
        db_default=CONVERSATION_DAYS,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_CONVERSATION_DAYS)],
        help_text="How many days passages of conversations are kept.",
    )
    # Whether a change to a promoted insight takes somebody else than who makes it.
    second_reviewer = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Changes to promoted insights need the approval of another lead.",
    )
    # Set by the operator; a lead cannot raise them.
    calls_per_minute = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="API calls a minute of all its agents together. Empty: LOAM_TEAM_RATE_LIMIT; 0: no limit.",
    )
    most_insights = models.PositiveIntegerField(
        null=True, blank=True, help_text="How many insights it may store. Empty: no limit."
    )
    # While it moves to another cell (actions/moving.py): since when it takes no writes, and where it is now.
    writes_stopped_at = models.DateTimeField(null=True, blank=True, editable=False)
    moved_to = models.CharField(max_length=200, blank=True, default="", db_default="", editable=False)

    objects = TeamQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind"], condition=Q(kind=TeamKind.EVERYONE), name="team_only_one_everyone"
            ),
            models.CheckConstraint(
                condition=Q(kind=TeamKind.PERSONAL, owner__isnull=False)
                | (~Q(kind=TeamKind.PERSONAL) & Q(owner__isnull=True)),
                name="team_personal_has_an_owner",
            ),
            models.CheckConstraint(condition=~Q(slug__in=["personal", "new"]), name="team_slug_not_reserved"),
        ]

    def __str__(self) -> str:
        return self.name

    def take_numbers(self, count: int = 1) -> int:
        """Reserve `count` references and return the first number. Holds the team's row until the transaction ends."""
        Team.objects.filter(pk=self.pk).update(last_number=F("last_number") + count)
        self.refresh_from_db(fields=["last_number"])
        return self.last_number - count + 1

    def keep_number(self, number: int) -> None:
        """A reference with this number was given out before: it is not given out again."""
        Team.objects.filter(pk=self.pk, last_number__lt=number).update(last_number=number)


class Membership(models.Model):
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    level = models.PositiveSmallIntegerField(
        choices=[(level.value, level.name.lower()) for level in Level], default=Level.CONTRIBUTOR
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class ApiToken(models.Model):
    """What an agent shows to come in. Only the SHA-256 of the secret is kept; the secret is shown once.

    A random secret of 256 bits needs no slow hash: there is nothing to guess.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=24, unique=True)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scopes = ArrayField(models.CharField(max_length=10, choices=[(s.value, s.value) for s in Scope]), default=list)
    teams = models.ManyToManyField(Team, blank=True, help_text="None: all the teams of its user.")
    narrowed = models.BooleanField(default=False, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_used_from = models.GenericIPAddressField(null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ApiTokenQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    def revoke(self, *, at: datetime) -> None:
        self.revoked_at = at
        self.save(update_fields=["revoked_at"])

    def state(self, now: datetime) -> str:
        if self.revoked_at:
            return "revoked"
        return "expired" if self.expires_at and self.expires_at <= now else "active"


class LogEntry(models.Model):
    """One change: who, when, what, why, before and after. Written in the transaction of the change.

    It is never edited, but for one thing: what was forgotten for good is not told by the log either.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()
    user = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    token = models.ForeignKey(ApiToken, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    actor = models.CharField(max_length=200)
    verb = models.CharField(max_length=40)
    subject = models.CharField(max_length=80, blank=True)
    line = models.CharField(max_length=400)
    why = models.TextField(blank=True)
    before = models.JSONField(default=dict, blank=True)
    after = models.JSONField(default=dict, blank=True)
    # What it is about was forgotten or put in quarantine: it is kept, and in no read, until that is undone.
    withheld = models.BooleanField(default=False, editable=False)

    objects = LogQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "log entries"
        indexes = [
            models.Index(fields=["subject", "-at"]),
            models.Index(fields=["team", "-at"]),
            models.Index(fields=["-at", "-id"], name="log_newest"),
            GinIndex(fields=["line", "why"], opclasses=["gin_trgm_ops"] * 2, name="log_text"),
        ]

    def __str__(self) -> str:
        return self.line

    @classmethod
    def of(cls, *, team_id: int, verb: str, line: str, by: Member, at: datetime, **more: Any) -> "LogEntry":
        """An unsaved line; `more` may name subject, why, before and after."""
        return cls(
            team_id=team_id,
            verb=verb,
            line=line[:400],
            at=at,
            user_id=by.user_id or None,
            token_id=by.token_id,
            actor=by.actor[:200],
            **more,
        )

    @classmethod
    def write(cls, **fields: Any) -> "LogEntry":
        """Save the line that `of` would make."""
        entry = cls.of(**fields)
        entry.save(force_insert=True)
        return entry


class GuardTerm(models.Model):
    """What a team's lead has looked at and found to be no secret: the guard lets exactly this through, in this team."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="guard_terms")
    term = models.CharField(max_length=400)
    reason = models.TextField(blank=True)
    added_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    added_at = models.DateTimeField()

    objects = GuardTermQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "term"], name="guard_term_once")]

    def __str__(self) -> str:
        return self.term

    @classmethod
    def allow(cls, *, team_id: int, term: str, reason: str, by: Member, at: datetime) -> "tuple[GuardTerm, bool]":
        """The term, reviewed; the last who vouched for it stands for it. With whether it is new.

        The log does not repeat it: anyone who reads the log need not be who reviews.
        """
        fields = {"reason": reason, "added_by_id": by.user_id or None, "added_at": at}
        row, new = cls.objects.update_or_create(team_id=team_id, term=term, defaults=fields)
        line = f"Guard term {row.pk} added to the allowlist"
        LogEntry.write(team_id=team_id, verb="term allowed", line=line, why=reason, by=by, at=at)
        return row, new

    def withdraw(self, *, by: Member, at: datetime, why: str = "") -> None:
        """The guard looks at it again."""
        line = f"Guard term {self.pk} removed from the allowlist"
        LogEntry.write(team_id=self.team_id, verb="term withdrawn", line=line, why=why, by=by, at=at)
        self.delete()


class Preference(models.Model):
    """How a person or a team wants work done: a row of the team it holds for, one's own of the personal team.

    A forgotten one stays, without its words, so that inference does not bring the key back.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="preferences")
    key = models.CharField(max_length=LONGEST_KEY)
    value = models.CharField(max_length=LONGEST_VALUE)
    category = models.CharField(max_length=14, choices=[(c.value, c.value) for c in Category])
    statement = models.TextField(blank=True)
    source = models.CharField(max_length=10, choices=[(o.value, o.value) for o in Origin])
    confidence = models.FloatField(default=1.0)
    # What an inferred one stands on, kept when a person confirms it.
    support = models.JSONField(default=dict, blank=True)
    changed_at = models.DateTimeField()
    changed_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    forgotten_at = models.DateTimeField(null=True, blank=True)

    objects = PreferenceQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team", "key"], name="preference_once_a_team"),
            models.CheckConstraint(condition=Q(confidence__gt=0, confidence__lte=1), name="preference_confidence_0_1"),
            models.CheckConstraint(
                condition=Q(source=Origin.INFERRED.value) | Q(confidence=1), name="preference_explicit_is_sure"
            ),
            models.CheckConstraint(
                condition=Q(forgotten_at__isnull=True) | Q(value="", statement="", support={}),
                name="preference_forgotten_says_nothing",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key} = {self.value}"

    def set(self, changes: dict[str, Any], *, verb: str, by: Member, at: datetime) -> None:
        """Change fields, or store a new row, with its line in the log."""
        adding = self._state.adding
        before = {} if adding else {name: getattr(self, name) for name in changes}
        for name, value in changes.items():
            setattr(self, name, value)
        self.changed_at, self.changed_by_id = at, by.user_id or None
        self.save(force_insert=adding)
        self._note(verb, self.value, before, changes, by, at)

    def forget(self, *, by: Member, at: datetime) -> None:
        """Let it hold no more; what is left is its key and that it was forgotten."""
        before = {name: getattr(self, name) for name in ("value", "statement", "source")}
        self.value = self.statement = ""
        self.support = {}
        self.forgotten_at = self.changed_at = at
        self.changed_by_id = by.user_id or None
        self.save()
        self._note("preference forgotten", before["value"], before, {}, by, at)

    def withdraw(self, *, by: Member, at: datetime) -> None:
        """Take back what was inferred and is no longer borne out; it may be inferred again."""
        self._note("preference withdrawn", self.value, {"value": self.value, "support": self.support}, {}, by, at)
        self.delete()

    def _note(
        self, verb: str, value: str, before: dict[str, Any], after: dict[str, Any], by: Member, at: datetime
    ) -> None:
        plain = [{k: str(v) if isinstance(v, datetime) else v for k, v in values.items()} for values in (before, after)]
        LogEntry.write(
            team_id=self.team_id,
            verb=verb,
            line=f"{verb.capitalize()}: {self.key} = {value}",
            subject=self.key,
            before=plain[0],
            after=plain[1],
            by=by,
            at=at,
        )
