"""Statements that are compiled once and run often, with other values each time.

Django builds a queryset and compiles it to SQL again whenever it is run. Of the 16 ms of CPU a question took in the web
process that was nearly half (docs/decisions/0002-one-candidate-statement.md): it is asked with six statements, always
of the same few shapes. So on that path a queryset is built once, with a `BindParam` in the place of each value that
changes, and `prepared` keeps what it was compiled to. What comes back is made by the queryset's own code: rows, tuples,
related objects, exactly as if it had been run by itself.

Whatever else changes between two runs (a leg more, another model's name) must be part of the key.

Those that look rows up by key are moreover `planned`: PostgreSQL parses and plans them once for each connection, not
for each question.
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
    """The place of a value that is known when the statement runs."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        return "%s", [self]


@Field.register_lookup
@ForeignObject.register_lookup
class AnyOf(Lookup):
    """`field__any=values`: one parameter however many there are, as `IN` has one for each. A BindParam or an array's
    expression may stand for it.
    """

    lookup_name = "any"

    def get_prep_lookup(self) -> Any:
        if hasattr(self.rhs, "resolve_expression"):
            return self.rhs
        return [str(value) if isinstance(value, str) else value for value in self.rhs]  # a word of a StrEnum is text

    def get_db_prep_lookup(self, value: Any, connection: Any) -> tuple[str, Any]:
        return "%s", [value]

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        left, before = self.process_lhs(compiler, connection)
        right, after = self.process_rhs(compiler, connection)
        return f"{left} = ANY({right})", [*before, *after]


class _MemberParam:
    team_ids = BindParam("team_ids")
    user_id = BindParam("user_id")


# Stands for the member who will ask, where a statement is built: `visible_to(MEMBER_PARAM)`.
MEMBER_PARAM = cast(Member, _MemberParam())


def narrowed(member: Member, only: Iterable[int] | None = None) -> "list[int] | BindParam":
    """The teams of a member, or those of them that are in `only`: what `visible_to` lets through."""
    teams: tuple[int, ...] | BindParam = member.team_ids
    if isinstance(teams, BindParam):
        return teams
    return sorted(teams if only is None else set(only).intersection(teams))


class PreparedStatement:
    """One compiled statement. It holds no connection and no values: threads share it. `planned`: see `_planned`."""

    def __init__(self, rows: QuerySet[Any, Any], *, planned: bool = False) -> None:
        self._rows, self._planned = rows, planned
        self._compiler = rows.query.get_compiler(DEFAULT_DB_ALIAS)
        text, params = self._compiler.as_sql()
        # What never changes is written into the text once, not sent as a parameter each time.
        words = ["%s" if isinstance(param, BindParam) else _literal(param) for param in params]
        self._sql = text.replace("%%", "%%%%") % tuple(words)
        self._slots = [param.name for param in params if isinstance(param, BindParam)]

    def run(self, **values: Any) -> list[Any]:
        """What the queryset would give with these values in its slots."""
        params = tuple(values[name] for name in self._slots)
        compiler = _twin(self._compiler)
        connection = compiler.connection = connections[DEFAULT_DB_ALIAS]
        if self._planned and not connection.queries_logged:  # anyone who listens hears a statement with its values
            compiler.execute_sql = lambda *_, **__: [_planned(connection, self._sql, params)]
        else:
            compiler.as_sql = lambda *_, **__: (self._sql, params)
        rows, query = _twin(self._rows), _twin(self._rows.query)
        query.get_compiler = lambda *_, **__: compiler
        rows._query = query  # `rows.query = …` would decide again what comes back
        return list(rows._iterable_class(rows))

    def visible_to(self, member: Member, *, only: Iterable[int] | None = None, **values: Any) -> list[Any]:
        """`run` for a statement built with `visible_to(MEMBER_PARAM)`; `only` narrows to those of their teams."""
        return self.run(team_ids=narrowed(member, only), **values)


# Eight of the eleven statements of a question are planned: 50 → 43 million instructions of the database for it, 14.6 →
# 12.7 ms of CPU (100,000 insights). Not the candidates: their plan hangs on how rare the words are and how large the
# teams. Nor what coaching asks: a plan for any person reads on for 20 to 50 ms where it is one who deposits nothing.
class _Planned(Cursor[Any]):
    """Sends the values beside the text, which the server then keeps with its plan for as long as the connection lives
    (psycopg; not where `prepare_threshold` is None, as behind PgBouncer in transaction mode), one that is good for any
    values (`plan_cache_mode`): left to choose, the server thinks ten keys dearer than these three, and plans each time.
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
    """The rows of a statement of one's own that looks rows up by key. `binary`: they come as the server has them, which
    costs half as much where a row has a vector; each column must be of a type that psycopg reads so.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    if not connection.queries_logged:
        return _planned(connection, text, values, binary=binary)
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        return list(cursor.fetchall())


def _twin(thing: Any) -> Any:
    """Another object with the same attributes. (`copy` would run the queryset.)"""
    twin = object.__new__(type(thing))
    twin.__dict__.update(thing.__dict__)
    return twin


def _literal(value: Any) -> str:
    """A value as SQL text, to stand in a text with placeholders."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        return sql.Literal(value).as_string(cursor.connection).replace("%", "%%")


_kept: dict[Hashable, PreparedStatement] = {}


def prepared(key: Hashable, build: Callable[[], QuerySet[Any, Any]], *, planned: bool = False) -> PreparedStatement:
    """The statement kept under `key`, which names its shape; `build` makes the queryset the first time. `planned`: one
    plan is good for whatever values.
    """
    found = _kept.get(key)
    if found is None:
        # Two threads may both build it; they build the same.
        found = _kept[key] = PreparedStatement(build(), planned=planned)
    return found
