"""What of a long note is told to a question."""

from hypothesis import given
from hypothesis import strategies as st

from sessions_app.answers.rules.excerpt import GAP, excerpt, sentence
from tests.cases import cases

NOTE = (
    "Address lookup was reworked in October, because the bill had doubled within a quarter. "
    "We looked at three providers and measured each for a week. "
    "Where Nominatim cannot geocode an address, dispatch asks Photon, with a timeout of 800 ms. "
    "Google is not asked any more. "
    "Thanks to Ilse for the measurements."
)
ASKED = "what does dispatch call when it can't geocode an address?"
LISTED = "Ports of the stack:\n- web 8000\n- worker metrics 9108\n- postgres 5433\n\n```sh\nloamctl ports --all\n```\n"


class TestExcerpt:
    def test_has_the_sentence_that_answers_and_marks_what_is_left_out(self) -> None:
        assert excerpt(NOTE, ASKED, 110) == (
            f"{GAP} Where Nominatim cannot geocode an address, dispatch asks Photon, with a timeout of 800 ms. {GAP}"
        )

    def test_goes_on_with_what_is_said_of_it(self) -> None:
        told = excerpt(NOTE, ASKED, 150)
        assert told.endswith(f"800 ms. Google is not asked any more. {GAP}")

    def test_keeps_the_order_of_the_text(self) -> None:
        told = excerpt(NOTE, ASKED, 260)
        assert told.index("Address lookup") < told.index("Photon")

    def test_takes_lines_of_a_list_and_code_as_they_are(self) -> None:
        assert excerpt(LISTED, "metrics of the worker", 34) == f"{GAP} - worker metrics 9108 {GAP}"
        assert excerpt(LISTED, "list all ports with loamctl", 60).endswith("```sh\nloamctl ports --all\n```")

    def test_begins_a_line_where_the_text_does(self) -> None:
        steps = "1. Read the seed.\n2. Run the victim. It takes a while.\n3. Halve the list by `bisect` of the seed."
        told = excerpt(steps, "seed of the victim", 75)
        assert told == f"{GAP} 2. Run the victim. {GAP}\n3. Halve the list by `bisect` of the seed."

    def test_takes_figures_before_talk(self) -> None:
        note = "The import has workers of its own now. The import has `bin/load` and four of them. Ask if in doubt."
        assert (
            excerpt(note, "how does the import work", 60) == f"{GAP} The import has `bin/load` and four of them. {GAP}"
        )

    def test_has_the_room_of_the_title_for_the_first_sentence(self) -> None:
        assert "Address" not in excerpt(NOTE, "address lookup bill in October", 60)
        assert excerpt(NOTE, "address lookup bill in October", 60, title_room=60).startswith("Address lookup was")

    @cases(("question", "room"), [("weather on the moon", 300), (ASKED, 20), ("", 300)])
    def test_leaves_it_to_the_beginning(self, question: str, room: int) -> None:
        assert excerpt(NOTE, question, room) == ""

    @given(st.text(max_size=400), st.text(max_size=60), st.integers(0, 300))
    def test_finds_room_and_invents_nothing(self, text: str, question: str, room: int) -> None:
        told = excerpt(text, question, room)
        assert len(told) <= room
        assert all(part.strip() in text for part in told.split(GAP)) or GAP in text


class TestSentence:
    @cases(
        ("question", "told"),
        [
            (ASKED, "Where Nominatim cannot geocode an address, dispatch asks Photon, with a timeout of 800 ms."),
            ("is google asked", "Google is not asked any more."),
            (
                "weather on the moon",
                "Address lookup was reworked in October, because the bill had doubled within a quarter.",
            ),
        ],
    )
    def test_is_the_likeliest(self, question: str, told: str) -> None:
        assert sentence(NOTE, question, 240) == told

    def test_is_cut_between_words(self) -> None:
        assert sentence(NOTE, ASKED, 40) == "Where Nominatim cannot geocode an…"
