"""What is counted of labelled pairs: merged, swallowed, superseded, each with its denominator."""

from itertools import count

from knowledge.judging.rules.relations import Reason, Relation, Verdict
from sessions_app.lab.metrics.pairs import (
    WORST,
    LabelledPair,
    PairLabel,
    Share,
    by_server,
    by_similarity,
    measures,
    table,
)
from tests.cases import cases

SAME, AGAINST, OTHER = PairLabel
MERGED, REPLACED, OPEN = Relation.DUPLICATES, Relation.SUPERSEDES, None
numbers = count()


def pair(
    label: PairLabel, relation: Relation | None, cosine: float = 0.8, texts: tuple[str, str] | None = None
) -> LabelledPair:
    a, b = texts or (f"Note {next(numbers)}.", f"Note {next(numbers)}.")
    return LabelledPair(a, b, label, cosine, Verdict(relation, "server", cosine, Reason.CLOSE))


class TestMeasures:
    PAIRS = (
        *(pair(SAME, relation) for relation in (MERGED, MERGED, OPEN, REPLACED)),
        *(pair(AGAINST, relation) for relation in (MERGED, REPLACED, REPLACED, OPEN, OPEN)),
        *(pair(OTHER, relation) for relation in (MERGED, REPLACED, OPEN)),
    )

    def test_are_counted_each_over_what_it_is_a_share_of(self) -> None:
        found = measures(self.PAIRS, by_server)
        assert found.precision == Share(2, 4)
        assert found.merged == Share(2, 4)
        assert found.swallowed == Share(1, 5)
        assert found.superseded == Share(2, 5)
        assert found.false_supersede == Share(2, 12)
        assert found.mislabelled == 0

    def test_show_what_went_wrong(self) -> None:
        wrong = [(one.label, one.verdict.relation) for one in measures(self.PAIRS, by_server).worst]
        assert wrong == [(SAME, REPLACED), (AGAINST, MERGED), (OTHER, MERGED), (OTHER, REPLACED)]
        assert len(measures([pair(OTHER, MERGED) for _ in range(WORST + 1)], by_server).worst) == WORST

    @cases(("label", "counted"), [(SAME, True), (AGAINST, False), (OTHER, False)])
    def test_leave_out_a_text_that_is_labelled_unlike_itself(self, label: PairLabel, counted: bool) -> None:
        found = measures(
            [pair(label, MERGED, texts=("Keep five copies of *it*.", "Keep five copies of it"))], by_server
        )
        assert found.mislabelled == (not counted)
        assert found.precision == Share(int(counted), int(counted))

    def test_by_similarity_merge_whoever_is_near(self) -> None:
        pairs = [pair(AGAINST, OPEN, cosine) for cosine in (0.79, 0.8, 0.9)]
        assert measures(pairs, by_similarity(0.8)).swallowed == Share(2, 3)

    def test_of_nothing_have_no_value(self) -> None:
        found = measures([], by_server)
        assert found.precision.value is None and str(found.precision) == "–"
        assert table("none", [("server", found)]).markdown.count("–") == 5

    def test_are_one_line_of_a_table(self) -> None:
        told = table("pairs", [("the server alone", measures(self.PAIRS, by_server))]).markdown
        assert "the server alone" in told and "(2/5)" in told and "(2/12)" in told
