"""One word, or two, that stand where the other text has others: what an on is to an off."""

from knowledge.judging.rules.careful import cues_between
from knowledge.judging.rules.relations import Cue, CueKind
from tests.cases import cases


def words(old: str, new: str) -> list[Cue]:
    return [cue for cue in cues_between(old, new) if cue.kind is CueKind.WORD]


@cases(
    ("old", "new", "first", "second"),
    [
        ("Exclude vendored code from the coverage.", "Include vendored code in the coverage.", (), ()),
        (
            "The nightly export runs before the backup.",
            "The nightly export runs after the backup.",
            ("before",),
            ("after",),
        ),
        ("Answers of the gateway are cached.", "Answers of the gateway are uncached.", ("cached",), ("uncached",)),
        (
            "Answers of the gateway are cached\nAnswers of the `gateway` are cached.",
            "Answers of the gateway are uncached\nAnswers of the `gateway` are uncached.",
            ("cached",),
            ("uncached",),
        ),
        ("Use the blue pool for staging jobs.", "Use the dark red pool for staging jobs.", ("blue",), ("dark", "red")),
    ],
)
def test_one_place_that_differs_is_a_strong_cue(
    old: str, new: str, first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    assert words(old, new) == ([Cue(CueKind.WORD, True, first, second)] if first else [])


@cases(
    ("old", "new"),
    [
        ("We organise the imports by isort alone.", "We organize the imports by isort alone."),
        ("The lock is taken before the row is read.", "Before the row is read the lock is taken."),
        ("Run beat once.", "Run beat as one process, or every job fires twice."),
        ("Deploy on Fridays.", "Ship it Mondays."),
        ("Set the flag.", "Clear the flag."),
    ],
)
def test_a_spelling_more_words_and_hardly_anything_shared_are_none(old: str, new: str) -> None:
    assert words(old, new) == []
