"""Asking without asking: what a plan puts in the place of `ask` to see what would be asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from truerate.config.layout import Layout
from truerate.llm.ask import recorded
from truerate.llm.keys import Target
from truerate.llm.request import Reply, Request, answered

ASSUMED = "assumed"  # the finish reason of a reply that no model gave


@dataclass(frozen=True)
class Planned:
    """What one step asks of one model."""

    step: str
    model: str
    requests: list[Request] = field(default_factory=list)
    reminders: list[Request] = field(default_factory=list)

    def add(self, requests: Sequence[Request], reminders: Sequence[Request]) -> None:
        """Take what a further part of the step asks."""
        self.requests.extend(requests)
        self.reminders.extend(reminders)


@dataclass
class DryRun:
    """Stands in for `llm.ask`: answers from the store or by `assumed`, and records requests and possible
    re-asks.
    """

    assumed: Callable[[str, Request], Reply]
    asked: list[Request] = field(default_factory=list)
    reminders: list[Request] = field(default_factory=list)

    def __call__(self, requests: Sequence[Request], config: Layout, *, label: str) -> list[Reply]:
        """The stored reply of each request, else an assumed one, which says that it is not stored."""
        self.asked.extend(requests)
        targets = {alias: Target.of(config, alias) for alias in {request.model for request in requests}}
        keys = [targets[request.model].key(request).hex() for request in requests]
        stored = recorded(dict.fromkeys(keys), config)
        return [
            targets[request.model].as_asked(_stored(key, stored[key][1]), request)
            if key in stored
            else self.assumed(key, request)
            for key, request in zip(keys, requests, strict=True)
        ]

    def taken(self) -> tuple[list[Request], list[Request]]:
        """Return what was asked and what reminders there would be since this was told last; it is kept no
        longer.
        """
        requests = self.asked[:], self.reminders[:]
        self.asked.clear()
        self.reminders.clear()
        return requests


def assumed_reply(key: str, text: str) -> Reply:
    """An assumed reply with this text."""
    return Reply(key, "ok", text, ASSUMED, None, None, None, 0.0, False)


def is_assumed(reply: Reply) -> bool:
    """Return whether no model gave this reply: a plan assumes it."""
    return reply.finish_reason == ASSUMED


def _stored(key: str, reply: dict[str, Any]) -> Reply:
    if reply["status"] == "dead":
        return Reply(key, "dead", "", None, reply["reason"], None, None, 0.0, True)
    return answered(key, reply["text"], reply["finish_reason"], reply["n_tokens_in"], reply["n_tokens_out"])
