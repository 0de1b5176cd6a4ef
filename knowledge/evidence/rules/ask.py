"""A question to the files, and its answer as every interface returns it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from knowledge.evidence.rules.confidence import Signs
from knowledge.evidence.rules.reuse import ReuseMode
from knowledge.evidence.rules.scope import SearchScope, place

# The number of files that evidence is taken from by default: of 86 questions DEEP found three in the fourth or fifth
# file.
TOP_K, DEEP_TOP_K, MOST_TOP_K = 3, 5, 20
LOOPS, MOST_LOOPS = 10, 20
TOKENS, MOST_TOKENS = 64_000, 128_000
# The number of files named in an answer that were not searched.
MOST_SKIPPED = 50
# The number of ranked files that an answer lists.
LISTED = 10


@dataclass(frozen=True)
class EvidenceQuestion:
    """A question to the files.

    `sources`: slugs, empty for all that the member may see. `top_k`: the largest number of files that evidence is taken
    from. `max_loops` and `max_tokens` bound the exploration and the model. `history`: earlier questions that this one
    may continue, oldest first. `reuse`: a saved answer may be used, and this one is saved. `recompute`: this answer is
    saved, but searched for even if there is a saved one. `beside`: insights are shown with the answer.
    """

    text: str
    mode: ReuseMode = ReuseMode.FAST
    sources: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    top_k: int | None = None
    max_loops: int = LOOPS
    max_tokens: int = TOKENS
    listed: int = LISTED
    history: tuple[str, ...] = ()
    reuse: bool = True
    recompute: bool = False
    beside: bool = True

    @property
    def scope_data(self) -> dict[str, list[str]]:
        """The scope in the form that a cluster stores."""
        return {"include": list(self.include), "exclude": list(self.exclude), "paths": list(self.paths)}

    @property
    def most_files(self) -> int:
        """The largest number of files that evidence is taken from."""
        return self.top_k or (DEEP_TOP_K if self.mode is ReuseMode.DEEP else TOP_K)

    @property
    def scope(self) -> SearchScope:
        return SearchScope(self.include, self.exclude, self.paths)


# A question of so few words, or with one of these words, continues the one before it.
SHORT_QUESTION = 4
_GOES_ON = re.compile(
    r"^(?:and|or|but|what about|how about|why|und|et|y|и|а)\b"
    r"|\b(?:it|its|that|this|those|these|they|them|there|same|one)\b",
    re.IGNORECASE,
)


def standalone(question: str, history: Sequence[str]) -> str:
    """Return the question, preceded by the one before it if it does not stand alone."""
    if history and (len(question.split()) <= SHORT_QUESTION or _GOES_ON.search(question)):
        return f"{history[-1].rstrip()} {question}"
    return question


@dataclass(frozen=True)
class Cited:
    """One piece of evidence: lines of a file, with the file's hash when it was read. `score`: 0–1; `commit`: for a
    repository, the commit it was read at.
    """

    source: str
    path: str
    start_line: int
    end_line: int
    summary: str
    text: str
    score: float
    sha256: str
    text_sha256: str
    heading: str = ""
    cosine: float = 0.0
    coverage: float = 0.0
    judged: float | None = None
    signs: Signs | None = None
    commit: str = ""

    @property
    def place(self) -> str:
        """The citation: `path:1-3`, in a repository `path@commit:1-3`."""
        return place(self.path, self.start_line, self.end_line, self.commit)


@dataclass(frozen=True)
class Brief:
    """The summary of the evidence. `written_by`: the model that wrote it, empty for sentences of the evidence
    itself.
    """

    content: str
    patterns: tuple[str, ...]
    confidence: float
    written_by: str = ""


@dataclass(frozen=True)
class Phase:
    """One finished step of a search: its cost, and its result in words."""

    name: str
    took_ms: float
    found: str


@dataclass(frozen=True)
class InquiryStep:
    """One step of the exploration: the tool, its arguments and its result."""

    tool: str
    asked: str
    found: str


@dataclass
class Notes:
    """The components that were down, for the answer's `degraded`, and the files or parts of them that were not
    searched, for its `skipped`; each once.
    """

    degraded: list[dict[str, str]] = field(default_factory=list)
    skipped: list[dict[str, str]] = field(default_factory=list)

    def down(self, component: str, reason: str) -> None:
        told = {"component": component, "reason": reason}
        if told not in self.degraded:
            self.degraded.append(told)

    def skip(self, path: str, reason: str) -> None:
        told = {"path": path, "reason": reason}
        if told not in self.skipped and len(self.skipped) < MOST_SKIPPED:
            self.skipped.append(told)


def public(ask: EvidenceQuestion) -> dict[str, Any]:
    """Return what is stored about how a question was asked."""
    return {
        "mode": ask.mode.value, "sources": list(ask.sources), "paths": list(ask.paths),
        "include": list(ask.include), "exclude": list(ask.exclude), "top_k": ask.most_files,
    }  # fmt: skip
