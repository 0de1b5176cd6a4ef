"""A few lessons that have nothing to do with each other, and how the database counts their words."""

from collections import Counter
from datetime import datetime

from accounts.rules.rights import Member
from knowledge.models import Insight, Lexicon, Term
from tests.factories import make_insights

LESSONS = {
    "beat": "Celery beat must run as one process, or every scheduled job fires twice.",
    "locks": "Set lock_timeout before a long ALTER TABLE, or every reader waits behind it.",
    "cache": "A cache key without the tenant's name serves one customer the data of another.",
    "rebase": "After a rebase, push with git push --force-with-lease: it refuses when somebody pushed meanwhile.",
    "cors": "The preflight OPTIONS request carries no cookies; answer it before the session middleware.",
    "pool": "With PgBouncer in transaction mode, turn prepared statements off in the driver.",
    "quota": "ERR_QUOTA_7731 means the build agent ran out of disk.",
}


def stock(by: Member, now: datetime) -> dict[str, str]:
    """Deposit all lessons; their references by name."""
    rows = make_insights(by, now, *({"body": body} for body in LESSONS.values()))
    return {name: row.ref for name, row in zip(LESSONS, rows, strict=True)}


def counted(team_id: int) -> tuple[int, int, dict[str, int]]:
    """What the statistics say of a team: insights, terms together, and in how many insights each term is."""
    row = Lexicon.objects.filter(pk=team_id).first()
    terms = dict(Term.objects.filter(team_id=team_id).exclude(documents=0).values_list("term", "documents"))
    return (row.documents, row.length, terms) if row else (0, 0, terms)


def recounted(team_id: int) -> tuple[int, int, dict[str, int]]:
    """The same, counted from the texts themselves."""
    texts = [insight.words for insight in Insight.objects.all().shown().filter(team_id=team_id)]
    return len(texts), sum(map(len, texts)), dict(Counter(term for words in texts for term in set(words)))
