from random import Random

import pytest

from knowledge.rules import stance_edits as edits

NOTE = """
# Heading that is none of the sentences here at all

The `migrate` command takes a lock, because it alters the table. You can avoid that with a timeout of 5 seconds.

```bash
$ this is code and no sentence that anybody should learn from.
```

- a list item that is long enough to be a sentence of its own.

See [the manual of the database](https://example.org/a) for all of the other settings there are. Too short.
"""


class TestSentences:
    def test_are_the_prose_of_a_note(self):
        assert edits.sentences(NOTE) == [
            "The `migrate` command takes a lock, because it alters the table.",
            "You can avoid that with a timeout of 5 seconds.",
            "See the manual of the database for all of the other settings there are.",
        ]


class TestEdits:
    @pytest.mark.parametrize(
        ("text", "denied"),
        [
            ("The cache is shared by all workers.", "The cache is not shared by all workers."),
            ("You cannot merge it.", "You can merge it."),
            ("You should never merge it.", "You should always merge it."),
        ],
    )
    def test_deny(self, text, denied):
        assert edits.negated(text, Random(1)) == denied

    def test_deny_an_imperative(self):
        assert edits.negated("Use the cache.", Random(1)).endswith("use the cache.")

    def test_give_nothing_where_they_do_not_apply(self):
        assert edits.negated("Gone.", Random(1)) is None
        assert edits.opposite("Gone.", Random(1)) is None
        assert edits.another_value("Gone.", Random(1)) is None
        assert edits.switched("Gone.", Random(1), ["Vitest"]) is None
        assert edits.replaced("Gone.", Random(1), ["word"]) is None

    def test_exchange_a_word_for_its_opposite(self):
        assert edits.opposite("Keep it private.", Random(1)) == "Keep it public."

    @pytest.mark.parametrize("text", ["Wait 30 seconds.", "Use Python 3.11 here."])
    def test_change_a_value_and_nothing_else(self, text):
        changed = edits.another_value(text, Random(1))
        assert changed != text
        assert changed.split()[0] == text.split()[0]

    def test_give_up_a_name_for_another(self):
        made = edits.switched("We test it with Jest in the shop.", Random(1), ["Vitest"])
        assert "Jest" in made and "Vitest" in made

    def test_say_it_of_two_places(self):
        here, there = edits.elsewhere("it holds.", Random(1))
        assert here != there

    def test_can_be_repeated(self):
        text = "You can delete the folder because it is not used, and start the server again."
        assert edits.retold(text, Random(5)) == edits.retold(text, Random(5)) != text
