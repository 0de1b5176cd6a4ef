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
                                "Node Type": "Index Scan",
                                "Relation Name": "insight",
                                "Index Name": "near",
                                "Alias": "u0",
                            }
                        ],
                    },
                    {
                        "Node Type": "Bitmap Heap Scan",
                        "Relation Name": "insight",
                        "Plans": [{"Node Type": "Bitmap Index Scan", "Index Name": "lexemes"}],
                    },
                ],
            },
            {"Node Type": "Seq Scan", "Relation Name": "team"},
            {"Node Type": "Index Scan", "Relation Name": "anchor", "Index Name": "near"},
        ],
    }
}


class TestScans:
    def test_are_found_at_every_depth(self):
        assert scans(PLAN) == [
            PlanScan("Index Scan", "insight", "near"),
            PlanScan("Bitmap Heap Scan", "insight", ""),
            PlanScan("Bitmap Index Scan", "", "lexemes"),
            PlanScan("Seq Scan", "team", ""),
            PlanScan("Index Scan", "anchor", "near"),
        ]

    def test_that_read_a_whole_table_are_told_by_table(self):
        assert reads_whole(PLAN, "team")
        assert not reads_whole(PLAN, "insight")
        assert reads_whole({"Plan": {"Node Type": "Parallel Seq Scan", "Relation Name": "insight"}}, "insight")

    def test_name_their_indexes_once(self):
        assert indexes(PLAN) == ["near", "lexemes"]
        assert uses(PLAN, "lexemes") and not uses(PLAN, "other")
