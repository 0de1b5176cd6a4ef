import pytest

from knowledge.evidence.rules import ranking
from knowledge.evidence.rules.keywords import census, extract
from knowledge.evidence.rules.ranking import RankedFile, content_scores, fused, mentions, structure_scores
from tests.cases import cases


class TestContent:
    def test_counts_rare_words_more_and_long_files_less(self) -> None:
        keywords = extract("rare common")
        counted = census(
            [("a", ["rare"]), ("long", ["rare"]), ("c", ["common"]), *((f"d{n}", ["common"]) for n in range(5))],
            keywords,
            20,
        )
        scores = content_scores(counted, counted.rarity(keywords), {"a": 100, "long": 9_000, "c": 100})
        assert scores["a"] > scores["long"] and scores["a"] > scores["c"]

    def test_knows_only_files_the_scan_has_found(self) -> None:
        keywords = extract("rare")
        counted = census([("/etc/passwd", ["rare"])], keywords, 1)
        assert content_scores(counted, counted.rarity(keywords), {"a": 1}) == {}


class TestStructure:
    def test_prefers_the_name_over_the_folder(self) -> None:
        scores = structure_scores(["vacuum/readme.md", "postgres/vacuum.md", "x/y.md"], extract("vacuum"))
        assert scores["postgres/vacuum.md"] > scores["vacuum/readme.md"] > 0
        assert "x/y.md" not in scores

    def test_prefers_the_name_that_is_nothing_else(self) -> None:
        scores = structure_scores(["find.md", "find-and-replace-in-files.md", "other.md"], extract("find"))
        assert scores["find.md"] > scores["find-and-replace-in-files.md"]


class TestMentions:
    @cases(
        ("question", "worth"),
        [
            ('File "/app/django/core/validators.py", line 130', 1.0),
            ("see django/core/validators.py", 1.0),
            ("see core\\validators.py", 1.0),
            ("django.core.validators.URLValidator fails", 0.8),
            ("look into validators.py", 0.7),
            ("the validators are broken", None),
        ],
    )
    def test_are_worth_what_they_spell(self, question: str, worth: float | None) -> None:
        found = mentions(question, ["django/core/validators.py", "django/db/models.py"])
        assert found == ({} if worth is None else {"django/core/validators.py": worth})


class TestFusion:
    def test_adds_up_and_orders(self) -> None:
        ranked = fused("s", "q", {"a": 2.0, "b": 1.0}, {"b": 20.0}, {})
        assert [one.path for one in ranked] == ["b", "a"]
        assert ranked[0].score == pytest.approx(ranked[0].content + ranked[0].structure)

    def test_holds_tests_back_unless_they_are_asked_for(self) -> None:
        content = {"tests/a.py": 1.0, "src/a.py": 0.9}
        assert fused("s", "where is it", content, {}, {})[0].path == "src/a.py"
        assert fused("s", "which test covers it", content, {}, {})[0].path == "tests/a.py"
        assert ranking.SECONDARY < 0.9


class TestInOtherLanguages:
    def test_what_a_file_says_it_is_counts_more_and_its_scattered_words_less(self) -> None:
        page = RankedFile("s", "de/fuser.1.txt", 0.9, content=0.71, head=0.19)
        manual = RankedFile("s", "de/vim.1.txt", 1.0, content=0.93, head=0.07)
        assert ranking.in_other_language(page) > ranking.in_other_language(manual)
        assert ranking.in_other_language(page) == pytest.approx(0.9 - 0.355 + 0.19)


class TestCopies:
    def test_take_no_place_where_only_the_first_of_them_may_be_cited(self) -> None:
        files = [RankedFile("s", path, 1.0) for path in ("faked-sysv.1", "faked-tcp.1", "apt.conf.5", "fuser.1")]
        texts = {files[at].key: text for at, text in ((0, "a daemon"), (2, "a setting"), (3, "a program"))}
        assert [one.path for one in ranking.distinct(files, texts, 3)] == ["faked-sysv.1", "apt.conf.5", "fuser.1"]

    @pytest.mark.parametrize(
        ("copy", "original"),
        [
            ("Archive/Copy of travel rules.docx", "Finance/travel rules.docx"),
            ("app (1).conf", "app.conf"),
            ("rules_old.md", "new/rules.md"),
        ],
    )
    def test_have_the_original_in_the_place_of_its_copy(self, copy: str, original: str) -> None:
        files = [RankedFile("s", copy, 1.0), RankedFile("s", "other.md", 0.9), RankedFile("s", original, 0.8)]
        texts = {("s", copy): "Hotels up to 135", ("s", "other.md"): "trains", ("s", original): "Hotels up to 135"}
        assert [one.path for one in ranking.distinct(files, texts, 2)] == [original, "other.md"]
        changed = texts | {("s", original): "Hotels up to 150"}
        assert [one.path for one in ranking.distinct(files, changed, 2)] == [copy, "other.md"]


class TestFewOfEach:
    def test_is_in_order_and_takes_no_second_before_the_first_of_another(self) -> None:
        assert ranking.few_of_each("aaabbcd", each=2, most=5) == [0, 1, 3, 5, 6]
        assert ranking.few_of_each("aaabbcd", each=2, most=3) == [0, 3, 5]


class TestMeaning:
    """Words do not always tell the files that are shown from the next one."""

    files = [RankedFile("s", name, score) for name, score in (("a", 1.0), ("b", 0.9), ("c", 0.8), ("d", 0.75))]

    def test_is_asked_where_the_next_file_is_as_good(self) -> None:
        assert ranking.is_close(self.files, 3)
        assert not ranking.is_close([*self.files[:3], RankedFile("s", "d", 0.5)], 3)
        assert not ranking.is_close(self.files[:3], 3)
        assert not ranking.is_close([], 3)

    def test_is_added_to_what_words_say(self) -> None:
        told = ranking.with_meaning(self.files, {("s", "d"): 0.6, ("s", "a"): 0.1})
        assert [one.path for one in told] == ["d", "a", "b", "c"]
        assert (told[0].score, told[0].window) == (pytest.approx(1.35), pytest.approx(0.6))
