"""Show: a page of a session's conversation for people, with what was decided in it and where it was served."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby

from django.core.paginator import Page, Paginator
from django.db.models import Q
from django.utils.text import get_text_list

from accounts.rules.refused import NotFound
from accounts.rules.rights import Level, Member
from knowledge.models import Insight
from knowledge.retrieval.rules import bm25
from sessions_app.conversations.rules.choose import choose
from sessions_app.conversations.rules.marks import decided_in
from sessions_app.models import AgentSession, Passage, Quotation, ServedPassage
from sessions_app.querysets.passages import PassageQuerySet

A_PAGE = 50
# The passages marked as key are those that an agent would be quoted within this many characters without a question:
# within as many .93 of the facts of recorded decisions are quoted (docs/decisions/0019-searching-conversations.md).
KEY_ROOM = 1_150
# The largest share of a short conversation that is marked as key, but at least one sentence of this length.
KEY_SHARE, KEY_LEAST = 0.25, 160
# The largest number of insights listed that were made from a conversation.
MOST_LISTED = 50


@dataclass
class Served:
    """How often a passage answered a question, for how many people, when last, and how often they rated it. `names`:
    the people who let their teams see what they ask, and the reader ("you").
    """

    times: int = 0
    people: int = 0
    helpful: int = 0
    unhelpful: int = 0
    last_at: datetime | None = None
    names: list[str] = field(default_factory=list)

    @property
    def recipients(self) -> str:
        """The people who read the passage, in words."""
        others = self.people - len(self.names)
        unnamed = [f"{others} {'other' if self.names else ''} {'people' if others > 1 else 'person'}"] if others else []
        return " ".join(get_text_list([*self.names, *unnamed], "and").split())

    @property
    def rated(self) -> str:
        """The ratings in words; "" without any."""
        counts = {"helpful": self.helpful, "unhelpful": self.unhelpful}
        return ", ".join(f"rated {verdict} {_times(n)}" for verdict, n in counts.items() if n)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


@dataclass(frozen=True)
class ShownLine:
    """A passage as a page shows it. `decided`: something was decided in it. `key`: it says the most of those on the
    page. `insights`: the insights that quote it.
    """

    passage: Passage
    decided: bool
    key: bool
    insights: Sequence[Insight]
    served: Served | None
    may_quote: bool


@dataclass(frozen=True)
class Shown:
    """A page of a conversation with `total` passages that match `q`. `led`: what the member would delete of the whole
    conversation. `insights`: those made from it. `quotable`: how many passages here the member may quote. `kept_in`:
    the session that holds the passages, if this session of the member has none because it is a copy.
    """

    session: AgentSession
    q: str
    page: Page[Passage]
    lines: Sequence[ShownLine]
    total: int
    kept: int
    insights: Sequence[Insight]
    served: Served
    may_forget: bool
    kept_in: str = ""

    @property
    def quotable(self) -> int:
        return sum(line.may_quote for line in self.lines)


def readable_session(*, name: str, by: Member) -> AgentSession:
    """Return a session that the member may read, or whose conversation they may read in part. Its prompt is shown only
    to people who may see what its user typed. Raises NotFound.
    """
    session = AgentSession.objects.all().readable_by(by, Passage.objects.all()).named(name).with_people().first()
    if session is None:
        raise NotFound("Unknown session.")
    if session.team_id not in by.team_ids or not session.shows_prompts_to(by):
        session.topic = session.prompt = ""
    return session


def show_page(
    *, session: AgentSession, by: Member, q: str = "", page: str | None = None, at: int | None = None
) -> Shown:
    """Return a page of the passages that the member may read, in order; with `q`, those that have all its words. `at`:
    the position of a passage whose page is wanted. The caller has checked that the member may read the session.
    """
    mine = Passage.objects.visible_to(by).of_session(session.pk)
    rows = mine.with_all(bm25.terms(q))
    pages = Paginator(rows.defer("embedding", "lexemes", "bm25").select_related("user", "team"), A_PAGE)
    kept = mine.count() if q else pages.count
    if not kept:
        kept_in = _kept_in(session, by)
        return Shown(session, q, pages.get_page(1), (), 0, 0, (), Served(), may_forget=False, kept_in=kept_in)
    number = rows.filter(position__lt=at).count() // A_PAGE + 1 if at is not None else page
    chosen = pages.get_page(number)
    return Shown(
        session=session,
        q=q,
        page=chosen,
        lines=_lines(session, list(chosen.object_list), by),
        total=pages.count,
        kept=kept,
        insights=_insights(session, mine, by),
        served=_together(list(served(mine, by).values())),
        may_forget=_may_forget(session, by),
    )


def _kept_in(session: AgentSession, by: Member) -> str:
    """Return the reader's own session that has the whole transcript of this one, which is theirs too; "" if there is
    none.
    """
    other = session.conversation_in_id
    if not other or session.user_id != by.user_id:
        return ""
    kept = Passage.objects.visible_to(by).of_session(other).only("session_id").first()
    return kept.session_ref if kept else ""


@dataclass(frozen=True)
class Forgettable:
    """What forgetting a conversation would delete: `passages`, and with `whole` also the data from its transcript."""

    passages: int
    whole: bool


def forgettable(*, session: AgentSession, by: Member) -> Forgettable:
    """Return what `forget_conversation` would delete."""
    rows, whole = Passage.objects.filter(session=session), session.user_id == by.user_id
    led = _led(by)
    if not whole:
        rows, whole = rows.filter(team_id__in=led), session.team_id in led
    return Forgettable(rows.count(), whole)


def _may_forget(session: AgentSession, by: Member) -> bool:
    if session.user_id == by.user_id or session.team_id in _led(by):
        return True
    return Passage.objects.filter(session=session, team_id__in=_led(by)).exists()


def _led(by: Member) -> list[int]:
    return [team.id for team in by.teams if by.may(team.id, Level.LEAD)]


def may_quote(passage: Passage, by: Member) -> bool:
    """Return whether the member may make an insight of the passage: it is their own, or of a team they write in."""
    return passage.user_id == by.user_id or by.may(passage.team_id, Level.CONTRIBUTOR)


# --- beside the passages ------------------------------------------------------------------------------------
def _lines(session: AgentSession, passages: Sequence[Passage], by: Member) -> list[ShownLine]:
    decided = decided_in([(row.position, row.text) for row in passages], session.digest.get("decisions", ()))
    quotes = Quotation.objects.visible_to(by).filter(passage__in=passages).order_by("pk")
    quoted = {
        pk: [insight for _, insight in some]
        for pk, some in groupby(sorted(quotes.values_list("passage_id", "insight_id")), key=lambda pair: pair[0])
    }
    refs = {ref for some in decided.values() for ref in some}
    ids = {pk for some in quoted.values() for pk in some}
    rows = Insight.objects.visible_to(by).filter(Q(pk__in=ids) | Q(ref__in=refs)).defer("embedding")
    insights = list(rows) if refs or ids else []
    room = max(KEY_LEAST, min(KEY_ROOM, int(KEY_SHARE * sum(len(row.text) for row in passages))))
    told = {sentence.position for sentence in choose(passages, "", room)}
    beside = served(Passage.objects.visible_to(by).filter(pk__in=[row.pk for row in passages]), by)
    return [
        ShownLine(
            row,
            row.position in decided,
            row.position in told,
            [one for one in insights if one.pk in quoted.get(row.pk, ()) or one.ref in decided.get(row.position, ())],
            beside.get(row.pk),
            may_quote(row, by),
        )
        for row in passages
    ]


def _insights(session: AgentSession, passages: PassageQuerySet, by: Member) -> list[Insight]:
    """Return the insights that quote these passages, and, if the member may read the session, those deposited in it."""
    made = Q(quotations__passage__in=passages.order_by().values("pk"))
    if session.team_id in by.team_ids or session.user_id == by.user_id:
        made |= Q(session_key=session.key)
    rows = Insight.objects.visible_to(by).filter(made).defer("embedding").distinct()
    return list(rows.order_by("pk")[:MOST_LISTED])


def served(passages: PassageQuerySet, by: Member) -> dict[int, Served]:
    """Return how the passages were served, by their ids. Askers are named only if they show what they ask."""
    found: dict[int, Served] = {}
    for row in ServedPassage.objects.all().about(passages.order_by()).by_person():
        one = found.setdefault(row["passage_id"], Served())
        one.times += row["times"]
        one.people += 1
        one.helpful += row["helped"]
        one.unhelpful += row["did_not"]
        one.last_at = max(filter(None, [one.last_at, row["last_at"]]))
        if row["query__user_id"] == by.user_id:
            one.names.insert(0, "you")
        elif row["shares"] == "on":
            one.names.append(row["query__user__username"])
    return found


def _together(some: Sequence[Served]) -> Served:
    """Return how often the passages of a whole conversation were served. People are not counted, because they recur."""
    last = max((one.last_at for one in some if one.last_at), default=None)
    return Served(times=sum(one.times for one in some), last_at=last)
