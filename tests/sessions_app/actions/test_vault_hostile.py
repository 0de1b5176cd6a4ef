"""Whatever people and agents write, it comes out of a vault as it went in."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.actions.members import member_of
from accounts.models import Team, User
from accounts.rules.rights import SYSTEM, Level
from knowledge.models import Anchor, Corroboration, Insight, Signal
from sessions_app.actions.vault import export, import_vault
from tests.conftest import NOW, person
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
        "said": WORDS,
        "question": WORDS,
        "draft": st.dictionaries(WORDS, st.recursive(WORDS | st.floats(-1e9, 1e9), lambda x: st.lists(x, max_size=3))),
        "strength": st.floats(0, 100),
    }
)


def _begin() -> Any:
    lose_everything()
    team = Team.objects.create(name="Platform", slug="platform", prefix="PLAT")
    user = person("alice", team, Level.LEAD)
    return member_of(user=User.objects.get(pk=user.pk))


def _store(row: dict[str, Any], alice: Any) -> None:
    """Past every cleaning a door would do: what is in the database comes back, however it got there."""
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


class TestHostileWords:
    @settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(rows=st.lists(ROW, min_size=1, max_size=3))
    def test_make_the_same_vault_again(self, rows: list[dict[str, Any]], db: None) -> None:
        alice = _begin()
        for row in rows:
            _store(row, alice)
        with tempfile.TemporaryDirectory() as folder:
            one, other = Path(folder) / "one", Path(folder) / "other"
            export(shared=one)
            before = list(
                Insight.objects.order_by("number").values_list("title", "body", "reasoning", "repo", "strength")
            )
            lose_everything()
            import_vault(shared=one, by=SYSTEM, now=NOW)
            after = list(
                Insight.objects.order_by("number").values_list("title", "body", "reasoning", "repo", "strength")
            )
            assert after == before
            export(shared=other)
            assert tree(other) == tree(one)
