"""A question to the files, and the answer as every door gives it."""

from dataclasses import dataclass, field
from typing import Any

from knowledge.evidence.rules.reuse import ReuseMode
from knowledge.evidence.rules.scope import SearchScope

TOP_K, MOST_TOP_K = 3, 20
LOOPS, MOST_LOOPS = 10, 20
TOKENS, MOST_TOKENS = 64_000, 128_000
# How many ranked files an answer lists.
LISTED = 10


@dataclass(frozen=True)
class EvidenceQuestion:
    """`sources`: slugs, none for all one may see; `top_k`: files that evidence is taken from; `max_loops` and
    `max_tokens` bound the exploration and the model. `reuse`: whether an answer of before will do, and this one is
    kept; `beside`: whether insights are shown with it.
    """

    text: str
    mode: ReuseMode = ReuseMode.FAST
    sources: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    top_k: int = TOP_K
    max_loops: int = LOOPS
    max_tokens: int = TOKENS
    listed: int = LISTED
    reuse: bool = True
    beside: bool = True

    @property
    def scope(self) -> SearchScope:
        return SearchScope(self.include, self.exclude, self.paths)


@dataclass(frozen=True)
class Cited:
    """One piece of evidence: lines of a file, with the file's hash as it was read. `score` 0–1."""

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


@dataclass(frozen=True)
class Brief:
    """What the evidence says; `written_by` is the model that wrote it, empty for sentences of the evidence itself."""

    content: str
    patterns: tuple[str, ...]
    confidence: float
    written_by: str = ""


@dataclass(frozen=True)
class Phase:
    """One step of a search that is over: what it took, and what it found, in words."""

    name: str
    took_ms: float
    found: str


@dataclass(frozen=True)
class InquiryStep:
    """One step of the exploration: which tool, with what, and what came of it."""

    tool: str
    asked: str
    found: str


@dataclass
class Notes:
    """What was down or cut short on the way, for the answer's `degraded`; each said once."""

    degraded: list[dict[str, str]] = field(default_factory=list)

    def down(self, component: str, reason: str) -> None:
        told = {"component": component, "reason": reason}
        if told not in self.degraded:
            self.degraded.append(told)


def public(ask: EvidenceQuestion) -> dict[str, Any]:
    """What is remembered of how a question was asked."""
    return {
        "mode": ask.mode.value, "sources": list(ask.sources), "paths": list(ask.paths),
        "include": list(ask.include), "exclude": list(ask.exclude), "top_k": ask.top_k,
    }  # fmt: skip
