"""The preferences that a member's deposits and ratings suggest.

There are three patterns. *Languages*: the file extensions of the deposits that name code files. *Concentration*: a tag
that most of the deposits have. *Rated clusters*: a topic, or a tag, whose insights the member has often found helpful.

Each is a share: `signals` of `of` things that could have shown it. Its confidence is the lower bound of Wilson's
interval for the share (E. B. Wilson, "Probable inference", JASA 22, 1927), so that nine of ten say more than nine
hundred of a thousand and one, and five of five more than five of six. An insight is one signal, however often it was
rated; the last rating counts.

An inferred preference is dropped at a lower bar than it is made, so that a single deposit does not turn it on and off.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import PurePosixPath
from typing import TypeVar

from accounts.rules.preferences import LONGEST_VALUE, Category, Inferred, Support, key_of

# The number of newest deposits, and of newest ratings, that count: people change.
WINDOW = 200
# product.md: minimum 5 supporting signals and confidence .6. The lower bound of 5 of 5 is .83, of 4 of 5 it is .58.
LEAST_SIGNALS = 5
LEAST_CONFIDENCE = 0.6
# "80 % of deposits in .ts" is the seed's example.
LEAST_SHARE_OF_LANGUAGE = 0.8
# The least share of all helpful insights that a cluster needs, because agents find much helpful.
LEAST_SHARE_OF_HELPFUL = 0.25
# An inferred preference is kept down to this part of each bar.
HELD = 0.85
# The largest number of tags, and of clusters: the strongest. A list of everything prefers nothing.
MOST_OF_A_KIND = 3
# The prefixes of the keys of concentrated tags and of rated clusters.
FOCUS, HELPFUL = "focus", "helpful"
# The number of newest references kept as evidence.
MOST_REFS = 20
# The width of Wilson's interval in standard deviations: 1 is 68 % of it, 84 % on the one side that is asked for.
Z = 1.0

# Only what programs are written in: everybody has Markdown, JSON and YAML. Headers (.h) tell C from C++ no more.
LANGUAGES = {
    "ada": "Ada", "adb": "Ada", "bash": "Shell", "bat": "Batch", "c": "C", "cc": "C++", "clj": "Clojure",
    "cljs": "Clojure", "cpp": "C++", "cs": "C#", "cxx": "C++", "dart": "Dart", "elm": "Elm", "erl": "Erlang",
    "ex": "Elixir", "exs": "Elixir", "f90": "Fortran", "fs": "F#", "go": "Go", "groovy": "Groovy", "hpp": "C++",
    "hs": "Haskell", "java": "Java", "jl": "Julia", "js": "JavaScript", "jsx": "JavaScript", "kt": "Kotlin",
    "kts": "Kotlin", "lua": "Lua", "m": "Objective-C", "mjs": "JavaScript", "cjs": "JavaScript", "ml": "OCaml",
    "mm": "Objective-C", "nim": "Nim", "php": "PHP", "pl": "Perl", "ps1": "PowerShell", "py": "Python",
    "pyi": "Python", "pyx": "Cython", "r": "R", "rb": "Ruby", "rs": "Rust", "scala": "Scala", "sh": "Shell",
    "sol": "Solidity", "sql": "SQL", "svelte": "Svelte", "swift": "Swift", "tf": "Terraform", "ts": "TypeScript",
    "tsx": "TypeScript", "mts": "TypeScript", "cts": "TypeScript", "vue": "Vue", "zig": "Zig", "zsh": "Shell",
}  # fmt: skip


Name = TypeVar("Name")


@dataclass(frozen=True)
class Deed:
    """An insight the member deposited, or rated (`helpful` is None if they deposited it)."""

    ref: str
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    topic: tuple[str, str] | None = None  # id, label
    helpful: bool | None = None


@dataclass(frozen=True)
class _Share:
    """The deeds among `of` that show a preference, newest first."""

    shown: Sequence[Deed]
    of: int

    @property
    def share(self) -> float:
        return len(self.shown) / self.of

    @property
    def confidence(self) -> float:
        return wilson(len(self.shown), self.of)

    def passes(self, ease: float) -> bool:
        return len(self.shown) >= LEAST_SIGNALS and self.confidence >= LEAST_CONFIDENCE * ease


def infer(deposits: Sequence[Deed], ratings: Sequence[Deed], held: Collection[str] = ()) -> list[Inferred]:
    """Return the preferences that these deeds (newest first) suggest, at most one per key; `held`: the keys inferred
    before.
    """
    deposits, ratings = deposits[:WINDOW], ratings[:WINDOW]

    def ease(key: str) -> float:
        return HELD if key in held else 1.0

    found = [*_language(deposits, ease), *_focus(deposits, ease), *_helpful(ratings, ease)]
    return list({one.key: one for one in reversed(found)}.values())[::-1]


def is_profile(key: str) -> bool:
    """Return whether an inferred preference of this key only says what somebody works on, which no agent can act on."""
    return key.startswith((f"{FOCUS}_", f"{HELPFUL}_"))


def wilson(signals: int, of: int) -> float:
    """Return the lower bound of the share `signals / of`, 0–1, at Z standard deviations."""
    if not signals:
        return 0.0
    share, z2 = signals / of, Z * Z
    centre = share + z2 / (2 * of)
    spread = Z * sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    return min((centre - spread) / (1 + z2 / of), share)


def languages(files: Iterable[str]) -> set[str]:
    """Return the languages that files of these names are written in."""
    known = (LANGUAGES.get(PurePosixPath(name).suffix.lower().lstrip(".")) for name in files)
    return {language for language in known if language}


def _language(deposits: Sequence[Deed], ease: Callable[[str], float]) -> Iterator[Inferred]:
    key = "primary_language"
    spoken = [(deed, languages(deed.files)) for deed in deposits]
    coded = [(deed, names) for deed, names in spoken if names]
    shares = _shares(((name, deed) for deed, names in coded for name in names), len(coded))
    for name, share in _strongest(shares)[:1]:
        if share.passes(ease(key)) and share.share >= LEAST_SHARE_OF_LANGUAGE * ease(key):
            why = f"{len(share.shown)} of the last {share.of} deposits that name code files name {name} files"
            yield _inferred(key, name, Category.DOMAIN, f"Works mainly in {name}.", share, why)


def _focus(deposits: Sequence[Deed], ease: Callable[[str], float]) -> Iterator[Inferred]:
    tagged = [deed for deed in deposits if deed.tags]
    shares = _shares(((tag, deed) for deed in tagged for tag in set(deed.tags)), len(tagged))
    passing = [(tag, share) for tag, share in _strongest(shares) if share.passes(ease(_key(FOCUS, tag)))]
    for tag, share in passing[:MOST_OF_A_KIND]:
        why = f"{len(share.shown)} of the last {share.of} deposits with tags have the tag “{tag}”"
        yield _inferred(_key(FOCUS, tag), tag, Category.DOMAIN, f"Works mainly on “{tag}”.", share, why)


def _helpful(ratings: Sequence[Deed], ease: Callable[[str], float]) -> Iterator[Inferred]:
    """Yield clusters by topic and by tag; each share is of what was rated in the cluster."""
    clusters: dict[tuple[str, str], list[Deed]] = defaultdict(list)
    for deed in ratings:
        for tag in set(deed.tags):
            clusters[_key(HELPFUL, tag), tag].append(deed)
        if deed.topic:
            clusters[f"{HELPFUL}_topic_{key_of(deed.topic[0])}", deed.topic[1]].append(deed)
    whole = sum(bool(deed.helpful) for deed in ratings)
    shares = {
        cluster: _Share([deed for deed in rated if deed.helpful], len(rated)) for cluster, rated in clusters.items()
    }
    passing = [
        (cluster, share)
        for cluster, share in _strongest(shares)
        if share.passes(ease(cluster[0])) and len(share.shown) >= LEAST_SHARE_OF_HELPFUL * ease(cluster[0]) * whole
    ]
    for (key, name), share in passing[:MOST_OF_A_KIND]:
        why = f"{len(share.shown)} of {share.of} rated insights on “{name}” were helpful"
        yield _inferred(key, name, Category.APPROACH, f"Relies on insights about “{name}”.", share, why)


def _shares(shown: Iterable[tuple[Name, Deed]], of: int) -> dict[Name, _Share]:
    by_name: dict[Name, list[Deed]] = defaultdict(list)
    for name, deed in shown:
        by_name[name].append(deed)
    return {name: _Share(deeds, of) for name, deeds in by_name.items()}


def _strongest(shares: Mapping[Name, _Share]) -> list[tuple[Name, _Share]]:
    return sorted(shares.items(), key=lambda item: (-item[1].confidence, -len(item[1].shown), str(item[0])))


def _key(prefix: str, name: str) -> str:
    return key_of(f"{prefix}_{name}")


def _inferred(key: str, value: str, category: Category, statement: str, share: _Share, why: str) -> Inferred:
    refs = tuple(deed.ref for deed in share.shown[:MOST_REFS])
    support = Support(why, len(share.shown), share.of, refs)
    return Inferred(key, value[:LONGEST_VALUE], category, statement, round(share.confidence, 3), support)
