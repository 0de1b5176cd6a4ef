"""A question for a decision is searched by its subject."""

from sessions_app.conversations.rules.question import subject_of
from tests.cases import cases


@cases(
    ("question", "subject"),
    [
        ("What did we decide on retries of the carrier API?", "retries of the carrier API?"),
        ("what have we agreed about the cache ttl of sessions", "cache ttl of sessions"),
        ("What was decided about the retention of logs?", "retention of logs?"),
        ("Which limit did the team settle on for uploads per user?", "for uploads per user?"),
        ("how did we decide to do with flaky tests in CI", "flaky tests in CI"),
        ("How often do we retry the carrier API?", None),
        ("Why does the night run stop?", None),
        ("What did we decide on it?", None),
        ("decide on retries", None),
        ("", None),
    ],
)
def test_is_what_follows_such_a_beginning(question: str, subject: str | None) -> None:
    found = subject_of(question)
    if subject is None:
        assert found == question
    else:
        assert found.removeprefix("the ") == subject
