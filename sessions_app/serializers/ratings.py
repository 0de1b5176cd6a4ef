"""Shapes at the interface of ratings."""

from typing import Any

from rest_framework import serializers

from knowledge.serializers.insights import RatedOut


class RatedConversationOut(serializers.Serializer[Any]):
    """`passages`: of how many the answer had something; `counted` is false when the same had been said of them."""

    ref = serializers.CharField()
    passages = serializers.IntegerField()
    counted = serializers.BooleanField()


class RatingsOut(serializers.Serializer[Any]):
    """`results`: the insights that were rated; `conversations`: the sessions."""

    results = RatedOut(many=True)
    conversations = RatedConversationOut(many=True)
