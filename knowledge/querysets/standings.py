"""Queries for the standing of contributors: what leads decided about their claims against confirmed notes."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import QuerySet

# A claim is a pair that the contributor stated, or that their deposit raised. Its note is the side that would replace
# the other one, or else the contributor's own side. A merge is no rejection, because the two said the same. Nothing is
# counted beyond `%(most)s`. Unreviewed notes are read from the newest on, so that the index by team and time can end
# the search early.
_CLAIMS = """SELECT p.state, p.question, p.raised_at, p.id, o.id AS other,
        n.superseded_by_id = o.id AS gave_way, o.superseded_by_id = n.id AS took_over,
        n.ref AS note, n.retrievable AND o.retrievable AND n.status <> 'promoted' AND NOT n.pinned
            AND COALESCE(n.source_date, n.created_at) > COALESCE(o.source_date, o.created_at) AS before
    FROM knowledge_pair p
    JOIN knowledge_insight a ON a.id = p.a_id JOIN knowledge_insight b ON b.id = p.b_id
    JOIN knowledge_insight n ON n.id = CASE
        WHEN p.successor_side = 'a' THEN a.id WHEN p.successor_side = 'b' THEN b.id
        WHEN a.author_id = w.user_id THEN a.id WHEN b.author_id = w.user_id THEN b.id END
    JOIN knowledge_insight o ON o.id = CASE WHEN n.id = a.id THEN b.id ELSE a.id END
    WHERE (p.raised_by_user_id = w.user_id OR p.stated_by_user_id = w.user_id)
      AND COALESCE(p.stated_by_user_id, p.raised_by_user_id) = w.user_id
      AND n.team_id = w.team_id AND o.team_id = w.team_id AND o.author_id IS DISTINCT FROM w.user_id
      AND (o.status = 'promoted' OR o.pinned)
      AND (p.state = 'open' OR p.settled_by_lead AND p.settled_at > GREATEST(%(since)s, s.restored_at))"""
_MERGED = """EXISTS (SELECT FROM knowledge_corroboration c
    WHERE c.insight_id = p.other AND c.draft->>'ref' = p.note AND c.unmerged_into_id IS NULL)"""
RECORDS = f"""SELECT w.team_id, w.user_id, u.username, r.rejected, r.accepted,
    (SELECT count(*) FROM (SELECT FROM knowledge_insight i WHERE i.team_id = w.team_id AND i.author_id = w.user_id
        AND i.status = 'promoted' AND i.retrievable LIMIT %(most)s) AS confirmed),
    (SELECT count(*) FROM (SELECT FROM knowledge_insight i WHERE i.team_id = w.team_id AND i.author_id = w.user_id
        AND i.status = 'draft' AND i.retrievable AND i.created_at > %(lately)s
        ORDER BY i.created_at DESC, i.id DESC LIMIT %(most)s) AS unreviewed),
    r.claims, r.nths, s.restored_at
    FROM (SELECT DISTINCT * FROM unnest(%(teams)s::bigint[], %(users)s::bigint[]) AS x(team_id, user_id)) w
    JOIN accounts_user u ON u.id = w.user_id
    LEFT JOIN knowledge_contributorstanding s ON s.team_id = w.team_id AND s.user_id = w.user_id
    CROSS JOIN LATERAL (SELECT
        count(*) FILTER (WHERE state = 'dismissed' AND question IN ('supersession', 'contradiction')
            OR state = 'resolved' AND gave_way AND NOT {_MERGED}) AS rejected,
        count(*) FILTER (WHERE state = 'resolved' AND took_over) AS accepted,
        COALESCE(array_agg(other ORDER BY nth DESC, id) FILTER (WHERE open), '{{}}') AS claims,
        COALESCE(array_agg(nth ORDER BY nth DESC, id) FILTER (WHERE open), '{{}}') AS nths
        FROM (SELECT *, row_number() OVER (
                PARTITION BY open, (raised_at AT TIME ZONE 'UTC')::date ORDER BY raised_at, id) AS nth
            FROM (SELECT *, state = 'open' AND before AS open FROM ({_CLAIMS}) c) d) p) r"""
CLAIMING = """SELECT DISTINCT a.team_id, COALESCE(p.stated_by_user_id, p.raised_by_user_id)
    FROM knowledge_pair p JOIN knowledge_insight a ON a.id = p.a_id
    WHERE a.team_id = ANY(%s) AND p.settled_by_lead AND p.settled_at > %s
      AND COALESCE(p.stated_by_user_id, p.raised_by_user_id) IS NOT NULL"""


class StandingQuerySet(QuerySet[Any]):
    def records(
        self, keys: Iterable[tuple[int, int]], *, since: datetime, lately: datetime, most: int
    ) -> list[tuple[Any, ...]]:
        """Return one row per (team, user) of `keys`, all in one statement: (team, user, name, rejected, accepted,
        confirmed notes, unreviewed notes, ids that open claims are about, position of each claim in its day (UTC), when
        the standing was restored).

        `rejected` and `accepted` count claims settled after `since` and after the standing was restored. Unreviewed
        notes are those deposited after `lately`. Notes are counted up to `most`. Claims with a higher position come
        first.
        """
        asked = list(keys)
        if not asked:
            return []
        given: dict[str, Any] = {"teams": [team for team, _ in asked], "users": [user for _, user in asked]}
        with connection.cursor() as cursor:
            cursor.execute(RECORDS, {**given, "since": since, "lately": lately, "most": most})
            return list(cursor.fetchall())

    def claiming(self, team_ids: Sequence[int], *, since: datetime) -> list[tuple[int, int]]:
        """Return the (team, user) pairs of these teams whose claims a lead has settled after `since`."""
        with connection.cursor() as cursor:
            cursor.execute(CLAIMING, [list(team_ids), since])
            return list(cursor.fetchall())
