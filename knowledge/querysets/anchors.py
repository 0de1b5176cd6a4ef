"""Anchors: the files, symbols, tags, errors and repositories that insights are found by."""

from collections.abc import Sequence
from typing import Any, Self

from django.db.models import (
    CharField,
    F,
    Func,
    OuterRef,
    QuerySet,
    Value,
)
from django.db.models.functions import Concat

from accounts.statements import BindParam
from knowledge.rules.vocabulary import AnchorKind

# The last part of a path; the index `anchor_file_name` is on this very expression.
FILE_NAME = Func(F("value"), Value("^.*/"), Value(""), function="regexp_replace", output_field=CharField())


class AnchorQuerySet(QuerySet[Any]):
    def of_files(self, names: "Sequence[str] | BindParam") -> Self:
        """Anchors to files of these names, in whatever folder."""
        return self.filter(kind=AnchorKind.FILE).alias(file_name=FILE_NAME).filter(file_name__any=names)

    def of_each_insight(self) -> QuerySet[Any, Any]:
        """For a subquery: the anchors of the outer row as "kind:value"."""
        text = Concat("kind", Value(":"), "value")
        return self.filter(insight=OuterRef("pk")).annotate(text=text).values("text")
