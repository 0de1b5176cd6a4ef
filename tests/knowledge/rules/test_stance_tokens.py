import pytest

from knowledge.rules.stance_tokens import Sort, parts, stem, tokens


def content(text):
    return [token.text for token in tokens(text) if token.content]


def keys(text):
    return [token.key for token in tokens(text) if token.content]


class TestTokens:
    def test_leave_out_function_words_and_negators(self):
        assert content("The worker must never be run on the two nodes") == ["worker", "run", "two", "nodes"]

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("5s", "5 seconds"),
            ("60 seconds", "1 minute"),
            ("90 min", "1.5 hours"),
            ("1,000 rows", "1000 rows"),
            ("80%", "80 percent"),
            ("2 GB", "2048 MB"),
            ("two workers", "2 workers"),
            ("MP3s", "mp3"),
            ("front-end", "frontend"),
            ("folder", "directory"),
            ("ran", "running"),
            (".env", "env"),
        ],
    )
    def test_have_one_key_for_one_thing(self, one, other):
        assert keys(one) == keys(other)

    @pytest.mark.parametrize(
        ("one", "other"), [("5s", "5ms"), ("40", "400"), ("3.9", "3.11"), ("v1", "v1beta1"), ("node:18", "node:22")]
    )
    def test_have_two_keys_for_two_things(self, one, other):
        assert keys(one) != keys(other)

    @pytest.mark.parametrize(
        "name", ["ef_search", "--create-db", "Session.get", "useEffect", "UTC", "node:18-alpine", "C++", "redis"]
    )
    def test_tell_names_from_words(self, name):
        (token,) = tokens(f"set {name}")[1:]
        assert token.sort is Sort.NAME

    def test_take_a_capital_within_a_sentence_for_a_name(self):
        sorts = {token.text: token.sort for token in tokens("Tests use Mockito. Never mind.")}
        assert sorts["mockito"] is Sort.NAME
        assert sorts["tests"] is Sort.WORD

    def test_take_a_minute_for_a_number_that_is_no_figure(self):
        (token,) = [token for token in tokens("idle for a minute") if token.sort is Sort.NUMBER]
        assert (token.value, token.dimension, token.certain) == (60.0, "time", False)

    @pytest.mark.parametrize("text", ["turn off the cache", "keep it off for now", "the cache is off"])
    def test_mark_the_off_that_says_how_something_is_switched(self, text):
        assert "off!" in [token.text for token in tokens(text)]

    def test_leave_the_on_of_a_place_alone(self):
        assert "on" in [token.text for token in tokens("runs on the node")]

    def test_are_none_of_an_empty_text(self):
        assert tokens("") == []


class TestStem:
    def test_is_one_for_a_group_of_synonyms(self):
        assert stem("delete") == stem("removed") == stem("erasing")


class TestParts:
    def test_are_the_words_of_a_name(self):
        assert parts("user_id.clean") == (stem("user"), stem("clean"))
