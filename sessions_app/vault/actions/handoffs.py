"""Handoffs as pages of a vault, and back: what a session left to the next one, with what is known of the session.

    <team>/handoffs/S-12.md

Sessions that left nothing, and events, which are kept for a while only, stay out. So does what a user typed, unless
they share it: a reader of the team's vault is not that user.
"""

import re
from collections.abc import Iterator
from typing import Any

from accounts.actions.vault_passes import RowIds, write_rows
from accounts.actions.vault_rows import People, record, restored
from accounts.models import Team
from accounts.rules.page import BadPage, Page
from sessions_app.models import AgentSession, Handoff

HANDOFFS = "handoffs"
_SESSION = (
    *("id", "user", "token", "repo", "branch", "agent", "machine", "prompt", "topic", "state"),
    *("started_at", "last_seen_at", "ended_at", "said", "digest", "idempotency_key"),
    *("checkout", "agent_session", "uncommitted", "conversation_forgotten_at"),
)
_HANDOFF = (
    *("state", "completeness", "as_of", "written_at", "pending", "blockers", "topics", "decisions", "deposits"),
    *("files", "facts", "interpretation", "acknowledged_at", "acknowledged_by", "closed_as", "reopened_at"),
    *("asked", "asked_last", "plan", "failure", "next_steps", "found_blockers", "uncommitted", "uncommitted_known"),
    "continues",
)
# What a digest has of the user's prompts.
PROMPTS = ("asked", "asked_last", "topics")
_TEXTS = {"": "summary", "note": "note", "last message": "last_message"}
_NAME = re.compile(r"S-[1-9][0-9]{0,11}\.md")
_LINK = re.compile(r"\[\[S-([1-9][0-9]{0,11})\]\]")


def pages_of(team: Team, people: People) -> Iterator[tuple[str, Page]]:
    kept = Handoff.objects.filter(team=team, session__team=team).select_related("session__user").order_by("session_id")
    rows = [_without_prompts(row) for row in kept]
    known = {row.session_id for row in rows}
    sessions: dict[int | None, int] = {row.pk: row.session_id for row in rows}
    for row in rows:
        session = row.session
        head = record(session, _SESSION, people) | {"session": people.session(session.key)}
        links = {
            "previous": session.previous_id,
            "offered": sessions.get(session.offered_id),
            "acknowledged_in": row.acknowledged_in_id,
        }
        head |= {name: f"[[S-{pk}]]" for name, pk in links.items() if pk in known}
        head["handoff"] = record(row, _HANDOFF, people)
        texts = {name: getattr(row, column) for name, column in _TEXTS.items() if not name or getattr(row, column)}
        yield f"{HANDOFFS}/{session.ref}.md", Page(head, texts)


def _without_prompts(row: Handoff) -> Handoff:
    """The same, unsaved, without the prompts of a user who keeps them."""
    session = row.session
    if session.user.share_prompts != "on":
        row.asked, row.asked_last, row.topics, session.prompt, session.topic = "", "", [], "", ""
        session.said = {name: said for name, said in session.said.items() if name != "asked"}
        session.digest = {name: told for name, told in session.digest.items() if name not in PROMPTS}
    return row


class RestoredHandoffs:
    """The handoffs of all teams, before they are written, and what links them. What is read after a `write` is written
    over what was written then.
    """

    def __init__(self, people: People, ids: RowIds) -> None:
        self.people, self.ids = people, ids
        # By the name that the vault has for them; ids may be given again.
        self.by_name: dict[str, AgentSession] = {}
        self.rows: list[tuple[AgentSession, Handoff, dict[str, Any]]] = []

    def read(self, team: Team, name: str, page: Page) -> None:
        """Raises BadPage."""
        if not _NAME.fullmatch(name):
            raise BadPage("a handoff is in a file named after its session")
        said = page.head.get("handoff")
        if not isinstance(said, dict):
            raise BadPage("it has no handoff")
        session = AgentSession(team=team, **restored(AgentSession, _SESSION, page.head, self.people))
        key = {"session_key": str(page.head.get("session", ""))[:80]}
        session.key = self.people.session_key(key["session_key"])
        texts = {column: page.texts.get(part, "") for part, column in _TEXTS.items()}
        fields = restored(Handoff, _HANDOFF, said, self.people)
        if f"{session.ref}.md" != name or not session.key or not session.user_id:
            raise BadPage("its session differs from its file name")
        handoff = Handoff(team=team, repo=session.repo, session=session, **texts, **fields)
        links = {which: page.head.get(which) for which in ("previous", "offered", "acknowledged_in")}
        self.by_name[session.ref] = session
        self.rows.append((session, handoff, {which: link for which, link in links.items() if link}))

    def write(self) -> int:
        """How many. Raises BadPage for a link that leads nowhere."""
        by_name = {f"[[{session.ref}]]": (session, handoff) for session, handoff, _ in self.rows}
        sessions = [session for session, _, _ in self.rows]
        there = AgentSession.objects.filter(team__in={session.team for session in sessions})
        self.ids.give(AgentSession, sessions)
        write_rows(sessions, there)
        self.ids.count_on(AgentSession)
        known = dict(Handoff.objects.filter(session__in=sessions).values_list("session_id", "pk"))
        for session, handoff, _ in sorted(self.rows, key=lambda row: row[0].pk):
            handoff.session = session
            handoff.pk = known.get(session.pk)
            handoff.save(force_insert=handoff.pk is None, force_update=handoff.pk is not None)
        for session, handoff, links in self.rows:
            try:
                ends = {which: by_name.get(link) or self._written(session.team, link) for which, link in links.items()}
            except (KeyError, TypeError, ValueError):
                raise BadPage(f"{session.ref} refers to a session that does not exist") from None
            session.previous = ends["previous"][0] if "previous" in ends else None
            session.offered = ends["offered"][1] if "offered" in ends else None
            handoff.acknowledged_in = ends["acknowledged_in"][0] if "acknowledged_in" in ends else None
            handoff.save(update_fields=["acknowledged_in"])
        AgentSession.objects.bulk_update(sessions, ["previous", "offered"], batch_size=500)
        return len(sessions)

    def _written(self, team: Team, link: Any) -> tuple[AgentSession, Handoff]:
        """What an earlier pass has written of a session, by a link to it. Raises KeyError."""
        number = _LINK.fullmatch(link)
        here = self.ids.of(AgentSession, int(number[1])) if number and self.ids.passes else 0
        found = Handoff.objects.filter(team=team, session_id=here).select_related("session").first()
        if found is None:
            raise KeyError(link)
        return found.session, found

    def forget(self) -> None:
        """Forget the rows of this pass, for the next one."""
        self.by_name, self.rows = {}, []


def is_empty(team: Team) -> bool:
    return not Handoff.objects.filter(team=team).exists()
