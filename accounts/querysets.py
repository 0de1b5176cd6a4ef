"""All SQL of `accounts`, and the base of the querysets of team data."""

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

# WRITES: the key of the advisory lock on a team's writes. STOPPED: the SQLSTATE that the database raises for a write to
# a team that takes none (migration 0019).
WRITES, STOPPED = 1819042157, "LM001"
# The key of the advisory lock that excludes two imports at once, because each moves sequences.
IMPORTS = 1819042158
# When a team is imported, keep this many ids per table free for rows written at its origin during the move.
ROOM = 100_000


def was_stopped(error: Exception) -> bool:
    """Return whether a write failed because its team takes no writes."""
    return getattr(error.__cause__, "sqlstate", None) == STOPPED


class TeamScoped(QuerySet[Any]):
    """Rows that belong to exactly one team. `visible_to` is the only access to them, and is always applied first."""

    def visible_to(self, member: Member) -> Self:
        return self.filter(team_id__any=member.team_ids)


class TeamQuerySet(QuerySet[Any]):
    def visible_to(self, member: Member) -> Self:
        return self.filter(pk__in=member.team_ids)

    def readable_by_superusers(self) -> Self:
        """Return the teams that a superuser administers: all but personal ones."""
        return self.exclude(kind=TeamKind.PERSONAL)

    def wait_for_writes(self, team_id: int) -> None:
        """Wait until every write to the team that has written its log line has ended. The trigger of migration 0019
        holds the lock shared until then; this takes it exclusively.
        """
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, hashint8(%s))", [WRITES, team_id])

    def lock_imports(self) -> bool:
        """Lock imports until the end of the transaction; return False if another import holds the lock. A transaction
        left idle ends by itself after an hour.
        """
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = '1h'")
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [IMPORTS])
            return bool(cursor.fetchone()[0])


class MembershipQuerySet(TeamScoped):
    def of_person(self, user_id: int) -> list[Any]:
        """Return a user's memberships with the teams, by the team's name."""

        def build() -> QuerySet[Any, Any]:
            return self.filter(user_id=BindParam("user")).select_related("team").order_by("team__name")

        return prepared("memberships", build, planned=True).run(user=user_id)

    def with_people(self) -> Self:
        return self.select_related("user", "team").order_by("-level", "user__username")

    def curators(self, team_ids: Iterable[int]) -> Self:
        """Return the memberships of active leads of these teams with their users, by name."""
        rows = self.filter(team_id__in=list(team_ids), level=Level.LEAD, user__is_active=True)
        return rows.select_related("user").order_by("user__username", "team_id")

    def has_lead(self, team_id: int, person: Any) -> bool:
        """Return whether a person (or None) is active and leads this team; a superuser leads every team."""
        if person is None or not person.is_active:
            return False
        return bool(person.is_superuser) or self.curators([team_id]).filter(user=person).exists()

    def people_of(self, member: Member, text: str) -> Any:
        """Return the user names that contain `text`, of those who share a team with the member, by name."""
        shared = [team.id for team in member.teams if team.kind is TeamKind.SHARED]
        found = self.filter(team_id__in=shared, user__username__icontains=text)
        return found.order_by("user__username").values_list("user__username", flat=True).distinct()


class InvitationQuerySet(TeamScoped):
    def open(self, now: datetime) -> Self:
        """Return the invitations that are not revoked, expired or used up."""
        rows = self.filter(revoked_at__isnull=True, expires_at__gt=now).alias(used=Count("uses"))
        return rows.filter(used__lt=F("max_uses"))

    def with_digest(self, digest: str, *, lock: bool = False) -> Any:
        """Return the invitation with this digest, with its team and creator; None without one. `lock`: lock it and its
        team's row.
        """
        rows = self.filter(digest=digest).select_related("team", "created_by")
        return (rows.select_for_update(no_key=True, of=("self", "team")) if lock else rows).first()

    def with_people(self) -> Self:
        """Return the invitations, the newest first, with the creator of each and who used it, in three queries."""
        return self.select_related("created_by").prefetch_related("uses__user").order_by("-pk")


class ApiTokenQuerySet(QuerySet[Any]):
    def visible_to(self, member: Member) -> Self:
        """Return the member's own tokens. A team's leads see in the admin that a token exists, never here."""
        return self.filter(user_id=member.user_id)

    def usable(self, now: datetime | BindParam) -> Self:
        return self.filter(
            Q(expires_at__isnull=True) | Q(expires_at__gt=now), revoked_at__isnull=True, user__is_active=True
        )

    def with_digest(self, digest: str, now: datetime) -> Any:
        """Return the usable token with this digest or None, in one statement, with its user, and as `team_ids` the
        teams it is narrowed to.
        """
        teams = ArrayAgg("teams", filter=Q(teams__isnull=False), default=Value([]))

        def build() -> QuerySet[Any]:
            one = self.usable(BindParam("now")).filter(digest=BindParam("digest"))
            return one.select_related("user").annotate(team_ids=teams)

        return next(iter(prepared("token", build, planned=True).run(now=now, digest=digest)), None)


class GuardTermQuerySet(TeamScoped):
    def allowed(self, team_id: int) -> frozenset[str]:
        """Return the terms that one team has allowed."""
        return frozenset(self.filter(team_id=team_id).values_list("term", flat=True))


class PreferenceQuerySet(TeamScoped):
    def live(self) -> Self:
        """Return the preferences in effect; of a forgotten one only the key is left."""
        return self.filter(forgotten_at__isnull=True)

    def holding_for(self, member: Member, team_ids: Iterable[int]) -> list[Any]:
        """Return the preferences in effect in these of the member's teams."""
        rows = prepared("preferences", lambda: self.visible_to(MEMBER_PARAM).live(), planned=True)
        return rows.visible_to(member, only=team_ids)

    def inferred(self) -> Self:
        return self.live().filter(source=Origin.INFERRED)


class LogQuerySet(TeamScoped):
    def visible_to(self, member: Member) -> Self:
        return super().visible_to(member).not_withheld()

    def not_withheld(self) -> Self:
        """Return the lines that are not withheld."""
        return self.filter(withheld=False)

    def about(self, *subjects: str) -> Self:
        """Return the log lines about one subject under any of its names (an insight's references), the newest first."""
        return self.filter(subject__in=subjects).order_by("-at", "-pk")

    def latest_actors(self, subjects: Sequence[str], verb: str) -> dict[str, str]:
        """Return, by subject, who last did this to it."""
        lines = self.filter(subject__in=subjects, verb=verb).order_by("at", "pk")
        return dict(lines.values_list("subject", "actor"))

    def of_nothing(self, *named: QuerySet[Any]) -> Self:
        """Return the lines whose subject is the `ref` of none of these rows."""
        rows = self
        for some in named:
            rows = rows.filter(~Exists(some.filter(ref=OuterRef("subject"))))
        return rows

    def without_delivery(self, deliveries: QuerySet[Any], since: datetime) -> Self:
        """Return the lines since a moment that none of these deliveries is for."""
        return self.not_withheld().filter(~Exists(deliveries.filter(entry=OuterRef("pk"))), at__gte=since)

    def stamps_of_months(self, team_id: int, without: str) -> dict[str, int]:
        """Return, by month (2026-11), a stamp of a team's log lines without those of one verb. It changes with any
        change to the lines.
        """
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM'), sum(hashtextextended(id || ':' || xmin, 0))"
                " FROM accounts_logentry WHERE team_id = %s AND verb <> %s GROUP BY 1",
                [team_id, without],
            )
            return dict(cursor.fetchall())

    def once_a_pair(self) -> Self:
        """Return the lines, but of two that name each other only the one with the lesser name."""
        return self.exclude(after__has_key=AGAINST, subject__gt=KT(f"after__{AGAINST}"))

    def withhold(self, withheld: bool) -> None:
        self.update(withheld=withheld)

    def forget(self) -> None:
        """Remove the content of the lines; who did what to which subject, and when, stays."""
        told = Concat("subject", Value(" "), "verb", output_field=CharField())
        self.update(line=told, why="", before={}, after={}, withheld=False)


class JobRunQuerySet(QuerySet[Any]):
    def latest_of_each(self) -> Self:
        """Return the last run of each job."""
        return self.order_by("name", "-started_at", "-pk").distinct("name")


def count_on(*tables: type[models.Model]) -> None:
    """Reset the sequences of these tables to their highest ids, after rows were inserted with ids of their own."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables):
            cursor.execute(statement)


def reserve_ids(table: type[models.Model], highest: int) -> tuple[int, int]:
    """Reserve ids for imported rows with ids up to `highest`, and ROOM more. Return how much to add to their ids so
    that these are free, and the last reserved id.

    They stay reserved even if the transaction fails. In an empty table the ids are not shifted.
    """
    taken = table._default_manager.aggregate(last=Max("pk"))["last"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [table._meta.db_table, table._meta.pk.column])
        (sequence,) = cursor.fetchone()
        cursor.execute("SELECT nextval(%s)", [sequence])
        (following,) = cursor.fetchone()
        # Other sessions take some of the next ids between this statement and the following one.
        shift = max(following, taken) + 1_000 if taken else 0
        last = shift + highest + ROOM
        cursor.execute("SELECT setval(%s, greatest(nextval(%s), %s))", [sequence, sequence, last])
    return shift, last


@contextmanager
def snapshot() -> Iterator[None]:
    """Read everything as of one moment, whatever is written in the meantime. In an open transaction, its own isolation
    level stays.
    """
    inside = connection.in_atomic_block
    with transaction.atomic():
        if not inside:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


class TallyQuerySet(QuerySet[Any]):
    def add(self, key: str, window: int, count: int) -> int:
        """Add to the count of a key in a window, and return the new count: one statement, exact across processes.

        A new window starts at 0. A request in the window just before the stored one (a clock that lags) counts in the
        stored one. If the stored window is further in the future, the clock was set back: the count starts at 0.
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
        """Take or renew a lease; return False while another holder has it. The statement uses the database's clock, so
        that machines with different clocks agree.
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
        """End the lease now if this holder has it, so that the next holder need not wait."""
        self.filter(name=name, holder=holder).delete()


class WebhookQuerySet(TeamScoped):
    def with_state(self, deliveries: QuerySet[Any]) -> Self:
        """Annotate `waiting`, the number of these deliveries under way, and `last`, the result of the last attempt."""
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
        """Return and lock the deliveries that are due, the longest due first, without those that another sweep holds
        and those of the webhooks `without`.

        Webhooks with a waiting delivery that has failed before come last, because they may delay the sweep again.
        """
        failed = self.model.objects.all().waiting().filter(webhook_id=OuterRef("webhook_id"), last__gt="")
        rows = self.waiting().filter(due_at__lte=now).exclude(webhook_id__in=without).alias(unwell=Exists(failed))
        return rows.order_by("unwell", "due_at", "pk").select_for_update(no_key=True, skip_locked=True, of=("self",))

    def ended_before(self, moment: datetime) -> Self:
        return self.filter(Q(delivered_at__lt=moment) | Q(gave_up_at__lt=moment))
