"""The world's curators behind the steps of the track, without the HTTP between them: prompts are read as the
endpoint reads them.
"""

from truerate.core.keys import content_id
from truerate.llm.request import Reply
from truerate_world import prompt
from truerate_world.encyclopedia import build
from truerate_world.wildhallucinations.models.simulated_model import CUES

WORLD = build(7)


def asking(model="sim-quill", *, world=WORLD):
    """A stand-in for `llm.ask` that answers by the world's functions, and in `asked` keeps what was asked."""

    def answer(requests, at, *, label):
        answer.asked += requests
        return [_reply(world, model, request) for request in requests]

    answer.asked = []
    return answer


def _reply(world, model, request):
    asked = prompt.read(list(request.messages))
    found = CUES[asked.cue](world, model, asked.fields, 0)
    return Reply(
        content_id(request.messages, request.params), "ok", found.text, "stop", None, 10, 2, 0.0, False
    )
