"""Spontaneous responses (HalluDial section 2.1): a model answers a turn from its knowledge and the turns before it.

In gold history the turns before are the reference's; in self history the model's own responses stand in place of
the assistant's earlier turns, and people's turns are kept (section 4): so these are asked for round by round.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from truerate.core.text import words
from truerate.llm import Reply, Request, prompts
from truerate.llm.dry_run import is_assumed
from truerate.llm.generation import Prompted, Read, decoding, generation
from truerate.llm.replies.reading import cut
from truerate.llm.replies.responses import one_response
from truerate.tracks.halludial.context import Context, earlier_numbers, one_line, shown, side_of, with_own
from truerate.tracks.halludial.settings import Settings

PURPOSE = "respond"
CUE = "Next Response"
GOLD, SELF = "gold", "self"  # whose earlier turns the history holds
DECLINED = ("refusal", "no-answer")  # replies that are no response because the model gave none


def request(
    context: Context,
    model: str,
    settings: Settings,
    *,
    temperature: float | None = None,
    history: str = GOLD,
    n_gaps: int = 0,
    prompts_dir: str | None,
) -> Prompted:
    """The request for one response; at the base temperature where none is named. `n_gaps`: own earlier turns
    that have no text, so that the reference's stand there.
    """
    told, place = shown(context, settings.max_history_words)
    messages = tuple(
        prompts.render("halludial", "respond", prompts_dir, **told, max_words=settings.max_words)
    )
    sampling = settings.responding
    if temperature is not None:
        sampling = sampling.model_copy(update={"temperature": temperature})
    known = {
        "task": "dialogue",
        "history": history,
        "temperature": f"{sampling.temperature:g}",
        **place,
        "n_gaps": str(n_gaps) if n_gaps else None,
        "group_id": context.group_id,
        "lang": context.lang,
        "split": side_of(context.group_id, settings),
    }
    own = Request(model, messages, decoding(sampling))
    return Prompted(own, context.item_id, PURPOSE, known, may_decline=True)


def requests(
    found: Iterable[Context],
    tempered: Iterable[Context],
    model: str,
    settings: Settings,
    *,
    prompts_dir: str | None,
) -> list[Prompted]:
    """What is asked in gold history: every turn at the base temperature, those of `tempered` at all others."""
    base = [request(context, model, settings, prompts_dir=prompts_dir) for context in found]
    others = [
        request(context, model, settings, temperature=temperature, prompts_dir=prompts_dir)
        for context in tempered
        for temperature in settings.temperatures
    ]
    return base + others


def read_response(reply: str, max_words: int) -> Read:
    """A reply as one response, cleaned of what is no part of it. `too_long`: of more words than asked for;
    `continued`: it wrote on with the dialogue, which was cut off. A refusal abstains.
    """
    found = one_response(reply, CUE)
    if found.value is None:
        status = "abstained" if found.reason in DECLINED else "unparsed"
        return Read(reply, status, found.reason, cut(found))
    text = one_line(found.value)
    n_words = len(words(text))
    known = {
        "n_words": str(n_words),
        "too_long": "yes" if n_words > max_words else None,
        "continued": "yes" if "continued" in found.cuts else None,
    }
    return Read(text, attributes={**known, **cut(found)})


def collect(asked: Sequence[Prompted], replies: Sequence[Reply], settings: Settings) -> list[dict]:
    """Generation rows of responses."""
    return [
        generation(prompted, reply, read_response(reply.text, settings.max_words))
        for prompted, reply in zip(asked, replies, strict=True)
    ]


# ---- self history ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Told:
    """A dialogue under way: its turns in order, the model's own responses so far by the number of the assistant's
    turn, and the rows of its replies.
    """

    turns: Sequence[Context]
    own: dict[int, str] = field(default_factory=dict)
    rows: list[dict] = field(default_factory=list)


def run_self(
    found: Sequence[Sequence[Context]],
    model: str,
    settings: Settings,
    answered: Callable[[Sequence[Prompted], int], Sequence[Reply]],
    *,
    prompts_dir: str | None,
) -> list[dict]:
    """Generation rows of all dialogues in self history. Each round asks for the next response of every dialogue
    that has one to come; `answered` gives the replies of a round, from its requests and its number.

    A response that never came, or could not be read, leaves a gap: the reference's turn stands there, and later
    rows of the dialogue count it (`n_gaps`).
    """
    told = [Told(turns) for turns in found]
    for number in range(max(map(len, found), default=0)):
        open_ = [one for one in told if number < len(one.turns)]
        asked = [_next(one, one.turns[number], model, settings, prompts_dir=prompts_dir) for one in open_]
        replies = answered(asked, number)
        rows = collect(asked, replies, settings)
        for one, reply, row in zip(open_, replies, rows, strict=True):
            one.rows.append(row)
            if row["status"] == "ok" or is_assumed(reply):
                one.own[one.turns[number].n_answered] = row["text"]
    return [row for one in told for row in one.rows]


def _next(
    told: Told, context: Context, model: str, settings: Settings, *, prompts_dir: str | None
) -> Prompted:
    numbers = earlier_numbers(context, told.turns)
    n_gaps = sum(number not in told.own for number in numbers)
    own = with_own(context, told.own)
    return request(own, model, settings, history=SELF, n_gaps=n_gaps, prompts_dir=prompts_dir)
