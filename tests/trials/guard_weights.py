"""Learn the weights of the guard's last row (`accounts/rules/guard/near.py`) from the cases and from published texts.

`python -m tests.trials.guard_weights --data DIR` writes `accounts/rules/guard/weights.py`; with `--leave-out PART …` it
learns from the other parts, and prints how many secrets of those are found by the weights alone, instead.

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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import django
import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from accounts.rules.guard import detection, weights
from accounts.rules.guard.near import NEAR, candidates, features_at
from accounts.rules.guard.patterns import TABLE
from tests.guard import PARTS, Case, is_hidden, look_alikes, secrets

# --- what it is learned from ---------------------------------------------------------------------------
SEEDS, EXCHANGES = range(3), 4
# Of each case all draws together; a look-alike counts for more, for a false alarm costs more than a miss.
WEIGHT_DRAWN, WEIGHT_EXCHANGED, WEIGHT_BESIDE, WEIGHT_ALIKE, WEIGHT_PUBLISHED = 1.0, 1.5, 0.5, 9.0, 1.5
# Words near an exchanged value are left out: in so many of them, so many.
SHARE_THINNED, SHARE_OF_WORDS = 0.6, 0.5
OF_WORDS = ("L", "g", "G", "R", "F", "P", "vw", "pf")
# Inverse strength of the regularisation. Chosen, as the shares above, on the ninth to thirteenth sets
# (docs/decisions/0029-guard-scorer.md).
STRENGTH = 1.0
# Published texts (relative to the folder of data) and files of the installed packages, cut.
PUBLISHED = (
    "grep/tldr.docs.jsonl", "grep/djangodocs.docs.jsonl", "grep/swebench_lite.jsonl", "retrieval/gitbugs.docs.jsonl",
    "retrieval/nl2bash.docs.jsonl", "retrieval/cosqa.docs.jsonl", "retrieval/conala.docs.jsonl",
    "errors/loghub16.jsonl",
)  # fmt: skip
FILES, LONGEST_FILE, MOST_OF_TEXT = 4_000, 12_000, 60
KINDS_OF_FILES = ("py", "js", "md", "txt", "json", "rst", "html", "css", "toml", "cfg", "pyi", "c", "h", "sh", "yml")
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


def _of_text(text: str, pieces: Sequence[str]) -> Iterator[tuple[set[str], bool]]:
    """Yield the features of each candidate, and whether it is a secret; not those that are one in part."""
    spans = [match.span() for piece in pieces for match in re.finditer(re.escape(piece), text)]
    for start, end in candidates(text):
        inside = sum(max(0, min(end, last) - max(start, first)) for first, last in spans)
        if inside and inside < max(5, 0.8 * (end - start)):
            continue
        if features := features_at(text, start, end):
            yield features, inside > 0


def _of_part(part: str, exchanger: _Exchanger) -> Iterator[Example]:
    for seed in SEEDS:
        for case in secrets(part, seed):
            for features, label in _of_text(case.text, case.pieces):
                yield features, label, WEIGHT_DRAWN / len(SEEDS)
        for case in look_alikes(part, seed):
            yield from ((features, False, WEIGHT_ALIKE / len(SEEDS)) for features, _ in _of_text(case.text, ()))
    for _ in range(EXCHANGES):
        for case in secrets(part):
            for features, label in _of_text(*exchanger.exchanged(case)):
                yield exchanger.thinned(features), label, (WEIGHT_EXCHANGED if label else WEIGHT_BESIDE) / EXCHANGES


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


def _of_published(data: Path) -> Iterator[Example]:
    """Yield what published texts hold, each once, but for what the other rows take for a secret."""
    detection.TABLE = tuple(row for row in TABLE if row not in NEAR)
    seen: set[tuple[str, str]] = set()
    for text in _published(data):
        found = [span for span in candidates(text) if _beginning(text, span) not in seen][:MOST_OF_TEXT]
        asked = [(span, features) for span in found if (features := features_at(text, *span))]
        hidden = detection.redact_secrets(text)[0] if asked else ""
        for span, features in asked:
            seen.add(_beginning(text, span))
            if text[slice(*span)] in hidden:
                yield features, False, WEIGHT_PUBLISHED
    detection.TABLE = TABLE


# --- learning ------------------------------------------------------------------------------------------
def _matrix(examples: Sequence[Example]) -> csr_matrix:
    rows = [sorted({crc32(feature.encode()) & weights.LAST for feature in features}) for features, _, _ in examples]
    ends = np.cumsum([0, *map(len, rows)])
    columns = np.concatenate([np.array(row) for row in rows])
    return csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(rows), weights.LAST + 1))


def learn(examples: Sequence[Example]) -> tuple[np.ndarray, float]:
    """Return the weight of each feature and what is added to all."""
    labels, importance = [label for _, label, _ in examples], [weight for _, _, weight in examples]
    model = LogisticRegression(C=STRENGTH, solver="liblinear").fit(_matrix(examples), labels, sample_weight=importance)
    return model.coef_[0], float(model.intercept_[0])


# Characters of a line of the table.
WIDTH = 112
HEADER = '''"""The weights of `features.py`: learned by `python -m tests.trials.guard_weights --data DIR`, not edited.

Learned on {date} from {count:,} examples ({secret:,} of secrets): the parts of `tests/guard`, published texts
and files of installed packages. A feature's place in the table is its checksum; a weight is a number of eight bits
times `SCALE`.
"""

import base64
import zlib
from array import array
from collections.abc import Iterable

# The last place of the table.
LAST = {last}
SCALE, BIAS = {scale:.6f}, {bias:.4f}
# Log-odds, of what is learned from; how it was chosen: docs/decisions/0029-guard-scorer.md.
THRESHOLD = {threshold}
_PACKED = (
{lines}
)
_TABLE = array("b", zlib.decompress(base64.b85decode("".join(_PACKED))))


def score(features: Iterable[str]) -> float:
    """Return the log-odds that a value with these features is a secret."""
    return BIAS + SCALE * sum(_TABLE[zlib.crc32(feature.encode()) & LAST] for feature in features)
'''


def write(table: np.ndarray, bias: float, examples: Sequence[Example], path: Path) -> None:
    """Write the weights as a module."""
    scale = float(np.abs(table).max()) / 127
    numbers = array("b", np.round(table / scale).astype(int).tolist())
    packed = base64.b85encode(zlib.compress(numbers.tobytes(), 9)).decode()
    lines = "\n".join(f'    "{packed[at : at + WIDTH]}",' for at in range(0, len(packed), WIDTH))
    secret = sum(label for _, label, _ in examples)
    path.write_text(
        HEADER.format(
            date=datetime.date.today().isoformat(), count=len(examples), secret=secret, last=weights.LAST,
            scale=scale, bias=bias, threshold=weights.THRESHOLD, lines=lines,
        ),
        encoding="utf-8",
    )  # fmt: skip


def _use(table: np.ndarray, bias: float) -> None:
    scale = float(np.abs(table).max()) / 127
    weights.SCALE, weights.BIAS = scale, bias
    weights._TABLE = array("b", np.round(table / scale).astype(int).tolist())


# --- left out ------------------------------------------------------------------------------------------
def report(parts: Sequence[str]) -> None:
    """Print what the last row alone finds of the parts, and of their look-alikes."""
    detection.TABLE = NEAR
    for part in parts:
        drawn = [case for seed in SEEDS for case in secrets(part, seed)]
        alike = [case for seed in SEEDS for case in look_alikes(part, seed)]
        found = sum(is_hidden(case, detection.redact_secrets(case.text)[0]) for case in drawn)
        wrong = sum(bool(detection.find_secrets(case.text)) for case in alike)
        print(f"{part}: recall {found / len(drawn):.3f}, false alarms {wrong / len(alike):.4f}")
    detection.TABLE = TABLE


def main() -> None:
    """Write the weights, or print what those of the other parts find of the parts that are left out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--leave-out", nargs="*", choices=PARTS, default=())
    options = parser.parse_args()
    exchanger = _Exchanger(random.Random(ORDER), _words())
    examples = [one for part in PARTS if part not in options.leave_out for one in _of_part(part, exchanger)]
    examples += _of_published(options.data)
    print(f"{len(examples):,} examples, {sum(label for _, label, _ in examples):,} of secrets")
    table, bias = learn(examples)
    if options.leave_out:
        _use(table, bias)
        report(options.leave_out)
    else:
        write(table, bias, examples, Path(weights.__file__))


if __name__ == "__main__":
    main()
