"""The requests whose answers `stores/release.sqlite` holds, which the release before thought was cut and
addresses were kept has written.

Every kind of key (aliases with an identity, an extra body, parameters of their own, long and odd texts) and
of answer stands in it: 16 replies and 8 dead letters. A key that moved would be asked, and paid for, again.
"""

import copy

from truerate.config import Params
from truerate.config.layout import Layout
from truerate.llm.request import Request

MODELS = {
    "m": {"model": "stub-model", "price": [1.0, 2.0]},
    "named": {"model": "other", "identity": "weights@abc-q4"},
    "extra": {
        "model": "third", "extra_body": {"top_k": 20}, "params": {"seed": 3}, "drop": ["temperature"],
        "max_tokens_field": "max_completion_tokens",
    },
    "long": {"model": "fourth", "accept_length": True},
}  # fmt: skip
DEAD = ("refusal", "context", "filter-400", "400", "500", "html", "empty", "length")
N_REPLIES = 16


def layout(base: dict, url: str) -> Layout:
    """The layout under which the store was written, its endpoint at `url`."""
    found = copy.deepcopy(base)
    found["llm"].update({"backoff_s": [0.001, 0.01], "timeout_s": 10, "max_attempts": 2})
    found["endpoints"]["stub"] = {"base_url": url, "concurrency": 1}
    found["models"].update({alias: {"endpoint": "stub", **entry} for alias, entry in MODELS.items()})
    return Layout(Params.model_validate(found))


def requests() -> list[Request]:
    """What was asked: first what got a reply."""
    found = [asking(model, f"What is {n}?", index=n % 2) for model in MODELS for n in range(3)]
    found += [asking("m", "a long one " * 200), asking("m", "Grüße, 世界 \u0000!", top_p=0.5)]
    found += [asking("long", "[[length]]"), asking("m", "[[tools]]")]
    return found + [asking("m", f"[[{kind}]]") for kind in DEAD]


def asking(model: str, text: str, index: int = 0, **params) -> Request:
    messages = ({"role": "system", "content": "Be brief."}, {"role": "user", "content": text})
    return Request(model, messages, {"temperature": 0.0, "max_tokens": 50, **params}, index)
