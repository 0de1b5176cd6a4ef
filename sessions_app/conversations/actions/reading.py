"""Reading: the passages of conversations that are read to answer a question, and which more of them are worth it.

What a question finds are passages, and what answers it may stand beside them: the rest of their conversation, another
one on the same subject, a later one in which it was changed. Each of these is one statement.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, groupby

import numpy as np

from accounts.rules.rights import Member
from knowledge.retrieval.rules import bm25
from knowledge.rules.vectors import half, lexemes
from sessions_app.conversations.actions.candidates import Candidates, ConversationQuery
from sessions_app.conversations.actions.passage_rows import (
    conversation_of,
    distinct,
    unread_replies,
    vectors_of,
    with_vectors,
    without_replies,
)
from sessions_app.conversations.rules.amendments import (
    EarlierStatement,
    amendments,
    around,
    files_of,
    has_reply,
    rare_files,
    told_of,
)
from sessions_app.conversations.rules.copies import asked_again
from sessions_app.conversations.rules.files import any_of
from sessions_app.conversations.rules.score import Scored, ScoredConversation, scored
from sessions_app.conversations.rules.spread import PassagePlace
from sessions_app.conversations.rules.subject import MOST_NAMED, Exchange, compound_names, rare
from sessions_app.models import Passage as PassageRow
from sessions_app.models import PassageTerm
from sessions_app.querysets.passage_search import MEASURED_WHOLE, LaterSession, PassageLine, SessionSize

# How much of a conversation is read: a longer one where it is nearest to the question. How long it is the words tell,
# not the passages: people who type "ok, 30" make 50 passages of what others say in ten. 24 passages of sde-bench and
# BEAM have some 1,000 terms; the longest of sde-bench's 158 conversations has 760.
READ = SessionSize(most=24, most_short=100, short=800)
# Conversations beside the best one that are looked at for others on its subject.
BESIDE = 6
# Of the passages with the greatest weights so many are told at most, of whichever conversation: as many short ones fit
# into 800 tokens.
MOST_NEAREST = 24


class ConversationReading:
    """What is read for one question: `lines`, each session's in their order, copies once; `vectors`, by their keys."""

    def __init__(self, asked: ConversationQuery, by: Member, found: Candidates, without: Collection[int]) -> None:
        self.asked, self.by, self.found, self.without = asked, by, found, without
        self.rows = PassageRow.objects.all()
        self.lines: list[PassageLine] = []
        self.vectors: dict[int, np.ndarray] = {}
        # What this session and others have word for word counts in this one; places of it in others.
        self.first: int | None = None
        self.asked_again: set[PassagePlace] = set()

    def add(self, lines: Sequence[PassageLine]) -> None:
        """Add passages to what is read, but for echoes of the question."""
        here = {line.pk for line in self.lines}
        new = [line for line in lines if line.pk not in here and line[1:3] not in self.found.echoes]
        added = new if self.asked.vector is None else with_vectors(new)
        lines = sorted([*self.lines, *added], key=lambda line: (line.session, line.position))
        self.lines = distinct(self._once(lines))
        self.vectors |= vectors_of(added)

    def count_once(self, session: int) -> None:
        """From now on leave out of other sessions what was asked and replied in this one with the same words."""
        self.first = session
        self.lines = self._once(self.lines)

    def _once(self, lines: list[PassageLine]) -> list[PassageLine]:
        if self.first is None:
            return lines
        self.asked_again |= asked_again(lines, self.first)
        return [line for line in lines if (line.session, line.position) not in self.asked_again]

    def by_session(self) -> dict[int, list[PassageLine]]:
        return {session: list(some) for session, some in groupby(self.lines, key=lambda line: line.session)}

    def is_whole(self, session: int) -> bool:
        """Whether all of a conversation was read."""
        return next(line.whole for line in self.lines if line.session == session)

    def repo_of(self, session: int) -> str:
        return next(line.repo for line in self.lines if line.session == session)

    def ranked(self, sessions: Collection[int] | None = None) -> list[Scored]:
        """The conversations as far as they were read, best first; of these sessions alone, or all."""
        rows = self.by_session()
        some = [conversation_of(one, rows[one], self.vectors) for one in rows if sessions is None or one in sessions]
        return scored(some, self.asked.vector, self.asked.rarity, self.found.files)

    def ranked_as_before(self, ranked: Sequence[Scored], changed: Collection[int]) -> list[Scored]:
        """The conversations with what was read of them since: those that were ranked in their order, then others."""
        now = {one.conversation.session: one for one in self.ranked(changed)}
        first = [now.pop(one.conversation.session, one) for one in ranked]
        return [*first, *now.values()]

    # --- what more is read ----------------------------------------------------------------------------------
    def read(self, sessions: Sequence[int]) -> set[int]:
        """Read these conversations where they are nearest to the question; those that were not read yet."""
        known = self.by_session()
        self.add(
            self.rows.conversations(
                self.by, teams=self.asked.teams, sessions=sessions, vector=self.asked.vector_text, size=READ
            )
        )
        return {session for session in sessions if session not in known}.intersection(self.by_session())

    def read_beside(self, best: ScoredConversation, sessions: Collection[int]) -> None:
        """Read the conversations that lie nearest to the middle of this one, but for `sessions`."""
        if best.middle is None:
            return
        repo = self.repo_of(best.session)
        self.add(
            self.rows.beside(
                self.by,
                teams=self.asked.teams,
                repo=repo,
                middle=half(best.middle).to_text(),
                best=[best.session, *self.found.copies.get(best.session, ())],
                sessions=[*sessions, *chain(*self.found.copies.values()), *self.without, *self.found.silent],
                vector=self.asked.vector_text or "",
                beside=BESIDE,
                size=READ,
                whole=self._is_measured_whole(repo),
            )
        )

    def read_nearest(self, weight: Mapping[PassagePlace, float]) -> set[int]:
        """Read the nearest passages, and refusals of what agents proposed; the sessions of what was not read yet."""
        here = {(line.session, line.position) for line in self.lines}
        best = sorted(weight, key=lambda place: (-weight[place], place))[:MOST_NEAREST]
        places = [place for place in best if place not in here]
        replies = unread_replies(self.lines, places)
        if not places and not replies:
            return set()
        read = self.rows.at(self.by, teams=self.asked.teams, places=[*places, *replies])
        added = without_replies(read, replies)
        self.add(added)
        return {row.session for row in added}.intersection(self.by_session())

    def read_named(self, best: ScoredConversation) -> tuple[set[int], list[str]]:
        """Read the latest others that have a rare name of this conversation; those read first now, and these names."""
        if not self.is_whole(best.session):
            return set(), []
        names = rare(self._counted(compound_names(best.words)))
        if not names:
            return set(), []
        named = lexemes(names, " | ")
        found = self.rows.with_files(
            self.by, teams=self.asked.teams, repo=self.asked.repo, paths=named, any_of=named, most=MOST_NAMED
        )
        known = {*self.by_session(), *chain(*self.found.copies.values())}
        added = [session for session, _ in found if session not in known]
        return (self.read(added) if added else set()), names

    def read_later(self, statement: EarlierStatement) -> list[Exchange]:
        """Read where it may have been changed later; what was said there, the likeliest first. What changed it may have
        been changed as well, and is nearer to that than to the first telling: there one of its files must tell.
        """
        later = self._later(statement, of_file=False)
        known = {statement.session, *(one.conversation.session for one in later)}
        again = self._later(self.statement_of(later[0]), of_file=True) if later else []
        return [*later, *(one for one in again if one.conversation.session not in known)]

    def statement_of(self, said: Exchange) -> EarlierStatement:
        """What was said, as something that may have been changed."""
        session = said.conversation.session
        return EarlierStatement(said.middle, said.said_at, self.repo_of(session), files_of(said), session)

    def _later(self, statement: EarlierStatement, *, of_file: bool) -> list[Exchange]:
        """`of_file`: only where one of its files was edited or named."""
        found = likely_changes(
            statement,
            by=self.by,
            teams=self.asked.teams,
            whole=self._is_measured_whole(statement.repo),
            without=self.without,
            of_file=of_file,
        )
        at = {one.session: one.position for one in found}
        places = [(one, near) for one, position in at.items() for near in around(position)]
        self.add(self.rows.at(self.by, teams=self.asked.teams, places=places) if places else [])
        rows = self.by_session()
        told = [told_of(statement, conversation_of(one, rows[one], self.vectors), at[one]) for one in at if one in rows]
        # A change is often agreed in few words ("KEEP is 92 now"), with which a session by itself answers nothing.
        return [one for one in told if one and (one.conversation.session not in self.found.silent or has_reply(one))]

    def _counted(self, terms: Iterable[str]) -> dict[str, int]:
        return _counted(self.asked.teams, terms)

    def _is_measured_whole(self, repo: str) -> bool:
        if self.asked.is_measured_whole or repo == self.asked.repo:
            return self.asked.is_measured_whole
        return self.rows.count_of_repo(self.by, teams=self.asked.teams, repo=repo) <= MEASURED_WHOLE


def likely_changes(
    statement: EarlierStatement,
    *,
    by: Member,
    teams: Sequence[int],
    whole: bool,
    without: Collection[int] = (),
    of_file: bool = False,
) -> list[LaterSession]:
    """The later sessions that may have changed it, the likeliest first, with the place of the nearest passage. `whole`:
    its repository is small enough to measure all vectors; `without`: sessions that are left out; `of_file`: only where
    one of its files was edited or named. At most two statements.
    """
    files = statement.files
    if files:
        files = rare_files(files, _counted(teams, chain(*map(bm25.terms, files))))
    if not statement.session and not files:
        return []
    found = PassageRow.objects.all().later(
        by,
        teams=teams,
        repo=statement.repo,
        than=statement.said_at,
        session=statement.session,
        vector=half(statement.vector).to_text(),
        any_of=any_of(files),
        held=statement.held,
        whole=whole,
    )
    return amendments([one for one in found if one.session not in without and one.of_file >= of_file])


def _counted(teams: Sequence[int], terms: Iterable[str]) -> dict[str, int]:
    """In how many passages each of these terms is."""
    return PassageTerm.objects.all().counted(teams, terms)[1]
