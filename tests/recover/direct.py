"""The simulated models asked in this process: the server's own answer to the very body that would be sent, read by
the policy of the model layer, without a connection or a store.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from truerate.config.layout import Layout
from truerate.llm.keys import Target
from truerate.llm.request import Reply, Request, answered
from truerate.llm.transport.policy import judge
from truerate_world.encyclopedia import build
from truerate_world.folders import part_of
from truerate_world.manners import Answer
from truerate_world.server import App, Settings
from truerate_world.simulated_model import reply

from .misreading import Recorded


@dataclass(frozen=True)
class Direct:
    """Stands in for `llm.ask`. `prompts` are those that it was asked, in their order."""

    app: App
    prompts: list[Recorded] = field(default_factory=list)

    def __call__(self, requests: Sequence[Request], config: Layout, *, label: str) -> list[Reply]:
        """The reply to each request; one that cannot be used is dead, as it is after the last attempt."""
        targets = {alias: Target.of(config, alias) for alias in {request.model for request in requests}}
        return [self._reply(request, targets[request.model]) for request in requests]

    def _reply(self, request: Request, target: Target) -> Reply:
        key, body = target.key(request).hex(), target.body(target.payload(request))
        params = target.params(request.params)
        decided = (params["temperature"], params.get("seed"), params.get("max_tokens"))
        self.prompts.append(Recorded(tuple(request.messages), *decided))
        came = self.app.answer("POST", "/v1/chat/completions", body)
        found = judge(came.status, {}, came.body, accept_length=target.keeps_cut(request))
        if found.action != "keep":
            return Reply(key, "dead", "", None, found.reason, None, None, 0.0, False)
        told = answered(key, found.text, found.finish, found.n_in, found.n_out, is_stored=False)
        return target.as_asked(told, request)


def served(config: Layout, track: str) -> Direct:
    """The simulated models of a board, told at which temperature they are asked (`truerate_world serve`)."""
    world, part = build(config.p.seed, tuple(config.p.languages)), part_of(track, "models.temperature")

    def handler(model: str, messages: list[dict], *, temperature: float, seed: int | None) -> Answer:
        with ExitStack() as stack:
            if part:
                stack.enter_context(part.asked_at(temperature))
            return reply(world, model, messages, temperature=temperature, seed=seed, only=track)

    return Direct(App(handler, Settings(tuple(one.model for one in config.p.models.values()))))
