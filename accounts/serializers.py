"""Shapes at the door: what every endpoint shares, and `me/`."""

from typing import Any

from rest_framework import serializers

from accounts.rules.rights import Member


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses what it does not know, by name: a misspelt field is told, not dropped."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            unknown = sorted(str(key)[:60] for key in set(data) - set(self.fields))
            if unknown:
                raise serializers.ValidationError({key: ["There is no such field."] for key in unknown})
        return super().to_internal_value(data)


class StrictCharField(serializers.CharField):
    """Text is text: a number or a boolean in its place is a mistake that is told."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise serializers.ValidationError("Not a string.")
        return super().to_internal_value(data)


class TeamOut(serializers.Serializer[Any]):
    slug = serializers.CharField()
    name = serializers.CharField()
    prefix = serializers.CharField()
    kind = serializers.CharField()
    level = serializers.SerializerMethodField()

    def get_level(self, team: Any) -> str:
        return str(team.level.name.lower())


class TokenOut(serializers.Serializer[Any]):
    name = serializers.CharField()
    scopes = serializers.ListField(child=serializers.CharField())


class MeOut(serializers.Serializer[Member]):
    user = serializers.CharField(source="username")
    is_superuser = serializers.BooleanField()
    teams = TeamOut(many=True)
    token = serializers.SerializerMethodField()

    def get_token(self, member: Member) -> dict[str, Any]:
        return {"name": member.token_name, "scopes": sorted(member.scopes)}


class HealthOut(serializers.Serializer[Any]):
    status = serializers.CharField()
    service = serializers.CharField()
    version = serializers.CharField()
    time = serializers.DateTimeField()


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
