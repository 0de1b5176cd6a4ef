"""How long a measurement will take, by what is over and what was expected."""

import pytest

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
