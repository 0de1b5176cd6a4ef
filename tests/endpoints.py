"""Every endpoint of the API, as config.urls has it, each with a request that it takes.

The sweeps (bad input, strangers) begin with what works and spoil one thing at a time. What is new in config.urls and
not in GOOD fails their first test.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from django.urls import URLPattern, reverse
from rest_framework.serializers import Serializer
from rest_framework.test import APIClient

from accounts.rules.rights import Scope
from accounts.serializers import GuardTermIn, MeIn, PreferenceEdit, PreferenceIn, WebhookIn
from config.urls import api
from knowledge.evidence.serializers import SearchIn, ShareIn
from knowledge.serializers.comments import CommentIn
from knowledge.serializers.insights import BatchIn, CombineIn, DraftIn, EditIn, OwnerIn, RatingIn, ReasonIn, RelationsIn
from knowledge.serializers.moderation import FilesIn, ForgetIn, MoveIn, ReleaseIn, ValidateIn
from knowledge.serializers.pairs import ReportIn, ResolveIn
from knowledge.serializers.proposals import ProposalIn
from knowledge.serializers.topics import MergeTopicIn, RenameIn
from sessions_app.serializers.annotations import AnnotationIn
from sessions_app.serializers.conversations import ForgetConversationIn, SharingIn
from sessions_app.serializers.query import AskIn, WhyNotIn
from sessions_app.serializers.repositories import ClaimsIn, CodeIndexIn
from sessions_app.serializers.sessions import AckIn, EventsIn, KilledIn, PastIn, QuestionIn, StartIn, WordsIn
from sessions_app.serializers.surface import SurfaceIn
from skills.serializers import DistilIn, SkillEditIn, SkillIn

JSON = "application/json"
LESSON = {"kind": "PITFALL", "body": "Celery beat must run as one process, or jobs fire twice."}
# A topic that the sweeps make, for another to be merged into.
OTHER_TOPIC = "70a1c000-0000-4000-8000-000000000001"
SKILL = {
    "name": "release",
    "description": "How to release the importer. Use when tagging.",
    "instructions": "1. Freeze.\n2. Tag.",
}
CURATING = ("promote", "deprecate", "restore", "pin", "unpin")


# What paths name.
PARTS = ("ref", "query_id", "pair_id", "preference_id", "term_id", "webhook_id", "session_id", "topic_id")
PARTS += ("name", "cluster", "annotation_id", "proposal_id")


@dataclass(frozen=True)
class Good:
    """A request that is carried out. `scope`: what it takes besides `read`; `open`: it takes no token at all."""

    body: dict[str, Any] | None = None
    shape: type[Serializer[Any]] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    scope: Scope | None = None
    open: bool = False
    status: int = 200


GOOD: dict[tuple[str, str], Good] = {
    ("health", "GET"): Good(open=True),
    ("schema", "GET"): Good(open=True),
    ("docs", "GET"): Good(open=True),
    ("me", "GET"): Good(),
    ("me", "PATCH"): Good({"share_prompts": True}, MeIn, scope=Scope.WRITE),
    ("insights", "GET"): Good(),
    ("insights", "POST"): Good(LESSON, DraftIn, scope=Scope.WRITE, status=201),
    ("insight-batch", "POST"): Good({"insights": [LESSON]}, BatchIn, scope=Scope.WRITE),
    ("insight", "GET"): Good(),
    ("insight", "PATCH"): Good({"title": "New"}, EditIn, {"HTTP_IF_MATCH": "1"}, scope=Scope.CURATE),
    ("insight-history", "GET"): Good(),
    ("insight-relations", "POST"): Good(
        {"relations": [{"ref": "PLAT-2", "relation": "complements"}]}, RelationsIn, scope=Scope.WRITE
    ),
    ("insight-proposals", "GET"): Good(),
    ("insight-proposals", "POST"): Good({"title": "New", "note": "clearer"}, ProposalIn, scope=Scope.WRITE, status=201),
    ("insight-proposal-comments", "GET"): Good(),
    ("insight-proposal-comments", "POST"): Good({"text": "Which setting?"}, CommentIn, scope=Scope.WRITE, status=201),
    **{(f"insight-{verb}", "POST"): Good({"reason": "so"}, ReasonIn, scope=Scope.CURATE) for verb in CURATING},
    ("insight-corroborations", "GET"): Good(),
    ("insight-supersede", "POST"): Good({"by": "PLAT-2"}, CombineIn, scope=Scope.CURATE),
    ("insight-reinstate", "POST"): Good({"reason": "so"}, CombineIn, scope=Scope.CURATE),
    ("insight-merge", "POST"): Good({"into": "PLAT-2"}, CombineIn, scope=Scope.CURATE),
    ("insight-unmerge", "POST"): Good({"corroboration": 1}, CombineIn, scope=Scope.WRITE),
    ("insight-forget", "POST"): Good({"reason": "so"}, ForgetIn, scope=Scope.CURATE),
    ("insight-validate", "POST"): Good({"reason": "so"}, ValidateIn, scope=Scope.CURATE),
    ("insight-move", "POST"): Good({"team": "everyone"}, MoveIn, scope=Scope.CURATE),
    ("insight-release", "POST"): Good({"mask": True}, ReleaseIn, scope=Scope.CURATE),
    ("provenance", "GET"): Good(),
    ("provenance", "POST"): Good(
        {"repo": "acme/web", "files": [{"path": "a.py", "sha256": "0" * 64}]}, FilesIn, scope=Scope.WRITE
    ),
    ("guard-terms", "GET"): Good(),
    ("guard-terms", "POST"): Good(
        {"team": "platform", "term": "hunter2-hunter2", "reason": "a joke"}, GuardTermIn, scope=Scope.CURATE, status=201
    ),
    ("guard-term", "DELETE"): Good(scope=Scope.CURATE, status=204),
    ("webhooks", "GET"): Good(),
    ("webhooks", "POST"): Good(
        {"team": "platform", "url": "https://203.0.114.9/hook", "events": ["insight.promoted"]},
        WebhookIn,
        scope=Scope.CURATE,
        status=201,
    ),
    ("webhook", "DELETE"): Good(scope=Scope.CURATE, status=204),
    ("ratings", "POST"): Good({"insight": "PLAT-1", "verdict": "helpful"}, RatingIn, scope=Scope.WRITE),
    ("contradictions", "GET"): Good(),
    ("contradictions", "POST"): Good(
        {"a": "PLAT-1", "b": "PLAT-2", "reason": "both cannot be"}, ReportIn, scope=Scope.WRITE, status=201
    ),
    ("contradiction-resolve", "POST"): Good({"scope": "each in its place"}, ResolveIn, scope=Scope.CURATE),
    ("contradiction-dismiss", "POST"): Good({"reason": "so"}, ReasonIn, scope=Scope.CURATE),
    ("contradiction-comments", "GET"): Good(),
    ("contradiction-comments", "POST"): Good({"text": "Which is newer?"}, CommentIn, scope=Scope.WRITE, status=201),
    ("preferences", "GET"): Good(),
    ("preferences", "POST"): Good(
        {"category": "approach", "key": "linter", "value": "ruff"}, PreferenceIn, scope=Scope.WRITE, status=201
    ),
    ("preference", "PATCH"): Good({"value": "ruff"}, PreferenceEdit, scope=Scope.CURATE),
    ("preference", "DELETE"): Good(scope=Scope.CURATE, status=204),
    ("topics", "GET"): Good(),
    ("topic", "GET"): Good(),
    ("insight-owner", "POST"): Good({"owner": ""}, OwnerIn, scope=Scope.CURATE),
    ("topic-owner", "POST"): Good({"owner": ""}, OwnerIn, scope=Scope.CURATE),
    ("topic-rename", "POST"): Good({"label": "Beat and workers"}, RenameIn, scope=Scope.CURATE),
    ("topic-merge", "POST"): Good({"into": OTHER_TOPIC}, MergeTopicIn, scope=Scope.CURATE),
    ("topic-distil", "POST"): Good({"name": "beat"}, DistilIn, scope=Scope.CURATE, status=201),
    ("skills", "GET"): Good(),
    ("skills", "POST"): Good({**SKILL, "name": "review"}, SkillIn, scope=Scope.WRITE, status=201),
    ("skill", "GET"): Good(),
    ("skill", "PATCH"): Good({"description": "New"}, SkillEditIn, {"HTTP_IF_MATCH": "1"}, scope=Scope.CURATE),
    ("skill-owner", "POST"): Good({"owner": ""}, OwnerIn, scope=Scope.CURATE),
    ("skill-publish", "POST"): Good({"reason": "so"}, ReasonIn, scope=Scope.CURATE),
    ("skill-retire", "POST"): Good({"reason": "so"}, ReasonIn, scope=Scope.CURATE),
    ("skill-versions", "GET"): Good(),
    ("skill-export", "GET"): Good(),
    ("query", "POST"): Good({"query": "celery beat"}, AskIn),
    ("why-not", "POST"): Good({"ref": "PLAT-1"}, WhyNotIn),
    ("evidence-search", "POST"): Good({"query": "celery beat"}, SearchIn),
    ("evidence-history", "GET"): Good(),
    ("evidence-sources", "GET"): Good(),
    ("evidence-clusters", "GET"): Good(),
    ("evidence-cluster", "GET"): Good(),
    ("evidence-refresh", "POST"): Good(scope=Scope.WRITE),
    ("evidence-deposit", "POST"): Good({"kind": "CONTEXT"}, ShareIn, scope=Scope.WRITE, status=201),
    ("surface", "GET"): Good(),
    ("surface", "POST"): Good({"prompt": "Why does celery beat fire our nightly jobs twice?"}, SurfaceIn),
    ("sessions", "GET"): Good(),
    ("sessions", "POST"): Good({"repo": "acme/web", "team": "platform"}, StartIn, scope=Scope.WRITE, status=201),
    ("session", "GET"): Good(),
    ("session-recover", "POST"): Good(
        {
            "repo": "acme/web",
            "team": "platform",
            "agent_session": "claude-code:1",
            "transcript": [{"role": "assistant", "text": "Next steps:\n- cover empty files"}],
        },
        KilledIn,
        scope=Scope.WRITE,
    ),
    ("session-import", "POST"): Good(
        {
            "repo": "acme/web",
            "team": "platform",
            "agent_session": "claude-code:2",
            "transcript": [{"role": "assistant", "text": "We keep the queue.", "at": "2026-03-01T09:00:00Z"}],
        },
        PastIn,
        scope=Scope.WRITE,
    ),
    ("session-events", "POST"): Good({"events": [{"kind": "edit", "path": "src/a.py"}]}, EventsIn, scope=Scope.WRITE),
    ("session-checkpoint", "POST"): Good({"summary": "half done"}, WordsIn, scope=Scope.WRITE),
    ("session-end", "POST"): Good({"summary": "done"}, WordsIn, scope=Scope.WRITE),
    ("session-deposit-question", "POST"): Good({"changed": True}, QuestionIn, scope=Scope.WRITE),
    ("session-claims", "POST"): Good({"files": ["src/a.py"]}, ClaimsIn, scope=Scope.WRITE),
    ("session-conversation", "GET"): Good(),
    ("session-forget", "POST"): Good({"reason": "so"}, ForgetConversationIn, scope=Scope.WRITE),
    ("session-sharing", "GET"): Good(),
    ("session-sharing", "PUT"): Good({"repo": "acme/web", "team": "platform"}, SharingIn, scope=Scope.WRITE),
    ("session-sharing", "DELETE"): Good(scope=Scope.WRITE),
    ("session-ack", "POST"): Good({}, AckIn, scope=Scope.WRITE),
    ("annotations", "GET"): Good(),
    ("annotations", "POST"): Good(
        {"text": "Release 2.4", "team": "platform"}, AnnotationIn, scope=Scope.WRITE, status=201
    ),
    ("annotation", "DELETE"): Good(scope=Scope.WRITE, status=204),
    ("friction", "GET"): Good(),
    ("code-index", "POST"): Good(
        {"repo": "acme/web", "commit": "abc", "files": [{"path": "src/a.py"}]}, CodeIndexIn, scope=Scope.WRITE
    ),
}


@dataclass(frozen=True)
class Endpoint:
    """One method of one address; `names` are the parts of its path that are filled in."""

    name: str
    method: str
    names: tuple[str, ...]

    @property
    def good(self) -> Good:
        return GOOD[self.name, self.method]

    def path(self, **parts: Any) -> str:
        return reverse(f"api:{self.name}", kwargs={name: parts[name] for name in self.names})

    def send(self, client: APIClient, body: Any = None, *, raw: str | bytes | None = None, **more: Any) -> Any:
        """`more`: path parts by their names, `type` (the content type), headers as HTTP_…; else what is good."""
        parts = {name: more.pop(name) for name in PARTS if name in more}
        kind = more.pop("type", JSON)
        data = raw if raw is not None else json.dumps(self.good.body if body is None else body)
        headers = {**self.good.headers, **more}
        if self.method == "GET":
            return client.get(self.path(**parts), **headers)
        return client.generic(self.method, self.path(**parts), data, content_type=kind, **headers)

    def __str__(self) -> str:
        return f"{self.method} {self.name}"


def addresses() -> dict[str, set[str]]:
    """The named addresses of config.urls, and the methods each takes."""
    found = {}
    for pattern in api:
        if isinstance(pattern, URLPattern) and pattern.name:
            view = pattern.callback.cls  # type: ignore[attr-defined]
            methods = {method.upper() for method in view.http_method_names if hasattr(view, method)}
            found[pattern.name] = methods - {"OPTIONS", "HEAD"}
    return found


def endpoints() -> list[Endpoint]:
    parts = {p.name: tuple(p.pattern.converters) for p in api if isinstance(p, URLPattern) and p.name}
    return [Endpoint(name, method, parts[name]) for name, methods in addresses().items() for method in sorted(methods)]


def known() -> list[Endpoint]:
    """Those with a request in GOOD, for the sweeps to go on with."""
    return [endpoint for endpoint in endpoints() if (endpoint.name, endpoint.method) in GOOD]


ENDPOINTS = known()
WITH_BODY = [endpoint for endpoint in ENDPOINTS if endpoint.good.shape]
WITH_TOKEN = [endpoint for endpoint in ENDPOINTS if not endpoint.good.open]
