"""Queries for the questions that were asked and the references that answered them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Self

from django.db import connection
from django.db.models import (
    QuerySet,
)

from accounts.rules.rights import Member


class QueryQuerySet(QuerySet[Any]):
    def showed(self, refs: Sequence[str], session_key: str, since: datetime) -> Self:
        """Return a session's questions since a moment that were answered with any of these references."""
        return self.filter(session_key=session_key, at__gte=since, shown__overlap=list(refs))

    def served_to(self, session_key: str, since: datetime) -> QuerySet[Any, Any]:
        """Return (references, when) for each question of a session since a moment, the latest first."""
        return self.filter(session_key=session_key, at__gte=since).order_by("-at").values_list("shown", "at")

    def keep(self, query: Any) -> None:
        """Store a new question without waiting for the disk (`synchronous_commit = off`).

        A crash of the machine may lose the questions of the last half second, to which only a rating could refer.
        Waiting would cost each question a millisecond or two.
        """
        written = [field for field in self.model._meta.concrete_fields if not field.generated]
        names = ", ".join(f'"{field.column}"' for field in written)
        with connection.cursor() as cursor:
            cursor.execute(
                f'INSERT INTO "{self.model._meta.db_table}" ({names}) VALUES ({", ".join(["%s"] * len(written))})'
                " RETURNING set_config('synchronous_commit', 'off', true)",
                [field.get_db_prep_save(getattr(query, field.attname), connection) for field in written],
            )

    def asked_by(self, member: Member) -> Self:
        """Return the member's own questions: they belong to the asker's personal team. With a token narrowed to teams,
        only those asked with that token, because others tell of teams that it has no access to.
        """
        mine = self.filter(user_id=member.user_id)
        return mine.filter(token_id=member.token_id) if member.narrowed else mine

    def asked_since(self, moment: datetime, model: str) -> Self:
        """Return the questions of all users since a moment that have a vector of this model, the newest first."""
        found = self.filter(at__gte=moment, embedded_by=model, embedding__isnull=False)
        return found.order_by("-at", "-pk")

    def of_session(self, key: str) -> Self:
        """Return the questions of one session, in order."""
        return self.filter(session_key=key).order_by("at")

    def older_than(self, moment: datetime) -> Self:
        return self.filter(at__lt=moment)
