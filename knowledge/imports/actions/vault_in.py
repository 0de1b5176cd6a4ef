"""What a team knows, back from the pages of a vault. What can be computed of a text is computed, not read.

The caller holds a transaction over all teams, so that links from one team to another find both ends.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from accounts.actions.vault import records_of_kind
from accounts.actions.vault_passes import Records, RowIds, write_rows
from accounts.actions.vault_rows import People, restored
from accounts.models import Team
from accounts.rules.page import BadPage, Page
from knowledge.imports.actions.vault_out import (
    EDITABLE,
    ERROR,
    LEFT,
    LISTS,
    PAIR,
    RECEIPT,
    SAID,
    SIGNAL,
    TOLD,
    TOPIC,
    VECTOR,
    fingerprint_of,
)
from knowledge.lifecycle.rules.lifecycle import heard_words
from knowledge.models import (
    Anchor,
    Corroboration,
    FormerRef,
    Insight,
    Lexicon,
    Pair,
    Receipt,
    Signal,
    Term,
    Topic,
)
from knowledge.models.insight import WORD_FIELDS
from knowledge.models.lexicon import FIRST_PIVOT
from knowledge.models.merging import message_anchors
from knowledge.retrieval.rules import bm25
from knowledge.rules.vocabulary import AnchorKind, Kind, Status

_REF = re.compile(r"[A-Z][A-Z0-9]{1,11}-([1-9][0-9]{0,8})")
_LINK = re.compile(r"\[\[([A-Z0-9-]{1,24})(?:\|[^\]]*)?\]\]")
BATCH = 500


@dataclass
class Restored:
    """The rows of all teams, before they are written, and what links them to each other.

    `alone`: of one team that comes from another database. Links to what is not in the vault are dropped and counted in
    `loose`: what has that reference here is another team's. What is read after a `write` is written over what was
    written then; `gone`: references of pages that are no more.
    """

    people: People
    teams: dict[str, Team]
    ids: RowIds
    alone: bool = False
    loose: int = 0
    gone: list[str] = field(default_factory=list)
    rows: list[Insight] = field(default_factory=list)
    anchors: list[Anchor] = field(default_factory=list)
    said: list[tuple[Corroboration, str]] = field(default_factory=list)
    signals: list[Signal] = field(default_factory=list)
    receipts: list[Receipt] = field(default_factory=list)
    former: list[tuple[FormerRef, str]] = field(default_factory=list)
    heirs: dict[str, str] = field(default_factory=dict)
    pairs: list[tuple[Pair, str, str]] = field(default_factory=list)
    parted: set[tuple[str, str, str]] = field(default_factory=set)
    grouped: dict[int, list[UUID]] = field(default_factory=dict)
    _read: Records = field(default_factory=Records)
    _pivots: dict[int, float] = field(default_factory=dict)
    _again: bool = False

    # --- reading --------------------------------------------------------------------------------------------
    def topics(self, team: Team, page: Page) -> None:
        """Written at once: insights refer to them."""
        rows: list[Topic] = []
        heirs: dict[UUID, Any] = {}
        for said in records_of_kind(page.records, "topic"):
            row = Topic(team=team, **restored(Topic, TOPIC, said, self.people))
            rows.append(row)
            heirs[row.pk] = said.get("merged_into")
        ids = {str(row.pk): row for row in rows}
        for row in rows:
            heir = heirs[row.pk]
            if heir is not None and heir not in ids:
                raise BadPage(f"topic {row.pk} was merged into one that does not exist")
        write_rows(rows, Topic.objects.filter(team=team))
        self.grouped[team.pk] = [row.pk for row in rows]
        for row in rows:
            if heirs[row.pk]:
                row.merged_into = ids[str(heirs[row.pk])]
        Topic.objects.bulk_update([row for row in rows if row.merged_into_id], ["merged_into"])
        pivot = page.head.get("average_length")
        if pivot is not None:
            if not isinstance(pivot, int | float) or not 0 < pivot < 1e6:
                raise BadPage("average_length is not a length")
            Lexicon.objects.update_or_create(team=team, defaults={"pivot": float(pivot)})

    def insight(self, team: Team, name: str, page: Page) -> None:
        """One page, as rows that are not saved. `name`: of its file."""
        ref = str(page.head.get("ref", ""))
        number = _REF.fullmatch(ref)
        if number is None or name != f"{ref}.md":
            raise BadPage("its reference differs from its file name")
        row = Insight(team=team, ref=ref, number=int(number[1]))
        gone = page.head.get("forgotten_at") is not None
        names = LEFT if gone else (*EDITABLE, *TOLD)
        for column, value in restored(Insight, names, page.head, self.people).items():
            setattr(row, column, value)
        row.kind = Kind.CONTEXT if gone else row.kind
        if row.created_at is None or row.updated_at is None or row.strength_at is None or not row.kind:
            raise BadPage("kind, created_at, updated_at or strength_at is missing")
        self._link(row, page)
        if not gone:
            self._texts(row, page)
        self._around(row, page)
        self.rows.append(row)

    def _link(self, row: Insight, page: Page) -> None:
        heir = page.head.get("superseded_by")
        if heir is not None:
            link = _LINK.fullmatch(str(heir))
            if link is None:
                raise BadPage("superseded_by is not a link")
            self.heirs[row.ref] = link[1]
        topic = page.head.get("topic")
        if topic is not None:
            row.topic_id = restored(Topic, ("id",), {"id": topic}, self.people)["id"]

    def _texts(self, row: Insight, page: Page) -> None:
        row.body, row.reasoning = page.texts.get("", ""), page.texts.get("reasoning", "")
        if "\0" in row.body + row.reasoning or not row.title or not row.body:
            raise BadPage("its title or its text is empty, or contains a NUL character")
        for name, kind in LISTS.items():
            values = page.head.get(name) or []
            if not isinstance(values, list):
                raise BadPage(f"{name} is not a list")
            fields = [restored(Anchor, ("value",), {"value": str(value)}, self.people) for value in values]
            self.anchors += [Anchor(insight=row, kind=kind, **one) for one in fields]
        vector = next(records_of_kind(page.records, "vector"), None)
        if vector and vector.get("of") == fingerprint_of(row) and not row.quarantined_at:
            for column, value in restored(Insight, VECTOR, vector, self.people).items():
                setattr(row, column, value)
        row.schedule_fade()

    def _around(self, row: Insight, page: Page) -> None:
        people, records = self.people, page.records
        errors = [restored(Anchor, ERROR, one, people) for one in records_of_kind(records, "error")]
        for error in errors:
            found = [Anchor(kind=AnchorKind.ERROR, **error), *message_anchors(error["detail"])]
            self.anchors += [anchor.of(row) for anchor in found]
        mine = []
        for one in records_of_kind(records, "said"):
            said = Corroboration(insight=row, **restored(Corroboration, SAID, one, people))
            mine.append((said, str(one.get("unmerged_into") or "")))
        self.said += mine
        for one in records_of_kind(records, "signal"):
            signal = Signal(insight=row, **restored(Signal, SIGNAL, one, people))
            row.take_favour(signal)
            self.signals.append(signal)
        receipts = [restored(Receipt, RECEIPT, one, people) for one in records_of_kind(records, "receipt")]
        self.receipts += [Receipt(insight=row, **one) for one in receipts]
        for one in records_of_kind(records, "former"):
            former = FormerRef(insight=row, **restored(FormerRef, ("ref", "number", "at"), one, people))
            self.former.append((former, str(one.get("team"))))
        row.heard = _recollect_unsaved(row, [said for said, parted in mine if not parted])

    def read_pairs(self, team: Team, page: Page) -> None:
        """Those that are new or say something else; the page has all there are."""
        records = (
            ((str(said.get("a")), str(said.get("b")), str(said.get("question"))), said)
            for said in records_of_kind(page.records, "pair")
        )
        changed, gone = self._read.take(team.slug, records)
        for said in changed:
            pair = Pair(**restored(Pair, PAIR, said, self.people))
            self.pairs.append((pair, str(said.get("a")), str(said.get("b"))))
        self.parted |= gone

    # --- writing --------------------------------------------------------------------------------------------
    def write(self) -> int:
        """All that was read since the last time; how many insights. Raises BadPage for a link that leads nowhere."""
        there = Insight.objects.filter(team__in=list(self.teams.values()))
        self._index()
        self.ids.give(Insight, self.rows)
        gone = there.filter(ref__in=self.gone)
        old = list((there.filter(pk__in=[row.pk for row in self.rows if row.pk]) | gone).values_list("pk", flat=True))
        counted = Term.objects.all().frequencies_in(old)
        for model in (Anchor, Corroboration, Signal, Receipt, FormerRef):
            model._default_manager.filter(insight__in=old).delete()
        write_rows(self.rows, there, batch_size=BATCH)
        self.ids.count_on(Insight)
        hung: list[Any] = [*self.anchors, *self.signals, *self.receipts]
        for one in (*hung, *(said for said, _ in self.said), *(former for former, _ in self.former)):
            one.insight = one.insight  # which may have got another id
        by_ref = {row.ref: row for row in self.rows}
        self._inherit(by_ref)
        gone.update(superseded_by=None)
        gone.delete()
        Anchor.objects.bulk_create(self.anchors, batch_size=BATCH, ignore_conflicts=True)
        kept = []
        for said, heir in self.said:
            said.unmerged_into = self._found(by_ref, heir) if heir else None
            if said.unmerged_into or not heir:
                kept.append(said)
        Corroboration.objects.bulk_create(kept, batch_size=BATCH)
        Signal.objects.bulk_create(self.signals, batch_size=BATCH)
        Receipt.objects.bulk_create(self.receipts, batch_size=BATCH, ignore_conflicts=True)
        self._name_before()
        self._pair(by_ref)
        for team_id, topics in self.grouped.items():
            Topic.objects.filter(team_id=team_id).exclude(pk__in=topics).delete()
        self._count(counted)
        return self._forget()

    def _index(self) -> None:
        """Set what keyword search needs, of all rows of a team where what the words are measured by is another now."""
        pivots = dict(Lexicon.objects.values_list("team_id", "pivot"))
        for row in self.rows:
            if not row.forgotten_at and not row.quarantined_at:
                row.index_words(row.words, pivots.get(row.team_id, FIRST_PIVOT))
        for team_id, was in self._pivots.items():
            now = pivots.get(team_id, FIRST_PIVOT)
            rows = list(Insight.objects.all().shown().filter(team_id=team_id)) if now != was else []
            for row in rows:
                row.index_words(row.words, now)
            Insight.objects.bulk_update(rows, WORD_FIELDS, batch_size=BATCH)
        self._pivots = {team.pk: pivots.get(team.pk, FIRST_PIVOT) for team in self.teams.values()}

    def _count(self, before: Counter[str]) -> None:
        """Count the words of what was written. `before`: those of the same rows, as the statistics have them."""
        for team_id in {row.team_id for row in self.rows} | {team.pk for team in self.teams.values() if self.gone}:
            lexicon = Lexicon.of(team_id)
            if self._again:
                change = Term.objects.all().frequencies_in([row.pk for row in self.rows])
                change.subtract(before)
                Term.objects.all().add_counts(team_id, {term: n for term, n in change.items() if n})
                lexicon.drop_unused()
            else:
                Term.objects.all().recount(team_id)
            Lexicon.objects.filter(pk=lexicon.pk).update(**Insight.objects.filter(team_id=team_id).extent())

    def _forget(self) -> int:
        """Forget the rows of this pass, for the next one; how many insights were read in it."""
        count, self._again = len(self.rows), True
        for name in ("rows", "anchors", "said", "signals", "receipts", "former", "heirs", "pairs", "parted", "gone"):
            getattr(self, name).clear()
        self.grouped.clear()
        return count

    def _inherit(self, by_ref: Mapping[str, Insight]) -> None:
        for ref, heir in self.heirs.items():
            by_ref[ref].superseded_by = self._found(by_ref, heir)
            if by_ref[ref].superseded_by is None:
                by_ref[ref].status = Status.DEPRECATED  # its place was taken, by what is not here
        rows = [by_ref[ref] for ref in self.heirs]
        Insight.objects.bulk_update(rows, ["superseded_by", "status"], batch_size=BATCH)

    def _name_before(self) -> None:
        rows = []
        for former, slug in self.former:
            team = self.teams.get(slug) or (None if self.alone else Team.objects.filter(slug=slug).first())
            if team is None and self.alone:
                self.loose += 1
                continue
            if team is None:
                raise BadPage(f"{former.ref} was of the team {slug}, which does not exist")
            former.team = team
            team.keep_number(former.number)
            rows.append(former)
        FormerRef.objects.bulk_create(rows)

    def _pair(self, by_ref: Mapping[str, Insight]) -> None:
        kept = []
        there = Pair.objects.filter(a__team__in=list(self.teams.values()))
        known: dict[tuple[str, str, str], int] = {}
        if self._again and (self.pairs or self.parted):
            known = {(a, b, q): pk for a, b, q, pk in there.values_list("a__ref", "b__ref", "question", "pk")}
        there.filter(pk__in=[known[one] for one in self.parted if one in known]).delete()
        for pair, a, b in self.pairs:
            sides = [row for row in (self._found(by_ref, a), self._found(by_ref, b)) if row]
            if len(sides) == 2:
                pair.a, pair.b = sorted(sides, key=lambda row: row.pk)
                pair.pk = known.get((pair.a.ref, pair.b.ref, pair.question))
                kept.append(pair)
        write_rows(kept, there, batch_size=BATCH)

    def _found(self, by_ref: Mapping[str, Insight], ref: str) -> Insight | None:
        """An insight of the vault, or one that is there already (a personal one refers to a shared one); None for one
        that is not in the vault of a team `alone`.
        """
        mine = {"team__in": list(self.teams.values())} if self.alone else {}
        row = by_ref.get(ref) or Insight.objects.filter(ref=ref, **mine).first()
        if row is None and not self.alone:
            raise BadPage(f"it refers to {ref[:24]}, which does not exist")
        self.loose += row is None
        return row


def _recollect_unsaved(row: Insight, said: Sequence[Corroboration]) -> list[str]:
    """As `Insight.recollect`, of rows that are not saved yet."""
    told = [(one.user_id, bm25.terms(one.searched)) for one in sorted(said, key=lambda one: one.at)]
    return heard_words(set(bm25.terms(row.searched)), told)
