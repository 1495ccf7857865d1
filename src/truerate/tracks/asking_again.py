"""A reply that could not be read is asked for once more: the conversation so far, the reply, and a short turn of
ours that repeats the form.

The first reply keeps its row, told `unparsed` with its reason; the second has a row of its own, and it alone
makes the judgement. Nothing is asked again of a reply that is dead or a refusal, nor where a kind of prompt has
no reminder.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from truerate.config.layout import Layout
from truerate.llm import Reply, prompts
from truerate.llm.dry_run import DryRun, is_assumed
from truerate.llm.generation import ATTEMPT, REASKED, Prompted, Read, generation
from truerate.llm.guard import neutralise
from truerate.tracks.asking import Asking, ask_prompted

Reader = Callable[[Prompted, str], Read]
UNREAD = "unparsed"


@dataclass(frozen=True)
class Reminder:
    """The template that repeats a form, and the values that it prints."""

    track: str
    name: str
    values: dict[str, Any] = field(default_factory=dict)


Reminding = Callable[[Prompted], Reminder | None]


@dataclass(frozen=True)
class Answered:
    """What stands of a list of questions, in its order: each question as it was asked last, and its reply.

    `unread`: Generation rows of the first replies that could not be read and were asked for again.
    """

    asked: list[Prompted]
    replies: list[Reply]
    unread: list[dict[str, object]]


def ask_until_read(
    asked: Sequence[Prompted], at: Layout, label: str, asking: Asking, *, read: Reader, remind: Reminding
) -> Answered:
    """The replies to what was prepared; those that `read` calls `unparsed` are asked for once more, where
    `llm.reask` allows it and `remind` gives a reminder. Raises TruerateError as `llm.ask` does.

    Where nobody is asked (`DryRun`), a reply that is assumed may turn out unread: its reminder is noted as one
    more call, and the assumed reply stands.
    """
    questions, replies = list(asked), ask_prompted(asked, at, label, asking)
    if not at.p.llm.reask:
        return Answered(questions, replies, [])
    if isinstance(asking, DryRun):
        told = zip(questions, replies, strict=True)
        again = [reminded(one, reply, at, remind) for one, reply in told if is_assumed(reply)]
        asking.reminders += [one.request for one in again if one]
    unread: dict[int, Read] = {}
    second: dict[int, Prompted] = {}
    for place, (one, reply) in enumerate(zip(questions, replies, strict=True)):
        if reply.status != "ok" or is_assumed(reply) or not reply.text.strip():
            continue
        found = read(one, reply.text)
        if found.status == UNREAD and (following := reminded(one, reply, at, remind)):
            unread[place], second[place] = found, following
    rows = [_unread_row(questions[place], replies[place], found) for place, found in unread.items()]
    answers = ask_prompted(list(second.values()), at, f"{label}, asked again", asking)
    for (place, following), reply in zip(second.items(), answers, strict=True):
        questions[place], replies[place] = following, reply
    return Answered(questions, replies, rows)


def reminded(asked: Prompted, reply: Reply, at: Layout, remind: Reminding) -> Prompted | None:
    """A question with the reply that it got and a reminder of the form; None where it has no reminder."""
    reminder = remind(asked)
    if reminder is None:
        return None
    turn = prompts.render(reminder.track, reminder.name, at.p.llm.prompts_dir, **reminder.values)
    # a reply may hold what the evidence told it to write: it is neutralised as any other untrusted text
    before = ({"role": "assistant", "content": neutralise(reply.text)},)
    request = replace(asked.request, messages=(*asked.request.messages, *before, *turn))
    return Prompted(request, asked.item_id, asked.purpose, {**asked.attributes, ATTEMPT: "2"})


def _unread_row(asked: Prompted, reply: Reply, found: Read) -> dict[str, object]:
    marked = replace(found, attributes={**found.attributes, REASKED: "yes"})
    return generation(asked, reply, marked)
