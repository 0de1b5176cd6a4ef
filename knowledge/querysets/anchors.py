"""Queries for anchors: the files, symbols, tags, errors and repositories that insights are found by."""

from collections.abc import Sequence
from typing import Any, Self

from django.contrib.postgres.search import SearchVectorField
from django.db.models import CharField, Expression, F, Func, OuterRef, QuerySet, Value
from django.db.models.functions import Concat

from accounts.statements import BindParam
from knowledge.errors.rules.fingerprint_patterns import PLACEHOLDER
from knowledge.querysets.tsquery import Matches, TsQuery
from knowledge.rules.vocabulary import AnchorKind

# The last part of a path. The index `anchor_file_name` is on exactly this expression.
FILE_NAME = Func(F("value"), Value("^.*/"), Value(""), function="regexp_replace", output_field=CharField())

# The words of a message, split as `words_of` splits a question. The index `anchor_message` is on this expression.
_BETWEEN = (Value(rf"{PLACEHOLDER}|[\W_]"), Value(" "), Value("g"))
MESSAGE_WORDS = Func(
    Func(F("value"), *_BETWEEN, function="regexp_replace", output_field=CharField()),
    template="to_tsvector('simple', %(expressions)s)",
    output_field=SearchVectorField(),
)


class AnchorQuerySet(QuerySet[Any]):
    def of_files(self, names: "Sequence[str] | BindParam") -> Self:
        """Return the anchors to files of these names, in any folder."""
        return self.filter(kind=AnchorKind.FILE).alias(file_name=FILE_NAME).filter(file_name__any=names)

    def quotable(self, lookup: Expression) -> Self:
        """Return the error messages that a question may quote (`AskedWords.lookup`)."""
        return self.filter(Matches(MESSAGE_WORDS, TsQuery(lookup)), kind=AnchorKind.MESSAGE)

    def messages_of_each_insight(self) -> QuerySet[Any, Any]:
        """Return a subquery: the error messages of the outer insight."""
        return self.filter(insight=OuterRef("pk"), kind=AnchorKind.MESSAGE).values("value")

    def of_each_insight(self) -> QuerySet[Any, Any]:
        """Return a subquery: the anchors of the outer insight as "kind:value"."""
        text = Concat("kind", Value(":"), "value")
        return self.filter(insight=OuterRef("pk")).annotate(text=text).values("text")
