"""Spontaneous responses (HalluDial section 2.1): a model answers a turn from its knowledge and the turns
before it.

In gold history the turns before are the reference's; in self history the model's own responses stand in place
of the assistant's earlier turns (section 4): so these are asked for round by round.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from truerate.core.text import words
from truerate.llm.dry_run import is_assumed
from truerate.llm.generation import Prompted, Read
from truerate.llm.replies.reading import cut
from truerate.llm.replies.texts.responses import one_response
from truerate.llm.request import Reply
from truerate.tracks.asking import read_rows
from truerate.tracks.halludial.context import Context, one_line, side_of, with_own
from truerate.tracks.halludial.prompting import CUES, RESPOND, Questions, unread
from truerate.tracks.halludial.settings import Settings

GOLD, SELF = "gold", "self"  # whose earlier turns the history holds


def request(
    context: Context,
    model: str,
    questions: Questions,
    *,
    temperature: float | None = None,
    history: str = GOLD,
    n_gaps: int = 0,
) -> Prompted:
    """Return the question for one response; at the base temperature where none is named. `n_gaps`: own
    earlier turns that have no text, so that the reference's stand there.
    """
    settings = questions.settings
    changed = {} if temperature is None else {"temperature": temperature}
    sampling = settings.responding.model_copy(update=changed)
    attributes = {
        "history": history,
        "temperature": f"{sampling.temperature:g}",
        "n_gaps": str(n_gaps) if n_gaps else None,
        "group_id": context.group_id,
        "lang": context.lang,
        "split": context.side or side_of(context.group_id, settings),
    }
    values = {"max_words": settings.max_words, "may_decline": True}
    return questions.question(RESPOND, model, context, sampling, attributes, **values)


def requests(
    contexts: Iterable[Context], tempered: Iterable[Context], model: str, questions: Questions
) -> list[Prompted]:
    """Return what is asked in gold history: every turn, `tempered` ones at all temperatures."""
    asked = [request(context, model, questions) for context in contexts]
    for context in tempered:
        temperatures = questions.settings.temperatures
        asked += [request(context, model, questions, temperature=temperature) for temperature in temperatures]
    return asked


def read_response(reply: str, max_words: int) -> Read:
    """Read a reply as one response, cleaned of what is no part of it. `too_long`: of more words than asked
    for; `continued`: it wrote on with the dialogue, which was cut off. A refusal abstains.
    """
    parsed = one_response(reply, CUES[RESPOND])
    if parsed.value is None:
        return unread(reply, parsed, may_decline=True)
    text = one_line(parsed.value)
    n_words = len(words(text))
    flags = {"too_long": n_words > max_words, "continued": "continued" in parsed.cuts}
    marked = {name: "yes" if is_so else None for name, is_so in flags.items()}
    return Read(text, attributes={"n_words": str(n_words), **marked, **cut(parsed)})


def collect(asked: Sequence[Prompted], replies: Sequence[Reply], settings: Settings) -> list[dict]:
    """Return Generation rows of responses."""
    return read_rows(asked, replies, lambda _, text: read_response(text, settings.max_words))


@dataclass(frozen=True)
class Dialogue:
    """A dialogue under way: its turns, the model's own responses so far by number, and its replies' rows."""

    turns: Sequence[Context]
    responses: dict[int, str] = field(default_factory=dict)
    rows: list[dict] = field(default_factory=list)

    def question(self, number: int, model: str, questions: Questions) -> Prompted:
        """Return what is asked of a turn, with the own responses before it."""
        context = self.turns[number]
        earlier = [turn.n_answered for turn in self.turns if turn.n_answered < context.n_answered]
        n_gaps = sum(answered not in self.responses for answered in earlier)
        return request(with_own(context, self.responses), model, questions, history=SELF, n_gaps=n_gaps)


def run_self(
    dialogues: Sequence[Sequence[Context]],
    model: str,
    questions: Questions,
    answered: Callable[[Sequence[Prompted], int], Sequence[Reply]],
) -> list[dict]:
    """Return the Generation rows of all dialogues in self history. Each round asks for the next response of
    every dialogue that has one to come; `answered` gives its replies, from its questions and its number.

    A response that never came, or could not be read, leaves a gap: the reference's turn stands there, and
    later rows of the dialogue count it (`n_gaps`).
    """
    under_way = [Dialogue(turns) for turns in dialogues]
    for number in range(max(map(len, dialogues), default=0)):
        to_come = [dialogue for dialogue in under_way if number < len(dialogue.turns)]
        asked = [dialogue.question(number, model, questions) for dialogue in to_come]
        replies = answered(asked, number)
        rows = collect(asked, replies, questions.settings)
        for dialogue, reply, row in zip(to_come, replies, rows, strict=True):
            dialogue.rows.append(row)
            if row["status"] == "ok" or is_assumed(reply):
                dialogue.responses[dialogue.turns[number].n_answered] = row["text"]
    return [row for dialogue in under_way for row in dialogue.rows]
