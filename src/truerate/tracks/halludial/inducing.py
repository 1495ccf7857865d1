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
from truerate.llm.generation import Prompted, Read, facts, rejected
from truerate.llm.replies.induced import induced_reply
from truerate.llm.replies.reading import cut
from truerate.llm.replies.responses import one_response
from truerate.llm.replies.restating import restates
from truerate.tracks.halludial.context import Context, one_line, side_by_sample, side_of
from truerate.tracks.halludial.detecting import spans, written
from truerate.tracks.halludial.prompting import (
    CUES,
    FACTUALITY,
    FAITHFULNESS,
    INDUCE,
    KINDS,
    MATCH,
    MATCHED,
    REFERENCE,
    Questions,
    unread,
)
from truerate.tracks.halludial.settings import Settings

# the rules that an induced response may break, as attributes of its row, and the reason of a reject
BROKEN = {"too_long": "too-long", "restated": "right-restated", "not_located": "not-located"}


def requests(contexts: Sequence[Context], writer: str, questions: Questions) -> list[Prompted]:
    """Return three questions per turn that has a reference response: both kinds, and the paraphrase."""
    asked, settings = [], questions.settings
    for context in contexts:
        for kind in (*KINDS, MATCHED) if context.right_answer else ():
            purpose = MATCH if kind == MATCHED else INDUCE
            values: dict[str, Any] = {"right": context.right_answer, "slack": settings.slack_words}
            values |= {"kind": kind} if purpose == INDUCE else {}
            asked.append(
                questions.question(
                    purpose, writer, context, settings.inducing, {"kind": kind}, may_decline=True, **values
                )
            )
    return asked


def read(question: Prompted, reply: str, contexts: Mapping[str, Context], *, slack: int) -> Read:
    """Return a reply as what its prompt asked for: an induced response, or a paraphrase."""
    right = contexts[question.item_id].right_answer or ""
    return (
        read_induced(reply, right, slack) if question.purpose == INDUCE else read_matched(reply, right, slack)
    )


def read_induced(reply: str, right: str, slack: int) -> Read:
    """Return a reply as an induced response, with its `segments`, its `rationale`, and the rules that it breaks
    (BROKEN). A refusal abstains.
    """
    parsed = induced_reply(reply, CUES[INDUCE])
    if parsed.value is None:
        return unread(reply, parsed, "heading", may_decline=True)
    text = str(parsed.value)
    attributes = {
        **length(text, right, slack),
        "restated": "yes" if is_restated(text, right) else None,
        "segments": written(parsed.segments),
        "not_located": None if parsed.segments else "yes",
        "rationale": parsed.rationale,
    }
    return Read(text, attributes={**attributes, **cut(parsed, "heading")})


def read_matched(reply: str, right: str, slack: int) -> Read:
    """Return a reply as a faithful paraphrase; `unchanged`: it is the right response word by word."""
    parsed = one_response(reply, CUES[MATCH])
    if parsed.value is None:
        return unread(reply, parsed, "heading", may_decline=True)
    text = one_line(parsed.value)
    unchanged = "yes" if normalise(text) == normalise(right) else None
    attributes = {**length(text, right, slack), "unchanged": unchanged, **cut(parsed, "heading")}
    return Read(text, attributes=attributes)


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
