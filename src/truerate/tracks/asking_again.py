"""A reply that could not be read is asked for once more: the conversation so far, the reply, and a short
turn of ours that repeats the form.

Each of the two replies has a row of its own, and one alone makes the judgement: the second, unless the
first was read in part and the second brings less. The first unread reply stays, told `unparsed` with its
reason. Nothing is asked again of a reply that is dead or a refusal, nor where a kind of prompt has no
reminder.
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


def is_unread(found: Read) -> int:
    """1 for a reply that could not be read, else 0."""
    return int(found.status == UNREAD)


@dataclass(frozen=True)
class Answered:
    """What stands of a list of questions, in its order: each question as it was asked when it got the reply
    that stands, and that reply.

    `unread`: Generation rows of the replies beside which another one to the same question stands.
    """

    asked: list[Prompted]
    replies: list[Reply]
    unread: list[dict[str, object]]


def ask_until_read(
    asked: Sequence[Prompted],
    at: Layout,
    label: str,
    asking: Asking,
    *,
    read: Reader,
    remind: Reminding,
    n_lost: Callable[[Read], int] = is_unread,
) -> Answered:
    """The replies to what was prepared; those of which something could not be read (`n_lost`) are asked for
    once more, where `llm.reask` allows it and `remind` gives a reminder. Raises TruerateError as `llm.ask`
    does.

    The second reply stands, unless the first could be read in part and the second brings less. Where nobody
    is asked (`DryRun`), a reply that is assumed may turn out unread: its reminder is noted as one more
    call, and the assumed reply stands.
    """
    questions, replies = list(asked), ask_prompted(asked, at, label, asking)
    if not at.p.llm.reask:
        return Answered(questions, replies, [])
    _note_reminders(questions, replies, at, asking, remind)
    first: dict[int, Read] = {}
    following: dict[int, Prompted] = {}
    for place, (one, reply) in enumerate(zip(questions, replies, strict=True)):
        if reply.status != "ok" or is_assumed(reply) or not reply.text.strip():
            continue
        found = read(one, reply.text)
        if n_lost(found) and (next_one := reminded(one, reply, at, remind)):
            first[place], following[place] = found, next_one
    rows = []
    answers = ask_prompted(list(following.values()), at, f"{label}, asked again", asking)
    for (place, one), reply in zip(following.items(), answers, strict=True):
        second = read(one, reply.text)
        is_less = reply.status != "ok" or n_lost(second) > n_lost(first[place])
        if is_less and first[place].status != UNREAD:
            rows.append(_passed_over(one, reply, second))
            continue
        rows.append(_passed_over(questions[place], replies[place], first[place]))
        questions[place], replies[place] = one, reply
    return Answered(questions, replies, rows)


def _note_reminders(
    asked: Sequence[Prompted], replies: Sequence[Reply], at: Layout, asking: Asking, remind: Reminding
) -> None:
    """Note in a plan what would be asked again if no assumed reply could be read."""
    if isinstance(asking, DryRun):
        told = zip(asked, replies, strict=True)
        again = [reminded(one, reply, at, remind) for one, reply in told if is_assumed(reply)]
        asking.reminders += [one.request for one in again if one]


def reminded(asked: Prompted, reply: Reply, at: Layout, remind: Reminding) -> Prompted | None:
    """A question with the reply that it got and a reminder of the form; None where it has no reminder."""
    reminder = remind(asked)
    if reminder is None:
        return None
    turn = prompts.render(reminder.track, reminder.name, at.p.llm.prompts_dir, **reminder.values)
    # a reply may hold what the evidence told it to write: it is neutralised as any other untrusted text
    before = ({"role": "assistant", "content": neutralise(reply.text)},)
    request = replace(asked.request, messages=(*asked.request.messages, *before, *turn))
    return replace(asked, request=request, attributes={**asked.attributes, ATTEMPT: "2"})


def _passed_over(asked: Prompted, reply: Reply, found: Read) -> dict[str, object]:
    """The row of a reply beside which another one to the same question stands."""
    return generation(asked, reply, replace(found, attributes={**found.attributes, REASKED: "yes"}))
