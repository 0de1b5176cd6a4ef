"""Compile a queryset to SQL once, and run it often with other values.

Django builds and compiles a queryset each time it is run. This took nearly half of the 16 ms of CPU time of a question
in the web process (docs/decisions/0002-one-candidate-statement.md). A question runs six statements, always of the same
few shapes. So on that path a queryset is built once, with a `BindParam` in place of each value that changes, and
`prepared` caches the compiled statement. The queryset's own code makes the results: rows, tuples and related objects,
exactly as if it had been run itself.

Everything else that can differ between two runs (one leg more, another model's name) must be part of the cache key.

Statements that look rows up by key are also `planned`: PostgreSQL parses and plans them once per connection instead of
once per question.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, cast

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Expression, Field, Lookup, QuerySet
from django.db.models.fields.related import ForeignObject
from psycopg import Cursor, sql
from psycopg.pq import Format

from accounts.rules.rights import Member


class BindParam(Expression):
    """A placeholder for a value that is given when the statement runs."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        return "%s", [self]


@Field.register_lookup
@ForeignObject.register_lookup
class AnyOf(Lookup):
    """The lookup `field__any=values`: `= ANY(…)` with one parameter for any number of values, where `IN` has one for
    each.

    The right side can also be a BindParam or an array expression.
    """

    lookup_name = "any"

    def get_prep_lookup(self) -> Any:
        if hasattr(self.rhs, "resolve_expression"):
            return self.rhs
        return [str(value) if isinstance(value, str) else value for value in self.rhs]  # a StrEnum is sent as text

    def get_db_prep_lookup(self, value: Any, connection: Any) -> tuple[str, Any]:
        return "%s", [value]

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        left, before = self.process_lhs(compiler, connection)
        right, after = self.process_rhs(compiler, connection)
        return f"{left} = ANY({right})", [*before, *after]


class _MemberParam:
    team_ids = BindParam("team_ids")
    user_id = BindParam("user_id")


# A placeholder for the member who will ask, to build a statement with: `visible_to(MEMBER_PARAM)`.
MEMBER_PARAM = cast(Member, _MemberParam())


def narrowed(member: Member, only: Iterable[int] | None = None) -> "list[int] | BindParam":
    """Return the ids of the member's teams that `visible_to` lets through: all of them, or those in `only`."""
    teams: tuple[int, ...] | BindParam = member.team_ids
    if isinstance(teams, BindParam):
        return teams
    return sorted(teams if only is None else set(only).intersection(teams))


class PreparedStatement:
    """One compiled statement. It holds no connection and no values, so threads can share it. `planned`:
    see `_Planned`.
    """

    def __init__(self, rows: QuerySet[Any, Any], *, planned: bool = False) -> None:
        self._rows, self._planned = rows, planned
        self._compiler = rows.query.get_compiler(DEFAULT_DB_ALIAS)
        text, params = self._compiler.as_sql()
        # Constant values are written into the text once instead of being sent each time.
        words = ["%s" if isinstance(param, BindParam) else _literal(param) for param in params]
        self._sql = text.replace("%%", "%%%%") % tuple(words)
        self._slots = [param.name for param in params if isinstance(param, BindParam)]

    def run(self, **values: Any) -> list[Any]:
        """Return the rows that the queryset would return with these values for its parameters."""
        params = tuple(values[name] for name in self._slots)
        compiler = _twin(self._compiler)
        connection = compiler.connection = connections[DEFAULT_DB_ALIAS]
        if self._planned and not connection.queries_logged:  # logged queries must show their values
            compiler.execute_sql = lambda *_, **__: [_planned(connection, self._sql, params)]
        else:
            compiler.as_sql = lambda *_, **__: (self._sql, params)
        rows, query = _twin(self._rows), _twin(self._rows.query)
        query.get_compiler = lambda *_, **__: compiler
        rows._query = query  # the setter of `rows.query` would replace the iterable class
        return list(rows._iterable_class(rows))

    def visible_to(self, member: Member, *, only: Iterable[int] | None = None, **values: Any) -> list[Any]:
        """Run a statement built with `visible_to(MEMBER_PARAM)`. `only`: restrict it to these of the member's teams."""
        return self.run(team_ids=narrowed(member, only), **values)


# Eight of the eleven statements of a question are planned. This saves the database 50 → 43 million instructions per
# question, and 14.6 → 12.7 ms of CPU time (100,000 insights). The candidate statement is not planned, because its best
# plan depends on how rare the words are and how large the teams. Nor are the statements of coaching: a plan made for
# any person reads for 20 to 50 ms if the person has deposited nothing.
class _Planned(Cursor[Any]):
    """A cursor that runs server-side prepared statements: the values are sent apart from the text, and the server keeps
    the text with its plan for as long as the connection is open.

    psycopg does not prepare if `prepare_threshold` is None, as behind PgBouncer in transaction mode. The plan is one
    for any values (`plan_cache_mode`). Left to choose, the server assumes ten keys in such a plan, finds it dearer than
    a plan for the three keys given, and plans again each time.
    """

    def execute(self, query: Any, params: Any = None, **_: Any) -> Any:
        return super().execute(query, params, prepare=True, binary=self.format == Format.BINARY)


def _planned(
    connection: Any, text: str, params: Sequence[Any] | Mapping[str, Any], *, binary: bool = False
) -> list[Any]:
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    made = _Planned(connection.connection)
    made.format = Format.BINARY if binary else Format.TEXT
    with connection.wrap_database_errors, connection._prepare_cursor(made) as cursor:
        cursor.execute(text, params)
        return list(cursor.fetchall())


def planned(text: str, values: Mapping[str, Any], *, binary: bool = False) -> list[Any]:
    """Return the rows of an SQL text that looks rows up by key, as a planned statement.

    `binary`: transfer the rows in binary format, which costs half as much for rows with a vector. psycopg must support
    it for the type of each column.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    if not connection.queries_logged:
        return _planned(connection, text, values, binary=binary)
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        return list(cursor.fetchall())


def _twin(thing: Any) -> Any:
    """Return another object with the same attributes. (`copy` would run the queryset.)"""
    twin = object.__new__(type(thing))
    twin.__dict__.update(thing.__dict__)
    return twin


def _literal(value: Any) -> str:
    """Return a value as SQL text, escaped for a text with placeholders."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        return sql.Literal(value).as_string(cursor.connection).replace("%", "%%")


_kept: dict[Hashable, PreparedStatement] = {}


def prepared(key: Hashable, build: Callable[[], QuerySet[Any, Any]], *, planned: bool = False) -> PreparedStatement:
    """Return the statement cached under `key`, which names its shape; `build` makes the queryset the first time.
    `planned`: one plan is good for any values.
    """
    found = _kept.get(key)
    if found is None:
        # Two threads may both build it; the results are equal.
        found = _kept[key] = PreparedStatement(build(), planned=planned)
    return found
