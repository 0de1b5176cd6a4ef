"""Vectors of what files say, kept in memory: the next question meets the same heads and passages again.

A head or passage costs 5 to 40 ms of a processor, more than all else that is done with it. Only what was looked at last
is kept, by a hash of the text; nothing is written down, so there is nothing to keep true.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from knowledge.adapters.embedder import current

# Some 10 MB: 384 numbers of four bytes each, and what a dictionary takes.
MOST_KEPT = 6_000

_lock = threading.Lock()
_kept: OrderedDict[tuple[str, bytes], np.ndarray] = OrderedDict()


def vectors_of(texts: Sequence[str]) -> np.ndarray:
    """A row for each text, at least one; those not seen of late are made together. Raises EmbedderDown."""
    embedder = current()
    keys = [(embedder.name, blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()) for text in texts]
    with _lock:
        known = {key: _kept[key] for key in keys if key in _kept}
    new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if new:
        made = embedder.embed(list(new.values()))
        known |= {key: np.asarray(vector) for key, vector in zip(new, made, strict=True)}
    with _lock:
        for key in keys:
            _kept[key] = known[key]
            _kept.move_to_end(key)
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return np.asarray([known[key] for key in keys])
