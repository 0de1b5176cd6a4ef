"""Every column of every table is in a vault, or it is said here why not: a new one cannot be forgotten."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db import connection
from django.db.models import Model

from accounts.actions import vault as team_vault
from accounts.rules.rights import SYSTEM, Member
from knowledge.imports.actions import vault_filters, vault_out
from sessions_app.models import Handoff
from sessions_app.vault.actions import annotations, handoffs
from sessions_app.vault.actions.vault import export, import_vault
from skills.actions import vault as skills_vault
from tests.cases import cases
from tests.sessions_app.vaults import lose_everything, make_world

APPS = ("accounts", "knowledge", "evidence", "skills", "sessions_app")
# Tables that are not in a vault at all.
NO_TABLE = {
    "accounts.Invitation": "a key to the team, of which only the digest is kept",
    "accounts.InvitationUse": "of a key to the team",
    "accounts.JobRun": "tells of this installation, not of what a team knows",
    "accounts.Lease": "which process of this installation has a part that only one may have",
    "accounts.Tally": "tells of this installation",
    "accounts.Webhook": "has a secret, and an address of this installation",
    "accounts.Delivery": "of a webhook",
    "knowledge.Query": "what was asked and not rated; a rated question is in its signal",
    "knowledge.Conflict": "an edit of a file of the vault, which is kept there too",
    "knowledge.BackgroundJob": "work that was asked for here, over in minutes; what came of it is in the log",
    "knowledge.ContributorStanding": "since when rejected proposals here count against somebody",
    "knowledge.EditProposal": "until a lead of this installation decides; what was approved is in the insight",
    "knowledge.Comment": "on a suggested edit or a pair, which are settled here",
    "knowledge.Mention": "in a comment",
    "knowledge.InboxState": "until when leads here have put something off, and to whom they gave it",
    "knowledge.Term": "counted from the texts",
    "knowledge.UndoableAction": "one's last acts here; what came of them is in the log",
    "evidence.Source": "a directory of this installation",
    "evidence.Document": "read from its file again",
    "evidence.FileListing": "listed again from the folder",
    "evidence.ScopeCoverage": "of a cluster",
    "evidence.KnowledgeCluster": "found again in the files",
    "evidence.ClusterQuestion": "of a cluster",
    "evidence.Relation": "of a cluster",
    "evidence.Evidence": "of a cluster",
    "evidence.Search": "what was asked",
    "evidence.ModelCall": "what a search cost here",
    "sessions_app.Coached": "what a person was told how to use, once",
    "sessions_app.CodeIndex": "uploaded again by the client",
    "sessions_app.CodeFile": "of a code index",
    "sessions_app.EmbeddingChange": "how the vectors of this installation are made",
    "sessions_app.SessionEvent": "kept for a while only; the handoff tells of it",
    "sessions_app.Claim": "ends with the session",
    "sessions_app.SurfaceDecision": "what was returned to whom",
    # With --conversations (test_vault_conversations).
    "sessions_app.Passage": "in a folder of its own, if that is asked for",
    "sessions_app.SessionSharing": "of conversations, with them",
    "sessions_app.PassageTerm": "counted from the passages",
    "sessions_app.ServedPassage": "what was returned to whom",
    "sessions_app.Quotation": "of a passage, which need not be in the vault",
}
PLACE = "told by where the page or the record stands"
COMPUTED = "computed of the text at import"
ANEW = "a number of this database, given anew"
# Columns that are written by the name in the vault, beside those that the lists of the exports name.
NAMED = {
    "accounts.User": {"id", "username", "is_active"},
    "accounts.ApiToken": {"prefix", "name", "user"},
    "accounts.Team": {"owner"},
    "accounts.Membership": {"user", "level"},
    "knowledge.Insight": {"ref", "body", "reasoning", "superseded_by", "topic", "forgotten_at", "erased_at"},
    "knowledge.FormerRef": {"ref", "number", "at", "team"},
    "knowledge.Lexicon": {"pivot"},
    "knowledge.Pair": {"a", "b"},
    "knowledge.Corroboration": {"unmerged_into"},
    "knowledge.Topic": {"merged_into"},
    "knowledge.Anchor": {"kind", "value"},
    "skills.Skill": {"live", "ahead"},
    "skills.Trigger": {"kind", "value"},
    "skills.Resource": {"sha256", "data"},
    "skills.SkillUse": {"version"},
    "sessions_app.AgentSession": {"key", "previous", "offered"},
    "sessions_app.Handoff": {"summary", "note", "last_message", "acknowledged_in"},
}
LISTED = {
    "accounts.Team": team_vault._TEAM,
    "accounts.GuardTerm": team_vault._TERM,
    "accounts.Preference": team_vault._PREFERENCE,
    "accounts.LogEntry": team_vault._LINE,
    "knowledge.Insight": (*vault_out.EDITABLE, *vault_out.TOLD, *vault_out.VECTOR),
    "knowledge.Anchor": vault_out.ERROR,
    "knowledge.Corroboration": vault_out.SAID,
    "knowledge.Signal": vault_out.SIGNAL,
    "knowledge.Receipt": vault_out.RECEIPT,
    "knowledge.Pair": vault_out.PAIR,
    "knowledge.Topic": vault_out.TOPIC,
    "knowledge.SavedFilter": vault_filters._FILTER,
    "skills.Skill": skills_vault._SKILL,
    "skills.SkillVersion": skills_vault._VERSION,
    "skills.SkillUse": skills_vault._USE,
    "sessions_app.Annotation": annotations._ANNOTATION,
    "sessions_app.AgentSession": handoffs._SESSION,
    "sessions_app.Handoff": handoffs._HANDOFF,
}
NOBODYS = "no secrets of people, nor rights over this installation"
TASTE = "how one person likes the pages here"
NOT = {
    "accounts.User": {
        **dict.fromkeys(("password", "email", "first_name", "last_name", "is_superuser", "is_staff"), NOBODYS),
        **dict.fromkeys(("last_login", "date_joined"), "of the account here"),
        **dict.fromkeys(("theme", "density", "keys", "machinery", "share_prompts", "ask_to_deposit"), TASTE),
        "inference_due_at": "work to do, found again by the sweep",
    },
    "accounts.Team": {
        "id": ANEW,
        **dict.fromkeys(("calls_per_minute", "most_insights"), "what a team may use of this installation"),
        **dict.fromkeys(("writes_stopped_at", "moved_to"), "how its move from this database stands"),
    },
    "accounts.Membership": {"id": ANEW, "team": PLACE, "created_at": "a new row's"},
    "accounts.ApiToken": {
        **dict.fromkeys(
            ("digest", "scopes", "narrowed", "expires_at", "revoked_at"), "it comes back as a name, revoked"
        ),
        **dict.fromkeys(("last_used_at", "last_used_from", "created_at"), "of the token here"),
        "id": ANEW,
    },
    "accounts.LogEntry": {"team": PLACE},
    "accounts.GuardTerm": {"id": ANEW, "team": PLACE},
    "accounts.Preference": {"id": ANEW, "team": PLACE},
    "knowledge.Insight": {
        **dict.fromkeys(("team", "number"), PLACE),
        **dict.fromkeys(("lexemes", "bm25", "bm25_recipe", "length", "prose", "heard", "fades_at"), COMPUTED),
        "favoured_at": "computed of its signals at import",
        "retrievable": "computed by PostgreSQL",
    },
    "knowledge.Anchor": {"id": ANEW, "insight": PLACE},
    "knowledge.FormerRef": {"id": ANEW, "insight": PLACE},
    "knowledge.Lexicon": {"team": PLACE, **dict.fromkeys(("documents", "length"), COMPUTED)},
    "knowledge.Pair": {"id": ANEW},
    "knowledge.Receipt": {"id": ANEW, "insight": PLACE},
    "knowledge.Signal": {"id": ANEW, "insight": PLACE},
    "knowledge.Corroboration": {"id": ANEW, "insight": PLACE},
    "knowledge.Topic": {"team": PLACE},
    "knowledge.SavedFilter": {"id": ANEW, "team": PLACE},
    "skills.Skill": {"id": ANEW, "team": PLACE},
    "skills.SkillVersion": {"id": ANEW, "skill": PLACE},
    "skills.Trigger": {"id": ANEW, "version": PLACE},
    "skills.Resource": {"id": ANEW, "skill": PLACE},
    "skills.SkillUse": {"id": ANEW, "skill": PLACE},
    "sessions_app.Annotation": {"id": ANEW, "team": PLACE},
    "sessions_app.AgentSession": {
        "team": PLACE,
        "deposit_asked_at": "its agent was asked once, while it ran",
        "read_by_model_at": "work that is done once here",
        "conversation_in": "conversations are written apart, if at all, each where it is stored",
    },
    "sessions_app.Handoff": {"id": ANEW, **dict.fromkeys(("session", "team", "repo"), PLACE)},
}
# Whole rows: what was forgotten, masked or withheld comes back without its words, and an import leaves a line.
SHOWN = {
    "knowledge.Insight": "WHERE quarantined_at IS NULL AND forgotten_at IS NULL",
    "accounts.LogEntry": f"WHERE NOT withheld AND verb <> '{team_vault.IMPORTED}'",
}
SHOWN["sessions_app.AgentSession"] = f"WHERE id IN (SELECT session_id FROM {Handoff._meta.db_table})"
# What comes back as something else, on purpose: a digest of a session's id, words that were forgotten or masked.
OTHERWISE = {"session_key", "key", "digest"}


def models() -> list[type[Model]]:
    """Every table of ours."""
    found = [model for app in APPS for model in apps.get_app_config(app).get_models()]
    return [model for model in found if not model._meta.proxy]


def columns(model: type[Model]) -> list[Any]:
    return list(model._meta.concrete_fields)


def written(label: str) -> set[str]:
    return {*LISTED.get(label, ()), *NAMED.get(label, ())}


class TestEveryColumn:
    @cases("model", models(), ids=lambda model: model._meta.label)
    def test_is_in_the_vault_or_it_is_said_why_not(self, model: type[Model]) -> None:
        label = model._meta.label
        if label in NO_TABLE:
            assert label not in {**LISTED, **NAMED, **NOT}
            return
        there = {column.name for column in columns(model)}
        reasons = set(NOT.get(label, {}))
        assert written(label) | reasons == there
        assert not written(label) & reasons

    def test_that_is_written_comes_back(self, alice: Member, bob: Member, charlie: Member, tmp_path: Path) -> None:
        moment = make_world(alice, bob, charlie)
        before = dict(rows())
        export(shared=tmp_path / "a", personal=tmp_path / "mine")
        lose_everything()
        import_vault(shared=tmp_path / "a", personal=tmp_path / "mine", by=SYSTEM, now=moment + timedelta(days=1))
        after = dict(rows())
        for label, counted in before.items():
            assert after[label] == counted, label


def rows() -> Iterator[tuple[str, Counter[str]]]:
    """Of every table in the vault its rows, by the values of the written columns that name no other row."""
    for model in models():
        label = model._meta.label
        names = [
            column.column
            for column in columns(model)
            if column.name in written(label) - OTHERWISE and not column.is_relation and column.name != "id"
        ]
        if label in NO_TABLE or not names:
            continue
        some = ", ".join(f'"{name}"' for name in names)
        where = SHOWN.get(label, "")
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT to_jsonb(t) FROM (SELECT {some} FROM "{model._meta.db_table}" {where}) t')
            yield label, Counter(json.dumps(row, sort_keys=True) for (row,) in cursor.fetchall())
