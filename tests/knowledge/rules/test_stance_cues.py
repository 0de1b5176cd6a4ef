import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.rules.stance_cues import AKIN, LONGEST_COMPARED, CueKind, alike, conflicts


def kinds(a, b, akin=None):
    return {(cue.kind.value, cue.hard) for cue in conflicts(a, b, akin)}


HARD = [
    ("negation", "Retry the payment webhook on a 409.", "Never retry the payment webhook on a 409, it charges twice."),
    ("negation", "GET /health requires a token.", "GET /health needs no token."),
    ("negation", "Backfills run during the day.", "Backfills are forbidden during the day."),
    ("switch", "We use Jest for all front-end tests.", "We no longer use Jest for front-end tests."),
    ("switch", "Async code runs on async-std.", "Async code has been migrated from async-std to tokio."),
    ("switch", "Deploys go through Jenkins.", "Deploys go through Actions, Jenkins has been switched off."),
    ("switch", "The library supports Python 3.9.", "The library needs 3.11; support for 3.9 has ended."),
    ("preference", "Use testify suites rather than tables.", "Use tables rather than testify suites."),
    ("preference", "Prefer UUIDs over bigints for keys.", "Prefer bigints over UUIDs for keys."),
    ("antonym", "Use public subnets for build agents.", "Use private subnets for build agents."),
    ("antonym", "Leave autovacuum on for the events table.", "Turn off autovacuum on the events table."),
    ("antonym", "Telemetry is enabled in the SDK.", "Disable telemetry in the SDK."),
    ("antonym", "Mount the volume at boot.", "Unmount the volume at boot."),
]
SOFT = [
    ("number", "Set ef_search to 40 for the catalogue index.", "Set ef_search to 400 for the catalogue index."),
    ("number", "The service listens on port 7001.", "The service listens on port 8102."),
    ("number", "Sessions expire after 14 days.", "Sessions expire after 12 hours."),
    ("number", "Run one beat process.", "Run two beat processes."),
    ("version", "Base services on node:18-alpine.", "Base services on node:22-alpine."),
    ("version", "Stay on 1.2.3 of the driver.", "Stay on 1.2.4 of the driver."),
    ("name", "Install with yarn in the web repo.", "Install with pnpm in the web repo."),
    ("name", "The charset of orders is utf8.", "The charset of orders is utf8mb4."),
    ("name", "Plant 9fe04c drains its queue on deploy.", "Plant 204815 drains its queue on deploy."),
    ("alternative", "Branches are cut on Monday.", "Branches are cut on Friday."),
    ("alternative", "Log level in staging is warning.", "Log level in production is warning."),
    ("antonym", "Run migrations before the pods start.", "Run migrations after the pods start."),
    ("order", "Call init ahead of connect.", "Call connect ahead of init."),
    ("word", "Flags are stored per user.", "Flags are stored per tenant."),
    ("switch", "State is stored in a bucket.", "State has moved to the cloud."),
    ("negation", "Show stack traces to API clients.", "Do not return stack traces to API clients."),
    ("negation", "Deploy on any day you like.", "No deploys on Fridays after noon."),
]
NONE = [
    (
        "Always run beat as one single process, never two, or jobs fire twice.",
        "Never run beat as two processes: always one single process, or jobs fire twice.",
    ),
    ("Always validate redirect targets.", "Never redirect to a target that has not been validated."),
    ("Use factories in tests instead of fixtures.", "Tests use factories, not fixtures."),
    ("Long polling was dropped in favour of events.", "We use events instead of long polling."),
    ("Locks expire after 60 seconds.", "A lock expires after a minute."),
    ("Never log the authorization header.", "Keep the authorization header out of all logs."),
    ("The nightly job may not start before the backup.", "Start the nightly job only after the backup."),
    ("Compression is off for tokens.", "We don't compress tokens."),
    ("Retry 5xx responses three times.", "Retry 5xx responses."),
    ("Retry on a 409", "Retry on a 409"),
]


class TestConflicts:
    @pytest.mark.parametrize(("kind", "a", "b"), HARD)
    def test_find_what_one_denies_drops_or_reverses(self, kind, a, b):
        assert (kind, True) in kinds(a, b)

    @pytest.mark.parametrize(("kind", "a", "b"), SOFT)
    def test_find_what_a_merge_would_lose(self, kind, a, b):
        assert (kind, False) in kinds(a, b)
        assert not any(hard for _, hard in kinds(a, b))

    @pytest.mark.parametrize(("a", "b"), NONE)
    def test_find_nothing_between_two_ways_to_say_it(self, a, b):
        assert kinds(a, b) == set()

    @pytest.mark.parametrize(("_", "a", "b"), [*HARD, *SOFT, *(("none", a, b) for a, b in NONE)])
    def test_do_not_depend_on_the_order(self, _, a, b):
        assert kinds(a, b) == kinds(b, a)

    def test_give_the_words_they_rest_on_hard_ones_first(self):
        first, *others = conflicts("Retry on 409 three times.", "Never retry on 409 five times.")
        assert first.hard and first.kind is CueKind.NEGATION
        assert [str(cue) for cue in others] == ["number: three / five"]

    @pytest.mark.parametrize(("near", "found"), [(AKIN - 0.01, {("word", False)}), (AKIN, set())])
    def test_take_words_that_mean_the_same_for_one(self, near, found):
        assert kinds("Clear the cart at night", "Clear the basket at night", akin=lambda a, b: near) == found

    def test_forbid_to_merge_what_is_too_long_to_compare(self):
        text = "word " * (LONGEST_COMPARED // 5)
        assert kinds(text, f"{text}more") == {("length", False)}
        assert kinds(text, text) == set()

    @given(st.text(max_size=300), st.text(max_size=300))
    def test_stand_any_text(self, a, b):
        assert kinds(a, b) == kinds(b, a)
        assert kinds(a, a) == set()


class TestAlike:
    def test_looks_at_words_and_not_at_marks(self):
        assert alike("Use `uv`, not pip!", "use uv not pip")

    def test_tells_words_apart(self):
        assert not alike("Use uv", "Use uvx")
