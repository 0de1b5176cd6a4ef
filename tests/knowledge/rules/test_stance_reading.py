import pytest

from knowledge.rules.stance_reading import read


def signs(text):
    return {token.text: token.sign for token in read(text).content}


def over(text):
    return [token.text for token in read(text).content if token.over]


class TestSigns:
    def test_deny_what_follows_a_negator_within_its_clause(self):
        found = signs("Always run beat as one process, never two")
        assert (found["process"], found["two"]) == (1, -1)

    @pytest.mark.parametrize(
        "text",
        [
            "Do not retry the webhook",
            "Never retry the webhook",
            "Don’t retry the webhook",
            "Avoid retries of the webhook",
            "Retries of the webhook are forbidden",
            "Nobody may retry the webhook",
            "Stop retrying the webhook",
        ],
    )
    def test_deny_in_many_words(self, text):
        assert signs(text)["webhook"] == -1

    @pytest.mark.parametrize("text", ["Retry the webhook", "Not only retry the webhook", "Stop the webhook"])
    def test_affirm_the_rest(self, text):
        assert signs(text)["webhook"] == 1

    @pytest.mark.parametrize(
        "text",
        [
            "Do not retry the webhook unless it has a key",
            "If the webhook is open, close it",
            "Close it because the webhook is open",
        ],
    )
    def test_leave_open_what_is_conditional_supposed_or_a_reason(self, text):
        assert signs(text)["webhook"] == 0

    def test_leave_open_what_is_denied_twice(self):
        assert signs("Never keep a webhook that was not closed")["closed"] == 0

    def test_take_since_for_a_time_where_a_sentence_begins(self):
        assert signs("Since version 8 the driver does not follow redirects")["redirects"] == -1
        assert signs("Follow them yourself since the driver does not follow redirects")["redirects"] == 0

    def test_deny_a_thing_that_is_not_safe(self):
        assert signs("localStorage is not safe")["localstorage"] == -1

    def test_deny_the_subject_of_an_elliptic_sentence(self):
        assert signs("Tagged images are deployed, latest is not.")["latest"] == -1


class TestLeftBehind:
    @pytest.mark.parametrize(
        ("text", "left"),
        [
            ("We no longer use Jest", ["use", "jest"]),
            ("We switched from Jest to Vitest", ["jest"]),
            ("Use Vitest instead of Jest for units", ["jest"]),
            ("Prefer Vitest over Jest for units", ["jest"]),
            ("Prefer Vitest to Jest", ["jest"]),
            ("Jest was replaced by Vitest", ["jest"]),
            ("Vitest replaced Jest", ["jest"]),
            ("We dropped Jest in favour of Vitest", ["jest"]),
            ("Jest was dropped in favour of Vitest", ["jest"]),
            ("Jest is deprecated", ["jest"]),
            ("We gave up Jest", ["jest"]),
            ("We stopped using Jest", ["jest"]),
            ("Use Vitest, not Jest", ["jest"]),
            ("Jest has been switched off", ["jest"]),
        ],
    )
    def test_is_what_somebody_gave_up(self, text, left):
        assert over(text) == left

    @pytest.mark.parametrize(
        "text",
        [
            "Jest can be removed",
            "Jest is not deprecated",
            "The meat was dropped into a pan",
            "Copy from Jest to Vitest",
            "They prefer to wait for Jest",
        ],
    )
    def test_is_nothing_where_nothing_was_given_up(self, text):
        assert over(text) == []


class TestReading:
    def test_has_the_parts_of_a_name(self):
        (name,) = read("requests.Session").content
        assert read("share one session").has(name)

    def test_reads_an_empty_text(self):
        assert read("").content == ()
        assert read("").clauses == ()
