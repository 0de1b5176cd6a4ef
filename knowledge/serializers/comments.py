"""Shapes at the doors of comments."""

from typing import Any

from rest_framework import serializers

from accounts.serializers import StrictCharField, StrictSerializer
from knowledge.review.proposals.actions.comments import LONGEST_COMMENT


class CommentIn(StrictSerializer):
    """A comment; `@name` mentions a member who may see what it is about."""

    text = StrictCharField(max_length=LONGEST_COMMENT)


class CommentOut(serializers.Serializer[Any]):
    """`mentions`: the members it names as `@name`; `decision`: what it is the reason of, if of any."""

    id = serializers.IntegerField()
    author = serializers.CharField(source="author_name")
    at = serializers.DateTimeField()
    text = serializers.CharField()
    mentions = serializers.ListField(child=serializers.CharField(), source="names")
    decision = serializers.CharField()


class CommentsOut(serializers.Serializer[Any]):
    """The oldest first."""

    results = CommentOut(many=True)
