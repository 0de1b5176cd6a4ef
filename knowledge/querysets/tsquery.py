"""Expressions of PostgreSQL's text search. The words are ours: no text-search configuration is involved."""

from django.db.models import BooleanField, Func


class Matches(Func):
    """`lexemes @@ query`. The query is quoted lexemes joined by |: no text-search configuration is involved."""

    arg_joiner = " @@ "
    template = "(%(expressions)s)"
    output_field = BooleanField()


class TsQuery(Func):
    template = "(%(expressions)s)::tsquery"
