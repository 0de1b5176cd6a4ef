"""Settings: what a person has chosen for themselves. Nobody else's affair, and nothing the team's log would tell."""

from accounts.models import User
from accounts.rules.refused import Refused
from accounts.rules.rights import Member
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
