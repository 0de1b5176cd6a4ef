"""Learn the weights of the guard's last row (`accounts/rules/guard/near.py`) from the cases and from published texts.

`python -m tests.trials.guard_weights --data DIR` writes `accounts/rules/guard/weights.py`; with `--leave-out PART …` it
learns from the other parts, and prints how many secrets of those the guard finds, instead.

Each secret is drawn for some seeds and then exchanged for others of its kind, so that what surrounds it is learned
for all of them; of an exchanged one, words near it are left out at random, so that what words say counts for more than
which they are. What a published text or an installed file holds is no secret, unless a row of the guard knows it.
"""

import argparse
import base64
import datetime
import json
import random
import re
import string
import uuid
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from zlib import crc32

import django
import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from accounts.rules.guard import detection, near, weights
from accounts.rules.guard.candidates import candidates
from accounts.rules.guard.features import first_features, plain, shape_of
from accounts.rules.guard.near import NEAR, features_at
from accounts.rules.guard.patterns import TABLE
from tests.guard import NOT_LEARNED, PARTS, Case, is_hidden, look_alikes, secrets

# --- what it is learned from ---------------------------------------------------------------------------
SEEDS, EXCHANGES = range(3), 4
# Of each case all draws together; a look-alike counts for more, for a false alarm costs more than a miss.
WEIGHT_DRAWN, WEIGHT_EXCHANGED, WEIGHT_BESIDE, WEIGHT_ALIKE, WEIGHT_PUBLISHED = 1.0, 1.5, 0.5, 9.0, 1.5
# Of chosen values so many are words alone.
SHARE_WITHOUT_NUMBER = 0.5
# Words near an exchanged value are left out: in so many of them, so many.
SHARE_THINNED, SHARE_OF_WORDS = 0.6, 0.5
OF_WORDS = ("L", "g", "G", "R", "F", "P", "vw", "pf")
# Inverse strength of the regularisation. Chosen, as the shares above, on the ninth to thirteenth sets
# (docs/decisions/0029-guard-scorer.md).
STRENGTH = 0.5
# Published texts (relative to the folder of data) and files of the installed packages, cut.
PUBLISHED = (
    "grep/tldr.docs.jsonl", "grep/djangodocs.docs.jsonl", "grep/swebench_lite.jsonl", "retrieval/gitbugs.docs.jsonl",
    "retrieval/nl2bash.docs.jsonl", "retrieval/cosqa.docs.jsonl", "retrieval/conala.docs.jsonl",
    "errors/loghub16.jsonl",
)  # fmt: skip
FILES, LONGEST_FILE, MOST_OF_TEXT = 4_000, 12_000, 60
KINDS_OF_FILES = ("py", "js", "md", "txt", "json", "rst", "html", "css", "toml", "cfg", "pyi", "c", "h", "sh", "yml")
# A word is known that stands in so many of them, near the beginning.
TEXTS_OF_WORD, LONGEST_READ = 10, 4_000
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]{2,15}")
# What is asked first is learned from one in so many of them, and all features from these.
SHARE_OF_FIRST, SHARE_OF_ALL, PROCESSES = 6, 2, 8
# Some, and for each machine the same as long as the packages are.
ORDER = 3

Example = tuple[set[str], bool, float]
_ALNUM, _HEXADECIMAL = string.ascii_letters + string.digits, "0123456789abcdef"
_SMALL, _CAPITALS = string.ascii_lowercase + string.digits, string.ascii_uppercase + string.digits


@dataclass(frozen=True)
class _Exchanger:
    """Draws values of the kind of another one; `words`: of several languages, for those a person chooses."""

    rng: random.Random
    words: Sequence[str]

    def of(self, letters: str, *lengths: int) -> str:
        return "".join(self.rng.choices(letters, k=self.rng.choice(lengths)))

    def chosen(self) -> str:
        """Return a password of words, a number and a sign, in one of eleven shapes."""
        word, other = self.rng.choice(self.words), self.rng.choice(self.words)
        digits, number = self.of(string.digits, 1, 2, 3, 4), self.of(string.digits, 3, 4, 5, 6)
        sign, joining = self.of("!#?$*@%&", 1), self.of("-_.~+!#", 1)
        if self.rng.random() < SHARE_WITHOUT_NUMBER:
            third = self.rng.choice(self.words)
            return self.rng.choice(
                [
                    word + other,
                    (word + other).capitalize(),
                    word.capitalize() + other.capitalize(),
                    word + other.capitalize(),
                    word.capitalize(),
                    word.capitalize() + joining + other,
                    word + joining + other.capitalize(),
                    f"{word}-{other}-{third}",
                    f"{word.capitalize()} {other}",
                    f"{word} {other} {third}",
                    f"{word.capitalize()} {other} {digits}",
                    word.capitalize() + sign,
                    word.capitalize() + self.of(".,;:/", 1) + other,
                    f"{word.capitalize()}.{other}{digits}",
                ]
            )
        return self.rng.choice(
            [
                word.capitalize() + digits,
                word.capitalize() + digits + sign,
                word + number,
                word.capitalize() + joining + other + digits,
                word.capitalize() + other.capitalize() + digits,
                f"{word}-{other}-{number}",
                word + joining + number,
                word.upper() + digits,
                word.capitalize() + joining + other + joining + digits,
                word + sign + other.capitalize() + digits,
                number + word.capitalize() + sign,
            ]
        )

    def drawn(self, like: str) -> str:
        """Return another value that may stand where `like` does."""
        if re.fullmatch(r"[0-9a-f]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", like):
            number = str(uuid.UUID(int=self.rng.getrandbits(128), version=4))
            drawn = self.of(_ALNUM, 20, 24, 32, 40, 43, 64)
            return self.rng.choice([self.of(_HEXADECIMAL, 32, 40, 48, 64), number, drawn])
        if like.isdigit():
            return self.of(string.digits, len(like), 4, 6, 8)
        if " " in like or like.replace("-", "").isalpha():
            return self.chosen()
        if len(like) < 16:
            strong = self.of(_ALNUM + "!@#$%^&*-_=+?", 10, 12, 14, 16, 20)
            short = [self.of(_ALNUM, 8, 10, 12, 14, 16), self.of(_SMALL, 8, 10, 12)]
            return self.rng.choice([*short, strong, self.chosen(), self.chosen()])
        content = base64.b64encode(self.rng.randbytes(self.rng.choice([16, 24, 32, 48, 64]))).decode()
        return self.rng.choice(
            [
                self.of(_ALNUM, len(like)),
                self.of(_ALNUM, 16, 20, 24, 28, 32, 36, 40, 43, 48, 64),
                self.of(_ALNUM + "-_", 22, 32, 43, 64),
                self.of(_HEXADECIMAL, 32, 40, 64),
                content,
                self.of(_SMALL, 20, 24, 32, 36, 52),
                self.of(_CAPITALS, 16, 20, 26, 32),
            ]
        )

    def exchanged(self, case: Case) -> tuple[str, list[str]]:
        """Return the text of a case with other secrets, and these."""
        text, pieces = case.text, []
        for piece in case.pieces:
            other = self.drawn(piece) if len(piece) >= 6 and text.count(piece) == 1 else piece
            text = text.replace(piece, other) if other != piece else text
            pieces.append(other)
        return text, pieces

    def thinned(self, features: set[str]) -> set[str]:
        """Return features without some of the words, in some of the examples."""
        if self.rng.random() > SHARE_THINNED:
            return features
        return {one for one in sorted(features) if not one.startswith(OF_WORDS) or self.rng.random() > SHARE_OF_WORDS}


def _words() -> list[str]:
    """Return words of a dozen languages, from the catalogues of Django."""
    folder = Path(django.__file__).parent / "contrib"
    words: set[str] = set()
    for language in ("da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "pl", "pt", "sv"):
        for path in folder.glob(f"*/locale/{language}/LC_MESSAGES/django.po"):
            for line in re.findall(r'^msgstr "(.*)"', path.read_text(encoding="utf-8"), re.MULTILINE):
                words.update(re.findall(r"\b[a-z]{4,10}\b", line.lower()))
    return sorted(words)


# --- examples ------------------------------------------------------------------------------------------
Look = Callable[[str, int, int], set[str]]


def first_features_at(text: str, start: int, end: int) -> set[str]:
    """Return what is asked first of a candidate."""
    value = plain(text[start:end])
    return set(first_features(text, start, end, shape_of(value), value))


def _of_text(text: str, pieces: Sequence[str], look: Look) -> Iterator[tuple[set[str], bool]]:
    """Yield the features of each candidate, and whether it is a secret; not those that are one in part."""
    spans = [match.span() for piece in pieces for match in re.finditer(re.escape(piece), text)]
    for start, end in candidates(text):
        inside = sum(max(0, min(end, last) - max(start, first)) for first, last in spans)
        if inside and inside < max(min(5, end - start), 0.8 * (end - start)):
            continue
        if features := look(text, start, end):
            yield features, inside > 0


def _of_part(part: str, words: Sequence[str], look: Look) -> list[Example]:
    exchanger = _Exchanger(random.Random(f"{ORDER} {part}"), words)
    examples: list[Example] = []
    for seed in SEEDS:
        for case in secrets(part, seed):
            for features, label in _of_text(case.text, case.pieces, look):
                examples.append((features, label, WEIGHT_DRAWN / len(SEEDS)))
        for case in look_alikes(part, seed):
            examples += ((features, False, WEIGHT_ALIKE / len(SEEDS)) for features, _ in _of_text(case.text, (), look))
    for _ in range(EXCHANGES):
        for case in secrets(part):
            for features, label in _of_text(*exchanger.exchanged(case), look):
                weight = (WEIGHT_EXCHANGED if label else WEIGHT_BESIDE) / EXCHANGES
                examples.append((exchanger.thinned(features) if look is features_at else features, label, weight))
    return examples


def _published(data: Path) -> Iterator[str]:
    for name in PUBLISHED:
        path = data / name
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield "\n".join(str(row[key]) for key in ("title", "body", "text", "content") if row.get(key))
    installed = Path(django.__file__).parent.parent
    files = sorted(path for kind in KINDS_OF_FILES for path in installed.rglob(f"*.{kind}"))
    random.Random(ORDER).shuffle(files)
    for path in files[:FILES]:
        yield path.read_text(encoding="utf-8", errors="replace")[:LONGEST_FILE]


def _beginning(text: str, span: tuple[int, int]) -> tuple[str, str]:
    """Return the first characters of a value and those before it: what has both alike is one example."""
    start = span[0]
    return text[start : start + 12], text[max(0, start - 12) : start]


def _of_published(data: Path, share: int, shares: int, look: Look) -> list[Example]:
    """Return what a share of the published texts holds, each once, but for what the other rows take for a secret."""
    detection.TABLE = tuple(row for row in TABLE if row not in NEAR)
    seen: set[tuple[str, str]] = set()
    examples: list[Example] = []
    for text in list(_published(data))[share::shares]:
        found = [span for span in candidates(text) if _beginning(text, span) not in seen][:MOST_OF_TEXT]
        asked = [(span, features) for span in found if (features := look(text, *span))]
        hidden = detection.redact_secrets(text)[0] if asked else ""
        for span, features in asked:
            seen.add(_beginning(text, span))
            if text[slice(*span)] in hidden:
                examples.append((features, False, WEIGHT_PUBLISHED))
    detection.TABLE = TABLE
    return examples


def _examples(parts: Sequence[str], data: Path, look: Look, shares: int) -> list[Example]:
    """Return all examples; of the published texts one of so many shares (a part of a share for each process)."""
    words = _words()
    # a fork has the tables of weights that have been learned so far
    with get_context("fork").Pool() as pool:
        of_parts = pool.starmap(_of_part, [(part, words, look) for part in parts], chunksize=1)
        published = [(data, share * shares, PROCESSES * shares, look) for share in range(PROCESSES)]
        of_published = pool.starmap(_of_published, published, chunksize=1)
    return [one for several in (*of_parts, *of_published) for one in several]


def common_words(data: Path) -> bytearray:
    """Return a bit for each word of the published texts that stands in several, at the place of its checksum."""
    texts: Counter[str] = Counter()
    for text in _published(data):
        texts.update({word.lower() for word in _WORD.findall(text[:LONGEST_READ])})
    table = bytearray((weights.LAST_WORD + 1) // 8)
    for word, number in texts.items():
        if number >= TEXTS_OF_WORD:
            place = crc32(word.encode()) & weights.LAST_WORD
            table[place >> 3] |= 1 << (place & 7)
    return table


# --- learning ------------------------------------------------------------------------------------------
def _matrix(examples: Sequence[Example], last: int) -> csr_matrix:
    rows = [sorted({crc32(feature.encode()) & last for feature in features}) for features, _, _ in examples]
    ends = np.cumsum([0, *map(len, rows)])
    columns = np.concatenate([np.array(row) for row in rows])
    return csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(rows), last + 1))


def learn(examples: Sequence[Example], last: int) -> weights.WeightTable:
    """Return the weights of the features, at the places of their checksums."""
    labels, importance = [label for _, label, _ in examples], [weight for _, _, weight in examples]
    model = LogisticRegression(C=STRENGTH, solver="liblinear", tol=1e-3)
    model.fit(_matrix(examples, last), labels, sample_weight=importance)
    scale = float(np.abs(model.coef_[0]).max()) / 127
    numbers = array("b", np.round(model.coef_[0] / scale).astype(int).tolist())
    return weights.WeightTable(scale, float(model.intercept_[0]), numbers)


def learn_all(parts: Sequence[str], data: Path) -> str:
    """Set the tables of `weights.py` to what is learned from parts and published texts; return what from."""
    weights.WORDS = bytes(common_words(data))
    near.LEAST = -1000.0
    first = [(one, label, 1.0) for one, label, _ in _examples(parts, data, first_features_at, SHARE_OF_FIRST)]
    weights.FIRST = learn(first, weights.LAST_OF_FIRST)
    # of all candidates, also of those that will not be asked
    examples = _examples(parts, data, features_at, SHARE_OF_ALL)
    weights.ALL, near.LEAST = learn(examples, weights.LAST), weights.LEAST
    return f"{len(examples):,} examples ({sum(label for _, label, _ in examples):,} of secrets)"


# --- written -------------------------------------------------------------------------------------------
# Characters of a line of a table.
WIDTH = 180
_TABLES = re.compile(r"^# learned: .*", re.MULTILINE | re.DOTALL)


def _packed(content: bytes) -> str:
    packed = base64.b85encode(zlib.compress(content, 9)).decode()
    return "\n".join(f'    "{packed[at : at + WIDTH]}"' for at in range(0, len(packed), WIDTH))


def write(source: str, path: Path) -> None:
    """Write the tables into the module, behind its functions. It is formatted by `ruff format` afterwards."""
    lines = [f"# learned: {datetime.date.today().isoformat()}, from {source}"]
    lines.append(f"WORDS = _bytes(\n{_packed(weights.WORDS)}\n)")
    for name, table in (("FIRST", weights.FIRST), ("ALL", weights.ALL)):
        numbers = f'array(\n        "b",\n        _bytes(\n{_packed(table.numbers.tobytes())}\n        ),\n    )'
        lines.append(f"{name} = WeightTable(\n    {table.scale:.6f},\n    {table.bias:.4f},\n    {numbers},\n)")
    module = path.read_text(encoding="utf-8")
    path.write_text(_TABLES.sub(lambda _: "\n".join(lines) + "\n", module), encoding="utf-8")


# --- left out ------------------------------------------------------------------------------------------
def report(parts: Sequence[str]) -> None:
    """Print what the guard finds of the parts, and of their look-alikes."""
    for part in parts:
        drawn = [case for seed in SEEDS for case in secrets(part, seed)]
        alike = [case for seed in SEEDS for case in look_alikes(part, seed)]
        found = sum(is_hidden(case, detection.redact_secrets(case.text)[0]) for case in drawn)
        wrong = sum(bool(detection.find_secrets(case.text)) for case in alike)
        print(f"{part}: recall {found / len(drawn):.3f}, false alarms {wrong / len(alike):.4f}")


def main() -> None:
    """Write the weights, or print what those of the other parts find of the parts that are left out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--leave-out", nargs="*", choices=PARTS, default=())
    parser.add_argument("--to", type=Path, default=Path(weights.__file__), help="the module to write them into")
    options = parser.parse_args()
    source = learn_all([part for part in PARTS if part not in (*NOT_LEARNED, *options.leave_out)], options.data)
    print(source)
    report(options.leave_out)
    if not options.leave_out or options.to != Path(weights.__file__):
        write(source, options.to)


if __name__ == "__main__":
    main()
