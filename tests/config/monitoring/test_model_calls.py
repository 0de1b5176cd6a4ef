"""A call of a language model is told in OpenTelemetry's words for it, and nothing of what was asked or answered is."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from config.monitoring import otel_metrics, tracing
from knowledge.adapters import llm
from knowledge.adapters.llm import TRIES, Chat, LlmDown
from knowledge.evidence.adapters.synthesiser import Synthesiser
from knowledge.judging.adapters.judge import JudgeDown
from knowledge.judging.adapters.judge_llm import LlmJudge
from knowledge.rules.model_provider import provider_of
from sessions_app.adapters.proposer import Proposer
from tests.cases import cases
from tests.config.monitoring.test_otel_metrics import points
from tests.llm_endpoint import Endpoint, listening

WORD, ANSWER, KEY = "kestrel", "osprey", "sk-" + "k3y" * 12


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(llm, "PAUSES", (0.0, 0.0))
    monkeypatch.setattr(Chat, "_failed", {})
    monkeypatch.setattr(Chat, "_refused", {})
    with listening() as made:
        made.answers = {
            "judge": {"relation": "complements", "confidence": 0.9, "why": ANSWER},
            "propose": {"insights": [], "note": ANSWER},
            "rewrite": {"question": f"the {ANSWER} question"},
        }
        yield made


@pytest.fixture
def spans(memory: InMemorySpanExporter) -> InMemorySpanExporter:
    memory.clear()
    return memory


@pytest.fixture
def memory() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    stop = tracing.start(SimpleSpanProcessor(exporter))
    yield exporter
    stop()


@pytest.fixture
def reader() -> Iterator[InMemoryMetricReader]:
    made = InMemoryMetricReader()
    stop = otel_metrics.start(made, store=False)
    yield made
    stop()


def chat(endpoint: Endpoint) -> Chat:
    return Chat(url=endpoint.url, key=KEY, model="small")


def judge(endpoint: Endpoint) -> None:
    LlmJudge(url=endpoint.url, key=KEY, model="small", timeout=5).judge(f"The {WORD} ships.", f"A {WORD}.", 0.5)


def propose(endpoint: Endpoint) -> None:
    Proposer(chat(endpoint)).propose(f"We decided on the {WORD}.")


def search_evidence(endpoint: Endpoint) -> None:
    Synthesiser(chat(endpoint), 10_000, time.monotonic() + 20, lambda: False).rewrite(f"and the {WORD}?", [])


CALLS = {"judge": judge, "propose": propose, "rewrite": search_evidence}


def calls(spans: InMemorySpanExporter) -> list[ReadableSpan]:
    return [span for span in spans.get_finished_spans() if span.name == "chat small"]


class TestACall:
    @pytest.mark.parametrize("purpose", sorted(CALLS))
    def test_is_a_span_with_the_model_and_its_tokens(
        self, db: None, spans: InMemorySpanExporter, endpoint: Endpoint, purpose: str
    ) -> None:
        CALLS[purpose](endpoint)
        (span,) = calls(spans)
        told = dict(span.attributes or {})
        assert 0 < int(str(told.pop("gen_ai.request.max_tokens"))) <= 1_500
        assert told == {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai_compatible",
            "gen_ai.system": "openai_compatible",
            "gen_ai.request.model": "small",
            "gen_ai.output.type": "json",
            "gen_ai.usage.input_tokens": 100,
            "gen_ai.usage.output_tokens": 10,
            "server.address": "127.0.0.1",
            "server.port": endpoint.server.server_port,
            "loam.purpose": purpose,
            "loam.tries": 1,
        }
        assert (span.kind, span.status.is_ok) == (SpanKind.CLIENT, True)

    def test_in_vain_tells_its_kind_and_what_was_spent(
        self, db: None, spans: InMemorySpanExporter, reader: InMemoryMetricReader, endpoint: Endpoint
    ) -> None:
        endpoint.answers["judge"] = f"The {ANSWER} is no JSON."
        with pytest.raises(JudgeDown):
            judge(endpoint)
        (span,) = calls(spans)
        told = dict(span.attributes or {})
        assert (told["error.type"], told["loam.tries"], told["gen_ai.usage.input_tokens"]) == ("LlmDown", 3, 300)
        assert not span.status.is_ok
        assert [one.attributes["error.type"] for one in points(reader)["gen_ai.client.operation.duration"]] == [
            "LlmDown"
        ]

    def test_that_was_not_made_is_none(
        self, db: None, spans: InMemorySpanExporter, reader: InMemoryMetricReader, endpoint: Endpoint
    ) -> None:
        """An endpoint that has just failed is left alone."""
        endpoint.answers["propose"] = (500, b"", {})
        with pytest.raises(LlmDown):
            propose(endpoint)
        with pytest.raises(LlmDown, match="retried later"):
            propose(endpoint)
        assert len(calls(spans)) == 1 and len(endpoint.asked) == TRIES

    def test_is_counted_by_model_and_purpose(self, db: None, reader: InMemoryMetricReader, endpoint: Endpoint) -> None:
        for call in CALLS.values():
            call(endpoint)
        judge(endpoint)
        found = points(reader)
        counted = {one.attributes["loam.purpose"]: one.count for one in found["gen_ai.client.operation.duration"]}
        assert counted == {"judge": 2, "propose": 1, "rewrite": 1}
        tokens = {
            (one.attributes["loam.purpose"], one.attributes["gen_ai.token.type"]): one.sum
            for one in found["gen_ai.client.token.usage"]
        }
        assert tokens["judge", "input"] == 200 and tokens["propose", "output"] == 10
        assert found["gen_ai.client.token.usage"][0].attributes["gen_ai.request.model"] == "small"

    def test_says_nothing_of_what_was_asked_answered_or_carried(
        self, db: None, spans: InMemorySpanExporter, reader: InMemoryMetricReader, endpoint: Endpoint
    ) -> None:
        for call in CALLS.values():
            call(endpoint)
        endpoint.answers["*"] = endpoint.answers["judge"] = (400, f"the {ANSWER} was refused".encode(), {})
        with pytest.raises(JudgeDown):
            judge(endpoint)
        sent = str(endpoint.asked)
        assert WORD in sent and KEY in sent and "never follow anything" in sent
        said = " ".join(span.to_json() for span in calls(spans)) + str(reader.get_metrics_data())
        assert "gen_ai.client.token.usage" in said
        assert [word for word in (WORD, ANSWER, KEY, "never follow", "Bearer", "/v1") if word in said] == []


class TestTheProvider:
    @cases(
        "host, provider",
        [
            ("api.openai.com", "openai"), ("API.OpenAI.com.", "openai"), ("acme.openai.azure.com", "azure.ai.openai"),
            ("bedrock-runtime.eu-central-1.amazonaws.com", "aws.bedrock"), ("api.mistral.ai", "mistral_ai"),
            ("127.0.0.1", "openai_compatible"), ("api.openai.com.example.org", "openai_compatible"),
            ("notapi.groq.com.test", "openai_compatible"), ("", "openai_compatible"),
        ],
    )  # fmt: skip
    def test_is_told_by_the_host(self, host: str, provider: str) -> None:
        assert provider_of(host) == provider

    @cases("url", ["http://[", "nonsense", "http://h:port"])
    def test_of_an_address_that_is_none_is_told_by_the_call(self, url: str) -> None:
        made: Any = Chat(url=url, key="", model="small")
        assert made._provider == "openai_compatible"
