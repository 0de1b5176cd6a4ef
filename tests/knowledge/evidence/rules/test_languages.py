import pytest

from knowledge.evidence.rules.keywords import Reader, extract, pattern
from knowledge.evidence.rules.languages import ENGLISH, language_of
from knowledge.evidence.rules.windows import compiled


class TestLanguage:
    @pytest.mark.parametrize(
        ("question", "language"),
        [
            ("Wie ändere ich das Ablaufdatum eines Passworts?", "german"),
            ("comment contester une facture d'électricité", "french"),
            ("¿qué hago si un paquete llega dañado?", "spanish"),
            ("как сменить пароль от терминала", "russian"),
            ("how do I list the largest files", ENGLISH),
            ("request 8f3c1d77-0b52-4e0f-9a6d-51c2f7e0aa19", ENGLISH),
            ("CUSTOMS_RETRY_LIMIT", ENGLISH),
            ("parse a toml file", ENGLISH),
        ],
    )
    def test_is_that_of_most_function_words(self, question: str, language: str) -> None:
        assert language_of(question) == language


class TestWords:
    @pytest.mark.parametrize(
        ("question", "found", "word"),
        [
            ("Wie ändere ich das Passwort?", "Passwörter", "passwort"),
            ("où sont stockés les mots de passe", "stocké", "stock"),
            ("как сменить пароль терминала", "пароля", "парол"),
            ("¿qué hago con los paquetes dañados?", "dañado", "dañ"),
        ],
    )
    def test_meet_their_other_forms_in_their_own_language(self, question: str, found: str, word: str) -> None:
        keywords = extract(question)
        matched = compiled(pattern(keywords)).search(f"x {found} y")
        assert matched
        assert word in Reader(keywords)(matched.group())

    def test_of_an_english_question_are_found_with_marks(self) -> None:
        keywords = extract("a café menu")
        assert compiled(pattern(keywords)).search("the Café")
