from knowledge.evidence.rules.coverage import term_weights, tightest
from knowledge.evidence.rules.keywords import Census, Reader, extract, pattern, with_real_parts
from knowledge.evidence.rules.languages import ENGLISH, is_in_another, language_of
from knowledge.evidence.rules.windows import TermHit, compiled
from tests.cases import cases


class TestLanguage:
    @cases(
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
    @cases(
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

    def test_are_no_single_letters_and_no_particles(self) -> None:
        assert extract("изменить оболочку входа в систему").words == ("измен", "оболочк", "вход", "сист")
        assert extract("倉庫の温度が高すぎるときの連絡先").words == ("倉庫", "温度", "高す", "連絡", "絡先")


class TestAText:
    @cases(
        ("text", "language", "another"),
        [
            ("Le service est arrêté par la commande et il ne peut pas être relancé.", ENGLISH, True),
            ("Le service est arrêté par la commande et il ne peut pas être relancé.", "french", False),
            ("The service is stopped by the command, and it cannot be started again.", "french", True),
            ("def stop(self, name): return self.services[name].stop()", "french", False),
            ("2026-03-03 14:27:57 INFO shipment released", "german", False),
        ],
    )
    def test_is_in_another_language_if_it_clearly_is(self, text: str, language: str, another: bool) -> None:
        assert is_in_another(text, language) is another


class TestCompounds:
    QUESTION = "wie viel Arbeitsspeicher ist frei"

    def test_are_found_by_the_parts_that_are_words_of_the_files(self) -> None:
        keywords = with_real_parts(extract(self.QUESTION), {"arbeit": 3, "speich": 5, "frei": 2})
        assert keywords.words == ("arbeitsspeich", "frei", "arbeit", "speich")
        assert keywords.parts == {"arbeitsspeich": (("arbeit", "speich"),)}
        assert keywords.weight("speich") < 1

    def test_are_left_whole_where_no_file_has_their_parts(self) -> None:
        keywords = with_real_parts(extract(self.QUESTION), {"eich": 9, "arbeit": 3})
        assert keywords.words == ("arbeitsspeich", "frei")

    @cases(
        ("question", "compound", "holds"),
        [
            ("Wo liegt der Schlüssel für das Lager?", "Ersatzschlüssel", True),
            ("Wo liegt der Schlüssel für das Lager?", "Schlüsselkasten", True),
            ("Wo liegt der Schlüssel für das Lager?", "verschlüsselt", False),
            ("wie viel Zeit ist noch", "Zeitung", False),
            ("where is the key of the store", "keystore", False),
        ],
    )
    def test_hold_a_word_of_the_question(self, question: str, compound: str, holds: bool) -> None:
        assert bool(Reader(extract(question))(compound)) is holds

    def test_say_half_of_themselves_by_their_last_part(self) -> None:
        keywords = with_real_parts(extract(self.QUESTION), {"arbeit": 1, "speich": 1, "frei": 1})
        counts = {"a.md": {"speich": 1, "frei": 1}, "b.md": {"arbeit": 1}}
        weights = term_weights(keywords, Census(counts, 2), {"a.md": 900, "b.md": 900})
        assert weights.absent == frozenset()
        assert weights.share(["frei"]) < weights.share(["frei", "speich"]) < 1
        assert tightest([TermHit(0, ("frei",)), TermHit(9, ("speich",))], weights) == weights.share(["frei", "speich"])

    def test_are_missing_but_for_the_thing_they_name_where_only_that_is_known(self) -> None:
        keywords = with_real_parts(extract("das Heimatverzeichnis löschen"), {"verzeichnis": 3, "losch": 2})
        assert keywords.parts == {"heimatverzeichnis": (("heimat", "verzeichnis"),)}
        assert "verzeichnis" in keywords.words and "heimat" not in keywords.words

    def test_of_a_question_in_english_are_not_looked_for(self) -> None:
        assert extract("keyboard shortcuts of the dashboard").parts == {}
