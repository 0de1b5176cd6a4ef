"""How long a measurement will take, by what is over and what was expected."""

import pytest

from knowledge.models import Insight
from sessions_app.lab.benchmark.expected import expected
from sessions_app.lab.metrics.outlook import ExpectedStep, Outlook


@pytest.fixture
def outlook():
    return Outlook([ExpectedStep("load", 100), ExpectedStep("index", 200), ExpectedStep("ask", 50)])


class TestOutlook:
    def test_begins_with_what_was_expected(self, outlook):
        assert outlook.left("load", 0.0, 0) == 350

    def test_follows_the_pace_of_the_machine(self, outlook):
        """Half of the load took as long as all of it should: everything takes twice as long here."""
        outlook.left("load", 0.0, 0)
        assert outlook.left("load", 0.5, 100) == 100 + 400 + 100

    def test_of_a_step_that_went_on_counts_what_this_run_has_done(self, outlook):
        outlook.left("load", 0.8, 0)
        assert outlook.left("load", 0.9, 10) == pytest.approx(10 + 200 + 50)

    def test_knows_the_pace_of_steps_that_are_over(self, outlook):
        outlook.left("load", 0.0, 0)
        assert outlook.left("index", 0.0, 50) == pytest.approx(100 + 25)

    def test_may_begin_later_and_leave_steps_out(self, outlook):
        assert outlook.left("ask", 0.0, 0) == 50

    def test_says_nothing_of_steps_that_nobody_expected(self, outlook):
        assert outlook.left("other", 0.5, 0) is None
        outlook.left("load", 0.0, 0)
        assert outlook.left("other", 0.5, 20) == 330

    def test_goes_through_the_sizes_of_the_benchmark_in_the_order_of_its_steps(self):
        """A step that came before it was expected would be taken for that of the next size."""
        steps = expected([1_000, 1_000_000])
        names = [step.name for step in steps[: len(steps) // 2]]
        indexes = [f"index {index.name}" for index in Insight._meta.indexes]
        assert [name for name in names if name in indexes] == [name for name in indexes if name in names]
        assert sum(step.seconds for step in steps) > 3_000
