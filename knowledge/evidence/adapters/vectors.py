"""Vectors of what files say, kept in memory: the next question meets the same heads and passages again.

A head or passage costs 5 to 40 ms of a processor, more than all else that is done with it. Only what was looked at last
is kept, by a hash of the text; nothing is written down, so there is nothing to keep true.
"""

import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b

import numpy as np

from knowledge.adapters.embedder import RecentlyAsked, current

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
        made = _made(embedder, list(new.values()))
        known |= {key: np.asarray(vector) for key, vector in zip(new, made, strict=True)}
    with _lock:
        for key in keys:
            _kept[key] = known[key]
            _kept.move_to_end(key)
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return np.asarray([known[key] for key in keys])


# Threads that make the vectors of one question, as a search does nothing else meanwhile; from so many characters on, as
# starting one takes .2 ms and a vector of 700 characters 15 to 40. A forked worker inherits none of them.
THREADS = 2
WORTH_A_THREAD = 1_000


def _made(embedder: RecentlyAsked, texts: Sequence[str]) -> np.ndarray:
    """A row for each text. Raises EmbedderDown."""
    count = min(THREADS, len(texts), len(os.sched_getaffinity(0)))
    if count < THREADS or sum(map(len, texts)) < WORTH_A_THREAD:
        return embedder.embed(texts)
    longest_first = sorted(range(len(texts)), key=lambda at: -len(texts[at]))
    shares = [longest_first[first::count] for first in range(count)]
    given = [[texts[at] for at in share] for share in shares]
    with ThreadPoolExecutor(max_workers=count) as pool:
        made = np.concatenate(list(pool.map(embedder.embed, given)))
    return made[np.argsort(np.concatenate(shares))]
