from knowledge.rules.numbers import without_unsupported
from tests.cases import cases


class TestWithoutUnsupported:
    @cases(
        ("content", "supports"),
        [
            ("It waits 40 seconds [1].", ["after 40 seconds"]),
            ("1. Wait 1,000 ms [12].", ["1000 milliseconds"]),
            ("At 10:45 [1].", ["from 10 to 45"]),
            ("About .5 [1] or 0.50 [2].", ["0.5", "x.5"]),
            ("No number [3].", []),
            ("Version 3.11 [1].", ["Python 3.11"]),
            ("Ports 80, 443 [1].", ["443 and 80"]),
        ],
    )
    def test_keeps_what_a_text_says(self, content: str, supports: list[str]) -> None:
        assert without_unsupported(content, supports) == (content, [])

    def test_drops_the_sentence_and_keeps_its_neighbours(self) -> None:
        kept, dropped = without_unsupported(
            "Stop it [1]. It takes 45 minutes [1]. Start it [2].\n- 7 times [1].", ["4"]
        )
        assert kept == "Stop it [1]. Start it [2]."
        assert dropped == ["It takes 45 minutes [1].", "- 7 times [1]."]
