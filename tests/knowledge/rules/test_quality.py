"""How much an insight tells."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.retrieval.rules.score import Score
from knowledge.rules.draft import derive_title
from knowledge.rules.quality import GATE, quality, rank_factor
from tests.cases import cases

JUNK = [
    "ok",
    ".",
    "test",
    "testing 123",
    "fixed it",
    "it works now",
    "asdf",
    "asdf qwer zxcv",
    "TODO",
    "n/a",
    "lgtm",
    "Fixed the bug.",
    "Updated the code and fixed the tests.",
    "I fixed the failing test by updating the implementation.",
    "refactored some stuff",
    "This is a note about something I learned today.",
    "Always write clean code.",
    "Make sure to follow best practices.",
    "Communication is key to success in every project.",
    "Security should be considered at every step of the development process.",
    "Documentation should always be kept up to date so that everyone on the team can understand the system.",
    "Code quality matters. Always write clean, readable and maintainable code, and remember to test everything before "
    "you deploy to production.",
    "Good code is better than bad code, so always try to write good code because bad code is hard to maintain.",
    "The task was completed successfully and all requirements were met. The code is clean and follows best practices.",
]

TERSE = [
    "Port 8102 is staging only.",
    "Use pnpm, not npm.",
    "Squash merges only.",
    "Staging has no swap.",
    "Tests use Vitest.",
    "Money is stored in cents.",
    "Deploys freeze on Fridays.",
    "Set PGTZ=UTC in tests.",
    "Never log the card number.",
    "`make seed` drops the database.",
    "Rotate the signing key every quarter.",
    "git push --force-with-lease",
    "The export job waits for the nightly lock.",
    "Only Bob can approve production migrations.",
    "KeyError 'tenant' means the registry was not warmed.",
    "The mobile app caches feature flags for an hour.",
    "Der Port 8102 ist nur für Staging.",
    "Les sauvegardes tournent la nuit à trois heures.",
    "ステージング環境のポートは8102です",
]

FULL = """On Redis, a task with `countdown=6*3600` ran up to six times: after `visibility_timeout` (one hour by default)
the transport takes the worker for dead and delivers the message again.

```python
broker_transport_options = {"visibility_timeout": 7 * 3600}
```

Better: keep `due_at` in the database and let beat sweep due rows, because a real crash is noticed sooner."""


def of(text: str) -> Score:
    return quality(derive_title(text), text)


def part(score: Score, name: str) -> float:
    return next(part.value for part in score.terms if part.name == name)


class TestQuality:
    @cases("text", JUNK)
    def test_is_under_the_gate_for_what_says_nothing(self, text: str) -> None:
        assert of(text).total < GATE

    @cases("text", TERSE)
    def test_is_over_the_gate_for_a_short_fact(self, text: str) -> None:
        assert of(text).total >= GATE

    def test_is_high_for_a_lesson_with_names_reason_and_example(self) -> None:
        assert of(FULL).total > 0.75

    def test_has_three_named_parts_that_say_why(self) -> None:
        score = of("Port 8102 is staging only.")
        assert [one.name for one in score.terms] == ["specificity", "actionability", "completeness"]
        assert score.terms[0].why == "names 8102; 2 of 2 other words are specific"
        assert score.total == pytest.approx(sum(one.worth for one in score.terms))

    def test_is_not_raised_by_saying_it_again(self) -> None:
        said = "Communication is key to success in every project. "
        assert of(said * 40).total < GATE
        assert part(of("Port 8102 is staging only. " * 20), "specificity") == pytest.approx(
            part(of("Port 8102 is staging only."), "specificity")
        )

    def test_does_not_count_instructions_about_nothing(self) -> None:
        vague, exact = of("Always use it because it is better."), of("Always use `ruff` because it is faster.")
        assert part(vague, "actionability") < 0.1 < 0.5 < part(exact, "actionability")

    @cases(
        ("more", "name"),
        [
            ("Port 8102 and 8103 are staging only.", "specificity"),
            ("Port 8102 is staging only, so never open it because it has no TLS.", "actionability"),
            ("Port 8102 is staging only, since production listens on another.", "completeness"),
        ],
    )
    def test_rises_in_the_part_that_has_more(self, more: str, name: str) -> None:
        assert part(of(more), name) > part(of("Port 8102 is staging only."), name)

    def test_counts_anchors_and_reasoning_as_completeness(self) -> None:
        body = "The registry must be warmed before the first request."
        bare = quality("", body).total
        assert quality("", body, anchors=2).total > bare
        assert quality("", body, reasoning="Otherwise each worker warms it by itself, under load.").total > bare

    def test_reads_a_title_only_once(self) -> None:
        body = "Beat must be a singleton. Two of them run each job twice."
        assert quality("Beat must be a singleton.", body).terms[0] == quality("", body).terms[0]

    @given(st.text(max_size=400), st.text(max_size=200), st.integers(0, 50))
    def test_is_between_0_and_1(self, title: str, body: str, anchors: int) -> None:
        score = quality(title, body, anchors=anchors)
        assert 0 <= score.total <= 1
        assert all(0 <= one.value <= 1 for one in score.terms)

    @cases("unit", ["a.", "-a", "a/", "a_", "aB", "a(", "`a ", "\n", " ", "A", "to ", "--", "あ"])
    def test_reads_hostile_text_in_no_time(self, unit: str) -> None:
        began = time.process_time()
        quality("title", unit * 100_000)
        assert time.process_time() - began < 1


class TestRankFactor:
    @cases(("of_quality", "factor"), [(0, 0.85), (0.15, 0.98), (0.5, 0.99), (0.85, 1), (1, 1)])
    def test_falls_gently_above_the_gate_and_steeply_below(self, of_quality: float, factor: float) -> None:
        assert float(rank_factor(of_quality)) == pytest.approx(factor)

    def test_takes_a_column(self) -> None:
        assert rank_factor(np.linspace(0, 1, 50)).shape == (50,)
        assert (np.diff(rank_factor(np.linspace(0, 1, 50))) >= 0).all()
