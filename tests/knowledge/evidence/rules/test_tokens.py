import time

from knowledge.evidence.rules.tokens import exact_terms, holds, named_things, names_one_thing
from tests.cases import cases


class TestExactTerms:
    @cases(
        ("question", "terms"),
        [
            ("what happened to shipment WB00412207?", ("WB00412207",)),
            ("the value of CUSTOMS_RETRY_LIMIT", ("CUSTOMS_RETRY_LIMIT",)),
            ("connection refused 10.31.7.204.", ("10.31.7.204",)),
            ("pods restart, exit code 137", ("137",)),
            ('the message "no free number in range" of E-7731', ("no free number in range", "E-7731")),
            ("ENOTEMPTY of shutil.rmtree in /etc/cron.d", ("ENOTEMPTY", "shutil.rmtree", "/etc/cron.d")),
            ("option --ignore-missing of maxRetries", ("--ignore-missing", "maxRetries")),
            ("how do I list the 5th largest open-source file", ()),
            ("client/server and/or HTTP, e.g. JSON", ()),
        ],
    )
    def test_are_told_by_their_form(self, question: str, terms: tuple[str, ...]) -> None:
        assert exact_terms(question) == terms

    def test_are_told_in_time_whatever_is_asked(self) -> None:
        began = time.process_time()
        for unit in ("/", "0", "_a", "a.", "-"):
            exact_terms(unit * 100_000)
        assert time.process_time() - began < 1


class TestATermOfItsKind:
    @cases(
        ("term", "one"),
        [
            ("E-41823", True),
            ("88213", True),
            ("10.31.7.204", True),
            ("2019", False),
            ("443", False),
            ("RETRY_LIMIT", True),
        ],
    )
    def test_is_no_year_and_no_port(self, term: str, one: bool) -> None:
        assert names_one_thing(term) is one


class TestNamedThings:
    @cases(
        ("question", "language", "names"),
        [
            ("which port does the printer in hall 5 use", "", ("5",)),
            ("who approved the exception for carrier 4092?", "", ("4092",)),
            ("find files above 100 megabytes", "", ()),
            ("how long is a cow of 6 years", "", ()),
            ("Why did we choose Kafka over RabbitMQ", "", ("kafka", "rabbitmq")),
            ("GitHub's website. How do I resolve", "", ("github",)),
            ("connect to a MySQL database", "", ("mysql",)),
            ("who do I ask about VAT in Norway", "", ("vat", "norway")),
            ("¿a qué hora abre la oficina de Barcelona?", "spanish", ("barcelona",)),
            ("Wer hat den Schlüssel in Halle 2?", "german", ("2",)),
            ("how do I list the largest files", "", ()),
        ],
    )
    def test_are_capitals_within_a_sentence_and_numbers_of_things(
        self, question: str, language: str, names: tuple[str, ...]
    ) -> None:
        assert named_things(question, language) == names


class TestHolds:
    @cases(
        ("text", "held"),
        [("held wb00412207.", True), ("wb004122071", False), ("xwb00412207", False), ("wb004122071 wb00412207", True)],
    )
    def test_needs_the_whole_term(self, text: str, held: bool) -> None:
        assert holds(text, "WB00412207") is held
