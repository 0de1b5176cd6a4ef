"""Queries for pairs of insights: what is open between two, what was said about them, and what a lead decided."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any, Self

from django.db.models import (
    Case,
    CharField,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, Concat

from accounts.rules.rights import Member
from accounts.statements import MEMBER_PARAM, BindParam, prepared
from knowledge.judging.rules.relations import CAUTIONS, Reason
from knowledge.querysets.contributors import Contributed
from knowledge.querysets.moderation import PROPOSED
from knowledge.rules.vocabulary import SUPERSEDED, Status


def _confirmed(side: str) -> Q:
    return Q(**{f"{side}__status": Status.PROMOTED}) | Q(**{f"{side}__pinned": True})


def _gone(side: str) -> Case:
    """Return how an answer names a side that was replaced; see `replaced_unreviewed`."""
    whose = Coalesce(F(f"{side}__author__username"), Value(""))
    return Case(When(_confirmed(side), then=F(f"{side}__ref")), default=Concat(F(f"{side}__ref"), Value(" "), whose))


def _kept(side: str, other: str) -> Q:
    """Return the condition that `side` was kept against `other`: a lead dismissed that `other` replaces it, or let
    `other` give way.
    """
    dismissed = Q(state="dismissed", question="supersession", successor_side=other, relation__in=("", "supersedes"))
    return dismissed | Q(state="resolved", resolution=Concat(Value("kept "), F(f"{side}__ref")))


def _reasoned(reason: Reason, **more: str) -> Q:
    return Q(question="duplicate", verdict__contains={"reason": reason.value}, **more)


# Relations that answers do not show on either side: a statement about two notes with nothing in common, until a lead
# has looked at it; and a `complements` between two notes that are not near, while only one of them is confirmed.
_UNSEEN = _reasoned(Reason.NOT_ALIKE, state="open")
_FAR = _reasoned(Reason.FAR, state="resolved", relation="complements") & Q(settled_by_lead=False)
_UNTOLD = _UNSEEN | (_FAR & ((_confirmed("a") & ~_confirmed("b")) | (_confirmed("b") & ~_confirmed("a"))))


class PairQuerySet(Contributed, QuerySet[Any]):
    def visible_to(self, member: Member) -> Self:
        """Return the pairs of which the member may see both sides. A pair may outlive the move of one side to another
        team.
        """
        return self.filter(a__team_id__any=member.team_ids, b__team_id__any=member.team_ids).shown()

    def shown(self) -> Self:
        hidden = Q()
        for side in ("a", "b"):
            hidden |= Q(**{f"{side}__forgotten_at__isnull": False}) | Q(**{f"{side}__quarantined_at__isnull": False})
        return self.exclude(hidden)

    def tabbed(self, tab: str, most: int) -> "QuerySet[Any, tuple[Any, ...]]":
        """Return (tab,) for each pair, at most `most` + 1, as `ModeratedQuerySet.tabbed` does."""
        return self.order_by().annotate(tab=Value(tab)).values_list("tab")[: most + 1]

    def awake(self, snoozed: QuerySet[Any]) -> Self:
        """Return the pairs that none of these inbox states snoozes."""
        return self.filter(~Exists(snoozed.filter(pair=OuterRef("pk"))))

    def asleep(self, snoozed: QuerySet[Any]) -> Self:
        return self.filter(Exists(snoozed.filter(pair=OuterRef("pk"))))

    def assigned_to(self, user_id: int | None) -> Self:
        return self.filter(inbox_state__assignee=user_id)

    def mentioned_in(self, mentions: QuerySet[Any], member: Member) -> Self:
        """Return the pairs with a comment in the member's teams that one of these mentions is in, the oldest first."""
        theirs = mentions.filter(comment__team_id__any=member.team_ids).values("comment__pair")
        return self.filter(pk__in=theirs).order_by("raised_at", "pk")

    def of_owner(self, user_id: int) -> Self:
        """Return the pairs with a side that a user owns, itself or through its topic."""
        sides = (f"{side}__{owned}" for side in "ab" for owned in ("owner_id", "topic__owner_id"))
        return self.filter(reduce(or_, (Q(**{side: user_id}) for side in sides)))

    def with_sides(self) -> Self:
        """Return the pairs with all that a page shows of both sides, and with their inbox state."""
        sides = ("a__team", "a__author", "b__team", "b__author", "inbox_state__assignee", "inbox_state__snoozed_by")
        unshown = (f"{side}__{name}" for side in "ab" for name in FOUND_BY)
        return self.select_related(*sides).defer(*unshown).prefetch_related("a__anchors", "b__anchors")

    def panel_of(self, pair_id: int, member: Member) -> Any:
        """Return the pair with this id as `with_sides` does, but without the anchors; None unless the member may see
        both sides.
        """

        def build() -> QuerySet[Any]:
            return self.visible_to(MEMBER_PARAM).with_sides().prefetch_related(None).filter(pk=BindParam("pair"))

        return next(iter(prepared("panel of a pair", build, planned=True).visible_to(member, pair=pair_id)), None)

    def in_queue(self) -> Self:
        """Return the pairs with what a row of a queue shows (of texts only the title), and who they are assigned to."""
        sides = [f"{side}__{name}" for side in "ab" for name in _SIDE_IN_ROW]
        state = [f"inbox_state__{name}" for name in ("pair", "snoozed_at", "snoozed_until", "until_used")]
        own = ("question", "state", "successor_side", "raised_by", "raised_at", "inbox_state__assignee__username")
        return self.select_related("a", "b", "inbox_state__assignee").only(*own, *sides, *state)

    def unless_asked_more(self) -> Self:
        """Return the pairs without those whose two sides are also open under another question, which settles their
        relation too.
        """
        same = {"a": OuterRef("a"), "b": OuterRef("b"), "state": "open"}
        return self.exclude(Exists(self.model.objects.filter(**same).exclude(question=OuterRef("question"))))

    def undetermined_of(self, pair: Any) -> Self:
        """Return the open pair of the same two sides that asks for their relation, while nobody has stated one."""
        return self.filter(a=pair.a_id, b=pair.b_id, state="open", question="duplicate", relation="").exclude(
            pk=pair.pk
        )

    def touching(self, insights: Sequence[Any]) -> Self:
        """Return the pairs with one of these insights as a side."""
        return self.filter(Q(a__in=insights) | Q(b__in=insights))

    def open(self) -> Self:
        """Return the open pairs of which both sides can be read."""
        return self.filter(state="open").shown()

    # When a claim against a confirmed note was raised; NULL for any other pair.
    _AGAINST_CONFIRMED = Case(
        When(Q(successor_side="b") & _confirmed("a"), then=F("raised_at")),
        When(Q(successor_side="a") & _confirmed("b"), then=F("raised_at")),
    )
    _BY_URGENCY = (F("against_confirmed").desc(nulls_last=True), "raised_at", "pk")

    def by_urgency(self) -> Self:
        """Order by urgency: claims to replace confirmed notes first, the newest of them first; then the others, the
        oldest first.
        """
        return self.annotate(against_confirmed=self._AGAINST_CONFIRMED).order_by(*self._BY_URGENCY)

    # The contributor: who raised the pair, or if the server found it, the author of the later note.
    _RAISER = Coalesce("raised_by_user", "b__author")
    _RAISERS_NAME = Coalesce("raised_by_user__username", "b__author__username")

    def raised(self) -> Self:
        return self.alias(
            raiser=self._RAISER, raisers_name=self._RAISERS_NAME, against_confirmed=self._AGAINST_CONFIRMED
        )

    def _most_urgent_first(self) -> tuple[Any, ...]:
        return self._BY_URGENCY

    def current(self) -> Self:
        """Return the pairs of which both sides are retrievable."""
        return self.filter(a__retrievable=True, b__retrievable=True)

    def without_proposals(self) -> Self:
        """Return the pairs without those with a proposed insight that nobody has vouched for."""
        rows = self
        for side in ("a", "b"):
            rows = rows.exclude(**{f"{side}__{name}": value for name, value in PROPOSED.items()})
        return rows

    def complementing(self) -> Self:
        """Return the pairs that were said to complement each other, the newest first."""
        return self.filter(state="resolved", relation="complements").order_by("-raised_at", "-pk")

    def open_about(self, insight: Any) -> Self:
        """Return the open contradictions of an insight, without statements about notes with nothing in common."""
        found = self.open().filter(Q(a=insight) | Q(b=insight), question="contradiction")
        return found.exclude(verdict__contains={"reason": Reason.NOT_ALIKE.value})

    def of_each_insight(self) -> QuerySet[Any, Any]:
        """Return a subquery: the pairs of the outer insight that answers may show, as
        "pair:a:b:question:state:relation:successor side:user:decided:reason".

        A pair is included if both sides are retrievable and it is open, a contradiction, stated as complementary or
        unrelated, or dismissed or scoped by a lead. `user`: the last one who claimed it, 0 if unknown. `reason`: the
        code of the verdict.
        """
        said = Q(relation__in=("complements", "unrelated"))
        dismissed = Q(question="supersession", relation__in=("", "supersedes")) | Q(question="duplicate", relation="")
        by_lead = (dismissed & Q(state="dismissed", settled_by_lead=True)) | self._SCOPED
        told = Q(state="open") | said | by_lead | Q(question="contradiction")
        mine = self.current().filter(Q(a=OuterRef("pk")) | Q(b=OuterRef("pk")), told, a__team_id=F("b__team_id"))
        mine = mine.exclude(_UNTOLD).without_proposals()
        parts: list[Any] = [Cast(name, CharField()) for name in ("pk", "a_id", "b_id")]
        parts += [F(name) for name in ("question", "state", "relation", "successor_side")]
        parts.append(Cast(Coalesce("stated_by_user_id", "raised_by_user_id", 0), CharField()))
        parts += [self._DECIDED, Coalesce(KeyTextTransform("reason", "verdict"), Value(""), output_field=CharField())]
        between = [piece for part in parts for piece in (Value(":"), part)][1:]
        return mine.order_by("pk").annotate(text=Concat(*between)).values("text")

    def rejected_against(self, kept: Any) -> Self:
        """Return the pairs by which a lead kept an insight against the other side, the latest first,
        with both sides.
        """
        found = (Q(a=kept) & _kept("a", "b")) | (Q(b=kept) & _kept("b", "a"))
        return self.filter(found, settled_by_lead=True).select_related("a", "b").order_by("-settled_at", "-pk")

    def kept_by_leads(self, ids: Iterable[int]) -> set[int]:
        """Return the ids of these insights that a lead has kept against another one."""
        within = list(ids)
        settled = self.filter(settled_by_lead=True)
        found = settled.filter(_kept("a", "b"), a_id__any=within).values_list("a_id")
        return {pk for (pk,) in found.union(settled.filter(_kept("b", "a"), b_id__any=within).values_list("b_id"))}

    def replaced_unreviewed(self) -> QuerySet[Any, Any]:
        """Return a subquery: what the outer insight replaced by an agent's statement; confirmed notes as "reference",
        drafts of others as "reference author".
        """
        said = self.filter(question="supersession", relation="supersedes", state="resolved", settled_by_lead=False)
        of_others = ~Q(a__author=F("b__author"))
        sides = Q(a=OuterRef("pk"), successor_side="a", b__superseded_by__isnull=False) & (_confirmed("b") | of_others)
        sides |= Q(b=OuterRef("pk"), successor_side="b", a__superseded_by__isnull=False) & (_confirmed("a") | of_others)
        gone = Case(When(successor_side="a", then=_gone("b")), default=_gone("a"), output_field=CharField())
        return said.filter(sides).order_by("pk").annotate(gone=gone).values("gone")

    def replaced_unread(self, member: Member, team_id: int, since: Any) -> QuerySet[Any, Any]:
        """Return (reference, title, reference of the successor, who replaced it, when) of the member's notes in a team
        that others have replaced since a moment, until the member has read the mention.
        """
        unread = {"comments__mentions__user_id": member.user_id, "comments__mentions__read_at__isnull": True}
        told = {"comments__decision": SUPERSEDED, "comments__at__gt": since, "a__team_id": team_id}
        rows = self.filter(**unread, **told, state="resolved").exclude(successor_side="")
        sides = [
            Case(When(successor_side="a", then=F(f"b__{name}")), default=F(f"a__{name}")) for name in ("ref", "title")
        ]
        successor = Case(When(successor_side="a", then=F("a__ref")), default=F("b__ref"))
        who = Coalesce("comments__author__username", "comments__author_name")
        return rows.order_by().values_list(*sides, successor, who, "comments__at")

    def agents_successions_to(self, row: Any) -> Self:
        """Return the pairs by which this insight replaced a confirmed one on an agent's statement, without a lead's
        decision. With both sides.
        """
        said = self.filter(question="supersession", relation="supersedes", state="resolved", settled_by_lead=False)
        sides = Q(a=row, successor_side="a", b__superseded_by__isnull=False) & _confirmed("b")
        sides |= Q(b=row, successor_side="b", a__superseded_by__isnull=False) & _confirmed("a")
        return said.filter(sides).select_related("a", "b")

    def taken_over(self, gone: Any, heir: Any) -> Self:
        """Return the pairs that an insight took over from the one it replaced and no lead has decided,
        with both sides.
        """
        mine = self.filter(question="supersession", settled_by_lead=False, verdict__taken_from=gone.ref)
        return mine.filter(Q(a=heir, successor_side="a") | Q(b=heir, successor_side="b")).select_related("a", "b")

    def instead_of_confirmed(self, row: Any) -> bool:
        """Return whether an insight is proposed to replace a confirmed one, directly or through a chain of proposals,
        or has replaced one on an agent's statement without a lead's decision.
        """
        seen, ahead = {row.pk}, {row.pk}
        proposals = self.open().filter(question="supersession")
        while ahead:
            found = proposals.filter(Q(a__in=ahead, successor_side="a") | Q(b__in=ahead, successor_side="b"))
            olds = [pair.b if pair.successor_side == "a" else pair.a for pair in found.select_related("a", "b")]
            if any(old.status == Status.PROMOTED or old.pinned for old in olds):
                return True
            ahead = {old.pk for old in olds} - seen
            seen |= ahead
        return self.agents_successions_to(row).exists()

    # What a lead has decided with words (`currency.Link.decided`).
    _SCOPED = Q(state="resolved", settled_by_lead=True) & ~Q(scope="")
    _DECIDED = Case(
        When(_SCOPED, then=Value("scope")),
        When(Q(state="dismissed", settled_by_lead=True) & ~Q(resolution=""), then=Value("reason")),
        default=Value(""),
        output_field=CharField(),
    )

    def told_of(self, ids: Sequence[int]) -> QuerySet[Any, Any]:
        """Return (id, who raised it, who settled it, when, scope, resolution) of these pairs."""
        named = ("pk", "raised_by", "settled_by__username", "settled_at", "scope", "resolution")
        return self.filter(pk__in=ids).values_list(*named)

    def undetermined(self) -> Self:
        """Return the open pairs about which nobody has stated anything, with both sides, oldest first."""
        nobody = self.open().current().filter(question="duplicate", relation="", verdict__judge="server")
        nobody = nobody.filter(a__team_id=F("b__team_id"))
        return nobody.select_related("a", "b").order_by("raised_at", "pk")

    def dating(self, row: Any) -> Self:
        """Return the pairs by which an insight is outdated or may be: open ones with a retrievable insight that was
        learned later, and those in which a lead rejected that it replaces the other.
        """
        found = Q()
        for side, other in (("a", "b"), ("b", "a")):
            later = Q(**{f"{other}__retrievable": True, f"learned_{other}__gt": row.learned_at}, state="open")
            rejected = Q(question="supersession", state="dismissed", settled_by_lead=True, successor_side=side)
            found |= Q(**{side: row}) & (later | rejected)
        learned = {f"learned_{side}": Coalesce(f"{side}__source_date", f"{side}__created_at") for side in "ab"}
        return self.annotate(**learned).filter(found).exclude(_UNSEEN)

    def open_between(self, ids: Iterable[int]) -> set[frozenset[int]]:
        """Return the ids of these insights that are an open pair, as sets of two."""
        within = list(ids)
        found = self.filter(state="open", a_id__any=within, b_id__any=within).values_list("a_id", "b_id")
        return {frozenset(both) for both in found}

    def paired_with(self, refs: Collection[str]) -> set[str]:
        """Return the references of both sides of the open pairs with one of these references and no
        proposed successor.
        """
        if not refs:
            return set()
        either = self.filter(Q(a__ref__in=refs) | Q(b__ref__in=refs), state="open", successor_side="")
        found = either.values_list("a__ref", "b__ref")
        return {ref for both in found for ref in both}

    def proposed_successors(self, refs: Collection[str]) -> dict[str, list[Any]]:
        """Return, by reference, the insights that are proposed to replace it, the latest first."""
        either = Q(successor_side="b", a__ref__in=refs) | Q(successor_side="a", b__ref__in=refs)
        found: dict[str, list[Any]] = {}
        for pair in self.filter(either, question="supersession").select_related("a", "b").order_by("-raised_at", "-pk"):
            old, new = (pair.a, pair.b) if pair.successor_side == "b" else (pair.b, pair.a)
            found.setdefault(old.ref, []).append(new)
        return found

    def of_both(self, one: int, other: int) -> Self:
        """Return the pairs of two insights, whatever their question."""
        return self.filter(a_id=min(one, other), b_id=max(one, other))

    def superseded_by_agents_of(self, user_id: int, *, since: datetime) -> Self:
        """Return the pairs by which this user's agents have replaced insights of others since a moment, or proposed to
        with a statement that asks for caution (unlike notes, or one rejected before).
        """
        done = Q(state="resolved", settled_by_lead=False, settled_at__gte=since, settled_by_id=user_id)
        # Of the pairs that it took over from the user's own note, one side has not replaced the other.
        done &= Q(successor_side="a", b__superseded_by=F("a")) | Q(successor_side="b", a__superseded_by=F("b"))
        cautious = Q(verdict__reason__in=CAUTIONS, raised_at__gte=since, stated_by_user_id=user_id)
        found = self.filter(done | cautious, relation="supersedes")
        return found.exclude(a__author_id=user_id, b__author_id=user_id)

    def stated_of_others_by(self, user_id: int, *, since: datetime) -> Self:
        """Return what this user's agents have stated about insights of others since a moment."""
        said = self.filter(raised_at__gte=since, stated_by_user_id=user_id)
        return said.exclude(a__author_id=user_id, b__author_id=user_id)

    def contradictions_by(self, user_id: int, *, since: datetime) -> Self:
        """Return the contradictions of others' insights that this user has reported or stated with a note since a
        moment.
        """
        whose = Q(raised_by_user_id=user_id) | Q(stated_by_user_id=user_id, relation="contradicts")
        said = self.filter(whose, question="contradiction", raised_at__gte=since)
        return said.exclude(a__author_id=user_id, b__author_id=user_id)

    def of_others_alone(self, user_id: int) -> Self:
        """Return the pairs of which neither side is this user's."""
        return self.exclude(a__author_id=user_id).exclude(b__author_id=user_id)

    def unlike(self) -> Self:
        """Return the statements about two notes with nothing in common."""
        return self.filter(verdict__reason=Reason.NOT_ALIKE)

    def contradictions_of(self, ids: Sequence[int], by: Member) -> list[Any]:
        """Return the contradictions, proposed replacements and stated relations that one of these insights is a side
        of, settled or not, if the other side is retrievable.
        """

        def build() -> QuerySet[Any]:
            slot = BindParam("ids")
            told = self.visible_to(MEMBER_PARAM).exclude(question="duplicate", relation__in=("", "duplicates"))
            told = told.exclude(_UNTOLD)
            either = told.filter(Q(a_id__any=slot) | Q(b_id__any=slot))
            both = either.current().without_proposals().select_related("a", "b").order_by("pk")
            sides = (f"{side}__{name}" for side in ("a", "b") for name in _SIDE_IN_WARNING)
            return both.only("state", "question", "reason", "successor_side", "raised_by", "raised_by_user", *sides)

        return prepared("contradictions", build, planned=True).visible_to(by, ids=list(ids))


# Columns of a side that only search uses; kilobytes each.
FOUND_BY = ("embedding", "lexemes", "bm25", "heard")
# Columns of a side that a warning in an answer needs (`retrieval.actions.warn`).
_SIDE_IN_WARNING = ("ref", "source_date", "created_at", "author", "status", "pinned")
# Columns of a side that the row of a pair shows, and those that identify the version the user saw.
_SIDE_IN_ROW = ("ref", "kind", "title", "revision", "superseded_by", "updated_at")
