"""Induced hallucination (HalluDial section 2.2): of every turn a response that is factually wrong and one that is
unfaithful, each with its segment and reason; and, our addition, a faithful paraphrase by the same writer.

References are people's, induced responses a model's: who can tell the two styles apart needs no facts. Against the
paraphrases (`matched`) style tells nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from truerate.core.keys import content_id
from truerate.core.schemas import pairs, sample_row
from truerate.core.text import normalise, words
from truerate.llm import Request, prompts
from truerate.llm.generation import Prompted, Read, decoding, facts, rejected
from truerate.llm.replies.induced import induced_reply
from truerate.llm.replies.reading import cut
from truerate.llm.replies.responses import one_response
from truerate.llm.replies.restating import restates
from truerate.tracks.halludial.context import Context, one_line, shown, side_by_sample, side_of
from truerate.tracks.halludial.demonstrations import (
    FACTUALITY,
    FAITHFULNESS,
    INDUCED,
    KINDS,
    MATCHED,
    REFERENCE,
)
from truerate.tracks.halludial.detecting import spans, written
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


# ---- Samples of induced hallucination: of every turn the reference response --------------------------------


INDUCED_SCENARIO = "induced"
AGAINST_REFERENCES, AGAINST_MATCHED = "induced-references", "induced-matched"  # schemes of the shortcut audit
SCHEMES = {
    REFERENCE: AGAINST_REFERENCES,
    MATCHED: AGAINST_MATCHED,
    **dict.fromkeys(KINDS, f"{AGAINST_REFERENCES}+{AGAINST_MATCHED}"),
}
PAIRED = {REFERENCE: FACTUALITY, FACTUALITY: FACTUALITY, MATCHED: FAITHFULNESS, FAITHFULNESS: FAITHFULNESS}
WHOLE_TURN = "turn-rejected"  # of what stood beside an induced response that breaks a rule


def samples(
    rows: Sequence[dict], found: Mapping[str, Context], settings: Settings
) -> tuple[list[dict], list[dict]]:
    """Sample rows of all turns of which an induced response was read, and Reject rows: of induced responses
    that break a rule, and where such are rejected (`on_broken`) of all else of their turn.
    """
    of_turn: dict[str, list[dict]] = {}
    for row in rows:
        if row["purpose"] in (INDUCE, MATCH) and row["status"] == "ok":
            of_turn.setdefault(row["item_id"], []).append(row)
    made: list[dict] = []
    dropped: list[dict] = []
    for item_id, texts in sorted(of_turn.items()):
        kept, lost = _turn(texts, settings)
        dropped += lost
        if any(row["purpose"] == INDUCE for row in kept):
            context = found[item_id]
            made.append(_reference(context, settings))
            made += [_sample(row, context, settings) for row in kept]
    return made, dropped


def _turn(written: Sequence[dict], settings: Settings) -> tuple[list[dict], list[dict]]:
    """What is kept of a turn's texts, and Reject rows of the rest."""
    if settings.on_broken == "keep":
        return list(written), []
    reasons = {row["generation_id"]: broken(facts(row)) for row in written if row["purpose"] == INDUCE}
    is_whole = len(reasons) == len(KINDS) and not any(reasons.values())
    if is_whole:
        return list(written), []
    return [], [
        rejected(row, why[0] if (why := reasons.get(row["generation_id"])) else WHOLE_TURN) for row in written
    ]


def _reference(context: Context, settings: Settings) -> dict:
    text = context.right_answer or ""
    name = content_id("reference", context.item_id, text)
    return _row(context, settings, REFERENCE, sample_id=name, text=text, is_hallucinated=False)


def _sample(row: dict, context: Context, settings: Settings) -> dict:
    """A text of the writer; its id is that of the reply."""
    known = facts(row)
    kind, is_induced = known["kind"], row["purpose"] == INDUCE
    return _row(
        context,
        settings,
        kind,
        sample_id=row["generation_id"],
        text=row["text"],
        is_hallucinated=is_induced,
        generator=row["model"],
        pattern=kind if is_induced else None,
        spans=spans(known) if is_induced else [],
        rationale=known.get("rationale") if is_induced else None,
    )


def _row(context: Context, settings: Settings, kind: str, **values: Any) -> dict:
    """A Sample row of a turn; `values`: what tells it from the others of the turn."""
    more = {
        "scenario": INDUCED_SCENARIO,
        "kind": kind,
        "scheme": SCHEMES[kind],
        "split_by_sample": side_by_sample(values["sample_id"], settings),
        **context.place,
    }
    return sample_row(
        item_id=context.item_id,
        pair_id=content_id("pair", context.item_id, PAIRED[kind]),
        group_id=context.group_id,
        task="dialogue",
        lang=context.lang,
        label_source="silver",
        split=side_of(context.group_id, settings),
        attributes=pairs(**more),
        **values,
    )
