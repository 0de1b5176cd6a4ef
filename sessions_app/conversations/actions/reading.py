"""Reading: the passages of conversations that are read to answer a question, and the further ones that are worth
reading.

A question finds single passages. The answer may be elsewhere: in the rest of their conversation, in another
conversation on the same subject, or in a later one in which it was changed. Each of the three is read by one statement.
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
from sessions_app.conversations.rules.context import SHORT
from sessions_app.conversations.rules.copies import asked_again
from sessions_app.conversations.rules.files import any_of
from sessions_app.conversations.rules.score import Scored, ScoredConversation, scored
from sessions_app.conversations.rules.spread import PassagePlace
from sessions_app.conversations.rules.subject import MOST_NAMED, Exchange, compound_names, rare
from sessions_app.models import AgentSession, PassageTerm
from sessions_app.models import Passage as PassageRow
from sessions_app.querysets.passage_search import MEASURED_WHOLE, LaterSession, PassageLine, SessionSize

# How much of a conversation is read. A longer one is read where it is nearest to the question. Its length is measured
# in terms, not passages: people who type "ok, 30" fill 50 passages with what others say in ten. 24 passages of
# sde-bench and BEAM have some 1,000 terms; the longest of sde-bench's 158 conversations has 760.
READ = SessionSize(most=24, most_short=100, short=800)
# The number of conversations near the best one that are searched for its subject.
BESIDE = 6
# The largest number of passages quoted by their weight, from any conversation: as many short ones fit into 800 tokens.
MOST_NEAREST = 24


class ConversationReading:
    """The passages read for one question. `lines`: in order within each session, each copy once; `vectors`: by their
    keys.
    """

    def __init__(self, asked: ConversationQuery, by: Member, found: Candidates, without: Collection[int]) -> None:
        self.asked, self.by, self.found, self.without = asked, by, found, without
        self.rows = PassageRow.objects.all()
        self.lines: list[PassageLine] = []
        self.vectors: dict[int, np.ndarray] = {}
        # A session whose exchanges are not counted again in other sessions that repeat them word for word; and the
        # places of the repetitions.
        self.first: int | None = None
        self.asked_again: set[PassagePlace] = set()

    def add(self, lines: Sequence[PassageLine]) -> None:
        """Add passages, except echoes of the question."""
        here = {line.pk for line in self.lines}
        new = [line for line in lines if line.pk not in here and line[1:3] not in self.found.echoes]
        added = new if self.asked.vector is None else with_vectors(new)
        lines = sorted([*self.lines, *added], key=lambda line: (line.session, line.position))
        self.lines = distinct(self._once(lines))
        self.vectors |= vectors_of(added)

    def count_once(self, session: int) -> None:
        """Leave out of other sessions, from now on, exchanges that this session has in the same words."""
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
        """Return whether the whole conversation was read."""
        return next(line.whole for line in self.lines if line.session == session)

    def repo_of(self, session: int) -> str:
        return next(line.repo for line in self.lines if line.session == session)

    def ranked(self, sessions: Collection[int] | None = None) -> list[Scored]:
        """Return the conversations, scored by what was read of them, best first: those of `sessions`, or all."""
        rows = self.by_session()
        some = [conversation_of(one, rows[one], self.vectors) for one in rows if sessions is None or one in sessions]
        return scored(some, self.asked.vector, self.asked.rarity, self.found.files)

    def ranked_as_before(self, ranked: Sequence[Scored], changed: Collection[int]) -> list[Scored]:
        """Return the conversations of `ranked` in the same order, then the new ones; those in `changed` are scored
        again.
        """
        now = {one.conversation.session: one for one in self.ranked(changed)}
        first = [now.pop(one.conversation.session, one) for one in ranked]
        return [*first, *now.values()]

    # --- what more is read ----------------------------------------------------------------------------------
    def read(self, sessions: Sequence[int]) -> set[int]:
        """Read these conversations where they are nearest to the question; return the sessions that were not read
        before.
        """
        known = self.by_session()
        self.add(
            self.rows.conversations(
                self.by, teams=self.asked.teams, sessions=sessions, vector=self.asked.vector_text, size=READ
            )
        )
        return {session for session in sessions if session not in known}.intersection(self.by_session())

    def read_beside(self, best: ScoredConversation, sessions: Collection[int]) -> None:
        """Read the conversations nearest to the middle of `best`, except `sessions`."""
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
        """Read the nearest passages, and the replies that refuse an agent's proposal; return the sessions read for the
        first time.
        """
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
        """Read the latest other conversations that have a rare name of `best`; return the sessions read first now, and
        the names.
        """
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
        """Read the later conversations that may have changed the statement; return what was said there, the likeliest
        first.

        The change may have been changed too. A second change is nearer to the first change than to the statement, so a
        second search starts from there. It counts only conversations with one of the files.
        """
        later = self._later(statement, of_file=False)
        known = {statement.session, *(one.conversation.session for one in later)}
        again = self._later(self.statement_of(later[0]), of_file=True) if later else []
        return [*later, *(one for one in again if one.conversation.session not in known)]

    def statement_of(self, said: Exchange) -> EarlierStatement:
        """Return an exchange as an earlier statement, which later conversations may have changed."""
        session = said.conversation.session
        return EarlierStatement(said.middle, said.said_at, self.repo_of(session), files_of(said), session)

    def _later(self, statement: EarlierStatement, *, of_file: bool) -> list[Exchange]:
        """Return the exchanges that may have changed the statement. `of_file`: only where one of its files was edited
        or named.
        """
        found = likely_changes(
            statement,
            by=self.by,
            teams=self.asked.teams,
            whole=self._is_measured_whole(statement.repo),
            without=self.without,
            of_file=of_file,
        )
        places = [(one.session, near) for one in found for near in around(one.position, one.echo)]
        self.add(self.rows.at(self.by, teams=self.asked.teams, places=places) if places else [])
        rows = self.by_session()
        told = [
            told_of(statement, conversation_of(one.session, rows[one.session], self.vectors), one.position, one.echo)
            for one in found
            if one.session in rows
        ]
        # A change is often agreed in few words ("KEEP is 92 now"). A session with so few words answers nothing by
        # itself, but it counts here if an agent replied.
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
    """Return the later sessions that may have changed the statement, the likeliest first, each with the place of its
    nearest passage. At most three statements.

    `whole`: the repository is small enough to measure all vectors. `without`: sessions that are left out. `of_file`:
    only sessions in which one of the statement's files was edited or named.
    """
    files = rare_files_of(statement.files, teams)
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
        short=SHORT,
        whole=whole,
    )
    own: set[int] = set()
    if found and statement.deposited_in:
        # Its agent went on with the file after the deposit, and knew the note.
        own = set(AgentSession.objects.visible_to(by).filter(key=statement.deposited_in).values_list("pk", flat=True))
    return amendments([one for one in found if one.session not in {*without, *own} and one.of_file >= of_file])


def rare_files_of(files: Sequence[str], teams: Sequence[int]) -> list[str]:
    """Return the files that a few passages of these teams name; one statement, none without files."""
    return rare_files(files, _counted(teams, chain(*map(bm25.terms, files)))) if files else []


def _counted(teams: Sequence[int], terms: Iterable[str]) -> dict[str, int]:
    """Return the number of passages that have each of these terms."""
    return PassageTerm.objects.all().counted(teams, terms)[1]
