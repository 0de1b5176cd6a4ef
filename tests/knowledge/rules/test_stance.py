import numpy as np
import pytest

from knowledge.rules import stance
from knowledge.rules.stance import (
    CONSENT,
    MOST_PIECES,
    NEAR,
    UNRELATED_AT,
    UNRELATED_OPPOSED_AT,
    Stance,
    Text,
    pieces,
    same_at,
    unreadable,
)

PLAIN = ("Pin the base image by digest.", "Base images are pinned with their digest.")
DENIED = ("Retry the webhook on a 409.", "Never retry the webhook on a 409.")
OTHER_VALUE = ("Set ef_search to 40 for the index.", "Set ef_search to 400 for the index.")
SOFTLY_DENIED = ("Show stack traces to API clients.", "Do not return stack traces to API clients.")


class Given:
    """A network that says what it is told to."""

    def __init__(self, same, contradiction, unrelated):
        self.said = np.array([[same, contradiction, unrelated]])

    def probabilities(self, rows):
        return self.said


def judged(texts, said, cosine=0.9, akin=lambda a, b: 1.0):
    first, second = np.array([1.0, 0.0]), np.array([cosine, (1 - cosine**2) ** 0.5])
    return stance.judge(Text(texts[0], first), Text(texts[1], second), Given(*said), akin)


def said(texts, given, cosine=0.9):
    return judged(texts, given, cosine).stance


class TestJudge:
    @pytest.mark.parametrize("cosine", [0.62, 0.7, 0.8, 0.95])
    def test_says_same_from_the_threshold_of_that_cosine(self, cosine):
        at = same_at(cosine)
        assert said(PLAIN, (at + 1e-6, 1 - at, 0), cosine) is Stance.SAME
        assert said(PLAIN, (at - 1e-3, 1 - at, 0), cosine) is Stance.UNSURE

    @pytest.mark.parametrize("texts", [DENIED, OTHER_VALUE, SOFTLY_DENIED])
    def test_never_says_same_over_a_cue(self, texts):
        assert said(texts, (1, 0, 0)) is Stance.UNSURE

    def test_says_contradiction_with_a_hard_cue_and_consent(self):
        assert said(DENIED, (0.6, CONSENT, 0)) is Stance.CONTRADICTION
        assert said(DENIED, (0.6, CONSENT - 0.01, 0)) is Stance.UNSURE

    @pytest.mark.parametrize("texts", [PLAIN, OTHER_VALUE, SOFTLY_DENIED])
    def test_says_no_contradiction_without_a_hard_cue(self, texts):
        assert said(texts, (0, 1, 0)) is Stance.UNSURE

    def test_says_unrelated_from_a_half(self):
        assert said(PLAIN, (0.2, 0.3, UNRELATED_AT)) is Stance.UNRELATED
        assert said(PLAIN, (0.2, 0.31, UNRELATED_AT - 0.01)) is Stance.UNSURE

    def test_says_nothing_unrelated_with_a_hard_cue(self):
        assert said(DENIED, (0, 0, 1)) is Stance.UNSURE

    def test_asks_a_person_about_another_value_in_a_near_text(self):
        assert said(OTHER_VALUE, (0, 0, 1), NEAR - 0.01) is Stance.UNRELATED
        assert said(OTHER_VALUE, (0, 0, 1), NEAR) is Stance.UNSURE

    def test_dismisses_what_looks_opposed_only_if_hardly_in_doubt(self):
        assert said(SOFTLY_DENIED, (0, 0, UNRELATED_OPPOSED_AT), 0.7) is Stance.UNRELATED
        assert said(SOFTLY_DENIED, (0, 0, UNRELATED_OPPOSED_AT - 0.01), 0.7) is Stance.UNSURE

    def test_takes_a_line_and_a_paragraph_for_the_same_at_no_cosine(self):
        line = "Pin the base image by digest."
        paragraph = "Base images are pinned with their digest. " + "Nobody reads on so far down. " * 5
        assert said((line, paragraph), (1, 0, 0), 0.95) is Stance.UNSURE
        assert said((paragraph, paragraph + " Or so."), (1, 0, 0), 0.95) is Stance.SAME

    def test_needs_no_network_for_the_same_words(self):
        found = stance.judge(Text("Use `uv`, not pip!"), Text("use uv not pip"), Given(0, 1, 0), lambda a, b: 0.0)
        assert (found.stance, found.confidence) == (Stance.SAME, 1.0)

    def test_is_unsure_without_a_vector_and_says_so(self):
        found = stance.judge(Text(PLAIN[0]), Text(PLAIN[1]), Given(1, 0, 0), lambda a, b: 1.0)
        assert (found.stance, found.reason) == (Stance.UNSURE, "no vector")

    def test_is_unsure_of_what_it_cannot_read_but_shows_the_cues(self):
        german = "Der Beat darf nie auf 2 Knoten laufen, sonst werden die Jobs doppelt ausgeführt und nicht nur einmal."
        found = judged((german, german.replace("2", "3")), (1, 0, 0))
        assert (found.stance, found.reason) == (Stance.UNSURE, "not English")
        assert [str(cue) for cue in found.cues] == ["number: 2 / 3"]

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("find -daystart -mtime +7", "find -mtime -7 -daystart"),
            ("ls -S | head -3", "ls -s | head -3"),
            ("brew unlink bash-completion@2", "brew link bash-completion@2"),
        ],
    )
    def test_takes_other_code_for_something_else(self, one, other):
        assert said((one, other), (0.99, 0.005, 0.005), cosine=0.99) is Stance.UNRELATED

    def test_takes_the_same_code_for_the_same_whatever_its_spaces(self):
        assert said(("ls  -S |\n head -3", "ls -S | head -3"), (0, 0, 1)) is Stance.SAME

    def test_looks_for_no_cues_in_what_it_cannot_read_and_is_far(self):
        long = "We rotate the signing key every ninety days. " * 40
        assert judged((long, "never " + long), (1, 0, 0), cosine=0.829).cues == ()
        assert judged((long, "never " + long), (1, 0, 0), cosine=0.83).cues != ()

    @pytest.mark.parametrize(
        ("words", "cosine", "stance"),
        [(60, 0.829, Stance.SAME), (61, 0.829, Stance.UNSURE), (61, 0.83, Stance.SAME)],
    )
    def test_says_same_of_long_texts_only_when_they_are_near(self, words, cosine, stance):
        both = [f"{text} {'and so on ' * 60}".split()[:words] for text in PLAIN]
        assert said([" ".join(text) for text in both], (0.9, 0.05, 0.05), cosine) is stance

    def test_asks_how_near_two_words_are_that_stand_for_each_other(self):
        texts = ("Clear the cart at night.", "Clear the basket at night.")
        assert judged(texts, (1, 0, 0), akin=lambda a, b: 0.6).stance is Stance.SAME
        assert judged(texts, (1, 0, 0), akin=lambda a, b: 0.4).stance is Stance.UNSURE

    def test_measures_the_cosine_whatever_the_length_of_the_vectors(self):
        half = np.array([0.999, 0.0], np.float16)
        found = stance.judge(Text(PLAIN[0], half), Text(PLAIN[1], half * 2), Given(0.35, 0.3, 0.3), lambda a, b: 1.0)
        assert found.stance is Stance.SAME


class TestUnreadable:
    @pytest.mark.parametrize(
        "text",
        [
            "Immer den Beat als einzelnen Prozess starten, nie zwei, sonst werden die Jobs doppelt ausgeführt.",
            "Toujours lancer beat comme un seul processus, jamais deux, sinon les tâches sont exécutées deux fois.",
            "Ejecuta siempre beat como un único proceso, nunca dos, o los trabajos se ejecutan dos veces.",
            "Beat moet altijd als één proces draaien, nooit twee, anders wordt het werk dubbel uitgevoerd.",
            "beat は常に一つのプロセスで動かす。",
            "Запускайте beat только в одном процессе.",
        ],
    )
    def test_names_another_language(self, text):
        assert unreadable(text) == "not English"

    @pytest.mark.parametrize(
        "text",
        [
            "Always run beat as one process.",
            "Print last 10 commands in history",
            "Set `hnsw.ef_search = 40`",
            "Ask Zoë about the naïve café parser; it drops résumé headers.",
            "",
        ],
    )
    def test_finds_nothing_wrong_with_english_and_code(self, text):
        assert unreadable(text) == ""

    def test_names_a_text_that_the_embedder_cuts(self):
        text = "the cat sat on " * int(MOST_PIECES / 4)
        assert pieces(text) == MOST_PIECES
        assert unreadable(text) == ""
        assert unreadable(f"{text}it") == "too long"
