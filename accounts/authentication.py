"""Turn the credentials of a request into a Member: a bearer token for agents, a logged-in session for people."""

import json
import re
from contextlib import suppress
from dataclasses import replace
from typing import Any, NoReturn

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import RequestDataTooBig
from django.core.validators import RegexValidator
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import timezone
from django_htmx.middleware import HtmxDetails
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, ParseError, PermissionDenied, Throttled
from rest_framework.negotiation import BaseContentNegotiation, DefaultContentNegotiation
from rest_framework.parsers import JSONParser
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts.actions.invitations import join, offered
from accounts.actions.members import member_of
from accounts.actions.throttle import throttle, throttle_each
from accounts.actions.tokens import find_token, note_use
from accounts.actions.turns import turns
from accounts.adapters.replica import primary
from accounts.models import ApiToken, User
from accounts.rules.cell_names import cell_of
from accounts.rules.refused import Refused
from accounts.rules.rights import Member, Scope, TeamAccess, TeamKind, lacking
from accounts.rules.throttle import teams_charged

# Deeper JSON than this is nothing a client of ours sends; it bounds what any recursive reader below has to bear.
MAX_DEPTH = 20


# Calls a minute with a bad token from one address, each of which is looked up and logged. Good ones from there are
# answered all the same: behind a proxy, or in an office, it is everybody's.
BAD_TOKENS = 300


def client_address(request: HttpRequest | Request) -> str:
    """Return whose request it is by ALLAUTH_TRUSTED_PROXY_COUNT, as the login counts."""
    return str(DefaultAccountAdapter().get_client_ip(request))


class AgentRequest(Request):
    """What an API view gets: `member` is set by TokenAuthentication."""

    member: Member


class PageRequest(HttpRequest):
    """What a page's view gets: `member` by MemberMiddleware (behind login_required never None), `htmx` by HTMX's."""

    member: Member
    htmx: HtmxDetails


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer loam_…` → request.user and request.member. Anything else is 401."""

    @primary()
    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != b"bearer":
            return None
        if len(words) != 2:
            raise AuthenticationFailed("The Authorization header is not 'Bearer <token>'.")
        now = timezone.now()
        token = find_token(secret=words[1].decode("latin-1"), now=now)
        if token is None:
            elsewhere = cell_of(words[1].decode("latin-1"))
            wait = throttle(key=f"refused:{client_address(request)}", limit=BAD_TOKENS, now=now)
            if wait:
                raise Throttled(wait, "Too many calls with an invalid token.")
            if elsewhere not in ("", settings.LOAM_CELL):
                raise AuthenticationFailed(f"This token was made in another cell, “{elsewhere}”: use it there.")
            raise AuthenticationFailed("This token is unknown, expired or revoked.")
        note_use(token=token, address=request.META.get("REMOTE_ADDR") or None, now=now)
        request._request.member = member_by_token(token)  # type: ignore[attr-defined]
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="loam"'


class TokenScheme(OpenApiAuthenticationExtension):
    """How the OpenAPI schema names it."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


class HasToken(BasePermission):
    """Every call needs a token, and the scope `read` for whatever it shows. A page's session is none: it is sent along
    by whatever site a browser was lured to.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        if not isinstance(request.auth, ApiToken):
            return False
        if Scope.READ not in request.member.scopes:  # type: ignore[attr-defined]
            raise PermissionDenied(lacking(Scope.READ))
        if request.member.moved:  # type: ignore[attr-defined]
            _refuse_moved(request, request.member)  # type: ignore[attr-defined]
        return True


def _refuse_moved(request: Request, member: Member) -> None:
    """Raise TeamMoved for a call that is of a team in another cell: that names it, or names none and no shared team is
    left here. With teams in both cells the others go on here.
    """
    named = _read_names(request)
    here = any(team.kind is TeamKind.SHARED for team in member.teams)
    for moved in member.moved:
        if moved.slug in named or not (named or here):
            raise moved.refusal


class TokenThrottle(BaseThrottle):
    """Limits the calls a minute of each token (LOAM_RATE_LIMIT) and of each team (its own limit, else
    LOAM_TEAM_RATE_LIMIT), over all processes, and the calls that are under way at once in this one
    (LOAM_AT_ONCE); more are 429 with Retry-After, and say which limit it was.
    """

    @primary()
    def allow_request(self, request: Request, view: Any) -> bool:
        if not isinstance(request.auth, ApiToken):
            return True
        member: Member = request.member  # type: ignore[attr-defined]
        limits, teams = {f"token:{request.auth.pk}": settings.LOAM_RATE_LIMIT}, {}
        charged = teams_charged(member, _named_teams(request, member))
        for team in charged:
            teams[key := f"team:{team.id}"] = team.slug
            limits[key] = settings.LOAM_TEAM_RATE_LIMIT if team.calls_per_minute is None else team.calls_per_minute
        over, wait = throttle_each(limits=limits, now=timezone.now())
        if over:
            whose = f"The team '{teams[over]}'" if over in teams else "This token"
            who = "A superuser of Loam sets it for the team." if over in teams else "The operator of Loam sets it."
            raise Throttled(wait, f"{whose} is limited to {limits[over]:,} calls a minute. {who}")
        if charged:
            _wait_for_turn(request, charged[0])
        return True


# What waits for a language model or for files holds a turn for up to a minute, and hardly the interpreter.
TAKES_NO_TURN = {"api:evidence-search"}


def _wait_for_turn(request: Request, team: TeamAccess) -> None:
    """Wait until it is the team's turn in this process. `TakesTurns` gives the turn back."""
    call, match = getattr(request._request, "call", None), request._request.resolver_match
    if call is None or call.has_turn:
        return
    if settings.LOAM_AT_ONCE <= 0 or (match and match.view_name in TAKES_NO_TURN):
        turns.identify(call, team.id)
    elif not turns.take(call, caller=team.id, most=settings.LOAM_AT_ONCE):
        most = f"{settings.LOAM_AT_ONCE} calls"
        raise Throttled(
            1,
            f"{most} are under way here, as many as may be at once, and no turn came for the team '{team.slug}' in "
            "time. The operator of Loam sets this (LOAM_AT_ONCE).",
        )


def _named_teams(request: Request, member: Member) -> set[str]:
    """Return the team slugs that a call names in its address or body. The body is looked into only where it matters,
    and left for the view to parse: what is wrong with it is the view's to say.
    """
    if sum(team.kind is not TeamKind.EVERYONE for team in member.teams) < 2:
        return set()
    return _read_names(request)


def _read_names(request: Request) -> set[str]:
    named: list[Any] = request.query_params.getlist("team")
    with suppress(ValueError, RecursionError, RequestDataTooBig):
        body = json.loads(request._request.body or b"null")
        if isinstance(body, dict):
            teams = body.get("teams")
            named += [body.get("team"), *(teams if isinstance(teams, list) else [])]
    return {slug for slug in named if slug and isinstance(slug, str)}


# Half of a character that takes two: JSON can escape one alone, and no UTF-8 can hold it, not even the answer's.
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_HALF = re.compile("[\ud800-\udfff]")


class StrictJSONParser(JSONParser):
    """JSON as the standard has it: no NaN, no key twice, not deeper than MAX_DEPTH, valid UTF-8, no half characters."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        try:
            text = stream.read().decode("utf-8")
            value = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_once)
        except (ValueError, RecursionError) as error:
            raise ParseError(f"The body is not valid JSON: {error}") from error
        if _deeper_than(value, MAX_DEPTH):
            raise ParseError(f"The body is nested deeper than {MAX_DEPTH} levels.")
        if _ESCAPED_HALF.search(text) and _HALF.search(json.dumps(value, ensure_ascii=False)):
            raise ParseError("The body contains an unpaired surrogate.")
        return value


class AlwaysJson(BaseContentNegotiation):
    """There is one format; a client that asks for another gets it all the same, rather than nothing."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return DefaultContentNegotiation().select_parser(request, parsers)

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


# Under this name a link carries its secret, and the browser's session what is kept of it.
INVITATION = "invitation"


class NameTaken(Refused):
    code = "taken"
    status = 409
    detail = "This username or email address is already taken. Choose another."


class InvitedAdapter(DefaultAccountAdapter):
    """Nobody signs up by themselves: a superuser makes accounts, and anyone who holds an invitation that lets them in.

    The account and the place in the team are one act: of two people with a link for one, the second has neither.
    """

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """What wrong passwords are counted by: the account and the address together, so that nobody locks out anybody
        else. All accounts together, an address has a limit of its own (ACCOUNT_RATE_LIMITS).
        """
        key: str = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{key}:{self.get_client_ip(request)}"

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        digest = request.session.get(INVITATION, "")
        return settings.LOAM_INVITED_SIGN_UP and bool(digest) and offered(digest=digest, now=timezone.now()) is not None

    def save_user(self, request: HttpRequest, user: Any, form: Any, commit: bool = True) -> Any:
        try:
            with transaction.atomic():
                super().save_user(request, user, form, commit)
                digest = request.session.get(INVITATION, "")
                joined = join(digest=digest, by=member_of(user=user), now=timezone.now())
        except IntegrityError as fault:
            raise NameTaken from fault
        del request.session[INVITATION]
        messages.success(request, f"Welcome! You are a {joined.level} of {joined.team_name}.")
        return user


# What somebody may call themselves; a superuser may call them otherwise. No @, or a name could read as another's
# address, by which one signs in too; no letters that look like others, for the log names people; not all dots.
USERNAMES = [
    RegexValidator(
        r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,38}\Z",
        "At most 39 letters, digits, dots, underscores and hyphens, starting with a letter or digit.",
    )
]


def member_by_token(token: ApiToken) -> Member:
    """The token's user, with no more teams and scopes than the token has."""
    brought = getattr(token, "team_ids", None)
    teams = token.teams.values_list("pk", flat=True) if brought is None else brought
    return member_of(
        user=token.user,
        scopes=frozenset(Scope(scope) for scope in token.scopes),
        token_id=token.pk,
        token_name=token.name,
        only=frozenset(teams) if token.narrowed else None,
    )


def in_session(request: AgentRequest, session: str) -> Member:
    """The caller, in the session that a field of the request named and a SessionField has checked; "" is none.

    The request keeps it: a call in a session is a sign of life, and anyone who counts those finds it there.
    """
    if session:
        request._request.agent_session = session  # type: ignore[attr-defined]
        return replace(request.member, session=session)
    return request.member


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1)
        raise ValueError(f"the key '{re.sub(r'[^ -~]', '?', twice)[:60]}' occurs twice")
    return found


def _deeper_than(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        level = [child for item in level for child in _children(item)]
        if not level:
            return False
    return True


def _children(item: Any) -> list[Any]:
    if isinstance(item, dict):
        return [child for child in item.values() if isinstance(child, dict | list)]
    return [child for child in item if isinstance(child, dict | list)] if isinstance(item, list) else []
