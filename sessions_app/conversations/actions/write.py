"""Write: store the passages of a session's transcript, redacted, for the team they belong to.

`prepare` does the slow work before any transaction. `write` puts the rows in place, in the transaction that holds the
session's row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from django.db import transaction
from django.utils.dateparse import parse_datetime

from accounts.actions.members import enrol
from accounts.models import Team, User
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.jobs.adapters.job_queue import enqueue
from sessions_app.conversations.rules.belonging import Belonging, belonging
from sessions_app.conversations.rules.context import in_context, recipe
from sessions_app.conversations.rules.cut_passages import MOST_FILES, Piece, count_words, split_into_passages
from sessions_app.conversations.rules.join import PlacedPassage, join
from sessions_app.conversations.rules.tool_lines import SaidAt, around
from sessions_app.models import AgentSession, Passage, SessionEvent, SessionSharing
from sessions_app.rules.stored_text import keep, keep_each
from sessions_app.rules.vocabulary import EventKind
from sessions_app.transcripts.rules.speakers import SharedTurns, Speaker
from sessions_app.transcripts.rules.turn import LONGEST_TURN, MOST_TURNS, Turn

# The number of passages embedded while the call waits. The worker embeds the rest, and until then they are found by
# their words. An embedding takes some 10 ms on a quiet core and up to 45 on a busy one, and clients deliver an end
# detached.
MOST_EMBEDDED = 32
EMBED = "sessions.embed_passages"
LONGEST_PATH = 400
# Without times, a transcript is recognised as stored already only from this many words on; a shorter one may have been
# said twice.
LEAST_WORDS = 60
# The number of last edits in which the files of a passage are looked up.
MOST_EVENTS = 200
# The largest number of sessions with all its texts that are compared.
MOST_COMPARED = 3


@dataclass(frozen=True)
class PreparedConversation:
    """A transcript cut into passages, and vectors, made by `recipe`, of the texts that some of them are embedded as."""

    pieces: Sequence[Piece]
    vectors: Mapping[str, np.ndarray]
    recipe: str = ""


def prepare(*, session: AgentSession, turns: Sequence[Turn]) -> PreparedConversation:
    """Mask and cut a transcript, and embed its new passages if they are few. Must run outside a transaction."""
    kept = [replace(turn, text=keep(turn.text, LONGEST_TURN)) for turn in turns[-MOST_TURNS:]]
    cut = split_into_passages(kept, session.repo)
    pieces = [replace(piece, files=tuple(keep_each(piece.files, LONGEST_PATH))) for piece in cut]
    stored = set(Passage.objects.filter(session=session).values_list("text", flat=True)) if pieces else set()
    meant = zip(pieces, in_context(pieces), strict=True)
    new = list(dict.fromkeys(text for piece, text in meant if piece.text not in stored))
    if not 0 < len(new) <= MOST_EMBEDDED:
        return PreparedConversation(pieces, {})
    try:
        return PreparedConversation(pieces, dict(zip(new, current().embed(new), strict=True)), recipe(current().name))
    except EmbedderDown:
        return PreparedConversation(pieces, {})


def write(*, session: AgentSession, prepared: PreparedConversation, now: datetime) -> int:
    """Store new passages and delete those the transcript no longer has; return how many rows changed.

    The caller holds the session's row. The same transcript sent again changes nothing. A transcript that another
    session of the person already has is not stored again; the session then names that one.
    """
    if not prepared.pieces or session.conversation_forgotten_at:
        return 0
    # Locked before any passage, because sharing locks in the same order.
    whose = belonging_of(session.user_id, session.repo, of_team=session.team_id)
    stored = list(Passage.objects.all().of_session(session.pk).defer("lexemes"))
    elsewhere = None if stored else _kept_in(session, prepared.pieces, whose)
    session.set_conversation_in(elsewhere)
    if elsewhere:
        return 0
    wanted = {one.position: one.piece for one in join([_placed(row) for row in stored], prepared.pieces)}
    same = {row.position for row in stored if (piece := wanted.get(row.position)) and _is(row, piece)}
    gone = [row for row in stored if row.position not in same]
    new = [position for position in wanted if position not in same]
    if not gone and not new:
        return 0
    made = zip(stored, in_context(stored), strict=True)
    vectors = {text: (row.embedding, row.embedded_by) for row, text in made if row.embedding is not None}
    Passage.objects.filter(pk__in=[row.pk for row in gone]).delete()
    places = sorted(wanted)
    ordered = [wanted[position] for position in places]
    moments = dict(zip(places, _moments(ordered, session, now), strict=True))
    meant = dict(zip(places, in_context(ordered), strict=True))
    rows = [_row(session, position, wanted[position], moments[position], whose) for position in new]
    # Hooks alone report some edits, and all of them if a client's transcripts have no tools (Cursor's).
    timed = len(set(moments.values())) > 1
    edited = _edited_since(session, stored, rows) if timed or not any(one.files for one in prepared.pieces) else {}
    for row in rows:
        row.files = row.files or edited.get(row.position, [])
        row.index_words()
        text = meant[row.position]
        if text in prepared.vectors:
            row.set_vector(prepared.vectors[text], prepared.recipe)
        elif text in vectors:
            row.embedding, row.embedded_by = vectors[text]
    Passage.objects.bulk_create(rows)
    if any(row.embedding is None for row in rows):
        transaction.on_commit(lambda: enqueue(EMBED))
    return len(gone) + len(rows)


def keep_conversation(*, session: AgentSession, turns: Sequence[Turn], now: datetime) -> int:
    """Prepare and write the passages of a session's transcript, in a transaction of their own; return how many rows
    changed.
    """
    prepared = prepare(session=session, turns=turns)
    with transaction.atomic():
        held = AgentSession.objects.select_for_update(no_key=True).get(pk=session.pk)
        return write(session=held, prepared=prepared, now=now)


def _kept_in(session: AgentSession, pieces: Sequence[Piece], whose: Belonging) -> int | None:
    """Return the other session of the person that has all of these passages in their order, in the same teams; None for
    none.

    A log may be imported under another id than its hooks reported, or on another machine. If turns have times, the
    times must match too; without times, a transcript of a few words may be said twice.
    """
    texts = [piece.text for piece in pieces]
    timed = all(map(_moment, pieces))
    if not timed and sum(map(count_words, texts)) < LEAST_WORDS:
        return None
    wanted = [
        _identity(piece.speaker, piece.text, whose.team_of(piece.speaker), _moment(piece), timed) for piece in pieces
    ]
    for other in Passage.objects.all().having_all(texts, user_id=session.user_id, repo=session.repo)[:MOST_COMPARED]:
        rows = Passage.objects.all().of_session(other).only("speaker", "text", "team", "said_at")
        kept = iter([_identity(row.speaker, row.text, row.team_id, row.said_at, timed) for row in rows])
        if other != session.pk and all(one in kept for one in wanted):
            return other
    return None


def _identity(speaker: str, text: str, team: int, at: datetime | None, timed: bool) -> tuple[object, ...]:
    return str(speaker), text, team, at if timed else None


# --- whose they are -----------------------------------------------------------------------------------------
def belonging_of(user_id: int, repo: str, *, of_team: int) -> Belonging:
    """Return the teams that the passages of a person's sessions on a repository belong to; `of_team`: the team of the
    session.

    A session that was begun in the personal team stays there.
    """
    home = home_of(user_id)
    SessionSharing.objects.all().take_turns(user_id)
    if of_team == home:
        return Belonging(home)
    rows = SessionSharing.objects.filter(user_id=user_id, repo__in=["", repo]).valid()
    found = rows.values_list("repo", "team_id", "turns")
    return belonging(repo, home, {of: (team, SharedTurns(turns)) for of, team, turns in found})


def is_kept_to_oneself(session: AgentSession) -> bool:
    """Return whether the person keeps sessions on this repository private; then decisions made in it are private too.
    Without a setting they are proposed to the session's team.
    """
    rows = SessionSharing.objects.filter(user_id=session.user_id, repo__in=["", session.repo]).order_by("-repo")
    return rows.values_list("team__owner_id", flat=True).first() == session.user_id


def home_of(user_id: int) -> int:
    """Return the id of a person's personal team, which is created if there is none."""
    found = Team.objects.filter(owner_id=user_id).values_list("pk", flat=True).first()
    if found is None:
        enrol(user=User.objects.get(pk=user_id))
        found = Team.objects.values_list("pk", flat=True).get(owner_id=user_id)
    return found


# --- rows ---------------------------------------------------------------------------------------------------
def _placed(row: Passage) -> PlacedPassage:
    at = row.said_at.isoformat()
    piece = Piece(Speaker(row.speaker), row.text, tuple(row.files), row.first_turn, row.last_turn, at)
    return PlacedPassage(row.position, piece)


def _is(row: Passage, piece: Piece) -> bool:
    same = (row.speaker, row.text) == (piece.speaker, piece.text)
    return same and (not piece.files or tuple(row.files) == piece.files)


def _edited_since(session: AgentSession, stored: Sequence[Passage], rows: Sequence[Passage]) -> dict[int, list[str]]:
    """Return the files that hooks reported as edited since the last stored word, by the positions of the new passages
    around the edit; the latest first.
    """
    events = SessionEvent.objects.filter(session=session, kind=EventKind.EDIT).exclude(path="")
    if stored:
        events = events.filter(at__gt=max(row.said_at for row in stored))
    found: dict[int, list[str]] = {}
    said = [SaidAt(row.position, Speaker(row.speaker), row.said_at) for row in rows]
    for at, path in events.order_by("-at", "-pk").values_list("at", "path")[:MOST_EVENTS]:
        for position in around(at, said):
            found.setdefault(position, []).append(path)
    return {position: list(dict.fromkeys(paths))[:MOST_FILES] for position, paths in found.items()}


def _row(session: AgentSession, position: int, piece: Piece, at: datetime, whose: Belonging) -> Passage:
    return Passage(
        session=session,
        team_id=whose.team_of(piece.speaker),
        user_id=session.user_id,
        repo=session.repo,
        branch=session.branch,
        speaker=piece.speaker,
        position=position,
        first_turn=piece.first_turn,
        last_turn=piece.last_turn,
        text=piece.text,
        files=list(piece.files),
        said_at=at,
    )


def _moments(pieces: Sequence[Piece], session: AgentSession, now: datetime) -> list[datetime]:
    """Return when each piece was said: its own time, or that of the piece before it; never in the future."""
    last = session.last_seen_at if not any(map(_moment, pieces)) else session.started_at
    found = []
    for piece in pieces:
        last = min(_moment(piece) or last, now)
        found.append(last)
    return found


def _moment(piece: Piece) -> datetime | None:
    try:
        moment = parse_datetime(piece.at)
    except ValueError:
        return None
    return moment if moment and moment.utcoffset() is not None else None
