from sessions_app.lab.corpora.evidence_answers import _unmarked
from tests.cases import cases


class TestManualPages:
    @cases(
        ("source", "shown"),
        [
            (
                r"la version particuli\(`ere d\*(Aqun paquet install\('ee",
                "la version particulière d'un paquet installée",
            ),
            (r"\(Fogro\(ss\(Fc, \(Uber M\(:ull", "«groß», \\(Uber Müll"),
            (r"\fB\-\-all\fR \(bu \(xx", "--all • \\(xx"),
        ],
    )
    def test_have_the_letters_that_a_reader_sees(self, source: str, shown: str) -> None:
        assert _unmarked(source) == shown
