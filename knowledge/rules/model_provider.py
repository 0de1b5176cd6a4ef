"""Who answers at the address of a language model, by OpenTelemetry's name for them (`gen_ai.provider.name`).

Many speak OpenAI's protocol, so the host decides. An address of nobody's in the list is one's own or a gateway's.
"""

OTHER = "openai_compatible"
# Ends of host names, as the providers document them, and the values that the conventions list.
PROVIDERS = {
    "api.openai.com": "openai",
    "openai.azure.com": "azure.ai.openai",
    "inference.ai.azure.com": "azure.ai.inference",
    "api.anthropic.com": "anthropic",
    "generativelanguage.googleapis.com": "gcp.gemini",
    "aiplatform.googleapis.com": "gcp.vertex_ai",
    "amazonaws.com": "aws.bedrock",
    "api.mistral.ai": "mistral_ai",
    "api.groq.com": "groq",
    "api.deepseek.com": "deepseek",
    "api.cohere.com": "cohere",
    "api.perplexity.ai": "perplexity",
    "api.x.ai": "x_ai",
}


def provider_of(host: str) -> str:
    """The provider whose host this is, or a part of theirs."""
    name = host.lower().rstrip(".")
    return next((known for end, known in PROVIDERS.items() if name == end or name.endswith(f".{end}")), OTHER)
