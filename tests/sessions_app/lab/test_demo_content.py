"""The demo corpus is content people read and search first, so its shape is held like code."""

import json
import re
import unicodedata
from collections import Counter
from pathlib import Path

from knowledge.lifecycle.rules.decay import INITIAL, days_until
from knowledge.lifecycle.rules.lifecycle import DEPRECATED_BELOW
from knowledge.rules.vocabulary import Status

CONTENT = Path(__file__).resolve().parents[3] / "sessions_app/lab/demo/content"

KINDS = {"SOLUTION", "PATTERN", "PITFALL", "CONTEXT", "WORKFLOW", "DEPENDENCY", "DECISION"}
STABILITY = {"evergreen", "stable", "evolving"}
AUTHORS = {"platform": {"alice", "bob"}, "mobile": {"charlie"}}
FIELDS = {
    "team": str,
    "kind": str,
    "title": str,
    "body": str,
    "reasoning": str,
    "tags": list,
    "files": list,
    "symbols": list,
    "repo": str,
    "error": str,
    "stability": str,
    "author": str,
    "promoted": bool,
    "pinned": bool,
    "age_days": int,
}
SUBJECTS = {
    "celery",
    "ci",
    "django",
    "docker_ops",
    "frontend",
    "git",
    "http_apis",
    "mobile",
    "postgresql",
    "python",
    "security",
    "testing",
}

# One insight is read in one glance and embedded whole: the embedder cuts off at 256 word pieces.
BODY_WORDS = range(40, 141)
TITLE_LENGTH = 90
# Unicode categories that leave no mark: format, control, private use, surrogate.
INVISIBLE = {"Cf", "Cc", "Co", "Cs"}
EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.[a-z]{2,}", re.IGNORECASE)


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


FILES = sorted(CONTENT.glob("*.jsonl"))
ROWS = [(f"{path.stem}:{n}", row) for path in FILES for n, row in enumerate(read(path), 1)]


def text_of(row: dict) -> str:
    return "\n".join(str(value) for value in row.values())


def of_each_row(test):
    """One test for all rows, which names the place of each that is wrong: a hundred rows were a thousand tests."""

    def of_all(self):
        wrong = {}
        for place, row in ROWS:
            try:
                test(self, row)
            except AssertionError as fault:
                wrong[place] = str(fault)
        assert wrong == {}

    of_all.__name__ = test.__name__
    return of_all


class TestEachInsight:
    @of_each_row
    def test_has_exactly_the_known_fields(self, row):
        assert {name: type(value) for name, value in row.items() if name != "relations"} == FIELDS

    @of_each_row
    def test_uses_words_from_the_closed_lists(self, row):
        assert row["kind"] in KINDS
        assert row["stability"] in STABILITY
        assert row["author"] in AUTHORS[row["team"]]

    @of_each_row
    def test_has_a_short_title_and_a_body_of_one_glance(self, row):
        assert 0 < len(row["title"]) <= TITLE_LENGTH
        assert len(row["body"].split()) in BODY_WORDS

    @of_each_row
    def test_gives_reasons_for_a_decision(self, row):
        assert row["kind"] != "DECISION" or len(row["reasoning"].split()) >= 15

    @of_each_row
    def test_can_be_found_by_its_surroundings(self, row):
        assert 2 <= len(row["tags"]) <= 5
        assert len(set(row["tags"])) == len(row["tags"])
        assert all(re.fullmatch(r"[a-z0-9][a-z0-9-]*", tag) for tag in row["tags"])
        assert not any(path.startswith("/") for path in row["files"])
        assert row["repo"].startswith("acme/")

    @of_each_row
    def test_is_of_a_plausible_age(self, row):
        assert 0 <= row["age_days"] <= 120

    @of_each_row
    def test_of_a_draft_is_younger_than_a_draft_lives(self, row):
        """What nobody has confirmed for longer would have been deprecated by the sweep, and is no picture of a team."""
        days = days_until(INITIAL, DEPRECATED_BELOW, Status.DRAFT, row["stability"], False, row["kind"])
        assert row["promoted"] or row["age_days"] <= days - 5

    @of_each_row
    def test_hides_no_invisible_characters(self, row):
        assert [c for c in text_of(row) if c not in "\n\t" and unicodedata.category(c) in INVISIBLE] == []

    @of_each_row
    def test_names_no_mail_address(self, row):
        assert EMAIL.findall(text_of(row)) == []


class TestTheCorpus:
    def test_states_relations_to_notes_of_the_team_before_it(self):
        before = set()
        for _, row in ROWS:
            relations = row.get("relations", {})
            assert {(row["team"], title) for title in relations} <= before
            assert set(relations.values()) <= {"complements", "unrelated"}
            before.add((row["team"], row["title"]))

    def test_covers_the_subjects_with_eight_or_more_each(self):
        sizes = Counter(place.split(":")[0] for place, _ in ROWS)
        assert set(sizes) >= SUBJECTS
        assert min(sizes.values()) >= 8

    def test_is_large_enough_and_mostly_platform(self):
        teams = Counter(row["team"] for _, row in ROWS)
        assert teams.total() >= 96
        assert teams["mobile"] >= 16
        assert teams["platform"] >= 80

    def test_keeps_the_mobile_subject_with_the_mobile_team(self):
        assert all((row["team"] == "mobile") == place.startswith("mobile:") for place, row in ROWS)

    def test_uses_every_kind_several_times(self):
        kinds = Counter(row["kind"] for _, row in ROWS)
        assert set(kinds) == KINDS
        assert min(kinds.values()) >= 4

    def test_repeats_no_title_and_no_body(self):
        for field in ("title", "body"):
            seen = Counter(row[field].casefold() for _, row in ROWS)
            assert [value for value, times in seen.items() if times > 1] == []

    def test_carries_errors_to_fingerprint(self):
        assert sum(bool(row["error"]) for _, row in ROWS) >= 15

    def test_promotes_about_a_third_and_pins_a_few_of_those(self):
        promoted = sum(row["promoted"] for _, row in ROWS)
        assert 0.25 <= promoted / len(ROWS) <= 0.45
        pinned = [row for _, row in ROWS if row["pinned"]]
        assert 2 <= len(pinned) <= 3
        assert all(row["promoted"] for row in pinned)
