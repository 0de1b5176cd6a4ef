"""Opposing wording, sentence against sentence."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.rules.contradiction_wording import agreeing, opposing, sentences

OPPOSED = [
    ("negation", "Cache the session endpoint for a minute.", "Do not cache the session endpoint."),
    ("negation", "Migrations may be edited after they were merged.", "Migrations must not be edited after the merge."),
    ("negation", "You can import models in migrations.", "Avoid importing models in migrations."),
    ("negation", "Enable gzip on the API gateway.", "Disable gzip on the API gateway, it weakens ETags."),
    ("negation", "Call close() on the pool at shutdown.", "Calling close() on the pool at shutdown is unsafe."),
    ("negation", "Deploys on Fridays are allowed.", "Deploys on Fridays are forbidden."),
    ("temporal", "In billing we use Jest for all tests.", "In billing we no longer use Jest, we use Vitest for tests."),
    ("temporal", "Feature flags live in LaunchDarkly.", "Feature flags were moved from LaunchDarkly to the repo."),
    ("temporal", "Dark mode colours come from CSS.", "Dark mode colours used to come from CSS variables."),
    ("preference", "Prefer composition over inheritance in forms.", "Prefer inheritance over composition in forms."),
    ("preference", "Use npm in the web repo.", "Use pnpm instead of npm in the web repo."),
    ("preference", "Use tabs for indentation in Go.", "Use spaces for indentation in Go."),
    ("preference", "The webhook timeout is 10 seconds.", "The webhook timeout is 30 seconds."),
    ("preference", "The search cluster has three replicas.", "The search cluster has five replicas."),
    ("preference", "Compress the backups with zstd.", "Compress the backups with gzip."),
    ("context", "Always lock rows before a refund.", "Lock rows before a refund only when the order is shared."),
]

NOT_OPPOSED = [
    ("Do not cache the session endpoint.", "The session endpoint must not be cached."),
    ("Use pnpm, not npm.", "We use pnpm instead of npm."),
    ("We switched from Jest to Vitest.", "Tests use Vitest, no longer Jest."),
    ("Prices include VAT in the shop.", "Prices do not include VAT in the wholesale portal."),
    ("Never log the card number.", "Log the request id on every line."),
    ("Set statement_timeout to 5 s for the web role.", "Set lock_timeout to 2 s for migrations."),
    ("This command can be used to list files.", "List the files with this command."),
    ("Access tokens expire after 15 minutes.", "Refresh tokens expire after 30 days."),
    ("It is not only fast, the cache is shared.", "The cache is fast and shared."),
    ("Liveness probes must not query the database.", "Readiness probes check the database."),
]


def families(one: str, other: str) -> list[str]:
    return [cue.family for cue in opposing(sentences(one), sentences(other))]


class TestOpposing:
    @pytest.mark.parametrize(("family", "one", "other"), OPPOSED)
    def test_finds_the_cue(self, family: str, one: str, other: str) -> None:
        assert family in families(one, other)
        assert family in families(other, one)

    @pytest.mark.parametrize(("one", "other"), NOT_OPPOSED)
    def test_lets_stand_what_only_looks_it(self, one: str, other: str) -> None:
        assert families(one, other) == []
        assert families(other, one) == []

    def test_quotes_what_stands_against_what(self) -> None:
        (cue,) = opposing(
            sentences("Set ef_search to 40 for the index."), sentences("Set ef_search to 400 for it: the index.")
        )
        assert cue.why == "40 against 400: “Set ef_search to 40 for the index.” against “Set ef_search to 400 for it”"

    def test_does_not_set_one_sentence_against_another_about_something_else(self) -> None:
        one = "The worker\n\nThe worker acknowledges a message after the run. Deploys do not touch its queue."
        other = "The queue\n\nDeploys wait at the gate for approval. A message is never lost when its broker restarts."
        assert families(one, other) == []

    def test_does_not_read_code(self) -> None:
        one = "Sessions\n\n```\ncache the session endpoint\n```\nRead the manual of it."
        assert families(one, "Do not cache the session endpoint.") == []

    def test_reads_wrapped_lines_as_one_sentence(self) -> None:
        wrapped = "Webhooks\n\nNever retry the payment\nwebhook on a 409."
        assert families("Retry the payment webhook on a 409.", wrapped) == ["negation"]

    @given(st.text(max_size=200), st.text(max_size=200))
    def test_finds_the_same_from_both_sides(self, one: str, other: str) -> None:
        assert families(one, other) == families(other, one)

    @given(st.text(max_size=200))
    def test_sets_no_text_against_itself(self, text: str) -> None:
        assert families(text, text) == []

    @pytest.mark.parametrize("unit", ["not ", "a, ", "moved ", "- a\n", "x" * 50 + " ", "the end. ", "(", "1 "])
    def test_reads_hostile_text_in_no_time(self, unit: str) -> None:
        began = time.process_time()
        opposing(sentences(unit * 20_000), sentences(unit * 20_000))
        assert time.process_time() - began < 1


class TestAgreeing:
    def test_is_so_for_the_same_denial_and_the_same_words(self) -> None:
        denial = sentences("Do not cache the session endpoint."), sentences("The session endpoint must not be cached.")
        assert agreeing(*denial)
        assert agreeing(sentences("Set PGTZ=UTC in tests."), sentences("In tests, PGTZ is set to UTC."))
        assert not agreeing(sentences("Set PGTZ=UTC in tests."), sentences("Set PGUSER in the shell."))
