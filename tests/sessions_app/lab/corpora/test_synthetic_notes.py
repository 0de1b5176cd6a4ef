"""Made-up notes have the shape they are made for."""

from collections import Counter
from itertools import pairwise
from random import Random

from knowledge.retrieval.rules import bm25
from knowledge.rules.vocabulary import Kind
from sessions_app.lab.corpora.synthetic_notes import (
    LONGEST,
    SERVICES,
    SHORTEST,
    SYMBOLS,
    _name,
    _symbol,
    question,
    specimen,
)
from tests.cases import cases


def some(count: int, seed: int = 7):
    rng = Random(seed)
    return [specimen(rng) for _ in range(count)]


class TestSpecimen:
    def test_has_as_many_words_as_it_should(self):
        sizes = [len(note.body.split()) for note in some(500)]
        assert min(sizes) >= SHORTEST and max(sizes) <= LONGEST
        assert 70 < sum(sizes) / len(sizes) < 110

    @cases("longest", [40, 60, 100])
    def test_may_be_bounded(self, longest):
        rng = Random(7)
        assert max(len(specimen(rng, longest).body.split()) for _ in range(200)) <= longest

    def test_is_the_same_for_the_same_seed(self):
        assert some(20) == some(20)
        assert some(20) != some(20, seed=8)

    def test_is_hardly_ever_another_again(self):
        assert len({note.body for note in some(2_000)}) == 2_000

    def test_names_the_files_and_symbols_it_speaks_of(self):
        for note in some(100):
            assert note.files[0] == note.words["path"]
            assert all(path in note.body for path in note.files[1:])
            assert all(symbol in note.body for symbol in note.symbols[1:])

    def test_is_no_decision_for_it_gives_no_reason(self):
        assert {note.kind for note in some(200)} == set(Kind) - {Kind.DECISION}


class TestWords:
    def test_are_spread_as_in_real_notes(self):
        notes = some(2_000)
        spread = Counter(term for note in notes for term in set(bm25.terms(f"{note.title}\n{note.body}")))
        shares = [count / len(notes) for _, count in spread.most_common()]
        assert 0.4 < shares[0] < 0.9
        assert 0.05 < shares[100] < 0.2
        assert all(one >= other for one, other in pairwise(shares))
        rare = sum(count <= 2 for count in spread.values())
        assert rare > len(spread) / 2 > 4_000

    def test_of_services_are_each_another(self):
        assert len({_name(rank) for rank in range(SERVICES)}) == SERVICES

    def test_of_symbols_are_in_the_manner_of_the_language(self):
        assert _symbol(0, ".py") == "load_user"
        assert _symbol(0, ".ts") == "loadUser"
        assert len({_symbol(rank, ".py") for rank in range(SYMBOLS)}) > SYMBOLS * 0.9


class TestQuestion:
    def test_shares_words_with_the_note_it_is_about(self):
        rng = Random(3)
        shared = [
            set(bm25.terms(question(rng, note))) & set(bm25.terms(f"{note.title} {note.body}")) for note in some(200)
        ]
        assert sum(map(bool, shared)) > 150

    def test_is_hardly_ever_another_again(self):
        rng = Random(3)
        assert len({question(rng, note) for note in some(1_000)}) > 800
