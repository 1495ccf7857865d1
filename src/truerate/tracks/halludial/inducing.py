"""Induced hallucination (HalluDial section 2.2): of every turn a response that is factually wrong and one that is
unfaithful, each with its segment and reason; and, our addition, a faithful paraphrase by the same writer.

References are people's, induced responses a model's: who can tell the two styles apart needs no facts. Against the
paraphrases (`matched`) style tells nothing.
"""

from collections.abc import Mapping, Sequence

from truerate.core.text import normalise, words
from truerate.llm import Request, prompts
from truerate.llm.generation import Prompted, Read, decoding
from truerate.llm.replies.induced import induced_reply
from truerate.llm.replies.reading import cut
from truerate.llm.replies.responses import one_response
from truerate.llm.replies.restating import restates
from truerate.tracks.halludial.context import Context, one_line, shown
from truerate.tracks.halludial.demonstrations import INDUCED, KINDS, MATCHED
from truerate.tracks.halludial.located import written
from truerate.tracks.halludial.settings import Settings

INDUCE, MATCH = "induce", "match"
CUE, MATCH_CUE = "Induced Response", "Faithful Paraphrase"
# the rules that an induced response may break, as attributes of its row, and the reason of a reject
BROKEN = {"too_long": "too-long", "restated": "right-restated", "not_located": "not-located"}
DECLINED = ("refusal", "no-answer")


def requests(
    found: Sequence[Context], writer: str, settings: Settings, *, prompts_dir: str | None
) -> list[Prompted]:
    """Three requests per turn that has a reference response: both kinds, and the paraphrase."""
    asked, decoded = [], decoding(settings.inducing)
    for context in found:
        if not context.right_answer:
            continue
        told, place = shown(context, settings.max_history_words)
        values = {**told, "right": context.right_answer, "slack": settings.slack_words}
        for kind in (*KINDS, MATCHED):
            purpose = MATCH if kind == MATCHED else INDUCE
            more = {} if kind == MATCHED else {"kind": kind, "demonstrations": INDUCED}
            messages = prompts.render("halludial", purpose, prompts_dir, **values, **more)
            known = {"task": "dialogue", "kind": kind, **place}
            request = Request(writer, tuple(messages), decoded)
            asked.append(Prompted(request, context.item_id, purpose, known, may_decline=True))
    return asked


def read(asked: Prompted, reply: str, found: Mapping[str, Context], *, slack: int) -> Read:
    """A reply as what its prompt asked for: an induced response, or a paraphrase."""
    right = found[asked.item_id].right_answer or ""
    return read_induced(reply, right, slack) if asked.purpose == INDUCE else read_matched(reply, right, slack)


def read_induced(reply: str, right: str, slack: int) -> Read:
    """A reply as an induced response, with its `segments`, its `rationale`, and the rules that it breaks
    (BROKEN). A refusal abstains.
    """
    told = induced_reply(reply, CUE)
    if told.value is None:
        status = "abstained" if told.reason in DECLINED else "unparsed"
        return Read(reply, status, told.reason, cut(told, "heading"))
    text = str(told.value)
    known = {
        **length(text, right, slack),
        "restated": "yes" if is_restated(text, right) else None,
        "segments": written(told.segments),
        "not_located": None if told.segments else "yes",
        "rationale": told.rationale,
    }
    return Read(text, attributes={**known, **cut(told, "heading")})


def read_matched(reply: str, right: str, slack: int) -> Read:
    """A reply as a faithful paraphrase; `unchanged`: it is the right response word by word."""
    told = one_response(reply, MATCH_CUE)
    if told.value is None:
        status = "abstained" if told.reason in DECLINED else "unparsed"
        return Read(reply, status, told.reason, cut(told, "heading"))
    text = one_line(told.value)
    is_same = normalise(text) == normalise(right)
    known = {**length(text, right, slack), "unchanged": "yes" if is_same else None}
    return Read(text, attributes={**known, **cut(told, "heading")})


def length(text: str, right: str, slack: int) -> dict[str, str | None]:
    """By how many words a text is longer than the right one (`words_over`, negative: shorter), and whether these
    are too many (`too_long`).
    """
    n_over = len(words(text)) - len(words(right))
    return {"words_over": str(n_over), "too_long": "yes" if n_over > slack else None}


def is_restated(text: str, right: str) -> bool:
    """Whether a text that should be wrong is the right one but for case, articles, punctuation and a frame."""
    return normalise(text) == normalise(right) or restates(text, right)


def broken(known: Mapping[str, str]) -> list[str]:
    """The rules that a row's attributes say it breaks, as reasons."""
    return [reason for name, reason in BROKEN.items() if known.get(name) == "yes"]
