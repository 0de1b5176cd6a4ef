"""Personal settings. They concern nobody else, so they are not logged in a team."""

from dataclasses import replace

from accounts.models import User
from accounts.rules.refused import NotAllowed, Refused
from accounts.rules.rights import Member, Scope, lacking
from accounts.rules.settings import SETTINGS


class BadSetting(Refused):
    code = "invalid"


def choose(*, choices: dict[str, str], by: Member) -> User:
    """Store the chosen settings; the others stay as they are. Raises BadSetting with the field."""
    known = {setting.name: setting for setting in SETTINGS}
    errors = {
        name: [f"One of {', '.join(known[name].words)}."] if name in known else ["Unknown setting."]
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


def set_for_clients(*, share_prompts: bool | None = None, ask_to_deposit: bool | None = None, by: Member) -> Member:
    """Store the settings that are not None, and return the member with them. Raises NotAllowed for a token that is
    read-only or restricted to teams, because the settings apply to all teams.
    """
    given = {"share_prompts": share_prompts, "ask_to_deposit": ask_to_deposit}
    choices = {name: "on" if value else "off" for name, value in given.items() if value is not None}
    if not choices:
        return by
    if Scope.WRITE not in by.scopes:
        raise NotAllowed(lacking(Scope.WRITE))
    by.require_whole("Your settings hold for all of your teams")
    user = choose(choices=choices, by=by)
    return replace(by, shares_prompts=user.share_prompts == "on", asks_to_deposit=user.ask_to_deposit == "on")
