"""Tables as Markdown."""

from sessions_app.lab.metrics.tables import Table, decimal
from tests.cases import cases


class TestMarkdown:
    def test_is_aligned_and_has_its_title_and_note(self):
        table = Table("Sizes", ["set", "documents"], [["cosqa", "6,267"], ["a", "1"]], "Counted.")
        assert table.markdown.splitlines() == [
            "**Sizes**",
            "",
            "| set   | documents |",
            "| ----- | --------: |",
            "| cosqa |     6,267 |",
            "| a     |         1 |",
            "",
            "Counted.",
        ]


class TestDecimal:
    @cases(("value", "text"), [(0.6647, ".665"), (1.0, "1.000"), (-0.0112, "−.011"), (-0.0001, ".000"), (0.0, ".000")])
    def test_has_no_zero_before_the_point(self, value, text):
        assert decimal(value) == text

    def test_has_as_many_places_as_asked_for(self):
        assert decimal(0.38, 2) == ".38"
