"""What servers say in errors: prompts that are too long, limits that begin anew, requests that can never pass."""

import json
from datetime import UTC, datetime

import pytest

from truerate.llm.transport.policy import judge
from truerate.llm.transport.resets import asked, resets_at

NOW = 1_800_000_000.0
TOO_LONG = {
    "OpenAI": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "OpenAI responses": "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "SGLang": "The input (2100 tokens) is longer than the model's context length (1500 tokens).",
    "SGLang total": "Requested token count exceeds the model's maximum context length of 4096 tokens.",
    "vLLM": "You passed 2100 input tokens and requested 64 output tokens. However, the model's context length is only 1500 tokens",
    "vLLM 0.5": "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
    "Gemini": "The input token count (2100) exceeds the maximum number of tokens allowed (1500).",
    "llama.cpp": "the request exceeds the available context size. try increasing the context size or enable context shift",
    "llama.cpp type": "exceed_context_size_error",
    "Anthropic": "prompt is too long: 213423 tokens > 200000 maximum",
    "Anthropic sum": "input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000",
    "TGI": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
    "TGI inputs": "Input validation error: `inputs` must have less than 1024 tokens. Given: 1500",
    "Mistral": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    "Bedrock": "Input is too long for requested model.",
    "Cohere": "too many tokens: total number of tokens in the prompt cannot exceed 4081",
    "Groq": "Please reduce the length of the messages or completion.",
    "xAI": "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "Ollama": "the input length exceeds the context length",
    "LM Studio": "The model is loaded with context length of only 4096 tokens, which is not enough",
    "Qwen": "Range of input length should be [1, 30720]",
    "TensorRT-LLM": "Prompt length (5000) exceeds maximum input length (4096)",
    "Moonshot": "Invalid request: Your request exceeded model token limit: 8192",
    "Zhipu": "Prompt exceeds max length",
    "watsonx": "the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model",
}
REFUSED = [  # settings and limits of a reply, no prompt
    "max_tokens is too large: 40000. This model supports at most 16384 completion tokens.",
    "max_tokens (40000) exceeds the maximum allowed number of output tokens",
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "Invalid input: temperature exceeds the maximum value 1",
    "Input should be a valid string",
    "stop: too many sequences",
    "max_tokens is too large: 9000. This model supports at most 4096 completion tokens",
    "temperature: 3 is too large, at most 2",
    "Unsupported parameter: 'stop' is not supported with this model.",
]


def error(message: str, **more: object) -> bytes:
    return json.dumps({"error": {"message": message, **more}}).encode()


@pytest.mark.parametrize("server", TOO_LONG)
@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_prompt_that_is_too_long_is_known_in_the_words_of_many_servers(server, status):
    for body in (error(TOO_LONG[server]), TOO_LONG[server].encode()):
        verdict = judge(status, {}, body)
        assert (verdict.action, verdict.reason) == ("dead", "context_length")


@pytest.mark.parametrize("message", REFUSED)
def test_other_refusals_are_none_of_a_long_prompt(message):
    assert {judge(400, {}, body).reason for body in (error(message), message.encode())} == {"rejected"}


@pytest.mark.parametrize(
    "message",
    [
        "Input length (5000 tokens) exceeds the maximum allowed length (4090 tokens). Use a shorter input.",
        "input is too large to process. increase the physical batch size",
        "context size exceeded",
        "prompt too long; exceeded max context length by 1200 tokens",
        "litellm.ContextWindowExceededError: prompt is too long: 210000 tokens > 200000 maximum",
        "prompt tokens 9000 exceeds maximum 8192",
        "Bad request: prompt token count (9000) cannot exceed 4096. Total tokens + max_tokens cannot exceed 4096.",
        "Prompt 超长",
    ],
)
@pytest.mark.parametrize("status", [400, 500])
def test_a_prompt_that_is_too_long_is_no_fault_of_the_server_whatever_status_says_so(status, message):
    assert judge(status, {}, error(message)).reason == "context_length"


@pytest.mark.parametrize(
    "message",
    [
        "context deadline exceeded", "The request took too long to process", "input processing took too long",
        "request queue too long", "CUDA out of memory",
    ],
)  # fmt: skip
def test_a_server_that_takes_too_long_has_a_fault_of_its_own(message):
    assert judge(500, {}, error(message)).reason == "server_error"


KEY = [
    {
        "error": {
            "code": 400,
            "message": "API key not valid. Please pass a valid API key.",
            "status": "INVALID_ARGUMENT",
        }
    }
]
CREDIT = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing."


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (400, KEY, "unauthorised"),
        (407, {}, "forbidden"),
        (400, {"type": "error", "error": {"type": "invalid_request_error", "message": CREDIT}}, "quota"),
        (403, {"error": "Your team has either used all available credits or reached its spending limit."}, "quota"),
        (200, {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}, "unauthorised"),
        (200, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}, "unauthorised"),
        (200, {"choices": None, "base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}, "quota"),
        (200, {"object": "error", "message": "maximum context length is 10 tokens", "code": 400}, "context_length"),
        (200, {"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}}, "rate_limited"),
        (200, {"error": {"message": "slow", "status": "RESOURCE_EXHAUSTED"}}, "rate_limited"),
        (200, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "server_error"),
        (200, {"choices": [], "prompt_filter_results": [{"hate": {"filtered": True}}]}, "content_filter"),
        (200, {"promptFeedback": {"blockReason": "SAFETY"}}, "content_filter"),
        (400, {"error": {"message": "flagged", "code": "moderation_blocked"}}, "content_filter"),
        (200, {"message": {"content": "Insufficient funds. The context window is full."}}, "not_a_completion"),
    ],
)  # fmt: skip
def test_what_an_error_means_whatever_status_it_comes_with(status, body, reason):
    assert judge(status, {}, json.dumps(body).encode()).reason == reason


def test_an_error_within_200_names_its_reset_in_the_headers():
    body = json.dumps({"error": {"message": "slow", "code": 429}}).encode()
    assert judge(200, {"retry-after": "7"}, body).delay == 7


def test_a_text_of_which_nothing_is_seen_is_empty():
    for text in (" \n\u200b\ufeff ", "\u2060", "\u3164", "\u00ad\t"):
        assert (
            judge(200, {}, json.dumps({"choices": [{"message": {"content": text}}]}).encode()).reason
            == "empty"
        )


def test_a_code_of_a_long_prompt_counts_with_a_status_of_the_server_too():
    body = error("the request exceeds the available context size", type="exceed_context_size_error")
    assert judge(500, {}, body).reason == "context_length"
    assert judge(500, {}, error("internal error")).reason == "server_error"


TPM = "on tokens per min (TPM): Limit {limit}, Requested {requested}. Please try again in 2s."


@pytest.mark.parametrize("status", [429, 413])
def test_a_request_beyond_the_limit_per_minute_can_never_pass(status):
    for said in (
        "Request too large for gpt-4o " + TPM.format(limit="1500", requested="2100"),
        "The request is too large: requested 5000 tokens exceeds the token rate limit of 1000 tokens per minute",
        "Requested 5,000 tokens; the limit is 4,000 tokens per minute",
    ):
        assert judge(status, {}, error(said)).action == "dead"
        assert judge(status, {}, error(said)).reason == "context_length"


def test_a_limit_that_others_used_up_passes():
    said = (
        "Rate limit reached " + "(TPM): Limit 30,000, Used 29,500, Requested 2,100. Please try again in 3.2s."
    )
    verdict = judge(429, {}, error(said))
    assert (verdict.action, verdict.reason, verdict.delay) == ("retry", "rate_limited", 3.2)


@pytest.mark.parametrize(
    ("headers", "moment"),
    [
        ({"x-ratelimit-reset": "60"}, NOW + 60),
        ({"X-RateLimit-Reset": "1800003600"}, NOW + 3600),
        ({"X-RateLimit-Reset": "1800003600000"}, NOW + 3600),
        ({"x-ratelimit-reset-requests": "6m0s"}, NOW + 360),
        ({"x-ratelimit-reset-tokens": "7.5s", "x-ratelimit-reset-requests": "1h2m"}, NOW + 3720),
        ({"x-ratelimit-reset-requests": "24h0m0s", "x-ratelimit-remaining-requests": "40"}, None),
        ({"anthropic-ratelimit-tokens-reset": datetime.fromtimestamp(NOW + 90, UTC).isoformat()}, NOW + 90),
        ({"ratelimit-reset": "30"}, NOW + 30),
        ({"ratelimit": '"default";r=0;t=50'}, NOW + 50),
        ({"X-RateLimit-Reset-After": "60.5"}, NOW + 60.5),
        ({"x-ratelimit-reset": "1700000000"}, None),  # past
        ({"x-ratelimit-reset": "soon"}, None),
        ({}, None),
    ],
)
def test_when_a_limit_begins_anew(headers, moment):
    assert resets_at(headers, "", NOW) == moment


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"resets_in_seconds": 3600}},
        {"error": {"resets_at": 1800003600}},
        {"quotaResetTimeStamp": "2027-01-15T09:00:00Z"},
        {"error": {"message": "Daily limit reached, resets at 2027-01-15T09:00:00Z"}},
        {"error": {"message": "Try again after 2027-01-15 09:00:00 Z."}},
        {"error": {"message": "No requests until 2027-01-15T10:00:00+01:00"}},
    ],
)
def test_when_a_body_says_that_a_limit_begins_anew(body):
    assert resets_at({}, json.dumps(body), NOW) == NOW + 3600


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("6m0s", 360.0), ("2027-01-15T08:01:00Z", 60.0), ("1800000030", 30.0), ("Fri, 15 Jan 2027 08:00:10 GMT", 10.0),
        ("0.5", 0.5), ("-5", 0.0), ("nan", None), ("1e400", None), ("soon", None), ("", None),
    ],
)  # fmt: skip
def test_forms_of_retry_after(value, seconds):
    assert asked({"retry-after": value}, "", NOW) == seconds


def test_a_router_hands_on_headers_in_the_body():
    body = error(
        "free-models-per-day",
        code=429,
        metadata={"headers": {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800086400000"}},
    )
    assert resets_at({}, body.decode(), NOW) == NOW + 86400
    assert asked({}, body.decode(), NOW) is None


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        ({"error": {"details": [{"@type": "RetryInfo", "retryDelay": "36s"}]}}, 36.0),
        ({"error": {"message": "Please try again in 7m12s. Visit"}}, 432.0),
        ({"error": {"message": "Please retry after 3 seconds."}}, 3.0),
        ({"retry_after": 5}, 5.0),
        ({"error": "slow down"}, None),
    ],
)
def test_how_long_a_body_asks_to_wait(body, seconds):
    assert asked({}, json.dumps(body), NOW) == seconds


def test_no_fault_is_without_words():
    for status, body in (
        (200, b""),
        (200, b'{"choices": []}'),
        (500, b""),
        (200, b'{"choices": [{"message": {"content": ""}}]}'),
    ):
        assert judge(status, {}, body).detail
