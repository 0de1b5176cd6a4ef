"""Things to begin a story with."""

from datetime import datetime
from typing import Any

from accounts.rules.rights import Member
from knowledge.actions.deposit import deposit
from knowledge.models import Insight
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Kind
from tests.conftest import NOW


def make_draft(**over: Any) -> Draft:
    fields = {"kind": Kind.SOLUTION, "body": "Run the lock_timeout guard before a long ALTER, or every reader waits."}
    return Draft(**{**fields, **over})


def make_insight(by: Member, now: datetime = NOW, **over: Any) -> Insight:
    """A deposited insight; `over` are fields of its draft."""
    return deposit(draft=make_draft(**over), by=by, now=now).insight
