"""Reading EXPLAIN (FORMAT JSON)."""

from sessions_app.lab.benchmark.plans import PlanScan, indexes, reads_whole, scans, uses

# A candidate statement in small: an append of two legs under a join, one of them through a bitmap.
PLAN = {
    "Plan": {
        "Node Type": "Nested Loop",
        "Plans": [
            {
                "Node Type": "Append",
                "Plans": [
                    {
                        "Node Type": "Limit",
                        "Plans": [
                            {
                                "Node Type": "Index PlanScan",
                                "Relation Name": "insight",
                                "Index Name": "near",
                                "Alias": "u0",
                            }
                        ],
                    },
                    {
                        "Node Type": "Bitmap Heap PlanScan",
                        "Relation Name": "insight",
                        "Plans": [{"Node Type": "Bitmap Index PlanScan", "Index Name": "lexemes"}],
                    },
                ],
            },
            {"Node Type": "Seq PlanScan", "Relation Name": "team"},
            {"Node Type": "Index PlanScan", "Relation Name": "anchor", "Index Name": "near"},
        ],
    }
}


class TestScans:
    def test_are_found_at_every_depth(self):
        assert scans(PLAN) == [
            PlanScan("Index PlanScan", "insight", "near"),
            PlanScan("Bitmap Heap PlanScan", "insight", ""),
            PlanScan("Bitmap Index PlanScan", "", "lexemes"),
            PlanScan("Seq PlanScan", "team", ""),
            PlanScan("Index PlanScan", "anchor", "near"),
        ]

    def test_that_read_a_whole_table_are_told_by_table(self):
        assert reads_whole(PLAN, "team")
        assert not reads_whole(PLAN, "insight")
        assert reads_whole({"Plan": {"Node Type": "Parallel Seq PlanScan", "Relation Name": "insight"}}, "insight")

    def test_name_their_indexes_once(self):
        assert indexes(PLAN) == ["near", "lexemes"]
        assert uses(PLAN, "lexemes") and not uses(PLAN, "other")
