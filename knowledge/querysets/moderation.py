"""Queries for moderation and for the audit: rows that are hidden, rows that wait for a person, and rows in a wrong
state.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Self

from django.contrib.postgres.expressions import ArraySubquery
from django.db import connection
from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from accounts.querysets import TeamScoped
from accounts.rules.rights import Member
from accounts.statements import BindParam
from knowledge.lifecycle.rules.lifecycle import LEAST_AGAINST_MANY
from knowledge.querysets.contributors import Contributed, of_one_user
from knowledge.rules.vocabulary import Status, Trust

# Condition of a proposed insight: the server made it from a passage, and nobody has reviewed or deposited it since.
PROPOSED = {
    "quotations__proposed": True,
    "status": Status.DRAFT,
    "reviewed_at__isnull": True,
    "corroboration_count": 1,
}


# Fingerprint of the data on each insight's vault page (`knowledge/imports/actions/vault_out`): the row versions (xmin)
# of its own rows, and the shown columns of other insights.
_STAMPS = """
WITH mine AS MATERIALIZED (SELECT id, ref, team_id FROM knowledge_insight WHERE team_id = %s),
parts AS (
    SELECT i.id AS insight_id, concat('row ', i.xmin, ' ', heir.ref) AS part
    FROM mine JOIN knowledge_insight i ON i.id = mine.id
    LEFT JOIN knowledge_insight heir ON heir.id = i.superseded_by_id
    UNION ALL SELECT insight_id, concat('anchor ', a.id, ' ', a.xmin)
    FROM mine JOIN knowledge_anchor a ON insight_id = mine.id
    UNION ALL SELECT insight_id, concat('signal ', s.id, ' ', s.xmin)
    FROM mine JOIN knowledge_signal s ON insight_id = mine.id
    UNION ALL SELECT insight_id, concat('receipt ', r.id, ' ', r.xmin)
    FROM mine JOIN knowledge_receipt r ON insight_id = mine.id
    UNION ALL SELECT insight_id, concat('former ', f.id, ' ', f.xmin, ' ', t.slug)
    FROM mine JOIN knowledge_formerref f ON insight_id = mine.id JOIN accounts_team t ON t.id = f.team_id
    UNION ALL SELECT c.insight_id, concat(
        'said ', c.id, ' ', c.xmin, ' ', heir.ref, ' ', heir.team_id, ' ', heir.forgotten_at, ' ', own.forgotten_at,
        ' ', moved.forgotten_at
    )
    FROM mine JOIN knowledge_corroboration c ON c.insight_id = mine.id
    LEFT JOIN knowledge_insight heir ON heir.id = c.unmerged_into_id
    LEFT JOIN knowledge_insight own ON own.ref = c.draft ->> 'ref'
    LEFT JOIN knowledge_formerref f ON f.ref = c.draft ->> 'ref'
    LEFT JOIN knowledge_insight moved ON moved.id = f.insight_id
    UNION ALL SELECT mine.id, concat('before ', old.id, ' ', old.ref)
    FROM mine JOIN knowledge_insight old ON old.superseded_by_id = mine.id
    UNION ALL SELECT mine.id, concat('pair ', p.id, ' ', p.xmin, ' ', o.ref, ' ', o.team_id, ' ', o.forgotten_at)
    FROM mine JOIN knowledge_pair p ON p.a_id = mine.id JOIN knowledge_insight o ON o.id = p.b_id
    UNION ALL SELECT mine.id, concat('pair ', p.id, ' ', p.xmin, ' ', o.ref, ' ', o.team_id, ' ', o.forgotten_at)
    FROM mine JOIN knowledge_pair p ON p.b_id = mine.id JOIN knowledge_insight o ON o.id = p.a_id
)
SELECT mine.id, mine.ref, sum(hashtextextended(part, 0))
FROM mine JOIN parts ON insight_id = mine.id GROUP BY mine.id, mine.ref
"""


class ModeratedQuerySet(Contributed, TeamScoped):
    def called(self, ref: str) -> Self:
        """Return the row with this reference, or the one that had it before it was moved to another team.

        It filters by primary key, because the planner read all of a million rows for a condition on both references.
        """
        by_name, by_former = self.filter(ref=ref).order_by(), self.filter(former__ref=ref).order_by()
        return self.filter(pk__any=ArraySubquery(by_name.values("pk").union(by_former.values("pk"), all=True)))

    def stamps_of_pages(self, team_id: int) -> list[tuple[int, str, int]]:
        """Return (id, reference, stamp) for each insight of a team. The stamp changes with any change to its page in a
        vault.
        """
        with connection.cursor() as cursor:
            cursor.execute(_STAMPS, [team_id])
            return cursor.fetchall()

    def shown(self) -> Self:
        """Return the rows that may be shown at all, no matter to whom."""
        return self.filter(forgotten_at__isnull=True, quarantined_at__isnull=True)

    def hidden(self) -> Self:
        return self.filter(Q(forgotten_at__isnull=False) | Q(quarantined_at__isnull=False))

    def forgotten(self) -> Self:
        """Return the rows that are hidden from every read and can still be restored."""
        return self.filter(forgotten_at__isnull=False, erased_at__isnull=True)

    def quarantined(self) -> Self:
        """Return the rows in which a secret was found and that nobody has reviewed yet."""
        return self.filter(quarantined_at__isnull=False, forgotten_at__isnull=True)

    def learned_from(self, repo: str) -> Self:
        """Return the rows that name files of this repository from which they were learned."""
        return self.filter(repo=repo).exclude(provenance=[])

    def awake(self, snoozed: QuerySet[Any]) -> Self:
        """Return the rows that none of these inbox states snoozes."""
        return self.filter(~Exists(snoozed.filter(insight=OuterRef("pk"))))

    def asleep(self, snoozed: QuerySet[Any]) -> Self:
        """Return the rows that one of these inbox states snoozes."""
        return self.filter(Exists(snoozed.filter(insight=OuterRef("pk"))))

    def assigned_to(self, user_id: int | None) -> Self:
        """Return the rows assigned to a user; None: to nobody."""
        return self.filter(inbox_state__assignee=user_id)

    def of_owner(self, user_id: int) -> Self:
        """Return the rows that a user owns, directly or through their topic."""
        return self.filter(Q(owner_id=user_id) | Q(topic__owner_id=user_id))

    def with_inbox_state(self) -> Self:
        """Return the rows with their assignee and their snooze."""
        return self.select_related("inbox_state__assignee", "inbox_state__snoozed_by")

    def with_topic(self) -> Self:
        """Return the rows with their topic, without the columns that only search uses."""
        return self.select_related("topic").defer("topic__centroid", "topic__terms")

    # --- rows that wait for a person -----------------------------------------------------------------------
    def awaiting_a_lead(self) -> Self:
        """Return the drafts for which somebody else has given a positive signal since their last review. The condition
        is that of the index `insight_awaiting_lead`.
        """
        unseen = Q(reviewed_at__isnull=True) | Q(reviewed_at__lt=F("favoured_at"))
        return self.filter(unseen, status=Status.DRAFT, favoured_at__isnull=False)

    def promoted_unseen(self) -> Self:
        """Return the insights that ratings promoted and no lead has reviewed since (index `insight_earned`)."""
        unseen = Q(reviewed_at__isnull=True) | Q(reviewed_at__lt=F("earned_at"))
        return self.filter(unseen, status=Status.PROMOTED, earned_at__isnull=False)

    def never_reviewed(self) -> Self:
        """Return the drafts that no lead has reviewed and for which nobody but their author has given a positive
        signal.
        """
        return self.filter(status=Status.DRAFT, favoured_at__isnull=True, reviewed_at__isnull=True)

    def proposed(self) -> Self:
        """Return the drafts that the server made from a passage that answered often, as long as nobody has reviewed
        them or deposited the same.
        """
        return self.filter(**PROPOSED)

    def not_proposed(self) -> Self:
        """Return the rows without proposed ones, because answers contain nothing that nobody has vouched for."""
        return self.exclude(**PROPOSED)

    def fading_by(self, moment: datetime | BindParam, *, seen_since: datetime | BindParam) -> Self:
        """Return the promoted insights that will be deprecated by `moment` and have not been reviewed since
        `seen_since`.
        """
        unseen = Q(reviewed_at__isnull=True) | Q(reviewed_at__lt=seen_since)
        return self.filter(unseen, status=Status.PROMOTED, fades_at__lte=moment)

    def lasting_beyond(self, moment: datetime | BindParam) -> Self:
        """Return the rows that will not be deprecated by `moment`."""
        return self.filter(Q(fades_at__isnull=True) | Q(fades_at__gt=moment))

    def objected(self, *, seen_since: datetime | BindParam) -> Self:
        """Return the promoted insights with enough objections to need a lead, unless reviewed since `seen_since` (index
        `insight_objected`).
        """
        unseen = Q(reviewed_at__isnull=True) | Q(reviewed_at__lt=seen_since)
        return self.filter(unseen, status=Status.PROMOTED, strength__lte=LEAST_AGAINST_MANY)

    def outdated(self) -> Self:
        """Return the rows whose source files changed and that queries still serve."""
        return self.filter(trust=Trust.STALE, status__in=(Status.DRAFT, Status.PROMOTED))

    def with_supporter(self, signals: QuerySet[Any]) -> Self:
        """Annotate each row with the one user beside its author who has spoken for it since its last review, if there
        is only one.
        """
        unseen = Q(insight__reviewed_at__isnull=True) | Q(at__gt=F("insight__reviewed_at"))
        theirs = signals.by_others().filter(unseen, insight=OuterRef("pk"))  # type: ignore[attr-defined]
        return self._raised_by(of_one_user(theirs, "insight"))

    def with_reporter(self, lines: QuerySet[Any], verb: str) -> Self:
        """Annotate each row with the user of its log lines with `verb`, if there is only one."""
        return self._raised_by(of_one_user(lines.filter(subject=OuterRef("ref"), verb=verb), "subject"))

    def _raised_by(self, name: QuerySet[Any, Any]) -> Self:
        return self.alias(raiser=Subquery(name), raisers_name=Subquery(name))

    def raised(self) -> Self:
        """Return the queryset itself: `with_supporter` or `with_reporter` has set the contributor, depending on the
        queue.
        """
        return self

    def tabbed(self, tab: str, most: int) -> "QuerySet[Any, tuple[Any, ...]]":
        """Return (tab,) for each row, at most `most` + 1, to be counted in a union."""
        return self.order_by().annotate(tab=Value(tab)).values_list("tab")[: most + 1]

    # --- rows in a wrong state; none of these finds a row in a sound database ----------------------------
    def out_of_retrieval(self) -> Self:
        """Return the rows that no query may return, by the facts and not by the column `retrievable`."""
        return self.filter(
            Q(superseded_by__isnull=False)
            | Q(status=Status.ARCHIVED)
            | Q(forgotten_at__isnull=False)
            | Q(quarantined_at__isnull=False)
        )

    def slipped(self) -> Self:
        """Return the rows that are out of retrieval but marked as retrievable."""
        return self.out_of_retrieval().filter(retrievable=True)

    def empty(self) -> Self:
        """Return the rows without a text that were not erased."""
        return self.filter(erased_at__isnull=True, body="")

    def without_log_line(self, lines: QuerySet[Any], verb: str) -> Self:
        """Return the rows without a log line with `verb`. Moved rows are left out, since a part of their log is in
        another team.
        """
        logged = Exists(lines.filter(subject=OuterRef("ref"), verb=verb))
        return self.filter(~logged, former__isnull=True)

    def foreign(self, model: str) -> Self:
        """Return the rows with a vector of another model than this, or of an unnamed one."""
        return self.shown().filter(embedding__isnull=False).exclude(embedded_by=model)

    def waiting_since(self, moment: datetime) -> Self:
        """Return the rows without a vector that have not changed since `moment`."""
        return self.shown().filter(embedding__isnull=True, updated_at__lt=moment)

    def unsearchable(self, recipe: str) -> Self:
        """Return the shown rows whose words are not indexed, or not with this recipe."""
        return self.shown().filter(Q(lexemes__isnull=True) | Q(bm25__isnull=True) | ~Q(bm25_recipe=recipe))

    def still_searchable(self) -> Self:
        """Return the hidden rows whose words are still indexed."""
        return self.hidden().filter(Q(lexemes__isnull=False) | Q(bm25__isnull=False))

    def miscounted(self) -> Self:
        """Return the rows with a wrong corroboration count; annotated with the right one as `actual_count`."""
        merged = Count("corroborations", filter=Q(corroborations__unmerged_into__isnull=True))
        counted = self.filter(erased_at__isnull=True).annotate(actual_count=merged + 1)
        return counted.exclude(corroboration_count=F("actual_count"))

    def unnoticed(self, signals: QuerySet[Any]) -> Self:
        """Return the rows for which somebody else has spoken later than they record; annotated with the time as
        `heard_at`.

        Signals without a user are left out, because they may be the author's own.
        """
        last = signals.filter(user__isnull=False).last_by_others()  # type: ignore[attr-defined]
        behind = Q(favoured_at__isnull=True) | Q(favoured_at__lt=F("heard_at"))
        return self.annotate(heard_at=Subquery(last)).filter(behind, heard_at__isnull=False)

    def missing_corroborations(self, lines: QuerySet[Any]) -> Self:
        """Return the rows with more corroborations in their log than there are rows of them, merged or unmerged.

        What was forgotten since then has left a line without a reason, which is not counted.
        """
        told = lines.filter(subject=OuterRef("ref"), verb="corroborated").exclude(why="").order_by().values("subject")
        number = Coalesce(told.annotate(n=Count("pk")).values("n"), 0, output_field=IntegerField())
        kept = self.filter(erased_at__isnull=True).annotate(kept=Count("corroborations"), told=number)
        return kept.filter(told__gt=F("kept"))

    def contradicted_by_nothing(self, pairs: QuerySet[Any]) -> Self:
        """Return the rows marked as contradicted without any of the given open pairs."""
        speaks = Exists(pairs.filter(Q(a=OuterRef("pk")) | Q(b=OuterRef("pk"))))
        return self.shown().filter(~speaks, trust=Trust.CONTRADICTED)

    def heirs(self) -> dict[int, int]:
        """Return the id of the successor by the id of each superseded row."""
        return dict(self.filter(superseded_by__isnull=False).values_list("pk", "superseded_by_id"))

    def missing_numbers(self, team_id: int, last: int, most: int) -> Sequence[int]:
        """Return the numbers up to `last` that no insight of the team has, or had before it was moved; the first
        `most`.
        """
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT n FROM generate_series(1, %s) AS n"
                " WHERE NOT EXISTS (SELECT FROM knowledge_insight i WHERE i.team_id = %s AND i.number = n)"
                " AND NOT EXISTS (SELECT FROM knowledge_formerref f WHERE f.team_id = %s AND f.number = n)"
                " ORDER BY n LIMIT %s",
                [last, team_id, team_id, most],
            )
            return [number for (number,) in cursor.fetchall()]


class ConflictQuerySet(TeamScoped):
    """Edits in a vault that wait for a person. A conflict is hidden with its insight, and if that was moved to another
    team.
    """

    def visible_to(self, member: Member) -> Self:
        found = super().visible_to(member)
        gone = Q(insight__forgotten_at__isnull=False) | Q(insight__quarantined_at__isnull=False)
        return found.exclude(gone).filter(Q(insight__isnull=True) | Q(insight__team_id=F("team_id")))

    def open(self) -> Self:
        return self.filter(state="open")

    def settled(self) -> Self:
        return self.exclude(state="open")

    def of_teams(self, team_ids: Sequence[int] | BindParam) -> Self:
        return self.filter(team_id__any=team_ids)

    def with_insight(self) -> Self:
        """Return the rows with all that a page shows."""
        return self.select_related("insight__team", "insight__author", "team", "raised_by", "settled_by")

    def tabbed(self, tab: str, most: int) -> "QuerySet[Any, tuple[Any, ...]]":
        """Return (tab,) for each row, at most `most` + 1, as `ModeratedQuerySet.tabbed` does."""
        return self.order_by().annotate(tab=Value(tab)).values_list("tab")[: most + 1]


def invalid_indexes() -> list[str]:
    """Return the indexes whose creation was interrupted. The planner does not use them, and writes may still maintain
    them.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class c ON c.oid = indrelid"
            " JOIN pg_namespace s ON s.oid = c.relnamespace"
            " WHERE NOT (indisvalid AND indisready) AND s.nspname = 'public'"
        )
        return [name for (name,) in cursor.fetchall()]
