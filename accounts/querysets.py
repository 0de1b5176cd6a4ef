"""All SQL of `accounts`, and the base of every tenant queryset."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Self

from django.contrib.postgres.aggregates import ArrayAgg
from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.models import CharField, Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, Concat

from accounts.rules.preferences import Origin
from accounts.rules.rights import Level, Member, TeamKind
from accounts.rules.webhooks import AGAINST
from accounts.statements import MEMBER_PARAM, BindParam, prepared

# By which a team's writes are held, and what the database says to one that came too late (migration 0019).
WRITES, STOPPED = 1819042157, "LM001"
# By which imports keep each other out: each moves sequences.
IMPORTS = 1819042158
# How many ids of each table are kept free for what is written where a team comes from while it moves.
ROOM = 100_000


def was_stopped(error: Exception) -> bool:
    """Whether a write was undone as its team takes none."""
    return getattr(error.__cause__, "sqlstate", None) == STOPPED


class TeamScoped(QuerySet[Any]):
    """Rows that belong to exactly one team. `visible_to` is the only way to them; it comes first, always."""

    def visible_to(self, member: Member) -> Self:
        return self.filter(team_id__any=member.team_ids)


class TeamQuerySet(QuerySet[Any]):
    def visible_to(self, member: Member) -> Self:
        return self.filter(pk__in=member.team_ids)

    def readable_by_superusers(self) -> Self:
        """A superuser administers every shared team and reads nobody's personal one."""
        return self.exclude(kind=TeamKind.PERSONAL)

    def wait_for_writes(self, team_id: int) -> None:
        """Return when each write to the team has ended that has left its line in the log: what the trigger of migration
        0019 shares until then, this has alone.
        """
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, hashint8(%s))", [WRITES, team_id])

    def lock_imports(self) -> bool:
        """Whether nobody else is importing here; until the end of the transaction nobody else can. One that is left
        waiting ends by itself after an hour.
        """
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = '1h'")
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [IMPORTS])
            return bool(cursor.fetchone()[0])


class MembershipQuerySet(TeamScoped):
    def of_person(self, user_id: int) -> list[Any]:
        """Their memberships with the teams, by the team's name."""

        def build() -> QuerySet[Any, Any]:
            return self.filter(user_id=BindParam("user")).select_related("team").order_by("team__name")

        return prepared("memberships", build, planned=True).run(user=user_id)

    def with_people(self) -> Self:
        return self.select_related("user", "team").order_by("-level", "user__username")

    def curators(self, team_ids: Iterable[int]) -> Self:
        """Of those who lead one of these teams and can sign in, each with the user, by name."""
        rows = self.filter(team_id__in=list(team_ids), level=Level.LEAD, user__is_active=True)
        return rows.select_related("user").order_by("user__username", "team_id")

    def has_lead(self, team_id: int, person: Any) -> bool:
        """Whether somebody, or None, can sign in and leads this team, as a superuser does every one."""
        if person is None or not person.is_active:
            return False
        return bool(person.is_superuser) or self.curators([team_id]).filter(user=person).exists()

    def people_of(self, member: Member, text: str) -> Any:
        """The user names with these letters among those who share a team with the member, by name."""
        shared = [team.id for team in member.teams if team.kind is TeamKind.SHARED]
        found = self.filter(team_id__in=shared, user__username__icontains=text)
        return found.order_by("user__username").values_list("user__username", flat=True).distinct()


class InvitationQuerySet(TeamScoped):
    def open(self, now: datetime) -> Self:
        """Neither revoked nor expired nor used up."""
        rows = self.filter(revoked_at__isnull=True, expires_at__gt=now).alias(used=Count("uses"))
        return rows.filter(used__lt=F("max_uses"))

    def with_digest(self, digest: str, *, lock: bool = False) -> Any:
        """The one of that digest, or None, with its team and maker. `lock`: it and its team's members stand still."""
        rows = self.filter(digest=digest).select_related("team", "created_by")
        return (rows.select_for_update(no_key=True, of=("self", "team")) if lock else rows).first()

    def with_people(self) -> Self:
        """The newest first, with who made each and who came by it: three statements in all."""
        return self.select_related("created_by").prefetch_related("uses__user").order_by("-pk")


class ApiTokenQuerySet(QuerySet[Any]):
    def visible_to(self, member: Member) -> Self:
        """One's own tokens only; a team's lead sees that a token exists, in the admin, never here."""
        return self.filter(user_id=member.user_id)

    def usable(self, now: datetime | BindParam) -> Self:
        return self.filter(
            Q(expires_at__isnull=True) | Q(expires_at__gt=now), revoked_at__isnull=True, user__is_active=True
        )

    def with_digest(self, digest: str, now: datetime) -> Any:
        """The usable token, or None, with its user, and in `team_ids` what it is narrowed to: all that a request asks
        of it, in one statement.
        """
        teams = ArrayAgg("teams", filter=Q(teams__isnull=False), default=Value([]))

        def build() -> QuerySet[Any]:
            one = self.usable(BindParam("now")).filter(digest=BindParam("digest"))
            return one.select_related("user").annotate(team_ids=teams)

        return next(iter(prepared("token", build, planned=True).run(now=now, digest=digest)), None)


class GuardTermQuerySet(TeamScoped):
    def allowed(self, team_id: int) -> frozenset[str]:
        """The terms one team has reviewed."""
        return frozenset(self.filter(team_id=team_id).values_list("term", flat=True))


class PreferenceQuerySet(TeamScoped):
    def live(self) -> Self:
        """Those that hold; of a forgotten one only its key is left."""
        return self.filter(forgotten_at__isnull=True)

    def holding_for(self, member: Member, team_ids: Iterable[int]) -> list[Any]:
        """Those of these teams of a member's that hold."""
        rows = prepared("preferences", lambda: self.visible_to(MEMBER_PARAM).live(), planned=True)
        return rows.visible_to(member, only=team_ids)

    def inferred(self) -> Self:
        return self.live().filter(source=Origin.INFERRED)


class LogQuerySet(TeamScoped):
    def visible_to(self, member: Member) -> Self:
        return super().visible_to(member).not_withheld()

    def not_withheld(self) -> Self:
        """Without the lines that are withheld."""
        return self.filter(withheld=False)

    def about(self, *subjects: str) -> Self:
        """Log lines of one thing by its names (an insight's references), newest first."""
        return self.filter(subject__in=subjects).order_by("-at", "-pk")

    def latest_actors(self, subjects: Sequence[str], verb: str) -> dict[str, str]:
        """Return who did this last to each of these, by its name."""
        lines = self.filter(subject__in=subjects, verb=verb).order_by("at", "pk")
        return dict(lines.values_list("subject", "actor"))

    def of_nothing(self, *named: QuerySet[Any]) -> Self:
        """Lines whose subject is none of these rows' `ref`."""
        rows = self
        for some in named:
            rows = rows.filter(~Exists(some.filter(ref=OuterRef("subject"))))
        return rows

    def without_delivery(self, deliveries: QuerySet[Any], since: datetime) -> Self:
        """Lines since then that none of these deliveries is of."""
        return self.not_withheld().filter(~Exists(deliveries.filter(entry=OuterRef("pk"))), at__gte=since)

    def stamps_of_months(self, team_id: int, without: str) -> dict[str, int]:
        """By month (2026-11), what tells its lines of a team, without those of one verb, from any others."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM'), sum(hashtextextended(id || ':' || xmin, 0))"
                " FROM accounts_logentry WHERE team_id = %s AND verb <> %s GROUP BY 1",
                [team_id, without],
            )
            return dict(cursor.fetchall())

    def once_a_pair(self) -> Self:
        """Of two lines that name each other, the one of the lesser name; whatever names nobody stays."""
        return self.exclude(after__has_key=AGAINST, subject__gt=KT(f"after__{AGAINST}"))

    def withhold(self, withheld: bool) -> None:
        self.update(withheld=withheld)

    def forget(self) -> None:
        """Leave who did what kind of thing when, and no word of what it said."""
        told = Concat("subject", Value(" "), "verb", output_field=CharField())
        self.update(line=told, why="", before={}, after={}, withheld=False)


class JobRunQuerySet(QuerySet[Any]):
    def latest_of_each(self) -> Self:
        """The last run of each job."""
        return self.order_by("name", "-started_at", "-pk").distinct("name")


def count_on(*tables: type[models.Model]) -> None:
    """Let ids be given out after the highest there is: rows have come with ids of their own."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables):
            cursor.execute(statement)


def reserve_ids(table: type[models.Model], highest: int) -> tuple[int, int]:
    """By how much ids up to `highest`, and ROOM beyond it, are moved to be ids that nobody has; and the last of them.

    They are kept free at once, whatever becomes of the transaction. For an empty table they stay as they are.
    """
    taken = table._default_manager.aggregate(last=Max("pk"))["last"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [table._meta.db_table, table._meta.pk.column])
        (sequence,) = cursor.fetchone()
        cursor.execute("SELECT nextval(%s)", [sequence])
        (following,) = cursor.fetchone()
        # Others take some of the next ones between this statement and the one after it.
        shift = max(following, taken) + 1_000 if taken else 0
        last = shift + highest + ROOM
        cursor.execute("SELECT setval(%s, greatest(nextval(%s), %s))", [sequence, sequence, last])
    return shift, last


@contextmanager
def snapshot() -> Iterator[None]:
    """Read everything as of one moment, whatever is written meanwhile; in an open transaction, as of its own."""
    inside = connection.in_atomic_block
    with transaction.atomic():
        if not inside:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


class TallyQuerySet(QuerySet[Any]):
    def add(self, key: str, window: int, count: int) -> int:
        """Add to the count of that key in that window, and what it is then: one statement, exact among all processes.

        A new window begins at nothing; the one just past (a clock that lags) is told the newer one's count. One that is
        long past is new too: the clock was moved back, and what was counted in the future is nobody's limit.
        """
        with connection.cursor() as cursor:
            cursor.execute(
                'INSERT INTO accounts_tally AS t (key, "window", count) VALUES (%s, %s, %s) ON CONFLICT (key) DO UPDATE'
                ' SET count = excluded.count + CASE WHEN t."window" - excluded."window" IN (0, 1) THEN t.count'
                " ELSE 0 END,"
                ' "window" = excluded."window" + (t."window" - excluded."window" = 1)::int RETURNING count',
                [key, window, count],
            )
            return int(cursor.fetchone()[0])


class LeaseQuerySet(QuerySet[Any]):
    def take(self, name: str, holder: str, seconds: float) -> bool:
        """Take or renew a lease; False while another holder has it. One statement by the database's clock, so that
        machines whose clocks are apart agree on who has it.
        """
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO accounts_lease AS l (name, holder, until)"
                " VALUES (%s, %s, clock_timestamp() + make_interval(secs => %s))"
                " ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until"
                " WHERE l.holder = excluded.holder OR l.until < clock_timestamp() RETURNING 1",
                [name, holder, seconds],
            )
            return cursor.fetchone() is not None

    def give_back(self, name: str, holder: str) -> None:
        """End it now, if that holder has it: the next need not wait for its end."""
        self.filter(name=name, holder=holder).delete()


class WebhookQuerySet(TeamScoped):
    def with_state(self, deliveries: QuerySet[Any]) -> Self:
        """With `waiting`, how many of these deliveries are under way, and `last`, how the last attempt ended."""
        mine = deliveries.filter(webhook=OuterRef("pk"))
        tried = mine.filter(attempts__gt=0).order_by("-pk").values("last")[:1]
        waiting = mine.waiting().order_by().values("webhook").annotate(n=Count("pk")).values("n")  # type: ignore[attr-defined]
        return self.annotate(
            waiting=Coalesce(Subquery(waiting), Value(0)), last=Coalesce(Subquery(tried), Value("", CharField()))
        )


class DeliveryQuerySet(QuerySet[Any]):
    def waiting(self) -> Self:
        return self.filter(delivered_at__isnull=True, gave_up_at__isnull=True)

    def due(self, now: datetime, *, without: Collection[int] = ()) -> Self:
        """The longest due first, none that another sweep holds, and none of the webhooks `without`. Those of webhooks
        to which something waits that has failed before come last: they may keep the sweep waiting again.
        """
        failed = self.model.objects.all().waiting().filter(webhook_id=OuterRef("webhook_id"), last__gt="")
        rows = self.waiting().filter(due_at__lte=now).exclude(webhook_id__in=without).alias(unwell=Exists(failed))
        return rows.order_by("unwell", "due_at", "pk").select_for_update(no_key=True, skip_locked=True, of=("self",))

    def ended_before(self, moment: datetime) -> Self:
        return self.filter(Q(delivered_at__lt=moment) | Q(gave_up_at__lt=moment))
