"""The mark of how something was seen, and a line of the log in words."""

from datetime import UTC, datetime, timedelta

from knowledge.review.rules import version_token
from tests.cases import cases

NOW = datetime(2026, 11, 22, 5, 30, 1, 123_457, tzinfo=UTC)


class TestMark:
    def test_is_another_for_another_state(self):
        states = [(1, None, NOW), (2, None, NOW), (1, 7, NOW), (1, None, NOW + timedelta(microseconds=1))]
        assert len({version_token.mark(*state) for state in states}) == len(states)

    def test_tells_the_moment_to_the_microsecond(self):
        assert version_token.moment(version_token.mark(3, 12, NOW)) == NOW

    @cases("text", ["", "x", "1.0.", "1.0.-5", "1.0.²", "1.0." + "9" * 18, "1.0.9e3"])
    def test_that_is_none_of_ours_is_of_the_beginning_of_time(self, text):
        assert version_token.moment(text) == version_token.EPOCH


class TestWords:
    def test_say_who_did_what_and_what_was_and_is(self):
        before, after = {"status": "draft", "strength": 50.0}, {"status": "promoted", "strength": 70.0}
        said = version_token.in_words("alice", "PLAT-1 promoted", before, after)
        assert said == "alice: PLAT-1 promoted (status: “draft” → “promoted”)"

    def test_are_cut_where_a_text_is_long(self):
        said = version_token.in_words("alice", "edited", {"tags": ["a"]}, {"tags": ["a", "b" * 500]})
        assert "tags: “a” → “a, bbb" in said
        assert len(said) < 2 * version_token.SHORT

    def test_say_the_line_alone_where_nothing_is_to_be_told(self):
        assert (
            version_token.in_words("alice", "PLAT-1 left", {"reviewed_at": None}, {"reviewed_at": "now"})
            == "alice: PLAT-1 left"
        )
