"""An act that names two things asks for rights on both. The acts are found by their parameters; one that is new and
has no story here fails the first test.

Dora leads the platform team and only reads the mobile team: she sees everything of both, so that nothing is refused for
not being found. Whatever she does to one of each changes nothing of the mobile team's.
"""

import inspect
import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.db import transaction

from accounts.actions.invitations import invite, revoke_invitation
from accounts.actions.members import member_of, set_level
from accounts.models import Team, User
from accounts.rules.refused import Refused
from accounts.rules.rights import Level, Member
from knowledge.imports.actions.import_rows import RowEntry, import_rows, plan
from knowledge.judging.actions.deposit import deposit, deposit_many, preview, rehearse
from knowledge.judging.actions.relate import relate
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Corroboration, Pair
from knowledge.review.actions import bulk, combine, settle
from knowledge.review.actions.bulk_edit import BulkChange, bulk_edit
from knowledge.review.actions.move import move
from knowledge.review.proposals.actions import comments, suggest
from knowledge.review.proposals.actions.accept import accept_link, accept_retelling, hold_retelling, withdraw_link
from knowledge.topics.actions import topics
from sessions_app.actions.begin import Opening
from sessions_app.actions.start import start
from sessions_app.conversations.actions.quote import Selection, quote
from sessions_app.conversations.actions.share import share
from sessions_app.handoffs.actions.acknowledge import acknowledge
from sessions_app.handoffs.actions.recover_killed import Killed, recover_killed
from sessions_app.transcripts.actions.import_past import import_past
from sessions_app.transcripts.rules.speakers import SharedTurns
from skills.actions.owner import set_owner
from tests.conftest import NOW, person
from tests.database import changed, contents
from tests.factories import make_draft, make_insight, make_skill
from tests.sessions_app.conversations.talk import TALK, begin, on_day, talk

ROOT = Path(__file__).resolve().parent.parent
APPS = ("accounts", "knowledge", "skills", "sessions_app")
# Parameters that name one thing that is there, and those that may name several.
ONE = {
    "ref", "by_ref", "into", "a", "b", "keep", "handoff_of", "corroboration", "query_id", "topic_id", "team",
    "team_slug", "invitation_id", "conflict_id", "filter_id", "term_id", "webhook_id", "preference_id", "job_id",
    "annotation_id", "name",
}  # fmt: skip
SEVERAL = {
    "pair_id", "draft", "drafts", "selection", "opening", "statements", "steps", "refs", "killed", "entries", "ask",
}  # fmt: skip
# They look, at what may be seen, or mark it as read for oneself: tests/test_strangers.py is about them.
LOOKING = {
    "retrieve.retrieve", "retrieve.ranked", "retrieve.why_not", "search.search_for", "search.search", "inquiry.begin",
    "match.applicable", "build_answer.build_answer", "comments.read_pair_mentions",
}  # fmt: skip
# One thing by two words, or one that is there and what a new one will be called; or a part of an act that has asked.
OF_ONE = {
    "author.edit", "author.publish", "author.retire", "distil.distil", "background.ask_import",
    "saved_filters.save_filter", "begin.begin_past", "begin.begin_once", "vault_conflicts.note",
    "recent_actions.record_action", "restore.restore",
}  # fmt: skip


def modules() -> Iterator[ModuleType]:
    """Every module of an `actions` package: of the apps, and of their rooms."""
    for folder in (path for app in APPS for path in sorted((ROOT / app).rglob("actions"))):
        package = ".".join(folder.relative_to(ROOT).parts)
        yield from (import_module(f"{package}.{one.name}") for one in pkgutil.iter_modules([str(folder)]))


def naming_two() -> set[str]:
    """Every action that says who acts and when, and whose parameters name two things."""
    found = set()
    for module in modules():
        for name, act in inspect.getmembers(module, inspect.isfunction):
            given = inspect.signature(act).parameters
            named = len(ONE & set(given)) + 2 * len(SEVERAL & set(given))
            if act.__module__ == module.__name__ and name[0] != "_" and {"by", "now"} <= set(given) and named >= 2:
                found.add(f"{module.__name__.rpartition('.')[2]}.{name}")
    return found


class Scene:
    """Of each team an insight, a topic, an invitation, a session that left something; a pair across both."""

    def __init__(self, dora: Member, alice: Member, charlie: Member) -> None:
        self.mine, self.theirs = make_insight(alice), make_insight(charlie, body="Ship the app on Mondays.")
        self.said = make_insight(charlie, body="Ship the application on Mondays.")
        combine.merge(ref=self.said.ref, into=self.theirs.ref, by=charlie, now=NOW)
        self.skill = make_skill(charlie, team="mobile").name
        self.voice = Corroboration.objects.get(insight=self.theirs).pk
        other = make_insight(alice, body="Another of ours.")
        self.pair = Pair.between(
            *(sorted((self.mine, self.theirs), key=lambda row: row.pk)),
            question=Pair.Question.CONTRADICTION, reason="so", by=alice, at=NOW,
        )  # fmt: skip
        self.settled = Pair.between(
            *(sorted((other, self.theirs), key=lambda row: row.pk)),
            question=Pair.Question.CONTRADICTION, reason="so", by=alice, at=NOW,
        )  # fmt: skip
        self.settled.settle(Pair.State.DISMISSED, by=alice, at=NOW, resolution="so", scope="")
        fields: dict[str, Any] = {"level": Level.READER, "uses": 1, "days": 7, "now": NOW}
        self.invitation = invite(team_slug="mobile", by=charlie, **fields).invitation.pk
        self.session, self.left = begin(dora).session, talk(charlie, team="mobile").ref
        share(repo="shop", team="mobile", turns=SharedTurns.ALL, by=charlie, now=NOW)
        self.passages = list(talk(charlie, on_day(2), repo="shop", team="mobile").passages.order_by("position")[:2])

    def told(self, team: str, *refs: str) -> Any:
        return make_draft(team=team, relations=[Statement(ref, Relation.SUPERSEDES) for ref in refs])

    def opening(self, **over: Any) -> Opening:
        return Opening(
            **{"repo": "shop", "team": "mobile", "agent_session": "claude-code:7", "transcript": TALK, **over}
        )


Calls = Callable[[Scene], list[dict[str, Any]]]


def _either(one: str, other: str) -> Calls:
    """Mine with theirs, and theirs with mine."""
    return lambda s: [{one: s.mine.ref, other: s.theirs.ref}, {one: s.theirs.ref, other: s.mine.ref}]


def _drafts(s: Scene) -> list[Any]:
    return [s.told("platform", s.theirs.ref), s.told("mobile", s.theirs.ref), s.told("mobile", s.mine.ref)]


STORIES: dict[str, tuple[Callable[..., Any], Calls]] = {
    "invitations.revoke_invitation": (
        revoke_invitation,
        lambda s: [{"team_slug": team, "invitation_id": s.invitation} for team in ("platform", "mobile")],
    ),
    "bulk_edit.bulk_edit": (
        bulk_edit,
        lambda s: [{"refs": [s.theirs.ref], "change": BulkChange(add_tags=("ours",), repo="acme/ours")}],
    ),
    "bulk.act": (bulk.act, lambda s: [{"verb": verb, "refs": [s.theirs.ref]} for verb in bulk.OPEN]),
    "bulk.undo": (
        bulk.undo,
        lambda s: [
            {"steps": [["reopen", s.settled.pk]]},
            {"steps": [["reinstate", s.said.ref]]},
            {"steps": [["undo edit", s.theirs.ref, s.theirs.revision]]},
        ],
    ),
    "combine.supersede": (combine.supersede, _either("ref", "by_ref")),
    "combine.merge": (combine.merge, _either("ref", "into")),
    "accept.accept_link": (accept_link, lambda s: [{"pair_id": one.pk} for one in (s.pair, s.settled)]),
    "accept.withdraw_link": (withdraw_link, lambda s: [{"pair_id": one.pk} for one in (s.pair, s.settled)]),
    "accept.accept_retelling": (
        accept_retelling,
        lambda s: [{"ref": row.ref, "corroboration": s.voice} for row in (s.mine, s.theirs)],
    ),
    "accept.hold_retelling": (
        hold_retelling,
        lambda s: [{"ref": row.ref, "corroboration": s.voice} for row in (s.mine, s.theirs)],
    ),
    "combine.unmerge": (
        combine.unmerge,
        lambda s: [{"ref": row.ref, "corroboration": s.voice} for row in (s.mine, s.theirs)],
    ),
    "deposit.deposit": (deposit, lambda s: [{"draft": draft} for draft in _drafts(s)]),
    "deposit.deposit_many": (deposit_many, lambda s: [{"drafts": [draft]} for draft in _drafts(s)]),
    "deposit.rehearse": (rehearse, lambda s: [{"drafts": [draft]} for draft in _drafts(s)]),
    "deposit.preview": (preview, lambda s: [{"draft": draft} for draft in _drafts(s)]),
    "import_rows.plan": (plan, lambda s: [{"entries": [RowEntry(1, make_draft(), s.theirs.ref)], "team": "mobile"}]),
    "import_rows.import_rows": (
        import_rows,
        lambda s: [{"entries": [RowEntry(1, make_draft(), s.theirs.ref)], "team": "mobile"}],
    ),
    "move.move": (
        move,
        lambda s: [{"ref": s.mine.ref, "team": "mobile"}, {"ref": s.theirs.ref, "team": "platform"}],
    ),
    "rate.rate": (
        rate,
        lambda s: [
            {"refs": refs, "verdict": SignalKind.UNHELPFUL} for refs in ([s.mine.ref, s.theirs.ref], [s.theirs.ref])
        ],
    ),
    "relate.relate": (
        relate,
        lambda s: [
            {"ref": one.ref, "statements": [Statement(other.ref, relation)]}
            for one, other in ((s.mine, s.theirs), (s.theirs, s.mine))
            for relation in Relation
        ],
    ),
    "settle.report": (settle.report, lambda s: [{**one, "reason": "so"} for one in _either("a", "b")(s)]),
    "settle.resolve": (
        settle.resolve,
        lambda s: [
            *({"pair_id": s.pair.pk, "keep": row.ref, "merging": merging} for row in (s.mine, s.theirs)
              for merging in (False, True)),
            {"pair_id": s.pair.pk, "scope": "each in its place"},
        ],
    ),
    "suggest.resolve_or_suggest": (
        suggest.resolve_or_suggest,
        lambda s: [
            {"pair_id": s.pair.pk, "keep": row.ref, "merging": merging}
            for row in (s.mine, s.theirs)
            for merging in (False, True)
        ],
    ),
    "comments.comment_on_pair": (
        comments.comment_on_pair,
        lambda s: [{"pair_id": s.pair.pk, "text": "Which is newer?"}],
    ),
    "settle.merge_with_text": (
        settle.merge_with_text,
        lambda s: [
            {"pair_id": s.pair.pk, "keep": ref, "texts": {"body": "Ours."}} for ref in (s.mine.ref, s.theirs.ref)
        ],
    ),
    "settle.dismiss": (settle.dismiss, lambda s: [{"pair_id": s.pair.pk}]),
    "settle.reopen": (settle.reopen, lambda s: [{"pair_id": s.settled.pk}]),
    "owner.set_owner": (
        set_owner,
        lambda s: [{"name": s.skill, "team": "mobile", "owner": who} for who in ("dora", "charlie", "alice", "")],
    ),
    "topics.merge": (
        topics.merge,
        lambda s: [
            {"topic_id": one.topic_id, "into": other.topic_id}
            for one, other in ((s.mine, s.theirs), (s.theirs, s.mine))
        ],
    ),
    "acknowledge.acknowledge": (
        acknowledge,
        lambda s: [{"name": s.session, "handoff_of": s.left}, {"name": s.left}],
    ),
    "start.start": (
        start,
        lambda s: [{"opening": s.opening()}, {"opening": s.opening(team="platform", previous=s.left)}],
    ),
    "import_past.import_past": (import_past, lambda s: [{"opening": s.opening()}]),
    "recover_killed.recover_killed": (
        recover_killed,
        lambda s: [
            {"killed": Killed(s.opening())},
            {"killed": Killed(s.opening(team="platform"), session=s.left)},
        ],
    ),
    "quote.quote": (
        quote,
        lambda s: [
            {"selection": Selection(s.passages[0].session, s.passages, ()), "draft": make_draft(team=team)}
            for team in ("platform", "mobile")
        ],
    ),
}  # fmt: skip


@pytest.fixture
def dora(platform: Team, mobile: Team, charlie: Member) -> Member:
    user = person("dora", platform, Level.LEAD)
    set_level(team_slug="mobile", username="dora", level=Level.READER, by=charlie, now=NOW)
    return member_of(user=User.objects.get(pk=user.pk))


class TestEveryActOnTwo:
    def test_has_a_story(self) -> None:
        assert naming_two() == {*STORIES, *LOOKING, *OF_ONE}

    def test_asks_for_rights_on_both(self, dora: Member, alice: Member, charlie: Member) -> None:
        scene = Scene(dora, alice, charlie)
        wrong, nothing = [], contents()
        for name, (act, calls) in STORIES.items():
            for given in calls(scene):
                done: Any = "nothing"
                before = nothing.undone()
                with transaction.atomic():
                    try:
                        done = act(**given, by=dora, now=NOW)
                    except Refused:
                        done = None
                    tables = changed(before)
                    transaction.set_rollback(True)
                told = done[0] if isinstance(done, list) and done else done
                refused = (
                    told is None
                    or isinstance(told, Refused)
                    or bool(getattr(told, "refused", ()))
                    or (getattr(told, "fate", "") == "refused")
                )
                if not refused or tables:
                    wrong.append((name, given, str(done)[:200], tables))
        assert "\n".join(map(str, wrong)) == ""
