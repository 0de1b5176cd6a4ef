"""Who may do what, in which team.

A `Member` is a person as seen through one door: their memberships, narrowed by the token they came with. It is built
once per request (`accounts.authentication`) and handed down; nothing below asks the database who somebody is.
Levels say what a person may do in a team, scopes what a token may do for that person; both must allow an act.
"""

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from accounts.rules.refused import NotAllowed, Refused


class Level(IntEnum):
    """What a person may do in a team; each level includes those below."""

    READER = 1
    CONTRIBUTOR = 2
    LEAD = 3


class Scope(StrEnum):
    """What a token may be used for."""

    READ = "read"
    WRITE = "write"
    CURATE = "curate"


class TeamKind(StrEnum):
    SHARED = "shared"
    PERSONAL = "personal"
    EVERYONE = "everyone"


ALL_SCOPES = frozenset(Scope)
# The word by which a member names the team of their own, whatever its slug is.
PERSONAL = "personal"
# A curating act needs the lead's level and the `curate` scope; a write the contributor's and `write`.
NEEDS = {Level.READER: Scope.READ, Level.CONTRIBUTOR: Scope.WRITE, Level.LEAD: Scope.CURATE}


class TeamUnclear(Refused):
    code = "team_unclear"


class NoSuchTeam(Refused):
    code = "invalid"


class TeamStopped(Refused):
    """It is about to move to another cell: it is read, and not written to until that is done."""

    code = "team_stopped"
    status = 503
    retry_after = 5
    detail = (
        "This team is being moved to another server and takes no changes for a moment. Nothing was changed; send the"
        " same call again in a few seconds."
    )


class TeamMoved(Refused):
    """It is in another cell. `extra["address"]` is where."""

    code = "team_moved"
    status = 421


@dataclass(frozen=True)
class TeamAccess:
    """One team as one member may use it."""

    id: int
    slug: str
    name: str
    prefix: str
    kind: TeamKind
    level: Level
    # None: LOAM_TEAM_RATE_LIMIT (rules/throttle.py).
    calls_per_minute: int | None = None
    # It is read, and not written to: it is about to move to another cell.
    stopped: bool = False


@dataclass(frozen=True)
class MovedTeam:
    """A team of a member's that is in another cell, at `address`."""

    id: int
    slug: str
    address: str
    level: Level

    @property
    def sentence(self) -> str:
        return f"The team '{self.slug}' moved to {self.address}: use that address, with a token made there."

    @property
    def refusal(self) -> TeamMoved:
        return TeamMoved(self.sentence, team=self.slug, address=self.address)


def lacking(scope: Scope) -> str:
    """Return what a token without the scope is told, and what its owner can do."""
    return (
        f"This token does not have the scope “{scope}”, which this call needs. Create a token that has it on the page"
        " Tokens (/tokens/), and use that one."
    )


@dataclass(frozen=True)
class Member:
    """A person at a door: who, in which teams, with which scopes, by which token (None for a page), in which session.

    `home_id` is their personal team, where what they asked is kept, also when the token is narrowed to other teams.
    `narrowed`: whether a token holds them to some of their teams; what holds for all of them it does not change.
    `machinery`: how much the memory explains of itself to them (`rules/settings`); `shares_prompts`: whether their
    teams see what they typed; `asks_to_deposit`: whether their agents are asked to deposit before they stop.
    """

    user_id: int
    username: str
    is_superuser: bool
    home_id: int
    teams: tuple[TeamAccess, ...]
    scopes: frozenset[Scope] = ALL_SCOPES
    token_id: int | None = None
    token_name: str = ""
    session: str = ""
    narrowed: bool = False
    machinery: str = "full"
    shares_prompts: bool = False
    asks_to_deposit: bool = True
    # Teams of theirs that are no more in this cell: in none of `teams`, so nothing of them is found.
    moved: tuple[MovedTeam, ...] = ()

    @property
    def team_ids(self) -> tuple[int, ...]:
        return tuple(team.id for team in self.teams)

    @property
    def personal(self) -> TeamAccess | None:
        """The member's own team; None for a token that was narrowed to other teams."""
        return next((team for team in self.teams if team.kind is TeamKind.PERSONAL), None)

    @property
    def reads_typed_by(self) -> int:
        """Whose typed words they read though these are shared with nobody: their own, by id. 0 for a token that was
        narrowed to other teams: what is typed is of the personal team.
        """
        return self.user_id if self.personal else 0

    @property
    def actor(self) -> str:
        """How the log names them."""
        return f"{self.username} ({self.token_name})" if self.token_name else self.username

    @property
    def session_key(self) -> str:
        """The session; what counts as one when none was started is the token, or the person in the browser."""
        if self.session:
            return self.session
        return f"token:{self.token_id}" if self.token_id else f"user:{self.user_id}"

    def access(self, team_id: int) -> TeamAccess | None:
        return next((team for team in self.teams if team.id == team_id), None)

    def may(self, team_id: int, level: Level) -> bool:
        """Whether level and scope both allow an act of `level` in the team, and the team takes it now."""
        return self._allows(team_id, level) and not self._is_stopped(team_id, level)

    def _allows(self, team_id: int, level: Level) -> bool:
        team = self.access(team_id)
        return team is not None and team.level >= level and NEEDS[level] in self.scopes

    def _is_stopped(self, team_id: int, level: Level) -> bool:
        team = self.access(team_id)
        return team is not None and team.stopped and level > Level.READER

    def require(self, team_id: int, level: Level, *, of: str = "") -> None:
        """Raise NotAllowed unless level and scope allow it; TeamMoved, TeamStopped if the team takes nothing here, or
        now. `of`: what the act is on, where a call names it by a number.
        """
        for moved in self.moved:
            if moved.id == team_id:
                raise moved.refusal
        if self._allows(team_id, level):
            if self._is_stopped(team_id, level):
                raise TeamStopped
        else:
            why = self._why_not(team_id, level)
            raise NotAllowed(f"{of}: {why}" if of else why, team_id=team_id)

    def require_whole(self, what: str) -> None:
        """Raise NotAllowed for a token that is narrowed to teams. `what`: a sentence, why it needs all of them."""
        if self.narrowed:
            raise NotAllowed(
                f"{what}: this needs a token of all your teams, or the browser (/settings/, /sessions/). This token is"
                " narrowed to some of them."
            )

    def _why_not(self, team_id: int, level: Level) -> str:
        if NEEDS[level] not in self.scopes:
            return lacking(NEEDS[level])
        return f"This requires a {level.name.lower()} of the team."

    def named(self, slug: str) -> TeamAccess:
        """The member's team of that slug, `personal` being one's own; NoSuchTeam on `team` if there is none, TeamMoved
        if it is in another cell.
        """
        if slug == PERSONAL and self.personal:
            return self.personal
        for moved in self.moved:
            if moved.slug == slug:
                raise moved.refusal
        found = next((team for team in self.teams if team.slug == slug), None)
        if found is None:
            raise NoSuchTeam(errors={"team": [f"You have no team '{slug}'."]})
        return found


# Who acts when nobody does: a sweep. It is of no team and has no scope; the log says its name.
SYSTEM = Member(0, "loam", is_superuser=False, home_id=0, teams=(), scopes=frozenset())


def team_for_write(member: Member, slug: str | None) -> TeamAccess:
    """The team a write goes to: the one named; else the only one there is; else the only shared one to write to.

    Raises NoSuchTeam or TeamUnclear on `team`, NotAllowed without the level or the scope, TeamStopped, TeamMoved.
    """
    team = member.named(slug) if slug else _unnamed(member)
    member.require(team.id, Level.CONTRIBUTOR)
    return team


def team_for_session(member: Member, slug: str | None) -> TeamAccess:
    """The team that a session begins in, found as for a write. It begins also where writes are stopped: what it reads
    goes on, and what it would leave is refused until they go on.
    """
    team = member.named(slug) if slug else _unnamed(member)
    if not team.stopped:
        member.require(team.id, Level.CONTRIBUTOR)
    elif not member._allows(team.id, Level.CONTRIBUTOR):
        raise NotAllowed(member._why_not(team.id, Level.CONTRIBUTOR), team_id=team.id)
    return team


def _unnamed(member: Member) -> TeamAccess:
    """A team that moved counts as if it were here: what was meant for it goes to no other."""
    if len(member.teams) == 1 and not member.moved:
        return member.teams[0]
    shared = [t for t in member.teams if t.kind is TeamKind.SHARED and t.level >= Level.CONTRIBUTOR]
    if len(shared) == 1 and not any(team.level >= Level.CONTRIBUTOR for team in member.moved):
        return shared[0]
    moved = [team for team in member.moved if team.level >= Level.CONTRIBUTOR]
    if len(moved) == 1 and not shared:
        raise moved[0].refusal
    slugs = [*(team.slug for team in shared), *(team.slug for team in moved)]
    names = ", ".join(sorted(slugs)) or PERSONAL
    raise TeamUnclear("Choose a team.", errors={"team": [f"Name the team: one of {names}, or '{PERSONAL}'."]})
