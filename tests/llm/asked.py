"""Requests, and a target, that the tests of this folder share."""

from truerate.llm.keys import Target
from truerate.llm.request import Request

TARGET = Target(
    alias="m", endpoint="e", model="name", identity="name@1", address="http://127.0.0.1:9/v1", price=(1.0, 2.0), override={},
    extra_body={}, drop=frozenset(), limit_field="max_tokens", accept_length=False,
)  # fmt: skip


def asking(text: str, *, index: int = 0, model: str = "m", **params) -> Request:
    """A request of one user message."""
    return Request(
        model, ({"role": "user", "content": text},), {"temperature": 0.0, "max_tokens": 50, **params}, index
    )
