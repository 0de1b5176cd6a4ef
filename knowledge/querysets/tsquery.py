"""Expressions of PostgreSQL's text search. The words come from `bm25.terms`, so no text-search configuration is
involved.
"""

from django.db.models import BooleanField, Func


class Matches(Func):
    """`lexemes @@ query`, where the query is quoted lexemes with operators."""

    arg_joiner = " @@ "
    template = "(%(expressions)s)"
    output_field = BooleanField()


class TsQuery(Func):
    template = "(%(expressions)s)::tsquery"
