"""SQL of moderation and of the audit: what is out of sight, and what is not as it must be."""

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

# What the server has made of a passage, and nobody has looked at or said as well.
PROPOSED = {
    "quotations__proposed": True,
    "status": Status.DRAFT,
    "reviewed_at__isnull": True,
    "corroboration_count": 1,
}


# What the page of each insight of a team is made of (`knowledge/imports/actions/vault_out`): versions of rows, and of
# other insights what the page says of them.
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
        """The row of that reference, or the one that had it before it was moved to another team.

        The key first: as a condition on rows, the planner read all of a million.
        """
        by_name, by_former = self.filter(ref=ref).order_by(), self.filter(former__ref=ref).order_by()
        return self.filter(pk__any=ArraySubquery(by_name.values("pk").union(by_former.values("pk"), all=True)))

    def stamps_of_pages(self, team_id: int) -> list[tuple[int, str, int]]:
        """Of each insight of a team its key, its reference, and what tells the state that its page in a vault would be
        made of from any other.
        """
        with connection.cursor() as cursor:
            cursor.execute(_STAMPS, [team_id])
            return cursor.fetchall()

    def shown(self) -> Self:
        """What any read may show, no matter who reads."""
        return self.filter(forgotten_at__isnull=True, quarantined_at__isnull=True)

    def hidden(self) -> Self:
        return self.filter(Q(forgotten_at__isnull=False) | Q(quarantined_at__isnull=False))

    def forgotten(self) -> Self:
        """Taken out of every read, and still to be had back."""
        return self.filter(forgotten_at__isnull=False, erased_at__isnull=True)

    def quarantined(self) -> Self:
        """Found to hold a secret, and not yet looked at."""
        return self.filter(quarantined_at__isnull=False, forgotten_at__isnull=True)

    def learned_from(self, repo: str) -> Self:
        """What names files of this repository that it was learned from."""
        return self.filter(repo=repo).exclude(provenance=[])

    def awake(self, snoozed: QuerySet[Any]) -> Self:
        """Without those that one of these states of the inbox is of."""
        return self.filter(~Exists(snoozed.filter(insight=OuterRef("pk"))))

    def asleep(self, snoozed: QuerySet[Any]) -> Self:
        """Those that one of these states of the inbox is of."""
        return self.filter(Exists(snoozed.filter(insight=OuterRef("pk"))))

    def assigned_to(self, user_id: int | None) -> Self:
        """Those assigned to a user; None: to nobody."""
        return self.filter(inbox_state__assignee=user_id)

    def of_owner(self, user_id: int) -> Self:
        """Those that a user owns, themselves or with their topic."""
        return self.filter(Q(owner_id=user_id) | Q(topic__owner_id=user_id))

    def with_inbox_state(self) -> Self:
        """With who it is assigned to, and until when it is snoozed."""
        return self.select_related("inbox_state__assignee", "inbox_state__snoozed_by")

    def with_topic(self) -> Self:
        """With the topic, without what that is found by."""
        return self.select_related("topic").defer("topic__centroid", "topic__terms")

    # --- what waits for a person ---------------------------------------------------------------------------
    def awaiting_a_lead(self) -> Self:
        """Drafts of which somebody else said something good since they were last looked at. The condition is that of
        the index `insight_awaiting_lead`.
        """
        unseen = Q(reviewed_at__isnull=True) | Q(reviewed_at__lt=F("favoured_at"))
        return self.filter(unseen, status=Status.DRAFT, favoured_at__isnull=False)

    def promoted_unseen(self) -> Self:
        """Those that people's ratings promoted, and no lead has looked at since (index `insight_earned`)."""
        unseen = Q(reviewed_at__isnull=True) | Q(reviewed_at__lt=F("earned_at"))
        return self.filter(unseen, status=Status.PROMOTED, earned_at__isnull=False)

    def never_reviewed(self) -> Self:
        """Drafts that no lead has looked at and for which nobody but their author has said anything."""
        return self.filter(status=Status.DRAFT, favoured_at__isnull=True, reviewed_at__isnull=True)

    def proposed(self) -> Self:
        """Drafts that were made of a passage of a conversation because it answered often, that nobody looked at, and
        that nobody has deposited as well.
        """
        return self.filter(**PROPOSED)

    def not_proposed(self) -> Self:
        """Without these: what nobody has vouched for is no team's answer."""
        return self.exclude(**PROPOSED)

    def fading_by(self, moment: datetime | BindParam, *, seen_since: datetime | BindParam) -> Self:
        """Promoted ones that will be deprecated by a moment, unless somebody looked at them since another."""
        unseen = Q(reviewed_at__isnull=True) | Q(reviewed_at__lt=seen_since)
        return self.filter(unseen, status=Status.PROMOTED, fades_at__lte=moment)

    def lasting_beyond(self, moment: datetime | BindParam) -> Self:
        """Those that will not be deprecated by a moment."""
        return self.filter(Q(fades_at__isnull=True) | Q(fades_at__gt=moment))

    def objected(self, *, seen_since: datetime | BindParam) -> Self:
        """Promoted ones that as many people object to as bring it before a lead, unless somebody looked at them since
        (index `insight_objected`).
        """
        unseen = Q(reviewed_at__isnull=True) | Q(reviewed_at__lt=seen_since)
        return self.filter(unseen, status=Status.PROMOTED, strength__lte=LEAST_AGAINST_MANY)

    def outdated(self) -> Self:
        """Those whose files changed, and that a query would serve as if nothing had happened."""
        return self.filter(trust=Trust.STALE, status__in=(Status.DRAFT, Status.PROMOTED))

    def with_supporter(self, signals: QuerySet[Any]) -> Self:
        """With who alone, beside its author, has spoken for each since a lead last looked at it."""
        unseen = Q(insight__reviewed_at__isnull=True) | Q(at__gt=F("insight__reviewed_at"))
        theirs = signals.by_others().filter(unseen, insight=OuterRef("pk"))  # type: ignore[attr-defined]
        return self._raised_by(of_one_user(theirs, "insight"))

    def with_reporter(self, lines: QuerySet[Any], verb: str) -> Self:
        """With whose lines of the log alone say so of each."""
        return self._raised_by(of_one_user(lines.filter(subject=OuterRef("ref"), verb=verb), "subject"))

    def _raised_by(self, name: QuerySet[Any, Any]) -> Self:
        return self.alias(raiser=Subquery(name), raisers_name=Subquery(name))

    def raised(self) -> Self:
        """As it is: `with_supporter` or `with_reporter`, according to its queue."""
        return self

    def tabbed(self, tab: str, most: int) -> "QuerySet[Any, tuple[Any, ...]]":
        """For a count in a union: (tab,) for each row, at most one more than `most`."""
        return self.order_by().annotate(tab=Value(tab)).values_list("tab")[: most + 1]

    # --- what is not as it must be; none of these has a row in a sound database ---------------------------
    def out_of_retrieval(self) -> Self:
        """What no query may return, told by the facts and not by the column that says so."""
        return self.filter(
            Q(superseded_by__isnull=False)
            | Q(status=Status.ARCHIVED)
            | Q(forgotten_at__isnull=False)
            | Q(quarantined_at__isnull=False)
        )

    def slipped(self) -> Self:
        """Out of retrieval, and yet marked as retrievable."""
        return self.out_of_retrieval().filter(retrievable=True)

    def empty(self) -> Self:
        """Rows whose text is gone without having been erased."""
        return self.filter(erased_at__isnull=True, body="")

    def without_log_line(self, lines: QuerySet[Any], verb: str) -> Self:
        """Rows whose log has no line with `verb`. Those that were moved have part of their log elsewhere."""
        logged = Exists(lines.filter(subject=OuterRef("ref"), verb=verb))
        return self.filter(~logged, former__isnull=True)

    def foreign(self, model: str) -> Self:
        """Rows with a vector of another model than this, or of none that is named."""
        return self.shown().filter(embedding__isnull=False).exclude(embedded_by=model)

    def waiting_since(self, moment: datetime) -> Self:
        """Rows without a vector that are older than a moment."""
        return self.shown().filter(embedding__isnull=True, updated_at__lt=moment)

    def unsearchable(self, recipe: str) -> Self:
        """Rows to be found, whose words are not kept, or not by this recipe."""
        return self.shown().filter(Q(lexemes__isnull=True) | Q(bm25__isnull=True) | ~Q(bm25_recipe=recipe))

    def still_searchable(self) -> Self:
        """Rows out of sight, whose words are kept all the same."""
        return self.hidden().filter(Q(lexemes__isnull=False) | Q(bm25__isnull=False))

    def miscounted(self) -> Self:
        """Rows whose corroboration count is wrong; with `actual_count`, what it should be."""
        merged = Count("corroborations", filter=Q(corroborations__unmerged_into__isnull=True))
        counted = self.filter(erased_at__isnull=True).annotate(actual_count=merged + 1)
        return counted.exclude(corroboration_count=F("actual_count"))

    def unnoticed(self, signals: QuerySet[Any]) -> Self:
        """Rows that somebody else spoke for later than they say; with `heard_at`, when. Of signals whose user is known:
        one that lost its name may be the author's own.
        """
        last = signals.filter(user__isnull=False).last_by_others()  # type: ignore[attr-defined]
        behind = Q(favoured_at__isnull=True) | Q(favoured_at__lt=F("heard_at"))
        return self.annotate(heard_at=Subquery(last)).filter(behind, heard_at__isnull=False)

    def missing_corroborations(self, lines: QuerySet[Any]) -> Self:
        """Rows whose log tells of more corroborations than there are, merged or parted again. What was forgotten since
        left a line without a reason.
        """
        told = lines.filter(subject=OuterRef("ref"), verb="corroborated").exclude(why="").order_by().values("subject")
        number = Coalesce(told.annotate(n=Count("pk")).values("n"), 0, output_field=IntegerField())
        kept = self.filter(erased_at__isnull=True).annotate(kept=Count("corroborations"), told=number)
        return kept.filter(told__gt=F("kept"))

    def contradicted_by_nothing(self, pairs: QuerySet[Any]) -> Self:
        """Rows marked as contradicted, against which nothing open speaks."""
        speaks = Exists(pairs.filter(Q(a=OuterRef("pk")) | Q(b=OuterRef("pk"))))
        return self.shown().filter(~speaks, trust=Trust.CONTRADICTED)

    def heirs(self) -> dict[int, int]:
        """Of each superseded row, what took its place."""
        return dict(self.filter(superseded_by__isnull=False).values_list("pk", "superseded_by_id"))

    def missing_numbers(self, team_id: int, last: int, most: int) -> Sequence[int]:
        """Numbers a team has given out, which neither an insight has nor had one that was moved; the first `most`."""
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
    """Edits in the vault that wait for a person. One goes out of sight with its insight, and when that was moved."""

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
        """With all that a page shows."""
        return self.select_related("insight__team", "insight__author", "team", "raised_by", "settled_by")

    def tabbed(self, tab: str, most: int) -> "QuerySet[Any, tuple[Any, ...]]":
        """As of insights: (tab,) for each, at most one more than `most`."""
        return self.order_by().annotate(tab=Value(tab)).values_list("tab")[: most + 1]


def invalid_indexes() -> list[str]:
    """Indexes whose building was interrupted: the planner passes them by, or worse."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class c ON c.oid = indrelid"
            " JOIN pg_namespace s ON s.oid = c.relnamespace"
            " WHERE NOT (indisvalid AND indisready) AND s.nspname = 'public'"
        )
        return [name for (name,) in cursor.fetchall()]
