import re

from knowledge.evidence.rules.keywords import MOST_TERMS, Keywords, Reader, census, companions, extract, joined, pattern


class TestExtract:
    def test_goes_from_words_to_identifiers_to_phrases(self) -> None:
        words, identifiers, phrases = extract("Where is `search_type` of django.contrib.postgres set?").levels
        assert "set" in words
        assert "search_type" in identifiers and "django.contrib.postgres" in identifiers
        assert any("search" in phrase or "set" in phrase for phrase in phrases)

    def test_leaves_stop_words_out(self) -> None:
        assert extract("what is it with all of these").words == ()

    def test_bounds_what_a_whole_issue_brings(self) -> None:
        assert len(extract(" ".join(f"word{n}x{n}" for n in range(500))).words) <= MOST_TERMS

    def test_keeps_the_order_of_the_question(self) -> None:
        assert extract("rotate leaked tokens").words == ("rotat", "leak", "token")


class TestPattern:
    def test_finds_every_form_and_the_compounds_around(self) -> None:
        keywords = extract("query fields naming")
        found = re.findall(pattern(keywords), "Queries of URLField; the name, a formfield, queryset", re.IGNORECASE)
        read = Reader(keywords)
        assert {word for one in found for word in read(one)} == {"queri", "field", "name"}

    def test_is_empty_without_words(self) -> None:
        assert pattern(Keywords(())) == ""

    def test_takes_words_for_no_syntax(self) -> None:
        re.compile(pattern(extract("c++ a.b(c)* [x] `(?i)evil` foo_bar(")))


class TestCensus:
    def test_counts_words_and_not_what_only_holds_them(self) -> None:
        keywords = extract("field")
        counted = census([("a", ["URLField", "field", "afield"]), ("b", ["afield"])], keywords, 2)
        assert counted.counts == {"a": {"field": 2}}

    def test_tells_the_rare_from_the_common(self) -> None:
        keywords = extract("common rare absent")
        counted = census([("a", ["common", "rare"]), ("b", ["common"]), ("c", ["common"])], keywords, 10)
        rarity = counted.rarity(keywords)
        assert rarity["rare"] > rarity["common"] > 0
        assert counted.missing(keywords) == ("absent",)

    def test_weighs_what_was_added_less(self) -> None:
        keywords = joined(extract("git"), {"vcs": 0.3})
        rarity = census([("a", ["git", "vcs"])], keywords, 9).rarity(keywords)
        assert 0 < rarity["vcs"] < rarity["git"]


class TestCompanions:
    def test_are_tags_that_mostly_come_along(self) -> None:
        having = [("redis", n) for n in range(4)]
        tags = [*having, *(("cache", n) for n in range(3)), ("ops", 1)]
        assert companions(having, tags) == ["cache"]

    def test_need_to_be_seen_three_times(self) -> None:
        assert companions([("redis", 1), ("redis", 2)], [("redis", 1), ("cache", 1), ("cache", 2)]) == []
