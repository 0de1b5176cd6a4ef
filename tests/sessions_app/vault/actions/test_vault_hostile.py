"""Whatever people and agents write, it comes out of a vault as it went in."""

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.actions.members import member_of
from accounts.models import Team, User
from accounts.rules.refused import Refused
from accounts.rules.rights import SYSTEM, Level
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind as Verdict
from knowledge.models import Anchor, Corroboration, Insight, Signal
from knowledge.review.actions import combine, curate, settle
from knowledge.review.actions.forget import forget
from sessions_app.vault.actions.vault import export, import_vault
from tests.conftest import EXAMPLES, NOW, person
from tests.factories import make_insight
from tests.sessions_app.vaults import lose_everything, tree

# What a column takes: anything but NUL and surrogates.
LETTERS = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
PIECES = st.one_of(
    st.text(LETTERS, max_size=40),
    st.sampled_from(
        [
            *("---", "\n---\n", "```", "\n```\n", "%% loam: history %%\n", "\n%% loam: reasoning %%\n", "\\%% loam:"),
            *(
                "[[PLAT-1]]",
                "../../etc/passwd",
                "!!python/object",
                "&a *a",
                "\r\n",
                "\x85",
                "\u2028",
                "\ufeff",
                "{{",
                "=1+1",
            ),
            *("yes", "null", "1e3", "2026-01-01", "key: value", "# title", "\t", " "),
        ]
    ),
)
WORDS = st.lists(PIECES, min_size=1, max_size=6).map("".join)
ROW = st.fixed_dictionaries(
    {
        "title": WORDS.map(lambda text: text[:200]).filter(bool),
        "body": WORDS.filter(bool),
        "reasoning": WORDS,
        "repo": WORDS.map(lambda text: text[:200]),
        "tags": st.lists(WORDS.map(lambda text: text[:400]).filter(bool), max_size=3, unique=True),
        "said": WORDS.filter(bool),
        "question": WORDS,
        "draft": st.dictionaries(WORDS, st.recursive(WORDS | st.floats(-1e9, 1e9), lambda x: st.lists(x, max_size=3))),
        "strength": st.floats(0, 100),
    }
)

# What happens to two of the rows (by place), for a reason in any words.
ACTS = ("merge", "supersede", "report", "unmerge", "promote", "deprecate", "pin", "leave", "tag", "rate", "forget")
ACT = st.tuples(st.sampled_from(ACTS), st.integers(0, 4), st.integers(0, 4), WORDS)


def _begin() -> Any:
    lose_everything()
    team = Team.objects.create(name="Platform", slug="platform", prefix="PLAT")
    user = person("alice", team, Level.LEAD)
    return member_of(user=User.objects.get(pk=user.pk))


def _store(row: dict[str, Any], alice: Any) -> str:
    """Past every cleaning a door would do: what is in the database comes back, however it got there. Its reference."""
    kept = make_insight(alice, body="Any lesson.", team="platform")
    fields = {name: row[name] for name in ("title", "body", "reasoning", "repo", "strength")}
    Insight.objects.filter(pk=kept.pk).update(**fields)
    Anchor.objects.bulk_create(Anchor(insight=kept, kind="tag", value=tag) for tag in row["tags"])
    said = {
        "kind": "SOLUTION",
        "title": row["title"],
        "body": row["said"],
        "draft": row["draft"],
        "source_type": "agent",
    }
    Corroboration.objects.create(insight=kept, at=NOW, session_key=row["title"][:80], **said)
    Signal.objects.create(insight=kept, kind="helpful", at=NOW, session_key="x", question=row["question"])
    return kept.ref


def _act(what: str, ref: str, other: str, why: str, alice: Any) -> None:
    """One act of a lead, as the doors would have it done; what is refused is not done."""
    said = {"by": alice, "now": NOW, "why": why}
    with suppress(Refused):
        if what == "merge":
            combine.merge(ref=ref, into=other, **said)
        elif what == "supersede":
            combine.supersede(ref=ref, by_ref=other, **said)
        elif what == "unmerge":
            said_again = Corroboration.objects.filter(insight__ref=ref, unmerged_into=None).first()
            combine.unmerge(ref=ref, corroboration=said_again.pk if said_again else 0, **said)
        elif what == "report":
            settle.report(a=ref, b=other, reason=why or "so", by=alice, now=NOW)
        elif what == "tag":
            row = Insight.objects.get(ref=ref)
            curate.edit(ref=ref, changes={"tags": [why[:60] or "x"]}, revision=row.revision, **said)
        elif what == "rate":
            rate(refs=[ref], verdict=Verdict.HELPFUL, reason=why, by=alice, now=NOW)
        elif what == "forget":
            forget(ref=ref, why=why or "so", by=alice, now=NOW)
        else:
            getattr(curate, what)(ref=ref, **said)


class TestHostileWords:
    @settings(max_examples=EXAMPLES // 10, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(rows=st.lists(ROW, min_size=1, max_size=3))
    def test_make_the_same_vault_again(self, rows: list[dict[str, Any]], db: None) -> None:
        alice = _begin()
        for row in rows:
            _store(row, alice)
        _there_and_back()

    @settings(max_examples=EXAMPLES // 10, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(rows=st.lists(ROW, min_size=2, max_size=5), acts=st.lists(ACT, min_size=1, max_size=8))
    def test_whatever_was_done_to_them(
        self, rows: list[dict[str, Any]], acts: list[tuple[str, int, int, str]], db: None
    ) -> None:
        """Merged, superseded, parted, rated, forgotten: the links and the history of it too."""
        alice = _begin()
        refs = [_store(row, alice) for row in rows]
        for what, one, other, why in acts:
            _act(what, refs[one % len(refs)], refs[other % len(refs)], why, alice)
        _there_and_back()


def _there_and_back() -> None:
    """Export, lose everything, import, export: the same rows, and the same files byte for byte."""
    with tempfile.TemporaryDirectory() as folder:
        one, other = Path(folder) / "one", Path(folder) / "other"
        export(shared=one)
        before = _rows()
        lose_everything()
        import_vault(shared=one, by=SYSTEM, now=NOW)
        assert _rows() == before
        export(shared=other)
        assert tree(other) == tree(one)


def _rows() -> list[Any]:
    names = ("title", "body", "reasoning", "repo", "strength", "status", "corroboration_count", "superseded_by__ref")
    return list(Insight.objects.filter(forgotten_at=None).order_by("number").values_list("ref", *names))
