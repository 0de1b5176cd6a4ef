"""Shapes at the door: what every endpoint shares, and `me/`."""

import json
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.actions.session_ids import may_call_in
from accounts.rules.field_names import unknown_names
from accounts.rules.preferences import (
    LONGEST_KEY,
    LONGEST_STATEMENT,
    LONGEST_VALUE,
    Category,
    Origin,
    Reach,
)
from accounts.rules.rights import Member
from accounts.rules.webhooks import LONGEST_URL, Event


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses an unknown field by its name, with the field that was probably meant, instead of dropping it."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and (faults := unknown_names(data, self.fields)):
            raise serializers.ValidationError(faults)
        return super().to_internal_value(data)


class StrictCharField(serializers.CharField):
    """Text is text: a number or a boolean in its place is a mistake that is told. Its length is counted as it came,
    with the blanks around it: so the schema has it.
    """

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise serializers.ValidationError("Not a string.")
        if self.max_length is not None and len(data) > self.max_length:
            self.fail("max_length", max_length=self.max_length)
        return super().to_internal_value(data)


class RefField(StrictCharField):
    """The reference of an insight, as it is kept: `plat-42` is PLAT-42."""

    def to_internal_value(self, data: Any) -> str:
        return super().to_internal_value(data).upper()


class WordField(serializers.ChoiceField):
    """One of a few words; another one is refused with all of them."""

    def __init__(self, choices: Any, **more: Any) -> None:
        super().__init__(choices, **more)
        self.error_messages["invalid_choice"] = f"\u201c{{input}}\u201d is not one of {', '.join(self.choices)}."


class SessionField(StrictCharField):
    """The session a call is made in; left out, none. Ids that were made up, are another user's, or of a session of a
    team that the token is not for, are refused.

    The serializer's context has the caller as `member`.
    """

    def __init__(self, **more: Any) -> None:
        super().__init__(**{"required": False, "default": "", "allow_blank": True, "max_length": 80, **more})

    def to_internal_value(self, data: Any) -> str:
        session = super().to_internal_value(data)
        member: Member | None = self.context.get("member")
        if session and not (member and may_call_in(session, by=member)):
            raise serializers.ValidationError("Unknown session.")
        return session


class TeamOut(serializers.Serializer[Any]):
    slug = serializers.CharField()
    name = serializers.CharField()
    prefix = serializers.CharField()
    kind = serializers.CharField()
    level = serializers.SerializerMethodField()

    def get_level(self, team: Any) -> str:
        return str(team.level.name.lower())


class MeIn(StrictSerializer):
    """What a person sets for themselves and their clients ask for; what is left out stays."""

    share_prompts = serializers.BooleanField(required=False)
    ask_to_deposit = serializers.BooleanField(required=False)


class MeOut(serializers.Serializer[Member]):
    """`share_prompts`: whether the user's teams see what they typed, in handoffs and sessions. `ask_to_deposit`:
    whether their agents are asked, before they stop, to deposit what was decided.
    """

    user = serializers.CharField(source="username")
    is_superuser = serializers.BooleanField()
    teams = TeamOut(many=True)
    token = serializers.SerializerMethodField()
    share_prompts = serializers.BooleanField(source="shares_prompts")
    ask_to_deposit = serializers.BooleanField(source="asks_to_deposit")

    def get_token(self, member: Member) -> dict[str, Any]:
        return {"name": member.token_name, "scopes": sorted(member.scopes)}


class GuardTermIn(StrictSerializer):
    team = StrictCharField(max_length=60)
    term = StrictCharField(max_length=400)
    reason = StrictCharField(max_length=1000)


class GuardTermOut(serializers.Serializer[Any]):
    """A text the guard lets through in one team; who vouched for it last, when and why."""

    id = serializers.IntegerField()
    team = serializers.CharField(source="team.slug")
    term = serializers.CharField()
    reason = serializers.CharField()
    added_by = serializers.SerializerMethodField()
    added_at = serializers.DateTimeField()

    def get_added_by(self, row: Any) -> str | None:
        return row.added_by.username if row.added_by else None


class GuardTermsOut(serializers.Serializer[Any]):
    results = GuardTermOut(many=True)


class WebhookIn(StrictSerializer):
    team = StrictCharField(max_length=60)
    url = StrictCharField(max_length=LONGEST_URL, help_text="https://…, on the public internet")
    events = serializers.ListField(child=WordField(list(Event)), min_length=1, max_length=len(Event))


class WebhookOut(serializers.Serializer[Any]):
    """An address that is told; `waiting`: what has not arrived yet, `last`: how the last attempt ended."""

    id = serializers.IntegerField()
    team = serializers.CharField(source="team.slug")
    url = serializers.CharField()
    events = serializers.ListField(child=serializers.CharField())
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)
    created_at = serializers.DateTimeField()
    waiting = serializers.IntegerField(default=0)
    last = serializers.CharField(default="", allow_blank=True)


class WebhooksOut(serializers.Serializer[Any]):
    results = WebhookOut(many=True)


class WebhookAddedOut(WebhookOut):
    """With the secret its messages are signed with: it is shown this once."""

    secret = serializers.CharField()


class DegradedOut(serializers.Serializer[Any]):
    component = serializers.CharField()
    reason = serializers.CharField()


class HealthOut(serializers.Serializer[Any]):
    status = WordField(["ok", "degraded"])
    service = serializers.CharField()
    version = serializers.CharField()
    time = serializers.DateTimeField()
    degraded = DegradedOut(many=True)


@extend_schema_field({"type": ["string", "number", "boolean"], "maxLength": LONGEST_VALUE, "minLength": 1})
class PlainValue(StrictCharField):
    """Text; a number or a boolean is taken as JSON writes it."""

    def to_internal_value(self, data: Any) -> str:
        return super().to_internal_value(json.dumps(data) if isinstance(data, bool | int | float) else data)


class PreferenceIn(StrictSerializer):
    """What is preferred, by oneself (`scope` personal, the default) or by a team one leads."""

    key = StrictCharField(max_length=LONGEST_KEY, help_text="snake_case, as in test_runner")
    value = PlainValue(max_length=LONGEST_VALUE)
    category = WordField(list(Category), required=False, default=Category.GENERAL.value)
    statement = StrictCharField(max_length=LONGEST_STATEMENT, required=False, default="", allow_blank=True)
    scope = WordField(list(Reach), required=False, default="")
    team = StrictCharField(max_length=60, required=False, default="", allow_blank=True)


class PreferenceEdit(StrictSerializer):
    """What is left out stays. An edit, or `source` explicit on its own, confirms what was inferred."""

    value = PlainValue(max_length=LONGEST_VALUE, required=False)
    category = WordField(list(Category), required=False)
    statement = StrictCharField(max_length=LONGEST_STATEMENT, required=False, allow_blank=True)
    source = WordField([Origin.EXPLICIT.value], required=False)  # type: ignore[assignment]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs:
            raise serializers.ValidationError("Set a field to change, or confirm with `source`: explicit.")
        return attrs


class PreferencesAsked(StrictSerializer):
    """Which preferences are listed."""

    team = StrictCharField(max_length=60, required=False, default="")
    category = WordField(list(Category), required=False, default="")


class PreferenceOut(serializers.Serializer[Any]):
    """One preference and where it came from; `support` is what an inferred one stands on."""

    id = serializers.IntegerField()
    key = serializers.CharField()
    value = serializers.CharField()
    statement = serializers.CharField()
    category = serializers.CharField()
    scope = serializers.CharField()
    team = serializers.CharField(source="team.slug")
    source = serializers.CharField()  # type: ignore[assignment]
    confidence = serializers.FloatField()
    changed_at = serializers.DateTimeField()
    support = serializers.DictField()


class EffectiveOut(serializers.Serializer[Any]):
    """The preference that holds for its key, why, and those it holds over."""

    why = serializers.CharField()
    over = PreferenceOut(many=True)

    def to_representation(self, one: Any) -> dict[str, Any]:
        return {**PreferenceOut(one.stated).data, **super().to_representation(one)}


class PreferencesOut(serializers.Serializer[Any]):
    results = EffectiveOut(many=True)


class ProblemOut(serializers.Serializer[Any]):
    """RFC 9457 problem details, with `code` (stable, lower_snake) and `errors` by field."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    code = serializers.CharField()
    errors = serializers.DictField(  # type: ignore[assignment]
        child=serializers.ListField(child=serializers.CharField())
    )
