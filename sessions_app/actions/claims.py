"""Claims: which files (paths or globs) a session works on, so that others on the same repo know before they begin."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from accounts.models import GuardTerm, Team
from accounts.rules.guard.detection import find_secrets
from accounts.rules.refused import Refused
from accounts.rules.rights import Member
from knowledge.rules.draft import clean_paths
from sessions_app.actions.session_lookup import own_session, require_open
from sessions_app.models import AgentSession, Claim
from sessions_app.rules.claims import overlap

# SAME's time for a claim: as long as a session may be silent before it is given up.
MINUTES = 30
MOST_MINUTES = 24 * 60
MOST_CLAIMED = 200


class SecretInClaim(Refused):
    code = "secret_found"
    detail = "A path contains a secret. Nothing was claimed."


@dataclass(frozen=True)
class Claimed:
    """`mine`: what the session holds now; `others`: what other live sessions hold of what it asked for, or, if it asked
    for nothing, of everything.
    """

    mine: list[Claim]
    others: list[Claim]


def claim(
    *, name: str, files: Sequence[str], release: Sequence[str], minutes: int = MINUTES, by: Member, now: datetime
) -> Claimed:
    """Claim files or globs of files for so many minutes, or renew what is claimed; `release` gives some back. Without
    either, tell who claims what on the repo.

    What overlaps a claim of another live session stays theirs and is named: a claim warns, it locks nothing. Raises
    NotFound, NotAllowed, SessionEnded, and SecretInClaim on the field whose path has a secret in it.
    """
    wanted, freed = clean_paths(files), clean_paths(release)
    seen = own_session(name=name, by=by)
    require_open(seen)
    _require_no_secret({"files": wanted, "release": freed}, seen.team_id)
    with transaction.atomic():
        session = own_session(name=name, by=by, lock=True)
        require_open(session)
        # Two sessions may ask for one file at the same moment: the team's claims are given out one call at a time.
        Team.objects.select_for_update(no_key=True).get(pk=session.team_id)
        session.see(by=by, at=now)
        session.claims.filter(path__in=freed).delete()
        held = Claim.objects.visible_to(by).on(session.team_id, session.repo)
        theirs = held.valid(now).exclude(session=session).select_related("session__user").order_by("path")
        if files or release:
            others = [claim for claim in theirs if any(overlap(claim.path, path) for path in wanted)]
        else:
            others = list(theirs[:MOST_CLAIMED])
        free = [path for path in wanted if not any(overlap(claim.path, path) for claim in others)]
        held.filter(path__in=free).delete()
        until = now + timedelta(minutes=minutes)
        Claim.objects.bulk_create([_claim(session, path, now, until) for path in free])
        if free or freed:
            what = f"{session.ref} claimed {len(free)} files, released {len(freed)}"
            session.note(verb="files claimed", line=what, by=by, at=now, after={"claimed": free, "released": freed})
    mine = list(session.claims.all().valid(now).order_by("path")[:MOST_CLAIMED])
    return Claimed(mine, others)


def _require_no_secret(paths_of: Mapping[str, Sequence[str]], team_id: int) -> None:
    """Raise SecretInClaim if a path has a secret in it: colleagues and the log would be shown it."""
    allowed = GuardTerm.objects.all().allowed(team_id)
    found = {
        name: [str(one) for path in paths for one in find_secrets(path, field=name, allowed=allowed)]
        for name, paths in paths_of.items()
    }
    errors = {name: said for name, said in found.items() if said}
    if errors:
        raise SecretInClaim(errors=errors)


def _claim(session: AgentSession, path: str, now: datetime, until: datetime) -> Claim:
    return Claim(
        team_id=session.team_id, repo=session.repo, path=path, session=session, claimed_at=now, expires_at=until
    )
