"""Vectors as the database keeps and reads them: 16-bit floats for meaning, sparse ones and lexemes for words."""

from collections.abc import Iterable, Sequence

import numpy as np
from pgvector import HalfVector, SparseVector

from knowledge.retrieval.rules.bm25 import POSITIONS


class Half(HalfVector):
    """16-bit floats, whose text is as short as can be: five digits tell all of them apart. As Python writes floats the
    text is twice as long and takes three times as long, and a question has it in three statements.
    """

    def to_text(self) -> str:
        numbers = self.to_list()
        return f"[{','.join(['%.5g'] * len(numbers))}]" % tuple(numbers)


def half(vector: np.ndarray) -> HalfVector:
    """A meaning vector as the database keeps it: 16-bit floats, half the size, and ranking does not notice."""
    return Half(np.asarray(vector))


def unit(stored: "HalfVector | list[float] | bytes | memoryview") -> np.ndarray:
    """A stored meaning vector as floats of length 1 (16 bits lose the last digits of the length). Bytes are those of
    `halfvec_send`: a length, a zero, then the numbers, two bytes each.
    """
    if isinstance(stored, bytes | memoryview):
        numbers = np.frombuffer(stored, ">f2", offset=4).astype(np.float64)
    else:
        numbers = np.asarray(stored.to_list() if isinstance(stored, HalfVector) else stored, dtype=np.float64)
    return np.asarray(numbers / max(float(np.linalg.norm(numbers)), 1e-9))


def units(stored: Sequence[bytes]) -> np.ndarray:
    """(n, dimensions): the same of many vectors at once, in their order, each in the bytes of `halfvec_send`."""
    numbers = np.array([np.frombuffer(one, ">f2", offset=4) for one in stored], np.float64)
    return np.asarray(numbers / np.maximum(np.linalg.norm(numbers, axis=1, keepdims=True), 1e-9))


def sparse(weights: dict[int, float]) -> SparseVector:
    """A keyword vector from {position counted from 1: weight}."""
    return SparseVector({position - 1: weight for position, weight in weights.items()}, POSITIONS)


def any_of(conjunctions: Iterable[Sequence[str]]) -> str:
    """The tsquery of texts that have all the words of one of these."""
    return " | ".join(f"({lexemes(words, ' & ')})" for words in conjunctions)


def two_of(words: Sequence[str]) -> str:
    """The tsquery of texts with two of the words, at least: one of each half, or two of either; "" for fewer words."""
    if len(words) < 2:
        return ""
    one, other = words[: len(words) // 2], words[len(words) // 2 :]
    both = f"({lexemes(one, ' | ')}) & ({lexemes(other, ' | ')})"
    return " | ".join(filter(None, [both, two_of(one), two_of(other)]))


def lexemes(terms: Iterable[str], joiner: str = " ") -> str:
    """A tsvector literal of these terms, or with ` | ` the tsquery that any of them satisfies."""
    return joiner.join("'" + term.replace("\\", "\\\\").replace("'", "''") + "'" for term in sorted(set(terms)))
