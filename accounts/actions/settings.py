"""Settings: what a person has chosen for themselves. Nobody else's affair, and nothing the team's log would tell."""

from dataclasses import replace

from accounts.models import User
from accounts.rules.refused import NotAllowed, Refused
from accounts.rules.rights import Member, Scope
from accounts.rules.settings import SETTINGS


class BadSetting(Refused):
    code = "invalid"


def choose(*, choices: dict[str, str], by: Member) -> User:
    """Keep what was chosen; what is not named stays. Raises BadSetting with the field."""
    known = {setting.name: setting for setting in SETTINGS}
    errors = {
        name: [f"One of {', '.join(known[name].words)}."] if name in known else ["There is no such setting."]
        for name, value in choices.items()
        if name not in known or value not in known[name].words
    }
    if errors:
        raise BadSetting(errors=errors)
    user = User.objects.get(pk=by.user_id)
    for name, value in choices.items():
        setattr(user, name, value)
    user.save(update_fields=list(choices))
    return user


def set_share_prompts(*, shared: bool | None, by: Member) -> Member:
    """The member with that setting, kept; with None as they are. Raises NotAllowed for a token that only reads."""
    if shared is None:
        return by
    if Scope.WRITE not in by.scopes:
        raise NotAllowed("This token lacks the scope 'write'.")
    choose(choices={"share_prompts": "on" if shared else "off"}, by=by)
    return replace(by, shares_prompts=shared)
