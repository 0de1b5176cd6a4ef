"""Vectors on their way to the database and back."""

import numpy as np
import pytest
from pgvector import HalfVector

from knowledge.rules.vectors import half, unit, units
from tests.cases import cases

EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)


class TestHalf:
    def test_is_written_so_that_all_its_numbers_are_told_apart(self) -> None:
        """As the database reads a number: as 32 bits, then as 16."""
        numbers = EVERY[np.isfinite(EVERY)]
        text = half(numbers).to_text()
        read = np.array(text[1:-1].split(","), np.float32).astype(np.float16)
        assert (read.view(np.uint16) == numbers.view(np.uint16)).all()

    @cases("kind", [np.float16, np.float32, np.float64])
    def test_is_the_nearest_of_any_floats(self, kind: type) -> None:
        drawn = np.random.default_rng(1).normal(size=384).astype(kind)
        assert half(drawn).to_list() == HalfVector(drawn.tolist()).to_list()


class TestUnit:
    def test_is_the_same_of_what_came_in_bytes(self) -> None:
        stored = half(np.random.default_rng(2).normal(size=384))
        assert unit(stored.to_binary()).tolist() == unit(stored).tolist() == unit(stored.to_list()).tolist()
        assert np.linalg.norm(unit(stored)) == pytest.approx(1)
        both = units([stored.to_binary(), half(np.arange(384)).to_binary()])
        assert np.allclose(both, [unit(stored), unit(half(np.arange(384)))], atol=1e-12)
