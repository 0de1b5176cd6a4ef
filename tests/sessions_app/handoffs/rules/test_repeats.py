"""What counts as said again."""

from sessions_app.handoffs.rules.repeats import without
from tests.cases import cases

SAX = ("Stream with SAX", "memory is capped")


@cases(
    ("text", "told", "left"),
    [
        ("Two tests are red. It streams now.", [("It streams; two tests are red. So I stop.",)], "It streams now."),
        ("We decided to stream with SAX, because memory is capped.", [SAX], ""),
        ("So from now on: stream with SAX (memory is capped)!", [SAX], ""),
        # Only a part of what was decided, or more than it.
        ("We decided to stream with SAX.", [SAX], "We decided to stream with SAX."),
        (
            "Stream with SAX since memory is capped at 512 MB.",
            [SAX],
            "Stream with SAX since memory is capped at 512 MB.",
        ),
        (
            "Stream with SAX, because memory is capped, except for the exports of the old tenants.",
            [SAX],
            "Stream with SAX, because memory is capped, except for the exports of the old tenants.",
        ),
        ("Raise it to 60 files a day.", [("Raise it to 40 files a day.",)], "Raise it to 60 files a day."),
        ("Done. All green.", [("Done. All green.",)], "Done. All green."),
        ("Nothing was told of this one.", [("",), ()], "Nothing was told of this one."),
        ("", [SAX], ""),
    ],
)
def test_only_what_is_told_word_for_word_goes(text: str, told: list[tuple[str, ...]], left: str) -> None:
    assert without(text, told) == left


def test_something_stands_in_its_place() -> None:
    assert without("It streams now with SAX. Lock next.", [("It streams now with SAX.",)], "…") == "… Lock next."
