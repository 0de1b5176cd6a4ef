"""Whether a note has all that another one says."""

from knowledge.retrieval.rules.repeated import repeats
from tests.cases import cases

NOTE = "The queue is in eu-central-1. Its shards are `a` and `b`:\n- resize with `shardctl grow`"


@cases(
    "text",
    [
        NOTE,
        f"{NOTE}\n- and run `fix` first",
        f"Wrong since the upgrade: use `fix`. {NOTE}",
        f"**The queue is in EU-central-1!** Also: run `fix`. {NOTE.partition('. ')[2]}",
    ],
)
def test_one_that_only_adds_does(text: str) -> None:
    assert repeats(text, NOTE)


@cases(
    "text",
    [
        "",
        NOTE.replace("eu-central-1", "eu-west-1"),
        NOTE.replace("The queue is", "No longer: the queue was"),
        NOTE.replace("resize with", "never resize with"),
        "The queue is in eu-central-1.",
    ],
)
def test_one_that_changes_or_leaves_out_a_sentence_does_not(text: str) -> None:
    assert not repeats(text, NOTE)


def test_nothing_is_repeated_of_a_note_without_words() -> None:
    assert not repeats(NOTE, "---")
