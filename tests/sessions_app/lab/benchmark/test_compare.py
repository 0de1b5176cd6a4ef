"""One run of the benchmark against an earlier one."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from sessions_app.lab.benchmark.benchmark import BenchmarkOutcome
from sessions_app.lab.benchmark.compare import comparable, compared, grown


def run(size=1_000, web=8.0, database=4.0, **over):
    query = {"p50": 20.0, "p95": 30.0, "web_ms": web, "database_ms": database}
    one = {"insights": size, "query": query, "statements": {"default": 13}, "database": "", **over}
    return {"date": "2026-11-26T01:00:00", "machine": {"cores": 2}, "versions": {"loam": "1.0"}, "sizes": [one]}


class TestComparison:
    def test_has_the_ratio_of_each_figure_that_both_have(self):
        table = compared(run(), run(web=14.0, disk_mb={"database": 3.0}))
        rows = {row[1]: row[2:] for row in table.rows}
        assert rows["query CPU"] == ["12.0", "18.0", "1.50"]
        assert rows["SQL of a query"] == ["13.0", "13.0", "1.00"]
        assert "disk" not in rows

    def test_finds_what_has_grown_by_more_than_a_share(self):
        assert grown(run(), run(web=9.0), most=0.10) == []
        assert grown(run(), run(web=9.3), most=0.10) == [
            "a query at 1,000 insights takes 13.3 ms of CPU, +11% (12.0 before)"
        ]

    def test_leaves_out_sizes_that_only_one_run_has(self):
        assert comparable(run(), run(size=2_000)) == []
        assert grown(run(), run(size=2_000, web=90.0), most=0.1) == []

    def test_does_not_compare_with_a_run_that_knew_no_cost(self):
        assert comparable({"sizes": [{"insights": 1_000, "query": {"p50": 1.0}}]}, run()) == []


class TestCommand:
    @pytest.fixture
    def earlier(self, tmp_path, monkeypatch):
        """A file of an earlier run; the run of now takes half as much again."""
        outcome = BenchmarkOutcome(run(web=14.0), [])
        monkeypatch.setattr("sessions_app.management.commands.benchmark.benchmark", lambda wanted: outcome)
        file = tmp_path / "earlier.json"
        file.write_text(json.dumps(run()))
        return file

    def test_fails_where_a_query_costs_more(self, earlier):
        said = StringIO()
        with pytest.raises(CommandError, match=r"More than 15 % slower: a query at 1,000 insights takes 18.0 ms"):
            call_command("benchmark", "--compare", str(earlier), stdout=said)
        assert "1.50" in said.getvalue()

    def test_takes_another_share(self, earlier):
        said = StringIO()
        call_command("benchmark", "--compare", str(earlier), "--most-growth", "60", stdout=said)
        assert "1.50" in said.getvalue()

    @pytest.mark.parametrize("text", ["", "[]", '{"sizes": 3}', '{"sizes": []}'])
    def test_refuses_a_file_that_has_nothing_to_compare(self, earlier, text):
        earlier.write_text(text)
        with pytest.raises(CommandError):
            call_command("benchmark", "--compare", str(earlier), stdout=StringIO())
