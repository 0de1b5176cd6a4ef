"""The effects of what others say about an insight: signals that change its strength, and texts merged into it."""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from django.db.models import Max

from accounts.models import LogEntry, Membership, User
from accounts.rules.rights import Level, Member, TeamKind
from knowledge.lifecycle.rules import decay, lifecycle
from knowledge.models.anchor import Anchor
from knowledge.models.insight.searchable import WORD_FIELDS
from knowledge.retrieval.rules import bm25
from knowledge.rules.quality import GATE
from knowledge.rules.vocabulary import AnchorKind, Status

if TYPE_CHECKING:
    from knowledge.models.insight.insight import Insight
    from knowledge.models.lexicon import Lexicon
    from knowledge.models.signal import Corroboration, Signal

# Key in a corroboration's draft: what the insight took over from it. That is the positions of its anchors, and the date
# that the insight had before.
TAKEN = "taken"
# The kinds by which an error is found again. They are the first to be taken over from a merged text.
ERRORS = (AnchorKind.ERROR, AnchorKind.MESSAGE)
# The verbs of log lines by which people or the sweep set a status.
DECIDED = ("deprecated", "restored", "promoted")
# A merged text with a larger share of new words than this may say something else.
MOST_NEW_WORDS = 0.2


class Corroborated:
    """Mixin of Insight for signals and corroborations. The caller holds the row."""

    if TYPE_CHECKING:
        ref: Any
        team: Any
        team_id: Any
        author_id: Any
        kind: Any
        status: Any
        quality: Any
        strength: Any
        strength_at: Any
        source_date: Any
        favoured_at: Any
        earned_at: Any
        people: Any
        corroboration_count: Any
        last_corroborated_at: Any
        anchors: Any
        corroborations: Any
        signals: Any
        save: Any
        change: Any
        schedule_fade: Any
        effective_strength: Any
        join_anchors: Any
        index_merged_terms: Any
        note: Any
        is_questioned: Any
        pairs_as_a: Any
        _move: Any

        @property
        def confidence(self) -> str: ...

        heard: Any

        @property
        def text(self) -> str: ...
        @property
        def words(self) -> list[str]: ...
        @property
        def decay_inputs(self) -> Any: ...

    def receive(self, signal: "Signal", *, by: Member, at: datetime, replaced: float = 0.0) -> None:
        """Save a signal, and update the strength and perhaps the status.

        `replaced`: how much the strength was changed by a weaker signal of the same person that this one replaces. The
        caller holds the row.
        """
        signal.insight = cast("Insight", self)
        signal.save(force_insert=True)
        favoured = self.take_favour(signal)
        kind = lifecycle.SignalKind(signal.kind)
        # Repetition does not strengthen an insight that says nothing. Only a rating or a lead does.
        lifts = self.says_something or kind is not lifecycle.SignalKind.CORROBORATED
        if not (signal.counts and lifts):
            self.save(update_fields=favoured)
            return
        before = self.effective_strength(at)
        after = lifecycle.strengthened(before, kind, signal.human, replaced)
        if kind is lifecycle.SignalKind.UNHELPFUL:
            after = lifecycle.objected(before, after, Status(self.status), *self._objectors(at))
        status = lifecycle.status_after(kind, Status(self.status), before, after)
        given = self.heard_of(row.given for row in self.signals.all().counting())
        tally = lifecycle.tally(given, self.author_id, says_something=self.says_something)
        if status is Status.DRAFT and tally.earns_promotion and self._may_be_promoted(given):
            self._move(Status.PROMOTED, after, "promoted", by=by, at=at, why=tally.why)
            self.earned_at = at
            favoured += ["earned_at"]
        elif status is not Status(self.status):
            self._move(status, after, "revived", by=by, at=at, why=f"{kind}, strength {after:.0f}")
        else:
            self.strength, self.strength_at = after, at
            self.schedule_fade()
            favoured += ["strength", "strength_at", "fades_at"]
        self.save(update_fields=favoured)

    def take_favour(self, signal: "Signal") -> list[str]:
        """Set `favoured_at`, which puts it before a lead, if somebody other than the author speaks for it; return the
        changed fields.
        """
        if not signal.in_favour or (signal.user_id is not None and signal.user_id == self.author_id):
            return []
        self.favoured_at = max(filter(None, (self.favoured_at, signal.at)))
        return ["favoured_at"]

    @property
    def says_something(self) -> bool:
        """Whether it passes the quality gate."""
        return self.quality >= GATE

    def heard_of(self, given: Iterable[lifecycle.Given]) -> list[lifecycle.Given]:
        """Return the signals that can speak for it. A corroboration of an insight that says nothing cannot."""
        return [one for one in given if self.says_something or one.signal is not lifecycle.SignalKind.CORROBORATED]

    def _objectors(self, at: datetime) -> tuple[int, bool]:
        """Return how many people object to it, and whether one of them is a lead in person."""
        found = list(self.signals.all().objectors(self, at - lifecycle.OBJECTION_STANDS))
        led = Membership.objects.filter(team_id=self.team_id, level=Level.LEAD)
        in_person = [user for user, human in found if human]
        superusers = User.objects.filter(pk__in=in_person, is_superuser=True)
        lead = led.filter(user__in=in_person).exists() or superusers.exists()
        return len({user for user, _ in found}), lead

    def _may_be_promoted(self, given: Iterable[lifecycle.Given]) -> bool:
        """Return whether these signals may promote it.

        They may not if a lead has deprecated it. In the team of everyone, where anybody with an account contributes, it
        takes two leads of different teams, in person.
        """
        if self._deprecated_by_a_lead():
            return False
        if self.team.kind != TeamKind.EVERYONE:
            return True
        praise = lifecycle.SignalKind.HELPFUL
        people = {one.user for one in given if one.human and one.signal is praise and one.user is not None}
        led = Membership.objects.filter(user__in=people, level=Level.LEAD, team__kind=TeamKind.SHARED)
        teams: dict[int, set[int]] = {}
        for user, team in led.values_list("user_id", "team_id"):
            teams.setdefault(user, set()).add(team)
        return lifecycle.of_two_teams(teams)

    def _deprecated_by_a_lead(self) -> bool:
        """Return whether the last decision on its status was that a lead deprecated it. It may have become a draft
        since.
        """
        decided = LogEntry.objects.filter(team_id=self.team_id, subject=self.ref, verb__in=DECIDED).order_by("-pk")
        last = decided.values_list("verb", "user").first()
        return last is not None and last[0] == Status.DEPRECATED and last[1] is not None

    def merge_in(
        self,
        said: "Corroboration",
        signal: "Signal",
        anchors: Iterable[Anchor],
        *,
        lexicon: "Lexicon",
        by: Member,
        at: datetime,
        why: str = "",
        verdict: dict[str, Any] | None = None,
    ) -> None:
        """Merge a deposit that says the same, and strengthen the insight. The caller holds the row.

        Its text is kept and searched, and its anchors are added; the count, the dates and the strength are updated. A
        deposit that waits for a lead (`Corroboration.waits`) is kept and searched too, but counts for nothing.
        """
        joined = self.join_anchors(self._room_for(anchors, said.user))
        signal.counts = self._is_news(signal, said.user_id)
        before = self.source_date
        # Repetition does not make an insight newer if it may be outdated (a replacement is proposed, or an open pair
        # has a later note): who repeats it has not looked at the other note. Nor does it if the repetition differs or
        # has more words: an agent may take "until June" for "until September", or "ask QA" for "ask QA, but not for
        # hotfixes".
        dates = not said.waits and not self._is_dated and not (verdict or {}).get("cues")
        if dates and self._has_words_of(said):
            self.source_date = max(filter(None, (before, said.source_date)), default=None)
        places = [at for at, (kind, value, *_) in enumerate(said.draft.get("anchors", ())) if (kind, value) in joined]
        said.draft[TAKEN] = {"anchors": places, "dated": before.isoformat() if before else None}
        said.insight = cast("Insight", self)
        said.save(force_insert=True)
        self.index_merged_terms(lexicon, counted=self.words)
        self.corroboration_count += 1
        self.count_people()
        self.last_corroborated_at = self.last_corroborated_at if said.waits else at
        counted = ["corroboration_count", "people", "last_corroborated_at", "source_date"]
        self.save(update_fields=[*counted, *WORD_FIELDS])
        line = f"{self.ref} corroborated (×{self.corroboration_count}) from {said.source_type}"
        if said.waits:
            line = f"{self.ref} repeated in other words ({said.source_type}): agreement once a lead accepts it"
        why = f"{said.title} ({why})" if why else said.title
        after = {"confidence": self.confidence} | ({"verdict": verdict} if verdict else {})
        self.note(verb="corroborated", line=line, by=by, at=at, why=why, after=after)
        if not said.waits:
            self.receive(signal, by=by, at=at)

    def _room_for(self, anchors: Iterable[Anchor], user: User | None) -> list[Anchor]:
        """Return the anchors to take over from this user's repetition: new ones, errors first, as many as there is room
        for.
        """
        known = set(self.anchors.values_list("kind", "value"))
        told = self.corroborations.all().merged().filter(user=user)
        given = sum(len(one.draft.get(TAKEN, {}).get("anchors", ())) for one in told)
        new = [anchor for anchor in anchors if (anchor.kind, anchor.value) not in known]
        new.sort(key=lambda anchor: anchor.kind not in ERRORS)
        return new[: lifecycle.room_for_anchors(len(known), given)]

    @property
    def _is_dated(self) -> bool:
        """Whether its date does not change when it is repeated."""
        return self.is_questioned or self.pairs_as_a.model.objects.all().dating(self).exists()

    def _has_words_of(self, said: "Corroboration") -> bool:
        """Return whether it has nearly all words of the deposit."""
        told = set(bm25.terms(said.text))
        new = told.difference(bm25.terms(self.text), self.heard)
        return len(new) <= MOST_NEW_WORDS * len(told)

    def _is_news(self, signal: "Signal", said_by: int | None) -> bool:
        """Return whether the signal counts for the strength.

        It does not if the user has said the same within the week, or is the author, whose deposit counted already. A
        deprecated insight is strengthened by anybody's repetition.
        """
        own = said_by is not None and said_by == self.author_id
        if own and self.status != Status.DEPRECATED and self.team.kind != TeamKind.PERSONAL:
            return False
        mine = self.signals.filter(kind=signal.kind, user=signal.user, counts=True).order_by("-at")
        last = mine.values_list("at", flat=True).first()
        return lifecycle.signal_counts(lifecycle.SignalKind(signal.kind), last, 0, signal.at)

    def count_people(self) -> None:
        """Set the number of people who said it: the author, and the users of its corroborations."""
        agreeing = self.corroborations.all().merged().agreeing()
        others = set(agreeing.order_by().values_list("user_id", flat=True))
        self.people = 1 + len(others - {self.author_id})

    def split_off(
        self, said: "Corroboration", heir: "Insight", *, lexicon: "Lexicon", by: Member, at: datetime
    ) -> None:
        """Undo `merge_in`: the deposit becomes the row `heir`, and the strength it gave is taken back."""
        said.part_as(heir)
        self._lose(said, at)
        self._give_back(said)
        self.index_merged_terms(lexicon, counted=self.words)
        self.corroboration_count = max(self.corroboration_count - 1, 1)
        self.count_people()
        counted = ["corroboration_count", "people", "last_corroborated_at", "source_date"]
        self.save(update_fields=[*counted, *WORD_FIELDS])
        line = f"{heir.ref} unmerged from {self.ref}"
        self.note(verb="unmerged", line=line, by=by, at=at, why=said.title, after={"unmerged": heir.ref})

    def _give_back(self, said: "Corroboration") -> None:
        """Take back the dates and anchors that came with the deposit, unless another corroboration has them too."""
        left = list(self.corroborations.all().merged())
        self.last_corroborated_at = max((one.at for one in left if not one.waits), default=None)
        taken = said.draft.get(TAKEN)
        if not taken:
            return
        if said.source_date and self.source_date == said.source_date:
            dated = datetime.fromisoformat(taken["dated"]) if taken["dated"] else None
            self.source_date = max(filter(None, (dated, *(one.source_date for one in left))), default=None)
        others = {(kind, value) for one in left for kind, value, *_ in one.draft.get("anchors", ())}
        for place in taken["anchors"]:
            kind, value, *_ = said.draft["anchors"][place]
            if (kind, value) not in others:
                self.anchors.filter(kind=kind, value=value).delete()

    def accept_retelling(self, said: "Corroboration", *, by: Member, at: datetime) -> None:
        """Accept a corroboration that waited for a lead. The caller holds the row."""
        said.accept(by.username)
        said.save(update_fields=["draft", "judged_by"])
        self._recount()
        signal = self.signals.model(
            kind=lifecycle.SignalKind.CORROBORATED, human=said.token_id is None, at=said.at, user_id=said.user_id
        )
        signal.token_id, signal.session_key = said.token_id, said.session_key
        signal.counts = self._is_news(signal, said.user_id)
        line = f"{self.ref} repeated in other words: accepted as agreement"
        # The verb is not "corroborated", because the audit expects one such line for each corroboration.
        self.note(verb="resolved", line=line, by=by, at=at, why=said.title, after={"confidence": self.confidence})
        self.receive(signal, by=by, at=at)

    def hold_retelling(self, said: "Corroboration", *, by: Member, at: datetime) -> None:
        """Undo `accept_retelling`, and take back the strength it gave. The caller holds the row."""
        said.hold()
        said.save(update_fields=["draft", "judged_by"])
        self._lose(said, at)
        self._recount()
        line = f"{self.ref} repeated in other words: agreement once a lead accepts it"
        self.note(verb="reopened", line=line, by=by, at=at, why=said.title, after={"confidence": self.confidence})

    def _recount(self) -> None:
        """Set the number of people who agree, and when somebody last did."""
        self.count_people()
        agreeing = self.corroborations.all().merged().agreeing()
        self.last_corroborated_at = agreeing.aggregate(last=Max("at"))["last"]
        self.save(update_fields=["people", "last_corroborated_at"])

    def _lose(self, said: "Corroboration", at: datetime) -> None:
        """Take back the signal of a corroboration. Otherwise repeated merging and unmerging would strengthen the
        insight each time.
        """
        signals = self.signals.filter(kind=lifecycle.SignalKind.CORROBORATED, at=said.at, user=said.user)
        counted = signals.filter(counts=True).count()
        signals.delete()
        self.favoured_at = self.signals.all().by_others().aggregate(last=Max("at"))["last"]
        self.save(update_fields=["favoured_at"])
        if counted and self.says_something:
            left, status = self.effective_strength(at), Status(self.status)
            given = counted * lifecycle.DELTA[lifecycle.SignalKind.CORROBORATED]
            gone = decay.effective(given, (at - said.at).total_seconds() / 86_400, *self.decay_inputs)
            # One account must not deprecate a promoted insight, not even by taking back a signal that could not raise
            # it further.
            self.strength = lifecycle.objected(left, max(left - gone, 0.0), status, 1, lead=False)
            self.strength_at = at
            self.schedule_fade()
            self.save(update_fields=["strength", "strength_at", "fades_at"])
