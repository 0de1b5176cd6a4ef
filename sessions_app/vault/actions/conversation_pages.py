"""Conversations as pages of a vault, and back: the passages of one session that belong to one team.

    <team>/conversations/S-12.md
    <personal team>/sharing.md     with whom its owner shares which sessions

Left out unless they are asked for: a vault is pushed to where more people read than a team has. Vectors stay out, as
the worker rebuilds them. Of the session a page has what its passages tell anyhow, and no prompt.
"""

import re
from collections.abc import Iterator

from accounts.actions.session_ids import issue
from accounts.actions.vault import records_of_kind
from accounts.actions.vault_passes import RowIds, write_rows
from accounts.actions.vault_rows import People, record, restored
from accounts.models import Team
from accounts.rules.page import BadPage, Page
from sessions_app.models import AgentSession, Handoff, Passage, SessionSharing

CONVERSATIONS, SHARING = "conversations", "sharing.md"
_SESSION = ("id", "user", "repo", "branch", "agent", "state", "started_at", "last_seen_at", "ended_at")
_PASSAGE = ("user", "repo", "branch", "speaker", "position", "first_turn", "last_turn", "text", "files", "said_at")
_SHARING = ("user", "repo", "turns", "changed_at")
_NAME = re.compile(r"S-[1-9][0-9]{0,11}\.md")


def pages_of(team: Team, people: People) -> Iterator[tuple[str, Page]]:
    """Path in the team's folder → page, sessions in the order of their ids."""
    ids = Passage.objects.filter(team=team).order_by("session_id").values_list("session_id", flat=True).distinct()
    for pk in list(ids):
        session = AgentSession.objects.select_related("team").get(pk=pk)
        rows = list(Passage.objects.all().of_session(pk).filter(team=team).defer("embedding", "lexemes"))
        head = {"team": session.team.slug, **record(session, _SESSION, people)}
        text = "\n\n".join(f"**{row.speaker}**, {row.said_at:%Y-%m-%d %H:%M}: {row.text}" for row in rows)
        records = [{"passage": record(row, _PASSAGE, people)} for row in rows]
        yield f"{CONVERSATIONS}/{session.ref}.md", Page(head, {"": text}, (), records)
    shared = SessionSharing.objects.filter(user__personal_team=team).select_related("team").order_by("repo")
    rows_of_sharing = [{"sharing": {"team": row.team.slug, **record(row, _SHARING, people)}} for row in shared]
    if rows_of_sharing:
        said = "\n".join(f"- {row.repo or 'all repositories'}: {row.team.slug}, {row.turns}" for row in shared)
        yield SHARING, Page({"sharing": len(rows_of_sharing)}, {"": said}, (), rows_of_sharing)


class RestoredConversations:
    """The conversations of all teams, before they are written. What is read after a `write` is written over what was
    written then.
    """

    def __init__(self, people: People, ids: RowIds) -> None:
        self.people, self.ids = people, ids
        self.sessions: dict[str, tuple[str, AgentSession]] = {}
        self.passages: list[tuple[str, Passage]] = []
        self.sharing: list[tuple[str, SessionSharing]] = []

    def read(self, team: Team, name: str, page: Page) -> None:
        """Take in the page of one session. Raises BadPage."""
        if not _NAME.fullmatch(name):
            raise BadPage("a conversation is in a file named after its session")
        ref = name.removesuffix(".md")
        session = AgentSession(team=team, **restored(AgentSession, _SESSION, page.head, self.people))
        if session.ref != ref or not session.user_id:
            raise BadPage("its session differs from its file name")
        self.sessions.setdefault(ref, (str(page.head.get("team", "")), session))
        for one in records_of_kind(page.records, "passage"):
            row = Passage(team=team, **restored(Passage, _PASSAGE, one, self.people))
            row.index_words()
            self.passages.append((ref, row))

    def read_sharing(self, page: Page) -> None:
        for one in records_of_kind(page.records, "sharing"):
            row = SessionSharing(**restored(SessionSharing, _SHARING, one, self.people))
            self.sharing.append((str(one.get("team", "")), row))

    def write(self, teams: dict[str, Team], known: dict[str, AgentSession]) -> int:
        """Write what was read; how many sessions have a conversation. `known`: those that handoffs have brought."""
        new: list[tuple[str, AgentSession]] = []
        for ref, (slug, session) in self.sessions.items():
            if ref not in known:
                session.team = teams.get(slug, session.team)
                session.key = issue(user_id=session.user_id)
                new.append((ref, session))
        rows = [session for _, session in new]
        there = AgentSession.objects.filter(team__in=list(teams.values()))
        self.ids.give(AgentSession, rows)
        keys = dict(there.filter(pk__in=[row.pk for row in rows if row.pk]).values_list("pk", "key"))
        for session in rows:
            session.key = keys.get(session.pk, session.key)
        write_rows(rows, there)
        self.ids.count_on(AgentSession)
        found = {**known, **dict(new)}
        for ref, row in self.passages:
            row.session = found[ref]
        Passage.objects.bulk_create([row for _, row in self.passages], batch_size=500)
        self._write_sharing(teams)
        return len(self.sessions)

    def forget(self) -> None:
        """Forget the rows of this pass, for the next one."""
        self.sessions, self.passages, self.sharing = {}, [], []

    def _write_sharing(self, teams: dict[str, Team]) -> None:
        for slug, row in self.sharing:
            if slug in teams:
                row.team = teams[slug]
                row.save(force_insert=True)


def clear(team: Team, session_id: int, *, keep_handoff: bool, keep: bool) -> None:
    """Delete what an earlier pass has written of a session's conversation; of its handoff and of itself unless they are
    written over.
    """
    Passage.objects.filter(team=team, session_id=session_id).delete()
    if not keep_handoff:
        Handoff.objects.filter(team=team, session_id=session_id).delete()
    if not keep:
        AgentSession.objects.filter(team=team, pk=session_id).delete()


def has_passages(team: Team) -> bool:
    return Passage.objects.filter(team=team).exists()
