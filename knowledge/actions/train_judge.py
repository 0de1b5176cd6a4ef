"""Train the local stance judge: labelled pairs and edited sentences in, the weights it ships with out.

Offline, and the same weights for the same data, embedder and seed. Takes some minutes, most of them for embedding.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from accounts.rules.refused import Refused
from knowledge.adapters.embedder import Embedder
from knowledge.rules import stance_edits, stance_examples
from knowledge.rules.stance_cues import conflicts
from knowledge.rules.stance_examples import Example
from knowledge.rules.stance_features import NAMES, features
from knowledge.rules.stance_network import CLASSES, Examples, Network, train
from knowledge.rules.stance_reading import read
from knowledge.rules.stance_slots import Akin, slots

# Where the data lies in the folder that is given. Notes: JSON Lines with `body`.
NL2BASH = "pairs/nl2bash.jsonl"
GITBUGS = "pairs/gitbugs.jsonl"
NOTES = "corpus/til_jbranchaud.jsonl"

SEED = 7
# Sentences of notes that are edited, and that are paired with their neighbours: more change no figure by .01.
EDITED = 3500
NEIGHBOURS = 2500
# A neighbour nearer than this may well say the same.
NEAREST_SENTENCE = 0.85
NEAREST_COMMAND = 0.82
# Texts embedded at a time.
BATCH = 500

Progress = Callable[[str, int, int], None]
Row = Mapping[str, Any]


class NoTrainingData(Refused):
    code = "invalid"


def train_judge(*, data: Path, embedder: Embedder, out: Path, progress: Progress) -> dict[str, Any]:
    """Write the weights to `out` and return how many pairs of each source and label they were trained on.

    Raises NoTrainingData when a file is missing or not in its format, EmbedderDown.
    """
    examples = _examples(data, embedder, progress)
    cosines = _cosines([(one.a, one.b) for one in examples], embedder, progress)
    akin = _akin(examples, embedder, progress)
    rows = np.array([_features(one, cosine, akin) for one, cosine in zip(examples, cosines, strict=True)])
    network = _trained(examples, rows, embedder)
    out.write_text(json.dumps(network.as_json(), separators=(",", ":")) + "\n")
    counts = Counter((one.source, one.label) for one in examples)
    right = network.probabilities(rows).argmax(axis=1) == _labels(examples)
    return {
        "examples": {f"{source}, {label}": count for (source, label), count in sorted(counts.items())},
        "right": float(right.mean()),
        "data": network.data,
        "bytes": out.stat().st_size,
    }


def _examples(data: Path, embedder: Embedder, progress: Progress) -> list[Example]:
    rng = Random(SEED)
    commands = stance_examples.choosing(_rows(data / NL2BASH))
    reports = stance_examples.choosing(_rows(data / GITBUGS))
    notes = [stance_edits.sentences(row["body"]) for row in _rows(data / NOTES)]
    sentences = list(dict.fromkeys(sentence for note in notes for sentence in note))
    rng.shuffle(sentences)
    names = sorted({name for sentence in sentences for name in stance_edits.names(sentence)})
    words = sorted({word for sentence in sentences for word in stance_edits.objects(sentence)})
    edited = [*sentences[:EDITED], *(row["a"] for row in commands)]
    examples = stance_examples.labelled(commands, "nl2bash") + stance_examples.labelled(reports, "gitbugs")
    examples += stance_examples.edited(edited, names, words, rng)
    examples += stance_examples.following(notes, rng)
    examples += _nearby_sentences(sentences, embedder, rng, progress)
    examples += _nearby_commands(commands, embedder, progress)
    return [one for one in examples if one.a != one.b or one.label == "same"]


def _rows(path: Path) -> list[Row]:
    try:
        with path.open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]
    except (OSError, ValueError) as error:
        raise NoTrainingData(f"{path} cannot be read: {error}") from error


def _nearby_sentences(
    sentences: Sequence[str], embedder: Embedder, rng: Random, progress: Progress
) -> Iterator[Example]:
    """One of the five nearest of another sentence: near in meaning, and hardly ever the same."""
    vectors = _embedded(sentences, embedder, "sentences", progress)
    for place in rng.sample(range(len(sentences)), k=min(NEIGHBOURS, len(sentences))):
        cosines = vectors @ vectors[place]
        other = rng.choice(np.argsort(-cosines, kind="stable")[1:6].tolist())
        if cosines[other] < NEAREST_SENTENCE:
            yield Example(sentences[place], sentences[other], "unrelated", "nearby sentence")


def _nearby_commands(rows: Sequence[Row], embedder: Embedder, progress: Progress) -> Iterator[Example]:
    """Descriptions of two commands, the two nearest of each."""
    command = {}
    for row in rows:
        command[row["a"]] = row.get("cmd") or row["cmd_a"]
        command[row["b"]] = row.get("cmd") or row["cmd_b"]
    texts = sorted(command)
    vectors = _embedded(texts, embedder, "commands", progress)
    for place, text in enumerate(texts):
        cosines = vectors @ vectors[place]
        near = [at for at in np.argsort(-cosines, kind="stable")[1:8].tolist() if cosines[at] < NEAREST_COMMAND]
        for other in [texts[at] for at in near if command[texts[at]] != command[text]][:2]:
            yield Example(text, other, "unrelated", "nearby command")


def _cosines(pairs: Sequence[tuple[str, str]], embedder: Embedder, progress: Progress) -> np.ndarray:
    texts = sorted({text for pair in pairs for text in pair})
    places = {text: place for place, text in enumerate(texts)}
    vectors = _embedded(texts, embedder, "pairs", progress)
    first = vectors[[places[a] for a, _ in pairs]]
    second = vectors[[places[b] for _, b in pairs]]
    return (first * second).sum(axis=1)


def _embedded(texts: Sequence[str], embedder: Embedder, what: str, progress: Progress) -> np.ndarray:
    made = []
    for start in range(0, len(texts), BATCH):
        made.append(embedder.embed(texts[start : start + BATCH]))
        progress(f"embedding {what}", min(start + BATCH, len(texts)), len(texts))
    return np.concatenate(made)


def _akin(examples: Sequence[Example], embedder: Embedder, progress: Progress) -> Akin:
    """Every phrase that fills a slot, embedded beforehand."""
    found = [slot for one in examples for slot in slots(read(one.a), read(one.b))]
    phrases = sorted({" ".join(side) for slot in found for side in (slot.first, slot.second)})
    vectors = dict(zip(phrases, _embedded(phrases, embedder, "words", progress), strict=True))
    return lambda first, second: float(vectors[first] @ vectors[second])


def _features(one: Example, cosine: float, akin: Akin) -> np.ndarray:
    return features(read(one.a), read(one.b), float(cosine), conflicts(one.a, one.b, akin))


def _labels(examples: Sequence[Example]) -> np.ndarray:
    return np.array([CLASSES.index(one.label) for one in examples])


def _trained(examples: Sequence[Example], rows: np.ndarray, embedder: Embedder) -> Network:
    digest = hashlib.sha256(json.dumps([astuple(one) for one in examples]).encode()).hexdigest()
    weights = np.array(stance_examples.worth(examples))
    given = Examples(rows, _labels(examples), weights)
    return train(given, features=NAMES, embedder=embedder.name, data=digest[:16], seed=SEED)
