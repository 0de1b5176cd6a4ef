"""Anchors: the files, symbols, tags, errors and repositories that insights are found by."""

from collections.abc import Sequence
from typing import Any, Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.db.models import BooleanField, CharField, Expression, F, Func, OuterRef, Q, QuerySet, TextField, Value
from django.db.models.functions import Cast, Concat

from accounts.statements import BindParam
from knowledge.errors.rules.fingerprint_patterns import PLACEHOLDER
from knowledge.querysets.tsquery import Matches, TsQuery
from knowledge.rules.vocabulary import AnchorKind

# The last part of a path; the index `anchor_file_name` is on this very expression.
FILE_NAME = Func(F("value"), Value("^.*/"), Value(""), function="regexp_replace", output_field=CharField())

# The words of a message, as `quoted_words` reads those of a question; the index `anchor_message` is on this expression.
_BETWEEN = (Value(rf"{PLACEHOLDER}|[\W_]"), Value(" "), Value("g"))
MESSAGE_WORDS = Func(
    Func(F("value"), *_BETWEEN, function="regexp_replace", output_field=CharField()),
    template="to_tsvector('simple', %(expressions)s)",
    output_field=SearchVectorField(),
)
# A message stands in a question that has so many of its words, in their tenths: a long one may lack one, as the name of
# the file that was watched. One of fewer words than three stands in too many.
_TENTHS = 9
_FEWEST = 3
_TEXTS = ArrayField(TextField())


class _StandsIn(Func):
    """Whether an array of words has nearly all of a message's."""

    template = (
        f"(SELECT length(said) >= {_FEWEST} AND {_TENTHS} * length(said) <= 10 * (SELECT count(*)"
        " FROM unnest(tsvector_to_array(said)) AS word WHERE word = ANY(asked)) FROM (SELECT %(expressions)s) AS pair"
        "(said, asked))"
    )
    output_field = BooleanField()


class AnchorQuerySet(QuerySet[Any]):
    def of_files(self, names: "Sequence[str] | BindParam") -> Self:
        """Anchors to files of these names, in whatever folder."""
        return self.filter(kind=AnchorKind.FILE).alias(file_name=FILE_NAME).filter(file_name__any=names)

    def quoted(self, part: Expression, either: Expression, words: Expression) -> Self:
        """Messages of errors that have all words of a question, or stand in it; the parameters are `QuotedWords`."""
        found = self.filter(Matches(MESSAGE_WORDS, TsQuery(either)), kind=AnchorKind.MESSAGE)
        return found.filter(Q(Matches(MESSAGE_WORDS, TsQuery(part))) | Q(_StandsIn(MESSAGE_WORDS, Cast(words, _TEXTS))))

    def of_each_insight(self) -> QuerySet[Any, Any]:
        """For a subquery: the anchors of the outer row as "kind:value"."""
        text = Concat("kind", Value(":"), "value")
        return self.filter(insight=OuterRef("pk")).annotate(text=text).values("text")
