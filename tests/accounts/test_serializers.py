"""Words that a call may be given: another one is refused with those that would do, in every serializer and filter."""

from collections.abc import Iterator

import pytest
from rest_framework import serializers

from accounts.serializers import StrictSerializer
from config.urls import urlpatterns
from knowledge.filters import InsightFilter
from tests.cases import cases


def everyone(kind: type[serializers.BaseSerializer]) -> Iterator[type[serializers.BaseSerializer]]:
    """Yield all serializers of the project's own kind that are imported."""
    for one in kind.__subclasses__():
        yield one
        yield from everyone(one)


def choices(field: serializers.Field) -> Iterator[serializers.ChoiceField]:
    """Yield the fields of choices in a field, at any depth."""
    if isinstance(field, serializers.ChoiceField):
        yield field
    for inner in [getattr(field, "child", None), *getattr(field, "fields", {}).values()]:
        if isinstance(inner, serializers.Field):
            yield from choices(inner)


SERIALIZERS = [one for one in dict.fromkeys(everyone(StrictSerializer)) if urlpatterns]


class TestEveryChoice:
    @cases("serializer", SERIALIZERS, ids=lambda one: one.__name__)
    def test_is_refused_with_the_words_that_would_do(self, serializer: type[serializers.Serializer]) -> None:
        for field in choices(serializer()):
            with pytest.raises(serializers.ValidationError) as refused:
                field.run_validation("closed-by-nobody")
            assert f"“closed-by-nobody” is not one of {', '.join(field.choices)}." in str(refused.value.detail[0])

    def test_is_among_those_that_are_asked(self) -> None:
        assert sum(len(list(choices(one()))) for one in SERIALIZERS) >= 25

    def test_of_a_filter_is_refused_so_too(self) -> None:
        wrong = dict.fromkeys(("kind", "status", "reviewed", "strength", "pinned", "stale"), "sometimes")
        faults = InsightFilter(wrong).form.errors
        assert sorted(faults) == sorted(wrong)
        assert faults["reviewed"] == ["“sometimes” is not one of never, yes."]
        assert faults["pinned"] == ["“sometimes” is not one of true, false."]
        assert all("is not one of" in fault[0] for fault in faults.values())
