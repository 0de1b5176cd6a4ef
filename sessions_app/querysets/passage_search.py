"""The SQL of searching conversations: the passages that a question finds, and the rows that an answer needs."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, Self

from django.db import connection
from django.db.models import Q

from accounts.querysets import TeamScoped
from accounts.rules.rights import Member
from accounts.statements import narrowed, planned

# The number of passages that each leg returns, as for insights (docs/decisions/0003-relevance.md).
LEG = 100
# Up to this many searched passages every vector is measured, as for insights (retrieval/rules/reach.py): they are
# adjacent in an index by team and repository (`passage_measured`).
MEASURED_WHOLE = 15_000
# The number of nearest passages in which the sessions nearest to a conversation are found.
NEAR = 24
# The same for later sessions, which share the nearest passages with earlier ones; the number of sessions read for their
# words, and for a file.
NEAR_LATER, MOST_LATER, MOST_LATER_OF_FILE = 64, 4, 8


class Spot(NamedTuple):
    """A passage that a question found: its session, its place there, its distance (None without a vector) and −BM25.

    `text`: a hash of it, by which copies are known; `length`: in terms.
    """

    session: int
    position: int
    distance: float | None
    keyword: float
    text: int
    length: int


class LaterSession(NamedTuple):
    """A session in which something was said later than a statement: the place of its nearest passage, the greatest and
    the median cosine of its passages, whether one has one of the files. `echo`: where the greatest is, short or not.
    """

    session: int
    position: int
    cosine: float
    middle: float
    of_file: bool
    echo: int = -1


class SessionSize(NamedTuple):
    """How much of a session is read: all of one with fewer than `most` passages, or with up to `most_short` passages
    and at most `short` terms in all; of any other the `most` passages nearest to the question.
    """

    most: int
    most_short: int
    short: int


class PassageLine(NamedTuple):
    """A passage of a conversation that may be quoted, with the facts about its session.

    `words`: its terms, between spaces; `meant`: its vector, in bytes; `whole`: whether all of its session was read;
    `files`: those that were edited around it, a line each.
    """

    pk: int
    session: int
    position: int
    speaker: str
    text: str
    words: str
    meant: bytes | None
    said_at: datetime
    team: int
    session_team: int
    user: int
    who: str
    agent: str
    repo: str
    branch: str
    whole: bool
    files: str = ""


# Each leg also computes the other leg's score, because its rows are in memory already. The vectors are searched first
# and alone: most questions have no answer, and seven in ten of those end there.
_ASKED = "WITH asked AS MATERIALIZED (SELECT %(vector)s::halfvec AS vector, %(weights)s::sparsevec AS weights{with_})"
# The number of neighbours that an index search visits, half as many as for insights: .85 of the ten nearest of 20,000
# synthetic passages are found (.97 with 200) in two thirds of the time. It is set for the transaction; outside of one,
# for the statement.
_LOOKED_AT = ", set_config('hnsw.ef_search', '100', true)"
# The row of session 0 says that some passage has no vector yet: what was just said is found by its words alone.
_WAITING = """UNION ALL (SELECT 0, 0, NULL, 0, 0, 0 FROM sessions_app_passage
WHERE embedded_by = '' AND team_id = ANY(%(teams)s) LIMIT 1)"""
_NEAREST = f"""{{asked}} (SELECT session_id, position, embedding <=> (SELECT vector FROM asked) AS distance,
    bm25 <#> (SELECT weights FROM asked) AS keyword, hashtextextended(text, 0), length
FROM sessions_app_passage WHERE team_id = ANY(%(teams)s){{of_repo}} AND embedding IS NOT NULL
ORDER BY embedding <=> (SELECT vector FROM asked) LIMIT %(leg)s)
{_WAITING}"""
# The same with every vector measured: only `passage_measured` is read until the nearest are known. The `+ 0` keeps an
# index on the expression `distance` out of the plan.
_MEASURED = f"""{{asked}}, nearest AS MATERIALIZED (
    SELECT id, embedding <=> (SELECT vector FROM asked) AS distance FROM sessions_app_passage
    WHERE team_id = ANY(%(teams)s){{of_repo}} AND embedding IS NOT NULL
    ORDER BY (embedding <=> (SELECT vector FROM asked)) + 0 LIMIT %(leg)s
) (SELECT f.session_id, f.position, n.distance, f.bm25 <#> (SELECT weights FROM asked), hashtextextended(f.text, 0),
    f.length
FROM nearest n JOIN sessions_app_passage f USING (id) ORDER BY n.distance)
{_WAITING}"""
_BEST_BY_WORDS = """{asked} SELECT session_id, position, embedding <=> (SELECT vector FROM asked) AS distance, keyword,
    hashtextextended(text, 0), length
FROM (
    SELECT session_id, position, embedding, text, length, bm25 <#> (SELECT weights FROM asked) AS keyword
    FROM sessions_app_passage
    WHERE team_id = ANY(%(teams)s){of_repo} AND lexemes @@ %(words)s::tsquery ORDER BY keyword LIMIT %(leg)s
) AS best"""


# Sessions that have a file of the question, those with its whole path first and then the latest; and their passages.
_WITH_FILES = """SELECT session_id, bool_or(lexemes @@ %(paths)s::tsquery) AS whole FROM sessions_app_passage
WHERE team_id = ANY(%(teams)s){of_repo} AND lexemes @@ %(any_of)s::tsquery
GROUP BY session_id ORDER BY whole DESC, max(said_at) DESC LIMIT %(most)s"""
_OF_FILES = """{asked} SELECT session_id, position, embedding <=> (SELECT vector FROM asked) AS distance,
    bm25 <#> (SELECT weights FROM asked) AS keyword, hashtextextended(text, 0), length
FROM sessions_app_passage WHERE team_id = ANY(%(teams)s) AND session_id = ANY(%(sessions)s)
ORDER BY distance LIMIT %(leg)s"""


def _candidates(statement: str, repo: str) -> str:
    asked = _ASKED.format(with_=_LOOKED_AT if statement is _NEAREST else "")
    return statement.format(asked=asked, of_repo=" AND repo = %(repo)s" if repo else "")


# Words and times are sent as a text and a number: hundreds of arrays and timestamps take ten times as long to read. No
# word contains a quotation mark (`bm25.terms`), so the text between two marks is a word.
_LINES = """
SELECT p.id, p.session_id, p.position, p.speaker, p.text, p.lexemes::text,
    halfvec_send(p.embedding), extract(epoch FROM p.said_at)::float8, p.team_id, s.team_id, u.id,
    u.username, s.agent, p.repo, p.branch, r.whole, array_to_string(p.files, E'\n')
FROM wanted r JOIN sessions_app_passage p ON p.id = r.id JOIN sessions_app_agentsession s ON s.id = p.session_id
    JOIN accounts_user u ON u.id = p.user_id
ORDER BY p.session_id, p.position
"""
# The passages of each session nearest to the question; all of a short session (`SessionSize`).
_IS_SHORT = """(count(*) OVER (PARTITION BY p.session_id) < %(most)s OR (
    count(*) OVER (PARTITION BY p.session_id) <= %(most_short)s
    AND sum(length) OVER (PARTITION BY p.session_id) <= %(short)s))"""
_OF_SESSIONS = f""", ranked AS (
    SELECT p.id, row_number() OVER (
        PARTITION BY p.session_id ORDER BY p.embedding <=> %(vector)s::halfvec NULLS LAST, p.position
    ) AS place, {_IS_SHORT} AS whole
    FROM sessions_app_passage p
    WHERE p.team_id = ANY(%(teams)s::bigint[]) AND p.session_id IN (SELECT session_id FROM found)
), wanted AS (SELECT id, whole FROM ranked WHERE whole OR place <= %(most)s)"""
_CONVERSATIONS = f"WITH found AS (SELECT unnest(%(sessions)s::bigint[]) AS session_id){_OF_SESSIONS}{_LINES}"
# The sessions whose passages are nearest to the middle of the best one. A later conversation that changes a decision
# may share no word with the question, but it is near the conversation in which the decision was made.
_BESIDE = f"""
WITH found AS MATERIALIZED (
    SELECT session_id FROM (
        SELECT session_id, embedding <=> %(middle)s::halfvec AS distance FROM sessions_app_passage
        WHERE team_id = ANY(%(teams)s::bigint[]) AND repo = %(repo)s AND session_id <> ALL(%(best)s::bigint[])
            AND embedding IS NOT NULL
        ORDER BY (embedding <=> %(middle)s::halfvec){{measured}} LIMIT %(near)s
    ) AS nearest GROUP BY session_id HAVING session_id <> ALL(%(sessions)s::bigint[])
    ORDER BY min(distance) LIMIT %(beside)s
){_OF_SESSIONS}{_LINES}"""
_BESIDE_BY_INDEX, _BESIDE_MEASURED = _BESIDE.format(measured=""), _BESIDE.format(measured=" + 0")
# Later conversations that may change a statement: those with the passages nearest to it, and the latest of those with
# one of its files. Each has its nearest passage and the cosine of its middle one.
_LATER = """
WITH nearest AS MATERIALIZED (
    SELECT id, embedding <=> %(vector)s::halfvec AS distance FROM sessions_app_passage
    WHERE team_id = ANY(%(teams)s::bigint[]) AND repo = %(repo)s AND session_id <> %(session)s
        AND embedding IS NOT NULL
    ORDER BY (embedding <=> %(vector)s::halfvec){measured} LIMIT %(near)s
), found AS MATERIALIZED (
    (SELECT p.session_id FROM nearest JOIN sessions_app_passage p USING (id) WHERE p.said_at > %(than)s
    GROUP BY p.session_id ORDER BY min(distance) LIMIT %(of_meaning)s)
    UNION
    (SELECT session_id FROM sessions_app_passage
    WHERE team_id = ANY(%(teams)s::bigint[]) AND repo = %(repo)s AND session_id <> %(session)s
        AND said_at > %(than)s AND lexemes @@ %(any_of)s::tsquery
    GROUP BY session_id ORDER BY max(said_at) DESC LIMIT %(of_file)s)
), said AS (
    SELECT session_id, position, 1 - (embedding <=> %(vector)s::halfvec) AS cosine,
        coalesce(lexemes @@ %(any_of)s::tsquery, false) AS has,
        length(text) - length(replace(text, ' ', '')) + 1 < %(short)s AS brief
    FROM sessions_app_passage
    WHERE team_id = ANY(%(teams)s::bigint[]) AND session_id IN (SELECT session_id FROM found) AND said_at > %(than)s
        AND embedding IS NOT NULL
)
SELECT session_id,
    (array_agg(position ORDER BY brief AND NOT has, cosine + %(held)s * has::int DESC, position))[1], max(cosine),
    percentile_cont(0.5) WITHIN GROUP (ORDER BY cosine), bool_or(has), (array_agg(position ORDER BY cosine DESC))[1]
FROM said GROUP BY session_id"""
_AT = f"""
WITH wanted AS (
    SELECT p.id, false AS whole
    FROM unnest(%(sessions)s::bigint[], %(positions)s::int[]) AS place (session_id, position)
    JOIN sessions_app_passage p USING (session_id, position) WHERE p.team_id = ANY(%(teams)s::bigint[])
){_LINES}"""

# What a user typed at some places, with the agent's reply: up to two passages, because a long turn is several.
_TYPED = """SELECT p.session_id, p.position, p.text, coalesce((
        SELECT string_agg(r.text, E'\n' ORDER BY r.position) FROM sessions_app_passage r
        WHERE r.session_id = p.session_id AND r.position BETWEEN p.position + 1 AND p.position + 2
            AND r.speaker = 'agent' AND r.team_id = ANY(%(teams)s::bigint[])
    ), ''), EXISTS (
        SELECT 1 FROM sessions_app_passage a
        WHERE a.session_id = p.session_id AND a.speaker = 'agent' AND a.length >= %(least)s
            AND a.team_id = ANY(%(teams)s::bigint[])
    ), coalesce((
        SELECT b.text FROM sessions_app_passage b
        WHERE b.session_id = p.session_id AND b.position = p.position - 1
            AND b.speaker = 'agent' AND b.team_id = ANY(%(teams)s::bigint[])
    ), '')
FROM unnest(%(sessions)s::bigint[], %(positions)s::int[]) AS place (session_id, position)
JOIN sessions_app_passage p USING (session_id, position)
WHERE p.speaker = 'user' AND p.team_id = ANY(%(teams)s::bigint[])"""


class TypedPassage(NamedTuple):
    """What a user typed. `reply`: what the agent said next; `replied`: whether the agent said anything in that session;
    `before`: what the agent said last, if the user replied to it.
    """

    session: int
    position: int
    text: str
    reply: str
    replied: bool
    before: str


class PassageSearchQuerySet(TeamScoped):
    def visible_to(self, member: Member) -> Self:
        """Return the passages of the member's teams. A narrowed token reads its owner's unshared words only from
        sessions of its teams, because all such words belong to the personal team, whichever session they were typed in.
        """
        rows = super().visible_to(member)
        if not _hides_typed(member):
            return rows
        return rows.filter(~Q(team_id=member.home_id) | Q(session__team_id__any=member.team_ids))

    def nearest(
        self, member: Member, *, teams: Sequence[int], repo: str, vector: str, weights: str, whole: bool
    ) -> tuple[list[Spot], bool]:
        """Return the passages nearest to a question with their keyword scores, and whether some passage has no vector
        yet.

        `vector` and `weights` are texts as PostgreSQL reads them; `whole`: every vector is measured.
        """
        values = {**_reached(member, teams), "repo": repo, "vector": vector, "weights": weights, "leg": LEG}
        rows = _rows(_candidates(_MEASURED if whole else _NEAREST, repo), values)
        found = [Spot._make(row) for row in rows if row[0]]
        return found, len(found) < len(rows)

    def best_by_words(
        self, member: Member, *, teams: Sequence[int], repo: str, vector: str | None, words: str, weights: str
    ) -> list[Spot]:
        """Return the passages that have these words (a tsquery), with their distances, best by keywords first."""
        values = _reached(member, teams) | {"repo": repo, "vector": vector}
        values |= {"words": words, "weights": weights, "leg": LEG}
        return [Spot._make(row) for row in _rows(_candidates(_BEST_BY_WORDS, repo), values)]

    def with_files(
        self, member: Member, *, teams: Sequence[int], repo: str, paths: str, any_of: str, most: int
    ) -> list[tuple[int, bool]]:
        """Return the sessions in which a file of `any_of` was edited or named, and whether it was one of `paths`
        (tsqueries): those with a path first, then the latest.
        """
        values = _reached(member, teams) | {"repo": repo}
        statement = _WITH_FILES.format(of_repo=" AND repo = %(repo)s" if repo else "")
        return _rows(statement, values | {"paths": paths, "any_of": any_of, "most": most})

    def of_sessions(
        self, member: Member, *, teams: Sequence[int], sessions: Sequence[int], vector: str | None, weights: str
    ) -> list[Spot]:
        """Return the passages of these sessions, the nearest to a question first."""
        values = {**_reached(member, teams), "vector": vector, "weights": weights, "leg": LEG}
        return [Spot._make(row) for row in _rows(_candidates(_OF_FILES, ""), values | {"sessions": list(sessions)})]

    def conversations(
        self, member: Member, *, teams: Sequence[int], sessions: Sequence[int], vector: str | None, size: SessionSize
    ) -> list[PassageLine]:
        """Return the passages of these sessions in order: all of a short session, otherwise those nearest to the
        question.
        """
        values = {**_reached(member, teams), "sessions": list(sessions), "vector": vector}
        return _lines(_CONVERSATIONS, values | size._asdict())

    def beside(
        self,
        member: Member,
        *,
        teams: Sequence[int],
        repo: str,
        middle: str,
        best: Sequence[int],
        sessions: Sequence[int],
        vector: str,
        beside: int,
        size: SessionSize,
        whole: bool,
    ) -> list[PassageLine]:
        """Return the passages of the `beside` sessions of a repository nearest to `middle`, which is that of `best` and
        its copies, as `conversations` does; none of `sessions`. `whole` as in `nearest`.
        """
        values = _reached(member, teams) | {"repo": repo, "middle": middle, "vector": vector}
        values |= {"best": list(best), "sessions": list(sessions), "near": NEAR, "beside": beside}
        return _lines(_BESIDE_MEASURED if whole else _BESIDE_BY_INDEX, values | size._asdict())

    def later(
        self,
        member: Member,
        *,
        teams: Sequence[int],
        repo: str,
        than: datetime,
        session: int,
        vector: str,
        any_of: str,
        held: float,
        short: int,
        whole: bool,
    ) -> list[LaterSession]:
        """Return the sessions of a repository in which, after the moment `than`, something was said that is near
        `vector`, or that has one of the files of the tsquery `any_of`. A file adds `held` to the cosine. `session` is
        left out; if it is 0, only sessions with a file are returned. `whole` as in `nearest`. No position is that of a
        passage of fewer than `short` words without a file: it is embedded after what it replies to.
        """
        values = _reached(member, teams) | {"repo": repo, "than": than, "session": session, "vector": vector}
        values |= {"any_of": any_of, "held": held, "short": short}
        values |= {"near": NEAR_LATER if session else 0, "of_meaning": MOST_LATER, "of_file": MOST_LATER_OF_FILE}
        statement = _LATER.format(measured=" + 0" if whole else "")
        return [LaterSession._make(row) for row in _rows(statement, values)]

    def at(self, member: Member, *, teams: Sequence[int], places: Sequence[tuple[int, int]]) -> list[PassageLine]:
        """Return the passages at these places: session and position."""
        sessions, positions = [session for session, _ in places], [position for _, position in places]
        return _lines(_AT, {**_reached(member, teams), "sessions": sessions, "positions": positions})

    def typed(
        self, member: Member, *, teams: Sequence[int], places: Sequence[tuple[int, int]], least: int
    ) -> list[TypedPassage]:
        """Return what users typed at these places. `least`: the number of words from which on an agent said
        something.
        """
        sessions, positions = [session for session, _ in places], [position for _, position in places]
        values = {**_reached(member, teams), "sessions": sessions, "positions": positions, "least": least}
        return [TypedPassage._make(row) for row in _rows(_TYPED, values)]


def _hides_typed(member: Member) -> bool:
    """Return whether the member's personal team has passages that they must not read, because their token is narrowed
    to it and to other teams.
    """
    return member.narrowed and member.personal is not None


def _reached(member: Member, teams: Sequence[int]) -> dict[str, Any]:
    """Return the parameters that select whose passages a statement reads, among these teams."""
    values: dict[str, Any] = {"teams": narrowed(member, teams)}
    return values | {"home": member.home_id, "reached": list(member.team_ids)} if _hides_typed(member) else values


# The condition on teams in a statement, and the one that `visible_to` adds for a token narrowed to its owner's personal
# team. Other members go without it: a question would look up the session of each measured passage.
_OF_TEAMS = re.compile(r"(\w{1,20}\.|)team_id = ANY\(%\(teams\)s(::bigint\[\])?\)")
_AND_SESSION = (
    r"\g<0> AND (\1team_id <> %(home)s OR \1session_id IN"
    r" (SELECT id FROM sessions_app_agentsession WHERE team_id = ANY(%(reached)s::bigint[])))"
)


def _for(values: dict[str, Any], statement: str) -> str:
    return _OF_TEAMS.sub(_AND_SESSION, statement) if "home" in values else statement


def _rows(statement: str, values: dict[str, Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(_for(values, statement), values)
        return list(cursor.fetchall())


def _lines(statement: str, values: dict[str, Any]) -> list[PassageLine]:
    return [
        PassageLine._make((*row[:5], row[5].replace("'", ""), row[6], datetime.fromtimestamp(row[7], UTC), *row[8:]))
        for row in planned(_for(values, statement), values, binary=True)
    ]
