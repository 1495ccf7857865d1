"""Published judges that write: a decoder asked in its own words, locally or over an endpoint."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from truerate.detectors.published.adapters import Adapter, filled
from truerate.detectors.published.chunks import Offsets, room_beside, windows
from truerate.detectors.published.readout import DIGITS, Verdict
from truerate.detectors.published.replies import Read, of_windows, read_reply
from truerate.detectors.published.texts import Text, plans_of

GROUNDED = {"criteria_id": "groundedness"}  # what Granite Guardian is asked for
AROUND = 24  # tokens that a chat template puts around the turns, at most
_PIECE = re.compile(r"[\x21-\x7e]{1,3}|[^\x00-\x7f]")


class Question(NamedTuple):
    """What is asked once: chat `messages` with what its chat template is told besides, or where there is no
    chat template a bare `text`. `n_written`: tokens of a reply, at most.
    """

    messages: tuple[dict[str, str], ...]
    template_values: Mapping[str, Any]
    text: str | None
    n_written: int


class Answered(NamedTuple):
    """A reply: what was written, whether it ended at its limit, and the shares of yes and of no as its first
    word where these can be seen; `text` None: no reply came, for a reason.
    """

    text: str | None
    is_cut: bool = False
    yes_no: tuple[float, float] | None = None
    reason: str | None = None


Ask = Callable[[Sequence[Question]], list[Answered]]


def question_of(adapter: Adapter, document: str, claim: str, question: str) -> Question:
    """Return what is asked of a claim and a window of its document, in the adapter's words."""
    text = filled(adapter.template or "", document=document, claim=claim, question=question)
    if adapter.layout == "plain":
        return Question((), {}, text, adapter.n_written)
    if adapter.layout == "documents":
        template_values = {
            "documents": [{"doc_id": "0", "text": document}],
            "guardian_config": GROUNDED,
            "think": False,
        }
        return Question(({"role": "assistant", "content": text},), template_values, None, adapter.n_written)
    system = ({"role": "system", "content": adapter.system},) if adapter.system else ()
    return Question((*system, {"role": "user", "content": text}), {}, None, adapter.n_written)


def roughly(text: str) -> list[tuple[int, int]]:
    """Borders of pieces where no tokenizer is at hand: three signs of ASCII or one of any other script, which
    are more than a text has tokens, but for scripts and signs that a vocabulary spells in bytes (Amharic,
    emoji).
    """
    return [match.span() for match in _PIECE.finditer(text)]


def judge(adapter: Adapter, texts: Sequence[Text], ask: Ask, *, offsets: Offsets = roughly) -> list[Verdict]:
    """Return what a judge says of each text, in their order; all questions are asked together. A text, or
    each of its sentences where the adapter asks about these, is held against every window of its document. Of
    sentences the least supported decides.
    """

    def pieces(text: Text, claim: str) -> list[str] | None:
        empty = question_of(adapter, "", claim, text.question)
        contents = [message["content"] for message in empty.messages] or [empty.text or ""]
        taken = sum(len(offsets(content)) for content in contents) + AROUND + adapter.n_written
        room = room_beside(adapter.window or 0, taken)
        return None if room is None else windows(text.document, room, offsets)

    asked, plans = plans_of(adapter, texts, pieces)
    answers = ask([question_of(adapter, piece, claim, text.question) for text, claim, piece in asked])
    return [
        Verdict(None, None, [], 0, plan)
        if isinstance(plan, str)
        else _reading(adapter, text.text, [(claim, [answers[at] for at in places]) for claim, places in plan])
        for text, plan in zip(texts, plans, strict=True)
    ]


def _reading(adapter: Adapter, text: str, by_claim: Sequence[tuple[str, list[Answered]]]) -> Verdict:
    """Verdict, p and segments of a text by the replies about its claims."""
    n_windows = sum(len(answers) for _, answers in by_claim)
    read = [of_windows([_read(adapter, answer, claim) for answer in answers]) for claim, answers in by_claim]
    p = [_p(adapter, answers) for _, answers in by_claim]
    worst = max((part for part in p if part is not None), default=None)
    if all(part is not None for part in p) and worst is not None and adapter.threshold is not None:
        is_supported = adapter.is_supported(1 - worst)
        decisive_read = read[0] if len(read) == 1 else Read(None)
        # what was written of a text that it lets pass is no reason
        keeps = not is_supported and bool(decisive_read.verdict)
        spans = [{**span, "p": worst} for span in decisive_read.spans] if keeps else []
        return Verdict(
            not is_supported, worst, spans, n_windows, rationale=decisive_read.rationale if keeps else None
        )
    bad = next((part for part in read if part.verdict), None)
    unread = next((part for part in read if part.verdict is None), None)
    decisive = bad or unread or read[0]
    spans = list(decisive.spans) if len(read) == 1 else []
    return Verdict(decisive.verdict, None, spans, n_windows, decisive.reason, decisive.rationale)


def _read(adapter: Adapter, answer: Answered, claim: str) -> Read:
    if answer.text is None or adapter.reader is None:
        return Read(None, reason=answer.reason or "dead")
    return read_reply(adapter.reader, answer.text, claim, is_cut=answer.is_cut)


def _p(adapter: Adapter, answers: Sequence[Answered]) -> float | None:
    """P(hallucinated) of a claim by its windows, the least; None where a reply's first word cannot be seen,
    or neither word is among the likeliest. Bespoke-MiniCheck: one minus the share of *yes*. HalluJudge: the
    share of *yes* of yes and no.
    """
    each: list[float | None] = []
    for answer in answers:
        yes, no = answer.yes_no or (0.0, 0.0)
        if yes + no <= 0:
            return None
        readers = {"yes-is-supported": 1 - yes, "yes-is-hallucinated": yes / (yes + no)}
        each.append(readers.get(adapter.reader or ""))
    visible = [p for p in each if p is not None]
    return round(min(visible), DIGITS) if visible else None
