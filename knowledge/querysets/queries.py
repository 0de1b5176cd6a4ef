"""Questions that were asked, and what they were answered with."""

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
        """What a session was answered with any of these references since a moment."""
        return self.filter(session_key=session_key, at__gte=since, shown__overlap=list(refs))

    def served_to(self, session_key: str, since: datetime) -> QuerySet[Any, Any]:
        """(references, when) that answered each question of a session since a moment, the latest first."""
        return self.filter(session_key=session_key, at__gte=since).order_by("-at").values_list("shown", "at")

    def keep(self, query: Any) -> None:
        """Store a new question, without waiting until it is on the disk: a crash of the machine may cost the questions
        of its last half second, which nothing but a rating could refer to; waiting costs each a millisecond or two.
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
        """One's own questions only: they belong to the asker's personal team. A token that is narrowed to teams has
        those alone that were asked by it: what was asked elsewhere tells of teams that it is not for.
        """
        mine = self.filter(user_id=member.user_id)
        return mine.filter(token_id=member.token_id) if member.narrowed else mine

    def asked_since(self, moment: datetime, model: str) -> Self:
        """Anyone who asked them, the newest first; those with a vector of this model."""
        found = self.filter(at__gte=moment, embedded_by=model, embedding__isnull=False)
        return found.order_by("-at", "-pk")

    def of_session(self, key: str) -> Self:
        """What was asked in one session, in its order."""
        return self.filter(session_key=key).order_by("at")

    def older_than(self, moment: datetime) -> Self:
        return self.filter(at__lt=moment)
